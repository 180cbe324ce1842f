/** Signs of a formula that several glyphs draw: tall brackets, dots, arrows with a foot, strokes, and accents. */

import { byName } from '../../../src-server/platform/records.ts';
import { latexAccent, latexNot } from '../latex.ts';
import { ARROW_FOOT } from './math-glyphs.ts';
import type { Box } from './page-content.ts';

/** What a sign needs of a part of a formula. */
export interface SignItem extends Box {
  latex: string;
  text: string;
  base: number;
  size: number;
  isBig: boolean;
  isWhole: boolean;
  /** Of a glyph of the extension font without Unicode. */
  isUnknown?: boolean;
}

const STROKE = '\u0338';

/** Tolerance of places, in points and in font sizes. */
const POINT = 1;

const PIECE_GAP = 0.35;

const DOT_GAP = 0.45;

/** How far an accent stands off the line of its letter, and its letters off its sides, in font sizes. */
const ACCENT_RISE = 0.75;

const ACCENT_SIDE = 0.12;

/** Space above a letter's line in which a wide accent lies, in font sizes. */
const WIDE_SIZES = 0.8;

/** Accents with a space of their own, and those that join the letter. */
const ACCENTS: Readonly<Record<string, string>> = byName({
  ˆ: '\u0302',
  '^': '\u0302',
  '˜': '\u0303',
  '~': '\u0303',
  '¯': '\u0304',
  '˙': '\u0307',
  '¨': '\u0308',
  '´': '\u0301',
  '`': '\u0300',
  '˘': '\u0306',
  ˇ: '\u030c',
  '\u20d7': '\u20d7',
});

const WIDE: Readonly<Record<string, string>> = byName({ '\u0302': 'widehat', '\u0303': 'widetilde' });

/** The items with each composed sign as one. Null for a sign that lacks its other half. */
export function composeSigns<Item extends SignItem>(items: readonly Item[]): Item[] | null {
  const pieced = joinPieces(items);
  const struck = joinPairs(pieced);
  if (struck === null) return null;
  const whole = joinAccents(joinDots(struck));
  return whole.some(({ text }) => JOINING_ACCENT.test(text)) ? null : whole;
}

/** An accent without a place of its own, which the next letter has. */
const JOINING_ACCENT = /^\p{M}/u;

/** Gap to that letter, in font sizes. */
const NEXT_SIZES = 0.6;

/** Pieces of brackets and roots that stand on each other. */
function joinPieces<Item extends SignItem>(items: readonly Item[]): Item[] {
  const big = items.filter(({ isBig }) => isBig).sort((one, other) => one.left - other.left || one.top - other.top);
  const gone = new Set<Item>();
  const joined: Item[] = [];
  for (const item of big) {
    if (gone.has(item)) continue;
    const whole = { ...item };
    for (const other of big) {
      if (other === item || gone.has(other) || Math.abs(other.left - item.left) > POINT) continue;
      const isPiece = other.text === whole.text || other.text === '⎪';
      if (!isPiece || other.top - whole.bottom > PIECE_GAP * item.size || other.top < whole.top) continue;
      whole.bottom = Math.max(whole.bottom, other.bottom);
      gone.add(other);
    }
    gone.add(item);
    if (whole.text !== '⎪') joined.push({ ...whole, base: (whole.top + whole.bottom) / 2 + whole.size / 4 });
  }
  return [...items.filter(({ isBig }) => !isBig), ...joined];
}

/** A foot with its arrow, and a stroke with the sign that it goes through. */
function joinPairs<Item extends SignItem>(items: readonly Item[]): Item[] | null {
  let open = [...items];
  for (const half of items) {
    if (half.text !== ARROW_FOOT && half.text !== STROKE) continue;
    const isNear = (one: Item) =>
      one !== half && Math.abs(one.base - half.base) < POINT && Math.abs(one.left - half.left) < half.size / 2;
    const other = open.filter(isNear).sort((one, two) => distance(one, half) - distance(two, half))[0];
    if (other === undefined || (half.text === ARROW_FOOT && other.text !== '→')) return null;
    const text = half.text === ARROW_FOOT ? '↦' : `${other.text}${STROKE}`.normalize('NFC');
    const latex = half.text === ARROW_FOOT ? '\\mapsto ' : latexNot(other.latex);
    open = open.filter((one) => one !== half && one !== other);
    open.push({ ...other, ...unionOf([half, other]), text, latex });
  }
  return open;
}

