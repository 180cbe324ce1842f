import { Anchor, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { SiteWatch } from '../../api/generated/owner.ts';
import { jobRecordQuery, watchesQuery } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { number } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { KeyWords } from '../../components/made-by-key.tsx';
import { Empty, type Fact, Failure, PageHead, Panel, Skeletons, Time } from '../../components/page-elements.tsx';
import { AddFeed, FeedPanel } from './feeds.tsx';
import { AddFolder, FolderPanel } from './folders.tsx';
import { watches as texts } from './texts.ts';
import { useWatchActions } from './watch-actions.tsx';
import { WatchDialog } from './watch-form.tsx';
import { addressOf, changesOf, nameOf, RunState, scheduleOf } from './watch-words.tsx';

const route = getRouteApi('/watches');

export function Watches(): ReactNode {
  const environment = useEnvironment();
  const { from } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useQuery(watchesQuery(environment));
  const [adding, setAdding] = useState(false);
  const crawl = useCrawlOf(from);
  const watches = list.data?.watches ?? [];
  const close = () => {
    setAdding(false);
    if (from !== undefined) void navigate({ search: {} });
  };
  return (
    <>
      <PageHead title={texts.title} facts={factsOf(watches)}>
        <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
          {texts.add}
        </Button>
        <AddFolder />
        <AddFeed />
      </PageHead>
      <Panel title={texts.sites}>
        {list.isPending && <Skeletons rows={6} height={28} />}
        {list.isError && <Failure error={list.error} retry={() => void list.refetch()} />}
        {list.data && watches.length === 0 && (
          <Empty icon="eye" title={texts.none}>
            {texts.noneHow}
          </Empty>
        )}
        {watches.length > 0 && <DataTable wide columns={COLUMNS} rows={watches} rowKey={({ watchId }) => watchId} />}
      </Panel>
      <FolderPanel />
      <FeedPanel />
      <WatchDialog opened={adding || crawl !== undefined} crawl={crawl} onClose={close} />
    </>
  );
}

/** What the crawl of a job read, for a new watch; undefined until it is known. */
function useCrawlOf(jobId: string | undefined): Partial<SiteWatch['crawl']> | undefined {
  const environment = useEnvironment();
  const record = useQuery({ ...jobRecordQuery(environment, jobId ?? ''), enabled: jobId !== undefined });
  if (jobId === undefined || record.data === undefined) return undefined;
  const { map: _, maxAge: __, priority: ___, notify: ____, webhookUrl: _____, ...crawl } = record.data.request;
  return crawl as Partial<SiteWatch['crawl']>;
}

function factsOf(watches: readonly SiteWatch[]): Fact[] {
  if (watches.length === 0) return [];
  const paused = watches.filter(({ status }) => status === 'paused').length;
  return [
    { said: texts.count(number(watches.length)) },
    ...(paused > 0 ? [{ said: texts.paused(number(paused)) }] : []),
  ];
}

const { columns: titles } = texts;

const COLUMNS: readonly Column<SiteWatch>[] = [
  {
    title: titles.site,
    cell: (watch) => (
      <>
        <Anchor
          size="sm"
          fw={550}
          className="truncate"
          maw={320}
          renderRoot={(props) => <Link {...props} to="/watches/$watchId" params={{ watchId: watch.watchId }} />}
        >
          {nameOf(watch)}
        </Anchor>
        {watch.name !== null && (
          <div className="endpoint-address truncate" title={watch.crawl.url}>
            {addressOf(watch.crawl.url)}
          </div>
        )}
        <KeyWords made={watch} />
      </>
    ),
  },
  { title: titles.schedule, cell: ({ schedule }) => <Text size="sm">{scheduleOf(schedule)}</Text> },
  {
    title: titles.last,
    cell: ({ lastRun }) =>
      lastRun === null ? (
        texts.noRun
      ) : (
        <>
          <RunState run={lastRun} />
          <Text size="xs" c="dimmed">
            <Time at={lastRun.endedAt ?? lastRun.startedAt} />
          </Text>
        </>
      ),
  },
  {
    title: titles.changes,
    cell: ({ lastRun, lastChangeAt }) => (
      <>
        <Text size="sm">{(lastRun && changesOf(lastRun)) ?? '–'}</Text>
        {lastChangeAt !== null && (
          <Text size="xs" c="dimmed">
            <Time at={lastChangeAt} />
          </Text>
        )}
      </>
    ),
  },
  {
    title: titles.next,
    cell: ({ nextRunAt }) => <Text size="sm">{nextRunAt === null ? texts.isPaused : <Time at={nextRunAt} />}</Text>,
  },
  { title: texts.actions, titleHidden: true, cell: (watch) => <WatchActions watch={watch} /> },
];

function WatchActions({ watch }: { watch: SiteWatch }) {
  const { isRunning, run, status, statusName } = useWatchActions(watch);
  const name = nameOf(watch);
  return (
    <Group gap={6} wrap="wrap" justify="flex-end">
      <Button
        size="compact-sm"
        variant="default"
        disabled={isRunning}
        loading={run.isPending}
        aria-label={texts.of(texts.run, name)}
        onClick={() => run.mutate()}
      >
        {texts.run}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        loading={status.isPending}
        aria-label={texts.of(statusName, name)}
        onClick={() => status.mutate()}
      >
        {statusName}
      </Button>
    </Group>
  );
}
