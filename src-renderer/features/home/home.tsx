import { Button, Progress, TextInput, VisuallyHidden } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { keepPreviousData, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import { api, dataOf, useEnvironment } from '../../api/client.ts';
import type { LibraryItem } from '../../api/generated/public.ts';
import { libraryKey } from '../../api/library.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { jobsQuery } from '../../api/queries.ts';
import { dayBefore, localDay, startOfWeek } from '../../api/reader-days.ts';
import { useTimedText } from '../../api/server-time.ts';
import { IS_DEVICE } from '../../api/session.ts';
import { formatWholeNumber } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { jobName, measureWords } from '../../components/job-words.ts';
import { usePageSearch } from '../../components/keys.ts';
import { PAGE_TITLE, PageHead, Skeletons } from '../../components/page-elements.tsx';
import { workOf } from '../../components/work.ts';
import { shownLocale } from '../../language/locale.ts';
import { texts } from '../../texts.ts';
import { openAdd } from '../add/open-add.ts';
import { NeedLine } from '../overview/needs-you.tsx';
import { addUploads } from '../uploads/queue.ts';
import { addressSources } from '../uploads/sources.ts';
import { BegunCard, ItemCard } from './item-card.tsx';
import { home as t } from './texts.ts';

/** Only new owners see it. */
const FirstRun = lazy(async () => ({ default: (await import('./first-run.tsx')).FirstRun }));

const CONTINUED = 4;

/** Items that Home reads: those of its days. */
const READ = 60;

/** Of each day. */
const SHOWN = 12;

/** An item that is being read changes without an event. */
const READING_INTERVAL_MS = 2000;

const itemsQuery = (environment: EnvironmentName, sort: 'added' | 'updated') =>
  queryOptions({
    queryKey: [...libraryKey(environment), 'home', sort],
    queryFn: ({ signal }) =>
      dataOf(api[environment].GET('/library/items', { params: { query: { sort, limit: READ } }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.items.some((item) => item.state === 'reading') === true ? READING_INTERVAL_MS : false,
  });

/** What is there, what goes on, and what to go on with; before the first item a page for new owners. */
export function Home(): ReactNode {
  const environment = useEnvironment();
  const jobs = useInfiniteQuery(jobsQuery(environment, {}));
  const newest = jobs.data?.pages[0]?.jobs ?? [];
  const items = useQuery(itemsQuery(environment, 'added'));
  if (items.isPending || jobs.isPending) return <Waiting />;
  const all = items.data?.items ?? [];
  if (all.length === 0 && newest.length === 0) {
    return (
      <Suspense fallback={<Waiting />}>
        <FirstRun />
      </Suspense>
    );
  }
  return (
    <>
      <HomeTop />
      <Continue />
      <Days items={all} total={items.data?.total ?? 0} />
    </>
  );
}

function Waiting() {
  return (
    <>
      <PageHead title={texts.shell.names.home} />
      <Skeletons rows={8} />
    </>
  );
}

/** Search, or an address to read; what runs and what needs the owner in one line each. */
function HomeTop() {
  useDocumentTitle(`${texts.shell.names.home} · Quarry`);
  return (
    <header className="home-top">
      <VisuallyHidden>
        <h1 id={PAGE_TITLE}>{texts.shell.names.home}</h1>
      </VisuallyHidden>
      <FindOrRead />
      <div className="slims">
        <Running />
        {!IS_DEVICE && <NeedLine />}
      </div>
    </header>
  );
}

function FindOrRead() {
  const environment = useEnvironment();
  const navigate = useNavigate();
  const [words, setWords] = useState('');
  const field = useRef<HTMLInputElement>(null);
  usePageSearch(field, t.find);
  const findOrRead = () => {
    const text = words.trim();
    if (text === '') return;
    const addresses = addressSources(text);
    if (addresses === null) void navigate({ to: '/search', search: { q: text } });
    else {
      addUploads(environment, addresses);
      setWords('');
    }
  };
  return (
    <form
      className="home-find"
      onSubmit={(event) => {
        event.preventDefault();
        findOrRead();
      }}
    >
      <TextInput
        ref={field}
        size="lg"
        aria-label={t.find}
        placeholder={t.find}
        leftSection={<Icon name="search" size={20} />}
        rightSection={
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            leftSection={<Icon name="sparkles" size={14} />}
            disabled={words.trim() === ''}
            onClick={() => void navigate({ to: '/search', search: { q: words.trim(), ask: 1 } })}
          >
            {t.ask}
          </Button>
        }
        // The word differs in length by language; the icon and the padding do not.
        rightSectionWidth={`calc(${t.ask.length}ch + 52px)`}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
      />
      <Button size="lg" leftSection={<Icon name="plus" />} onClick={() => openAdd()}>
        {texts.shell.names.add}
      </Button>
    </form>
  );
}

/** The job that goes on, and how many more. */
function Running() {
  const list = useInfiniteQuery(jobsQuery(useEnvironment(), { status: 'processing' }));
  const jobs = list.data?.pages[0]?.jobs ?? [];
  const [first] = jobs;
  if (first === undefined) return null;
  return (
    <Link to="/items/of/$jobId" params={{ jobId: first.jobId }} className="slim">
      <Icon name={workOf(first).icon} />
      <b className="truncate">{jobName(first)}</b>
      <span className="small dim truncate grow">{workOf(first).doing}</span>
      <span className="small num nowrap">
        {measureWords(first)}
        {jobs.length > 1 && ` · ${t.more({ count: jobs.length - 1 })}`}
      </span>
      <Progress size={3} value={first.progress.percent} aria-label={jobName(first)} className="slim-share" />
    </Link>
  );
}

/** What was begun and not finished, the last one first. */
function Continue() {
  const items = useQuery(itemsQuery(useEnvironment(), 'updated'));
  const begun = (items.data?.items ?? []).filter(isBegun).slice(0, CONTINUED);
  if (begun.length === 0) return null;
  return (
    <section className="band home-continue" aria-label={t.continue}>
      <h2>{t.continue}</h2>
      <ul>
        {begun.map((item) => (
          <li key={item.itemId}>
            <BegunCard item={item} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function isBegun({ state, position, pages, seconds }: LibraryItem): boolean {
  if (state !== 'ready' || position === null) return false;
  if (position.page !== undefined) return pages === null || position.page < pages;
  return position.seconds !== undefined && (seconds === null || position.seconds < seconds);
}

const DAYS = ['today', 'yesterday', 'week', 'before'] as const;

/** The newest items: of today, yesterday and the rest of the week. A day that the list may have cut has no count. */
function Days({ items, total }: { items: readonly LibraryItem[]; total: number }) {
  // Midnight passes while the window is open.
  const today = useTimedText(localDay);
  const noon = Date.parse(`${today}T12:00`);
  const [yesterday, weekStart] = [dayBefore(noon, 1), startOfWeek(noon, shownLocale())];
  const groups = Map.groupBy(items, ({ addedAt }): (typeof DAYS)[number] => {
    const day = localDay(addedAt);
    if (day === today) return 'today';
    if (day === yesterday) return 'yesterday';
    return day >= weekStart ? 'week' : 'before';
  });
  const shown = DAYS.filter((name) => groups.has(name));
  return shown.map((name, index) => {
    const some = groups.get(name) ?? [];
    const isWhole = total <= items.length || index < shown.length - 1;
    return (
      <section key={name} className="home-day" aria-label={t.days[name]}>
        <h2>
          {t.days[name]}
          {isWhole && <span className="dim num">{formatWholeNumber(some.length)}</span>}
          {index === 0 && (
            <Link to="/library" className="home-all">
              {t.library}
            </Link>
          )}
        </h2>
        <ul className="home-items">
          {some.slice(0, SHOWN).map((item) => (
            <li key={item.itemId}>
              <ItemCard item={item} />
            </li>
          ))}
        </ul>
      </section>
    );
  });
}