const distance = (one: Box, other: Box) => Math.abs(one.left - other.left);

/** Three dots in a row. */
function joinDots<Item extends SignItem>(items: readonly Item[]): Item[] {
  const row = items.toSorted((one, other) => one.base - other.base || one.left - other.left);
  const joined: Item[] = [];
  for (let at = 0; at < row.length; at += 1) {
    const [first, second, third] = row.slice(at, at + 3);
    if (first === undefined) break;
    const isDots =
      /^[.·⋅]$/u.test(first.text) && second !== undefined && third !== undefined && follows(first, second, third);
    if (!isDots) {
      joined.push(first);
      continue;
    }
    const [text, latex] = first.text === '.' ? ['…', '\\ldots '] : ['⋯', '\\cdots '];
    joined.push({ ...first, ...unionOf([first, third]), text, latex });
    at += 2;
  }
  return joined;
}

function follows(...dots: readonly SignItem[]): boolean {
  return dots.every((dot, at) => {
    const before = dots[at - 1];
    if (before === undefined) return true;
    const isAlike = dot.text === before.text && Math.abs(dot.base - before.base) < POINT / 2;
    return isAlike && dot.left - before.right < DOT_GAP * dot.size && dot.size === before.size;
  });
}

/** Accents over the letters below them. */
function joinAccents<Item extends SignItem>(items: readonly Item[]): Item[] {
  let open = [...items];
  for (const accent of items) {
    const mark = ACCENTS[accent.text];
    if (mark === undefined) continue;
    const below = open.filter((item) => item !== accent && isUnder(item, accent));
    const middle = (accent.left + accent.right) / 2;
    const nearest = below.toSorted((one, other) => awayFrom(middle, one) - awayFrom(middle, other))[0];
    if (nearest === undefined) continue;
    const isOver = (item: Item) => item.left > accent.left - POINT && item.right < accent.right + POINT;
    const wide = WIDE[mark] === undefined ? [] : below.filter(isOver).sort((one, other) => one.left - other.left);
    const letters = wide.length > 1 ? wide : [nearest];
    const inner = letters.map(({ latex }) => latex).join('');
    const isWide = wide.length > 1 || accent.isUnknown === true;
    const name = isWide ? WIDE[mark] : undefined;
    const latex = name === undefined ? latexAccent(mark, inner) : `\\${name}{${inner.trim()}}`;
    if (latex === null) continue;
    const text = letters.map((letter) => `${letter.text}${mark}`).join('');
    open = open.filter((item) => item !== accent && !letters.includes(item));
    const box = { ...unionOf(letters), top: Math.min(nearest.top, accent.top) };
    open.push({ ...nearest, ...box, text, latex, isWhole: nearest.isWhole });
  }
  return open;
}

function isUnder(item: SignItem, accent: SignItem): boolean {
  if (!/^\p{L}/u.test(item.text) || item.isBig) return false;
  if (JOINING_ACCENT.test(accent.text)) {
    const isNext = item.left > accent.left - POINT && item.left - accent.left < NEXT_SIZES * item.size;
    return isNext && Math.abs(item.base - accent.base) < ACCENT_RISE * item.size;
  }
  const rise = item.base - accent.base;
  const [side, middle] = [ACCENT_SIDE * item.size, (accent.left + accent.right) / 2];
  const isAcross = middle > item.left - side && middle < item.right + 2 * side;
  const isWide = item.left > accent.left - POINT && item.right < accent.right + POINT;
  const isNear = rise > -POINT && rise < ACCENT_RISE * item.size;
  return (isAcross || isWide) && isNear && accent.size <= item.size * (1 + WIDE_SIZES) && accent.size > item.size / 2;
}

function awayFrom(x: number, { left, right }: Box): number {
  return Math.abs(x - (left + right) / 2);
}

export function unionOf(parts: readonly Box[]): Box {
  return {
    left: Math.min(...parts.map(({ left }) => left)),
    top: Math.min(...parts.map(({ top }) => top)),
    right: Math.max(...parts.map(({ right }) => right)),
    bottom: Math.max(...parts.map(({ bottom }) => bottom)),
  };
}
