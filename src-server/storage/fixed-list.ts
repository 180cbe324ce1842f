/** Lengths that a list of parameters may have. */
const LENGTHS = [1, 8, 64, 256];

/**
 * A list for `in (…)`, filled up with its last value to one of a few lengths: a statement's text then comes again and
 * is found ready, where each other length would be prepared anew.
 */
export function asFixedList<Value>(values: readonly Value[]): Value[] {
  const last = values.at(-1);
  const length = LENGTHS.find((one) => one >= values.length) ?? values.length;
  if (last === undefined) return [];
  return [...values, ...Array.from({ length: length - values.length }, () => last)];
}
