// biome-ignore-all lint/a11y/useSemanticElements: these are regions that scroll, not groups of fields.
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';
import { useFocusedRow } from './focused-row.ts';

const ROWS_AHEAD = 8;
const PADDING = 8;

interface LongListProps {
  count: number;
  /** What a row is known by while others come and go; must stay the same function while they do not. */
  keyOf: (index: number) => number;
  /** Of a row that has not been measured. */
  rowHeight: number;
  maxHeight: number;
  label: string;
  className: string;
  /** The row that is kept in view; -1 for none. */
  current: number;
  children: (index: number) => ReactNode;
}

/** Rows of any number and height, in a box that scrolls: only those in view exist. */
export function LongList(props: LongListProps) {
  const { count, keyOf, rowHeight, maxHeight, label, className, current, children } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const { rangeExtractor, watch } = useFocusedRow(keyOf);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    getItemKey: keyOf,
    estimateSize: () => rowHeight,
    overscan: ROWS_AHEAD,
    paddingStart: PADDING,
    paddingEnd: PADDING,
    rangeExtractor,
  });
  useEffect(() => {
    const box = scroller.current;
    if (current < 0 || box === null) return;
    const row = virtual.getVirtualItems().find(({ index }) => index === current);
    const inView = row !== undefined && row.start >= box.scrollTop && row.end <= box.scrollTop + box.clientHeight;
    if (!inView) virtual.scrollToIndex(current, { align: 'center' });
  }, [current, virtual]);
  return (
    <div
      ref={scroller}
      className={`list-body ${className}`}
      style={{ maxHeight }}
      tabIndex={0}
      role="group"
      aria-label={label}
      {...watch}
    >
      <ol className="long-list" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => (
          <li
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            aria-posinset={index + 1}
            aria-setsize={count}
            style={{ transform: `translateY(${start}px)` }}
          >
            {children(index)}
          </li>
        ))}
      </ol>
    </div>
  );
}
