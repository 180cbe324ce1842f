import { Anchor, Button, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { Feed, FeedEntry } from '../../api/generated/owner.ts';
import { feedEntriesQuery, feedQuery } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { Empty, type Fact, Failure, PageHead, Skeletons, Time } from '../../components/page-elements.tsx';
import { PagedPanel } from '../../components/paged-panel.tsx';
import { State, type Tone } from '../../components/state.tsx';
import { feedName, feedWork, useFeedActions } from './feed-words.tsx';
import { watches as all, feeds as texts } from './texts.ts';
import { addressOf, scheduleOf } from './watch-words.tsx';

const route = getRouteApi('/watches/feeds/$feedId');

/** A feed and the history of its entries. */
export function FeedPage(): ReactNode {
  const { feedId } = route.useParams();
  const feed = useQuery(feedQuery(useEnvironment(), feedId));
  if (feed.isPending) return <Skeletons rows={6} height={28} />;
  if (feed.isError) return <Failure error={feed.error} retry={() => void feed.refetch()} />;
  return (
    <>
      <FeedHead feed={feed.data} />
      <Entries feedId={feedId} />
    </>
  );
}

function FeedHead({ feed }: { feed: Feed }) {
  const navigate = route.useNavigate();
  const actions = useFeedActions(feed, () => void navigate({ to: '/watches' }));
  const isPaused = feed.status === 'paused';
  const facts: Fact[] = [
    { said: addressOf(feed.url) },
    { said: feedWork(feed) },
    { said: scheduleOf(feed.schedule) },
    ...(feed.error === null ? [] : [{ said: feed.error, tone: 'bad' as const }]),
    isPaused || feed.nextRunAt === null
      ? { said: all.isPaused, tone: 'wait' }
      : {
          said: (
            <>
              {texts.columns.next} <Time at={feed.nextRunAt} />
            </>
          ),
        },
  ];
  return (
    <PageHead title={feedName(feed)} facts={facts}>
      <Button
        leftSection={<Icon name="play" />}
        disabled={isPaused}
        loading={actions.run.isPending}
        onClick={() => actions.run.mutate()}
      >
        {texts.read}
      </Button>
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

function Entries({ feedId }: { feedId: string }) {
  const list = useInfiniteQuery(feedEntriesQuery(useEnvironment(), feedId));
  const entries = list.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <PagedPanel
      list={list}
      count={entries.length}
      title={texts.entries}
      more={texts.moreEntries}
      empty={<Empty icon="file-text" title={texts.noEntries} />}
    >
      <DataTable columns={COLUMNS} rows={entries} rowKey={({ entryId }) => entryId} />
    </PagedPanel>
  );
}

const TONES: Readonly<Record<FeedEntry['status'], Tone>> = {
  waiting: 'idle',
  processing: 'busy',
  completed: 'good',
  failed: 'bad',
  skipped: 'idle',
};

const { entryColumns: titles } = texts;

const COLUMNS: readonly Column<FeedEntry>[] = [
  {
    title: titles.entry,
    cell: ({ title, url, jobId, jobKept }) =>
      jobId !== null && jobKept ? (
        <Anchor
          size="sm"
          className="break"
          renderRoot={(props) => <Link {...props} to="/jobs/$jobId" params={{ jobId }} />}
        >
          {title ?? url}
        </Anchor>
      ) : (
        <Text size="sm" className="break">
          {title ?? url ?? texts.noTitle}
        </Text>
      ),
  },
  { title: titles.published, cell: ({ publishedAt }) => (publishedAt === null ? '–' : <Time at={publishedAt} />) },
  {
    title: titles.state,
    cell: ({ status, error }) => (
      <>
        <State tone={TONES[status]}>{texts.states[status]}</State>
        {error !== null && (
          <Text size="xs" c="dimmed">
            {error.message}
          </Text>
        )}
      </>
    ),
  },
  { title: titles.found, cell: ({ foundAt }) => <Time at={foundAt} /> },
];
