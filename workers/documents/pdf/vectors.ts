/** Vector graphics of a page: rules, boxes, and bullets drawn as shapes. */

import type { StructuredText } from 'mupdf';
import type { Box, PageLine } from './page-content.ts';
import { sameRow } from './reading-order.ts';

/** Bound on the graphics of a page; a page with more is a drawing, which has no rules. */
const VECTORS_MAX = 20_000;

/** Bound on the areas of one colour among which shapes are looked for that they hide. */
const AREAS_MAX = 400;

/** From this brightness a colour is white, which is invisible on the page. */
const WHITE = 0.98;

/** Largest width of a rule, in points. */
const RULE_WIDTH_MAX = 3.5;

/** Shortest rule, in points. */
const RULE_LENGTH_MIN = 4;

/** Distance of two rules in one line that are one rule, across it and along it. */
const SAME_RULE_POINTS = 1;
const RULE_GAP_POINTS = 3;

/** Distance of the ends of two rules that meet. */
const JOINT_POINTS = 0.6;

/** Size of a bullet, in points and as a share of the font size, and the largest difference of its sides. */
const BULLET_POINTS_MIN = 1.2;
const BULLET_SIZE_MAX = 0.75;
const BULLET_ASPECT_MAX = 1.6;

/** Distance of a bullet from the text after it, and from text before it, in font sizes. */
const BULLET_GAP_MAX = 2.5;
const BULLET_APART_MIN = 1;

/** Largest distance of a bullet from the middle of its line, as a share of the font size. */
const BULLET_MIDDLE_SHARE = 0.4;

/** More small shapes are the points of a chart. */
const BULLETS_MAX = 300;

const BULLET = '•';

export interface Vector extends Box {
  isStroked: boolean;
  /** Straight and upright: a rectangle, or a line across or down. */
  isRectangle: boolean;
}

/** A rule at one height (or one place across), from one place to another. */
export interface Rule {
  at: number;
  from: number;
  to: number;
}

export interface Rules {
  across: Rule[];
  down: Rule[];
  /** Where two rules across meet end to end, as the borders of neighbouring cells do. */
  joints: { x: number; y: number }[];
}

/** The visible graphics outside tags; null for a drawing, which has more than can be searched. */
export function readVectors(text: StructuredText): Vector[] | null {
  const vectors: Vector[] = [];
  const areas = new Map<string, Vector[]>();
  const colors: string[] = [];
  let count = 0;
  text.walk({
    onVector([left, top, right, bottom], { isStroked, isRectangle }: Vector, color) {
      count += 1;
      if (count > VECTORS_MAX || color.every((share) => share >= WHITE)) return;
      const vector = { left, top, right, bottom, isStroked, isRectangle };
      const key = color.join(' ');
      vectors.push(vector);
      colors.push(key);
      if (!isArea(vector)) return;
      const known = areas.get(key);
      if (known === undefined) areas.set(key, [vector]);
      else if (known.length < AREAS_MAX) known.push(vector);
    },
  });
  if (count > VECTORS_MAX) return null;
  return vectors.filter((vector, at) => !isWithinArea(vector, areas.get(colors[at] ?? '') ?? []));
}

function isArea({ left, top, right, bottom, isStroked, isRectangle }: Vector): boolean {
  return isRectangle && !isStroked && Math.min(right - left, bottom - top) > RULE_WIDTH_MAX;
}

/** Whether a shape cannot be seen in an area of its colour, as the background of a paragraph in that of its cell. */
function isWithinArea(vector: Vector, areas: readonly Vector[]): boolean {
  return areas.some(
    (area) =>
      area !== vector &&
      vector.left >= area.left - SAME_RULE_POINTS &&
      vector.right <= area.right + SAME_RULE_POINTS &&
      vector.top >= area.top - SAME_RULE_POINTS &&
      vector.bottom <= area.bottom + SAME_RULE_POINTS &&
      !isSameBox(vector, area),
  );
}

function isSameBox(one: Box, other: Box): boolean {
  const sides = ['left', 'top', 'right', 'bottom'] as const;
  return sides.every((side) => Math.abs(one[side] - other[side]) <= SAME_RULE_POINTS);
}

