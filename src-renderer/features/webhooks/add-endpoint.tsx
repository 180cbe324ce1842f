import { Button, Group, Modal, MultiSelect, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { apiPath, errorsByField, requestJson, useEnvironment } from '../../api/client.ts';
import type { Job } from '../../api/generated/public.ts';
import { endpointsQuery } from '../../api/queries.ts';
import { Icon } from '../../components/icon.tsx';
import { notify } from '../../components/notify.ts';
import { Failure } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';
import { SecretField } from './secret-field.tsx';
import { webhooks as webhooksTexts } from './texts.ts';

const EVENTS = ['job.completed', 'job.failed', 'crawl.changed', 'alert.raised', 'alert.cleared'];

/** Fields that show their own errors. */
const FIELDS = ['url', 'name', 'secret'];

/** Adding an endpoint is a job. Wait for it, so that the list shows the endpoint at once. */
const WAIT = { prefer: 'wait=10' };

export function AddEndpoint() {
  const [opened, { open, close }] = useDisclosure();
  const t = webhooksTexts;
  return (
    <>
      <Button size="xs" leftSection={<Icon name="plus" size={14} />} onClick={open}>
        {t.add}
      </Button>
      {/* The modal unmounts its form, so old input and errors are gone. */}
      <Modal opened={opened} onClose={close} title={t.add}>
        <EndpointForm onClose={close} />
      </Modal>
    </>
  );
}

function EndpointForm({ onClose }: { onClose: () => void }) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const [url, setUrl] = useState('');
  const [name, setName] = useState('');
  const [events, setEvents] = useState<string[]>([]);
  const [secret, setSecret] = useState('');
  const t = webhooksTexts;
  const add = useMutation({
    mutationFn: () => {
      const body = {
        url,
        name: name.trim() === '' ? undefined : name,
        events: events.length > 0 ? events : undefined,
        secret: secret || undefined,
      };
      return requestJson<Job>(apiPath(environment, '/webhooks'), { method: 'POST', body, headers: WAIT });
    },
    onSuccess: async () => {
      onClose();
      notify({ message: t.added });
      await client.invalidateQueries({ queryKey: endpointsQuery(environment).queryKey });
    },
  });
  const refused = errorsByField(add.error);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <Stack>
        <TextInput
          label={t.url}
          description={t.urlHint}
          placeholder="https://"
          required
          value={url}
          error={refused.url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          data-autofocus
        />
        <TextInput
          label={t.name}
          description={t.nameHint}
          value={name}
          error={refused.name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <MultiSelect label={t.events} description={t.eventsHint} data={EVENTS} value={events} onChange={setEvents} />
        <SecretField secret={secret} setSecret={setSecret} error={refused.secret} />
        {add.isError && !FIELDS.some((field) => refused[field] !== undefined) && <Failure error={add.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.common.cancel}
          </Button>
          <Button type="submit" loading={add.isPending}>
            {texts.common.add}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
