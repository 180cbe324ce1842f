/**
 * Text that a program draws twice at nearly the same place, to make it look bold or to give it a shadow. Programs also
 * draw single characters of a line again, so a run may lie over a part of another one.
 */

import { itemAt } from '../../../src-server/platform/item-at.ts';

/** Largest distance of a copy, in font sizes. */
const COPY_DISTANCE = 0.1;

/** Largest distance of a part from its place in the whole, in font sizes: characters differ in width. */
const PART_DISTANCE = 3;

/** Bound on the runs of one baseline that are compared with each other. */
const COMPARED_MAX = 100;

/** Characters of one line in one font, with its box and the origin of the first one. */
export interface Run {
  bbox: { x: number; y: number; w: number; h: number };
  font: { size: number };
  x: number;
  y: number;
  text: string;
}

/** The runs whose text another run has at the same place. */
export function findCopies<Drawn extends Run>(runs: readonly Drawn[]): Set<Drawn> {
  const copies = new Set<Drawn>();
  const isDown = ({ bbox, text }: Run) => bbox.h > bbox.w && text.length > 1;
  const across = runs.map((run, order): Placed<Drawn> => {
    const { bbox, font, x, y } = run;
    const [base, from, to] = isDown(run) ? [x, bbox.y, bbox.y + bbox.h] : [y, bbox.x, bbox.x + bbox.w];
    return { run, order, base, from, to, size: font.size, isDown: isDown(run) };
  });
  across.sort((one, other) => one.base - other.base);
  for (const [index, one] of across.entries()) {
    const near = COPY_DISTANCE * one.size;
    const end = Math.min(across.length, index + 1 + COMPARED_MAX);
    for (let at = index + 1; at < end; at += 1) {
      const other = itemAt(across, at);
      if (other.base - one.base > near) break;
      if (one.to <= other.from || other.to <= one.from || one.isDown !== other.isDown) continue;
      const copy = copyOf(one, other);
      if (copy !== null) copies.add(copy);
    }
  }
  return copies;
}

/** A run along its baseline. */
interface Placed<Drawn> {
  run: Drawn;
  order: number;
  base: number;
  from: number;
  to: number;
  size: number;
  isDown: boolean;
}

/** The run of two that the other one contains: the later one of equal runs, else the shorter one. */
function copyOf<Drawn extends Run>(one: Placed<Drawn>, other: Placed<Drawn>): Drawn | null {
  const near = COPY_DISTANCE * Math.max(one.size, other.size);
  const [text, otherText] = [withoutSpaces(one.run.text), withoutSpaces(other.run.text)];
  if (text === '' || otherText === '') return null;
  if (text === otherText) {
    const ends = [Math.abs(one.from - other.from), Math.abs(one.to - other.to)].filter((apart) => apart <= near);
    // Spaces at one end move it.
    const isSame = ends.length === 2 || (ends.length === 1 && one.run.text !== other.run.text);
    return isSame ? (one.order < other.order ? other : one).run : null;
  }
  const [part, whole] = text.length < otherText.length ? [one, other] : [other, one];
  if (part.from < whole.from - near || part.to > whole.to + near) return null;
  return isPartOf(part, whole) ? part.run : null;
}

/** Whether the characters of a run are in the other one in the same order, the first of them at the same place. */
function isPartOf(part: Placed<Run>, whole: Placed<Run>): boolean {
  const perCharacter = (whole.to - whole.from) / whole.run.text.length;
  const expected = (part.from - whole.from) / perCharacter;
  const reach = (PART_DISTANCE * whole.size) / perCharacter;
  const lead = part.run.text.length - part.run.text.trimStart().length;
  const letters = withoutSpaces(part.run.text);
  for (let start = -1; ; ) {
    start = whole.run.text.indexOf(letters.charAt(0), start + 1);
    if (start === -1 || start - lead > expected + reach) return false;
    if (start - lead >= expected - reach) return hasInOrder(whole.run.text, start, letters);
  }
}

function hasInOrder(text: string, start: number, letters: string): boolean {
  let at = start - 1;
  for (const letter of letters) {
    at = text.indexOf(letter, at + 1);
    if (at === -1) return false;
  }
  return true;
}

function withoutSpaces(text: string): string {
  return text.replace(/\s/g, '');
}
