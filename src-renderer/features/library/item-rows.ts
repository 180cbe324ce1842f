/** The rows of a list of items: days, rows of one or several items, and room for what is not loaded. */
import type { LibraryItem } from '../../api/generated/public.ts';
import type { ItemOrder } from '../../api/library.ts';
import { localDay } from '../../api/reader-days.ts';

export type ItemRow =
  /** `count` is null while the day may go on. */
  | { kind: 'day'; key: string; day: string; count: number | null }
  | { kind: 'items'; key: string; first: number; items: readonly LibraryItem[] }
  | { kind: 'room'; key: string; first: number };

export interface ItemRows {
  rows: readonly ItemRow[];
  /** The row of each item. */
  rowOf: readonly number[];
}

interface Layout {
  total: number;
  /** Items of a row. */
  columns: number;
  order: ItemOrder;
}

/** Items in their order, below a heading for each day; titles have none. */
export function rowsOf(items: readonly LibraryItem[], { total, columns, order }: Layout): ItemRows {
  const rows: ItemRow[] = [];
  const rowOf: number[] = [];
  let from = 0;
  while (from < items.length) {
    const day = dayOf(items[from], order);
    let to = from + 1;
    while (to < items.length && dayOf(items[to], order) === day) to += 1;
    const isWhole = to < items.length || items.length >= total;
    if (day !== '') rows.push({ kind: 'day', key: `day ${day}`, day, count: isWhole ? to - from : null });
    for (let first = from; first < to; first += columns) {
      const some = items.slice(first, Math.min(first + columns, to));
      for (const _ of some) rowOf.push(rows.length);
      rows.push({ kind: 'items', key: some[0]?.itemId ?? `${first}`, first, items: some });
    }
    from = to;
  }
  for (let first = items.length; first < total; first += columns) {
    rows.push({ kind: 'room', key: `room ${first}`, first });
  }
  return { rows, rowOf };
}

function dayOf(item: LibraryItem | undefined, order: ItemOrder): string {
  if (item === undefined || order === 'title') return '';
  return localDay(order === 'updated' ? item.updatedAt : item.addedAt);
}
