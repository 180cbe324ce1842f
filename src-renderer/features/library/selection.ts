import { useCallback, useMemo, useRef, useState } from 'react';
import { apiPath, requestJson } from '../../api/client.ts';
import type { LibraryItem } from '../../api/generated/public.ts';
import { ITEMS_PAGE, type ItemFilter } from '../../api/library.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { inReadersDays } from '../../api/reader-days.ts';

/** Items of one change. */
export const SELECTION_MAX = 10_000;

/** Requests at a time. */
const TOGETHER = 4;

export interface Selection {
  /** In the order in which they were chosen. */
  items: readonly LibraryItem[];
  ids: ReadonlySet<string>;
  choose: (items: readonly LibraryItem[], chosen: boolean) => void;
  /** Chooses or leaves the item at a place; with `range`, all from the last one to it. */
  chooseAt: (index: number, chosen: boolean, range: boolean) => void;
  clear: () => void;
}

const NOTHING: ReadonlyMap<string, LibraryItem> = new Map();

/** The chosen items of a list. They stay chosen when filters hide them, until the selection is cleared. */
export function useSelection(listed: readonly LibraryItem[]): Selection {
  const [chosenItems, setChosen] = useState(NOTHING);
  const last = useRef(-1);
  const list = useRef(listed);
  list.current = listed;
  const choose = useCallback((items: readonly LibraryItem[], chosen: boolean) => {
    setChosen((before) => {
      const next = new Map(before);
      for (const item of items) {
        if (chosen) next.set(item.itemId, item);
        else next.delete(item.itemId);
      }
      return next;
    });
  }, []);
  const chooseAt = useCallback(
    (index: number, chosen: boolean, range: boolean) => {
      const from = range && last.current >= 0 ? last.current : index;
      last.current = index;
      choose(list.current.slice(Math.min(from, index), Math.max(from, index) + 1), chosen);
    },
    [choose],
  );
  const clear = useCallback(() => {
    last.current = -1;
    setChosen(NOTHING);
  }, []);
  // Tags and titles are those of now.
  const items = useMemo(() => {
    if (chosenItems.size === 0) return [];
    const current = new Map(listed.map((item) => [item.itemId, item]));
    return [...chosenItems.values()].map((item) => current.get(item.itemId) ?? item);
  }, [chosenItems, listed]);
  const ids = useMemo(() => new Set(chosenItems.keys()), [chosenItems]);
  return { items, ids, choose, chooseAt, clear };
}

interface ItemsPage {
  items: LibraryItem[];
  /** Of all pages. */
  total: number;
}

/** All items that a filter leaves now, at most 10,000, whatever the list shows so far; with the number of all. */
export async function gatherItems(
  environment: EnvironmentName,
  filter: ItemFilter,
  deleted: boolean,
): Promise<ItemsPage> {
  const readPage = (page: number) => {
    const query = {
      ...inReadersDays(filter),
      deleted: deleted ? 'true' : undefined,
      limit: ITEMS_PAGE,
      offset: page * ITEMS_PAGE,
    };
    return requestJson<ItemsPage>(apiPath(environment, '/library/items', query));
  };
  const { items, total } = await readPage(0);
  const found = [items];
  const pages = Math.ceil(Math.min(total, SELECTION_MAX) / ITEMS_PAGE);
  const waiting = Array.from({ length: Math.max(0, pages - 1) }, (_, index) => index + 1);
  const read = async () => {
    for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) {
      found[page] = (await readPage(page)).items;
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, read));
  return { items: found.flat(), total };
}
