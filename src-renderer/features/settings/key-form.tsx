import { Button, Checkbox, Group, MultiSelect, NumberInput, Select, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { useChange } from '../../api/changes.ts';
import { errorsByField, owner } from '../../api/client.ts';
import type { Key } from '../../api/generated/owner.ts';
import { keysQuery, operationsQuery } from '../../api/queries.ts';
import { serverNow } from '../../api/server-time.ts';
import { fullTime } from '../../components/format.ts';
import { Failure } from '../../components/page-elements.tsx';
import { operationName } from '../../components/work.ts';
import { texts } from '../../texts.ts';
import { keys as t } from './key-texts.ts';
import type { MadeKey } from './new-key.tsx';

/** Fields that show their own errors. */
const FIELDS = ['name', 'scopes', 'requestsPerMinute', 'openJobs'];

const DAY_MS = 86_400_000;

/** Search is a part of reading. */
const READS = 'search';

interface Entered {
  name: string;
  choices: string[];
  operations: string[];
  perMinute: number | string;
  openJobs: number | string;
  /** `keep`, `never`, or days from now. */
  expiry: string;
}

const EMPTY: Entered = {
  name: '',
  choices: ['read'],
  operations: [],
  perMinute: '',
  openJobs: '',
  expiry: 'never',
};

function enteredKeyOf({ name, scopes, requestsPerMinute, openJobs, expiresAt }: Key): Entered {
  const operations = scopes.filter((scope) => scope.startsWith('run:')).map((scope) => scope.slice('run:'.length));
  return {
    name,
    choices: [...scopes.filter((scope) => !scope.startsWith('run:')), ...(operations.length > 0 ? ['some'] : [])],
    operations,
    perMinute: requestsPerMinute ?? '',
    openJobs: openJobs ?? '',
    expiry: expiresAt === null ? 'never' : 'keep',
  };
}

interface KeyFormProps {
  /** A key to change; absent for a new one. */
  entry?: Key;
  onMade: (made: MadeKey) => void;
  onClose: () => void;
}

export function KeyForm({ entry, onMade, onClose }: KeyFormProps) {
  const [entered, setEntered] = useState(() => (entry === undefined ? EMPTY : enteredKeyOf(entry)));
  const [isTried, setTried] = useState(false);
  const setKeyEntry = (change: Partial<Entered>) => setEntered({ ...entered, ...change });
  const scopes = scopesOfChoices(entered.choices, entered.operations);
  const save = useSave(entry, onMade);
  const refused = errorsByField(save.error);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (scopes.length > 0) save.mutate({ ...entered, scopes });
      }}
    >
      <Stack>
        <TextInput
          label={t.name}
          description={t.nameHint}
          required
          value={entered.name}
          error={refused.name}
          onChange={(event) => setKeyEntry({ name: event.currentTarget.value })}
          data-autofocus
        />
        <Rights
          {...{ entered, set: setKeyEntry }}
          error={isTried && scopes.length === 0 ? t.chooseSome : refused.scopes}
        />
        <Group grow align="flex-start">
          <Limit
            {...{ label: t.perMinute, value: entered.perMinute, error: refused.requestsPerMinute }}
            onChange={(perMinute) => setKeyEntry({ perMinute })}
          />
          <Limit
            {...{ label: t.openJobs, value: entered.openJobs, error: refused.openJobs }}
            onChange={(openJobs) => setKeyEntry({ openJobs })}
          />
        </Group>
        <Select
          label={t.expiry}
          description={t.expiryHint}
          data={expiriesOf(entry)}
          value={entered.expiry}
          error={refused.expiresAt}
          allowDeselect={false}
          onChange={(expiry) => expiry !== null && setKeyEntry({ expiry })}
        />
        {save.isError && !FIELDS.some((field) => refused[field] !== undefined) && <Failure error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.common.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {entry === undefined ? t.make : texts.common.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface LimitProps {
  label: string;
  value: number | string;
  error: string | undefined;
  onChange: (value: number | string) => void;
}

function Limit(props: LimitProps) {
  return <NumberInput {...props} description={t.limitHint} min={1} allowDecimal={false} />;
}

function useSave(entry: Key | undefined, onMade: (made: MadeKey) => void) {
  return useChange(
    ({ name, scopes, perMinute, openJobs, expiry }: Entered & { scopes: string[] }) => {
      const limits = {
        requestsPerMinute: perMinute === '' ? null : Number(perMinute),
        openJobs: openJobs === '' ? null : Number(openJobs),
      };
      const body = {
        name,
        scopes,
        ...limits,
        ...omitUndefined({ expiresAt: expiry === 'keep' ? undefined : keyExpiryTime(expiry) }),
      };
      if (entry === undefined) return owner.POST('/admin/keys', { body });
      return owner.PATCH('/admin/keys/{keyId}', { params: { path: { keyId: entry.keyId } }, body });
    },
    {
      renews: [keysQuery().queryKey],
      showsError: true,
      onDone: (made) => made !== undefined && onMade({ key: '', ...made }),
    },
  );
}

/** @param expiry `never`, or days from now */
function keyExpiryTime(expiry: string): string | null {
  return expiry === 'never' ? null : new Date(serverNow() + Number(expiry) * DAY_MS).toISOString();
}

/** Numeric names come first in an object, whatever its order. */
const EXPIRIES = (['never', '7', '30', '90', '365'] as const).map((value) => ({ value, label: t.expiries[value] }));

function expiriesOf(entry: Key | undefined) {
  if (entry === undefined || entry.expiresAt === null) return EXPIRIES;
  return [{ value: 'keep', label: fullTime(entry.expiresAt) }, ...EXPIRIES];
}

/** A wider choice includes the narrower ones. */
function scopesOfChoices(choices: readonly string[], operations: readonly string[]): string[] {
  const network = choices.includes('private-network') ? ['private-network'] : [];
  if (choices.includes('admin')) return ['admin', ...network];
  const reads = choices.includes('read') ? ['read'] : [];
  if (choices.includes('run')) return [...reads, 'run', ...network];
  if (choices.includes('some')) return [...reads, ...operations.map((id) => `run:${id}`), ...network];
  // Alone it allows nothing.
  return reads.length === 0 ? [] : [...reads, ...network];
}

interface RightsProps {
  entered: Entered;
  set: (change: Partial<Entered>) => void;
  error: string | undefined;
}

function Rights({ entered: { choices, operations }, set, error }: RightsProps) {
  const all = useQuery(operationsQuery());
  // A key may have it.
  const data = (all.data ?? []).filter(({ id }) => id !== READS || operations.includes(READS));
  const isAdmin = choices.includes('admin');
  const runsAll = isAdmin || choices.includes('run');
  return (
    <Checkbox.Group label={t.may} value={choices} onChange={(next) => set({ choices: next })} error={error}>
      <Stack gap="xs" mt="xs" mb="xs">
        <Checkbox value="read" label={t.read} description={t.readHint} disabled={isAdmin} />
        <Checkbox value="run" label={t.run} description={t.runHint} disabled={isAdmin} />
        <Checkbox value="some" label={t.some} disabled={runsAll} />
        {choices.includes('some') && !runsAll && (
          <MultiSelect
            aria-label={t.operations}
            placeholder={operations.length === 0 ? t.operations : ''}
            ms="xl"
            data={data.map(({ id }) => ({ value: id, label: operationName(id) }))}
            value={operations}
            onChange={(next) => set({ operations: next })}
          />
        )}
        <Checkbox value="admin" label={t.admin} description={t.adminHint} />
        <Checkbox value="private-network" label={t.network} description={t.networkHint} />
      </Stack>
    </Checkbox.Group>
  );
}
