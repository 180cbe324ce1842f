import type { TranscriptWord } from '../../src-server/features/media/schema.ts';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import type { SampleRange, SpeechWindow } from './tasks.ts';

/** Times are in seconds from the start of the window. */
export interface WindowSegment {
  start: number;
  end: number;
  text: string;
  /** From 0 to 1, if the engine says how sure it is. */
  confidence?: number;
  /** Present if the engine times words. */
  words?: TranscriptWord[];
}

/** The recogniser's result for one window. */
export interface WindowTranscript {
  segments: WindowSegment[];
  language: string | null;
  /** How sure the model is of a language that it detected here, from 0 to 1. */
  languageConfidence?: number;
}

/** A window with its index in the file. */
export interface NumberedWindow {
  index: number;
  window: SpeechWindow;
}

/** Callbacks for results and progress. */
export interface ListenerCallbacks {
  /** Called once per finished window, in order. */
  onHeard(index: number, heard: WindowTranscript): Promise<void>;
  /** Reports the finished share of a window. */
  onProgress(index: number, share: number): void;
}

/** A recogniser that processes windows in sequence. */
export interface Listener {
  /** Errors: `engine_failed`, and the reason of the signal. */
  listen(windows: readonly NumberedWindow[], callbacks: ListenerCallbacks): Promise<void>;
  close(): void;
}

// Builds timed words from a recogniser's timed tokens.

/** A timed piece of text. Its bytes may end within a character. */
interface TimedToken {
  bytes: Uint8Array;
  start: number;
  end: number;
  /** Probability, if the engine gives one. */
  confidence?: number;
}

/** Scripts without spaces between words: each token counts as a word. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]$/u;

const STARTS_WORD = /^\s/;

const PUNCTUATION = /^[\p{P}\p{S}]+$/u;

const BROKEN = '\uFFFD';

/** A token that starts with a space starts a word. Times are monotonic and clamped to the segment. */
export function wordsFromTokens(
  tokens: readonly TimedToken[],
  segment: { start: number; end: number },
): TranscriptWord[] {
  const words: { parts: Uint8Array[]; start: number; end: number; confidences: (number | undefined)[] }[] = [];
  let closed = true;
  for (const { bytes, start, end, confidence } of tokens) {
    const text = decodeTokenBytes([bytes]);
    const open = words.at(-1);
    const goesOn = open !== undefined && !STARTS_WORD.test(text) && (!closed || PUNCTUATION.test(text.trim()));
    if (goesOn) {
      open.parts.push(bytes);
      open.end = Math.max(open.end, end);
    } else words.push({ parts: [bytes], start, end, confidences: [] });
    // A recogniser that doubts a comma does not doubt the word.
    if (!PUNCTUATION.test(text.trim())) words.at(-1)?.confidences.push(confidence);
    const soFar = decodeTokenBytes(words.at(-1)?.parts ?? []);
    closed = !soFar.includes(BROKEN) && UNSPACED.test(soFar);
  }
  let before = segment.start;
  return words.flatMap((word) => {
    const text = decodeTokenBytes(word.parts).replaceAll(BROKEN, '').trim();
    if (text === '') return [];
    const start = Math.min(segment.end, Math.max(before, word.start));
    const end = Math.min(segment.end, Math.max(start, word.end));
    before = start;
    const confidence = meanConfidence(word.confidences);
    return [{ start, end, text, confidence: confidence ?? undefined }];
  });
}

/** Least probability that counts: a logarithm of zero would hide all others. */
const CONFIDENCE_MIN = 0.001;

/** The geometric mean; null where one is unknown, or without any. */
export function meanConfidence(confidences: readonly (number | undefined)[]): number | null {
  let sum = 0;
  for (const confidence of confidences) {
    if (confidence === undefined) return null;
    sum += Math.log(Math.min(1, Math.max(CONFIDENCE_MIN, confidence)));
  }
  return confidences.length === 0 ? null : Math.round(Math.exp(sum / confidences.length) * 1000) / 1000;
}

function decodeTokenBytes(parts: readonly Uint8Array[]): string {
  return Buffer.concat(parts).toString('utf8');
}

/** Words, and how sure the engine is of all of them. */
export function timedWords(words: TranscriptWord[]): Pick<WindowSegment, 'words' | 'confidence'> {
  const confidence = meanConfidence(words.map((word) => word.confidence));
  return omitUndefined({ words: words.length === 0 ? undefined : words, confidence: confidence ?? undefined });
}

/** A stretch too long for a window is cut at the quietest place after this share of it. */
const CUT_SHARE = 0.6;

/** Packs stretches of speech into as few windows as possible, none longer than `maxSamples`. */
export function packWindows(
  ranges: readonly SampleRange[],
  maxSamples: number,
  quietestBetween: (from: number, to: number) => number,
): SpeechWindow[] {
  const windows: SpeechWindow[] = [];
  let open: SampleRange[] = [];
  let length = 0;
  const closePcmWindow = () => {
    if (open.length > 0) windows.push({ pieces: open });
    open = [];
    length = 0;
  };
  for (const range of ranges) {
    for (const [from, to] of cutSpeechRange(range, maxSamples, quietestBetween)) {
      if (length + to - from > maxSamples) closePcmWindow();
      open.push([from, to]);
      length += to - from;
    }
  }
  closePcmWindow();
  return windows;
}

function* cutSpeechRange(
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
 * Maps a position in a window to one in the file. At the joint of two stretches, a start belongs to the later one and
 * an end to the earlier one.
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
