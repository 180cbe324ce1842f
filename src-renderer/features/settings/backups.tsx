import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { pageQueryOptions, useChange } from '../../api/changes.ts';
import { owner } from '../../api/client.ts';
import { Code } from '../../components/code.tsx';
import { Icon } from '../../components/icon.tsx';
import { Failure, Panel, Rows, Skeletons, Time } from '../../components/page-elements.tsx';
import { State } from '../../components/state.tsx';
import { backups as t } from './connection-texts.ts';

const SHOWN = 5;

/** While one is made, its end is looked for. */
const MAKING_INTERVAL_MS = 1000;

const backupsQuery = () => ({
  ...pageQueryOptions(['backups'], (signal) => owner.GET('/admin/backups', { signal })),
  refetchInterval: ({ state }: { state: { data: { isMaking: boolean } | undefined } }) =>
    state.data?.isMaking === true ? MAKING_INTERVAL_MS : (false as const),
});

/** The backups that are there, one on demand, and how one is put back. */
export function Backups() {
  const backups = useQuery(backupsQuery());
  const make = useChange(() => owner.POST('/admin/backups', {}), { renews: [backupsQuery().queryKey] });
  if (backups.isError) return <Failure error={backups.error} retry={() => void backups.refetch()} />;
  if (backups.data === undefined) return <Skeletons rows={3} />;
  const { folder, isReadable, isMaking, failure, backups: all } = backups.data;
  const [newest] = all;
  return (
    <>
      <Panel title={t.title} about={t.about}>
        <Stack gap="sm" align="flex-start">
          {folder === null ? <Text size="sm">{t.noFolder}</Text> : <Text size="sm">{t.into(folder)}</Text>}
          {!isReadable && <State tone="bad">{t.unreadable}</State>}
          {failure !== null && <State tone="bad">{failure}</State>}
          {isMaking && <State tone="busy">{t.making}</State>}
          {all.length > 0 && (
            <Rows label={t.title}>
              {all.slice(0, SHOWN).map(({ name, createdAt }) => (
                <li key={name}>
                  <span className="grow break small">{name}</span>
                  <span className="small dim nowrap">
                    <Time at={createdAt} />
                  </span>
                </li>
              ))}
            </Rows>
          )}
          {all.length > SHOWN && <Text size="sm">{t.older(all.length - SHOWN)}</Text>}
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
      {folder !== null && newest !== undefined && (
        <Panel title={t.restore} about={t.restoreAbout}>
          <Code value={`npm run quarry -- restore "${folder}/${newest.name}"`} label={t.restore} />
        </Panel>
      )}
    </>
  );
}
