import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { Feed, FeedEntry } from '../../api/generated/owner.ts';
import { feedEntriesQuery, feedQuery } from '../../api/queries.ts';
import type { Column } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { KeyEnded, keyFacts } from '../../components/made-by-key.tsx';
import { type Fact, Time } from '../../components/page-elements.tsx';
import type { Tone } from '../../components/state.tsx';
import { feedName, feedWork, useFeedActions } from './feed-words.tsx';
import { FeedForm } from './feeds.tsx';
import { watches as all, feeds as texts } from './texts.ts';
import { addressOf, scheduleOf } from './watch-words.tsx';
import { History, HistoryName, HistoryState, WatchedHead, WatchedPage } from './watched.tsx';

const route = getRouteApi('/watches/feeds/$feedId');

/** A feed and the history of its entries. */
export function FeedPage(): ReactNode {
  const environment = useEnvironment();
  const { feedId } = route.useParams();
  const list = useInfiniteQuery(feedEntriesQuery(environment, feedId));
  return (
    <WatchedPage query={useQuery(feedQuery(environment, feedId))}>
      {(feed) => (
        <>
          <FeedHead feed={feed} />
          <History
            list={list}
            rows={list.data?.pages.flatMap((page) => page.entries) ?? []}
            columns={COLUMNS}
            rowKey={({ entryId }) => entryId}
            words={{ title: texts.entries, more: texts.moreEntries, none: texts.noEntries }}
          />
        </>
      )}
    </WatchedPage>
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
    ...keyFacts(feed),
  ];
  return (
    <>
      <WatchedHead
        {...{ title: feedName(feed), facts, isPaused, actions }}
        form={(close) => <FeedForm feed={feed} onClose={close} />}
      >
        <Button
          leftSection={<Icon name="play" />}
          disabled={isPaused}
          loading={actions.run.isPending}
          onClick={() => actions.run.mutate()}
        >
          {texts.read}
        </Button>
      </WatchedHead>
      <KeyEnded made={feed} takeOver={actions.status} remove={{ name: all.remove, onClick: actions.remove }} />
    </>
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
    cell: ({ title, url, ...job }) => <HistoryName name={title ?? url ?? texts.noTitle} {...job} />,
  },
  { title: titles.published, cell: ({ publishedAt }) => (publishedAt === null ? '–' : <Time at={publishedAt} />) },
  {
    title: titles.state,
    cell: ({ status, error }) => <HistoryState tone={TONES[status]} word={texts.states[status]} error={error} />,
  },
  { title: titles.found, cell: ({ foundAt }) => <Time at={foundAt} /> },
];
