/**
 * The account of letters: compares what a source holds with what a result delivers and leaves out. A letter is a letter
 * or digit of Unicode in compatibility form without its accents, so that a ligature equals its letters. The order of
 * texts does not matter.
 *
 * Sums of both sides are compared first, which is one cheap pass. Only where they differ, equal lines are struck out,
 * and the rest is compared by groups of letters to find which runs are missing.
 *
 * Threat: texts of many million letters. The second pass has a bound, beyond which the histograms alone decide.
 */

import {
  boundedLeftOut,
  type LeftOutReason,
  SAMPLE_CHARACTERS,
  type SourceAccount,
} from '../../src-server/platform/source-account.ts';
import { type Said, say } from '../../src-server/platform/text/say.ts';
import { foldLetters, LetterSum, letterCountText, offsetOfLetter } from './letters.ts';

export { mergeAccounts } from '../../src-server/platform/source-account.ts';

/** A text of the source at a place such as `page 3` or `word/footnotes.xml`. Lines are separated by `\n`. */
export interface SourceText {
  place: string;
  text: string;
}

/** The place of what has none in its file. */
const WHOLE_FILE = 'whole file';

/** A part of the source that is not in the result. */
export interface LeftOutText {
  reason: LeftOutReason;
  /** Empty for the file itself. */
  where: string;
  /** Also in the source texts. Empty if its letters are unknown, as those of a picture. */
  text: string;
  /** What it is, if it has no text: the name of a file, for example. */
  sample?: string;
}

export interface AccountedTexts {
  /** In the order of the source. */
  source: readonly SourceText[];
  /** What the result may hold: text of the source that is not always delivered, such as descriptions of pictures. */
  optional?: readonly string[];
  delivered: readonly string[];
  /** Delivered beside the text, and allowed to be the result's own: markers of lists, labels, names, comments. */
  beside?: readonly string[];
  leftOut: readonly LeftOutText[];
}

export interface LetterAccount {
  account: SourceAccount;
  /** User-facing sentences about letters that are missing or that the source does not hold. */
  warnings: Said[];
  /** The beginning of the first letters that are missing; empty without any. */
  firstMissing: string;
}

/** Unexplained letters in a row, and share of a place, without a warning. */
const RUN_MAX = 20;

const SHARE_MAX = 0.01;

/** Letters of both sides in the second pass. */
const COMPARED_MAX = 4_000_000;

const LINES_MAX = 1_000_000;

/** Places with a warning of their own. */
const PLACES_MAX = 10;

/** Runs that so few explained letters separate are one run. */
const BRIDGE_LETTERS = 6;

/** Sizes of the groups of letters that are compared before and after words. */
const GROUP_SIZES = { long: 8, short: 4 };

/** Accounts for the letters of a source. */
export function accountLetters(texts: AccountedTexts): LetterAccount {
  const owed = new LetterSum();
  const perPlace = new Map<string, number>();
  for (const { place, text } of texts.source)
    perPlace.set(place, (perPlace.get(place) ?? 0) + owed.addLetterText(text));
  const total = owed.count;
  const given = new LetterSum();
  for (const text of texts.delivered) given.addLetterText(text);
  const leftOut = texts.leftOut.map((one) => ({ ...one, count: given.addLetterText(one.text) }));
  const gap = isBalanced(owed, given, texts.beside ?? []) ? NO_GAP : compareLetters(texts, histogramOf(texts));
  const left = leftOut.reduce((sum, { count }) => sum + count, 0);
  const unexplained = Math.min(gap.missing, total);
  return {
    account: {
      unit: 'letters',
      source: total,
      delivered: Math.max(0, total - left - unexplained),
      leftOut: boundedLeftOut(
        leftOut
          .filter(({ count, reason, sample }) => count > 0 || reason === 'damaged' || sample !== undefined)
          .map(({ text, sample, where, ...one }) => ({
            ...one,
            where: where === '' ? WHOLE_FILE : where,
            ...optionalSample(sample ?? text),
          })),
      ),
      unexplained,
    },
    warnings: [...missingWarnings(gap, perPlace), ...surplusWarnings(gap)],
    firstMissing: gap.missingRuns[0]?.text ?? '',
  };
}

