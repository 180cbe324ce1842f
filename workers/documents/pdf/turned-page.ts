/**
 * Pages whose text runs up or down, such as a landscape table on a portrait page. They are laid out as if the page was
 * turned, and their boxes are turned back.
 */
import type { Box, PageLine, PagePart } from './page-content.ts';
import type { Vector } from './vectors.ts';

/** Letters of a page by the direction of their line. */
export interface Directions {
  across: number;
  /** From the bottom to the top. */
  up: number;
  down: number;
}

/** Share of the letters that must run up (or down) if the page is turned. */
const TURNED_SHARE = 0.6;

/** Letters, and their share, from which some turned text is more than a label. */
const SOME_LETTERS = 100;

const SOME_SHARE = 0.1;

export type Turn = 'up' | 'down';

/** The direction of most text; null if it runs across. */
export function dominantTurn({ across, up, down }: Directions): Turn | null {
  const all = across + up + down;
  if (up > TURNED_SHARE * all) return 'up';
  return down > TURNED_SHARE * all ? 'down' : null;
}

/** Whether a page has more turned text than labels, beside text that runs across (or the other way round). */
export function hasTextOfBothDirections({ across, up, down }: Directions): boolean {
  const least = Math.min(Math.max(across, up, down) === across ? up + down : across, up + down);
  return least >= SOME_LETTERS && least >= SOME_SHARE * (across + up + down);
}

export interface TurnedPage {
  turn: Turn;
  /** Of the page as shown, in points. */
  width: number;
  height: number;
}

/** A box on the page as it is read. */
function turnPageBox<Placed extends Box>(placed: Placed, { turn, width, height }: TurnedPage): Placed {
  const { left, top, right, bottom } = placed;
  return turn === 'up'
    ? { ...placed, left: height - bottom, right: height - top, top: left, bottom: right }
    : { ...placed, left: top, right: bottom, top: width - right, bottom: width - left };
}

/** A box on the page as it is shown. */
function turnedBack<Placed extends Box>(placed: Placed, { turn, width, height }: TurnedPage): Placed {
  const { left, top, right, bottom } = placed;
  return turn === 'up'
    ? { ...placed, top: height - right, bottom: height - left, left: top, right: bottom }
    : { ...placed, top: left, bottom: right, left: width - bottom, right: width - top };
}

/** Lines or graphics on the page as it is read. */
export function turnAll<Placed extends PageLine | Vector>(placed: readonly Placed[], page: TurnedPage): Placed[] {
  return placed.map((one) => turnPageBox(one, page));
}

/** The place of a letter on the page as it is read. */
export function turnPoint<Placed extends { x: number; y: number }>(placed: Placed, page: TurnedPage): Placed {
  const { left, top } = turnPageBox({ left: placed.x, right: placed.x, top: placed.y, bottom: placed.y }, page);
  return { ...placed, x: left, y: top };
}

/** Parts on the page as it is shown. */
export function turnBack(parts: readonly PagePart[], page: TurnedPage): PagePart[] {
  return parts.map((part) =>
    part.kind === 'table'
      ? turnedBack(part, page)
      : { ...part, lines: part.lines.map((line) => turnedBack(line, page)) },
  );
}
