// biome-ignore-all lint/a11y/useSemanticElements: rows are laid out by position, which takes a table's own roles away.
import { Checkbox, Progress, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { Job } from '../api/types.ts';
import { texts } from '../texts.ts';
import { duration } from './format.ts';
import { JobState } from './job-state.tsx';
import { Copy, Time } from './parts.tsx';

const SECOND_MS = 1000;

/** What a job is called: its label, or its id where it has none. */
export function jobName(job: Pick<Job, 'jobId' | 'sourceName'>): string {
  return job.sourceName ?? job.jobId;
}

export interface JobRowProps {
  job: Job;
  selected: boolean;
  onSelect: (job: Job, selected: boolean) => void;
}

/** The cells of one job in the list. Kept while nothing of the job changes: scrolling only adds rows. */
export const JobCells = memo(function JobCells({ job, selected, onSelect }: JobRowProps) {
  const name = jobName(job);
  return (
    <>
      <span role="cell">
        <Checkbox
          size="xs"
          checked={selected}
          aria-label={texts.jobs.select(name)}
          onChange={(event) => onSelect(job, event.currentTarget.checked)}
        />
      </span>
      <span role="cell" className="truncate">
        <span className="job-name">
          <Link to="/jobs/$jobId" params={{ jobId: job.jobId }} className="row-link" title={name}>
            {job.sourceName ?? (
              <Text span ff="monospace" size="sm">
                {job.jobId}
              </Text>
            )}
          </Link>
          <Copy value={job.jobId} label={texts.jobs.id} />
        </span>
      </span>
      <span role="cell" className="truncate">
        {job.jobType}
      </span>
      <span role="cell">
        <JobState status={job.status} cancelled={job.error?.code === 'cancelled'} />
      </span>
      <span role="cell" className="wide-only">
        <JobProgressCell job={job} />
      </span>
      <Text role="cell" span size="sm" c="dimmed" className="wide-only">
        <Time at={job.createdAt} />
      </Text>
    </>
  );
});

function JobProgressCell({ job }: { job: Job }) {
  if (job.status === 'failed') {
    return (
      <Text span size="sm" c="dimmed" title={job.error?.message} className="truncate" display="block">
        {job.error?.code}
      </Text>
    );
  }
  if (job.status === 'processing') {
    const left = job.etaSeconds === undefined ? '' : texts.jobs.remaining(duration(job.etaSeconds * SECOND_MS));
    const label = `${job.progress.stage} ${left}`;
    return <Progress value={job.progress.percent} size="sm" aria-label={label} title={label} />;
  }
  return null;
}
