/**
 * Corrects the times of a recogniser by where speech was found. whisper.cpp starts each segment where the one before
 * ended, which is up to a pause too early, and its words may lie in a pause or have no length.
 */

import type { TranscriptSegment } from '../../src-server/features/media/schema.ts';
import { itemAt } from '../../src-server/platform/item-at.ts';

/** Seconds in the file; the end is exclusive. */
export type TimeRange = [from: number, to: number];

/** A start this close after the beginning of a stretch belongs there; this close to its end, to the next stretch. */
const SNAP_SECONDS = 0.25;

const SEGMENT_MIN_SECONDS = 0.1;

const WORD_MIN_SECONDS = 0.02;

/** Segments in order, each after the one before, none without length; their words likewise. Times in milliseconds. */
export function timedBySpeech(
  segments: readonly TranscriptSegment[],
  speech: readonly TimeRange[],
  durationSeconds: number,
): TranscriptSegment[] {
  const [forSegments, forWords] = [new Onsets(speech), new Onsets(speech)];
  const snapped: TranscriptSegment[] = [];
  for (const segment of segments) {
    const last = snapped.at(-1);
    const start = forSegments.snapToOnset(segment.start, { earliest: last?.start ?? -1, before: segment.end });
    // A segment that ran into the next stretch ends where that begins.
    if (last !== undefined) last.end = Math.min(last.end, Math.max(start, last.start));
    snapped.push({ ...segment, start, end: Math.max(start, segment.end) });
  }
  const leastOf = ({ words = [] }: TranscriptSegment) => Math.max(SEGMENT_MIN_SECONDS, words.length * WORD_MIN_SECONDS);
  return withLength(snapped, 0, durationSeconds, leastOf).map(({ words, ...segment }) => {
    const { start, end } = segment;
    // More words than there is time for: their times are no times.
    if (words === undefined || words.length * WORD_MIN_SECONDS > roundSpeechSeconds(end - start)) return segment;
    const inSpeech = words.map((word, index) => {
      return {
        ...word,
        start: index === 0 ? start : forWords.snapToOnset(word.start, { earliest: word.start, before: end }),
      };
    });
    return { ...segment, words: withLength(inSpeech, start, end, () => WORD_MIN_SECONDS) };
  });
}

/** Scripts without spaces between words: each character counts as a word, with the punctuation after it. */
const UNSPACED = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{sc=${script}}`)
  .join('');

const WORD = new RegExp(`[${UNSPACED}]\\p{M}*[^\\p{L}\\p{N}\\s]*|[^\\s${UNSPACED}]+`, 'gu');

/** Characters that a word takes besides its own, because short words are not spoken in no time. */
const WORD_CHARS = 2;

/**
 * Times the words of a segment whose engine times none: they share its speech by their length, and none lies in a
 * pause.
 */
export function withEstimatedWords(segment: TranscriptSegment, speech: readonly TimeRange[] = []): TranscriptSegment {
  const texts = segment.text.match(WORD) ?? [];
  if (segment.words !== undefined || texts.length === 0) return segment;
  const spoken = speech
    .map(([from, to]): TimeRange => [Math.max(from, segment.start), Math.min(to, segment.end)])
    .filter(([from, to]) => to > from);
  const stretches: TimeRange[] = spoken.length === 0 ? [[segment.start, segment.end]] : spoken;
  const seconds = stretches.reduce((sum, [from, to]) => sum + to - from, 0);
  const chars = texts.reduce((sum, text) => sum + text.length + WORD_CHARS, 0);
  let passed = 0;
  const timeAfterPassedChars = (edge: 'start' | 'end') => {
    let rest = (passed / chars) * seconds;
    for (const [from, to] of stretches) {
      if (edge === 'start' ? rest < to - from : rest <= to - from) return roundSpeechSeconds(from + rest);
      rest -= to - from;
    }
    return roundSpeechSeconds(itemAt(stretches, -1)[1]);
  };
  const words = texts.map((text) => {
    const start = timeAfterPassedChars('start');
    passed += text.length + WORD_CHARS;
    return { start, end: Math.max(start, timeAfterPassedChars('end')), text };
  });
  return { ...segment, words };
}

/** Times the words of all segments that have none. Segments and speech are in order. */
export function withWordsInSpeech(
  segments: readonly TranscriptSegment[],
  speech: readonly TimeRange[],
): TranscriptSegment[] {
  let next = 0;
  return segments.map((segment) => {
    while (next < speech.length && itemAt(speech, next)[1] <= segment.start) next += 1;
    let end = next;
    while (end < speech.length && itemAt(speech, end)[0] < segment.end) end += 1;
    return withEstimatedWords(segment, speech.slice(next, end));
  });
}

/** The beginnings of stretches of speech, for starts in their order. */
class Onsets {
  readonly #speech: readonly TimeRange[];
  #next = 0;

  constructor(speech: readonly TimeRange[]) {
    this.#speech = speech;
  }

  /** The onset that this start means: the next one where it lies in a pause, or the one it just missed. */
  snapToOnset(start: number, { earliest, before }: { earliest: number; before: number }): number {
    while (this.#next < this.#speech.length && isPast(itemAt(this.#speech, this.#next), start)) this.#next += 1;
    const onset = this.#speech[this.#next]?.[0];
    if (onset === undefined) return start;
    const isNext = onset >= start && onset < before;
    const isMissed = onset < start && onset > earliest && start - onset <= SNAP_SECONDS;
    return isNext || isMissed ? onset : start;
  }
}

/** The stretch lies before this time, or only its decay follows. */
function isPast([from, to]: TimeRange, time: number): boolean {
  return to - time <= Math.min(SNAP_SECONDS, (to - from) / 2);
}

/** Moves ordered times apart, so that each has its least length where there is room, and none leaves the range. */
function withLength<Item extends { start: number; end: number }>(
  items: readonly Item[],
  from: number,
  to: number,
  leastOf: (item: Item) => number,
): Item[] {
  const wanted = items.reduce((sum, item) => sum + leastOf(item), 0);
  const scale = wanted === 0 ? 1 : Math.min(1, (to - from) / wanted);
  const timed = items.map((item) => ({ ...item, least: leastOf(item) * scale }));
  let earliest = from;
  for (const item of timed) {
    item.start = Math.max(earliest, item.start);
    item.end = Math.max(item.end, item.start + item.least);
    earliest = item.end;
  }
  let latest = to;
  for (const item of timed.toReversed()) {
    item.end = roundSpeechSeconds(Math.min(latest, item.end));
    item.start = roundSpeechSeconds(Math.max(from, Math.min(item.start, item.end - item.least)));
    latest = item.start;
  }
  return timed.map(({ least, ...item }) => item as unknown as Item);
}

function roundSpeechSeconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
