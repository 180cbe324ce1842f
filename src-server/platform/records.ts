export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value's properties; none where it is no object. */
export function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/**
 * A table that is asked by foreign words: it lacks the names that every object has, such as `constructor` and
 * `toString`, which would be found as functions.
 */
export function byName<Value>(entries: Readonly<Record<string, Value>>): Record<string, Value> {
  const table: Record<string, Value> = Object.create(null);
  return Object.assign(table, entries);
}
