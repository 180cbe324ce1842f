import { Anchor, Button, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { FolderWatch, WatchedFile } from '../../api/generated/owner.ts';
import { folderFilesQuery, folderQuery } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { bytes, number } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Empty, type Fact, Failure, PageHead, Skeletons, Time } from '../../components/page-elements.tsx';
import { PagedPanel } from '../../components/paged-panel.tsx';
import { State, type Tone } from '../../components/state.tsx';
import { FolderStateWords, folderName, useFolderActions, workOf } from './folder-words.tsx';
import { watches as all, folders as texts } from './texts.ts';

const route = getRouteApi('/watches/folders/$watchId');

/** A watched folder and the history of its files. */
export function FolderPage(): ReactNode {
  const { watchId } = route.useParams();
  const folder = useQuery(folderQuery(useEnvironment(), watchId));
  if (folder.isPending) return <Skeletons rows={6} height={28} />;
  if (folder.isError) return <Failure error={folder.error} retry={() => void folder.refetch()} />;
  return (
    <>
      <FolderHead folder={folder.data} />
      <Files watchId={watchId} />
    </>
  );
}

function FolderHead({ folder }: { folder: FolderWatch }) {
  const navigate = route.useNavigate();
  const actions = useFolderActions(folder, () => void navigate({ to: '/watches' }));
  const isBad = ['missing', 'unreadable', 'too_many'].includes(folder.state);
  const facts: Fact[] = [
    { said: folder.path },
    { said: workOf(folder) },
    { said: <FolderStateWords folder={folder} /> },
    ...(folder.message === null ? [] : [{ said: folder.message, tone: isBad ? ('bad' as const) : ('wait' as const) }]),
    ...(folder.settling === 0 ? [] : [{ said: texts.settling(number(folder.settling)) }]),
    ...(folder.resultsPath === null ? [] : [{ said: texts.resultsAt(folder.resultsPath) }]),
  ];
  const isPaused = folder.status === 'paused';
  return (
    <PageHead title={folderName(folder)} facts={facts}>
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
      <Button
        variant="default"
        leftSection={<Icon name={isPaused ? 'play' : 'pause'} />}
        loading={actions.status.isPending}
        onClick={() => actions.status.mutate()}
      >
        {actions.statusName}
      </Button>
      <Button variant="default" c="var(--q-bad)" leftSection={<Icon name="trash-2" />} onClick={actions.remove}>
        {all.remove}
      </Button>
    </PageHead>
  );
}

function Files({ watchId }: { watchId: string }) {
  const list = useInfiniteQuery(folderFilesQuery(useEnvironment(), watchId));
  const files = list.data?.pages.flatMap((page) => page.files) ?? [];
  return (
    <PagedPanel
      list={list}
      count={files.length}
      title={texts.files}
      more={texts.moreFiles}
      empty={<Empty icon="file-text" title={texts.noFiles} />}
    >
      <DataTable columns={COLUMNS} rows={files} rowKey={({ fileId }) => fileId} />
    </PagedPanel>
  );
}

const TONES: Readonly<Record<WatchedFile['status'], Tone>> = { processing: 'busy', completed: 'good', failed: 'bad' };

const { fileColumns: titles } = texts;

const COLUMNS: readonly Column<WatchedFile>[] = [
  {
    title: titles.file,
    cell: ({ path, jobId, jobKept }) =>
      jobId !== null && jobKept ? (
        <Anchor
          size="sm"
          className="break"
          renderRoot={(props) => <Link {...props} to="/jobs/$jobId" params={{ jobId }} />}
        >
          {path}
        </Anchor>
      ) : (
        <Text size="sm" className="break">
          {path}
        </Text>
      ),
  },
  { title: titles.size, cell: ({ sizeBytes }) => <Text size="sm">{bytes(sizeBytes)}</Text> },
  {
    title: titles.state,
    cell: ({ status, error }) => (
      <>
        <State tone={TONES[status]}>{texts.fileStates[status]}</State>
        {error !== null && (
          <Text size="xs" c="dimmed">
            {error.message}
          </Text>
        )}
      </>
    ),
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
