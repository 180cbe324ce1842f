/** Titles by a font that nothing else has, whatever its name says of weight, or by capitals. */

import type { PageLine } from './page-content.ts';
import { CAPTION, ENDS_SENTENCE, LEADER_TO_NUMBER } from './paragraphs.ts';
import { groupLineRows } from './reading-order.ts';

const TITLE_CHARS_MAX = 90;

const TITLE_ROWS_MAX = 2;

const TEXT_CHARS_MIN = 60;

/** Share of the characters, above which a font is one of the text. */
const CHARACTERS_SHARE_MAX = 0.1;

/** Shares of the paragraphs in such a font that look like titles, and that text follows. */
const TITLES_SHARE = 0.8;
const FOLLOWED_SHARE = 0.6;
const TITLES_MIN = 2;

const SIZE_MIN = 0.95;

const TITLE_START = /^["'“‘(]*[\p{Lu}\p{Lo}\p{N}]/u;

/** `Source: Eurostat`. */
const LABEL = /^\p{L}[\p{L} ]{1,20}:\s/u;

const ENDS_LIKE_TEXT = /[.,;:。．、：；，]$/u;

/** The paragraphs without tags that say more, which are such titles. */
export function findFacedTitles(paragraphs: readonly PageLine[][], bodySize: number): ReadonlySet<readonly PageLine[]> {
  const letters = new Map<number, number>();
  let all = 0;
  const inFace = new Map<number, number[]>();
  for (const [at, lines] of paragraphs.entries()) {
    const face = faceOf(lines);
    const isCapital = isInCapitals(lines);
    for (const { text, face: own } of lines) {
      all += text.length;
      if (own !== undefined) letters.set(own, (letters.get(own) ?? 0) + text.length);
      if (isCapital) letters.set(CAPITALS, (letters.get(CAPITALS) ?? 0) + text.length);
    }
    for (const one of [face, isCapital ? CAPITALS : null]) {
      if (one === null) continue;
      const members = inFace.get(one) ?? [];
      members.push(at);
      inFace.set(one, members);
    }
  }
  const titles = new Set<readonly PageLine[]>();
  for (const [face, members] of inFace) {
    if (members.length < TITLES_MIN || (letters.get(face) ?? 0) > CHARACTERS_SHARE_MAX * all) continue;
    // A page in small print has small titles.
    const sizeBelow = (at: number) => Math.min(bodySize, paragraphs[at + 1]?.[0]?.size ?? bodySize);
    const own = members.filter((at) => isTitleLike(paragraphs[at] ?? [], sizeBelow(at)));
    const followed = own.filter((at) => isText(paragraphs[at + 1] ?? [], face));
    if (own.length < TITLES_SHARE * members.length || followed.length < FOLLOWED_SHARE * own.length) continue;
    if (followed.length >= TITLES_MIN) for (const at of followed) titles.add(paragraphs[at] ?? []);
  }
  return titles;
}

/** Stands for a font. */
const CAPITALS = -1;

const CAPITALS_MIN = 4;

function isInCapitals(lines: readonly PageLine[]): boolean {
  if (lines.length > TITLE_ROWS_MAX || !lines.every((line) => isUnmarked(line) && !/\p{Ll}/u.test(line.text)))
    return false;
  return lines.reduce((sum, { text }) => sum + (text.match(/\p{Lu}/gu)?.length ?? 0), 0) >= CAPITALS_MIN;
}

/** Tags may call all text paragraphs. */
function isUnmarked({ tag }: PageLine): boolean {
  return tag === null || tag.kind === 'paragraph';
}

/** The font of all lines. */
function faceOf(lines: readonly PageLine[]): number | null {
  const face = lines[0]?.face;
  return face !== undefined && lines.every((line) => line.face === face && isUnmarked(line)) ? face : null;
}

function isTitleLike(lines: readonly PageLine[], bodySize: number): boolean {
  const text = lines.map((line) => line.text).join(' ');
  if (text.length > TITLE_CHARS_MAX || !lines.every(({ size }) => size >= SIZE_MIN * bodySize)) return false;
  if (!TITLE_START.test(text) || !/\p{L}{2}/u.test(text) || ENDS_LIKE_TEXT.test(text)) return false;
  return (
    !CAPTION.test(text) &&
    !LABEL.test(text) &&
    !LEADER_TO_NUMBER.test(text) &&
    groupLineRows(lines).length <= TITLE_ROWS_MAX
  );
}

/** Running text in another font. */
function isText(lines: readonly PageLine[], face: number): boolean {
  if (lines.length === 0 || faceOf(lines) === face) return false;
  const length = lines.reduce((sum, { text }) => sum + text.length, 0);
  return length >= TEXT_CHARS_MIN || groupLineRows(lines).length > 1;
}

/** Room above a title without a style of its own, in line heights. */
const ROOM_ABOVE = 0.5;

const SPACED_CHARS_MAX = 60;

/** Lines of text above and below it. */
const TEXT_ROWS_MIN = 2;

/** Words with few signs between them: no formula, date or number. */
const WORDS = /^[\p{Lu}\p{Lo}][\p{L}\p{M}\p{N}'’&/() -]*\p{L}[\p{L}\p{N}'’?)-]*$/u;

/**
 * The paragraphs that are single short lines between paragraphs of running text in their column, with room above: the
 * titles of a text in one font. A document has several of them, each once.
 */
export function findSpacedTitles(paragraphs: readonly PageLine[][]): ReadonlySet<readonly PageLine[]> {
  const known = new Map<string, number>();
  for (const [line] of paragraphs) if (line !== undefined) known.set(line.text, (known.get(line.text) ?? 0) + 1);
  const titles = paragraphs.filter((lines, at) => {
    const [line] = lines;
    const [above, below] = [paragraphs[at - 1], paragraphs[at + 1]];
    if (line === undefined || lines.length > 1 || !isUnmarked(line) || above === undefined || below === undefined)
      return false;
    if (line.text.length > SPACED_CHARS_MAX || !WORDS.test(line.text) || CAPTION.test(line.text)) return false;
    if (line.mono === true || line.recognized === true || known.get(line.text) !== 1) return false;
    return isTextAbove(above, line) && isTextBelow(below, line);
  });
  return titles.length >= TITLES_MIN ? new Set(titles) : new Set();
}

/** Whether running text ends above with room, in the same column. */
function isTextAbove(lines: readonly PageLine[], title: PageLine): boolean {
  const last = lines.at(-1);
  if (last === undefined || lines.length < TEXT_ROWS_MIN || !ENDS_SENTENCE.test(last.text)) return false;
  const room = title.top - last.bottom;
  return room >= ROOM_ABOVE * (title.bottom - title.top) && isInColumn(lines, title);
}

function isTextBelow(lines: readonly PageLine[], title: PageLine): boolean {
  const [first] = lines;
  if (first === undefined || lines.length < TEXT_ROWS_MIN) return false;
  return first.top >= title.bottom - 1 && isInColumn(lines, title);
}

function isInColumn(lines: readonly PageLine[], { left, right, size }: PageLine): boolean {
  const edge = Math.min(...lines.map((line) => line.left));
  return Math.abs(edge - left) <= size && right < Math.max(...lines.map((line) => line.right)) - size;
}
