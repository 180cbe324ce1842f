// biome-ignore-all lint/a11y/useSemanticElements: absolutely positioned rows lose the native table roles.

// biome-ignore-all lint/a11y/useFocusableInteractive: this table is read-only; its links and checkboxes take the focus.

import { Progress, VisuallyHidden } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, memo, useCallback, useEffect, useRef, useState } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { ListedJob } from '../../api/generated/owner.ts';
import type { Job } from '../../api/generated/public.ts';
import { words } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { jobName, timeLeft } from '../../components/job-words.ts';
import { useFocusedRow } from '../../components/long-list.tsx';
import { Time } from '../../components/page-elements.tsx';
import { JobState } from '../../components/state.tsx';
import { texts } from '../../texts.ts';

const ROW_HEIGHT = 46;

const ROWS_AHEAD = 6;

/** Rows before the end at which the next page is loaded. */
const NEAR_END = 30;

interface JobListProps {
  jobs: readonly ListedJob[];
  selected: ReadonlySet<string>;
  onSelect: (job: ListedJob, selected: boolean) => void;
  onNearEnd: () => void;
}

/** A virtualised list of jobs. */
export function JobList({ jobs, selected, onSelect, onNearEnd }: JobListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const keyOf = useCallback((index: number) => jobs[index]?.jobId ?? index, [jobs]);
  const { rangeExtractor, watch } = useFocusedRow(keyOf);
  const virtual = useVirtualizer({
    rangeExtractor,
    count: jobs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: ROWS_AHEAD,
    getItemKey: keyOf,
  });
  const rows = virtual.getVirtualItems();
  useNearEnd(virtual.range?.endIndex ?? 0, jobs.length, onNearEnd);
  const follow = useFollow();
  const hrefOf = useHrefs();
  const { job, type, status, progress, created } = texts.jobs.columns;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: pressing Enter on a link fires a click.
    <div role="table" aria-label={texts.jobs.list} aria-rowcount={jobs.length + 1} onClick={follow}>
      <div role="rowgroup">
        <div role="row" aria-rowindex={1} className="list-head jobs-grid">
          <span role="columnheader">
            <VisuallyHidden>{texts.jobs.choose}</VisuallyHidden>
          </span>
          <span role="columnheader">{job}</span>
          <span role="columnheader" className="middle-only">
            {type}
          </span>
          <span role="columnheader">{status}</span>
          <span role="columnheader" className="wide-only">
            {progress}
          </span>
          <span role="columnheader" className="wide-only">
            {created}
          </span>
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard. */}
      <div ref={scroller} role="rowgroup" className="list-body jobs-body" tabIndex={0} {...watch}>
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }} role="presentation">
          {rows.map(({ key, index, start }) => {
            const one = jobs[index];
            if (one === undefined) return null;
            return (
              <div
                key={key}
                role="row"
                data-index={index}
                aria-rowindex={index + 2}
                aria-selected={selected.has(one.jobId)}
                className="list-row jobs-grid"
                style={{
                  position: 'absolute',
                  inset: '0 0 auto 0',
                  height: ROW_HEIGHT,
                  transform: `translateY(${start}px)`,
                }}
              >
                <JobCells job={one} href={hrefOf(one.jobId)} selected={selected.has(one.jobId)} onSelect={onSelect} />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function useNearEnd(last: number, count: number, onNearEnd: () => void): void {
  useEffect(() => {
    if (last >= count - NEAR_END) onNearEnd();
  }, [last, count, onNearEnd]);
}

/** Builds job URLs without the router, which is slow per row. */
function useHrefs(): (jobId: string) => string {
  const query = useEnvironment() === 'staging' ? '?environment=staging' : '';
  return (jobId) => `/jobs/${jobId}${query}`;
}

/** One click handler for all links: plain clicks navigate in the window, others are the browser's. */
function useFollow(): (event: MouseEvent) => void {
  const router = useRouter();
  return (event) => {
    const link = (event.target as Element).closest('a.row-link');
    const modified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (link === null || modified) return;
    event.preventDefault();
    router.history.push(link.getAttribute('href') ?? '/jobs');
  };
}

interface JobRowProps {
  job: ListedJob;
  /** URL of the job. */
  href: string;
  selected: boolean;
  onSelect: (job: ListedJob, selected: boolean) => void;
}

/**
 * The cells of one job, memoised. Plain elements instead of library components: scrolling creates dozens of rows at
 * once.
 */
const JobCells = memo(function JobCells({ job, href, selected, onSelect }: JobRowProps) {
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
        <JobState job={job} />
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

/** Copies an ID, like `Copy` but with a plain button. */
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
    const label = [words(job.progress.stage), timeLeft(job)].filter((part) => part !== '').join(' · ');
    return <Progress value={job.progress.percent} size="sm" aria-label={label} title={label} />;
  }
  return null;
}
