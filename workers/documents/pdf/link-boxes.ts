/**
 * The rectangles of a page's links to addresses, and the parts of its text and pictures that are under them. Internal
 * links, which lead from contents to pages, are not read. Threat: a page of many annotations; their number is
 * bounded, and addresses of schemes that no reader may follow are dropped, as in every format.
 */

import type { PDFObject, PDFPage, StructuredText } from 'mupdf';
import { isLinkUrl } from '../inline-marks.ts';
import { isWithin, nearestPlace, wholeWords } from './linked-text.ts';
import { MARKED_STRETCHES_MAX, mupdf, PAGE_EXTRAS_MAX } from './open-pdf.ts';
import type { Box, PictureLink } from './page-content.ts';

/** A rectangle of a link, in points from the top left corner of the page as shown. */
export interface LinkBox extends Box {
  url: string;
  /** A line of text is under it. */
  hasText?: true;
}

/** Hidden, and shown in print only. */
const UNSEEN_FLAGS = 0x02 | 0x20;

/** The start of an address without its scheme, which viewers open by http. */
const WITHOUT_SCHEME = /^www\./i;

/** The links of a page to addresses, in the file's order. */
export function readLinkBoxes(page: PDFPage): LinkBox[] {
  const annotations = page.getObject().get('Annots');
  if (!annotations.isArray()) return [];
  const boxes: LinkBox[] = [];
  let toPage: ReturnType<PDFPage['getTransform']> | null = null;
  for (let at = 0; at < Math.min(annotations.length, PAGE_EXTRAS_MAX); at += 1) {
    const annotation = annotations.get(at);
    const url = addressOf(annotation);
    if (url === null) continue;
    toPage ??= page.getTransform();
    for (const box of rectanglesOf(annotation)) {
      const [left, top, right, bottom] = mupdf.Rect.transform(box, toPage);
      boxes.push({ url, left, top, right, bottom });
    }
  }
  return boxes;
}

function addressOf(annotation: PDFObject): string | null {
  if (!annotation.isDictionary()) return null;
  const action = annotation.get('A');
  if (!action.isDictionary() || nameOf(action.get('S')) !== 'URI') return null;
  if (nameOf(annotation.get('Subtype')) !== 'Link') return null;
  const flags = annotation.get('F');
  if (flags.isNumber() && (flags.asNumber() & UNSEEN_FLAGS) !== 0) return null;
  const stated = action.get('URI');
  if (!stated.isString()) return null;
  const address = stated.asString().trim();
  const url = WITHOUT_SCHEME.test(address) ? `http://${address}` : address;
  return isLinkUrl(url) ? url : null;
}

function nameOf(value: PDFObject): string {
  return value.isName() ? value.asName() : '';
}

type Corners = [left: number, bottom: number, right: number, top: number];

/** The rectangles of each line, or the one of the whole link. */
function rectanglesOf(annotation: PDFObject): Corners[] {
  const whole = numbersOf(annotation.get('Rect'), 4);
  if (whole.length < 4) return [];
  const quads = numbersOf(annotation.get('QuadPoints'), 8 * MARKED_STRETCHES_MAX);
  const boxes: Corners[] = [];
  for (let at = 0; at + 8 <= quads.length; at += 8) boxes.push(cornersOf(quads.slice(at, at + 8)));
  return boxes.length > 0 ? boxes : [cornersOf(whole)];
}

function numbersOf(list: PDFObject, most: number): number[] {
  if (!list.isArray()) return [];
  const numbers: number[] = [];
  for (let at = 0; at < Math.min(list.length, most); at += 1) {
    const value = list.get(at);
    if (value.isNumber()) numbers.push(value.asNumber());
  }
  return numbers;
}

function cornersOf(points: readonly number[]): Corners {
  const across = points.filter((_, at) => at % 2 === 0);
  const up = points.filter((_, at) => at % 2 === 1);
  return [Math.min(...across), Math.min(...up), Math.max(...across), Math.max(...up)];
}

/** A run of text, with its box in points. */
export interface LinkableRun extends Box {
  text: string;
}

