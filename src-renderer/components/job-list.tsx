// biome-ignore-all lint/a11y/useSemanticElements: rows are laid out by position, which takes a table's own roles away.
// biome-ignore-all lint/a11y/useFocusableInteractive: this is a table to read; its links and boxes take the focus.
import { VisuallyHidden } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { ListedJob } from '../api/types.ts';
import { texts } from '../texts.ts';
import { JobCells } from './job-list-item.tsx';

const ROW_HEIGHT = 46;
const ROWS_AHEAD = 12;
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
  const virtual = useVirtualizer({
    count: jobs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: ROWS_AHEAD,
    getItemKey: (index) => jobs[index]?.jobId ?? index,
  });
  const rows = virtual.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= jobs.length - NEAR_END) onNearEnd();
  }, [last, jobs.length, onNearEnd]);
  const { job, type, status, progress, created } = texts.jobs.columns;
  return (
    <div role="table" aria-label={texts.jobs.list} aria-rowcount={jobs.length + 1}>
      <div role="rowgroup">
        <div role="row" aria-rowindex={1} className="list-head jobs-grid">
          <span role="columnheader">
            <VisuallyHidden>{texts.jobs.choose}</VisuallyHidden>
          </span>
          <span role="columnheader">{job}</span>
          <span role="columnheader">{type}</span>
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
      <div ref={scroller} role="rowgroup" className="list-body jobs-body" tabIndex={0}>
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }} role="presentation">
          {rows.map(({ key, index, start }) => {
            const one = jobs[index];
            if (one === undefined) return null;
            return (
              <div
                key={key}
                role="row"
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
                <JobCells job={one} selected={selected.has(one.jobId)} onSelect={onSelect} />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
