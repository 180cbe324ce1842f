import { Button, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { FolderWatch, WatchedFile } from '../../api/generated/owner.ts';
import { folderFilesQuery, folderQuery } from '../../api/queries.ts';
import type { Column } from '../../components/data-table.tsx';
import { bytes, number } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { type Fact, Time } from '../../components/page-elements.tsx';
import type { Tone } from '../../components/state.tsx';
import { FolderStateWords, folderName, useFolderActions, workOf } from './folder-words.tsx';
import { FolderForm } from './folders.tsx';
import { folders as texts } from './texts.ts';
import { History, HistoryName, HistoryState, WatchedHead, WatchedPage } from './watched.tsx';

const route = getRouteApi('/watches/folders/$watchId');

/** A watched folder and the history of its files. */
export function FolderPage(): ReactNode {
  const environment = useEnvironment();
  const { watchId } = route.useParams();
  const list = useInfiniteQuery(folderFilesQuery(environment, watchId));
  return (
    <WatchedPage query={useQuery(folderQuery(environment, watchId))}>
      {(folder) => (
        <>
          <FolderHead folder={folder} />
          <History
            list={list}
            rows={list.data?.pages.flatMap((page) => page.files) ?? []}
            columns={COLUMNS}
            rowKey={({ fileId }) => fileId}
            words={{ title: texts.files, more: texts.moreFiles, none: texts.noFiles }}
          />
        </>
      )}
    </WatchedPage>
  );
}

function FolderHead({ folder }: { folder: FolderWatch }) {
  const navigate = route.useNavigate();
  const actions = useFolderActions(folder, () => void navigate({ to: '/watches' }));
  const isBad = ['missing', 'unreadable', 'too_many'].includes(folder.state);
  const isPaused = folder.status === 'paused';
  const facts: Fact[] = [
    { said: folder.path },
    { said: workOf(folder) },
    { said: <FolderStateWords folder={folder} /> },
    ...(folder.message === null ? [] : [{ said: folder.message, tone: isBad ? ('bad' as const) : ('wait' as const) }]),
    ...(folder.settling === 0 ? [] : [{ said: texts.settling(number(folder.settling)) }]),
    ...(folder.resultsPath === null ? [] : [{ said: texts.resultsAt(folder.resultsPath) }]),
  ];
  return (
    <WatchedHead
      {...{ title: folderName(folder), facts, isPaused, actions }}
      form={(close) => <FolderForm folder={folder} onClose={close} />}
    >
      <Button
        leftSection={<Icon name="search" />}
        disabled={isPaused}
        loading={actions.look.isPending}
        onClick={() => actions.look.mutate()}
      >
        {texts.look}
      </Button>
      {folder.counts.failed > 0 && (
        <Button
          variant="default"
          leftSection={<Icon name="rotate-cw" />}
          disabled={isPaused}
          loading={actions.retry.isPending}
          onClick={() => actions.retry.mutate()}
        >
          {texts.retry}
        </Button>
      )}
    </WatchedHead>
  );
}

const TONES: Readonly<Record<WatchedFile['status'], Tone>> = { processing: 'busy', completed: 'good', failed: 'bad' };

const { fileColumns: titles } = texts;

const COLUMNS: readonly Column<WatchedFile>[] = [
  { title: titles.file, cell: ({ path, ...job }) => <HistoryName name={path} {...job} /> },
  { title: titles.size, cell: ({ sizeBytes }) => <Text size="sm">{bytes(sizeBytes)}</Text> },
  {
    title: titles.state,
    cell: ({ status, error }) => <HistoryState tone={TONES[status]} word={texts.fileStates[status]} error={error} />,
  },
  {
    title: titles.results,
    cell: ({ results, resultsError }) => (
      <>
        <Text size="sm">{texts.results[results]}</Text>
        {resultsError !== null && (
          <Text size="xs" c="var(--q-bad)">
            {resultsError}
          </Text>
        )}
      </>
    ),
  },
  { title: titles.found, cell: ({ foundAt }) => <Time at={foundAt} /> },
];
