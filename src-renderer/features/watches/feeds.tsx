import { Anchor, Button, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { fieldErrors, owner, queryIn, useEnvironment } from '../../api/client.ts';
import type { Feed } from '../../api/generated/owner.ts';
import { feedsQuery, watchesKey } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Empty, Failure, Panel, Skeletons, Time } from '../../components/page-elements.tsx';
import { texts as common } from '../../texts.ts';
import { AddButton } from './add-button.tsx';
import { entryCounts, feedName, feedWork, useFeedActions } from './feed-words.tsx';
import { watches as all, feeds as texts } from './texts.ts';
import { addressOf, everyWords, scheduleOf } from './watch-words.tsx';

const INTERVALS = [15, 60, 360, 720, 1440, 10_080];

/** The feeds, on the page of all watches. */
export function FeedPanel(): ReactNode {
  const list = useQuery(feedsQuery(useEnvironment()));
  const feeds = list.data?.feeds ?? [];
  return (
    <Panel title={texts.title}>
      {list.isPending && <Skeletons rows={3} height={28} />}
      {list.isError && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.data && feeds.length === 0 && (
        <Empty icon="eye" title={texts.none}>
          {texts.noneHow}
        </Empty>
      )}
      {feeds.length > 0 && <DataTable columns={COLUMNS} rows={feeds} rowKey={({ feedId }) => feedId} />}
    </Panel>
  );
}

const { columns: titles } = texts;

const COLUMNS: readonly Column<Feed>[] = [
  {
    title: titles.feed,
    cell: (feed) => (
      <>
        <Anchor
          size="sm"
          fw={550}
          className="truncate"
          maw={320}
          renderRoot={(props) => <Link {...props} to="/watches/feeds/$feedId" params={{ feedId: feed.feedId }} />}
        >
          {feedName(feed)}
        </Anchor>
        <div className="endpoint-address truncate" title={feed.url}>
          {addressOf(feed.url)}
        </div>
      </>
    ),
  },
  {
    title: titles.work,
    cell: (feed) => (
      <>
        <Text size="sm">{feedWork(feed)}</Text>
        <Text size="xs" c="dimmed">
          {scheduleOf(feed.schedule)}
        </Text>
      </>
    ),
  },
  {
    title: titles.entries,
    cell: (feed) => (
      <>
        <Text size="sm">{entryCounts(feed)}</Text>
        {feed.error !== null && (
          <Text size="xs" c="var(--q-bad)">
            {feed.error}
          </Text>
        )}
      </>
    ),
  },
  {
    title: titles.next,
    cell: ({ nextRunAt }) => <Text size="sm">{nextRunAt === null ? all.isPaused : <Time at={nextRunAt} />}</Text>,
  },
  { title: all.actions, titleHidden: true, cell: (feed) => <FeedActions feed={feed} /> },
];

function FeedActions({ feed }: { feed: Feed }) {
  const { run, status, statusName } = useFeedActions(feed);
  return (
    <Group gap={6} wrap="wrap" justify="flex-end">
      <Button
        size="compact-sm"
        variant="default"
        disabled={feed.status === 'paused'}
        loading={run.isPending}
        aria-label={all.of(texts.read, feedName(feed))}
        onClick={() => run.mutate()}
      >
        {texts.read}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        loading={status.isPending}
        aria-label={all.of(statusName, feedName(feed))}
        onClick={() => status.mutate()}
      >
        {statusName}
      </Button>
    </Group>
  );
}

/** The button that opens the form. */
export function AddFeed(): ReactNode {
  return <AddButton label={texts.add} form={(close) => <FeedForm onClose={close} />} />;
}

interface Entered {
  name: string;
  url: string;
  operation: string;
  first: number;
  everyMinutes: number;
}

const EMPTY: Entered = { name: '', url: '', operation: 'extract/video', first: 3, everyMinutes: 60 };

/** Fields that show their own errors. */
const FIELDS = ['url', 'name', 'first', 'recipe.operation'];

function FeedForm({ onClose }: { onClose: () => void }) {
  const [entered, setEntered] = useState(EMPTY);
  const save = useSave(onClose);
  const refused = fieldErrors(save.error);
  const t = texts.form;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(entered);
      }}
    >
      <Stack>
        <TextInput
          label={t.url}
          description={t.urlHint}
          placeholder="https://"
          required
          data-autofocus
          value={entered.url}
          error={refused.url}
          onChange={(event) => setEntered({ ...entered, url: event.currentTarget.value })}
        />
        <Select
          label={t.work}
          data={Object.entries(texts.works).map(([value, label]) => ({ value, label }))}
          value={entered.operation}
          allowDeselect={false}
          error={refused['recipe.operation']}
          onChange={(value) => setEntered({ ...entered, operation: value ?? EMPTY.operation })}
        />
        <Group grow align="flex-start">
          <NumberInput
            label={t.first}
            min={0}
            max={100}
            allowDecimal={false}
            value={entered.first}
            error={refused.first}
            onChange={(value) => setEntered({ ...entered, first: Number(value) })}
          />
          <Select
            label={t.every}
            data={INTERVALS.map((value) => ({ value: String(value), label: everyWords(value) }))}
            value={String(entered.everyMinutes)}
            allowDeselect={false}
            onChange={(value) => setEntered({ ...entered, everyMinutes: Number(value) })}
          />
        </Group>
        <TextInput
          label={all.form.name}
          description={t.nameHint}
          value={entered.name}
          error={refused.name}
          onChange={(event) => setEntered({ ...entered, name: event.currentTarget.value })}
        />
        {save.isError && !FIELDS.some((field) => refused[field] !== undefined) && <Failure error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.common.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t.follow}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useSave(onDone: () => void) {
  const environment = useEnvironment();
  const query = queryIn(environment, {});
  return useChange(
    ({ name, url, operation, first, everyMinutes }: Entered) => {
      // Of a site, a crawl reads the page of the entry alone.
      const request = operation === 'crawl' ? { depth: 0 } : {};
      const takes = operation === 'crawl' ? ('link' as const) : ('auto' as const);
      const schedule = { everyMinutes, timeOfDay: null };
      const named = name.trim() === '' ? {} : { name };
      const body = { url: url.trim(), recipe: { operation, request }, takes, first, schedule, ...named };
      return owner.POST('/admin/feeds', { params: { query }, body });
    },
    { renews: [watchesKey(environment)], onDone, showsError: true },
  );
}
