/**
 * Works on the items, at most `limit` at once, and gives the results in the items' order. The first failure stops the
 * others through the signal each is handed, and is what is thrown, after all have ended.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  signal: AbortSignal,
  work: (item: Item, together: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  const failed = new AbortController();
  const together = AbortSignal.any([signal, failed.signal]);
  const waiting = items.entries();
  let failure: { error: unknown } | null = null;
  const lane = async () => {
    for (const [index, item] of waiting) {
      if (together.aborted) return;
      try {
        results[index] = await work(item, together);
      } catch (error) {
        failure ??= { error };
        failed.abort(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  signal.throwIfAborted();
  if (failure !== null) throw (failure as { error: unknown }).error;
  return results;
}
