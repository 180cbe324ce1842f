import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { LibraryItem } from '../../api/generated/public.ts';
import { ITEMS_PAGE, type ItemQuery, itemsQuery } from '../../api/library.ts';

interface ItemsPage {
  items: LibraryItem[];
  total: number;
}

interface Gathered {
  /** From the first on, without a gap. */
  items: readonly LibraryItem[];
  /** Of all that the filter leaves; undefined until it is known. */
  total: number | undefined;
  /** Shown while another filter's first page loads. */
  isOld: boolean;
  error: Error | null;
  retry: () => void;
}

export interface ItemList extends Gathered {
  /** Loads the items up to this place. */
  reach: (index: number) => void;
}

/** The items that a query leaves. Pages load when the list needs them, several at a time for a jump. */
export function useItems(query: ItemQuery): ItemList {
  const environment = useEnvironment();
  const key = JSON.stringify([environment, query]);
  const [wanted, setWanted] = useState({ key, pages: 1 });
  const pages = wanted.key === key ? wanted.pages : 1;
  const gathered = useQueries({
    queries: Array.from({ length: pages }, (_, page) => itemsQuery(environment, query, page)),
    combine: gatherPages,
  });
  const { total = 0 } = gathered;
  const reach = useCallback(
    (index: number) => {
      const last = Math.max(1, Math.ceil(Math.min(index + 1, total) / ITEMS_PAGE));
      setWanted((before) => {
        const known = before.key === key ? before.pages : 1;
        return last > known || before.key !== key ? { key, pages: Math.max(known, last) } : before;
      });
    },
    [key, total],
  );
  return { ...gathered, reach };
}

function gatherPages(pages: UseQueryResult<ItemsPage>[]): Gathered {
  const missing = pages.findIndex(({ data }) => data === undefined);
  const loaded = missing < 0 ? pages : pages.slice(0, missing);
  const known = new Map(loaded.flatMap(({ data }) => data?.items ?? []).map((item) => [item.itemId, item]));
  return {
    items: [...known.values()],
    total: pages[0]?.data?.total,
    isOld: pages[0]?.isPlaceholderData ?? false,
    error: pages.find(({ isError }) => isError)?.error ?? null,
    retry: () => {
      for (const page of pages) if (page.isError) void page.refetch();
    },
  };
}
