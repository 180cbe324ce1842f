import '../../styles/watches.css';
import { Group, NumberInput, Text, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Feed, FeedEntry } from '../../api/generated/owner.ts';
import type { Column } from '../../components/data-table.tsx';
import { formatWholeNumber, joinTexts } from '../../components/format.ts';
import { EntryState, JobLink, TwoLines } from '../../components/history.tsx';
import { Time } from '../../components/page-elements.tsx';
import { eachName, operationOf, workOfOperation } from '../../components/work.ts';
import { perLanguage } from '../../language/locale.ts';
import { serverText } from '../../language/server-texts.ts';
import { type Recipe, RecipeFields, sentRecipe } from './recipe-fields.tsx';
import { AddButton, IntervalField, SourceForm, sentName } from './source-form.tsx';
import { type SourceKind, useSaveSource } from './source-kind.ts';
import { History, NextRun, nextFact, SourcePage } from './sources.tsx';
import { watches as all, folders, feeds as texts } from './texts.ts';
import { scheduleOf, shortWatchAddress } from './watch-words.tsx';

const INTERVALS = [15, 60, 360, 720, 1440, 10_080];

function feedWorkText({ recipe }: Feed): string {
  return eachName(recipe.operation);
}

function countsOf({ counts }: Feed): string {
  const said = folders.counts({ done: formatWholeNumber(counts.completed), failed: counts.failed });
  const open = counts.waiting + counts.processing;
  return open === 0 ? said : joinTexts([said, folders.open({ count: formatWholeNumber(open) })]);
}

export const FEEDS = perLanguage(
  (): SourceKind<Feed> => ({
    path: 'feeds',
    idOf: ({ feedId }) => feedId,
    nameOf: ({ name, title, url }) => name ?? title ?? shortWatchAddress(url),
    placeOf: ({ url }) => shortWatchAddress(url),
    linkOf: ({ feedId }) => ({ to: '/watches/feeds/$feedId', params: { feedId } }),
    factsOf: (feed) => [
      { said: shortWatchAddress(feed.url) },
      { said: feedWorkText(feed) },
      { said: scheduleOf(feed.schedule) },
      ...(feed.error === null ? [] : [{ said: serverText(feed.error), tone: 'bad' } as const]),
      nextFact(texts.columns.next, feed),
    ],
    columns: [
      {
        title: texts.columns.work,
        cell: (feed) => <TwoLines first={feedWorkText(feed)} second={scheduleOf(feed.schedule)} />,
      },
      {
        title: texts.columns.entries,
        cell: (feed) => <TwoLines first={countsOf(feed)} second={feed.error} c="var(--q-bad)" />,
      },
      { title: texts.columns.next, cell: ({ nextRunAt }) => <NextRun at={nextRunAt} /> },
    ],
    actions: [
      {
        path: 'run',
        label: texts.read,
        icon: 'play',
        done: texts.started,
        isDisabled: ({ status }) => status === 'paused',
        inList: true,
      },
    ],
    words: { ...texts, one: texts.columns.feed },
    removeAbout: (feed) => texts.removeAbout({ name: FEEDS().nameOf(feed) }),
    form: (feed, close) => <FeedForm feed={feed} onClose={close} />,
  }),
);

const route = getRouteApi('/watches/feeds/$feedId');

/** A feed and the history of its entries. */
export function FeedPage(): ReactNode {
  const { feedId } = route.useParams();
  return (
    <SourcePage kind={FEEDS()} id={feedId}>
      {() => (
        <History<FeedEntry>
          {...{ path: 'feeds', id: feedId, list: 'entries', columns: ENTRY_COLUMNS() }}
          rowKey={({ entryId }) => entryId}
          words={{ title: texts.entries, more: texts.moreEntries, none: texts.noEntries }}
        />
      )}
    </SourcePage>
  );
}

const { entryColumns: titles } = texts;

