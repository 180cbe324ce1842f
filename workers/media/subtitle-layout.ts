/**
 * Lays out the words of a transcript as cues, by the rules of a style: length and number of lines, reading speed,
 * durations and gaps. Cues and lines end at phrases where the rules allow it.
 */

import type { TranscriptSegment } from '../../src-server/features/media/schema.ts';
import { itemAt } from '../../src-server/platform/item-at.ts';
import { type Said, say } from '../../src-server/platform/text/say.ts';
import {
  lineText,
  type Piece,
  splitUnspacedRun,
  subtitleColumnCount,
} from '../../src-server/platform/text/subtitle-lines.ts';
import { type BreakRules, breakRulesOf } from './phrases.ts';
import type { SubtitleStyle } from './tasks.ts';

export type SpokenSegment = TranscriptSegment & { speaker?: string | undefined };

export interface LaidOutCue {
  start: number;
  end: number;
  lines: string[];
  speaker?: string;
}

/** A piece of text with its time. */
interface Token extends Piece {
  start: number;
  end: number;
  speaker: string | undefined;
  columns: number;
}

/** A longer pause ends a cue: the text would be on the screen before it is said. */
const PAUSE_SECONDS = 1;

/** Rounding of times in files. */
const TOLERANCE = 0.005;

/** Of words without a duration. */
const CUE_SECONDS_LEAST = 0.04;

export function layOutCues(
  segments: readonly SpokenSegment[],
  style: SubtitleStyle,
  language: string | null,
): LaidOutCue[] {
  const rules = breakRulesOf(language);
  const groups = utterancesOf(tokensOf(segments)).flatMap(({ tokens, nextStart }) =>
    divideIntoCues(tokens, nextStart, { style, rules }),
  );
  let free = 0;
  return groups.map((tokens, index) => {
    const [first, last] = [itemAt(tokens, 0), itemAt(tokens, -1)];
    const next = groups[index + 1]?.[0]?.start ?? Number.POSITIVE_INFINITY;
    const start = Math.max(first.start, free);
    const needed = Math.max(style.minSeconds, columnsIn(tokens) / style.charsPerSecond);
    const latest = Math.min(start + style.maxSeconds, next - style.gapSeconds);
    const end = Math.max(start + CUE_SECONDS_LEAST, Math.min(Math.max(last.end, start + needed), latest));
    free = end + style.gapSeconds;
    const cue = { start, end, lines: breakCueLines(tokens, style, rules).map(lineText) };
    return first.speaker === undefined ? cue : { ...cue, speaker: first.speaker };
  });
}

/** What the style asks for and the speech does not allow, in sentences. */
export function layoutWarnings(cues: readonly LaidOutCue[], style: SubtitleStyle): Said[] {
  const speedOf = ({ start, end, lines }: LaidOutCue) => subtitleColumnCount(lines.join(' ')) / (end - start);
  const fast = cues.filter((cue) => speedOf(cue) > style.charsPerSecond * (1 + TOLERANCE)).length;
  const brief = cues.filter(({ start, end }) => end - start < style.minSeconds - TOLERANCE).length;
  const wide = cues.filter(({ lines }) => lines.some((line) => subtitleColumnCount(line) > style.lineChars)).length;
  const { charsPerSecond, minSeconds, lineChars } = style;
  const all = cues.length;
  const found: [count: number, warning: Said][] = [
    [
      fast,
      say`Subtitles that need more than ${charsPerSecond} characters per second, because the speech is faster:
        ${fast} of ${all}.`,
    ],
    [
      brief,
      say`Subtitles shorter than ${minSeconds} seconds, because the next words follow at once: ${brief} of ${all}.`,
    ],
    [wide, say`Subtitles with a word longer than ${lineChars} characters: ${wide} of ${all}.`],
  ];
  return found.flatMap(([count, warning]) => (count > 0 ? [warning] : []));
}

/** Pieces with times that never go back. */
function tokensOf(segments: readonly SpokenSegment[]): Token[] {
  const tokens: Token[] = [];
  let before = 0;
  for (const segment of segments) {
    const at = characterTimes(segment);
    let place = 0;
    const pieces = segment.text.split(/\s+/).filter(Boolean).flatMap(splitUnspacedRun);
    for (const piece of pieces) {
      const start = Math.max(before, at(place).start);
      const end = Math.max(start, at(place + piece.text.length - 1).end);
      place += piece.text.length;
      before = start;
      tokens.push({ ...piece, start, end, speaker: segment.speaker, columns: subtitleColumnCount(piece.text) });
    }
  }
  return tokens;
}

/** The time of each character that is no blank: that of its word, else proportional to length. */
function characterTimes({
  text,
  start,
  end,
  words,
}: TranscriptSegment): (place: number) => { start: number; end: number } {
  const letters = text.replace(/\s+/g, '').length;
  const times = words?.flatMap((word) => new Array<typeof word>(word.text.replace(/\s+/g, '').length).fill(word)) ?? [];
  if (times.length === letters) return (place) => times[place] ?? { start, end };
  const each = (end - start) / letters;
  return (place) => ({ start: start + place * each, end: start + (place + 1) * each });
}

interface Utterance {
  tokens: Token[];
  /** Start of the next one. */
  nextStart: number;
}

/** Splits at pauses and between speakers. */
function utterancesOf(tokens: readonly Token[]): Utterance[] {
  const all: Utterance[] = [];
  for (const token of tokens) {
    const open = all.at(-1);
    const last = open?.tokens.at(-1);
    if (open === undefined || last === undefined) {
      all.push({ tokens: [token], nextStart: Number.POSITIVE_INFINITY });
    } else if (token.start - last.end >= PAUSE_SECONDS || token.speaker !== last.speaker) {
      open.nextStart = token.start;
      all.push({ tokens: [token], nextStart: Number.POSITIVE_INFINITY });
    } else open.tokens.push(token);
  }
  return all;
}