/** The beginning of a text, as a sample or quotation. */
export function quoteTextStart(text: string): string {
  const line = text
    .slice(0, SAMPLE_CHARACTERS * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= SAMPLE_CHARACTERS ? line : `${line.slice(0, SAMPLE_CHARACTERS - 1).toWellFormed()}…`;
}

function optionalSample(text: string): { sample?: string } {
  const sample = quoteTextStart(text);
  return sample === '' ? {} : { sample };
}

/** How often the source has each letter more than what is delivered and left out. */
function histogramOf({ source, delivered, leftOut }: AccountedTexts): Int32Array {
  const histogram = new Int32Array(0x10000);
  for (const { text } of source) addLetters(histogram, text, 1);
  for (const text of delivered) addLetters(histogram, text, -1);
  for (const { text } of leftOut) addLetters(histogram, text, -1);
  return histogram;
}

function addLetters(histogram: Int32Array, text: string, weight: number): number {
  return foldLetters(text, 0, text.length, (letters, count) => {
    for (let at = 0; at < count; at += 1) {
      const letter = letters[at] ?? 0;
      histogram[letter] = (histogram[letter] ?? 0) + weight;
    }
  });
}

/** Whether both sides have the same letters, without what is delivered beside the text or with all of it. */
function isBalanced(owed: LetterSum, given: LetterSum, beside: readonly string[]): boolean {
  if (owed.equalsLetterSum(given)) return true;
  for (const text of beside) given.addLetterText(text);
  return owed.equalsLetterSum(given);
}

/** Letters in a row that one side has alone. */
interface Run {
  place: string;
  letters: number;
  text: string;
}

interface Gap {
  missing: number;
  /** Missing runs, in the order of the source. */
  missingRuns: Run[];
  surplusRuns: Run[];
  /** Missing letters whose place is not found, because they repeat others or the text is too long. */
  unlocated: number;
}

const NO_GAP: Gap = { missing: 0, missingRuns: [], surplusRuns: [], unlocated: 0 };

/** The second pass. */
function compareLetters(texts: AccountedTexts, histogram: Int32Array): Gap {
  const { optional = [], beside = [], leftOut } = texts;
  const source = new Side();
  for (const { place, text } of texts.source) source.addAccountedText(text, place, true);
  for (const text of optional) source.addAccountedText(text, '', false);
  const result = new Side();
  for (const text of texts.delivered) result.addAccountedText(text, '', true);
  for (const text of beside) result.addAccountedText(text, '', false);
  for (const { text } of leftOut) result.addAccountedText(text, '', false);
  strikeEqualLines(source, result);
  // Equal words elsewhere can hide where letters are missing, but not that they are.
  const most = histogram.slice();
  for (const text of optional) addLetters(most, text, 1);
  const invented = most.reduce((sum, count) => sum + Math.max(0, -count), 0);
  for (const text of beside) addLetters(histogram, text, -1);
  const least = histogram.reduce((sum, count) => sum + Math.max(0, count), 0);
  if (source.letters > COMPARED_MAX || result.letters > COMPARED_MAX) {
    return { missing: least, unlocated: least, missingRuns: [], surplusRuns: [] };
  }
  const [held, given] = [new Letters(source), new Letters(result)];
  strikeAligned(held, given);
  strikeParts(held, given);
  // What only one side owes explains what is left, not what both owe.
  held.readmitUnowedLetters();
  given.readmitUnowedLetters();
  strikeParts(held, given);
  strikeSingles(held, given);
  const missingRuns = unexplainedRuns(held, source);
  // Each letter is there, in small groups that the comparison cannot assign.
  if (least === 0 && missingRuns.every(({ letters }) => letters <= RUN_MAX)) missingRuns.length = 0;
  const surplusRuns = invented > RUN_MAX ? unexplainedRuns(given, result) : [];
  const found = missingRuns.reduce((sum, { letters }) => sum + letters, 0);
  return { missing: Math.max(found, least), unlocated: least - found, missingRuns, surplusRuns };
}

interface Line {
  text: string;
  start: number;
  end: number;
  place: string;
  letters: number;
  hash: number;
  /** False for text that the other side need not have. */
  isOwed: boolean;
}

/** The lines of one side that are not struck out. */
class Side {
  lines: Line[] = [];
  letters = 0;

  addAccountedText(text: string, place: string, isOwed: boolean): void {
    let start = 0;
    while (start <= text.length) {
      const at = this.lines.length < LINES_MAX ? text.indexOf('\n', start) : -1;
      const end = at === -1 ? text.length : at;
      this.#addLine({ text, start, end, place, isOwed });
      start = end + 1;
    }
  }

  keepAccountedLines(isKept: (line: Line) => boolean): void {
    this.lines = this.lines.filter(isKept);
    this.letters = this.lines.reduce((sum, line) => sum + line.letters, 0);
  }

  #addLine(line: Omit<Line, 'hash' | 'letters'>): void {
    let [low, high] = [7, 11];
    const letters = foldLetters(line.text, line.start, line.end, (folded, count) => {
      for (let at = 0; at < count; at += 1) {
        const letter = folded[at] ?? 0;
        low = Math.imul(low ^ letter, 0x01000193);
        high = Math.imul(high + letter, 0x5bd1e995) ^ (high >>> 13);
      }
    });
    if (letters === 0) return;
    this.letters += letters;
    // 53 bits, which a number holds exactly.
    this.lines.push({ ...line, letters, hash: (low >>> 0) * 0x200000 + ((high >>> 0) % 0x200000) });
  }
}

