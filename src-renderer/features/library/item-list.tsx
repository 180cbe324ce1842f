// biome-ignore-all lint/a11y/useSemanticElements: absolutely positioned rows lose the native table roles.
// biome-ignore-all lint/a11y/useFocusableInteractive: this table is read-only; its links and checkboxes take the focus.

import { VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useRouter } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type MouseEvent,
  memo,
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { PAGES_PATH } from '../../api/base-path.ts';
import { useEnvironment } from '../../api/client.ts';
import type { LibraryItem } from '../../api/generated/public.ts';
import type { ItemOrder } from '../../api/library.ts';
import { serverNow } from '../../api/server-time.ts';
import { useRowFocus } from '../../components/focus.ts';
import { foreignText } from '../../components/foreign-text.ts';
import { formatByteCount, formatWholeNumber, joinTexts } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { useFocusedRow } from '../../components/long-list.tsx';
import { Time } from '../../components/page-elements.tsx';
import { Cover } from './cover.tsx';
import { fittingColumns, type ItemColumn, tracksOf, useItemColumns } from './item-columns.ts';
import { type ItemRow, rowsOf } from './item-rows.ts';
import { dayWords, KIND_LOOKS, languageName, lengthOf, sourceName } from './item-words.ts';
import { library as texts } from './texts.ts';

export type View = 'grid' | 'list';

export interface ItemListHandle {
  /** Scrolls an item into view; to the top with `start`. */
  show: (index: number, align?: 'start' | 'auto') => void;
  /** Items of a row. */
  columns: () => number;
}

interface ItemListProps {
  view: View;
  items: readonly LibraryItem[];
  total: number;
  order: ItemOrder;
  /** Names of collections by identifier. */
  names: ReadonlyMap<string, string>;
  selected: ReadonlySet<string>;
  /** The item of the keyboard; -1 for none. */
  current: number;
  handle: Ref<ItemListHandle>;
  /** With `range`, all items from the last chosen one to it. */
  onSelect: (index: number, selected: boolean, range: boolean) => void;
  onFirst: (index: number) => void;
  /** The last item in view: what comes after it is needed soon. */
  onLast: (index: number) => void;
  /** In place of the date, such as the days left. */
  last?: { head: string; of: (item: LibraryItem) => string };
  children?: ReactNode;
}

const PHONE = '(max-width: 720px)';

const GAP = 18;

const COVER_WIDTH = 168;

const PHONE_COLUMNS = 2;

/** Below a cover: two lines of title and one of facts. */
const WORDS_HEIGHT = 88;

const HEIGHTS = { day: 30, gridDay: 42, row: 38, phoneRow: 63 } as const;

const ROWS_AHEAD = 4;

/** The list of items as covers or as rows. Only rows near the window are laid out. */
export function ItemList(props: ItemListProps): ReactNode {
  const { view, items, total, order, selected, current, handle, onFirst, onLast } = props;
  const box = useRef<HTMLDivElement>(null);
  const { width, margin } = usePlace(box);
  const isPhone = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  const columns = columnsFor(view, width, isPhone);
  const cells = useShownColumns(props, width, isPhone);
  const { rows, rowOf } = useMemo(() => rowsOf(items, { total, columns, order }), [items, total, columns, order]);
  const heightOf = (row: ItemRow | undefined) => rowHeight(row, { view, width, columns, isPhone });
  const keyOf = useCallback((index: number) => rows[index]?.key ?? index, [rows]);
  const { rangeExtractor, watch } = useFocusedRow(keyOf);
  const virtual = useWindowVirtualizer({
    count: width === 0 ? 0 : rows.length,
    estimateSize: (index) => heightOf(rows[index]),
    overscan: ROWS_AHEAD,
    scrollMargin: margin,
    scrollPaddingStart: 48,
    scrollPaddingEnd: 72,
    getItemKey: keyOf,
    rangeExtractor,
  });
  // Heights follow from the rows, and are not measured.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above.
  useLayoutEffect(() => virtual.measure(), [rows, width, view, isPhone]);
  useImperativeHandle(
    handle,
    () => ({
      show: (index, align = 'auto') => virtual.scrollToIndex(rowOf[index] ?? 0, { align }),
      columns: () => columns,
    }),
    [virtual, rowOf, columns],
  );
  useShownItems(rows, virtual.range, { onFirst, onLast });
  useRowFocus(box, { current, rows, selector: `[data-item="${current}"] [data-open]` });
  const query = useEnvironment() === 'staging' ? '?environment=staging' : '';
  const hrefOf = (itemId: string) => `${PAGES_PATH}/items/${itemId}${query}`;
  const press = usePress(props);
  const shared = { ...props, hrefOf, cells };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: pressing Enter on a link fires a click.
    <div
      ref={box}
      role="table"
      className="items"
      data-view={view}
      aria-label={texts.listName}
      aria-rowcount={total + 1}
      data-choosing={selected.size > 0}
      style={{ '--item-tracks': tracksOf(cells) } as React.CSSProperties}
      onClick={press}
      onMouseDown={(event) => {
        // A range is chosen, not its text.
        if (event.shiftKey) event.preventDefault();
      }}
      {...watch}
    >
      {view === 'list' ? <Heads {...shared} /> : <HiddenHeads />}
      <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map(({ index, key, start, size }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const style = { height: size, transform: `translateY(${start - margin}px)` };
          return <Row key={key} {...{ row, style, index, columns }} {...shared} current={current} />;
        })}
      </div>
    </div>
  );
}

