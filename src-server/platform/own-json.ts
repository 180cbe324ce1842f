/**
 * Reads JSON that Quarry wrote itself, into its database, its files or a message to its own process: the one place that
 * believes a shape without a schema. What others wrote is unknown until a schema has parsed it. Errors: SyntaxError.
 */
export function parseOwnJson<T>(text: string): T {
  const value: T = JSON.parse(text);
  return value;
}

/** The same for JSON files that ship with Quarry, whose types inference widens. */
export function ownData<T>(data: unknown): T {
  return data as T;
}
