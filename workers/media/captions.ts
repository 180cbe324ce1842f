/** Subtitles of a transcript, as SubRip and WebVTT. */

import type { TranscriptSegment } from '../../src-server/features/media/schema.ts';

/** A cue that is shown for less cannot be read. */
const CUE_SECONDS_MIN = 0.5;

interface Cue {
  start: number;
  end: number;
  lines: string[];
}

export function toSrt(segments: readonly TranscriptSegment[]): string {
  return cuesOf(segments)
    .map(({ start, end, lines }, index) => {
      return `${index + 1}\n${stamp(start, ',')} --> ${stamp(end, ',')}\n${lines.join('\n')}\n`;
    })
    .join('\n');
}

export function toVtt(segments: readonly TranscriptSegment[]): string {
  const cues = cuesOf(segments).map(({ start, end, lines }) => {
    // What looks like markup would be taken for it.
    const text = lines.map((line) => line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
    return `${stamp(start, '.')} --> ${stamp(end, '.')}\n${text.join('\n')}\n`;
  });
  return `WEBVTT\n\n${cues.join('\n')}`;
}

/** A long segment becomes several cues. */
function cuesOf(segments: readonly TranscriptSegment[]): Cue[] {
  const cues: Cue[] = [];
  for (const [index, segment] of segments.entries()) {
    const { start, end, text } = segment;
    const parts = partsOf(text);
    const next = segments[index + 1]?.start ?? Number.POSITIVE_INFINITY;
    const last = Math.max(end, Math.min(start + CUE_SECONDS_MIN, next));
    const beginnings = beginningsOf(parts, { ...segment, end: last });
    for (const [place, part] of parts.entries()) {
      const until = beginnings[place + 1] ?? last;
      cues.push({ start: beginnings[place] ?? start, end: until, lines: part.map(lineText) });
    }
  }
  return cues;
}

/** What is shown together: the lines of a text, two at a time. */
function partsOf(text: string): Piece[][][] {
  const lines = inLines(text.split(/\s+/).flatMap(piecesOf));
  return lines.flatMap((_, index) => (index % CUE_LINES === 0 ? [lines.slice(index, index + CUE_LINES)] : []));
}

/** Where each part begins: with its first word where words are timed; otherwise parts share time by their length. */
function beginningsOf(parts: readonly Piece[][][], { start, end, text, words }: TranscriptSegment): number[] {
  const timed = words !== undefined && words.length === text.split(/\s+/).length ? words : null;
  const lengths = parts.map((part) => part.flat().reduce((sum, piece) => sum + piece.text.length, 0));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  let [passedWords, passedChars] = [0, 0];
  return parts.map((part, index) => {
    const shared = start + ((end - start) * passedChars) / total;
    const spoken = index === 0 ? start : timed?.[passedWords]?.start;
    passedWords += part.flat().filter(({ goesOn }) => !goesOn).length;
    passedChars += lengths[index] ?? 0;
    return spoken ?? shared;
  });
}

function stamp(seconds: number, mark: ',' | '.'): string {
  const total = Math.round(seconds * 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const milliseconds = String(total % 1000).padStart(3, '0');
  const whole = Math.floor(total / 1000);
  const clock = `${two(Math.floor(whole / 3600))}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return `${clock}${mark}${milliseconds}`;
}

/** Text in the lines that a screen has room for. */

/** Two lines that are read at a glance, as the guidelines of broadcasters have it. */
const LINE_COLUMNS = 42;

export const CUE_LINES = 2;

/** Written without blanks between words, or as wide as two Latin letters. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303f\uff01-\uff60]/gu;

const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' });

export interface Piece {
  text: string;
  /** No blank stands before it. */
  goesOn: boolean;
}

/** A run of text without blanks, divided where its script writes none: before a word, never before its punctuation. */
export function piecesOf(run: string): Piece[] {
  if (!UNSPACED.test(run)) return [{ text: run, goesOn: false }];
  const pieces: Piece[] = [];
  for (const { segment, isWordLike } of WORDS.segment(run)) {
    const last = pieces.at(-1);
    if (last !== undefined && isWordLike !== true) last.text += segment;
    else pieces.push({ text: segment, goesOn: last !== undefined });
  }
  return pieces;
}

/** Pieces in lines that fit; one that is longer has a line of its own. */
export function inLines<Kind extends Piece>(pieces: readonly Kind[]): Kind[][] {
  const lines: Kind[][] = [];
  let columns = 0;
  for (const piece of pieces) {
    const own = columnsOf(piece.text);
    const longer = columns + (piece.goesOn ? 0 : 1) + own;
    const line = lines.at(-1);
    if (line === undefined || longer > LINE_COLUMNS) {
      lines.push([piece]);
      columns = own;
    } else {
      line.push(piece);
      columns = longer;
    }
  }
  return lines;
}

/** A line as it is shown. */
export function lineText(pieces: readonly Piece[]): string {
  return pieces.map(({ text, goesOn }, index) => (goesOn || index === 0 ? text : ` ${text}`)).join('');
}

function columnsOf(text: string): number {
  return text.length + (text.match(WIDE)?.length ?? 0);
}