interface Layout {
  style: SubtitleStyle;
  rules: BreakRules;
}

/** The division of an utterance into cues with the least cost. */
function divideIntoCues(tokens: readonly Token[], nextStart: number, { style, rules }: Layout): Token[][] {
  /** Of the tokens before each place: the least cost, and where the last cue starts. */
  const best: { cost: number; from: number }[] = [{ cost: 0, from: 0 }];
  const breaks = tokens.map((token, index) => breakCost(token, tokens[index + 1], rules));
  for (const from of tokens.keys()) {
    const before = best[from]?.cost ?? 0;
    const lines = new LineCount(style.lineChars);
    for (let to = from; to < tokens.length; to += 1) {
      lines.addLineToken(itemAt(tokens, to));
      if (to > from && lines.count > style.lines) break;
      const following = tokens[to + 1]?.start ?? nextStart;
      const cost = before + (breaks[to] ?? 0) + cueCost(tokens, { from, to, following, columns: lines.columns }, style);
      if (cost < (best[to + 1]?.cost ?? Number.POSITIVE_INFINITY)) best[to + 1] = { cost, from };
    }
  }
  const cues: Token[][] = [];
  for (let to = tokens.length; to > 0; to = itemAt(best, to).from) {
    cues.push(tokens.slice(best[to]?.from, to));
  }
  return cues.reverse();
}

/** Lines that text takes when each is filled. */
class LineCount {
  readonly #lineChars: number;
  #line = 0;
  count = 0;
  /** With blanks. */
  columns = 0;

  constructor(lineChars: number) {
    this.#lineChars = lineChars;
  }

  addLineToken({ columns, goesOn }: Token): void {
    const blank = goesOn || this.count === 0 ? 0 : 1;
    this.columns += blank + columns;
    if (this.count > 0 && this.#line + blank + columns <= this.#lineChars) {
      this.#line += blank + columns;
      return;
    }
    this.count += 1;
    this.#line = columns;
  }
}

/** Costs relative to one cue more. */
const COST = { cue: 1, tooFast: 2, tooFastMost: 6, tooShort: 3, tooLong: 50, rest: 1 };

/** Text that is shorter and no sentence of its own looks like a rest. */
const REST_COLUMNS = 12;

interface CueRange {
  from: number;
  to: number;
  following: number;
  columns: number;
}

function cueCost(tokens: readonly Token[], { from, to, following, columns }: CueRange, style: SubtitleStyle): number {
  const [first, last] = [itemAt(tokens, from), itemAt(tokens, to)];
  const available = Math.max(CUE_SECONDS_LEAST, Math.min(style.maxSeconds, following - style.gapSeconds - first.start));
  const share = columns / style.charsPerSecond / available;
  const isRest = columns < REST_COLUMNS && (from > 0 || to < tokens.length - 1);
  return (
    COST.cue +
    (share > 1 ? Math.min(COST.tooFastMost, COST.tooFast * (share - 1)) : 0) +
    (available < style.minSeconds ? COST.tooShort * (1 - available / style.minSeconds) : 0) +
    (to > from && last.end - first.start > style.maxSeconds ? COST.tooLong : 0) +
    (isRest ? COST.rest : 0)
  );
}

/** A pause makes a break better; one of half a second makes any place good. */
const PAUSE_GAIN = 2;

function breakCost(token: Token, next: Token | undefined, rules: BreakRules): number {
  if (next === undefined) return 0;
  const pause = Math.max(0, next.start - token.end);
  return Math.max(0, rules.costBetween(token.text, next.text) * (1 - PAUSE_GAIN * pause));
}

/** Weight of lines that differ in length, beside the quality of their breaks. */
const BALANCE = 1.5;

/** The fewest lines, with the best breaks between them. */
function breakCueLines(tokens: readonly Token[], { lineChars }: SubtitleStyle, rules: BreakRules): Token[][] {
  const filled = new LineCount(lineChars);
  for (const token of tokens) filled.addLineToken(token);
  const even = filled.columns / filled.count;
  /** By number of lines: of the tokens before each place, the least cost and where the last line starts. */
  let rows = [new Map([[0, { cost: 0, starts: [] as number[] }]])];
  for (let line = 0; line < filled.count; line += 1) {
    const ends = new Map<number, { cost: number; starts: number[] }>();
    for (const [from, { cost, starts }] of rows.at(-1) ?? []) {
      let columns = 0;
      for (let to = from; to < tokens.length; to += 1) {
        const { columns: own, goesOn, text } = itemAt(tokens, to);
        columns += own + (to === from || goesOn ? 0 : 1);
        if (to > from && columns > lineChars) break;
        const next = tokens[to + 1];
        const quality = next === undefined ? 0 : rules.costBetween(text, next.text);
        const total = cost + quality + BALANCE * (columns / even - 1) ** 2;
        if (total < (ends.get(to + 1)?.cost ?? Number.POSITIVE_INFINITY)) {
          ends.set(to + 1, { cost: total, starts: [...starts, from] });
        }
      }
    }
    rows = [...rows, ends];
  }
  const starts = rows.at(-1)?.get(tokens.length)?.starts ?? [0];
  return starts.map((start, index) => tokens.slice(start, starts[index + 1] ?? tokens.length));
}

function columnsIn(tokens: readonly Token[]): number {
  return subtitleColumnCount(lineText(tokens));
}
