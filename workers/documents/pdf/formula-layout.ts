/** A formula from the places of its glyphs and rules: fractions, roots, scripts, limits and rows, as LaTeX. */

import { itemAt } from '../../../src-server/platform/item-at.ts';
import {
  finishLatex,
  isLatexFunction,
  latexBrackets,
  latexFraction,
  latexLines,
  latexName,
  latexRoot,
  latexScripts,
  latexSymbols,
} from '../latex.ts';
import type { Glyph } from './math-glyphs.ts';
import type { Box } from './page-content.ts';
import type { Rule } from './vectors.ts';

export interface FormulaText {
  latex: string;
  /** On one line, in plain characters. */
  text: string;
}

/** Deeper structure is no formula that people print. */
const DEPTH_MAX = 12;

/** Further rules are those of a table or drawing. */
const RULES_MAX = 60;

/** Of the main letters, in font sizes: the height of their axis, and how far others stand off their line. */
const AXIS = 0.25;

const LEVEL = 0.15;

const WHOLE_LEVEL = 0.4;

/** Size of a script beside its base. */
const SCRIPT_SIZE_MAX = 0.85;

const MAIN_SIZE_MIN = 0.9;

/** Letters of a word stand nearer, in font sizes; what goes under a sum stands nearer to its neighbour. */
const WORD_GAP = 0.14;

const LIMIT_GAP = 0.5;

/** Empty space between two rows, in font sizes. */
const ROW_GAP = 0.4;

const POINT = 1;

const LIMIT_OPERATORS = /^[∑∏∐⋃⋂⨄⋀⋁⨁⨂]$/u;

const LIMIT_NAMES = /^(?:arg)?(?:max|min|sup|inf|lim)$/;

const OPEN = '([{⌊⌈⟨';

const CLOSE = ')]}⌋⌉⟩';

const RELATION = /^[=≈≡∼≤≥<>]$/u;

/** A part of a formula: a glyph, a word, or something composed. */
interface Item extends Box {
  latex: string;
  text: string;
  base: number;
  size: number;
  isBig: boolean;
  isWhole: boolean;
}

/** The places say no formula for certain. */
class UnclearFormula extends Error {}

/** Null if the places do not tell what belongs to what. */
export function layoutFormula(glyphs: readonly Glyph[], rules: readonly Rule[]): FormulaText | null {
  if (rules.length > RULES_MAX) return null;
  try {
    const items = joinWords(glyphs.map(glyphItem));
    const rows = splitRows(items, rules).map((row) => writeBox(row, rules, 0));
    if (rows.length === 0) return null;
    const [one] = rows;
    const latex = rows.length === 1 ? (one?.latex ?? '') : latexLines(rows.map((row) => alignRow(row.latex)));
    return { latex: finishLatex(latex), text: rows.map(({ text }) => text.replace(/\s+/g, ' ').trim()).join('\n') };
  } catch (error) {
    if (error instanceof UnclearFormula) return null;
    throw error;
  }
}

/** Marks the first relation of a row, at which rows are aligned. */
function alignRow(latex: string): string {
  return latex.replace(/(^|[^\\])(=|\\leq |\\geq |\\approx |\\equiv )/, '$1\\&$2');
}

function glyphItem(glyph: Glyph): Item {
  const { text, size, isBig } = glyph;
  const base = isBig ? (glyph.top + glyph.bottom) / 2 + AXIS * size : glyph.base;
  if (text === '\ufffd') throw new UnclearFormula();
  const isOperator = isBig || LIMIT_OPERATORS.test(text) || text === '∫';
  return { ...tightGlyph(glyph), latex: glyphLatex(glyph), base, isBig: isOperator, isWhole: false };
}

/** The box of a letter without the space that its font has above and below. */
export function tightGlyph(glyph: Glyph): Glyph {
  const { base, size, isBig } = glyph;
  return isBig ? glyph : { ...glyph, top: base - 0.72 * size, bottom: base + 0.22 * size };
}

function glyphLatex({ text, style }: Glyph): string {
  if (text === '−') return '-';
  if (style !== null) return `\\${style}{${text.normalize('NFKD')}} `;
  return latexSymbols(text);
}

