import { Group, NumberInput, Select, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { owner, queryIn, useEnvironment } from '../../api/client.ts';
import type { Feed } from '../../api/generated/owner.ts';
import { feedsQuery, watchesKey } from '../../api/queries.ts';
import type { Column } from '../../components/data-table.tsx';
import { KeyWords } from '../../components/made-by-key.tsx';
import { Time } from '../../components/page-elements.tsx';
import { AddButton } from './add-button.tsx';
import { entryCounts, feedName, feedWork, useFeedActions } from './feed-words.tsx';
import { type Recipe, sentRecipe } from './recipe-fields.tsx';
import { watches as all, feeds as texts } from './texts.ts';
import { addressOf, everyWords, scheduleOf } from './watch-words.tsx';
import { RowActions, WatchedForm, WatchedName, WatchedPanel } from './watched.tsx';

const INTERVALS = [15, 60, 360, 720, 1440, 10_080];

/** The feeds, on the page of all watches. */
export function FeedPanel(): ReactNode {
  const list = useQuery(feedsQuery(useEnvironment()));
  return (
    <WatchedPanel
      {...{ title: texts.title, none: texts.none, noneHow: texts.noneHow, list, columns: COLUMNS }}
      rows={list.data?.feeds ?? []}
      rowKey={({ feedId }) => feedId}
    />
  );
}

const { columns: titles } = texts;

const COLUMNS: readonly Column<Feed>[] = [
  {
    title: titles.feed,
    cell: (feed) => (
      <>
        <WatchedName
          name={feedName(feed)}
          place={addressOf(feed.url)}
          link={{ to: '/watches/feeds/$feedId', params: { feedId: feed.feedId } }}
        />
        <KeyWords made={feed} />
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
  const isPaused = feed.status === 'paused';
  const actions = [
    { label: texts.read, isPending: run.isPending, isDisabled: isPaused, onClick: () => run.mutate() },
    { label: statusName, isPending: status.isPending, onClick: () => status.mutate() },
  ];
  return <RowActions of={feedName(feed)} actions={actions} />;
}

/** The button that opens the form. */
export function AddFeed(): ReactNode {
  return <AddButton label={texts.add} form={(close) => <FeedForm onClose={close} />} />;
}

interface Entered {
  name: string;
  url: string;
  recipe: Recipe;
  first: number;
  everyMinutes: number;
}

const EMPTY: Entered = {
  name: '',
  url: '',
  recipe: { operation: 'extract/video', request: {} },
  first: 3,
  everyMinutes: 60,
};

function enteredOf({ name, url, recipe, first, schedule }: Feed): Entered {
  return { name: name ?? '', url, recipe, first, everyMinutes: schedule.everyMinutes };
}

/** Of a site, a crawl reads the page of the entry alone. */
const REQUESTS = { crawl: { depth: 0 } };

const WORDS = { work: texts.form.work, works: texts.works, nameHint: texts.form.nameHint };

/** @param feed to change; absent for a new one */
export function FeedForm({ feed, onClose }: { feed?: Feed; onClose: () => void }): ReactNode {
  const [entered, setEntered] = useState(() => (feed === undefined ? EMPTY : enteredOf(feed)));
  const save = useSave(feed, onClose);
  const t = texts.form;
  return (
    <WatchedForm
      {...{ entered, setEntered, save, onClose, requests: REQUESTS }}
      fields={['url', 'first', 'schedule']}
      words={{ ...WORDS, submit: feed === undefined ? t.follow : all.save }}
      source={(errors) =>
        feed === undefined && (
          <TextInput
            label={t.url}
            description={t.urlHint}
            placeholder="https://"
            required
            data-autofocus
            value={entered.url}
            error={errors.url}
            onChange={(event) => setEntered({ ...entered, url: event.currentTarget.value })}
          />
        )
      }
    >
      {(errors) => (
        <>
          <Group grow align="flex-start">
            {feed === undefined && (
              <NumberInput
                label={t.first}
                min={0}
                max={100}
                allowDecimal={false}
                value={entered.first}
                error={errors.first}
                onChange={(value) => setEntered({ ...entered, first: Number(value) })}
              />
            )}
            <Select
              label={t.every}
              data={intervalsWith(entered.everyMinutes)}
              value={String(entered.everyMinutes)}
              allowDeselect={false}
              onChange={(value) => setEntered({ ...entered, everyMinutes: Number(value) })}
            />
          </Group>
          {feed !== undefined && (
            <Text size="sm" c="dimmed">
              {t.fromNowOn}
            </Text>
          )}
        </>
      )}
    </WatchedForm>
  );
}

/** A feed may have an interval of its own. */
function intervalsWith(minutes: number) {
  const all = [...new Set([...INTERVALS, minutes])].sort((one, other) => one - other);
  return all.map((value) => ({ value: String(value), label: everyWords(value) }));
}

function useSave(feed: Feed | undefined, onDone: () => void) {
  const environment = useEnvironment();
  const query = queryIn(environment, {});
  return useChange(
    ({ name, url, recipe, first, everyMinutes }: Entered) => {
      const named = name.trim() === '' ? null : name;
      const takes = recipe.operation === 'crawl' ? ('link' as const) : ('auto' as const);
      const common = {
        recipe: sentRecipe(recipe),
        schedule: { everyMinutes, timeOfDay: feed?.schedule.timeOfDay ?? null },
      };
      if (feed === undefined) {
        const body = { ...common, url: url.trim(), takes, first, ...(named === null ? {} : { name: named }) };
        return owner.POST('/admin/feeds', { params: { query }, body });
      }
      const params = { path: { feedId: feed.feedId }, query };
      // What is taken of an entry follows from the operation.
      const taken = recipe.operation === feed.recipe.operation ? {} : { takes };
      return owner.PATCH('/admin/feeds/{feedId}', { params, body: { ...common, ...taken, name: named } });
    },
    { renews: [watchesKey(environment)], onDone, showsError: true },
  );
}
