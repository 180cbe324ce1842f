// biome-ignore-all lint/a11y/useSemanticElements: these are scrollable regions, not groups of fields.
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.

import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { type FocusEvent, type Key, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';

const ROWS_AHEAD = 8;

const PADDING = 8;

interface LongListProps {
  count: number;
  /** Stable key of a row. Must be the same function while the rows do not change. */
  keyOf: (index: number) => number;
  /** Estimate for a row that has not been measured. */
  rowHeight: number;
  maxHeight: number;
  label: string;
  className: string;
  /** The row to keep in view; -1 for none. */
  current: number;
  children: (index: number) => ReactNode;
}

/** A virtualised list with rows of any height. */
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

/**
 * For virtualised lists: keeps the focused row and its neighbours rendered while the list scrolls. Otherwise the focus
 * would be lost, and the Tab key would leave the list before it scrolls. Rows have `data-index` and are tracked by key,
 * because rows may be inserted before them.
 * @param keyOf must be the same function while the rows do not change
 */
export function useFocusedRow(keyOf: (index: number) => Key) {
  const [focused, setFocused] = useState<Key | null>(null);
  const lastIndex = useRef(-1);
  const rangeExtractor = useCallback(
    (range: Range) => {
      const shown = defaultRangeExtractor(range);
      if (focused === null) return shown;
      const at = nearestIndexOf(focused, { keyOf, count: range.count, near: lastIndex.current });
      if (at < 0) return shown;
      lastIndex.current = at;
      const kept = [at - 1, at, at + 1].filter((index) => index >= 0 && index < range.count);
      return [...new Set([...shown, ...kept])].sort((one, other) => one - other);
    },
    [focused, keyOf],
  );
  const onFocus = ({ target }: FocusEvent) => {
    const index = Number(target.closest('[data-index]')?.getAttribute('data-index') ?? -1);
    lastIndex.current = index;
    setFocused(index < 0 ? null : keyOf(index));
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    // While the focus moves to another row, keep the row rendered.
    if (!currentTarget.contains(relatedTarget)) setFocused(null);
  };
  return { rangeExtractor, watch: { onFocus, onBlur } };
}

/** Searches outward from the last index: changes are small and lists are long. */
function nearestIndexOf(
  key: Key,
  { keyOf, count, near }: { keyOf: (index: number) => Key; count: number; near: number },
): number {
  for (let away = 0; away <= Math.max(near, count - near); away += 1) {
    for (const index of [near + away, near - away]) {
      if (index >= 0 && index < count && keyOf(index) === key) return index;
    }
  }
  return -1;
}