/** Upright letters and digits that touch are a word or number. */
function joinWords(items: readonly Item[]): Item[] {
  const joined: Item[] = [];
  for (const item of [...items].sort((one, other) => one.base - other.base || one.left - other.left)) {
    const last = joined.at(-1);
    const isNext =
      last !== undefined &&
      Math.abs(last.base - item.base) < POINT / 4 &&
      Math.abs(last.size - item.size) < POINT / 4 &&
      item.left - last.right < WORD_GAP * item.size &&
      item.left > last.left;
    const isWord = isNext && /^(?:[A-Za-z]+|[\d.,]*\d[\d.,]*)$/.test(last.text + item.text) && !isItalic(last, item);
    if (!isWord) joined.push({ ...item });
    else {
      last.text += item.text;
      last.right = item.right;
      last.latex = /[A-Za-z]/.test(last.text) ? latexName(last.text) : latexSymbols(last.text);
    }
  }
  return joined;
}

/** Whether letters are variables, which stand alone. */
function isItalic(...items: Item[]): boolean {
  return items.some((item) => (item as Item & Partial<Glyph>).isMath === true && /[A-Za-z]/.test(item.text));
}

/** The rows of a formula of several lines, from the top. */
export function splitRows<One extends Box & { size: number }>(items: readonly One[], rules: readonly Rule[]): One[][] {
  const size = Math.max(...items.map((item) => item.size));
  const bars = rules.map(({ at }) => ({ top: at, bottom: at, item: null }));
  const spans = [...items.map((item) => ({ top: item.top, bottom: item.bottom, item })), ...bars];
  spans.sort((one, other) => one.top - other.top);
  const rows: One[][] = [[]];
  let bottom = Number.NEGATIVE_INFINITY;
  for (const span of spans) {
    if (span.top - bottom > ROW_GAP * size && itemAt(rows, -1).length > 0) rows.push([]);
    if (span.item !== null) itemAt(rows, -1).push(span.item);
    bottom = Math.max(bottom, span.bottom);
  }
  return rows.filter((row) => row.length > 0);
}

function writeBox(items: readonly Item[], rules: readonly Rule[], depth: number): FormulaText {
  if (depth > DEPTH_MAX) throw new UnclearFormula();
  let open = [...items];
  const inside = rules.filter((rule) => items.some((item) => centerX(item) > rule.from && centerX(item) < rule.to));
  const longest = inside.toSorted((one, other) => other.to - other.from - (one.to - one.from));
  for (const [index, rule] of longest.entries()) {
    const shorter = longest.slice(index + 1);
    open = composeAtRule(open, rule, shorter, depth);
  }
  return writeRow(withLimits(open, depth), depth);
}

/** The items with the root, fraction or bar at a rule as one. */
function composeAtRule(items: Item[], rule: Rule, shorter: readonly Rule[], depth: number): Item[] {
  const isAcross = (item: Item) => centerX(item) > rule.from - POINT && centerX(item) < rule.to + POINT;
  const root = items.find((item) => item.text === '√' && Math.abs(item.right - rule.from) < item.size / 4);
  const below = items.filter((item) => item !== root && isAcross(item) && centerY(item) > rule.at);
  if (root !== undefined) {
    const inner = below.filter((item) => item.top < root.bottom);
    if (inner.length === 0) return items;
    const { latex, text } = writeBox(inner, shorter, depth + 1);
    const whole = { latex: latexRoot('', latex), text: `√(${text.trim()})` };
    return replaceItems(items, [root, ...inner], composedItem([root, ...inner], mainBase(inner), whole));
  }
  const above = items.filter((item) => isAcross(item) && centerY(item) < rule.at);
  if (above.length === 0 || below.length === 0) return items;
  const [over, under] = [writeBox(above, shorter, depth + 1), writeBox(below, shorter, depth + 1)];
  const parts = [...above, ...below];
  const size = Math.max(...parts.map((item) => item.size));
  const whole = {
    latex: latexFraction(over.latex, under.latex, true),
    text: `${bracketed(over.text)}/${bracketed(under.text)}`,
  };
  const composed = composedItem(parts, rule.at + AXIS * size, whole);
  return replaceItems(items, parts, {
    ...composed,
    left: Math.min(rule.from, composed.left),
    right: Math.max(rule.to, composed.right),
  });
}

