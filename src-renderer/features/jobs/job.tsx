import { Anchor } from '@mantine/core';
import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEnvironment } from '../../api/client.ts';
import { isGone, useLiveJob } from '../../api/live-job.ts';
import { deliveriesQuery, deliveryQuery, jobRecordQuery } from '../../api/queries.ts';
import { shortId } from '../../components/format.ts';
import { Failure, PageHead, Skeletons } from '../../components/page-elements.tsx';
import { ResultView } from '../results/result-view.tsx';
import { Head } from './job-head.tsx';
import { JobWithoutResult } from './job-state.tsx';
import { JobStrip } from './job-strip.tsx';
import { job as texts } from './job-texts.ts';

const route = getRouteApi('/jobs/$jobId');

/** Deliveries shown with their attempts; the others are one span each. */
const DETAILED_DELIVERIES = 5;

/** The page of one job: its result, and below it how that came about. */
export function JobPage() {
  const environment = useEnvironment();
  const { jobId } = route.useParams();
  const { tab = null, chunk } = route.useSearch();
  const navigate = route.useNavigate();
  const job = useLiveJob(environment, jobId);
  const record = useQuery(jobRecordQuery(environment, jobId));
  const deliveries = useInfiniteQuery(deliveriesQuery(environment, { jobId }));
  const list = deliveries.data?.pages.flatMap((page) => page.deliveries) ?? [];
  const attempts = useQueries({
    queries: list
      .slice(0, tab === 'timeline' ? DETAILED_DELIVERIES : 0)
      .map(({ deliveryId }) => deliveryQuery(environment, deliveryId)),
  });
  // The record has the title and the access ticket of the files.
  if (job.isPending || record.isPending) {
    return (
      <>
        <PageHead title={shortId(jobId)} />
        <Skeletons rows={8} />
      </>
    );
  }
  if (job.isError && (job.data === undefined || isGone(job.error))) {
    return (
      <>
        <PageHead title={texts.unavailable} />
        <Failure error={job.error} retry={() => void job.refetch()} />
        <Anchor mt="md" renderRoot={(props) => <Link {...props} to="/jobs" />}>
          {texts.back}
        </Anchor>
      </>
    );
  }
  return (
    // The key resets the view when the browser's history changes the job.
    <div className="job-page" key={`${environment} ${jobId}`}>
      <Head job={job.data} record={record.data} />
      {job.isError && <Failure error={job.error} retry={() => void job.refetch()} />}
      {job.data.result === null ? (
        <JobWithoutResult job={job.data} record={record.data} />
      ) : (
        <ResultView job={job.data} record={record.data} chunkId={chunk} />
      )}
      <JobStrip
        job={job.data}
        record={record.data}
        deliveries={list.map((delivery, index) => attempts[index]?.data ?? delivery)}
        open={tab}
        onOpen={(part) =>
          void navigate({
            search: ({ tab: _, ...rest }) => (part === null ? rest : { ...rest, tab: part }),
            replace: true,
            resetScroll: false,
          })
        }
      />
    </div>
  );
}
