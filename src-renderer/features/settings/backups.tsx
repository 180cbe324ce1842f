import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { pageQueryOptions, useChange } from '../../api/changes.ts';
import { owner } from '../../api/client.ts';
import type { BackupsView } from '../../api/generated/owner.ts';
import { Code } from '../../components/code.tsx';
import { askFirst } from '../../components/confirm.tsx';
import { fullTime } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Failure, Panel, Rows, Skeletons } from '../../components/page-elements.tsx';
import { State } from '../../components/state.tsx';
import { serverText } from '../../language/server-texts.ts';
import { backups as t } from './connection-texts.ts';

const SHOWN = 5;

/** While one is made or checked, its end is looked for. */
const MAKING_INTERVAL_MS = 1000;

const backupsQuery = () => ({
  ...pageQueryOptions(['backups'], (signal) => owner.GET('/admin/backups', { signal })),
  refetchInterval: ({ state: { data } }: { state: { data: BackupsView | undefined } }) =>
    data?.isMaking === true || data?.restore?.state === 'preparing' ? MAKING_INTERVAL_MS : (false as const),
});

/** The backups that are there, one on demand, and how one is brought back. */
export function Backups() {
  const backups = useQuery(backupsQuery());
  const make = useChange(() => owner.POST('/admin/backups', {}), { renews: [backupsQuery().queryKey] });
  if (backups.isError) return <Failure error={backups.error} retry={() => void backups.refetch()} />;
  if (backups.data === undefined) return <Skeletons rows={3} />;
  const { folder, isReadable, isMaking, failure } = backups.data;
  return (
    <>
      <Panel title={t.title} about={t.about}>
        <Stack gap="sm" align="flex-start">
          {folder === null ? <Text size="sm">{t.noFolder}</Text> : <Text size="sm">{t.into({ folder })}</Text>}
          {!isReadable && <State tone="bad">{t.unreadable}</State>}
          {failure !== null && <State tone="bad">{serverText(failure)}</State>}
          {isMaking && <State tone="busy">{t.making}</State>}
          <Button
            variant="default"
            leftSection={<Icon name="archive" />}
            disabled={folder === null}
            loading={make.isPending || isMaking}
            onClick={() => make.mutate()}
          >
            {t.now}
          </Button>
        </Stack>
      </Panel>
      <Restore view={backups.data} />
    </>
  );
}

/** Each backup with the way back to it; the one that is chosen takes effect at the next start. */
function Restore({ view: { backups, isMaking, restore, replaced } }: { view: BackupsView }) {
  const renews = [backupsQuery().queryKey];
  const start = useChange((name: string) => owner.POST('/admin/backups/restore', { body: { name } }), { renews });
  const cancel = useChange(() => owner.DELETE('/admin/backups/restore', {}), { renews });
  const [isLong, setLong] = useState(false);
  if (backups.length === 0 && restore === null && replaced.length === 0) return null;
  const ask = ({ name, createdAt }: BackupsView['backups'][number]) => {
    const when = fullTime(createdAt);
    askFirst({
      title: t.ask({ when }),
      about: t.askAbout({ when }),
      yes: t.yes,
      no: t.no,
      onYes: () => start.mutate(name),
    });
  };
  const isBusy = isMaking || start.isPending || restore?.state === 'preparing';
  const shown = isLong ? backups : backups.slice(0, SHOWN);
  return (
    <Panel title={t.restore} about={t.restoreAbout}>
      <Stack gap="sm" align="stretch">
        {restore !== null && <Restoring restore={restore} onCancel={() => cancel.mutate()} />}
        <Rows label={t.restore}>
          {shown.map((backup) => (
            <li key={backup.name}>
              <span className="grow break small">
                {fullTime(backup.createdAt)} <span className="dim">{backup.name}</span>
              </span>
              <Button
                size="xs"
                variant="subtle"
                leftSection={<Icon name="history" size={14} />}
                aria-label={t.restoreOf({ name: backup.name })}
                disabled={isBusy}
                onClick={() => ask(backup)}
              >
                {t.choose}
              </Button>
            </li>
          ))}
        </Rows>
        {backups.length > shown.length && (
          <Button size="xs" variant="subtle" onClick={() => setLong(true)}>
            {t.older({ count: backups.length - shown.length })}
          </Button>
        )}
        {replaced.length > 0 && (
          <>
            <Text size="sm" c="dimmed">
              {t.replaced}
            </Text>
            {replaced.map((path) => (
              <Code key={path} value={path} label={t.replaced} />
            ))}
          </>
        )}
      </Stack>
    </Panel>
  );
}

function Restoring({ restore, onCancel }: { restore: NonNullable<BackupsView['restore']>; onCancel: () => void }) {
  const { name, state, failure } = restore;
  if (state === 'preparing') return <State tone="busy">{t.preparing}</State>;
  if (state === 'failed') return <State tone="bad">{t.failed({ name, why: serverText(failure ?? '') })}</State>;
  return (
    <div>
      <State tone="warn">{t.ready({ name })}</State>
      <Button size="xs" variant="default" mt="xs" onClick={onCancel}>
        {t.cancel}
      </Button>
    </div>
  );
}