const ENTRY_COLUMNS = perLanguage((): readonly Column<FeedEntry>[] => [
  { title: titles.entry, cell: ({ title, url, ...job }) => <JobLink name={title ?? url ?? texts.noTitle} {...job} /> },
  { title: titles.published, cell: ({ publishedAt }) => (publishedAt === null ? '–' : <Time at={publishedAt} />) },
  { title: titles.state, cell: ({ status, error }) => <EntryState status={status} error={error} /> },
  { title: titles.found, cell: ({ foundAt }) => <Time at={foundAt} /> },
]);

/** The button that opens the form. */
export function AddFeed(): ReactNode {
  return <AddButton label={texts.add} form={(close) => <FeedForm feed={undefined} onClose={close} />} />;
}

interface Entered {
  name: string;
  url: string;
  recipe: Recipe;
  first: number;
  everyMinutes: number;
}

function enteredFeedOf(feed: Feed | undefined): Entered {
  if (feed === undefined) {
    return {
      name: '',
      url: '',
      recipe: { operation: operationOf('transcribe'), request: {} },
      first: 3,
      everyMinutes: 60,
    };
  }
  const { name, url, recipe, first, schedule } = feed;
  return { name: name ?? '', url, recipe, first, everyMinutes: schedule.everyMinutes };
}

/** Of a site, a crawl reads the page of the entry alone. */
const REQUESTS = { crawl: { depth: 0 } };

/** The body of a request. What is taken of an entry follows from the operation. */
function feedRequestBody({ name, url, recipe, first, everyMinutes }: Entered, feed: Feed | undefined) {
  const schedule = { everyMinutes, timeOfDay: feed?.schedule.timeOfDay ?? null };
  const isSame = recipe.operation === feed?.recipe.operation;
  const takes = isSame ? undefined : workOfOperation(recipe.operation).takes === 'site' ? 'link' : 'auto';
  const source = feed === undefined && { url: url.trim(), first };
  return { name: sentName(name, feed === undefined), recipe: sentRecipe(recipe), schedule, takes, ...source };
}

function FeedForm({ feed, onClose }: { feed: Feed | undefined; onClose: () => void }): ReactNode {
  const isNew = feed === undefined;
  const [entered, setEntered] = useState(() => enteredFeedOf(feed));
  const save = useSaveSource('feeds', feed?.feedId ?? null, (form: Entered) => feedRequestBody(form, feed), onClose);
  const setFeedEntry = (change: Partial<Entered>) => setEntered({ ...entered, ...change });
  const t = texts.form;
  return (
    <SourceForm
      {...{ entered, setEntered, save, onClose }}
      fields={['url', 'first', 'schedule', 'recipe']}
      submit={isNew ? t.follow : all.save}
      nameHint={t.nameHint}
    >
      {(errorAt) => (
        <>
          {isNew && (
            <TextInput
              label={t.url}
              description={t.urlHint}
              placeholder="https://"
              required
              data-autofocus
              value={entered.url}
              error={errorAt('url')}
              onChange={(event) => setFeedEntry({ url: event.currentTarget.value })}
            />
          )}
          <RecipeFields
            label={t.work}
            takes={['file', 'page', 'site']}
            requests={REQUESTS}
            recipe={entered.recipe}
            error={save.error}
            onChange={(recipe) => setFeedEntry({ recipe })}
          />
          <Group grow align="flex-start">
            {isNew && (
              <NumberInput
                label={t.first}
                min={0}
                max={100}
                allowDecimal={false}
                value={entered.first}
                error={errorAt('first')}
                onChange={(value) => setFeedEntry({ first: Number(value) })}
              />
            )}
            <IntervalField
              label={t.every}
              intervals={INTERVALS}
              minutes={entered.everyMinutes}
              onChange={(everyMinutes) => setFeedEntry({ everyMinutes })}
            />
          </Group>
          {!isNew && (
            <Text size="sm" c="dimmed">
              {t.fromNowOn}
            </Text>
          )}
        </>
      )}
    </SourceForm>
  );
}
