import { closest, distance } from 'fastest-levenshtein';

/** Names with a larger edit distance, or more than half of the letters, are no typo. */
const MAX_SLIP_DISTANCE = 3;

/** Shorter words are part of too many names. */
const PART_MIN_CHARS = 3;

/** The known name closest to a typo, or to a name with a word missing or added (`url`, `duration`). */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const guess = closest(name, [...known]);
  const slips = distance(guess, name);
  if (slips <= MAX_SLIP_DISTANCE && slips * 2 < Math.max(name.length, guess.length)) return guess;
  return known.find((candidate) => isPartOf(candidate, name) || isPartOf(name, candidate));
}

function isPartOf(part: string, whole: string): boolean {
  const [short, long] = [part.toLowerCase(), whole.toLowerCase()];
  return short.length >= PART_MIN_CHARS && (long.startsWith(short) || long.endsWith(short));
}
