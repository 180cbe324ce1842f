import { Button, Group, Modal, MultiSelect, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { apiPath, ask } from '../api/client.ts';
import { useEnvironment } from '../api/environment.tsx';
import { endpointsQuery } from '../api/queries.ts';
import type { Job } from '../api/types.ts';
import { Icon } from '../components/icon.tsx';
import { Failure } from '../components/parts.tsx';
import { texts } from '../texts.ts';

const SECRET_BYTES = 24;
const EVENTS = ['job.completed', 'job.failed'];
/** Registration is a job of its own; it is held until done, so that the list shows it at once. */
const WAIT = { prefer: 'wait=10' };

function newSecret(): string {
  const random = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `whsec_${btoa(String.fromCharCode(...random))}`;
}

export function AddEndpoint() {
  const environment = useEnvironment();
  const client = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<string[]>([]);
  const [secret, setSecret] = useState('');
  const t = texts.webhooks;
  const add = useMutation({
    mutationFn: () => {
      const body = { url, ...(events.length > 0 ? { events } : {}), ...(secret === '' ? {} : { secret }) };
      return ask<Job>(apiPath(environment, '/webhooks'), { method: 'POST', body, headers: WAIT });
    },
    onSuccess: async () => {
      close();
      setUrl('');
      setSecret('');
      notifications.show({ message: t.added });
      await client.invalidateQueries({ queryKey: endpointsQuery(environment).queryKey });
    },
  });
  return (
    <>
      <Button size="xs" leftSection={<Icon name="plus" size={14} />} onClick={open}>
        {t.add}
      </Button>
      <Modal opened={opened} onClose={close} title={t.add}>
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
              onChange={(event) => setUrl(event.currentTarget.value)}
              data-autofocus
            />
            <MultiSelect
              label={t.events}
              description={t.eventsHint}
              data={EVENTS}
              value={events}
              onChange={setEvents}
            />
            <SecretField secret={secret} setSecret={setSecret} />
            {add.isError && <Failure error={add.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {texts.common.cancel}
              </Button>
              <Button type="submit" loading={add.isPending}>
                {texts.common.add}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}

function SecretField({ secret, setSecret }: { secret: string; setSecret: (secret: string) => void }) {
  const t = texts.webhooks;
  return (
    <Group align="flex-end">
      <TextInput
        flex={1}
        label={t.secret}
        description={t.secretHint}
        value={secret}
        autoComplete="off"
        onChange={(event) => setSecret(event.currentTarget.value)}
      />
      <Button variant="default" onClick={() => setSecret(newSecret())}>
        {t.makeSecret}
      </Button>
    </Group>
  );
}
