/** Uneven light: shadows and lamps on photographed paper, evened by division by the paper's own brightness. */

import type { GreyImage } from './grey-image.ts';
import { TILE_PIXELS } from './ink.ts';

/** Grey level of the paper in each tile, rows from the top. */
export interface PaperLevels {
  columns: number;
  rows: number;
  levels: Float32Array;
}

const LEVELS = 256;

/** Share of a tile's pixels that are brighter than its paper, by noise. */
const BRIGHTER_SHARE = 0.35;

/** Tiles in each direction over which dark print, wider than a tile, is filled with the paper around it. */
const FILLED_TILES = 2;

/** Below this share of the brightest paper, paper is in the shade. */
const SHADE = 0.82;

/** Share of the tiles in the shade from which the light is uneven. Pictures and banners of a scan may cover less. */
const SHADE_SHARE_MIN = 0.12;

/** Share of neighbouring tiles that differ much: light changes slowly, pictures and panels do not. */
const JUMPS_SHARE_MAX = 0.08;

const JUMP = 0.75;

/** The darkest paper that is brightened, as a level; darker is no paper. */
const PAPER_LEVEL_MIN = 24;

/** Where the paper is darker, the noise of the camera would become as dark as ink. */
const SMOOTHED_BELOW = 90;

/** Paper levels of a reduced picture. */
export function measurePaper({ width, height, samples }: Pick<GreyImage, 'width' | 'height' | 'samples'>): PaperLevels {
  const columns = Math.max(1, Math.ceil(width / TILE_PIXELS));
  const rows = Math.max(1, Math.ceil(height / TILE_PIXELS));
  const levels = new Float32Array(columns * rows);
  const counts = new Uint32Array(LEVELS);
  for (let tile = 0; tile < levels.length; tile += 1) {
    const [left, top] = [(tile % columns) * TILE_PIXELS, Math.floor(tile / columns) * TILE_PIXELS];
    const [right, bottom] = [Math.min(width, left + TILE_PIXELS), Math.min(height, top + TILE_PIXELS)];
    counts.fill(0);
    for (let row = top; row < bottom; row += 2) {
      for (let at = row * width + left; at < row * width + right; at += 2) {
        const level = samples[at] ?? 0;
        counts[level] = (counts[level] ?? 0) + 1;
      }
    }
    levels[tile] = levelBelow(counts, BRIGHTER_SHARE);
  }
  return fillPrint({ columns, rows, levels });
}

/** The level that a share of the pixels exceeds. */
function levelBelow(counts: Uint32Array, share: number): number {
  const all = counts.reduce((sum, count) => sum + count, 0);
  let brighter = 0;
  for (let level = LEVELS - 1; level > 0; level -= 1) {
    brighter += counts[level] ?? 0;
    if (brighter > all * share) return level;
  }
  return 0;
}

/** Closing: print that is darker than the paper on both sides gets the level of that paper. */
function fillPrint(paper: PaperLevels): PaperLevels {
  return spreadLevels(spreadLevels(paper, Math.max), Math.min);
}

function spreadLevels({ columns, rows, levels }: PaperLevels, choose: (a: number, b: number) => number): PaperLevels {
  let from = levels;
  for (const [step, size] of [
    [1, columns],
    [columns, rows],
  ] as const) {
    const to = new Float32Array(from.length);
    for (let tile = 0; tile < from.length; tile += 1) {
      const place = step === 1 ? tile % columns : Math.floor(tile / columns);
      let level = from[tile] ?? 0;
      for (let away = -Math.min(FILLED_TILES, place); away <= FILLED_TILES && place + away < size; away += 1) {
        level = choose(level, from[tile + away * step] ?? 0);
      }
      to[tile] = level;
    }
    from = to;
  }
  return { columns, rows, levels: from };
}

/** Share of the tiles along the border that a table around a page may leave bright. */
const BRIGHT_BORDER_MAX = 0.75;

