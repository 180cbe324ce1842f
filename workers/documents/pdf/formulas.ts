/**
 * Formulas on lines of their own. They become one line with its LaTeX if the places of their glyphs tell it; else their
 * lines stay as they are, and are a doubt. The other lines get the formulas within their sentences.
 */

import { isLatexFunction } from '../latex.ts';
import { type FormulaText, layoutFormula, splitRows, tightGlyph } from './formula-layout.ts';
import { areWords } from './glyph-places.ts';
import { writeInlineFormulas } from './inline-formulas.ts';
import type { Glyph } from './math-glyphs.ts';
import type { Box, PageLine } from './page-content.ts';
import { haveSameLetters } from './page-letters.ts';
import type { Rule, Vector } from './vectors.ts';
import { joinSentences } from './whole-sentences.ts';

/** A page with more lines is no page of formulas. */
const LINES_MAX = 2000;

/** Largest distance of lines of one formula, in font sizes, down and across. */
const DOWN_SIZES = 1.1;

const ACROSS_SIZES = 2.5;

/** A text that stands nearer on the same row, in font sizes, has the formula in its sentence. */
const INLINE_SIZES = 1;

/** Numbers that stand nearer on the same row, in font sizes, are cells of the same table. */
const CELL_SIZES = 10;

/** Least indent beside the text above or below, in font sizes. */
const INDENT_SIZES = 0.5;

const GLYPHS_MIN = 3;

const FORMULA_GLYPHS_MAX = 600;

/** Of the bars of fractions and roots, in points. */
const BAR_HEIGHT_MAX = 1.6;

const BAR_LENGTH_MIN = 2;

/** A longer line is searched no further. */
const BARE_CHARS_MAX = 5000;

/** How far a bar reaches beyond the glyphs, in points. */
const BAR_BEYOND = 10;

const OPERATION = /[=<>≤≥≈∼≃≡≠∈→⇒↦∝+−±×∑∏∫√⋃⋂]/u;

/** Gap between words, in font sizes. */
const WORD_GAP = 0.18;

/** Letters of a word in a formula. */
const LONE_WORD_MAX = 12;

const EQUATION_NUMBER = /^\((?:[A-Z]\.?)?\d{1,3}(?:\.\d{1,3})*[a-z]?\)$/;

const BULLETS = /^[•·∗†‡§¶◦◮■□▪◆♦➢✓]+$/u;

/** Words between the parts of a formula. */
const CONNECTING = /^(?:if|for|and|or|otherwise|where|with|all|when|else|then|such|that|subject|to|argmax|argmin|arg)$/;

interface MathLine {
  line: PageLine;
  /** Around its glyphs: signs of extension fonts hang out of the line. */
  box: Box;
  glyphs: Glyph[];
  hasMath: boolean;
  /** No words of a sentence. */
  isBare: boolean;
}

export interface FoundFormulas {
  /** Each formula is one line in the place of its first. */
  lines: PageLine[];
  /** The texts of formulas whose places are not clear. */
  unclear: string[];
  /** Whether a sentence has raised or lowered signs of a formula that its text has on the line. */
  hasFlatScripts: boolean;
}

export function findFormulas(
  pageLines: PageLine[],
  glyphs: readonly Glyph[],
  vectors: readonly Vector[],
): FoundFormulas {
  if (pageLines.length > LINES_MAX) return { lines: pageLines, unclear: [], hasFlatScripts: false };
  const found = mathLines(pageLines, glyphs);
  const lines = joinSentences(found);
  const isSame = lines.length === found.length && lines.every((line, at) => line === found[at]?.line);
  const all = isSame ? found : mathLines(lines, glyphs);
  const bars = barsOf(vectors);
  const formulas = new Map<PageLine, PageLine[]>();
  const used = new Set<PageLine>();
  const unclear: string[] = [];
  /** Lines of formulas, clear or not. */
  const settled = new Set<PageLine>();
  for (const core of all) {
    if (!core.hasMath || !core.isBare || used.has(core.line)) continue;
    const region = growRegion(core, all, used);
    for (const { line } of region) used.add(line);
    const written = formulasOf(region, all, bars);
    const members = new Set(region.map(({ line }) => line));
    if (written === null) {
      unclear.push(region.map((one) => one.line.text).join(' '));
      for (const line of members) settled.add(line);
    }
    if (written === null || written.length === 0) continue;
    const first = lines.find((line) => members.has(line));
    for (const member of members) formulas.set(member, member === first ? written : []);
    for (const line of members) settled.add(line);
  }
  const sentences = all.filter(({ line }) => !settled.has(line));
  unclear.push(...writeSentences(sentences, bars));
  const hasFlatScripts = sentences.some((one) => one.line.written === undefined && hasScripts(one));
  return { lines: lines.flatMap((line) => formulas.get(line) ?? [line]), unclear, hasFlatScripts };
}