function bracketed(text: string): string {
  const own = text.trim();
  return /^(?:[\p{L}\p{N}.]*|\(.*\))$/u.test(own) ? own : `(${own})`;
}

function replaceItems(items: readonly Item[], parts: readonly Item[], whole: Item): Item[] {
  const gone = new Set(parts);
  return [...items.filter((item) => !gone.has(item)), whole];
}

function composedItem(parts: readonly Item[], base: number, written: FormulaText): Item {
  return {
    ...written,
    left: Math.min(...parts.map(({ left }) => left)),
    top: Math.min(...parts.map(({ top }) => top)),
    right: Math.max(...parts.map(({ right }) => right)),
    bottom: Math.max(...parts.map(({ bottom }) => bottom)),
    size: Math.max(...parts.map(({ size }) => size)),
    base,
    isBig: false,
    isWhole: true,
  };
}

/** Sums and the like with what stands above and below them as one. */
function withLimits(items: Item[], depth: number): Item[] {
  let open = items;
  for (const operator of items) {
    const isNamed = LIMIT_NAMES.test(operator.text);
    if (!isNamed && !LIMIT_OPERATORS.test(operator.text)) continue;
    const scripts = open.filter((item) => item !== operator && item.size <= SCRIPT_SIZE_MAX * operator.size);
    const edge = isNamed ? operator.base : operator.bottom;
    const under = connectedUnder(
      operator,
      scripts.filter((item) => centerY(item) > edge - POINT && item.top > operator.base - LEVEL * operator.size),
    );
    const over = isNamed
      ? []
      : connectedUnder(
          operator,
          scripts.filter((item) => centerY(item) < operator.top + POINT),
        );
    if (under.length + over.length === 0) continue;
    const [below, above] = [writeBox(under, [], depth + 1), writeBox(over, [], depth + 1)];
    const whole = {
      latex: `${latexScripts(operator.latex, below.latex, above.latex)} `,
      text: `${operator.text}${scriptText('_', below.text)}${scriptText('^', above.text)} `,
    };
    const parts = [operator, ...under, ...over];
    open = replaceItems(open, parts, { ...composedItem(parts, operator.base, whole), size: operator.size });
  }
  return open;
}

/** The scripts in one row that reaches over the middle of an operator. */
function connectedUnder(operator: Item, scripts: readonly Item[]): Item[] {
  const row = scripts.toSorted((one, other) => one.left - other.left);
  const groups: Item[][] = [];
  for (const item of row) {
    const last = groups.at(-1);
    const end = Math.max(...(last ?? []).map(({ right }) => right));
    if (last !== undefined && item.left - end < LIMIT_GAP * item.size) last.push(item);
    else groups.push([item]);
  }
  const middle = centerX(operator);
  const covers = (group: Item[]) =>
    itemAt(group, 0).left <= Math.max(middle, operator.left) + POINT &&
    Math.max(...group.map(({ right }) => right)) >= middle - POINT;
  return groups.find(covers) ?? [];
}

function scriptText(sign: string, text: string): string {
  return text.trim() === '' ? '' : `${sign}${bracketed(text)}`;
}

interface Based {
  item: Item | null;
  subs: Item[];
  sups: Item[];
}

/** A row of items, each with its scripts. */
function writeRow(items: readonly Item[], depth: number): FormulaText {
  if (items.length === 0) return { latex: '', text: '' };
  const size = mainSize(items);
  const base = mainBase(items);
  const row: Based[] = [];
  for (const item of items.toSorted((one, other) => one.left - other.left)) {
    const off = item.base - base;
    const isOnLine = Math.abs(off) <= (item.isWhole ? WHOLE_LEVEL : LEVEL) * size;
    if (item.isBig || (isOnLine && (item.isWhole || item.size >= MAIN_SIZE_MIN * size || isSmallSign(item)))) {
      row.push({ item, subs: [], sups: [] });
      continue;
    }
    const isScript = item.size <= SCRIPT_SIZE_MAX * size;
    if (!isScript) throw new UnclearFormula();
    const last = row.at(-1) ?? { item: null, subs: [], sups: [] };
    if (row.length === 0) row.push(last);
    (off < 0 ? last.sups : last.subs).push(item);
  }
  return joinRow(row.map((based) => writeBased(based, depth)));
}

