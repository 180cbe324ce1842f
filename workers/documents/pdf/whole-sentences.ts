/** Joins the lines into which MuPDF divides a sentence at a formula: its scripts stand over each other. */

import { unionOf } from './formula-signs.ts';
import type { Glyph } from './math-glyphs.ts';
import type { PageLine } from './page-content.ts';

/** Gaps between the parts of a row, in font sizes: scripts that stand over each other, words, and no space. */
const BACK_SIZES = -1.6;

const SCRIPTS_BACK_SIZES = -5;

const APART_SIZES = 0.75;

const TIGHT = 0.14;

/** Distances of base lines, in font sizes: of the same row, and of a part with scripts only. */
const LEVEL = 0.15;

const SCRIPT_LEVEL = 0.75;

const SCRIPT_SIZE = 0.85;

/** A line with the glyphs that stand in it. */
export interface GlyphLine {
  line: PageLine;
  glyphs: Glyph[];
  hasMath: boolean;
  isBare: boolean;
}

/** The lines with each divided sentence as one line, in the order of the page. */
export function joinSentences(lines: readonly GlyphLine[]): PageLine[] {
  const joined: GlyphLine[] = [];
  for (const one of lines) {
    const before = joined.at(-1);
    if (before === undefined || !goesOn(before, one)) joined.push(one);
    else joined[joined.length - 1] = joinTwo(before, one);
  }
  return joined.map(({ line }) => line);
}

function goesOn(before: GlyphLine, one: GlyphLine): boolean {
  if (!(before.hasMath || one.hasMath) || (before.isBare && one.isBare)) return false;
  const [a, b] = [before.line, one.line];
  if (a.tag?.kind !== b.tag?.kind || (a.tag !== null && a.group !== b.group)) return false;
  const [last, first] = [before.glyphs.at(-1), one.glyphs[0]];
  if (last === undefined || first === undefined) return false;
  const size = Math.max(mainOf(before.glyphs).size, mainOf(one.glyphs).size);
  const gap = (b.left - a.right) / size;
  const isScript = (glyph: Glyph) => glyph.size <= SCRIPT_SIZE * size;
  const back = isScript(last) && isScript(first) ? SCRIPTS_BACK_SIZES : BACK_SIZES;
  if (gap < back || gap > APART_SIZES || b.right < a.left) return false;
  if (!(isScript(last) || isScript(first) || last.isMath || first.isMath)) return false;
  const off = Math.abs(baseOf(before.glyphs, size) - baseOf(one.glyphs, size)) / size;
  const isSmall = [before, one].some(({ glyphs }) => glyphs.every(isScript));
  return off <= (isSmall ? SCRIPT_LEVEL : LEVEL);
}

function joinTwo(before: GlyphLine, one: GlyphLine): GlyphLine {
  const [a, b] = [before.line, one.line];
  const glyphs = [...before.glyphs, ...one.glyphs];
  const { size } = mainOf(glyphs);
  const gap = (one.glyphs[0]?.left ?? 0) - (before.glyphs.at(-1)?.right ?? 0);
  const text = a.text + (gap <= TIGHT * size ? '' : ' ');
  const raised = [...(a.raised ?? []), ...(b.raised ?? []).map((mark) => ({ ...mark, at: mark.at + text.length }))];
  const line: PageLine = { ...a, ...unionOf([a, b]), text: text + b.text, bold: a.bold && b.bold };
  line.size = Math.max(a.size, b.size);
  const links = [...(a.links ?? []), ...(b.links ?? []).map((link) => ({ ...link, at: link.at + text.length }))];
  if (raised.length > 0) line.raised = raised;
  const stress = [...(a.stress ?? []), ...(b.stress ?? []).map((words) => ({ ...words, at: words.at + text.length }))];
  if (links.length > 0) line.links = links;
  if (stress.length > 0) line.stress = stress;
  if (a.face !== b.face) delete line.face;
  return { line, glyphs, hasMath: before.hasMath || one.hasMath, isBare: before.isBare && one.isBare };
}

/** The glyph with the largest letters. */
function mainOf(glyphs: readonly Glyph[]): Glyph {
  const letters = glyphs.filter(({ isBig }) => !isBig);
  return (letters.length > 0 ? letters : glyphs).reduce((main, glyph) => (glyph.size > main.size ? glyph : main));
}

/** The base line of the letters in full size, or of what there is. */
function baseOf(glyphs: readonly Glyph[], size: number): number {
  const main = glyphs.filter((glyph) => !glyph.isBig && glyph.size > SCRIPT_SIZE * size);
  const bases = (main.length > 0 ? main : glyphs).map(({ base }) => base).sort((one, other) => one - other);
  return bases[bases.length >> 1] ?? 0;
}