/** Strikes owed lines that both sides have, each as often as both have it. */
function strikeEqualLines(source: Side, result: Side): void {
  const counts = new Map<number, number>();
  for (const { hash, isOwed } of result.lines) if (isOwed) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  const struck = new Map<number, number>();
  source.keepAccountedLines(({ hash, isOwed }) => {
    const count = isOwed ? (counts.get(hash) ?? 0) : 0;
    if (count === 0) return true;
    counts.set(hash, count - 1);
    struck.set(hash, (struck.get(hash) ?? 0) + 1);
    return false;
  });
  result.keepAccountedLines(({ hash, isOwed }) => {
    const count = isOwed ? (struck.get(hash) ?? 0) : 0;
    if (count > 0) struck.set(hash, count - 1);
    return count === 0;
  });
}

const UNEXPLAINED = 0;
const EXPLAINED = 1;
const SET_ASIDE = 2;

/** The letters of a side's lines in a row, and which of them are explained. Owed lines come first. */
class Letters {
  readonly letters: Uint16Array;
  /** UNEXPLAINED, EXPLAINED, or SET_ASIDE for letters that are not owed. */
  readonly states: Uint8Array;
  readonly owed: number;
  /** Index of the first letter of each line. */
  readonly starts: number[] = [];
  /** Where no group goes on: around text that is not owed, so that markers 1, 2 and 3 do not explain a 123. */
  readonly isApart: Uint8Array;
  readonly #isWordStart: Uint8Array;
  #line = 0;

  constructor(side: Side) {
    this.letters = new Uint16Array(side.letters);
    this.states = new Uint8Array(side.letters);
    this.owed = side.lines.reduce((sum, { isOwed, letters }) => sum + (isOwed ? letters : 0), 0);
    this.states.fill(SET_ASIDE, this.owed);
    this.isApart = new Uint8Array(side.letters + 1);
    this.#isWordStart = new Uint8Array(side.letters + 1);
    let at = 0;
    for (const line of side.lines) {
      this.starts.push(at);
      if (!line.isOwed) this.isApart[at] = this.isApart[at + line.letters] = 1;
      foldLetters(line.text, line.start, line.end, (letters, count, wordStarts) => {
        this.letters.set(letters.subarray(0, count), at);
        this.#isWordStart.set(wordStarts.subarray(0, count), at);
        at += count;
      });
    }
  }

  /** Compares the letters that are not owed too. */
  readmitUnowedLetters(): void {
    this.states.fill(UNEXPLAINED, this.owed);
  }

