/** A formula from the places of its glyphs and rules: fractions, roots, scripts, limits and rows, as LaTeX. */

import { itemAt } from '../../../src-server/platform/item-at.ts';
import {
  finishLatex,
  isLatexFunction,
  latexBrackets,
  latexFraction,
  latexGrid,
  latexLines,
  latexName,
  latexRoot,
  latexScripts,
  latexSymbols,
} from '../latex.ts';
import { composeSigns, unionOf } from './formula-signs.ts';
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

const SMALL_SIGN_LEVEL = 0.06;

/** Of brackets around rows: their height, the distance of rows and the gap between columns, in font sizes. */
const GRID_HEIGHT = 1.9;

const GRID_ROW = 0.9;

const GRID_LEVEL = 0.3;

const GRID_GAP = 0.6;

/** A bar over letters lies at most this far above their line, in font sizes. */
const OVERLINE_SIZES = 1.15;

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
  /** Command for the alphabet of its letters. */
  style: string | null;
}

/** The places say no formula for certain. */
class UnclearFormula extends Error {}

/** Null if the places do not tell what belongs to what. */
export function layoutFormula(glyphs: readonly Glyph[], rules: readonly Rule[]): FormulaText | null {
  if (rules.length > RULES_MAX) return null;
  try {
    const items = composeSigns(joinWords(glyphs.map(glyphItem)));
    if (items === null) return null;
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
    if (!isWord || last.style !== item.style) joined.push({ ...item });
    else {
      last.text += item.text;
      last.right = item.right;
      last.latex = wordLatex(last);
    }
  }
  return joined;
}

function wordLatex({ text, style }: Item): string {
  if (style !== null) return `\\${style}{${text}}`;
  return /[A-Za-z]/.test(text) ? latexName(text) : latexSymbols(text);
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
  const open = composeFractions(composeGrids(items, rules, depth), rules, depth);
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
  if (above.length === 0 && below.length > 0) return composeOverline(items, below, { rule, shorter, depth });
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

/** A bar close over letters; one farther off has nothing to do with them. */
function composeOverline(
  items: Item[],
  below: readonly Item[],
  { rule, shorter, depth }: { rule: Rule; shorter: readonly Rule[]; depth: number },
): Item[] {
  const under = below.filter((item) => item.base - rule.at < OVERLINE_SIZES * item.size);
  if (under.length === 0) return items;
  const { latex, text } = writeBox(under, shorter, depth + 1);
  const whole = { latex: `\\overline{${latex.trim()}}`, text: [...text.trim()].map((one) => `${one}\u0305`).join('') };
  return replaceItems(items, under, composedItem(under, mainBase(under), whole));
}

/** Rows and columns between tall brackets, or behind a brace, as one. */
function composeGrids(items: readonly Item[], rules: readonly Rule[], depth: number): Item[] {
  let open = [...items];
  const brackets = open.filter((item) => item.isBig && item.bottom - item.top >= GRID_HEIGHT * item.size);
  // The innermost first: those with the nearest end on their right.
  for (const bracket of brackets.toSorted((one, other) => other.left - one.left)) {
    if (!open.includes(bracket) || !(OPEN.includes(bracket.text) || /^[|‖]$/u.test(bracket.text))) continue;
    const close = closingOf(bracket, open);
    if (close === undefined && bracket.text !== '{') continue;
    const end = close?.left ?? Number.POSITIVE_INFINITY;
    const inner = open.filter((item) => {
      const isBetween = centerX(item) > bracket.right - POINT && centerX(item) < end;
      return (
        item !== bracket && isBetween && centerY(item) > bracket.top - POINT && centerY(item) < bracket.bottom + POINT
      );
    });
    const rows = gridRows(inner, rules, depth);
    if (rows === null) continue;
    const parts = [bracket, ...inner, ...(close === undefined ? [] : [close])];
    const whole = {
      latex: latexGrid(
        bracket.text,
        rows.map((row) => row.map(({ latex }) => latex)),
        close?.text ?? '',
      ),
      text: bracket.text + rows.map(plainRow).join('; ') + (close?.text ?? ''),
    };
    const middle = (bracket.top + bracket.bottom) / 2 + AXIS * mainSize(inner);
    open = replaceItems(open, parts, { ...composedItem(parts, middle, whole), size: mainSize(inner) });
  }
  return open;
}

function plainRow(cells: readonly FormulaText[]): string {
  return cells.map(({ text }) => text.trim()).join(' ');
}

function closingOf(bracket: Item, open: readonly Item[]): Item | undefined {
  const sign = /^[|‖]$/u.test(bracket.text) ? bracket.text : CLOSE[OPEN.indexOf(bracket.text)];
  const isAlike = (item: Item) =>
    Math.abs(item.top - bracket.top) < item.size / 2 && Math.abs(item.bottom - bracket.bottom) < item.size / 2;
  const right = open.filter((item) => item.isBig && item.left > bracket.left && isAlike(item));
  return right.toSorted((one, other) => one.left - other.left).find((item) => item.text === sign);
}

/** The cells of at least two rows of letters in full size; null for anything else. */
function gridRows(inner: readonly Item[], rules: readonly Rule[], depth: number): FormulaText[][] | null {
  if (inner.length < 2) return null;
  const composed = composeFractions(inner, rules, depth);
  const size = mainSize(composed);
  const main = composed.filter((item) => item.isWhole || item.isBig || item.size >= MAIN_SIZE_MIN * size);
  const bases: number[] = [];
  for (const { base } of main.toSorted((one, other) => one.base - other.base)) {
    if (bases.every((known) => Math.abs(known - base) > GRID_LEVEL * size)) bases.push(base);
  }
  if (bases.length < 2 || bases.some((base, at) => at > 0 && base - (bases[at - 1] ?? 0) < GRID_ROW * size))
    return null;
  const rows: Item[][] = bases.map(() => []);
  for (const item of composed) {
    const away = (base: number) => Math.abs(item.base - base);
    const nearest = bases.toSorted((one, other) => away(one) - away(other))[0] ?? 0;
    rows[bases.indexOf(nearest)]?.push(item);
  }
  const gaps = columnGaps(composed, GRID_GAP * size);
  return rows.map((row) =>
    [...gaps, Number.POSITIVE_INFINITY].map((end, at) => {
      const start = at === 0 ? Number.NEGATIVE_INFINITY : (gaps[at - 1] ?? 0);
      return writeBox(
        row.filter((item) => centerX(item) > start && centerX(item) <= end),
        [],
        depth + 1,
      );
    }),
  );
}

/** The middles of the gaps that no item reaches into. */
function columnGaps(items: readonly Item[], least: number): number[] {
  const gaps: number[] = [];
  let end = Number.POSITIVE_INFINITY;
  for (const { left, right } of items.toSorted((one, other) => one.left - other.left)) {
    if (left - end >= least) gaps.push((left + end) / 2);
    end = end === Number.POSITIVE_INFINITY ? right : Math.max(end, right);
  }
  return gaps;
}

function composeFractions(items: readonly Item[], rules: readonly Rule[], depth: number): Item[] {
  const inside = rules.filter((rule) => items.some((item) => centerX(item) > rule.from && centerX(item) < rule.to));
  const longest = inside.toSorted((one, other) => other.to - other.from - (one.to - one.from));
  let open = [...items];
  for (const [index, rule] of longest.entries()) open = composeAtRule(open, rule, longest.slice(index + 1), depth);
  return open;
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
    ...unionOf(parts),
    size: Math.max(...parts.map(({ size }) => size)),
    base,
    isBig: false,
    isWhole: true,
    style: null,
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
    const isMain = item.isWhole || item.size >= MAIN_SIZE_MIN * size;
    if (item.isBig || (isOnLine && (isMain || isSmallSign(item, off)))) {
      row.push({ item, subs: [], sups: [] });
      continue;
    }
    const isScript = item.size <= SCRIPT_SIZE_MAX * size;
    if (!isScript) throw new UnclearFormula();
    const last = row.at(-1) ?? { item: null, subs: [], sups: [] };
    if (row.length === 0) row.push(last);
    scriptsFor(last, item, off).push(item);
  }
  return joinRow(row.map((based) => writeBased(based, depth)));
}

