// biome-ignore-all lint/a11y/useSemanticElements: absolutely positioned rows lose the native table roles.

// biome-ignore-all lint/a11y/useFocusableInteractive: this table is read-only; its links and checkboxes take the focus.

import { VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useRouter } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, memo, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { PAGES_PATH } from '../../api/base-path.ts';
import { useEnvironment } from '../../api/client.ts';
import type { ListedJob } from '../../api/generated/owner.ts';
import { useTimedText } from '../../api/server-time.ts';
import { failureText } from '../../components/failure-text.ts';
import { useRowFocus } from '../../components/focus.ts';
import { formatElapsedTime, shortId } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { jobName, progressWords, waitWords } from '../../components/job-words.ts';
import { useListKeys } from '../../components/keys.ts';
import { KindWord } from '../../components/kind.tsx';
import { useFocusedRow } from '../../components/long-list.tsx';
import { Money } from '../../components/money.tsx';
import { Time } from '../../components/page-elements.tsx';
import { JobState, State } from '../../components/state.tsx';
import { workOf } from '../../components/work.ts';
import { serverText } from '../../language/server-texts.ts';
import { messages } from '../../language/start-messages.ts';
import { texts } from '../../texts.ts';
import { Thumbnail } from './thumbnail.tsx';

const ROW_HEIGHT = 38;

/** Two lines: name and age, state and time. */
const PHONE_ROW_HEIGHT = 60;

const PHONE = '(max-width: 720px)';

const ROWS_AHEAD = 6;

/** Rows before the end at which the next page is loaded. */
const NEAR_END = 30;

interface JobListProps {
  jobs: readonly ListedJob[];
  oldestFirst: boolean;
  onOrder: (order: 'oldest' | undefined) => void;
  selected: ReadonlySet<string>;
  onSelect: (job: ListedJob, selected: boolean) => void;
  onNearEnd: () => void;
}

/** A virtualised list of jobs. The key measures all rows again when their height changes. */
export function JobList(props: JobListProps): ReactNode {
  const isPhone = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  const rowHeight = isPhone ? PHONE_ROW_HEIGHT : ROW_HEIGHT;
  return <Rows key={rowHeight} rowHeight={rowHeight} {...props} />;
}

const AT_THE_TOP = { position: 'absolute', inset: '0 0 auto 0' } as const;