  /** Index of the first letter of the line behind `at`. */
  nextStart(at: number): number {
    while (this.#line < this.starts.length && (this.starts[this.#line] ?? 0) <= at) this.#line += 1;
    return this.starts[this.#line] ?? this.letters.length;
  }

  /** Calls with the index of each group of unexplained letters in a row, and its hash, the same in both directions. */
  forGroups(size: number, see: (at: number, size: number, hash: number) => void): void {
    let open = 0;
    for (let end = 0; end < this.letters.length; end += 1) {
      if (this.isApart[end] === 1) open = 0;
      open = this.states[end] === UNEXPLAINED ? open + 1 : 0;
      if (open >= size) see(end - size + 1, size, this.#hashLetterGroup(end - size + 1, size));
    }
  }

  /** Calls with each word of which no letter is explained. */
  forWords(see: (at: number, size: number, hash: number) => void): void {
    let start = 0;
    for (let at = 1; at <= this.letters.length; at += 1) {
      if (at < this.letters.length && this.#isWordStart[at] === 0) continue;
      const size = at - start;
      if (this.#isOpen(start, at)) see(start, size, this.#hashLetterGroup(start, size));
      start = at;
    }
  }

  #isOpen(from: number, to: number): boolean {
    for (let at = from; at < to; at += 1) if (this.states[at] !== UNEXPLAINED) return false;
    return true;
  }

  #hashLetterGroup(from: number, size: number): number {
    let [forwards, backwards] = [size, size];
    for (let step = 0; step < size; step += 1) {
      forwards = Math.imul(forwards ^ (this.letters[from + step] ?? 0), 0x01000193) ^ (forwards >>> 15);
      backwards = Math.imul(backwards ^ (this.letters[from + size - 1 - step] ?? 0), 0x01000193) ^ (backwards >>> 15);
    }
    return Math.imul(forwards, 0x9e3779b1) ^ Math.imul(backwards, 0x9e3779b1);
  }
}

/** Letters in a row that make two places the same. */
const SAME_LETTERS = 12;

/** Letters skipped on one side to find the place where both sides agree again. */
const SKIP_MAX = 2000;

/** Bounds the work on texts in another order, which are compared by groups. */
const FAILURES_MAX = 100;

/** Explains what both sides have in the same order, which is nearly all. */
function strikeAligned(held: Letters, given: Letters): void {
  let [at, to] = [0, 0];
  let failures = 0;
  const [heldLetters, givenLetters] = [held.letters.subarray(0, held.owed), given.letters.subarray(0, given.owed)];
  while (at < held.owed && to < given.owed && failures < FAILURES_MAX) {
    const same = countSame(heldLetters, at, givenLetters, to);
    // A few equal letters may be chance, except at the ends.
    if (same >= SAME_LETTERS || at + same === held.owed) {
      held.states.fill(EXPLAINED, at, at + same);
      given.states.fill(EXPLAINED, to, to + same);
    }
    at += same;
    to += same;
    if (at >= held.owed || to >= given.owed) return;
    const inHeld = findSame(givenLetters, to, heldLetters, at);
    const inGiven = findSame(heldLetters, at, givenLetters, to);
    if (inHeld === -1 && inGiven === -1) {
      failures += 1;
      at = held.nextStart(at);
      to = given.nextStart(to);
    } else if (inGiven === -1 || (inHeld !== -1 && inHeld - at <= inGiven - to)) at = inHeld;
    else to = inGiven;
  }
}

/** Equal letters of two texts from two places. */
function countSame(one: Uint16Array, at: number, other: Uint16Array, to: number): number {
  const end = Math.min(one.length - at, other.length - to);
  let same = 0;
  while (same < end && one[at + same] === other[to + same]) same += 1;
  return same;
}

/** The first place from `from` with the same letters as `other` has at `at`; -1 without one nearby. */
function findSame(other: Uint16Array, at: number, letters: Uint16Array, from: number): number {
  const size = Math.min(SAME_LETTERS, other.length - at);
  const end = Math.min(letters.length - size, from + SKIP_MAX);
  for (let place = from; place <= end; place += 1) {
    let same = 0;
    while (same < size && letters[place + same] === other[at + same]) same += 1;
    if (same === size) return place;
  }
  return -1;
}

/** Explains what both sides have somewhere: long groups of letters, words, short groups. */
function strikeParts(held: Letters, given: Letters): void {
  strikeSpans(held, given, (side, see) => side.forGroups(GROUP_SIZES.long, see));
  strikeSpans(held, given, (side, see) => side.forWords(see));
  strikeSpans(held, given, (side, see) => side.forGroups(GROUP_SIZES.short, see));
}

/** Calls with the first letter, the number of letters and the hash of each span. */
type ForSpans = (side: Letters, see: (at: number, size: number, hash: number) => void) => void;

/** Explains the spans that both sides have, each as often as both have it. */
function strikeSpans(held: Letters, given: Letters, forSpans: ForSpans): void {
  const inHeld = spansWithin(held, given, forSpans);
  const inGiven = spansWithin(given, held, forSpans);
  for (const [at, size] of inHeld) held.states.fill(EXPLAINED, at, at + size);
  for (const [at, size] of inGiven) given.states.fill(EXPLAINED, at, at + size);
}

/** The spans of one side that the other has too. */
function spansWithin(side: Letters, other: Letters, forSpans: ForSpans): [at: number, size: number][] {
  const counts = new GroupCounts(other.letters.length);
  forSpans(other, (_, __, hash) => counts.addGroupHash(hash));
  const found: [number, number][] = [];
  forSpans(side, (at, size, hash) => {
    if (counts.takeGroupHash(hash)) found.push([at, size]);
  });
  return found;
}

/** Counts by hash, in a table with open addressing. */
class GroupCounts {
  readonly #mask: number;
  readonly #hashes: Int32Array;
  readonly #counts: Int32Array;

  constructor(groups: number) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(16, groups * 2)));
    this.#mask = size - 1;
    this.#hashes = new Int32Array(size);
    this.#counts = new Int32Array(size).fill(-1);
  }

