import { ActionIcon, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { pageQueryOptions, useChange } from '../../api/changes.ts';
import { owner, queryIn, useEnvironment } from '../../api/client.ts';
import type { LibraryMirror } from '../../api/generated/owner.ts';
import { collectionsQuery, mirrorsKey } from '../../api/library.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { joinTexts } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Failure, Panel, Rows, Skeletons, Time } from '../../components/page-elements.tsx';
import { State } from '../../components/state.tsx';
import { filterWords } from '../library/filter-bar.tsx';
import { mirrors as t } from './connection-texts.ts';

/** A first run may take minutes. */
const WAITING_INTERVAL_MS = 2000;

const mirrorsQuery = (environment: EnvironmentName) => ({
  ...pageQueryOptions(mirrorsKey(environment), (signal) =>
    owner.GET('/admin/library/mirrors', { params: { query: queryIn(environment, {}) }, signal }),
  ),
  refetchInterval: ({ state: { data } }: { state: { data: { mirrors: LibraryMirror[] } | undefined } }) =>
    data?.mirrors.some(({ state }) => state === 'waiting') === true ? WAITING_INTERVAL_MS : (false as const),
});

/** Folders that stay in step with the library: how each stands, and its end. */
export function Mirrors() {
  const environment = useEnvironment();
  const listed = useQuery(mirrorsQuery(environment));
  if (listed.isError) return <Failure error={listed.error} retry={() => void listed.refetch()} />;
  if (listed.data === undefined) return <Skeletons rows={2} />;
  const { mirrors } = listed.data;
  return (
    <Panel title={t.title} about={t.about}>
      {mirrors.length === 0 && <Text size="sm">{t.none}</Text>}
      {mirrors.length > 0 && (
        <Rows label={t.title}>
          {mirrors.map((mirror) => (
            <Mirror key={mirror.mirrorId} mirror={mirror} />
          ))}
        </Rows>
      )}
    </Panel>
  );
}

function Mirror({ mirror }: { mirror: LibraryMirror }) {
  const { mirrorId, path, filter, state, message, kept, keptCount, syncedAt } = mirror;
  const environment = useEnvironment();
  const renews = [mirrorsKey(environment)];
  const place = { params: { path: { mirrorId }, query: queryIn(environment, {}) } };
  const sync = useChange(() => owner.POST('/admin/library/mirrors/{mirrorId}/sync', place), { renews });
  const end = useChange(() => owner.DELETE('/admin/library/mirrors/{mirrorId}', place), { renews });
  const { data: collections = [] } = useQuery(collectionsQuery(environment));
  const names = new Map(collections.map(({ collectionId, name }) => [collectionId, name]));
  const words = filterWords(filter, names).map(({ label, value }) => `${label}: ${value}`);
  return (
    <li>
      <span className="grow">
        <span className="break">
          <bdi dir="ltr">{path}</bdi>
        </span>
        <span className="small dim">{words.length === 0 ? t.all : joinTexts(words)}</span>
        {state === 'ok' && syncedAt !== null && (
          <span className="small dim">
            {t.inStep} <Time at={syncedAt} />
          </span>
        )}
        {state === 'waiting' && <State tone="busy">{t.writing}</State>}
        {state === 'failed' && <State tone="bad">{message ?? t.failed}</State>}
        {keptCount > 0 && (
          <details className="small">
            <summary>{t.kept({ count: keptCount })}</summary>
            {kept.map((name) => (
              <div key={name} className="break">
                {name}
              </div>
            ))}
          </details>
        )}
      </span>
      <Button size="xs" variant="subtle" loading={sync.isPending} onClick={() => sync.mutate()}>
        {t.now}
      </Button>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t.end({ path })}
        title={t.end({ path })}
        loading={end.isPending}
        onClick={() => end.mutate()}
      >
        <Icon name="x" />
      </ActionIcon>
    </li>
  );
}
