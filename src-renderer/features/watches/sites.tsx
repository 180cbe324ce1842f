import { Text } from '@mantine/core';
import type { SiteWatch } from '../../api/generated/owner.ts';
import { TwoLines } from '../../components/history.tsx';
import { Time } from '../../components/page-elements.tsx';
import { perLanguage } from '../../language/locale.ts';
import type { SourceKind } from './source-kind.ts';
import { NextRun, nextFact } from './sources.tsx';
import { watches as texts } from './texts.ts';
import { WatchForm } from './watch-form.tsx';
import { RunState, scheduleOf, shortWatchAddress, siteChangesText } from './watch-words.tsx';

const { columns: titles } = texts;

const siteWatchName = ({ name, crawl }: SiteWatch) => name ?? shortWatchAddress(crawl.url);

export const SITES = perLanguage(
  (): SourceKind<SiteWatch> => ({
    path: 'watches',
    idOf: ({ watchId }) => watchId,
    nameOf: siteWatchName,
    placeOf: ({ crawl }) => shortWatchAddress(crawl.url),
    linkOf: ({ watchId }) => ({ to: '/watches/$watchId', params: { watchId } }),
    factsOf: (watch) => [
      ...(watch.name === null ? [] : [{ said: shortWatchAddress(watch.crawl.url) }]),
      { said: scheduleOf(watch.schedule) },
      nextFact(titles.next, watch),
    ],
    columns: [
      { title: titles.schedule, cell: ({ schedule }) => <Text size="sm">{scheduleOf(schedule)}</Text> },
      {
        title: titles.last,
        cell: ({ lastRun }) =>
          lastRun === null ? (
            texts.noRun
          ) : (
            <TwoLines first={<RunState run={lastRun} />} second={<Time at={lastRun.endedAt ?? lastRun.startedAt} />} />
          ),
      },
      {
        title: titles.changes,
        cell: ({ lastRun, lastChangeAt }) => (
          <TwoLines
            first={(lastRun && siteChangesText(lastRun)) ?? '–'}
            second={lastChangeAt === null ? null : <Time at={lastChangeAt} />}
          />
        ),
      },
      { title: titles.next, cell: ({ nextRunAt }) => <NextRun at={nextRunAt} /> },
    ],
    actions: [
      {
        path: 'run',
        label: texts.run,
        icon: 'play',
        done: texts.started,
        isDisabled: ({ lastRun }) => lastRun?.status === 'running',
        inList: true,
      },
    ],
    words: { ...texts, title: texts.sites, one: titles.site },
    removeAbout: (watch) => texts.removeAbout({ site: siteWatchName(watch) }),
    form: (watch, close) => <WatchForm watch={watch} onClose={close} />,
  }),
);
