/**
 * Lets whatever else waits for this thread go first. The database answers at once, so a loop over its answers alone
 * gives nobody a turn, however often it awaits.
 */
export function othersTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
