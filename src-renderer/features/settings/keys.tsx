import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useChange } from '../../api/changes.ts';
import { owner } from '../../api/client.ts';
import type { Key } from '../../api/generated/owner.ts';
import { keysQuery } from '../../api/queries.ts';
import { askFirst } from '../../components/confirm.tsx';
import { joinTexts } from '../../components/format.ts';
import { Empty, Failure, Panel, Skeletons, Time } from '../../components/page-elements.tsx';
import { State } from '../../components/state.tsx';
import { showToast } from '../../components/toast.tsx';
import { operationName } from '../../components/work.ts';
import { texts } from '../../texts.ts';
import { AddKey, EditKey } from './add-key.tsx';
import { keys as t } from './key-texts.ts';

/** Keys of the owner's tools, each with a button that revokes it. */
export function Keys(): ReactNode {
  const keys = useQuery(keysQuery());
  return (
    <Panel title={t.title} about={t.about} aside={<AddKey />}>
      {keys.isPending && <Skeletons rows={2} />}
      {keys.isError && <Failure error={keys.error} retry={() => void keys.refetch()} />}
      {keys.data?.length === 0 && (
        <Empty icon="key-round" title={t.none}>
          {t.noneHow}
        </Empty>
      )}
      {keys.data && keys.data.length > 0 && (
        <Stack gap="md" component="ul" className="plain-list">
          {keys.data.map((key) => (
            <KeyRow key={key.keyId} entry={key} />
          ))}
        </Stack>
      )}
    </Panel>
  );
}

function KeyRow({ entry }: { entry: Key }) {
  const { keyId, name, shown, scopes, requestsPerMinute, openJobs, expired, expiresAt, lastUsedAt } = entry;
  const revoke = useChange(() => owner.DELETE('/admin/keys/{keyId}', { params: { path: { keyId } } }), {
    renews: [keysQuery().queryKey],
    onDone: () => showToast({ message: t.revoked({ name }) }),
  });
  const confirmKeyRevocation = () =>
    askFirst({
      title: t.revokeTitle({ name }),
      about: t.revokeAbout,
      yes: t.revoke,
      no: texts.common.cancel,
      onYes: () => revoke.mutate(),
    });
  return (
    <Group component="li" justify="space-between" wrap="nowrap" gap="sm">
      <div>
        <Group gap="xs">
          <Text fw={550} className="break">
            {name}
          </Text>
          <Text span ff="monospace" size="sm" c="dimmed">
            {shown}…
          </Text>
          {expired && <State tone="bad">{t.expired}</State>}
        </Group>
        <Text size="sm" className="break">
          {scopesInWords(scopes)}
          {requestsPerMinute !== null && joinTexts(['', t.perMinuteOf({ requests: requestsPerMinute })])}
          {openJobs !== null && joinTexts(['', t.openJobsOf({ jobs: openJobs })])}
        </Text>
        <Text size="xs" c="dimmed">
          {lastUsedAt === null ? (
            t.neverUsed
          ) : (
            <>
              {t.lastUsed} <Time at={lastUsedAt} />
            </>
          )}
          {expiresAt !== null && !expired && (
            <>
              {joinTexts(['', t.expires])} <Time at={expiresAt} />
            </>
          )}
        </Text>
      </div>
      <Group gap={6} flex="none">
        <EditKey entry={entry} />
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t.revokeOf({ name })}
          loading={revoke.isPending}
          onClick={confirmKeyRevocation}
        >
          {t.revoke}
        </Button>
      </Group>
    </Group>
  );
}

function joinGivenParts(parts: readonly (string | null)[]): string {
  return joinTexts(parts.filter((part) => part !== null));
}

/** "May read, run only: Crawl a site". */
function scopesInWords(scopes: readonly string[]): string {
  const words = t.scopes;
  const network = scopes.includes('private-network') ? words.network : null;
  if (scopes.includes('admin')) return joinGivenParts([words.admin, network]);
  const reads = scopes.includes('read');
  const some = scopes.filter((scope) => scope.startsWith('run:')).map((scope) => operationName(scope.slice(4)));
  const runScopeWords = () => {
    if (scopes.includes('run')) return reads ? words.run : words.runAlone;
    if (some.length === 0) return null;
    return (reads ? words.only : words.onlyAlone)({ operations: joinTexts(some) });
  };
  return joinGivenParts([reads ? words.read : null, runScopeWords(), network]);
}