/** A row of a phone has two lines of its own. */
const PHONE_CELLS: readonly ItemColumn[] = ['length', 'added'];

function useShownColumns({ last }: ItemListProps, width: number, isPhone: boolean): readonly ItemColumn[] {
  const { columns } = useItemColumns();
  const stands = last !== undefined;
  return useMemo(() => {
    if (isPhone) return PHONE_CELLS;
    return fittingColumns(stands && !columns.includes('added') ? [...columns, 'added'] : columns, width);
  }, [columns, width, isPhone, stands]);
}

function columnsFor(view: View, width: number, isPhone: boolean): number {
  if (view === 'list') return 1;
  return isPhone ? PHONE_COLUMNS : Math.max(2, Math.round((width + GAP) / (COVER_WIDTH + GAP)));
}

interface Measures {
  view: View;
  width: number;
  columns: number;
  isPhone: boolean;
}

function rowHeight(row: ItemRow | undefined, { view, width, columns, isPhone }: Measures): number {
  if (row?.kind === 'day') return view === 'grid' ? HEIGHTS.gridDay : HEIGHTS.day;
  if (view === 'list') return isPhone ? HEIGHTS.phoneRow : HEIGHTS.row;
  const cover = (width - GAP * (columns - 1)) / columns;
  return Math.round(cover * 0.75) + WORDS_HEIGHT;
}

/** Width of the list and its distance from the top of the page. */
function usePlace(box: React.RefObject<HTMLDivElement | null>) {
  const [place, setPlace] = useState({ width: 0, margin: 0 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measurePlace = () => {
      const { top, width } = (element.querySelector('[role="rowgroup"]:last-child') ?? element).getBoundingClientRect();
      const next = { width: Math.floor(width), margin: Math.round(top + window.scrollY) };
      setPlace((before) => (before.width === next.width && before.margin === next.margin ? before : next));
    };
    measurePlace();
    const watcher = new ResizeObserver(measurePlace);
    watcher.observe(element);
    watcher.observe(document.body);
    return () => watcher.disconnect();
  }, [box]);
  return place;
}

function useShownItems(
  rows: readonly ItemRow[],
  range: { startIndex: number; endIndex: number } | null,
  { onFirst, onLast }: Pick<ItemListProps, 'onFirst' | 'onLast'>,
): void {
  const first = firstItemOf(rows, range?.startIndex ?? 0);
  const last = firstItemOf(rows, range?.endIndex ?? 0);
  useEffect(() => onFirst(first), [first, onFirst]);
  useEffect(() => onLast(last), [last, onLast]);
}

function firstItemOf(rows: readonly ItemRow[], index: number): number {
  for (const row of rows.slice(index, index + 2)) if (row.kind !== 'day') return row.first;
  return 0;
}

/** One click handler for all links: plain clicks navigate in the window, others are the browser's. */
function useFollow(): (event: MouseEvent) => void {
  const router = useRouter();
  return (event) => {
    const href = (event.target as Element).closest('a[data-open]')?.getAttribute('href');
    const modified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (href == null || modified) return;
    event.preventDefault();
    router.history.push(href);
  };
}

/** One click handler for the list: it opens an item, or chooses it with its box, Shift or Ctrl. */
function usePress({ items, selected, onSelect }: ItemListProps): (event: MouseEvent) => void {
  const follow = useFollow();
  return (event) => {
    const index = Number((event.target as Element).closest('[data-item]')?.getAttribute('data-item') ?? -1);
    const box = event.target instanceof HTMLInputElement ? event.target : null;
    if (index < 0 || (box === null && !event.shiftKey && !event.ctrlKey && !event.metaKey)) return follow(event);
    if (box === null) event.preventDefault();
    const id = items[index]?.itemId ?? '';
    onSelect(index, box?.checked ?? !selected.has(id), event.shiftKey);
  };
}

