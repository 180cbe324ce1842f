/** The entries of a table of texts, with the names that its type has. */
export function namedEntries<Name extends string, Value>(table: Readonly<Record<Name, Value>>): [Name, Value][] {
  return Object.entries(table) as [Name, Value][];
}

/** The entries of a table of texts as what a field offers to choose from. */
export function choicesOf<Name extends string>(labels: Readonly<Record<Name, string>>) {
  return namedEntries(labels).map(([value, label]) => ({ value, label }));
}
