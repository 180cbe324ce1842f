import { Anchor, Button, Grid, PasswordInput, Stack, Text, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { serverPath } from '../../api/base-path.ts';
import { adminPath, requestJson, useEnvironment } from '../../api/client.ts';
import type { WebhookExplanation } from '../../api/generated/owner.ts';
import { Failure, Panel } from '../../components/page-elements.tsx';
import { ExplainedView } from './explained.tsx';
import { webhooks as webhooksTexts } from './texts.ts';

function parseHeaders(text: string): Record<string, string> {
  const pairs = text.split('\n').flatMap((line) => {
    const at = line.indexOf(':');
    return at < 1 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as const];
  });
  return Object.fromEntries(pairs);
}

/** Checks a pasted request: shows each step of both signatures. */
export function Signatures() {
  const environment = useEnvironment();
  const [headers, setHeaders] = useState('');
  const [body, setBody] = useState('');
  const [secret, setSecret] = useState('');
  const t = webhooksTexts;
  const explain = useMutation({
    mutationFn: () =>
      requestJson<WebhookExplanation>(adminPath(environment, '/webhooks/explain'), {
        method: 'POST',
        body: { headers: parseHeaders(headers), body, secret: secret === '' ? null : secret },
      }),
  });
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, lg: 6 }}>
        <Panel title={t.explainTitle} about={t.explainAbout}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              explain.mutate();
            }}
          >
            <Stack>
              <Textarea
                label={t.explainHeaders}
                placeholder="webhook-id: dlv_…"
                autosize
                minRows={4}
                maxRows={10}
                value={headers}
                onChange={(event) => setHeaders(event.currentTarget.value)}
              />
              <Textarea
                label={t.explainBody}
                autosize
                minRows={4}
                maxRows={12}
                value={body}
                onChange={(event) => setBody(event.currentTarget.value)}
              />
              <PasswordInput
                label={t.secret}
                autoComplete="off"
                value={secret}
                onChange={(event) => setSecret(event.currentTarget.value)}
              />
              <Button type="submit" loading={explain.isPending} style={{ alignSelf: 'flex-start' }}>
                {t.explain}
              </Button>
            </Stack>
          </form>
        </Panel>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 6 }}>
        <Stack>
          {explain.isError && <Failure error={explain.error} />}
          {explain.data && (
            <Panel title={t.signature}>
              <ExplainedView explanation={explain.data} />
            </Panel>
          )}
          <HowSigned />
        </Stack>
      </Grid.Col>
    </Grid>
  );
}

function HowSigned() {
  const t = webhooksTexts;
  return (
    <Panel title={t.how}>
      <Stack gap="sm">
        <Text size="sm">{t.howPayload}</Text>
        <Text size="sm">{t.howStandard}</Text>
        <Anchor href={serverPath('/reference/guides/webhooks')} size="sm">
          {t.howMore}
        </Anchor>
      </Stack>
    </Panel>
  );
}
