import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { ListedJob } from '../../api/generated/owner.ts';
import { type JobFilter, jobsQuery, overviewQuery } from '../../api/queries.ts';
import { formatWholeNumber } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Empty, type Fact, Failure, PageHead, Panel, Skeletons } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';
import { batches } from './batch-texts.ts';
import { BulkBar, type Selection } from './bulk-actions.tsx';
import { JobFilters } from './job-filters.tsx';
import { JobList } from './job-list.tsx';
import { dateRangeTimes } from './period.ts';

const route = getRouteApi('/jobs');

const NOTHING: Selection = new Map();

/** A search with fewer matches loads more pages until all are searched. */
const FIRST_FINDS = 50;

/** The key resets the selection when the environment changes. */
export function Jobs(): ReactNode {
  return <JobsHere key={useEnvironment()} />;
}

/** Filters are in the URL, and events update the list. The selection does not change by itself. */
function JobsHere(): ReactNode {
  const environment = useEnvironment();
  const { status, jobType, tag, text, period, from, to, order } = route.useSearch();
  const navigate = route.useNavigate();
  const times = dateRangeTimes({ period, from, to });
  const filter = useMemo(
    () => presentJobFilter({ status, jobType, tag, text, from: times.from, to: times.to, order }),
    [status, jobType, tag, text, times.from, times.to, order],
  ) satisfies JobFilter;
  const list = useInfiniteQuery(jobsQuery(environment, filter));
  const jobs = useMemo(() => list.data?.pages.flatMap((page) => page.jobs) ?? [], [list.data]);
  const tags = useMemo(() => [...new Set(jobs.flatMap((job) => job.tags ?? []))].sort(), [jobs]);
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const selected = useMemo(() => new Set(selection.keys()), [selection]);
  const current = useMemo(() => asTheyAre(selection, jobs), [selection, jobs]);
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage, dataUpdatedAt } = list;
  const onNearEnd = useCallback(() => {
    if (hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [hasNextPage, isFetching, isFetchNextPageError, fetchNextPage]);
  const looking = hasNextPage && !isFetchNextPageError && jobs.length < FIRST_FINDS;
  // A change of the list cancels the next page and reads the list again. The time shows that this has ended.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above.
  useEffect(() => {
    if (looking) onNearEnd();
  }, [looking, onNearEnd, dataUpdatedAt]);
  const onSelect = useCallback((job: ListedJob, value: boolean) => {
    setSelection((before) => {
      const next = new Map(before);
      if (value) next.set(job.jobId, job);
      else next.delete(job.jobId);
      return next;
    });
  }, []);
  return (
    <>
      <PageHead title={texts.jobs.title} facts={useFacts()}>
        <HeadActions />
      </PageHead>
      <JobFilters tags={tags} />
      <Panel>
        <BulkBar
          filter={filter}
          selection={current}
          setSelection={setSelection}
          shown={list.data === undefined ? '' : texts.jobs.count({ shown: jobs.length, more: list.hasNextPage })}
          nothing={jobs.length === 0}
        />
        {(list.isPending || (looking && jobs.length === 0)) && <Skeletons rows={8} height={28} />}
        {list.isError && <Failure error={list.error} retry={() => void list.refetch()} />}
        {list.data && jobs.length === 0 && !looking && <NoJobs filtered={Object.keys(filter).length > 0} />}
        {jobs.length > 0 && (
          <JobList
            {...{ jobs, selected, onSelect, onNearEnd }}
            oldestFirst={order === 'oldest'}
            onOrder={(next) =>
              void navigate({
                search: ({ order: _, ...rest }) => (next === undefined ? rest : { ...rest, order: next }),
              })
            }
          />
        )}
      </Panel>
    </>
  );
}

function HeadActions() {
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="layers" />}
        renderRoot={(props) => <Link {...props} to="/jobs/batches" />}
      >
        {batches.all}
      </Button>
      <Button leftSection={<Icon name="play" />} renderRoot={(props) => <Link {...props} to="/service/api" />}>
        {texts.jobs.add}
      </Button>
    </>
  );
}

/** The fields with a value: the filter is part of the query's key. */
function presentJobFilter(filter: JobFilter): JobFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined && value !== ''));
}

/** What runs and waits now; nothing when the queue is empty. */
function useFacts(): Fact[] {
  const environment = useEnvironment();
  const overview = useQuery(overviewQuery());
  const queue = overview.data?.queues.find((one) => one.environment === environment);
  const { processing = 0, queued = 0 } = queue?.byStatus ?? {};
  const t = texts.jobs.counts;
  return [
    ...(processing > 0 ? [{ said: t.running({ count: formatWholeNumber(processing) }), tone: 'run' as const }] : []),
    ...(queued > 0 ? [{ said: t.queued({ count: formatWholeNumber(queued) }) }] : []),
  ];
}

/** The selection with the current state of each job in the list: an ended job can no longer be cancelled. */
function asTheyAre(selection: Selection, jobs: readonly ListedJob[]): Selection {
  if (selection.size === 0) return selection;
  const next = new Map(selection);
  for (const job of jobs) if (next.has(job.jobId)) next.set(job.jobId, job);
  return next;
}

function NoJobs({ filtered }: { filtered: boolean }) {
  const navigate = route.useNavigate();
  return (
    <Empty icon="rows-3" title={texts.jobs.none}>
      <div>{filtered ? texts.jobs.noneFiltered : texts.jobs.noneAtAll}</div>
      {filtered && (
        <Button mt="sm" variant="default" size="xs" onClick={() => void navigate({ search: {} })}>
          {texts.jobs.clear}
        </Button>
      )}
    </Empty>
  );
}
