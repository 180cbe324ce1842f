import { Alert, Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { apiPath, errorsByField, requestJson, useEnvironment } from '../../api/client.ts';
import type { WebhookEndpoint } from '../../api/generated/owner.ts';
import { endpointsQuery } from '../../api/queries.ts';
import { useServerNow } from '../../api/server-time.ts';
import { choicesOf } from '../../components/choices.ts';
import { Code } from '../../components/code.tsx';
import { fullTime } from '../../components/format.ts';
import { Failure, Time } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';
import { SecretField } from './secret-field.tsx';
import { webhooks as webhooksTexts } from './texts.ts';

/** The request of a rotation: a new secret, the overlap, or both. */
type Change = { secret?: string; secretOverlapSeconds?: number };

type Changing = UseMutationResult<unknown, Error, Change>;

const DEFAULT_OVERLAP = '86400';

/** When the old secret expires; null if it has. */
export function useOldSecret({ previousSecretExpiresAt: until }: WebhookEndpoint): string | null {
  const now = useServerNow();
  return until !== undefined && Date.parse(until) > now ? until : null;
}

/** Rotates the secret of an endpoint, with an overlap for the old one. */
export function RotateSecret({ endpoint }: { endpoint: WebhookEndpoint }) {
  const [opened, { open, close }] = useDisclosure();
  const t = webhooksTexts.rotation;
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={webhooksTexts.ofEndpoint({ what: t.open({ has: endpoint.hasSecret }), url: endpoint.url })}
        onClick={open}
      >
        {t.open({ has: endpoint.hasSecret })}
      </Button>
      {/* A click outside must not close the dialog, because the secret is not shown again. */}
      <Modal opened={opened} onClose={close} title={t.open({ has: endpoint.hasSecret })} closeOnClickOutside={false}>
        <Rotation endpoint={endpoint} onClose={close} />
      </Modal>
    </>
  );
}

function Rotation({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose: () => void }) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const change: Changing = useMutation({
    mutationFn: (body: Change) =>
      requestJson(apiPath(environment, `/webhooks/${endpoint.webhookId}`), { method: 'PATCH', body }),
    onSuccess: () => client.invalidateQueries({ queryKey: endpointsQuery(environment).queryKey }),
  });
  // Expiring the old secret must not remove the new one from the screen.
  const [given, setGiven] = useState<string | null>(null);
  return (
    <Stack>
      <Text size="sm" className="break">
        {endpoint.url}
      </Text>
      <OldSecret endpoint={endpoint} change={change} />
      {change.isError && errorsByField(change.error).secret === undefined && <Failure error={change.error} />}
      {given === null ? (
        <NewSecret endpoint={endpoint} change={change} onGiven={setGiven} onClose={onClose} />
      ) : (
        <Given secret={given} onClose={onClose} />
      )}
    </Stack>
  );
}

/** The old secret while it is valid, with a button to expire it. */
function OldSecret({ endpoint, change }: { endpoint: WebhookEndpoint; change: Changing }) {
  const until = useOldSecret(endpoint);
  const t = webhooksTexts.rotation;
  // A live region from the start, so that screen readers announce later content.
  return (
    <div role="status">
      {until !== null && (
        <Alert variant="default" className="alert" title={t.oldHolds}>
          <Stack gap="xs" align="flex-start">
            <Text size="sm">
              {t.oldUntil({ time: fullTime(until) })} (<Time at={until} />)
            </Text>
            <Button
              size="compact-sm"
              variant="outline"
              color="red"
              loading={change.isPending}
              onClick={() => change.mutate({ secretOverlapSeconds: 0 })}
            >
              {t.endOld}
            </Button>
          </Stack>
        </Alert>
      )}
    </div>
  );
}

interface NewSecretProps {
  endpoint: WebhookEndpoint;
  change: Changing;
  onGiven: (secret: string) => void;
  onClose: () => void;
}

function NewSecret({ endpoint: { hasSecret }, change, onGiven, onClose }: NewSecretProps) {
  const [secret, setSecret] = useState('');
  const [overlap, setOverlap] = useState(DEFAULT_OVERLAP);
  const t = webhooksTexts.rotation;
  const refused = errorsByField(change.error);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const old = hasSecret ? { secretOverlapSeconds: Number(overlap) } : {};
        change.mutate({ secret, ...old }, { onSuccess: () => onGiven(secret) });
      }}
    >
      <Stack>
        <SecretField label={t.newSecret} required secret={secret} setSecret={setSecret} error={refused.secret} />
        {hasSecret && (
          <Select
            label={t.overlap}
            description={t.overlapHint}
            data={choicesOf(t.overlaps)}
            value={overlap}
            allowDeselect={false}
            onChange={(value) => value !== null && setOverlap(value)}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.common.cancel}
          </Button>
          <Button type="submit" loading={change.isPending}>
            {t.change}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The new secret, shown once. */
function Given({ secret, onClose }: { secret: string; onClose: () => void }) {
  const t = webhooksTexts.rotation;
  return (
    <>
      <Text size="sm" role="status">
        {t.given}
      </Text>
      <Code value={secret} label={webhooksTexts.secret.toLowerCase()} />
      <Group justify="flex-end">
        {/* The form that had the focus is gone. */}
        <Button autoFocus onClick={onClose}>
          {t.close}
        </Button>
      </Group>
    </>
  );
}
