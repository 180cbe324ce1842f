import type { TranscriptWord } from '../../src-server/features/media/schema.ts';
import type { SampleRange, SpeechWindow } from './tasks.ts';

/** Seconds from the beginning of the window. */
export interface HeardSegment {
  start: number;
  end: number;
  text: string;
  /** Where the engine times each word. */
  words?: TranscriptWord[];
}

/** What a recogniser heard in one window. */
export interface Heard {
  segments: HeardSegment[];
  language: string | null;
}

/** A window, and its place among all of the file. */
export interface NumberedWindow {
  index: number;
  window: SpeechWindow;
}

/** Who waits for what is heard. */
export interface HeardWatch {
  /** A window is done: said once for each, in their order. */
  onHeard(index: number, heard: Heard): Promise<void>;
  /** Share of a window that is done. */
  onProgress(index: number, share: number): void;
}

/** A recogniser that hears one window after the other. */
export interface Listener {
  /** Errors: `engine_failed`, and the signal's reason. */
  listen(windows: readonly NumberedWindow[], watch: HeardWatch): Promise<void>;
  close(): void;
}

/** Words with their times, from the tokens that recognisers time. */

/** A piece of text as an engine times it. Its bytes may end in the middle of a character. */
interface TimedToken {
  bytes: Uint8Array;
  start: number;
  end: number;
}

/** These write words without spaces between them: each token is the nearest thing to one. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]$/u;

const STARTS_WORD = /^\s/;

const PUNCTUATION = /^[\p{P}\p{S}]+$/u;

const BROKEN = '\uFFFD';

/** A token that begins with a space begins a word. Times are clamped to the segment's and never go back. */
export function wordsOf(tokens: readonly TimedToken[], segment: { start: number; end: number }): TranscriptWord[] {
  const words: { parts: Uint8Array[]; start: number; end: number }[] = [];
  let closed = true;
  for (const { bytes, start, end } of tokens) {
    const text = textOf([bytes]);
    const open = words.at(-1);
    const goesOn = open !== undefined && !STARTS_WORD.test(text) && (!closed || PUNCTUATION.test(text.trim()));
    if (goesOn) {
      open.parts.push(bytes);
      open.end = Math.max(open.end, end);
    } else words.push({ parts: [bytes], start, end });
    const soFar = textOf(words.at(-1)?.parts ?? []);
    closed = !soFar.includes(BROKEN) && UNSPACED.test(soFar);
  }
  let before = segment.start;
  return words.flatMap((word) => {
    const text = textOf(word.parts).replaceAll(BROKEN, '').trim();
    if (text === '') return [];
    const start = Math.min(segment.end, Math.max(before, word.start));
    const end = Math.min(segment.end, Math.max(start, word.end));
    before = start;
    return [{ start, end, text }];
  });
}

function textOf(parts: readonly Uint8Array[]): string {
  return Buffer.concat(parts).toString('utf8');
}

/** A stretch that is too long for a window is cut at its quietest place within its last part. */
const CUT_SHARE = 0.6;

/** Packs stretches of speech into as few windows as hold them. No window is longer than `maxSamples`. */
export function packWindows(
  ranges: readonly SampleRange[],
  maxSamples: number,
  quietestBetween: (from: number, to: number) => number,
): SpeechWindow[] {
  const windows: SpeechWindow[] = [];
  let open: SampleRange[] = [];
  let length = 0;
  const close = () => {
    if (open.length > 0) windows.push({ pieces: open });
    open = [];
    length = 0;
  };
  for (const range of ranges) {
    for (const [from, to] of cut(range, maxSamples, quietestBetween)) {
      if (length + to - from > maxSamples) close();
      open.push([from, to]);
      length += to - from;
    }
  }
  close();
  return windows;
}

function* cut(
  [from, to]: SampleRange,
  maxSamples: number,
  quietestBetween: (from: number, to: number) => number,
): Generator<SampleRange> {
  let start = from;
  while (to - start > maxSamples) {
    const end = Math.max(start + 1, quietestBetween(start + Math.floor(maxSamples * CUT_SHARE), start + maxSamples));
    yield [start, end];
    start = end;
  }
  yield [start, to];
}

export function windowSamples({ pieces }: SpeechWindow): number {
  return pieces.reduce((sum, [from, to]) => sum + to - from, 0);
}

/**
 * The place in the file of a place in the window. Where two stretches meet, a beginning belongs to the later one and an
 * end to the earlier one.
 */
export function placeInFile({ pieces }: SpeechWindow, sample: number, edge: 'start' | 'end'): number {
  let passed = 0;
  let place = pieces[0]?.[0] ?? 0;
  for (const [from, to] of pieces) {
    const inside = sample - passed;
    if (edge === 'start' ? inside < 0 : inside <= 0) break;
    place = Math.min(to, from + inside);
    passed += to - from;
    if (edge === 'end' && sample <= passed) break;
  }
  return place;
}
