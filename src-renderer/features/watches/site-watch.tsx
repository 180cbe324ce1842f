import { failureText } from '../../components/failure-text.ts';
import '../../styles/watches.css';
import { Anchor, Button, Group, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { useEnvironment } from '../../api/client.ts';
import type { SitePageVersion, SiteWatch, SiteWatchRun } from '../../api/generated/owner.ts';
import { historyQuery, pageVersionsQuery, siteChangesQuery } from '../../api/queries.ts';
import { formatWholeNumber, joinTexts } from '../../components/format.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { Empty, Failure, Panel, Skeletons, Time } from '../../components/page-elements.tsx';
import { PagedPanel } from '../../components/paged-panel.tsx';
import { DiffView } from './diff-view.tsx';
import { SITES } from './sites.tsx';
import { SourcePage } from './sources.tsx';
import { watches as texts } from './texts.ts';
import { hasChanges, RunState, shortWatchAddress, siteChangesText } from './watch-words.tsx';

const route = getRouteApi('/watches/$watchId');

/** A watched site: its runs, and what the chosen one found. */
export function SiteWatchPage(): ReactNode {
  const { watchId } = route.useParams();
  return (
    <SourcePage kind={SITES()} id={watchId}>
      {(watch) => <Runs watch={watch} />}
    </SourcePage>
  );
}

function Runs({ watch }: { watch: SiteWatch }) {
  const { run: chosen, page } = route.useSearch();
  const list = useInfiniteQuery(historyQuery<SiteWatchRun>(useEnvironment(), 'watches', watch.watchId, 'runs'));
  const runs = list.data?.pages.flatMap((one) => one.rows) ?? [];
  const shown = runs.find(({ jobId }) => jobId === chosen) ?? runs.find(hasChanges) ?? runs[0];
  return (
    <div className="watch-panes">
      <PagedPanel
        list={list}
        count={runs.length}
        title={texts.runs}
        more={texts.moreRuns}
        empty={<Empty icon="clock" title={texts.noRunAbout} />}
      >
        <nav className="watch-runs" aria-label={texts.runs}>
          {runs.map((run) => (
            <RunEntry key={run.jobId} run={run} isChosen={page === undefined && run === shown} />
          ))}
        </nav>
      </PagedPanel>
      {page !== undefined && <PageHistory watchId={watch.watchId} url={page} />}
      {page === undefined && shown !== undefined && <RunChanges watchId={watch.watchId} run={shown} />}
    </div>
  );
}

function RunEntry({ run, isChosen }: { run: SiteWatchRun; isChosen: boolean }) {
  return (
    <Link
      from="/watches/$watchId"
      to="."
      search={({ environment }) => ({ ...omitUndefined({ environment }), run: run.jobId })}
      className="watch-run"
      aria-current={isChosen}
    >
      <b>{siteChangesText(run) ?? <RunState run={run} />}</b>
      <span className="faint">
        <Time at={run.endedAt ?? run.startedAt} />
        {joinTexts(['', texts.cause[run.cause]])}
      </span>
    </Link>
  );
}

function RunChanges({ watchId, run }: { watchId: string; run: SiteWatchRun }) {
  const list = useInfiniteQuery({ ...siteChangesQuery(useEnvironment(), watchId, run), enabled: hasChanges(run) });
  const changes = list.data?.pages.flatMap((page) => page.changes) ?? [];
  const about = aboutRun(run);
  const aside = run.jobKept ? <OpenJob jobId={run.jobId} /> : undefined;
  if (!hasChanges(run)) {
    return (
      <Panel title={texts.changes} aside={aside}>
        <Text size="sm" c={run.status === 'failed' ? 'var(--q-bad)' : 'dimmed'}>
          {about}
        </Text>
      </Panel>
    );
  }
  return (
    <PagedPanel
      list={list}
      count={changes.length}
      title={texts.changes}
      {...(about === undefined ? {} : { about })}
      more={texts.moreChanges}
      aside={aside}
      empty={<Empty icon="check" title={texts.noChange} />}
    >
      {changes.map((change) => (
        <PageChange key={change.url} change={change} history />
      ))}
    </PagedPanel>
  );
}

function OpenJob({ jobId }: { jobId: string }) {
  return (
    <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/jobs/$jobId" params={{ jobId }} search={{}} />}>
      {texts.openJob}
    </Anchor>
  );
}

/** What else there is to say about a run. */
function aboutRun(run: SiteWatchRun): string | undefined {
  if (run.status === 'failed') return run.error === null ? undefined : failureText(run.error);
  if (run.status === 'running') return texts.runningAbout;
  const unread = run.counts?.notRead ?? 0;
  const said = [
    ...(run.isFirst ? [texts.firstAbout] : hasChanges(run) ? [] : [texts.noChangeAbout]),
    ...(unread > 0 ? [`${texts.notRead({ count: unread })}.`] : []),
    ...(run.jobKept ? [] : [texts.jobGone]),
  ];
  return said.length === 0 ? undefined : said.join(' ');
}

const ICONS: Readonly<Record<SitePageVersion['change'], IconName>> = {
  added: 'plus',
  first: 'plus',
  changed: 'pencil',
  removed: 'unplug',
  gone: 'file-x',
  moved: 'arrow-right',
};

/** A change of a page with its diff. @param history links to all versions of the page */
function PageChange({ change, history = false }: { change: SitePageVersion; history?: boolean }) {
  const facts = factsOfChange(change);
  return (
    <article className="watch-change" aria-label={`${texts.change[change.change]}: ${change.url}`}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div className="grow">
          <h3 className="watch-page">
            <Icon name={ICONS[change.change]} />
            <span>{texts.change[change.change]}</span>
            {history && <span className="break written">{change.title ?? shortWatchAddress(change.url)}</span>}
            {!history && <Time at={change.at} />}
          </h3>
          {history && (
            <Anchor size="sm" className="break" href={change.url} target="_blank" rel="noreferrer noopener">
              {shortWatchAddress(change.url)}
            </Anchor>
          )}
          {facts.length > 0 && (
            <Text size="sm" c="dimmed" className="break">
              {facts.join(' · ')}
            </Text>
          )}
        </div>
        {history && <ToHistory url={change.url} />}
      </Group>
      {change.diff !== null && <DiffView diff={change.diff} />}
    </article>
  );
}

function ToHistory({ url }: { url: string }) {
  return (
    <Button
      size="compact-sm"
      variant="default"
      flex="none"
      aria-label={texts.historyOf({ url })}
      renderRoot={(props) => (
        <Link {...props} from="/watches/$watchId" to="." search={(before) => ({ ...before, page: url })} />
      )}
    >
      {texts.history}
    </Button>
  );
}

function factsOfChange(change: SitePageVersion): string[] {
  const { addedLines, removedLines, changedShare, diff, diffKept, diffTruncated, movedTo, after } = change;
  const share = changedShare === null ? null : `${Math.max(0.1, Math.round(changedShare * 1000) / 10)} %`;
  const isNew = change.change === 'added' || change.change === 'first';
  return [
    ...(isNew && after !== null ? [texts.newPage({ characters: after.characters })] : []),
    ...(movedTo === null ? [] : [texts.movedTo({ url: movedTo })]),
    ...(addedLines === null || removedLines === null
      ? []
      : [texts.lines({ added: formatWholeNumber(addedLines), removed: formatWholeNumber(removedLines) })]),
    ...(share === null ? [] : [texts.share({ percent: share })]),
    ...(diffKept ? [] : [texts.diffGone]),
    ...(diffKept && diffTruncated ? [diff === null ? texts.noDiff : texts.cut] : []),
  ];
}

function PageHistory({ watchId, url }: { watchId: string; url: string }) {
  const history = useQuery(pageVersionsQuery(useEnvironment(), watchId, url));
  return (
    <Panel
      title={texts.history}
      about={shortWatchAddress(url)}
      aside={
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link {...props} from="/watches/$watchId" to="." search={({ page: _, ...before }) => before} />
          )}
        >
          {texts.back}
        </Anchor>
      }
    >
      {history.isPending && <Skeletons rows={4} height={28} />}
      {history.isError && <Failure error={history.error} retry={() => void history.refetch()} />}
      {history.data?.versions.map((version) => (
        <PageChange key={version.at + version.change} change={version} />
      ))}
    </Panel>
  );
}