  addGroupHash(hash: number): void {
    const slot = this.#slotOf(hash);
    this.#hashes[slot] = hash;
    this.#counts[slot] = Math.max(0, this.#counts[slot] ?? 0) + 1;
  }

  takeGroupHash(hash: number): boolean {
    const slot = this.#slotOf(hash);
    const count = this.#counts[slot] ?? 0;
    if (count <= 0) return false;
    this.#counts[slot] = count - 1;
    return true;
  }

  #slotOf(hash: number): number {
    let slot = (hash ^ (hash >>> 16)) & this.#mask;
    while (this.#counts[slot] !== -1 && this.#hashes[slot] !== hash) slot = (slot + 1) & this.#mask;
    return slot;
  }
}

/** Longest run of which single letters are explained by single letters of the other side. */
const SINGLES_MAX = 3;

function strikeSingles(held: Letters, given: Letters): void {
  const countShortRunLetters = (side: Letters) => {
    const found = new Int32Array(0x10000);
    forRuns(side, 0, (from, to) => {
      if (to - from > SINGLES_MAX) return;
      for (const letter of side.letters.subarray(from, to)) found[letter] = (found[letter] ?? 0) + 1;
    });
    return found;
  };
  const strikeAvailableLetters = (side: Letters, available: Int32Array) => {
    forRuns(side, 0, (from, to) => {
      if (to - from > SINGLES_MAX) return;
      for (let at = from; at < to; at += 1) {
        const letter = side.letters[at] ?? 0;
        if ((available[letter] ?? 0) <= 0) continue;
        available[letter] = (available[letter] ?? 0) - 1;
        side.states[at] = EXPLAINED;
      }
    });
  };
  const [inHeld, inGiven] = [countShortRunLetters(held), countShortRunLetters(given)];
  strikeAvailableLetters(held, inGiven);
  strikeAvailableLetters(given, inHeld);
}

/**
 * Calls with each run of unexplained letters, bridging fewer than `bridge` explained ones. Without bridges, text that
 * is not owed is a run of its own.
 */
