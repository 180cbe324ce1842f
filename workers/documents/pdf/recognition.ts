/**
 * Decides what of a page is also read from its picture. Meaningful text stays; recognition adds the text of pictures
 * and curves and replaces only meaningless text.
 */

import type { PDFPage } from 'mupdf';
import { BROKEN_SHARE, countMeaningfulLetters, countMeaningless, LETTERS_MIN } from './meaning.ts';
import { mupdf } from './open-pdf.ts';
import type { Box } from './page-content.ts';
import { hasHiddenText, type PageText } from './page-text.ts';
import type { RawPage } from './read-lines.ts';

/** Share of the page that pictures without text must cover: smaller ones are logos, icons and illustrations. */
const PICTURE_SHARE_MIN = 0.25;

const PICTURE_SHARE_MIN_OF_FEW_LETTERS = 0.05;

/** Share of a picture that text may cover: a stamp or header on a scan is less, a slide over its background more. */
const COVERED_SHARE_MAX = 0.2;

const LETTER = /\p{L}/u;

/** Resolution of the search for ink on a page with few letters. */
const PROBE_DPI = 36;

/** Minimum share of dark pixels; less is an empty page with specks. */
const INK_SHARE_MIN = 0.002;

/**
 * Minimum count of ink pieces beside page text, as left by a line of outlined text; rules, frames and fills have fewer.
 */
const INK_PIECES_MIN = 20;

/** The same on a page without any text, where it may be a word: pages with fewer pieces had none. */
const WORD_PIECES_MIN = 8;

const WHITE = 255;

const DARK = 160;

const PROBE_PIXELS_MAX = 4_000_000;

/**
 * The areas to recognise: the whole page if it has no usable text, else its pictures without text over them; none if
 * neither is there.
 */
export function areasToRecognize(page: PDFPage, { raw, known }: PageText): Box[] {
  const whole = [pageBoundsBox(page)];
  if (isBrokenLayer(raw)) return whole;
  const text = raw.lines.map((line) => line.text);
  const letters = countMeaningfulLetters(text);
  if (letters >= LETTERS_MIN && raw.images.length === 0) return [];
  const grid = gridOf(page, raw, known);
  const pictures = raw.images.filter((image) => grid.coveredShareOfBox(image, PageGrid.TEXT) <= COVERED_SHARE_MAX);
  for (const picture of pictures) grid.markGridBox(picture, PageGrid.BARE);
  const needed = letters < LETTERS_MIN ? PICTURE_SHARE_MIN_OF_FEW_LETTERS : PICTURE_SHARE_MIN;
  if (grid.shareOfPageKinds(PageGrid.BARE, PageGrid.TEXT) >= needed) {
    if (letters === 0) return whole;
    return hasHiddenText(page) ? [] : pictures;
  }
  // Words are text, however few; a number alone may be that of a page whose text was turned into curves.
  if (letters >= LETTERS_MIN || text.some((line) => LETTER.test(line))) return [];
  const [ignored, pieces] = letters === 0 ? [PageGrid.TEXT, WORD_PIECES_MIN] : [TEXT_OR_PICTURE, INK_PIECES_MIN];
  const ink = inkOf(page, grid, ignored);
  return ink.share >= INK_SHARE_MIN && ink.pieces >= pieces ? whole : [];
}

function pageBoundsBox(page: PDFPage): Box {
  const [left, top, right, bottom] = page.getBounds();
  return { left: 0, top: 0, right: right - left, bottom: bottom - top };
}

function isBrokenLayer({ lines }: RawPage): boolean {
  let broken = 0;
  let whole = 0;
  for (const { text } of lines) {
    const { all, meaningless } = countMeaningless(text);
    whole += all;
    broken += meaningless;
  }
  return whole >= LETTERS_MIN && broken >= BROKEN_SHARE * whole;
}

function gridOf(page: PDFPage, { images }: RawPage, known: readonly Box[]): PageGrid {
  const [left, top, right, bottom] = page.getBounds();
  const grid = new PageGrid(right - left, bottom - top);
  for (const image of images) grid.markGridBox(image, PageGrid.PICTURE);
  for (const box of known) grid.markGridBox(growLineBox(box), PageGrid.TEXT);
  return grid;
}

