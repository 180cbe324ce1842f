import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { useFocusedRow } from '../../components/long-list.tsx';

export interface ListHandle {
  /** Scrolls a row into view, below the tools; only if it is out of view with `nearest`. */
  show: (row: number, how?: 'start' | 'nearest') => void;
}

interface WindowListProps {
  count: number;
  /** Height of a row that has not been laid out. */
  estimate: (row: number) => number;
  /** Names a list for screen readers. Without it, the rows are running text. */
  label?: string;
  className?: string;
  handle?: Ref<ListHandle>;
  /** The first row below the tools, while the page scrolls. */
  onFirst?: (row: number) => void;
  /** Attributes of a row's element. */
  attributesOf?: (row: number) => Record<string, unknown>;
  children: (row: number) => ReactNode;
}

/** Height of the tools that stay above the list. */
const TOOLS_HEIGHT = 64;

const ROWS_AHEAD = 10;

const sameKey = (row: number): number => row;

const emptyRowProps = () => ({});

/** A list of any length that scrolls with the page. Only rows near the window are laid out. */
export function WindowList(props: WindowListProps) {
  const { count, estimate, label, className = '', handle, onFirst, attributesOf = emptyRowProps, children } = props;
  const list = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  const { rangeExtractor, watch } = useFocusedRow(sameKey);
  const virtual = useWindowVirtualizer({
    count,
    estimateSize: estimate,
    overscan: ROWS_AHEAD,
    scrollMargin: margin,
    scrollPaddingStart: TOOLS_HEIGHT,
    rangeExtractor,
  });
  useLayoutEffect(() => {
    const box = list.current;
    if (box === null) return;
    const measureListMargin = () => setMargin(Math.round(box.getBoundingClientRect().top + window.scrollY));
    measureListMargin();
    const watcher = new ResizeObserver(measureListMargin);
    watcher.observe(document.body);
    return () => watcher.disconnect();
  }, []);
  useImperativeHandle(
    handle,
    () => ({
      show: (row, how = 'start') => {
        const element = list.current?.querySelector(`[data-index="${row}"]`)?.getBoundingClientRect();
        const inView =
          element !== undefined && element.top >= TOOLS_HEIGHT && element.bottom <= innerHeight - TOOLS_HEIGHT;
        if (how === 'start' || !inView) virtual.scrollToIndex(row, { align: how === 'start' ? 'start' : 'center' });
      },
    }),
    [virtual],
  );
  const first = virtual.getVirtualItemForOffset((virtual.scrollOffset ?? 0) + TOOLS_HEIGHT)?.index ?? 0;
  useEffect(() => onFirst?.(first), [first, onFirst]);
  return (
    <div
      ref={list}
      className={`window-list ${className}`}
      {...(label === undefined ? {} : { role: 'list', 'aria-label': label })}
      {...watch}
    >
      <div style={{ height: virtual.getTotalSize() }} role="presentation">
        {virtual.getVirtualItems().map(({ index, key, start }) => (
          <div
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            {...(label === undefined ? {} : { role: 'listitem', 'aria-posinset': index + 1, 'aria-setsize': count })}
            style={{ transform: `translateY(${start - margin}px)` }}
            {...attributesOf(index)}
          >
            {children(index)}
          </div>
        ))}
      </div>
    </div>
  );
}