function forRuns(side: Letters, bridge: number, see: (from: number, to: number) => void): void {
  let from = -1;
  let last = -1;
  for (let at = 0; at < side.letters.length; at += 1) {
    if (side.states[at] !== UNEXPLAINED) continue;
    if (from !== -1 && (at - last - 1 > bridge || (bridge === 0 && side.isApart[at] === 1))) {
      see(from, last + 1);
      from = at;
    } else if (from === -1) from = at;
    last = at;
  }
  if (from !== -1) see(from, last + 1);
}

/** The runs of owed letters that stay unexplained. */
function unexplainedRuns(side: Letters, { lines }: Side): Run[] {
  // Text that is not owed explains, but is not missing itself.
  for (const [index, line] of lines.entries()) {
    const from = side.starts[index] ?? 0;
    if (!line.isOwed) side.states.fill(EXPLAINED, from, from + line.letters);
  }
  const runs: Run[] = [];
  const letterStartOfLine = (index: number) => side.starts[index] ?? side.letters.length;
  let index = 0;
  forRuns(side, BRIDGE_LETTERS, (from, to) => {
    let at = from;
    while (at < to) {
      while (letterStartOfLine(index + 1) <= at) index += 1;
      const line = lines[index];
      if (line === undefined) return;
      const first = letterStartOfLine(index);
      while (index + 1 < lines.length && letterStartOfLine(index + 1) < to && lines[index + 1]?.place === line.place)
        index += 1;
      const end = Math.min(to, letterStartOfLine(index + 1));
      runs.push(runFrom(side, line, { first, from: at, to: end }));
      at = end;
    }
  });
  return runs;
}

function runFrom(side: Letters, line: Line, { first, from, to }: { first: number; from: number; to: number }): Run {
  const offset = offsetOfLetter(line.text, line.start, from - first);
  const letters = side.states.subarray(from, to).reduce((sum, state) => sum + 1 - state, 0);
  return { place: line.place, letters, text: quoteTextStart(line.text.slice(offset, line.end)) };
}

function missingWarnings({ missingRuns, unlocated }: Gap, perPlace: ReadonlyMap<string, number>): Said[] {
  const gaps = new Map<string, { letters: number; longest: Run }>();
  for (const run of missingRuns) {
    const known = gaps.get(run.place);
    if (known === undefined) gaps.set(run.place, { letters: run.letters, longest: run });
    else {
      known.letters += run.letters;
      if (run.letters > known.longest.letters) known.longest = run;
    }
  }
  const told = [...gaps].filter(
    ([place, { letters, longest }]) => longest.letters > RUN_MAX || letters > SHARE_MAX * (perPlace.get(place) ?? 0),
  );
  const sentences = told
    .slice(0, PLACES_MAX)
    .map(
      ([place, { letters, longest }]) => say`${placeName(place)}: ${missingLetters(letters)}, at “${longest.text}”.`,
    );
  if (unlocated > RUN_MAX) sentences.push(say`The file: ${missingLetters(unlocated)}, at places that are not known.`);
  const more = told.slice(PLACES_MAX);
  if (more.length === 0) return sentences;
  const letters = more.reduce((sum, [, gap]) => sum + gap.letters, 0);
  const one = say`One more place: ${missingLetters(letters)}.`;
  return [...sentences, more.length === 1 ? one : say`${more.length} more places: ${missingLetters(letters)}.`];
}

function missingLetters(count: number): Said {
  return count === 1
    ? say`1 letter of the source is not in the result`
    : say`${letterCountText(count)} of the source are not in the result`;
}

function surplusWarnings({ surplusRuns }: Gap): Said[] {
  const long = surplusRuns.filter(({ letters }) => letters > RUN_MAX);
  const [first] = long;
  if (first === undefined) return [];
  const letters = long.reduce((sum, run) => sum + run.letters, 0);
  return [say`The result has ${letterCountText(letters)} that the source does not hold, at “${first.text}”.`];
}

function placeName(place: string): string {
  return place === '' ? 'The file' : place.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}
