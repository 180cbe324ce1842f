import { Progress } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { dataOf, owner, queryIn, useEnvironment } from '../../api/client.ts';
import type { CrawlSoFar } from '../../api/generated/owner.ts';
import type { Job } from '../../api/generated/public.ts';
import { formatWholeNumber, humanizeName } from '../../components/format.ts';
import { measureWords } from '../../components/job-words.ts';
import { LiveTree } from './crawl-tree.tsx';
import { type CrawledPage, isFailure } from './crawled.ts';
import { useStickyPane } from './sticky-pane.ts';
import { results as texts } from './texts.ts';

/** Each look reads the ledger of the crawl. */
const LOOK_MS = 2000;

/** Pages named beside the tree. */
const LAST_PAGES = 12;

/** A crawl that runs: its tree grows, and the tally is its progress. */
export function LiveCrawl({ job }: { job: Job }): ReactNode {
  const environment = useEnvironment();
  const side = useStickyPane();
  const soFar = useQuery({
    queryKey: ['crawl-so-far', environment, job.jobId],
    queryFn: ({ signal }) =>
      dataOf(
        owner.GET('/admin/jobs/{jobId}/crawl', {
          params: { path: { jobId: job.jobId }, query: queryIn(environment, {}) },
          signal,
        }),
      ),
    refetchInterval: LOOK_MS,
  });
  const newest = soFar.data?.newest ?? [];
  const pages = useMemo(() => newest.map(liveCrawledPage), [newest]);
  const { percent, message } = job.progress;
  const t = texts.crawl.live;
  return (
    <>
      <div className="tally">
        <Progress value={percent} color="var(--q-kind-crawl)" aria-label={t.progress} />
        {soFar.data !== undefined && <Counts soFar={soFar.data} />}
      </div>
      <div className="result crawl" data-result>
        <div className="crawl-side" ref={side}>
          {pages.length > 0 && <LiveTree pages={pages} />}
        </div>
        <section className="crawl-page crawl-now" aria-label={t.now}>
          <h2>{message || t.starting}</h2>
          <p className="num dim">{measureWords(job)}</p>
          {newest.length > 0 && (
            <>
              <h3>{t.last}</h3>
              <ul className="crawl-links">
                {newest.slice(0, LAST_PAGES).map((url) => (
                  <li key={url} className="break">
                    {url}
                  </li>
                ))}
              </ul>
            </>
          )}
        </section>
        <Outcomes verdicts={soFar.data?.verdicts ?? {}} />
      </div>
    </>
  );
}

/** Nothing but the address of a page is known before the crawl ends. */
function liveCrawledPage(url: string): CrawledPage {
  return { url, title: '', fields: {}, guardrails: null, signs: [], findings: 0 };
}

/** The numbers move too fast for a screen reader; the bar has a name and a value. */
function Counts({ soFar: { pages, waiting, verdicts } }: { soFar: CrawlSoFar }): ReactNode {
  const sumVerdicts = (failed: boolean) =>
    Object.entries(verdicts).reduce((all, [name, count]) => (isFailure(name) === failed ? all + count : all), 0);
  const t = texts.crawl.tally;
  const parts: [string, number, string][] = [
    [t.read, pages, 'var(--q-kind-crawl)'],
    [t.skipped, sumVerdicts(false), 'var(--q-plot-faint)'],
    [t.failed, sumVerdicts(true), 'var(--q-kind-write)'],
    [texts.crawl.live.waiting, waiting, 'var(--q-run)'],
  ];
  return (
    <p className="tally-parts num">
      {parts.map(([label, count, colour]) => (
        <span key={label}>
          <i style={{ background: colour }} aria-hidden="true" />
          <b>{formatWholeNumber(count)}</b> {label}
        </span>
      ))}
    </p>
  );
}

function Outcomes({ verdicts }: Pick<CrawlSoFar, 'verdicts'>): ReactNode {
  const entries = Object.entries(verdicts).sort((one, other) => other[1] - one[1]);
  if (entries.length === 0) return null;
  const t = texts.crawl;
  return (
    <aside className="crawl-findings" aria-label={t.live.others}>
      <h2>{t.live.others}</h2>
      <dl className="page-facts">
        {entries.map(([name, count]) => (
          <div key={name}>
            <dt>{t.reasons[name] ?? humanizeName(name)}</dt>
            <dd className="num">{formatWholeNumber(count)}</dd>
          </div>
        ))}
      </dl>
    </aside>
  );
}