function HiddenHeads() {
  return (
    <VisuallyHidden role="rowgroup">
      <div role="row">
        <span role="columnheader">{texts.listName}</span>
      </div>
    </VisuallyHidden>
  );
}

interface Cells {
  /** The columns beside the title. */
  cells: readonly ItemColumn[];
}

function Heads({ last, items, selected, onSelect, cells }: ItemListProps & Cells) {
  const isAll = items.length > 0 && selected.size >= items.length;
  return (
    <div role="rowgroup" className="items-head">
      <div role="row" aria-rowindex={1} className="item-grid">
        <span role="columnheader">
          <input
            type="checkbox"
            className="check"
            aria-label={texts.chooseAll}
            checked={isAll}
            ref={(box) => {
              if (box !== null) box.indeterminate = selected.size > 0 && !isAll;
            }}
            onChange={() => onSelect(-1, selected.size === 0, false)}
          />
        </span>
        <span role="columnheader">{texts.columns.title}</span>
        {cells.map((name) => (
          <span key={name} role="columnheader" className={`item-${name}`}>
            {name === 'added' && last !== undefined ? last.head : texts.columns[name]}
          </span>
        ))}
      </div>
    </div>
  );
}

type RowProps = ItemListProps &
  Cells & {
    row: ItemRow;
    style: React.CSSProperties;
    /** Of the row. */
    index: number;
    columns: number;
    hrefOf: (itemId: string) => string;
  };

function Row({ row, style, index, columns, ...props }: RowProps): ReactNode {
  const { view, selected, current, hrefOf, names, last, cells } = props;
  if (row.kind === 'day') {
    return (
      <div role="row" className="items-day" style={style} data-index={index}>
        <DayCell day={row.day} count={row.count} />
      </div>
    );
  }
  if (row.kind === 'room') {
    return (
      <div role="row" className="items-room" style={{ ...style, '--columns': columns } as React.CSSProperties}>
        <span role="cell">
          {Array.from({ length: columns }, (_, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: places are equal and never move.
            <span key={place} className="room-place" />
          ))}
        </span>
      </div>
    );
  }
  if (view === 'list') {
    const [item] = row.items;
    if (item === undefined) return null;
    const chosen = selected.has(item.itemId);
    return (
      <div
        role="row"
        data-index={index}
        data-item={row.first}
        aria-rowindex={row.first + 2}
        aria-selected={chosen}
        aria-current={row.first === current ? true : undefined}
        className="item-row item-grid"
        style={style}
      >
        <ListCells
          item={item}
          href={hrefOf(item.itemId)}
          chosen={chosen}
          collection={collectionWords(item, names)}
          last={last?.of(item)}
          cells={cells}
        />
      </div>
    );
  }
  return (
    <div
      role="row"
      className="covers"
      style={{ ...style, '--columns': columns } as React.CSSProperties}
      data-index={index}
    >
      {row.items.map((item, place) => (
        <GridCell
          key={item.itemId}
          item={item}
          index={row.first + place}
          href={hrefOf(item.itemId)}
          chosen={selected.has(item.itemId)}
          isCurrent={row.first + place === current}
          name={names.get(item.collections[0] ?? '')}
        />
      ))}
    </div>
  );
}

const DayCell = memo(function DayCell({ day, count }: { day: string; count: number | null }) {
  const { name, date } = dayWords(day, serverNow());
  const counted = count === null ? '' : formatWholeNumber(count);
  return (
    <div role="cell">
      <h2>
        {name} <span className="items-date">{[date, counted].filter((part) => part !== '').join(' · ')}</span>
      </h2>
    </div>
  );
});

interface CellsProps {
  item: LibraryItem;
  href: string;
  chosen: boolean;
}

interface ListCellsProps extends CellsProps, Cells {
  collection: string;
  last: string | undefined;
}

/** Names of the collections that an item was put into. */
function collectionWords({ collections }: LibraryItem, names: ReadonlyMap<string, string>): string {
  const [first, ...others] = collections.flatMap((id) => names.get(id) ?? []);
  if (first === undefined) return '';
  return others.length === 0 ? first : joinTexts([first, ...others]);
}

