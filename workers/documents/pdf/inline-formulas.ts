/**
 * Formulas within a sentence. The fonts of the glyphs tell where one is: letters and signs of fonts for mathematics,
 * and the digits, brackets and functions that touch them. The words around it stay.
 */

import { isLatexFunction } from '../latex.ts';
import { layoutFormula } from './formula-layout.ts';
import { type AlignedGlyph, alignGlyphs, areWords } from './glyph-places.ts';
import type { Glyph } from './math-glyphs.ts';
import type { InlineFormula, PageLine, RaisedMark } from './page-content.ts';
import { haveSameLetters } from './page-letters.ts';
import type { Rule } from './vectors.ts';

/** Longer lines and formulas are no sentence. */
const LINE_GLYPHS_MAX = 2000;

const FORMULA_GLYPHS_MAX = 300;

/** Formulas of one line. */
const FORMULAS_MAX = 50;

/** Gaps in font sizes: of glyphs that touch, after the name of a function, and around a relation. */
const TIGHT = 0.14;

const FUNCTION_GAP = 0.3;

const JOINT_GAP = 0.75;

/** A script is smaller than the text, and off its line, in font sizes. */
const SCRIPT_SIZE = 0.85;

const SCRIPT_OFF = 0.1;

const OPEN = '([{⟨⌊⌈|‖';

const CLOSE = ')]}⟩⌋⌉|‖';

/** Signs that mark a note or an item as well. */
const MARKS = /^[•·∗†‡§¶◦◮■□▪◆♦➢✓]$/u;

/** Those that formulas have between two operands. */
const JOINING_MARKS = /^[·∗◦•]$/u;

/** A word that carries a lowered sign, as the name of a function. */
const NAME_LETTERS_MAX = 12;

const OPERATOR = /^(?:\u0338|[-◦⊦=<>≤≥≈∼≃≅≡≠∈∉∋⊂⊆⊃⊇→←↔⇒⇔↦∝+−±∓×÷·∑∏∫∮⋃⋂∪∩∧∨⊕⊗∘⋅|∣∥,;:/\\⊥⊤≪≫↑↓⟶⟵])$/u;

/** Operators that text fonts have. */
const TEXT_OPERATOR = /^[=+<>:]$/;

const LETTER = /^\p{L}$/u;

const GREEK = /^[\p{Script=Greek}∆Ωµ]$/u;

const DIGIT = /^\d$/;