/** Writes the formulas within sentences beside the texts of their lines, and returns those that are not clear. */
function writeSentences(sentences: readonly MathLine[], bars: readonly Rule[]): string[] {
  const unclear: string[] = [];
  const size = Math.max(0, ...sentences.map(({ line }) => line.size));
  const small = sentences.filter(({ line }) => line.size < NOTE_SIZE * size);
  const starts = small.flatMap(({ line }) => line.raised?.filter(({ at }) => at === 0) ?? []);
  const notes = new Set(starts.map(({ text }) => text));
  for (const { line, glyphs } of sentences) {
    if (line.tag?.kind === 'code') continue;
    const found = writeInlineFormulas(line, glyphs, { bars, notes });
    if (found === null) continue;
    unclear.push(...found.unclear);
    line.written = { text: found.text, formulas: found.formulas, raised: found.raised };
  }
  return unclear;
}

/** Notes are in smaller print than some text of the page. */
const NOTE_SIZE = 0.95;

/** Whether signs of a formula in a line stand off its line and are smaller. */
function hasScripts({ glyphs, hasMath, isBare }: MathLine): boolean {
  if (!hasMath || isBare) return false;
  const size = Math.max(...glyphs.map((glyph) => glyph.size));
  const main = glyphs.find((glyph) => glyph.size === size);
  return glyphs.some((glyph, at) => {
    const isScript = glyph.size < SCRIPT_SIZE * size && Math.abs(glyph.base - (main?.base ?? 0)) > size / 10;
    return isScript && (glyph.isMath || glyphs[at - 1]?.isMath === true);
  });
}

const SCRIPT_SIZE = 0.85;

/** The lines with the glyphs that stand in them. */
function mathLines(lines: readonly PageLine[], glyphs: readonly Glyph[]): MathLine[] {
  const found = lines.map((line): MathLine => ({ line, box: line, glyphs: [], hasMath: false, isBare: false }));
  const rows = new Map<number, MathLine[]>();
  for (const one of found) {
    for (let row = Math.floor(one.line.top / ROW); row <= Math.floor(one.line.bottom / ROW); row += 1) {
      const known = rows.get(row);
      if (known === undefined) rows.set(row, [one]);
      else known.push(one);
    }
  }
  const taken = new Map<MathLine, number>();
  for (const glyph of glyphs) {
    const [x, y] = [(glyph.left + glyph.right) / 2, glyph.isBig ? glyph.base + 1 : glyph.base - glyph.size / 4];
    const near = rows.get(Math.floor(y / ROW)) ?? [];
    const around = near.filter(
      ({ line }) => x >= line.left - 1 && x <= line.right + 1 && y >= line.top && y <= line.bottom,
    );
    // Scripts and limits lie within the boxes of other lines.
    const own =
      around.find((one) => takesNext(one, glyph, taken)) ?? around.find(({ line }) => line.text.includes(glyph.text));
    (own ?? around[0])?.glyphs.push(glyph);
  }
  for (const one of found) {
    one.hasMath = one.glyphs.some(({ isMath, text }) => isMath && !BULLETS.test(text));
    one.isBare = one.line.tag === null && isBareText(one);
    if (one.glyphs.length > 0) one.box = boxAround(one.glyphs.map(tightGlyph));
  }
  return found;
}