/** The box with the space around its line. */
function growLineBox({ left, top, right, bottom }: Box): Box {
  const margin = Math.min(right - left, bottom - top) / 2;
  return { left: left - margin, top: top - margin, right: right + margin, bottom: bottom + margin };
}

/**
 * Outlined text is visible only in the rendered page. `known`: kinds whose ink is ignored. Counts pieces by their upper
 * left corners.
 */
function inkOf(page: PDFPage, grid: PageGrid, known: number): { share: number; pieces: number } {
  const [left, top, right, bottom] = page.getBounds();
  const scale = PROBE_DPI / 72;
  const area = (right - left) * (bottom - top) * scale * scale;
  if (!(area >= 1) || area > PROBE_PIXELS_MAX) return { share: 0, pieces: 0 };
  const pixmap = page.toPixmap([scale, 0, 0, scale, 0, 0], mupdf.ColorSpace.DeviceGray, false, true);
  try {
    const [width, height] = [pixmap.getWidth(), pixmap.getHeight()];
    const pixels = pixmap.getPixels();
    const isDark = (column: number, row: number) =>
      column >= 0 && row >= 0 && (pixels[row * width + column] ?? WHITE) < DARK;
    let dark = 0;
    let pieces = 0;
    for (let row = 0; row < height; row += 1) {
      for (let column = 0; column < width; column += 1) {
        if (!isDark(column, row) || (grid.kindsAtPlace(column / width, row / height) & known) !== 0) continue;
        dark += 1;
        if (!isDark(column - 1, row) && !isDark(column, row - 1)) pieces += 1;
      }
    }
    return { share: dark / Math.max(1, width * height), pieces };
  } finally {
    pixmap.destroy();
  }
}

/** Cells across and down, for any page size. */
const CELLS = 100;

/** Cells of a page covered by text and pictures. Summing boxes would count overlaps twice. */
class PageGrid {
  static readonly TEXT = 1;
  static readonly PICTURE = 2;
  /** A picture that is not covered. */
  static readonly BARE = 4;
  readonly #cells = new Uint8Array(CELLS * CELLS);
  readonly #width: number;
  readonly #height: number;

  /** In points. */
  constructor(width: number, height: number) {
    this.#width = Math.max(1, width);
    this.#height = Math.max(1, height);
  }

  markGridBox(box: Box, kind: number): void {
    this.#visitGridCells(box, (at) => {
      this.#cells[at] = (this.#cells[at] ?? 0) | kind;
    });
  }

  /** Share of a box that a kind covers. */
  coveredShareOfBox(box: Box, kind: number): number {
    let all = 0;
    let covered = 0;
    this.#visitGridCells(box, (at) => {
      all += 1;
      if (((this.#cells[at] ?? 0) & kind) !== 0) covered += 1;
    });
    return covered / Math.max(1, all);
  }

  #visitGridCells({ left, top, right, bottom }: Box, visit: (at: number) => void): void {
    const [fromColumn, toColumn] = cellsBetween(left / this.#width, right / this.#width);
    const [fromRow, toRow] = cellsBetween(top / this.#height, bottom / this.#height);
    for (let row = fromRow; row < toRow; row += 1) {
      for (let at = row * CELLS + fromColumn; at < row * CELLS + toColumn; at += 1) visit(at);
    }
  }

  /** The kinds that cover a place, added up; 0 for none. Coordinates are shares of width and height. */
  kindsAtPlace(across: number, down: number): number {
    return this.#cells[gridCellAt(down) * CELLS + gridCellAt(across)] ?? 0;
  }

  /** Share of the page with all kinds of `marked` and none of `unmarked`. */
  shareOfPageKinds(marked: number, unmarked = 0): number {
    let count = 0;
    for (const cell of this.#cells) if ((cell & marked) === marked && (cell & unmarked) === 0) count += 1;
    return count / this.#cells.length;
  }
}

const TEXT_OR_PICTURE = PageGrid.TEXT | PageGrid.PICTURE;

/** The cells that an interval covers at least partly. */
function cellsBetween(from: number, to: number): [from: number, to: number] {
  const clampGridPlace = (place: number) => Math.min(CELLS, Math.max(0, place));
  return [clampGridPlace(Math.floor(from * CELLS)), clampGridPlace(Math.ceil(to * CELLS))];
}

function gridCellAt(share: number): number {
  return Math.min(CELLS - 1, Math.max(0, Math.floor(share * CELLS)));
}
