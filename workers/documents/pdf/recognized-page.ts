import type { RecognizedPage } from '../../tasks.ts';
import { hasMeaning, LETTERS_MIN, lettersIn } from './meaning.ts';
import type { Box, PageLine, PagePart, PdfPage } from './page-content.ts';

/** What tesseract is less sure of than this is a texture or a drawing, not text. */
const CONFIDENCE_MIN = 30;
/** Beside text of the page's own, pictures are often photographs: noise from these reaches 54. */
const CONFIDENCE_MIN_BESIDE_TEXT = 60;
/** Height of a line's box in font sizes: from the top of capitals to the foot of descenders. */
const LINE_HEIGHT_SIZES = 0.95;

/** The page with the text that was read from its picture, each part in its place. Own text with a meaning stays. */
export function withRecognizedText(page: PdfPage, recognized: RecognizedPage): PdfPage {
  const own = page.parts.map(withMeaning).filter((part) => part !== null);
  const isText = lettersIn(own.flatMap(textsOf)) >= LETTERS_MIN;
  const found = recognizedParts(recognized, isText ? CONFIDENCE_MIN_BESIDE_TEXT : CONFIDENCE_MIN);
  if (found.length === 0) return page;
  // Places on a page that lies sideways are not those of its own text.
  if (recognized.turned !== 0 && own.length > 0) return { ...page, parts: [...own, ...found] };
  const points = 1 / recognized.scale;
  return {
    ...page,
    // A page that lay sideways has its edges where it was read.
    width: recognized.width * points,
    height: recognized.height * points,
    parts: merged(own, found),
  };
}

function textsOf(part: PagePart): string[] {
  return part.kind === 'table' ? part.rows.flat() : part.lines.map(({ text }) => text);
}

function withMeaning(part: PagePart): PagePart | null {
  if (part.kind === 'table') return hasMeaning(textsOf(part).join(' ')) ? part : null;
  const lines = part.lines.filter(({ text }) => hasMeaning(text));
  return lines.length === 0 ? null : { ...part, lines };
}

/** Tesseract's own paragraphs; heights of single lines are too uneven to find them again. */
function recognizedParts({ lines, scale }: RecognizedPage, confidenceMin: number): PagePart[] {
  const paragraphs = new Map<number, PageLine[]>();
  for (const { text, confidence, box, block, paragraph } of lines) {
    if (confidence < confidenceMin) continue;
    const [left, top, right, bottom] = box.map((pixels) => pixels / scale) as typeof box;
    const group = block * 10_000 + paragraph;
    const size = Math.round((bottom - top) / LINE_HEIGHT_SIZES);
    const known = paragraphs.get(group) ?? [];
    known.push({ left, top, right, bottom, text, size, bold: false, tag: null, group, recognized: true });
    paragraphs.set(group, known);
  }
  return [...paragraphs.values()].map((group) => ({ kind: 'lines', lines: group }));
}

/** Both in their own order, each recognised part at its place in the column of the page's own that it is in. */
function merged(own: readonly PagePart[], found: readonly PagePart[]): PagePart[] {
  const boxes = own.map(boxOf);
  const parts: PagePart[] = [];
  let next = 0;
  for (const part of found) {
    const place = Math.max(next, placeAmong(boxes, boxOf(part)));
    parts.push(...own.slice(next, place), part);
    next = place;
  }
  return [...parts, ...own.slice(next)];
}

/** Behind the last that ends above its middle, within its column if there is any. */
function placeAmong(boxes: readonly Box[], { left, top, right, bottom }: Box): number {
  const isAbove = (box: Box) => box.bottom <= (top + bottom) / 2;
  const isInColumn = (box: Box) => box.left < right && box.right > left;
  const above = boxes.findLastIndex((box) => isInColumn(box) && isAbove(box));
  if (above >= 0) return above + 1;
  const below = boxes.findIndex(isInColumn);
  return below >= 0 ? below : boxes.findLastIndex(isAbove) + 1;
}

function boxOf(part: PagePart): Box {
  const boxes: readonly Box[] = part.kind === 'table' ? [part] : part.lines;
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    top: Math.min(...boxes.map(({ top }) => top)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
}
