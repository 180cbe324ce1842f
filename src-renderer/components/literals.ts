/** Literals whose type inference would widen or narrow. */

export function pair(one: string, other: string): [string, string] {
  return [one, other];
}

/** Words by a value that the server may extend. */
export function wordsBy<Words = string>(words: Record<string, Words>): Record<string, Words> {
  return words;
}