/** Commas and primes of a smaller font stand on the line. */
function isSmallSign({ text }: Item): boolean {
  return /^[.,;:]$/.test(text);
}

interface Written extends FormulaText {
  item: Item | null;
}

function writeBased({ item, subs, sups }: Based, depth: number): Written {
  const [sub, sup] = [writeBox(subs, [], depth + 1), writeBox(sups, [], depth + 1)];
  const [latex, text] = [item?.latex ?? '', item?.text ?? ''];
  if (sub.latex + sup.latex === '') return { item, latex, text };
  return {
    item,
    latex: `${latexScripts(latex, sub.latex, sup.latex)} `,
    text: `${text}${scriptText('_', sub.text)}${scriptText('^', sup.text)}`,
  };
}

/** Joins a row; large brackets that match enclose what is between them. */
function joinRow(row: readonly Written[]): FormulaText {
  const open: { bracket: Written | null; latex: string }[] = [{ bracket: null, latex: '' }];
  let text = '';
  let before: Written | null = null;
  for (const one of row) {
    const isBracket = one.item?.isBig === true && one.item.text.length === 1;
    const pair = isBracket ? CLOSE.indexOf(one.item?.text ?? ' ') : -1;
    const top = itemAt(open, -1);
    if (isBracket && OPEN.includes(one.item?.text ?? ' ')) open.push({ bracket: one, latex: '' });
    else if (pair >= 0 && top.bracket?.item?.text === OPEN[pair]) {
      open.pop();
      const scripts = one.latex.startsWith(one.item?.latex ?? ' ') ? one.latex.slice(one.item?.latex.length) : '';
      itemAt(open, -1).latex += latexBrackets(OPEN[pair] ?? '', top.latex, CLOSE[pair] ?? '') + scripts;
    } else top.latex += one.latex;
    const space = spaceBefore(before, one);
    if (isWordGap(before, one)) itemAt(open, -1).latex = withWordGap(itemAt(open, -1).latex, one.latex);
    text += space + one.text;
    before = one;
  }
  const latex = open.map(({ bracket, latex: inner }) => (bracket?.latex ?? '') + inner).join('');
  return { latex, text };
}

/** Words and relations stand apart. */
function spaceBefore(before: Written | null, one: Written): string {
  if (before?.item == null || one.item === null) return '';
  const isApart = [before, one].some(({ text }) => RELATION.test(text.trim()) || /^[-+−±×→∈⇒]$/u.test(text.trim()));
  const isWord = /\p{L}{2}$/u.test(before.text) || /^\p{L}{2}/u.test(one.text);
  return isApart || isWord || isLatexFunction(one.text) ? ' ' : '';
}

/** Words of a text follow each other with a space, which formulas drop. */
function isWordGap(before: Written | null, one: Written): boolean {
  const isWord = (written: Written | null) => /^\p{L}{2,}$/u.test(written?.text ?? '');
  return isWord(before) && isWord(one) && !isLatexFunction(before?.text ?? '') && !isLatexFunction(one.text);
}

function withWordGap(latex: string, last: string): string {
  return latex.endsWith(last) ? `${latex.slice(0, latex.length - last.length)}\\ ${last}` : latex;
}

function mainSize(items: readonly Item[]): number {
  const letters = items.filter((item) => !item.isBig && !item.isWhole);
  return Math.max(...(letters.length > 0 ? letters : items).map((item) => item.size));
}

/** Middle baseline of the largest letters. */
function mainBase(items: readonly Item[]): number {
  const size = mainSize(items);
  const letters = items.filter((item) => !item.isBig && !item.isWhole);
  const main = (letters.length > 0 ? letters : items).filter((item) => item.size >= MAIN_SIZE_MIN * size);
  const bases = main.map((item) => item.base).sort((one, other) => one - other);
  return bases[bases.length >> 1] ?? 0;
}

const centerX = ({ left, right }: Box) => (left + right) / 2;

const centerY = ({ top, bottom }: Box) => (top + bottom) / 2;
