import { Anchor, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { Batch } from '../../api/generated/public.ts';
import { batchesQuery } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { joinTexts } from '../../components/format.ts';
import { KeyWords } from '../../components/made-by-key.tsx';
import { Money } from '../../components/money.tsx';
import { Empty, PageHead, Time } from '../../components/page-elements.tsx';
import { PagedPanel } from '../../components/paged-panel.tsx';
import { TableName } from '../../components/table-name.ts';
import { perLanguage } from '../../language/locale.ts';
import { batches as texts } from './batch-texts.ts';
import { BatchState, batchName, progressOf } from './batch-words.tsx';

/** All batches, newest first. */
export function Batches(): ReactNode {
  const list = useInfiniteQuery(batchesQuery(useEnvironment()));
  const batches = list.data?.pages.flatMap((page) => page.batches) ?? [];
  return (
    <>
      <PageHead title={texts.title} />
      <PagedPanel
        list={list}
        count={batches.length}
        more={texts.more}
        empty={
          <Empty icon="layers" title={texts.none}>
            {texts.noneHow}
          </Empty>
        }
      >
        <TableName value={texts.title}>
          <DataTable columns={COLUMNS()} rows={batches} rowKey={({ batchId }) => batchId} />
        </TableName>
      </PagedPanel>
    </>
  );
}

const { columns: titles } = texts;

const COLUMNS = perLanguage((): readonly Column<Batch>[] => [
  {
    title: titles.batch,
    cell: (batch) => (
      <>
        <Anchor
          size="sm"
          fw={550}
          renderRoot={(props) => <Link {...props} to="/jobs/batches/$batchId" params={{ batchId: batch.batchId }} />}
        >
          {batchName(batch)}
        </Anchor>
        <KeyWords made={batch} />
      </>
    ),
  },
  { title: titles.state, cell: (batch) => <BatchState batch={batch} /> },
  { title: titles.items, cell: (batch) => <Text size="sm">{progressOf(batch)}</Text> },
  { title: titles.tags, cell: ({ tags = [] }) => <Text size="sm">{joinTexts(tags)}</Text> },
  {
    title: titles.cost,
    align: 'right',
    cell: ({ paid }) => (paid === null ? texts.free : <Money amount={paid.amount} mode={paid.mode} />),
  },
  { title: titles.made, align: 'right', cell: ({ createdAt }) => <Time at={createdAt} /> },
]);
