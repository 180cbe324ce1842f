// biome-ignore-all lint/a11y/useSemanticElements: rows are laid out by position, which takes a table's own roles away.
import { Checkbox, Progress, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { Job, ListedJob } from '../api/types.ts';
import { texts } from '../texts.ts';
import { duration, shortId } from './format.ts';
import { JobState } from './job-state.tsx';
import { Copy, Time } from './parts.tsx';

const SECOND_MS = 1000;

/** What a job is called: its label, else what it was named, else the ends of its id. */
export function jobName(job: Pick<Job, 'jobId' | 'sourceName'> & { label?: string | undefined }): string {
  return job.label || job.sourceName || shortId(job.jobId);
}

export interface JobRowProps {
  job: ListedJob;
  selected: boolean;
  onSelect: (job: ListedJob, selected: boolean) => void;
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
          <Link to="/jobs/$jobId" params={{ jobId: job.jobId }} className="row-link" title={`${name}\n${job.jobId}`}>
            {name}
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
