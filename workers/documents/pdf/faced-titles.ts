/** Titles by a font that nothing else has, whatever its name says of weight. */

import type { PageLine } from './page-content.ts';
import { CAPTION, LEADER_TO_NUMBER } from './paragraphs.ts';
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

/** The untagged paragraphs that are such titles. */
export function findFacedTitles(paragraphs: readonly PageLine[][], bodySize: number): ReadonlySet<readonly PageLine[]> {
  const letters = new Map<number, number>();
  let all = 0;
  const inFace = new Map<number, number[]>();
  for (const [at, lines] of paragraphs.entries()) {
    const face = faceOf(lines);
    for (const { text, face: own } of lines) {
      all += text.length;
      if (own !== undefined) letters.set(own, (letters.get(own) ?? 0) + text.length);
    }
    if (face === null) continue;
    const members = inFace.get(face) ?? [];
    members.push(at);
    inFace.set(face, members);
  }
  const titles = new Set<readonly PageLine[]>();
  for (const [face, members] of inFace) {
    if (members.length < TITLES_MIN || (letters.get(face) ?? 0) > CHARACTERS_SHARE_MAX * all) continue;
    const own = members.filter((at) => isTitleLike(paragraphs[at] ?? [], bodySize));
    const followed = own.filter((at) => isText(paragraphs[at + 1] ?? [], face));
    if (own.length < TITLES_SHARE * members.length || followed.length < FOLLOWED_SHARE * own.length) continue;
    if (followed.length >= TITLES_MIN) for (const at of followed) titles.add(paragraphs[at] ?? []);
  }
  return titles;
}

/** The font of all lines. */
function faceOf(lines: readonly PageLine[]): number | null {
  const face = lines[0]?.face;
  return face !== undefined && lines.every((line) => line.face === face && line.tag === null) ? face : null;
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
