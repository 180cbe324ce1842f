import { Anchor, Progress } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useEnvironment } from '../../api/client.ts';
import { jobsQuery } from '../../api/queries.ts';
import { jobName, measureWords } from '../../components/job-words.ts';
import { KindTile } from '../../components/kind.tsx';
import { Failure, Panel, Rows, Skeletons } from '../../components/page-elements.tsx';
import { workOf } from '../../components/work.ts';
import { serverText } from '../../language/server-texts.ts';
import { texts } from '../../texts.ts';

const SHOWN_JOBS = 6;

/** Jobs that run now, with their progress. */
export function Running(): ReactNode {
  const list = useInfiniteQuery(jobsQuery(useEnvironment(), { status: 'processing' }));
  const jobs = list.data?.pages[0]?.jobs.slice(0, SHOWN_JOBS) ?? [];
  const t = texts.overview;
  return (
    <Panel
      title={t.running}
      aside={
        <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/jobs" search={{}} />}>
          {t.allJobs}
        </Anchor>
      }
    >
      {list.isPending && <Skeletons rows={2} height={40} />}
      {list.isError && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.data && jobs.length === 0 && <p className="dim">{t.nothingRuns}</p>}
      <Rows label={t.running}>
        {jobs.map((job) => (
          <li key={job.jobId}>
            <KindTile work={workOf(job)} />
            <div className="grow">
              <div className="running-name">
                <Link to="/jobs/$jobId" params={{ jobId: job.jobId }} className="label">
                  {jobName(job)}
                </Link>
                <span className="small dim num">{measureWords(job)}</span>
              </div>
              <Progress value={job.progress.percent} aria-label={jobName(job)} />
              <div className="small dim">{serverText(job.progress.message) || workOf(job).doing}</div>
            </div>
          </li>
        ))}
      </Rows>
    </Panel>
  );
}