/** Whether a glyph is the next of a line's text, by how much of the text is taken; then takes it. */
function takesNext(one: MathLine, { text, isUnknown }: Glyph, taken: Map<MathLine, number>): boolean {
  const { text: whole } = one.line;
  let at = taken.get(one) ?? 0;
  while (/^\s$/u.test(whole.charAt(at))) at += 1;
  const written = isUnknown ? UNKNOWN : text;
  const isNext = whole.startsWith(written, at);
  if (isNext) {
    taken.set(one, at + written.length);
    return true;
  }
  const next = String.fromCodePoint(whole.codePointAt(at) ?? 0);
  // An accent and its letter are one character of the text.
  if (next.normalize('NFD').charAt(0) !== text) return false;
  taken.set(one, at + next.length);
  return true;
}

/** What the text of a line has for a sign without Unicode. */
const UNKNOWN = '\ufffd';

/** Height of the rows in which lines are looked up, in points. */
const ROW = 12;

/** Whether no two words follow each other, as in a sentence; letters of fonts for mathematics are no words. */
function isBareText({ line, glyphs }: MathLine): boolean {
  if (glyphs.length === 0 || line.text.length > BARE_CHARS_MAX) return false;
  let written = '';
  let end = Number.POSITIVE_INFINITY;
  for (const { text, isMath, left, right, size } of [...glyphs].sort((one, other) => one.left - other.left)) {
    written += (left - end > WORD_GAP * size ? ' ' : '') + (isMath ? '#' : text);
    end = right;
  }
  const words = written.split(' ').map((word) => (/^[\p{L}’'-]{2,}[,.;:]?$/u.test(word) ? word : ''));
  const isSpoken = (word: string) => word !== '' && !isLatexFunction(word) && !CONNECTING.test(word);
  if (words.some((word, at) => isSpoken(word) && isSpoken(words[at + 1] ?? ''))) return false;
  return !words.some((word) => word.length > LONE_WORD_MAX);
}

/** The bare lines that stand together with one. */
function growRegion(core: MathLine, all: readonly MathLine[], used: ReadonlySet<PageLine>): MathLine[] {
  const region = [core];
  const taken = new Set([core]);
  for (const one of region) {
    for (const other of all) {
      if (taken.has(other) || used.has(other.line) || !other.isBare || !standTogether(one, other)) continue;
      taken.add(other);
      region.push(other);
    }
  }
  const box = boxAround(region.map((one) => one.box));
  const number = all.find((one) => !taken.has(one) && !used.has(one.line) && isNumberBeside(one, box));
  return number === undefined ? region : [...region, number];
}

/** Whether a line is the number of an equation on its right. */
function isNumberBeside({ line, box }: MathLine, of: Box): boolean {
  const middle = (box.top + box.bottom) / 2;
  const isBeside = line.left > of.right && middle > of.top && middle < of.bottom;
  return isBeside && EQUATION_NUMBER.test(line.text.replaceAll(' ', ''));
}

function standTogether({ line, box: one }: MathLine, { line: otherLine, box: other }: MathLine): boolean {
  const size = Math.max(line.size, otherLine.size);
  const down = Math.max(one.top - other.bottom, other.top - one.bottom);
  const across = Math.max(one.left - other.right, other.left - one.right);
  return down <= DOWN_SIZES * size && across <= (down < 0 ? ACROSS_SIZES : 0.5) * size;
}

/**
 * The lines of a formula; none if the lines are no formula, or belong to a sentence or table; null for a formula that
 * is not clear.
 */
function formulasOf(region: readonly MathLine[], all: readonly MathLine[], bars: readonly Rule[]): PageLine[] | null {
  const glyphs = region.flatMap((one) => one.glyphs);
  const box = boxAround(region.map(({ line }) => line));
  const own = bars.filter((bar) => isBarIn(bar, box));
  const text = glyphs.map((glyph) => glyph.text).join('');
  const isOperation = OPERATION.test(text) || ((own.length > 0 || hasTallPair(glyphs)) && /\p{L}/u.test(text));
  const [first] = region;
  if (first === undefined || glyphs.length < GLYPHS_MIN) return [];
  if (!isOperation || areWords(glyphs) || !standsAlone(region, box, all)) return [];
  const plain = region.map(({ line }) => line.text);
  const size = Math.max(...region.map(({ line }) => line.size));
  const { raised: _raised, face: _face, glued: _glued, ...kept } = first.line;
  const line: PageLine = { ...kept, ...box, size, bold: false, group: -first.line.group };
  const written = glyphs.length > FORMULA_GLYPHS_MAX ? null : writtenRows(glyphs, own);
  // A glyph may be read as part of another line.
  if (
    written === null ||
    !haveSameLetters(
      plain,
      written.map((one) => one.text),
    )
  )
    return null;
  return written.map(({ text: shown, latex }, at) => ({
    ...line,
    text: shown.normalize('NFC'),
    group: line.group - at / (written.length + 1),
    tag: { kind: 'formula', latex },
  }));
}

/** Whether tall brackets stand around rows, as of a matrix. */
function hasTallPair(glyphs: readonly Glyph[]): boolean {
  const tall = glyphs.filter(({ isBig, text }) => isBig && /^[()[\]{}|‖]$/u.test(text));
  return tall.length > 1 || tall.some(({ text }) => text === '{');
}

/** A formula over several rows, or each row with its number; null if it is not clear. */
function writtenRows(glyphs: readonly Glyph[], bars: readonly Rule[]): FormulaText[] | null {
  const tight = glyphs.map(tightGlyph);
  const rows = splitRows(tight, bars).map(withoutNumber);
  const parts = rows.some(({ number }) => number !== '') ? rows : [{ body: tight, number: '' }];
  const written = parts.map(({ body, number }) => {
    const formula = layoutFormula(
      body,
      bars.filter((bar) => isBarIn(bar, boxAround(body))),
    );
    if (formula === null || number === '') return formula;
    return { latex: `${formula.latex} \\tag{${number.slice(1, -1)}}`, text: `${formula.text} ${number}` };
  });
  return written.some((one) => one === null) ? null : written.filter((one) => one !== null);
}

/** Whether no sentence and no table has the formula in a row of its own. */
function standsAlone(region: readonly MathLine[], box: Box, all: readonly MathLine[]): boolean {
  const members = new Set(region);
  const size = Math.max(...region.map(({ line }) => line.size));
  for (const other of all) {
    if (members.has(other)) continue;
    const { line, isBare, hasMath } = other;
    const height = Math.min(line.bottom - line.top, box.bottom - box.top);
    const isBeside = Math.min(line.bottom, box.bottom) - Math.max(line.top, box.top) > height / 2;
    const across = Math.max(line.left - box.right, box.left - line.right);
    if (isBeside && !isBare && across < INLINE_SIZES * size) return false;
    const isCell = isBare && !hasMath && !EQUATION_NUMBER.test(line.text.replaceAll(' ', ''));
    if (isBeside && isCell && across < CELL_SIZES * size) return false;
    const isNear = Math.max(line.top - box.bottom, box.top - line.bottom) < size && across < 0;
    if (isNear && !isBeside && !isBare && box.left - line.left < INDENT_SIZES * size) return false;
  }
  return true;
}

/** The number of an equation stands apart on the right. */
function withoutNumber(glyphs: readonly Glyph[]): { body: Glyph[]; number: string } {
  const row = glyphs.toSorted((one, other) => one.left - other.left);
  const at = row.findLastIndex(({ text }) => text === '(');
  const before = row[at - 1];
  const number = row
    .slice(Math.max(0, at))
    .map(({ text }) => text)
    .join('');
  const isApart = before !== undefined && (row[at]?.left ?? 0) - before.right > (row[at]?.size ?? 0);
  return isApart && EQUATION_NUMBER.test(number) ? { body: row.slice(0, at), number } : { body: row, number: '' };
}

function boxAround(lines: readonly Box[]): Box {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { left, top, right, bottom } of lines) {
    box.left = Math.min(box.left, left);
    box.top = Math.min(box.top, top);
    box.right = Math.max(box.right, right);
    box.bottom = Math.max(box.bottom, bottom);
  }
  return box;
}

function barsOf(vectors: readonly Vector[]): Rule[] {
  return vectors.flatMap(({ left, top, right, bottom, isRectangle }) => {
    const isBar = isRectangle && bottom - top <= BAR_HEIGHT_MAX && right - left >= BAR_LENGTH_MIN;
    return isBar ? [{ at: (top + bottom) / 2, from: left, to: right }] : [];
  });
}

function isBarIn({ at, from, to }: Rule, box: Box): boolean {
  return at > box.top - 2 && at < box.bottom + 2 && from > box.left - BAR_BEYOND && to < box.right + BAR_BEYOND;
}
