import { Button, Checkbox, Group, Modal, MultiSelect, NumberInput, Select, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { fieldErrors, owner } from '../../api/client.ts';
import { keysQuery, operationsQuery } from '../../api/queries.ts';
import { serverNow } from '../../api/server-time.ts';
import { Icon } from '../../components/icon.tsx';
import { Failure } from '../../components/page-elements.tsx';
import { operationName } from '../../components/work.ts';
import { texts } from '../../texts.ts';
import { keys as t } from './key-texts.ts';
import { type MadeKey, NewKey } from './new-key.tsx';

/** Fields that show their own errors. */
const FIELDS = ['name', 'scopes', 'requestsPerMinute'];

const DAY_MS = 86_400_000;

/** Search is a part of reading. */
const READS = 'search';

/** The button New key and its dialog, which ends with the key. */
export function AddKey(): ReactNode {
  const [opened, { open, close }] = useDisclosure();
  const [made, setMade] = useState<MadeKey | null>(null);
  const start = () => {
    setMade(null);
    open();
  };
  return (
    <>
      <Button size="xs" mt={6} variant="default" leftSection={<Icon name="plus" size={14} />} onClick={start}>
        {t.add}
      </Button>
      {/* The key is not shown again, so only a button closes it. */}
      <Modal
        opened={opened}
        onClose={close}
        title={made === null ? t.add : made.name}
        size="lg"
        closeOnClickOutside={false}
        closeOnEscape={made === null}
      >
        {made === null ? <KeyForm onMade={setMade} onClose={close} /> : <NewKey made={made} onClose={close} />}
      </Modal>
    </>
  );
}

function KeyForm({ onMade, onClose }: { onMade: (made: MadeKey) => void; onClose: () => void }) {
  const [name, setName] = useState('');
  const [choices, setChoices] = useState<string[]>(['read']);
  const [operations, setOperations] = useState<string[]>([]);
  const [perMinute, setPerMinute] = useState<number | string>('');
  const [days, setDays] = useState('never');
  const [isTried, setTried] = useState(false);
  const scopes = scopesOf(choices, operations);
  const make = useChange(
    () => {
      const expiresAt = days === 'never' ? null : new Date(serverNow() + Number(days) * DAY_MS).toISOString();
      const requestsPerMinute = perMinute === '' ? null : Number(perMinute);
      return owner.POST('/admin/keys', { body: { name, scopes, requestsPerMinute, expiresAt } });
    },
    { renews: [keysQuery().queryKey], showsError: true, onDone: (made) => made !== undefined && onMade(made) },
  );
  const refused = fieldErrors(make.error);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (scopes.length > 0) make.mutate();
      }}
    >
      <Stack>
        <TextInput
          label={t.name}
          description={t.nameHint}
          required
          value={name}
          error={refused.name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        <Rights
          {...{ choices, setChoices, operations, setOperations }}
          error={isTried && scopes.length === 0 ? t.chooseSome : refused.scopes}
        />
        <Group grow align="flex-start">
          <NumberInput
            label={t.perMinute}
            description={t.perMinuteHint}
            min={1}
            allowDecimal={false}
            value={perMinute}
            error={refused.requestsPerMinute}
            onChange={setPerMinute}
          />
          <Expiry days={days} setDays={setDays} />
        </Group>
        {make.isError && !FIELDS.some((field) => refused[field] !== undefined) && <Failure error={make.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.common.cancel}
          </Button>
          <Button type="submit" loading={make.isPending}>
            {t.make}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Numeric names come first in an object, whatever its order. */
const EXPIRIES = (['never', '7', '30', '90', '365'] as const).map((value) => ({ value, label: t.expiries[value] }));

function Expiry({ days, setDays }: { days: string; setDays: (days: string) => void }) {
  return (
    <Select
      label={t.expiry}
      description={t.expiryHint}
      data={EXPIRIES}
      value={days}
      allowDeselect={false}
      onChange={(value) => value !== null && setDays(value)}
    />
  );
}

/** A wider choice includes the narrower ones. */
function scopesOf(choices: readonly string[], operations: readonly string[]): string[] {
  if (choices.includes('admin')) return ['admin'];
  const reads = choices.includes('read') ? ['read'] : [];
  if (choices.includes('run')) return [...reads, 'run'];
  return choices.includes('some') ? [...reads, ...operations.map((id) => `run:${id}`)] : reads;
}

interface RightsProps {
  choices: string[];
  setChoices: (choices: string[]) => void;
  operations: string[];
  setOperations: (operations: string[]) => void;
  error: string | undefined;
}

function Rights({ choices, setChoices, operations, setOperations, error }: RightsProps) {
  const all = useQuery(operationsQuery());
  const data = (all.data ?? []).filter(({ id }) => id !== READS);
  const isAdmin = choices.includes('admin');
  const runsAll = isAdmin || choices.includes('run');
  return (
    <Checkbox.Group label={t.may} value={choices} onChange={setChoices} error={error}>
      <Stack gap="xs" mt="xs" mb="xs">
        <Checkbox value="read" label={t.read} description={t.readHint} disabled={isAdmin} />
        <Checkbox value="run" label={t.run} description={t.runHint} disabled={isAdmin} />
        <Checkbox value="some" label={t.some} disabled={runsAll} />
        {choices.includes('some') && !runsAll && (
          <MultiSelect
            aria-label={t.operations}
            placeholder={operations.length === 0 ? t.operations : ''}
            ml="xl"
            data={data.map(({ id }) => ({ value: id, label: operationName(id) }))}
            value={operations}
            onChange={setOperations}
          />
        )}
        <Checkbox value="admin" label={t.admin} description={t.adminHint} />
      </Stack>
    </Checkbox.Group>
  );
}