/** The cells of one item. Plain elements: scrolling creates dozens of rows at once. */
const ListCells = memo(function ListCells({ item, href, chosen, collection, last, cells }: ListCellsProps) {
  const { title, notes, versions } = item;
  return (
    <>
      <span role="cell">
        <input
          type="checkbox"
          className="check"
          checked={chosen}
          aria-label={texts.choose({ title })}
          // The click of the list chooses.
          onChange={() => {}}
        />
      </span>
      <span role="cell" className="item-title">
        <Cover item={item} small />
        <a href={href} data-open className="row-link" title={title} {...foreignText(item.language)}>
          {title}
        </a>
        {notes > 0 && <Mark icon="sticky-note" count={notes} label={texts.notes({ count: notes })} />}
        {versions > 1 && <Mark icon="history" count={versions} label={texts.versions({ count: versions })} />}
      </span>
      {cells.map((name) => (
        <ListCell key={name} {...{ name, item, collection, last }} />
      ))}
    </>
  );
});

interface ListCellProps {
  name: ItemColumn;
  item: LibraryItem;
  collection: string;
  last: string | undefined;
}

function ListCell({ name, item, collection, last }: ListCellProps): ReactNode {
  const { kind, state, tags } = item;
  switch (name) {
    case 'length':
      return (
        <span role="cell" className={`item-length kind k-${KIND_LOOKS[kind].group}`}>
          <Icon name={KIND_LOOKS[kind].icon} size={14} />
          <ItemFact item={item} />
        </span>
      );
    case 'tags':
      return (
        <span role="cell" className="item-tags">
          {tags.slice(0, 3).map((tag) => (
            <span key={tag} className="tag">
              {tag}
            </span>
          ))}
          {tags.length > 3 && <span className="faint tiny">+{tags.length - 3}</span>}
        </span>
      );
    case 'added':
      return (
        <span role="cell" className="item-added" data-state={state}>
          {last ?? <Time at={item.addedAt} />}
        </span>
      );
    default: {
      const words = cellWords(name, item, collection);
      return (
        <span role="cell" className={`item-${name} truncate`} title={words}>
          <bdi>{words}</bdi>
        </span>
      );
    }
  }
}

function cellWords(name: ItemColumn, item: LibraryItem, collection: string): string {
  switch (name) {
    case 'kind':
      return texts.kindName(item.kind);
    case 'collection':
      return collection;
    case 'speakers':
      return item.speakers.length === 0 ? '' : joinTexts(item.speakers);
    case 'language':
      return item.language === null ? '' : languageName(item.language);
    case 'size':
      return item.bytes === null ? '' : formatByteCount(item.bytes);
    default:
      return sourceName(item);
  }
}

function Mark({ icon, count, label }: { icon: 'sticky-note' | 'history'; count: number; label: string }) {
  return (
    <span className="item-mark" title={label}>
      <Icon name={icon} size={14} />
      <span aria-hidden="true">{count}</span>
      <span className="hidden-text">{label}</span>
    </span>
  );
}

/** Its length, or what becomes of it. */
function ItemFact({ item }: { item: LibraryItem }): ReactNode {
  if (item.state !== 'ready') return <span data-state={item.state}>{texts.states[item.state]}</span>;
  return <span className="num">{lengthOf(item) ?? texts.kindName(item.kind)}</span>;
}

interface GridCellProps extends CellsProps {
  index: number;
  isCurrent: boolean;
  /** Of its first collection. */
  name: string | undefined;
}

const GridCell = memo(function GridCell({ item, index, href, chosen, isCurrent, name }: GridCellProps) {
  const { title, kind, state } = item;
  const { icon, group } = KIND_LOOKS[kind];
  const length = state === 'ready' ? lengthOf(item) : null;
  return (
    <div
      role="cell"
      className="card"
      data-item={index}
      data-chosen={chosen}
      aria-current={isCurrent ? true : undefined}
    >
      <a href={href} data-open title={title}>
        <Cover item={item} length={length} />
        <span className="card-title" {...foreignText(item.language)}>
          {title}
        </span>
      </a>
      <span className={`card-facts k-${group}`} data-state={state}>
        <Icon name={icon} size={14} />
        <bdi className="truncate">{state === 'ready' ? (name ?? sourceName(item)) : texts.states[state]}</bdi>
      </span>
      <input
        type="checkbox"
        className="check card-check"
        checked={chosen}
        aria-label={texts.choose({ title })}
        // The click of the list chooses.
        onChange={() => {}}
      />
    </div>
  );
});
