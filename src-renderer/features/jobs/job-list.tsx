// biome-ignore-all lint/a11y/useSemanticElements: rows are laid out by position, which takes a table's own roles away.
// biome-ignore-all lint/a11y/useFocusableInteractive: this is a table to read; its links and boxes take the focus.
import { VisuallyHidden } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, useCallback, useEffect, useRef } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import type { ListedJob } from '../../api/types.ts';
import { useFocusedRow } from '../../components/focused-row.ts';
import { texts } from '../../components/texts.ts';
import { JobCells } from './job-list-item.tsx';

const ROW_HEIGHT = 46;
const ROWS_AHEAD = 6;
/** The next page is asked for this many rows before the end is reached. */
const NEAR_END = 30;

export interface JobListProps {
  jobs: readonly ListedJob[];
  selected: ReadonlySet<string>;
  onSelect: (job: ListedJob, selected: boolean) => void;
  onNearEnd: () => void;
}

/** A list of any length: only the rows in view exist. */
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
    // biome-ignore lint/a11y/useKeyWithClickEvents: the links in it are followed by keyboard as links are: by a click.
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
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

/** Addresses of jobs in this environment, made without asking the router for each row. */
function useHrefs(): (jobId: string) => string {
  const query = useEnvironment() === 'staging' ? '?environment=staging' : '';
  return (jobId) => `/jobs/${jobId}${query}`;
}

/** One listener for all links of the list: a plain click stays in the window, any other is the browser's. */
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