function Rows(props: JobListProps & { rowHeight: number }): ReactNode {
  const { jobs, oldestFirst, onOrder, selected, onSelect, onNearEnd, rowHeight } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const keyOf = useCallback((index: number) => jobs[index]?.jobId ?? index, [jobs]);
  const { rangeExtractor, watch } = useFocusedRow(keyOf);
  const virtual = useVirtualizer({
    rangeExtractor,
    count: jobs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: ROWS_AHEAD,
    getItemKey: keyOf,
  });
  const rows = virtual.getVirtualItems();
  useNearEnd(virtual.range?.endIndex ?? 0, jobs.length, onNearEnd);
  const follow = useFollow();
  const hrefOf = useHrefs();
  const router = useRouter();
  const actOnJobAt = (index: number, act: (job: ListedJob) => void) => {
    const one = jobs[index];
    if (one !== undefined) act(one);
  };
  const current = useListKeys({
    count: jobs.length,
    onOpen: (index) => actOnJobAt(index, ({ jobId }) => router.history.push(hrefOf(jobId))),
    onSelect: (index) => actOnJobAt(index, (one) => onSelect(one, !selected.has(one.jobId))),
    onMove: (index) => virtual.scrollToIndex(index),
    names: texts.jobs.keys,
  });
  useRowFocus(scroller, { current, rows: jobs, selector: `[data-index="${current}"] .row-link` });
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: pressing Enter on a link fires a click.
    <div
      role="table"
      className="jobs-table"
      aria-label={texts.jobs.list}
      aria-rowcount={jobs.length + 1}
      onClick={follow}
    >
      <Heads oldestFirst={oldestFirst} onOrder={onOrder} />
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
                aria-current={index === current ? true : undefined}
                className="list-row jobs-grid"
                style={{ ...AT_THE_TOP, height: rowHeight, transform: `translateY(${start}px)` }}
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

function Heads({ oldestFirst, onOrder }: Pick<JobListProps, 'oldestFirst' | 'onOrder'>): ReactNode {
  const { job, type, status, took, account, cost, age } = texts.jobs.columns;
  return (
    <div role="rowgroup">
      <div role="row" aria-rowindex={1} className="list-head jobs-grid">
        <span role="columnheader">
          <VisuallyHidden>{texts.jobs.choose}</VisuallyHidden>
        </span>
        <span role="columnheader">{job}</span>
        <span role="columnheader" className="jobs-kind">
          {type}
        </span>
        <span role="columnheader">{status}</span>
        <span role="columnheader" className="jobs-took">
          {took}
        </span>
        <span role="columnheader" className="jobs-account">
          {account}
        </span>
        <span role="columnheader" className="jobs-cost">
          {cost}
        </span>
        <span role="columnheader" className="jobs-age" aria-sort={oldestFirst ? 'ascending' : 'descending'}>
          <button
            type="button"
            className="sort"
            title={oldestFirst ? texts.jobs.newestFirst : texts.jobs.oldestFirst}
            onClick={() => onOrder(oldestFirst ? undefined : 'oldest')}
          >
            {age}
            <Icon name={oldestFirst ? 'arrow-up' : 'arrow-down'} size={14} />
          </button>
        </span>
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
  return (jobId) => `${PAGES_PATH}/jobs/${jobId}${query}`;
}

/** One click handler for all links: plain clicks navigate in the window, others are the browser's. */
function useFollow(): (event: MouseEvent) => void {
  const router = useRouter();
  return (event) => {
    const link = (event.target as Element).closest('a.row-link');
    const modified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (link === null || modified) return;
    event.preventDefault();
    router.history.push(link.getAttribute('href') ?? `${PAGES_PATH}/jobs`);
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
  const work = workOf(job);
  return (
    <>
      <span role="cell">
        <input
          type="checkbox"
          className="check"
          checked={selected}
          aria-label={texts.jobs.select({ name })}
          onChange={(event) => onSelect(job, event.currentTarget.checked)}
        />
      </span>
      <span role="cell" className="job-name">
        <Thumbnail job={job} work={work} />
        <a href={href} className="row-link" title={`${name}\n${job.jobId}`}>
          {name}
        </a>
        <PlainCopy value={job.jobId} label={texts.jobs.id} />
      </span>
      <span role="cell" className="jobs-kind">
        <KindWord work={work} />
      </span>
      <span role="cell" className="jobs-state">
        <ListedState job={job} />
      </span>
      <span role="cell" className="jobs-took num">
        <Took job={job} />
      </span>
      <span role="cell" className="jobs-account truncate" title={job.accountId}>
        {job.accountId === 'owner' ? texts.jobs.you : shortId(job.accountId)}
      </span>
      <span role="cell" className="jobs-cost num">
        <Cost paid={job.paid} />
      </span>
      <span role="cell" className="jobs-age faint">
        <Time at={job.createdAt} />
      </span>
    </>
  );
});

function Cost({ paid }: Pick<ListedJob, 'paid'>): ReactNode {
  if (paid === null) return <span className="faint">{texts.jobs.free}</span>;
  if (paid.status !== 'settled') return <span className="faint">{texts.jobs.notCharged}</span>;
  return <Money amount={paid.amount} mode={paid.mode} />;
}

const COPIED_MS = 1500;

/** Copies an ID, like `Copy` but with a plain button. */
function PlainCopy({ value, label }: { value: string; label: string }) {
  const [copied, setCopied] = useState(false);
  const copyJobValue = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <button
      type="button"
      className="copy-plain"
      aria-label={copied ? texts.common.copied : texts.common.copy({ what: label })}
      onClick={() => void copyJobValue()}
    >
      <Icon name={copied ? 'check' : 'copy'} size={14} />
    </button>
  );
}

/** What a job needs that nothing brings by itself; else what it waits for. */
function whatFor({ waitingFor }: ListedJob): string {
  const { need, nodes = [], percent } = waitingFor ?? {};
  const needsOwner = need !== undefined && nodes.length === 0 && percent === undefined;
  return needsOwner ? texts.jobs.needs[need] : waitWords({ waitingFor });
}

/** The state in words: how far a job is, why it failed, what it needs. The full sentence is shown on hover. */
function ListedState({ job }: { job: ListedJob }): ReactNode {
  const { status, error, waitingFor, progress } = job;
  if (status === 'processing') {
    return (
      <State tone={waitingFor === undefined ? 'busy' : 'idle'}>
        <span title={serverText(progress.message)}>{progressWords(job)}</span>
      </State>
    );
  }
  if (status === 'queued' && waitingFor !== undefined && waitingFor.kind !== 'thread') {
    return (
      <State tone={waitingFor.percent === undefined ? 'warn' : 'busy'}>
        <span title={serverText(waitingFor.problem?.message ?? waitingFor.reason)}>{whatFor(job)}</span>
      </State>
    );
  }
  if (error !== undefined && error.code !== 'cancelled') {
    return (
      <State tone="bad">
        <span title={`${failureText(error)}\n${error.code}`}>{messages.errors[error.code].label}</span>
      </State>
    );
  }
  return <JobState job={job} />;
}

/** Run time, growing while the job runs. Empty before the first run. */
function Took({ job: { startedAt, endedAt, status } }: { job: ListedJob }): ReactNode {
  return useTimedText((now) => {
    if (startedAt === null || (endedAt === null && status !== 'processing')) return '';
    const end = endedAt === null ? now : Date.parse(endedAt);
    return formatElapsedTime(Math.max(0, end - Date.parse(startedAt)));
  });
}
