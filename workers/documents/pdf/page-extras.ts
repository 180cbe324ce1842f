/** What stands on a page beside its content: values typed into form fields, and annotations, which are comments. */
import type { PDFAnnotation, PDFDocument, PDFPage } from 'mupdf';
import { MARKED_STRETCHES_MAX, PAGE_EXTRAS_MAX } from './limits.ts';
import type { PageComment, PageLine } from './page-content.ts';

const TEXT_CHARS_MAX = 100_000;
const FIELD_FONT_SIZE = 10;
const CONTROL = /[^\P{Cc}\n]/gu;
/** Annotations that mark a stretch of the page's own text. */
const MARKS = new Set(['Highlight', 'Underline', 'StrikeOut', 'Squiggly']);

export function hasForm(document: PDFDocument): boolean {
  try {
    return !document.getTrailer().get('Root').get('AcroForm').isNull();
  } catch {
    return false;
  }
}

/** Puts each filled field as a line behind the line it follows on the page. */
export function withFieldValues(page: PDFPage, lines: PageLine[]): PageLine[] {
  const result = [...lines];
  for (const [index, widget] of page.getWidgets().slice(0, PAGE_EXTRAS_MAX).entries()) {
    const text = fieldText(widget);
    if (text === '') continue;
    const [left, top, right, bottom] = widget.getBounds();
    const group = -1 - index;
    const line: PageLine = { left, top, right, bottom, text, size: FIELD_FONT_SIZE, bold: false, tag: null, group };
    result.splice(placeFor(line, result), 0, line);
  }
  return result;
}

function fieldText(widget: ReturnType<PDFPage['getWidgets']>[number]): string {
  if (widget.isPassword() || widget.isPushButton()) return '';
  const value = clean(widget.getValue());
  if (!widget.isCheckbox() && !widget.isRadioButton()) return value;
  if (value === '' || value === 'Off') return '';
  return `☒ ${clean(widget.getLabel()) || clean(widget.getName())}`.trim();
}

/** Behind the nearest line to the left in the same row, else behind the last one that ends above. */
function placeFor(field: PageLine, lines: PageLine[]): number {
  const middle = (field.top + field.bottom) / 2;
  let best = -1;
  let bestRight = Number.NEGATIVE_INFINITY;
  for (const [index, line] of lines.entries()) {
    const sameRow = line.top <= middle && line.bottom >= middle;
    if (sameRow && line.left < field.left && line.right > bestRight) {
      best = index;
      bestRight = line.right;
    }
  }
  if (best >= 0) return best + 1;
  return lines.findLastIndex((line) => line.bottom <= middle) + 1;
}

/** Comments of people: notes, marked text with what is marked, text written over the page. */
export function readComments(page: PDFPage, lines: PageLine[]): PageComment[] {
  const comments: PageComment[] = [];
  for (const annotation of page.getAnnotations().slice(0, PAGE_EXTRAS_MAX)) {
    const type = annotation.getType();
    const text = clean(annotation.getContents());
    const anchor = MARKS.has(type) ? markedText(annotation, lines) : null;
    if (type === 'Popup' || (text === '' && anchor === null)) continue;
    const author = annotation.hasAuthor() ? clean(annotation.getAuthor()) : '';
    comments.push({ author: author === '' ? null : author, date: dateOf(annotation), text, anchor });
  }
  return comments;
}

function markedText(annotation: PDFAnnotation, lines: PageLine[]): string | null {
  const pieces: string[] = [];
  for (const quad of annotation.getQuadPoints().slice(0, MARKED_STRETCHES_MAX)) {
    const left = Math.min(quad[0], quad[4]);
    const right = Math.max(quad[2], quad[6]);
    const middle = (Math.min(quad[1], quad[3]) + Math.max(quad[5], quad[7])) / 2;
    for (const line of lines) {
      if (line.top <= middle && line.bottom >= middle && line.left < right && line.right > left) {
        pieces.push(slice(line, left, right));
      }
    }
  }
  const text = pieces.join(' ').trim();
  return text === '' ? null : text.slice(0, TEXT_CHARS_MAX);
}

/** The part of a line between two places, by whole words; places of characters are taken as even. */
function slice(line: PageLine, left: number, right: number): string {
  const perPoint = line.text.length / Math.max(1, line.right - line.left);
  const words = [...line.text.matchAll(/\S+/g)];
  const from = (left - line.left) * perPoint;
  const to = (right - line.left) * perPoint;
  return words
    .filter(({ index, 0: word }) => index + word.length / 2 >= from && index + word.length / 2 <= to)
    .map(([word]) => word)
    .join(' ');
}

function dateOf(annotation: PDFAnnotation): string | null {
  const date = annotation.getModificationDate();
  return date instanceof Date && date.getTime() > 0 ? date.toISOString() : null;
}

function clean(text: string | undefined): string {
  return (text ?? '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .replace(CONTROL, ' ')
    .normalize('NFC')
    .trim()
    .slice(0, TEXT_CHARS_MAX);
}