/** The part of a run that is under a rectangle, by its offsets in the text. */
export interface LinkedRange {
  start: number;
  end: number;
  url: string;
}

/**
 * The parts of a run under the rectangles. `page` is the text that the run is from: it tells which letters are in a
 * rectangle that covers the run in part.
 */
export function linkedRanges(run: LinkableRun, boxes: readonly LinkBox[], page: StructuredText): LinkedRange[] {
  const ranges: LinkedRange[] = [];
  for (const box of boxes) {
    const range = rangeUnder(run, box, page);
    if (range === null) continue;
    const { start, end } = range;
    // The same link twice, or another one below it.
    if (ranges.some((one) => start < one.end && one.start < end)) continue;
    ranges.push({ start, end, url: box.url });
  }
  return ranges.sort((one, other) => one.start - other.start);
}

function rangeUnder(run: LinkableRun, box: LinkBox, page: StructuredText): { start: number; end: number } | null {
  if (box.left >= run.right || box.right <= run.left || box.top >= run.bottom || box.bottom <= run.top) return null;
  const isAcross = run.right - run.left >= run.bottom - run.top || run.text.trim().length < 2;
  const [across, down] = [(run.left + run.right) / 2, (run.top + run.bottom) / 2];
  const isUnder = isAcross ? box.top <= down && down <= box.bottom : box.left <= across && across <= box.right;
  if (!isUnder) return null;
  if (run.text.trim() !== '') box.hasText = true;
  const isWhole = isAcross
    ? box.left <= run.left + EDGE_POINTS && box.right >= run.right - EDGE_POINTS
    : box.top <= run.top + EDGE_POINTS && box.bottom >= run.bottom - EDGE_POINTS;
  if (isWhole) return trimmedRange(run.text, 0, run.text.length);
  const [from, to] = isAcross
    ? [Math.max(box.left, run.left), Math.min(box.right, run.right)]
    : [Math.max(box.top, run.top), Math.min(box.bottom, run.bottom)];
  const covered = isAcross ? page.copy([from, down], [to, down]) : page.copy([across, from], [across, to]);
  const place = isAcross ? (from - run.left) / (run.right - run.left) : (from - run.top) / (run.bottom - run.top);
  const start = nearestPlace(run.text, covered.trim(), Math.round(place * run.text.length));
  return start === null ? null : wholeWords(run.text, start, start + covered.trim().length);
}

/** Rectangles that end so far within a run cover it as a whole. */
const EDGE_POINTS = 0.5;

function trimmedRange(text: string, start: number, end: number): { start: number; end: number } | null {
  const own = text.slice(start, end);
  const from = start + own.length - own.trimStart().length;
  const to = start + own.trimEnd().length;
  return to > from ? { start: from, end: to } : null;
}

/** Share of a link's rectangle that a picture covers. */
const PICTURE_SHARE = 0.5;

/** Smallest width and height of a drawing, in points, that is more than a line. */
const DRAWING_POINTS = 4;

/** The links without text under them that pictures or drawings have, each address once. */
export function pictureLinksOf(
  boxes: readonly LinkBox[],
  pictures: { images: readonly Box[]; vectors: readonly Box[] },
): PictureLink[] {
  const links = new Map<string, PictureLink>();
  for (const { hasText, ...box } of boxes) {
    if (hasText === true || links.has(box.url)) continue;
    const isPicture =
      pictures.images.some((image) => sharedArea(image, box) >= PICTURE_SHARE * areaOf(box)) ||
      pictures.vectors.some((drawing) => isDrawingIn(drawing, box));
    if (isPicture) links.set(box.url, box);
  }
  return [...links.values()];
}

function isDrawingIn(drawing: Box, box: Box): boolean {
  const isSmall = drawing.right - drawing.left < DRAWING_POINTS || drawing.bottom - drawing.top < DRAWING_POINTS;
  return !isSmall && isWithin(drawing, box) && sharedArea(drawing, box) >= PICTURE_SHARE * areaOf(drawing);
}

function areaOf({ left, top, right, bottom }: Box): number {
  return (right - left) * (bottom - top);
}

function sharedArea(one: Box, other: Box): number {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return Math.max(0, width) * Math.max(0, height);
}
