/** What recognisers write that nobody said: names of noises, and sentences that they fall into over and over. */
import type { TranscriptSegment } from '../../src-server/contract/index.ts';

/** [BLANK_AUDIO], (applause), *music*, ♪; what is sung between two notes was said. */
const NO_SPEECH = /^(?:[[(*][^\])*]*[\])*]|[♪\s.…-]+(?:music[♪\s.…-]+)?)$/iu;
/** The same sentence so often in a row is the recogniser's, not the speaker's. */
const REPEATS_MAX = 4;
/** Within a sentence: so many times the same words. */
const LOOP_TIMES = 5;
const PHRASE_LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8];

/** Segments that can be trusted, in the order of time. `dropped` counts those that cannot. */
export function cleanSegments(segments: readonly TranscriptSegment[]): {
  segments: TranscriptSegment[];
  dropped: number;
} {
  const kept: TranscriptSegment[] = [];
  let dropped = 0;
  let repeats = 0;
  const inOrder = [...segments].sort((a, b) => a.start - b.start);
  for (const segment of inOrder) {
    const text = segment.text.replace(/\s+/g, ' ').trim();
    if (text === '' || NO_SPEECH.test(text)) continue;
    const last = kept.at(-1);
    repeats = last !== undefined && last.text === text ? repeats + 1 : 0;
    if (repeats >= REPEATS_MAX) {
      dropped += 1;
      continue;
    }
    const words = text.split(' ');
    const places = withoutLoops(words, [...words.keys()]);
    if (places.length < words.length) dropped += 1;
    const unlooped = places.map((place) => words[place]).join(' ');
    kept.push({ ...withWordsAt(segment, words, places), end: Math.max(segment.start, segment.end), text: unlooped });
  }
  return { segments: kept, dropped };
}

/** The timed words of those places; none where they are not the words of the text, and their times would be wrong. */
function withWordsAt(
  { words: timed, ...segment }: TranscriptSegment,
  words: readonly string[],
  places: readonly number[],
): TranscriptSegment {
  if (timed === undefined) return segment;
  if (places.length === words.length) return { ...segment, words: timed };
  if (timed.length !== words.length) return segment;
  return { ...segment, words: places.flatMap((place) => timed[place] ?? []) };
}

/** Places of the words that stay: a phrase that is said many times on end is said once. */
function withoutLoops(words: readonly string[], places: readonly number[]): number[] {
  const left = PHRASE_LENGTHS.reduce((rest: readonly number[], length) => withoutLoopsOf(words, rest, length), places);
  // What was cut may have stood between the turns of another phrase.
  return left.length < places.length ? withoutLoops(words, left) : [...left];
}

function withoutLoopsOf(words: readonly string[], places: readonly number[], length: number): number[] {
  const said = places.map((place) => words[place] as string);
  const left: number[] = [];
  for (let start = 0; start < said.length; ) {
    let times = 1;
    while (isSame(said, start, start + times * length, length)) times += 1;
    if (times >= LOOP_TIMES) {
      left.push(...places.slice(start, start + length));
      start += times * length;
    } else {
      left.push(places[start] as number);
      start += 1;
    }
  }
  return left;
}

function isSame(words: readonly string[], a: number, b: number, length: number): boolean {
  if (b + length > words.length) return false;
  for (let offset = 0; offset < length; offset += 1) if (words[a + offset] !== words[b + offset]) return false;
  return true;
}
