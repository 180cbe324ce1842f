/** The list that an item was opened from, for the keys that lead to its neighbours. */

let listed: readonly string[] = [];

export function rememberList(items: readonly { itemId: string }[]): void {
  listed = items.map(({ itemId }) => itemId);
}

/** The item before and after one in that list; null at its ends. */
export function neighboursOf(itemId: string): { before: string | null; after: string | null } {
  const place = listed.indexOf(itemId);
  if (place < 0) return { before: null, after: null };
  return { before: listed[place - 1] ?? null, after: listed[place + 1] ?? null };
}