/** Rules, the sides of boxes, and the sides of filled boxes, which separate cells by their background. */
export function collectRules(vectors: readonly Vector[]): Rules {
  const across: Rule[] = [];
  const down: Rule[] = [];
  for (const { left, top, right, bottom, isRectangle } of vectors) {
    const [width, height] = [right - left, bottom - top];
    if (!isRectangle || Math.max(width, height) < RULE_LENGTH_MIN) continue;
    if (height <= RULE_WIDTH_MAX) across.push({ at: (top + bottom) / 2, from: left, to: right });
    else if (width <= RULE_WIDTH_MAX) down.push({ at: (left + right) / 2, from: top, to: bottom });
    else {
      across.push({ at: top, from: left, to: right }, { at: bottom, from: left, to: right });
      down.push({ at: left, from: top, to: bottom }, { at: right, from: top, to: bottom });
    }
  }
  const joints = new Map<Rule, number[]>();
  const whole = joinCollinearRules(across, joints);
  return {
    across: whole,
    down: joinCollinearRules(down, new Map()),
    joints: whole.flatMap((rule) => (joints.get(rule) ?? []).map((x) => ({ x, y: rule.at }))),
  };
}

/** Rules in one line without a gap between them are one rule. Adds to `joints` where they meet. */
function joinCollinearRules(rules: Rule[], joints: Map<Rule, number[]>): Rule[] {
  const whole: Rule[] = [];
  let open: Rule[] = [];
  let level = Number.NEGATIVE_INFINITY;
  for (const rule of rules.sort((one, other) => one.at - other.at)) {
    if (rule.at - level > SAME_RULE_POINTS) {
      whole.push(...joinedInLine(open, joints));
      open = [];
      level = rule.at;
    }
    open.push(rule);
  }
  return [...whole, ...joinedInLine(open, joints)];
}

function joinedInLine(rules: readonly Rule[], joints: Map<Rule, number[]>): Rule[] {
  const whole: Rule[] = [];
  for (const { at, from, to } of rules.toSorted((one, other) => one.from - other.from)) {
    const last = whole.at(-1);
    if (last === undefined || from - last.to > RULE_GAP_POINTS) {
      whole.push({ at, from, to });
      continue;
    }
    if (Math.abs(from - last.to) <= JOINT_POINTS) joints.set(last, [...(joints.get(last) ?? []), from]);
    last.to = Math.max(last.to, to);
  }
  return whole;
}

/** Writes a bullet before each line that has one drawn before it. */
export function addDrawnBullets(lines: readonly PageLine[], vectors: readonly Vector[]): void {
  const shapes = vectors.filter(isSmall);
  if (shapes.length === 0 || shapes.length > BULLETS_MAX) return;
  const marked = new Set<PageLine>();
  for (const shape of shapes) {
    const line = lineAfter(shape, lines);
    if (line === null || marked.has(line) || isPartOfRule(shape, vectors)) continue;
    marked.add(line);
    line.text = `${BULLET} ${line.text}`;
    for (const mark of [...(line.raised ?? []), ...(line.raisedLetters ?? [])]) mark.at += BULLET.length + 1;
    // An item of a list, even if its words are code.
    delete line.mono;
  }
}

function isSmall({ left, top, right, bottom }: Vector): boolean {
  const [width, height] = [right - left, bottom - top];
  const isRound = Math.max(width, height) <= BULLET_ASPECT_MAX * Math.min(width, height);
  return isRound && Math.min(width, height) >= BULLET_POINTS_MIN;
}

/** Whether a shape goes on in another, above or below it: pieces of a rule. */
function isPartOfRule(shape: Vector, vectors: readonly Vector[]): boolean {
  return vectors.some(({ left, top, right, bottom }) => {
    if (Math.abs(left - shape.left) > SAME_RULE_POINTS || Math.abs(right - shape.right) > SAME_RULE_POINTS)
      return false;
    return Math.abs(top - shape.bottom) <= JOINT_POINTS || Math.abs(bottom - shape.top) <= JOINT_POINTS;
  });
}

/** The line that begins directly right of a shape, if the shape is not part of other text. */
function lineAfter(shape: Vector, lines: readonly PageLine[]): PageLine | null {
  const middle = (shape.top + shape.bottom) / 2;
  let found: PageLine | null = null;
  for (const line of lines) {
    if (line.tag !== null || line.top > middle || line.bottom < middle) continue;
    const apart = BULLET_APART_MIN * line.size;
    if (line.left < shape.left && line.right > shape.left - apart) return null;
    const gap = line.left - shape.right;
    if (gap < 0 || gap > BULLET_GAP_MAX * line.size || shape.bottom - shape.top > BULLET_SIZE_MAX * line.size) continue;
    if (Math.abs((line.top + line.bottom) / 2 - middle) > BULLET_MIDDLE_SHARE * line.size) continue;
    if (found === null || (sameRow(found, line) && line.left < found.left)) found = line;
  }
  return found;
}