/** Commas of a smaller font stand on the line. */
function isSmallSign({ text, size }: Item, off: number): boolean {
  return /^[.,;:]$/.test(text) && Math.abs(off) < SMALL_SIGN_LEVEL * size;
}

/** The raised or lowered items that one belongs to; what is smaller still belongs to the script before it. */
function scriptsFor({ subs, sups }: Based, item: Item, off: number): Item[] {
  for (const scripts of [subs, sups]) {
    const before = scripts.at(-1);
    if (before === undefined || item.left - before.right > WORD_GAP * before.size) continue;
    if (item.left < before.right - before.size / 4) continue;
    if (item.size <= SCRIPT_SIZE_MAX * mainSize(scripts)) return scripts;
  }
  return off < 0 ? sups : subs;
}

interface Written extends FormulaText {
  item: Item | null;
}

function writeBased({ item, subs, sups }: Based, depth: number): Written {
  const [sub, sup] = [writeBox(subs, [], depth + 1), writeBox(sups, [], depth + 1)];
  const [latex, text] = [item?.latex ?? '', item?.text ?? ''];
  if (sub.latex + sup.latex === '') return { item, latex, text };
  const isStaggered = isAfter(sups, subs) || isAfter(subs, sups);
  if (isStaggered) {
    const [first, second] = isAfter(sups, subs)
      ? [latexScripts(latex, sub.latex, ''), latexScripts('', '', sup.latex).slice(2)]
      : [latexScripts(latex, '', sup.latex), latexScripts('', sub.latex, '').slice(2)];
    const inner = [scriptText('_', sub.text), scriptText('^', sup.text)];
    return {
      item,
      latex: `{${first}}${second} `,
      text: text + (isAfter(sups, subs) ? inner : inner.reverse()).join(''),
    };
  }
  return {
    item,
    latex: `${latexScripts(latex, sub.latex, sup.latex)} `,
    text: `${text}${scriptText('_', sub.text)}${scriptText('^', sup.text)}`,
  };
}

/** Whether scripts begin where others end. */
function isAfter(scripts: readonly Item[], others: readonly Item[]): boolean {
  if (scripts.length === 0 || others.length === 0) return false;
  return Math.min(...scripts.map(({ left }) => left)) >= Math.max(...others.map(({ right }) => right)) - POINT / 2;
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