const ACCENT = /^(?:\u20d7|[ˆˇ˜¯˙¨´`˘^~])$/u;

/** The letter of an accent at the end of a line is on the next one. */
const CUT_ACCENT = /\S*\u20d7$/u;

export interface WrittenLine {
  text: string;
  formulas: InlineFormula[];
  /** The raised marks outside of formulas, at their places in the text. */
  raised: RaisedMark[];
  /** Texts of formulas whose places are not clear. */
  unclear: string[];
}

interface InlineOptions {
  bars: readonly Rule[];
  /** The marks with which notes of the page begin. */
  notes: ReadonlySet<string>;
}

/** Null if the line has no formula, or its glyphs are not those of its text. */
export function writeInlineFormulas(
  line: PageLine,
  glyphs: readonly Glyph[],
  { bars, notes }: InlineOptions,
): WrittenLine | null {
  if (glyphs.length > LINE_GLYPHS_MAX) return null;
  const aligned = alignGlyphs(line.text, glyphs);
  if (aligned === null || areWords(aligned)) return null;
  const runs = new FormulaRuns(aligned, { bars, noteStarts: noteStartsOf(line, notes) }).findRuns();
  const cut = CUT_ACCENT.exec(line.text);
  if (runs.length === 0 && cut === null) return null;
  const written = writeRuns(line, runs, bars);
  return cut === null ? written : { ...written, unclear: [...written.unclear, cut[0]] };
}

/** Offsets of the raised marks that a note of the page begins with. */
function noteStartsOf({ raised = [] }: PageLine, notes: ReadonlySet<string>): ReadonlySet<number> {
  return new Set(raised.filter(({ text }) => notes.has(text)).map(({ at }) => at));
}

function writeRuns(
  { text, raised: marks = [] }: PageLine,
  runs: readonly (readonly AlignedGlyph[])[],
  bars: readonly Rule[],
): WrittenLine {
  const formulas: InlineFormula[] = [];
  const raised: RaisedMark[] = [];
  const unclear: string[] = [];
  let written = '';
  let end = 0;
  for (const run of runs.slice(0, FORMULAS_MAX)) {
    const [from, to] = [run[0]?.start ?? 0, Math.max(...run.map((one) => one.end))];
    const source = text.slice(from, to);
    const formula = layoutFormula(run, barsIn(run, bars));
    const shown = formula?.text.normalize('NFC') ?? '';
    for (const mark of marks) {
      if (mark.at >= end && mark.at < from) raised.push({ ...mark, at: mark.at + written.length - end });
    }
    written += text.slice(end, from);
    end = to;
    if (formula === null || formula.latex === '' || !haveSameLetters([source], [shown])) {
      unclear.push(source);
      written += source;
      continue;
    }
    formulas.push({ start: written.length, end: written.length + shown.length, latex: formula.latex });
    written += shown;
  }
  for (const mark of marks) if (mark.at >= end) raised.push({ ...mark, at: mark.at + written.length - end });
  return { text: written + text.slice(end), formulas, raised, unclear };
}

function barsIn(run: readonly Glyph[], bars: readonly Rule[]): Rule[] {
  const [left, right] = [Math.min(...run.map((one) => one.left)), Math.max(...run.map((one) => one.right))];
  const [top, bottom] = [Math.min(...run.map((one) => one.top)), Math.max(...run.map((one) => one.bottom))];
  return bars.filter(({ at, from, to }) => at > top && at < bottom && from > left - 2 && to < right + 2);
}

interface RunOptions {
  bars: readonly Rule[];
  noteStarts: ReadonlySet<number>;
}

/** Finds the glyphs of each formula of a line. */
class FormulaRuns {
  readonly #glyphs: readonly AlignedGlyph[];
  readonly #noteStarts: ReadonlySet<number>;
  readonly #bars: readonly Rule[];
  readonly #size: number;
  readonly #base: number;

  constructor(glyphs: readonly AlignedGlyph[], { bars, noteStarts }: RunOptions) {
    this.#glyphs = glyphs;
    this.#noteStarts = noteStarts;
    const sizes = glyphs.filter(({ isBig }) => !isBig).map(({ size }) => size);
    this.#size = modeOf(sizes.map((size) => Math.round(size * 10))) / 10;
    const main = glyphs.filter(({ isBig, size }) => !isBig && size > SCRIPT_SIZE * this.#size);
    this.#base = modeOf(main.map(({ base }) => Math.round(base * 2))) / 2;
    this.#bars = bars.filter(({ at }) => Math.abs(at - this.#base) < 2 * this.#size);
  }

  findRuns(): AlignedGlyph[][] {
    const runs: AlignedGlyph[][] = [];
    let next = 0;
    for (let at = 0; at < this.#glyphs.length; at += 1) {
      if (at < next || !this.#isSeed(at)) continue;
      const [first, last] = this.#growRun(at, next);
      next = Math.max(next, last + 1);
      const run = this.#glyphs.slice(first, last + 1);
      if (run.length <= FORMULA_GLYPHS_MAX && this.#isFormula(first, last)) runs.push(run);
    }
    return runs;
  }

  #growRun(seed: number, least: number): [first: number, last: number] {
    let [first, last] = [seed, seed];
    for (;;) {
      const right = this.#stepRight(first, last);
      if (right > last) {
        last = right;
        continue;
      }
      const left = this.#stepLeft(first, least);
      if (left < first) {
        first = left;
        continue;
      }
      // Brackets around a run belong to it if the formula goes on behind them.
      const pair = this.#bracketAround(first, last, least);
      if (pair === null) break;
      [first, last] = pair;
    }
    const isLoose = (at: number) => /^[.,;:]$/.test(this.#textAt(at)) && !this.#isScript(at);
    while (last > first && isLoose(last) && !this.#isDots(last)) last -= 1;
    while (last > first && (isLoose(first) || this.#isLooseScript(first))) first += 1;
    return [first, last];
  }

  /** The last glyph of the run with what follows it; the same if nothing belongs to it. */
  #stepRight(first: number, last: number): number {
    const next = last + 1;
    if (next >= this.#glyphs.length) return last;
    const gap = this.#gapBefore(next);
    if (this.#isScript(next)) return gap < JOINT_GAP && !this.#isNote(next) ? next : last;
    const reach = this.#isJoint(last) || this.#isJoint(next) ? JOINT_GAP : TIGHT;
    if (this.#isMath(next)) return gap <= reach && !this.#isMark(next) ? next : last;
    if (this.#isOperand(next)) {
      const end = this.#tokenEnd(next);
      const isIn = gap <= (this.#isJoint(last) ? JOINT_GAP : TIGHT);
      return isIn && this.#endsToken(end) ? end : last;
    }
    const text = this.#textAt(next);
    if (TEXT_OPERATOR.test(text)) return this.#goesOn(next) && gap <= JOINT_GAP ? next : last;
    if (text === '!' && gap <= TIGHT && first !== next) return next;
    if (CLOSE.includes(text) && gap <= TIGHT && this.#isScript(next + 1) && !this.#isNote(next + 1)) return next;
    if (OPEN.includes(text) && gap <= (this.#isJoint(last) ? JOINT_GAP : TIGHT)) {
      const close = this.#closeOf(next);
      return close ?? last;
    }
    const end = this.#wordEnd(next);
    const isFunction = isLatexFunction(this.#textOf(next, end)) && this.#startsOperand(end + 1);
    return isFunction && gap <= (this.#isJoint(last) ? JOINT_GAP : FUNCTION_GAP) ? end : last;
  }

  #stepLeft(first: number, least: number): number {
    const before = first - 1;
    if (before < least) return first;
    const gap = this.#gapBefore(first);
    if (this.#isScript(first) || this.#isScript(before)) {
      const base = this.#isScript(before) ? this.#scriptStart(before, least) - 1 : before;
      if (base < least || gap >= JOINT_GAP) return first;
      if (this.#canCarryScript(base)) return this.#operandStart(base, least) ?? first;
      return this.#nameStart(base, least) ?? first;
    }
    const reach = this.#isJoint(first) || this.#isJoint(before) ? JOINT_GAP : TIGHT;
    if (this.#isMath(before)) return gap <= reach && !this.#isMark(before) ? before : first;
    const near = this.#isJoint(first) ? JOINT_GAP : TIGHT;
    if (this.#isOperand(before)) return gap <= near ? (this.#operandStart(before, least) ?? first) : first;
    const text = this.#textAt(before);
    if (TEXT_OPERATOR.test(text)) {
      const isAfter =
        before === 0 ? text !== ':' : this.#gapBefore(before) <= JOINT_GAP && this.#endsOperand(before - 1);
      return isAfter && gap <= JOINT_GAP ? before : first;
    }
    if (CLOSE.includes(text) && gap <= near) return this.#openOf(before, least) ?? first;
    const start = this.#wordStart(before, least);
    const isFunction = isLatexFunction(this.#textOf(start, before)) && this.#startsOperand(first);
    return isFunction && gap <= FUNCTION_GAP ? start : first;
  }

  #bracketAround(first: number, last: number, least: number): [number, number] | null {
    const pair = OPEN.indexOf(this.#textAt(first - 1));
    const isPair = first > least && pair >= 0 && this.#textAt(last + 1) === CLOSE[pair];
    if (!isPair || this.#gapBefore(first) > TIGHT || this.#gapBefore(last + 1) > TIGHT) return null;
    const after = last + 2;
    const goesOn =
      after < this.#glyphs.length &&
      ((this.#isScript(after) && !this.#isNote(after)) ||
        (this.#isMath(after) && !this.#isMark(after) && this.#gapBefore(after) <= JOINT_GAP) ||
        (TEXT_OPERATOR.test(this.#textAt(after)) && this.#goesOn(after)));
    const before = first - 2;
    const isWithin =
      before >= least && this.#endsOperand(before) && this.#isMath(before) && this.#gapBefore(first - 1) <= TIGHT;
    return goesOn || isWithin ? [first - 1, last + 1] : null;
  }

  /** Whether glyphs that lie together are a formula, and no lone sign or number. */
  #isFormula(first: number, last: number): boolean {
    let hasLetter = false;
    let hasStructure = false;
    for (let at = first; at <= last; at += 1) {
      const { text, isMath, isBig, style } = this.#glyph(at);
      if (at === first && this.#isLooseScript(at)) return false;
      hasLetter ||= (isMath || style !== null || GREEK.test(text)) && /\p{L}/u.test(text);
      hasStructure ||= (this.#isScript(at) && at > first) || text === '√' || (isBig && !/[^∑∏∫∮⋃⋂]/u.test(text));
    }
    return hasLetter || hasStructure;
  }

  #isSeed(at: number): boolean {
    if (this.#isMark(at)) return false;
    if (this.#isMath(at)) return true;
    return this.#isScript(at) && (this.#glyph(at).isMath || this.#barOver(at) !== null) && !this.#isNote(at);
  }

  /** Whether an operator of the text is followed by something that it joins. */
  #goesOn(at: number): boolean {
    if (at + 1 >= this.#glyphs.length) return this.#textAt(at) !== ':';
    if (this.#gapBefore(at + 1) > JOINT_GAP) return false;
    return this.#startsOperand(at + 1) || this.#isMath(at + 1);
  }

  #startsOperand(at: number): boolean {
    if (at >= this.#glyphs.length) return false;
    if (this.#isMath(at)) return !this.#isMark(at);
    if (this.#isScript(at)) return true;
    if (this.#isOperand(at)) return this.#endsToken(this.#tokenEnd(at));
    if (OPEN.includes(this.#textAt(at))) return this.#closeOf(at) !== null;
    return isLatexFunction(this.#textOf(at, this.#wordEnd(at)));
  }

  #endsOperand(at: number): boolean {
    if (at < 0) return false;
    const isPart = this.#isMath(at) || this.#isScript(at) || this.#isOperand(at);
    return (isPart && !this.#isMark(at)) || CLOSE.includes(this.#textAt(at));
  }

  /** What a raised or lowered sign may belong to; a word has its notes there. */
  #canCarryScript(at: number): boolean {
    return this.#isMath(at) || this.#isOperand(at) || CLOSE.includes(this.#textAt(at));
  }

  /** The first letter of a word that a lowered sign makes the name of a function. */
  #nameStart(at: number, least: number): number | null {
    const start = this.#wordStart(at, least);
    const name = this.#textOf(start, at);
    if (start > at || name.length > NAME_LETTERS_MAX) return null;
    const isLowered = !this.#isDigit(at) && this.#glyph(at + 1).base > this.#base;
    return isLatexFunction(name) || (isLowered && this.#glyph(at).isTex) ? start : null;
  }

  /** Signs that are raised or lowered at nothing. */
  #isLooseScript(at: number): boolean {
    return this.#isScript(at) && this.#barOver(at) === null;
  }

  #isDots(at: number): boolean {
    const text = this.#textAt(at);
    const isAlike = /^[.·]$/.test(text) && text === this.#textAt(at - 1) && text === this.#textAt(at - 2);
    return isAlike && this.#gapBefore(at) < JOINT_GAP;
  }

  #operandStart(at: number, least: number): number | null {
    const isClose = !this.#isMath(at) && CLOSE.includes(this.#textAt(at));
    if (isClose) return this.#openOf(at, least);
    if (!this.#isDigit(at)) return at;
    let start = at;
    while (start > least && this.#isNumberPart(start - 1) && this.#gapBefore(start) <= TIGHT) start -= 1;
    return start;
  }

  /** The end of the number or letter that begins at a place. */
  #tokenEnd(at: number): number {
    if (!this.#isDigit(at)) return at;
    let end = at;
    while (this.#isNumberPart(end + 1) && this.#gapBefore(end + 1) <= TIGHT) end += 1;
    while (end > at && !this.#isDigit(end)) end -= 1;
    return end;
  }

  /** No word goes on with it, as in `3rd`. */
  #endsToken(end: number): boolean {
    const next = end + 1;
    return next >= this.#glyphs.length || !this.#isPlainLetter(next) || this.#gapBefore(next) > TIGHT;
  }

  /** The bracket that closes one, if what is between them belongs to a formula. */
  #closeOf(at: number): number | null {
    const pair = OPEN.indexOf(this.#textAt(at));
    const end = Math.min(this.#glyphs.length, at + FORMULA_GLYPHS_MAX);
    let depth = 0;
    for (let next = at; next < end; next += 1) {
      const text = this.#textAt(next);
      if (text === OPEN[pair] && (next === at || text !== CLOSE[pair])) depth += 1;
      else if (text === CLOSE[pair]) depth -= 1;
      if (depth === 0) return this.#isMathBetween(at + 1, next - 1) ? next : null;
    }
    return null;
  }

  #openOf(at: number, least: number): number | null {
    const pair = CLOSE.indexOf(this.#textAt(at));
    let depth = 0;
    for (let before = at; before >= Math.max(least, at - FORMULA_GLYPHS_MAX); before -= 1) {
      const text = this.#textAt(before);
      if (text === CLOSE[pair] && (before === at || text !== OPEN[pair])) depth += 1;
      else if (text === OPEN[pair]) depth -= 1;
      if (depth === 0) return this.#isMathBetween(before + 1, at - 1) ? before : null;
    }
    return null;
  }

  /** Whether glyphs are signs, numbers and functions, and no words. */
  #isMathBetween(first: number, last: number): boolean {
    for (let at = first; at <= last; at += 1) {
      if (this.#isMath(at) || this.#isScript(at) || this.#isOperand(at)) continue;
      const text = this.#textAt(at);
      if (/^[=+<>:;,./!()[\]{}|…]$/u.test(text)) continue;
      const end = this.#wordEnd(at);
      if (end < at || !isLatexFunction(this.#textOf(at, end))) return false;
      at = end;
    }
    return last >= first;
  }

  #scriptStart(at: number, least: number): number {
    let start = at;
    while (start > least && this.#isScript(start - 1)) start -= 1;
    return start;
  }

  /** The end of the word that begins at a place; before it, if none does. */
  #wordEnd(at: number): number {
    let end = at - 1;
    while (this.#isPlainLetter(end + 1) && (end < at || this.#gapBefore(end + 1) <= TIGHT)) end += 1;
    return end;
  }

  #wordStart(at: number, least: number): number {
    let start = at + 1;
    while (start > least && this.#isPlainLetter(start - 1) && (start > at || this.#gapBefore(start) <= TIGHT))
      start -= 1;
    return start;
  }

  /** A digit, or a lone letter of an alphabet that formulas have, such as a bold one. */
  #isOperand(at: number): boolean {
    if (this.#isDigit(at)) return true;
    const glyph = this.#glyphs[at];
    if (glyph === undefined || glyph.style === null || glyph.style === 'mathit' || this.#isScript(at)) return false;
    const isApart = (one: number) => !this.#isPlainLetter(one) && this.#glyphs[one]?.style == null;
    return (isApart(at - 1) || this.#gapBefore(at) > TIGHT) && (isApart(at + 1) || this.#gapBefore(at + 1) > TIGHT);
  }

  /** Operators, and names of functions, have space around them. */
  #isJoint(at: number): boolean {
    const text = this.#textAt(at);
    if (this.#isScript(at)) return this.#endsWithOperator(at);
    const isDot = /^[.·]$/.test(text) && (this.#textAt(at - 1) === text || this.#textAt(at + 1) === text);
    return OPERATOR.test(text) || this.#glyphs[at]?.isBig === true || this.#isFunctionEnd(at) || text === '…' || isDot;
  }

  /** The scripts of a sum or function stand between it and what follows. */
  #endsWithOperator(at: number): boolean {
    const base = this.#scriptStart(at, 0) - 1;
    return base >= 0 && !this.#isScript(base) && (/^[∑∏∫∮⋃⋂]$/u.test(this.#textAt(base)) || this.#isFunctionEnd(base));
  }

  #isFunctionEnd(at: number): boolean {
    return this.#isPlainLetter(at) && isLatexFunction(this.#textOf(this.#wordStart(at, 0), at));
  }

  #isMath(at: number): boolean {
    const glyph = this.#glyphs[at];
    if (glyph === undefined || this.#isScript(at)) return false;
    return glyph.isMath || (GREEK.test(glyph.text) && glyph.isTex) || (ACCENT.test(glyph.text) && this.#isAccent(at));
  }

  /** An accent that stands over a letter of a formula. */
  #isAccent(at: number): boolean {
    const [accent, letter] = [this.#glyphs[at], this.#glyphs[at + 1]];
    return accent !== undefined && letter?.isMath === true && letter.left - accent.right < 0;
  }

  #isScript(at: number): boolean {
    const glyph = this.#glyphs[at];
    if (glyph === undefined || glyph.isBig) return false;
    return glyph.size <= SCRIPT_SIZE * this.#size && Math.abs(glyph.base - this.#base) > SCRIPT_OFF * this.#size;
  }

  #isNote(at: number): boolean {
    return this.#noteStarts.has(this.#glyph(at).start);
  }

  #isMark(at: number): boolean {
    return MARKS.test(this.#textAt(at)) && !this.#standsInFormula(at) && !this.#isAmongDots(at);
  }

  #isAmongDots(at: number): boolean {
    return this.#isDots(at) || this.#isDots(at + 1) || this.#isDots(at + 2);
  }

  /** A sign between two operands; a mark stands at a word or alone. */
  #standsInFormula(at: number): boolean {
    if (!JOINING_MARKS.test(this.#textAt(at))) return false;
    if (this.#isScript(at)) return this.#textAt(at) === '◦' && (this.#isDigit(at - 1) || this.#isMath(at - 1));
    const [before, after] = [this.#glyphs[at - 1], this.#glyphs[at + 1]];
    const isNear = (gap: number) => gap <= JOINT_GAP;
    return (
      before !== undefined &&
      after !== undefined &&
      isNear(this.#gapBefore(at)) &&
      isNear(this.#gapBefore(at + 1)) &&
      (before.isMath || this.#isScript(at - 1) || this.#isDigit(at - 1) || CLOSE.includes(before.text)) &&
      (after.isMath || this.#isDigit(at + 1) || OPEN.includes(after.text))
    );
  }

  #isDigit(at: number): boolean {
    return DIGIT.test(this.#textAt(at)) && !this.#isScript(at);
  }

  #isNumberPart(at: number): boolean {
    return this.#isDigit(at) || (/^[.,]$/.test(this.#textAt(at)) && this.#isDigit(at + 1) && this.#isDigit(at - 1));
  }

  #isPlainLetter(at: number): boolean {
    const glyph = this.#glyphs[at];
    return glyph !== undefined && LETTER.test(glyph.text) && !glyph.isMath && !this.#isScript(at);
  }

  /** The bar of a fraction that a small glyph stands above or below. */
  #barOver(at: number): Rule | null {
    const { left, right } = this.#glyph(at);
    const middle = (left + right) / 2;
    return (
      this.#bars.find((bar) => middle > bar.from && middle < bar.to && bar.to - bar.from < 20 * this.#size) ?? null
    );
  }

  /** The gap before a glyph, in font sizes, from the end of the glyphs before it. */
  #gapBefore(at: number): number {
    const [one, before, other] = [this.#glyph(at), this.#glyph(at - 1), this.#glyphs[at - 2]];
    const end = other !== undefined && this.#isScript(at - 2) ? Math.max(before.right, other.right) : before.right;
    return (one.left - end) / this.#size;
  }

  #glyph(at: number): AlignedGlyph {
    const glyph = this.#glyphs[at];
    if (glyph === undefined) throw new RangeError(`No glyph ${at}`);
    return glyph;
  }

  #textAt(at: number): string {
    return this.#glyphs[at]?.text ?? '';
  }

  #textOf(first: number, last: number): string {
    return this.#glyphs
      .slice(first, last + 1)
      .map(({ text }) => text)
      .join('');
  }
}

function modeOf(values: readonly number[]): number {
  const counts = new Map<number, number>();
  let best = values[0] ?? 0;
  for (const value of values) {
    const count = (counts.get(value) ?? 0) + 1;
    counts.set(value, count);
    if (count > (counts.get(best) ?? 0)) best = value;
  }
  return best;
}
