/** Splits text that is too long for one chunk: at sentences, else at words, inside a word only as a last resort. */
import { isUnspaced } from './words.ts';

/** A range of UTF-16 code units; `end` is exclusive. */
export interface Range {
  start: number;
  end: number;
}

export interface SplitOptions {
  /** Pieces are filled up to this length. */
  targetLength: number;
  /** A sentence up to this length stays whole. */
  maxLength: number;
  /** A word up to this length stays whole. */
  maxWordLength: number;
  language: string | null;
}

/** Yields ranges of `text` from `start` to `end`, in order, without the white space between them. */
export function* splitText(text: string, { start, end }: Range, options: SplitOptions): Generator<Range> {
  const slice = text.slice(start, end);
  for (const sentence of segmentRanges(slice, start, 'sentence', options.language)) {
    const range = trimRange(text, sentence);
    if (range.end === range.start) continue;
    if (range.end - range.start <= options.maxLength) yield range;
    else yield* splitSentence(text, range, options);
  }
}

/** The range without leading and trailing white space. */
export function trimRange(text: string, range: Range): Range {
  let { start, end } = range;
  while (start < end && isSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return { start, end };
}

function isSpace(code: number): boolean {
  return (
    code === 0x20 ||
    (code >= 0x09 && code <= 0x0d) ||
    code === 0xa0 ||
    (code > 0x7f && /\s/.test(characterOfCode(code)))
  );
}

function characterOfCode(code: number): string {
  return String.fromCharCode(code);
}

function* splitSentence(text: string, range: Range, options: SplitOptions): Generator<Range> {
  const { targetLength, maxLength, maxWordLength } = options;
  yield* fillRanges(wordRanges(text, range), targetLength, (word) => {
    const length = word.end - word.start;
    if (length <= maxLength) return null;
    if (length <= maxWordLength && !isUnspaced(text.slice(word.start, word.end))) return null;
    return splitWord(text, word, options);
  });
}

function* splitWord(text: string, word: Range, options: SplitOptions): Generator<Range> {
  const slice = text.slice(word.start, word.end);
  const parts = segmentRanges(slice, word.start, 'word', options.language);
  yield* fillRanges(parts, options.targetLength, (part) => {
    if (part.end - part.start <= options.maxWordLength) return null;
    const letters = segmentRanges(text.slice(part.start, part.end), part.start, 'grapheme', options.language);
    return fillRanges(letters, options.targetLength, (letter) => {
      // A letter with thousands of combining marks may be split. Only its surrogate pairs stay whole.
      if (letter.end - letter.start <= options.maxWordLength) return null;
      return fillRanges(codePoints(text, letter), options.targetLength, () => null);
    });
  });
}

/** Joins neighbours up to `targetLength`. Ranges that `split` divides are yielded in their parts. */
function* fillRanges(
  parts: Iterable<Range>,
  targetLength: number,
  split: (part: Range) => Iterable<Range> | null,
): Generator<Range> {
  let open: Range | null = null;
  for (const part of parts) {
    const smaller = split(part);
    if (smaller !== null) {
      if (open !== null) yield open;
      open = null;
      yield* smaller;
    } else if (open !== null && part.end - open.start <= targetLength) {
      open.end = part.end;
    } else {
      if (open !== null) yield open;
      open = { start: part.start, end: part.end };
    }
  }
  if (open !== null) yield open;
}

function* wordRanges(text: string, { start, end }: Range): Generator<Range> {
  const pattern = /\S+/g;
  pattern.lastIndex = start;
  for (let match = pattern.exec(text); match !== null && match.index < end; match = pattern.exec(text)) {
    yield { start: match.index, end: Math.min(end, match.index + match[0].length) };
  }
}

function* codePoints(text: string, { start, end }: Range): Generator<Range> {
  for (let at = start; at < end; ) {
    const length = (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    yield { start: at, end: at + length };
    at += length;
  }
}

type Granularity = 'sentence' | 'word' | 'grapheme';
const segmenters = new Map<string, Intl.Segmenter>();
/** Bounds the cache: documents may state any number of languages. */
const SEGMENTERS_MAX = 64;

function* segmentRanges(
  slice: string,
  offset: number,
  granularity: Granularity,
  language: string | null,
): Generator<Range> {
  for (const { index, segment } of segmenterFor(granularity, language).segment(slice)) {
    yield { start: offset + index, end: offset + index + segment.length };
  }
}

function segmenterFor(granularity: Granularity, language: string | null): Intl.Segmenter {
  const key = `${granularity} ${language ?? ''}`;
  let segmenter = segmenters.get(key);
  if (segmenter === undefined) {
    segmenter = new Intl.Segmenter(localeOf(language), { granularity });
    if (segmenters.size >= SEGMENTERS_MAX) segmenters.clear();
    segmenters.set(key, segmenter);
  }
  return segmenter;
}

/** Documents may state an invalid language. The default rules then apply. */
function localeOf(language: string | null): string | undefined {
  if (language === null) return undefined;
  try {
    return Intl.getCanonicalLocales(language)[0];
  } catch {
    return undefined;
  }
}
