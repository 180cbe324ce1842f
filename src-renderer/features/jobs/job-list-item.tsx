// biome-ignore-all lint/a11y/useSemanticElements: rows are laid out by position, which takes a table's own roles away.
import { Progress } from '@mantine/core';
import { memo, useState } from 'react';
import type { Job, ListedJob } from '../../api/types.ts';
import { duration, shortId, words } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Time } from '../../components/page-elements.tsx';
import { texts } from '../../components/texts.ts';
import { JobState } from './job-state.tsx';

const SECOND_MS = 1000;
const MINUTE_S = 60;

/** What a job is called: its label, else what it was named, else the ends of its id. */
export function jobName(job: Pick<Job, 'jobId' | 'sourceName'> & { label?: string | undefined }): string {
  return job.label || job.sourceName || shortId(job.jobId);
}

/** How long it will still take. Nothing where nobody knows, also where an estimate was too short. */
export function timeLeft({ etaSeconds = 0 }: Pick<Job, 'etaSeconds'>): string {
  if (etaSeconds === 0) return '';
  return texts.jobs.remaining(etaSeconds < MINUTE_S ? `${etaSeconds} s` : duration(etaSeconds * SECOND_MS));
}

export interface JobRowProps {
  job: ListedJob;
  /** Where the job is shown. */
  href: string;
  selected: boolean;
  onSelect: (job: ListedJob, selected: boolean) => void;
}

/**
 * The cells of one job in the list. Kept while nothing of the job changes: scrolling only adds rows. Plain elements
 * where the library has components: a turn of the wheel makes dozens of rows, and each has to cost next to nothing.
 */
export const JobCells = memo(function JobCells({ job, href, selected, onSelect }: JobRowProps) {
  const name = jobName(job);
  return (
    <>
      <span role="cell">
        <input
          type="checkbox"
          className="check"
          checked={selected}
          aria-label={texts.jobs.select(name)}
          onChange={(event) => onSelect(job, event.currentTarget.checked)}
        />
      </span>
      <span role="cell" className="truncate">
        <span className="job-name">
          <a href={href} className="row-link" title={`${name}\n${job.jobId}`}>
            {name}
          </a>
          <PlainCopy value={job.jobId} label={texts.jobs.id} />
        </span>
      </span>
      <span role="cell" className="truncate middle-only">
        {job.jobType}
      </span>
      <span role="cell">
        <JobState status={job.status} cancelled={job.error?.code === 'cancelled'} />
      </span>
      <span role="cell" className="wide-only">
        <JobProgressCell job={job} />
      </span>
      <span role="cell" className="wide-only dim">
        <Time at={job.createdAt} />
      </span>
    </>
  );
});

const COPIED_MS = 1500;

/** Copies an id, as `Copy` does, at the price of a plain button. */
function PlainCopy({ value, label }: { value: string; label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <button
      type="button"
      className="copy-plain"
      aria-label={copied ? texts.common.copied : texts.common.copy(label)}
      onClick={() => void copy()}
    >
      <Icon name={copied ? 'check' : 'copy'} size={14} />
    </button>
  );
}

function JobProgressCell({ job }: { job: Job }) {
  if (job.status === 'failed') {
    return (
      <span title={job.error?.message} className="truncate dim">
        {job.error?.code}
      </span>
    );
  }
  if (job.status === 'processing') {
    const label = `${words(job.progress.stage)} ${timeLeft(job)}`;
    return <Progress value={job.progress.percent} size="sm" aria-label={label} title={label} />;
  }
  return null;
}
