import { ActionIcon, Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { api, errorsByField, useEnvironment } from '../../api/client.ts';
import type { WebhookEndpoint } from '../../api/generated/owner.ts';
import { endpointsQuery } from '../../api/queries.ts';
import { Icon } from '../../components/icon.tsx';
import { Failure } from '../../components/page-elements.tsx';
import { showToast } from '../../components/toast.tsx';
import { texts } from '../../texts.ts';
import { endpointName } from './endpoint-words.tsx';
import { webhooks as webhooksTexts } from './texts.ts';

/** Names an endpoint. Without a name, its host is shown. */
export function NameEndpoint({ endpoint }: { endpoint: WebhookEndpoint }) {
  const [opened, { open, close }] = useDisclosure();
  const t = webhooksTexts;
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t.ofEndpoint({ what: t.rename, url: endpoint.url })}
        onClick={open}
      >
        <Icon name="pencil" size={14} />
      </ActionIcon>
      <Modal opened={opened} onClose={close} title={t.rename}>
        <NameForm endpoint={endpoint} onClose={close} />
      </Modal>
    </>
  );
}

function NameForm({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose: () => void }) {
  const environment = useEnvironment();
  const [name, setName] = useState(endpoint.name ?? '');
  const t = webhooksTexts;
  const given = name.trim();
  const rename = useChange(
    () =>
      api[environment].PATCH('/webhooks/{webhookId}', {
        params: { path: { webhookId: endpoint.webhookId } },
        body: { name: given === '' ? null : given },
      }),
    {
      renews: [endpointsQuery(environment).queryKey, ['deliveries', environment]],
      showsError: true,
      onDone: () => {
        onClose();
        showToast({ message: t.renamed({ name: endpointName({ name: given, url: endpoint.url }) }) });
      },
    },
  );
  const refused = errorsByField(rename.error);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        rename.mutate();
      }}
    >
      <Stack>
        <TextInput
          label={t.name}
          description={t.nameHint}
          placeholder={endpointName({ url: endpoint.url })}
          value={name}
          error={refused.name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        {rename.isError && refused.name === undefined && <Failure error={rename.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.common.cancel}
          </Button>
          <Button type="submit" loading={rename.isPending}>
            {texts.common.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