/** Whether a page may lie on something darker: the picture's border is darker than its brightest paper. */
export function mayLieOnTable({ columns, rows, levels }: PaperLevels): boolean {
  const brightest = brightestPaper(levels);
  let border = 0;
  let bright = 0;
  for (let tile = 0; tile < levels.length; tile += 1) {
    const [column, row] = [tile % columns, Math.floor(tile / columns)];
    if (column > 0 && row > 0 && column < columns - 1 && row < rows - 1) continue;
    border += 1;
    if ((levels[tile] ?? 0) > brightest * TABLE_SHADE) bright += 1;
  }
  return bright < border * BRIGHT_BORDER_MAX;
}

const TABLE_SHADE = 0.9;

function brightestPaper(levels: Float32Array): number {
  return levels.toSorted()[Math.floor(levels.length * 0.95)] ?? 0;
}

/** Whether the paper gets darker slowly over a part of the picture. */
export function isUnevenlyLit({ columns, rows, levels }: PaperLevels): boolean {
  const brightest = brightestPaper(levels);
  const shaded = levels.filter((level) => level < brightest * SHADE).length;
  if (shaded < levels.length * SHADE_SHARE_MIN) return false;
  let pairs = 0;
  let jumps = 0;
  for (let tile = 0; tile < levels.length; tile += 1) {
    for (const next of [
      tile % columns < columns - 1 ? tile + 1 : -1,
      tile + columns < columns * rows ? tile + columns : -1,
    ]) {
      if (next < 0) continue;
      pairs += 1;
      const [a, b] = [levels[tile] ?? 0, levels[next] ?? 0];
      if (Math.min(a, b) < Math.max(a, b) * JUMP) jumps += 1;
    }
  }
  return jumps <= pairs * JUMPS_SHARE_MAX;
}

/** The picture as if all its paper were white. `reduced`: pixels of the picture per pixel of the measured one. */
export function evenLight(image: GreyImage, paper: PaperLevels, reduced: number): GreyImage {
  const { width, height } = image;
  const samples = new Uint8Array(width * height);
  const tile = TILE_PIXELS * reduced;
  const { columns, rows, levels } = paper;
  const levelOf = (column: number, row: number) => Math.max(PAPER_LEVEL_MIN, levels[row * columns + column] ?? 0);
  for (let row = 0; row < height; row += 1) {
    const [above, below, down] = betweenTiles(row / tile, rows);
    for (let column = 0; column < width; column += 1) {
      const [left, right, across] = betweenTiles(column / tile, columns);
      const upper = levelOf(left, above) * (1 - across) + levelOf(right, above) * across;
      const lower = levelOf(left, below) * (1 - across) + levelOf(right, below) * across;
      const level = upper * (1 - down) + lower * down;
      const at = row * width + column;
      const ink = level < SMOOTHED_BELOW ? meanAround(image, column, row) : (image.samples[at] ?? 0);
      samples[at] = Math.min(LEVELS - 1, (ink * (LEVELS - 1)) / level);
    }
  }
  return { ...image, samples };
}

/** The mean of a pixel and its neighbours. */
function meanAround({ width, height, samples }: GreyImage, column: number, row: number): number {
  let sum = 0;
  let count = 0;
  for (let line = Math.max(0, row - 1); line <= Math.min(height - 1, row + 1); line += 1) {
    for (let at = Math.max(0, column - 1); at <= Math.min(width - 1, column + 1); at += 1) {
      sum += samples[line * width + at] ?? 0;
      count += 1;
    }
  }
  return sum / count;
}

/** The tiles whose middles lie on both sides of a place, and how far it is to the second. */
function betweenTiles(place: number, count: number): [before: number, after: number, share: number] {
  const at = Math.min(count - 1, Math.max(0, place - 0.5));
  const before = Math.floor(at);
  return [before, Math.min(count - 1, before + 1), at - before];
}
