import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useChange } from '../../api/changes.ts';
import { api, apiPath, useEnvironment } from '../../api/client.ts';
import type { Batch, BatchItem } from '../../api/generated/public.ts';
import { batchesKey, batchQuery } from '../../api/queries.ts';
import { askFirst } from '../../components/confirm.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EntryState, JobLink } from '../../components/history.tsx';
import { Icon } from '../../components/icon.tsx';
import { KeyEnded, keyFacts } from '../../components/made-by-key.tsx';
import { Money } from '../../components/money.tsx';
import { type Fact, Failure, PageHead, Skeletons, Time } from '../../components/page-elements.tsx';
import { PagedPanel } from '../../components/paged-panel.tsx';
import { perLanguage } from '../../language/locale.ts';
import { batches as texts } from './batch-texts.ts';
import { BatchState, batchName, progressOf } from './batch-words.tsx';

const route = getRouteApi('/jobs/batches/$batchId');

/** A batch with its items. */
export function BatchPage(): ReactNode {
  const { batchId } = route.useParams();
  const list = useInfiniteQuery(batchQuery(useEnvironment(), batchId));
  const batch = list.data?.pages[0];
  if (list.isPending) return <Skeletons rows={6} height={28} />;
  if (batch === undefined) return <Failure error={list.error} retry={() => void list.refetch()} />;
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <Head batch={batch} />
      <PagedPanel list={list} count={items.length} title={texts.items} more={texts.moreItems} empty={null}>
        <DataTable columns={COLUMNS()} rows={items} rowKey={({ index }) => String(index)} />
      </PagedPanel>
    </>
  );
}

function Head({ batch }: { batch: Batch }) {
  const environment = useEnvironment();
  const { retry, remove } = useActions(batch);
  const { paid, tags = [], counts, batchId } = batch;
  const isOpen = batch.status === 'processing';
  const facts: Fact[] = [
    { said: <BatchState batch={batch} /> },
    { said: progressOf(batch) },
    { said: paid === null ? texts.free : <Money amount={paid.amount} mode={paid.mode} /> },
    { said: <Time at={batch.createdAt} /> },
    ...keyFacts(batch),
    ...tags.map((tag) => ({ said: tag })),
  ];
  const askToRemove = () =>
    askFirst({
      title: isOpen ? texts.cancelTitle : texts.removeTitle,
      about: isOpen ? texts.cancelAbout : texts.removeAbout,
      yes: isOpen ? texts.cancel : texts.remove,
      no: texts.keep,
      onYes: () => remove.mutate(),
    });
  const removeName = isOpen ? texts.cancel : texts.remove;
  return (
    <>
      <PageHead title={batchName(batch)} facts={facts}>
        {counts.completed > 0 && (
          <Button
            component="a"
            href={apiPath(environment, `/batches/${batchId}/results.zip`)}
            download
            leftSection={<Icon name="download" />}
          >
            {texts.download}
          </Button>
        )}
        {batch.status === 'completed' && counts.failed > 0 && (
          <Button
            variant="default"
            leftSection={<Icon name="rotate-cw" />}
            loading={retry.isPending}
            onClick={() => retry.mutate()}
          >
            {texts.retry}
          </Button>
        )}
        <Button
          variant="default"
          c="var(--q-bad)"
          leftSection={<Icon name={isOpen ? 'x' : 'trash-2'} />}
          loading={remove.isPending}
          onClick={askToRemove}
        >
          {removeName}
        </Button>
      </PageHead>
      <KeyEnded made={batch} takeOver={retry} remove={{ name: removeName, onClick: askToRemove }} />
    </>
  );
}

function useActions({ batchId, status }: Batch) {
  const environment = useEnvironment();
  const navigate = route.useNavigate();
  const params = { path: { batchId } };
  const renews = [batchesKey(environment)];
  const retry = useChange(() => api[environment].POST('/batches/{batchId}/retry', { params }), { renews });
  const onDone = () => {
    if (status !== 'processing') void navigate({ to: '/jobs/batches' });
  };
  const remove = useChange(() => api[environment].DELETE('/batches/{batchId}', { params }), { renews, onDone });
  return { retry, remove };
}

const { itemColumns: titles } = texts;

const COLUMNS = perLanguage((): readonly Column<BatchItem>[] => [
  {
    title: titles.item,
    cell: ({ index, fileName, sourceUrl, jobId }) => (
      <JobLink name={fileName ?? sourceUrl ?? texts.file({ number: String(index + 1) })} jobId={jobId} />
    ),
  },
  { title: titles.state, cell: ({ status, error }) => <EntryState status={status} error={error} /> },
  {
    title: titles.ended,
    align: 'right',
    cell: ({ endedAt }) => (endedAt === null ? '–' : <Time at={endedAt} />),
  },
]);
