/** Annotations by readers: notes and marked text. */

import type { PDFAnnotation, PDFObject, PDFPage } from 'mupdf';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { itemAt } from '../../../src-server/platform/item-at.ts';
import { attachedFileName } from './beside-pages.ts';
import { hasMeaning } from './meaning.ts';
import { MARKED_STRETCHES_MAX, mupdf, PAGE_EXTRAS_MAX } from './open-pdf.ts';
import type { PageComment, PageLine } from './page-content.ts';
import { readDrawing } from './read-lines.ts';

const TEXT_CHARS_MAX = 100_000;

const CONTROL = /[^\P{Cc}\n]/gu;

/** Annotations that mark text of the page. */
const MARKS = new Set(['Highlight', 'Underline', 'StrikeOut', 'Squiggly']);

/** The text of annotations in `shown` is already among the page's lines. */
export function readPageComments(page: PDFPage, lines: PageLine[], shown: ReadonlySet<number>): PageComment[] {
  const comments: PageComment[] = [];
  for (const [index, annotation] of page.getAnnotations().slice(0, PAGE_EXTRAS_MAX).entries()) {
    const type = annotation.getType();
    const text = cleanText(annotation.getContents());
    const anchor = MARKS.has(type) ? markedText(annotation, lines) : null;
    if (type === 'Popup' || (text === '' && anchor === null)) continue;
    const author = annotation.hasAuthor() ? cleanText(annotation.getAuthor()) : '';
    const comment = { author: author === '' ? null : author, date: annotationDate(annotation), text, anchor };
    comments.push(shown.has(index) ? { ...comment, isShown: true } : comment);
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
        pieces.push(sliceLineBetween(line, left, right));
      }
    }
  }
  const text = pieces.join(' ').trim();
  return text === '' ? null : text.slice(0, TEXT_CHARS_MAX);
}

/** The part of a line between two positions, in whole words; assumes even character widths. */
function sliceLineBetween(line: PageLine, left: number, right: number): string {
  const perPoint = line.text.length / Math.max(1, line.right - line.left);
  const words = [...line.text.matchAll(/\S+/g)];
  const from = (left - line.left) * perPoint;
  const to = (right - line.left) * perPoint;
  return words
    .filter(({ index, 0: word }) => index + word.length / 2 >= from && index + word.length / 2 <= to)
    .map(([word]) => word)
    .join(' ');
}

function annotationDate(annotation: PDFAnnotation): string | null {
  const date = annotation.getModificationDate();
  return date instanceof Date && date.getTime() > 0 ? date.toISOString() : null;
}

function cleanText(text: string | undefined): string {
  return (text ?? '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .replace(CONTROL, ' ')
    .normalize('NFC')
    .trim()
    .slice(0, TEXT_CHARS_MAX);
}

// Text outside the page content: form values, text typed over the page, stamps, signatures.

/** Default for pages without text. */
const FONT_SIZE = 10;

/** Bound on the annotation text of a page: several annotations may draw one long form. */
const DRAWN_CHARS_MAX = 100_000;

/** Bound on the options of a choice field. */
const OPTIONS_MAX = 1000;

/** Printed text may reach so far out of its field, in points. */
const PRINTED_REACH = 2;

/** Annotations that draw text; others draw icons, lines and frames. */
const TEXT_DRAWING = new Set(['FreeText', 'Stamp', 'Watermark', 'Line', 'PolyLine', 'Polygon']);

export interface DrawnText {
  lines: PageLine[];
  /** Indexes of the annotations whose contents are among the lines. */
  shown: ReadonlySet<number>;
  /** Fields and annotations past the bounds, which are not read or not to their end. */
  unread: number;
  /** Values of fields, typed text, and texts of redactions, that nobody sees; never of passwords. */
  hidden: string[];
  /** Captions of push buttons. */
  buttons: string[];
  /** Names of the files attached to the page. */
  files: string[];
}

/** `size` is the page's own text size, because a large stamp is no heading. */
export function readDrawnText(page: PDFPage, size: number): DrawnText {
  const lines: PageLine[] = [];
  const shown = new Set<number>();
  let charsLeft = DRAWN_CHARS_MAX;
  const addDrawnLines = (drawn: readonly PageLine[]) => {
    const firstGroup = (lines.at(-1)?.group ?? 0) - 1;
    for (const line of drawn) {
      charsLeft -= line.text.length;
      lines.push({ ...line, size: size || FONT_SIZE, bold: false, tag: null, group: firstGroup - line.group });
    }
  };
  const [widgets, annotations] = [page.getWidgets(), page.getAnnotations()];
  let unread = countBeyond(widgets) + countBeyond(annotations);
  const unseen: Pick<DrawnText, 'hidden' | 'buttons'> = { hidden: [], buttons: [] };
  for (const widget of widgets.slice(0, PAGE_EXTRAS_MAX)) {
    const before = charsLeft;
    if (charsLeft > 0) charsLeft -= addUnseenField(widget, unseen);
    if (before > 0 && before === charsLeft) addDrawnLines(fieldLines(widget));
    if (before <= 0 || (widget.getValue() ?? '').length > TEXT_CHARS_MAX) unread += 1;
  }
  const files: string[] = [];
  for (const [index, annotation] of annotations.slice(0, PAGE_EXTRAS_MAX).entries()) {
    if (annotation.getType() === 'FileAttachment') files.push(attachedFileName(annotation.getObject().get('FS')));
    if (charsLeft > 0 && (annotation.getContents() ?? '').length > TEXT_CHARS_MAX) unread += 1;
    if (annotation.getType() === 'Redact' && charsLeft > 0) {
      const overlay = overlayText(annotation);
      charsLeft -= overlay.length;
      if (overlay !== '') unseen.hidden.push(overlay);
    }
    if (!TEXT_DRAWING.has(annotation.getType())) continue;
    if (charsLeft <= 0) {
      unread += 1;
      continue;
    }
    const drawn = annotationLines(annotation);
    addDrawnLines(drawn);
    if (drawn.length === 0 && isHiddenAnnotation(annotation)) {
      const contents = cleanText(annotation.getContents());
      charsLeft -= contents.length;
      unseen.hidden.push(contents);
    }
    const all = withoutSpaces(drawn.map(({ text }) => text).join(''));
    if (all.includes(withoutSpaces(cleanText(annotation.getContents())))) shown.add(index);
  }
  return { lines, shown, unread, files, ...unseen };
}

/** What a redaction shows once it is applied. */
function overlayText(annotation: PDFAnnotation): string {
  const text = annotation.getObject().get('OverlayText');
  return text.isString() ? cleanText(text.asString()) : '';
}

function countBeyond(extras: readonly unknown[]): number {
  return Math.max(0, extras.length - PAGE_EXTRAS_MAX);
}

/**
 * Inserts each field and annotation block after the line it follows on the page, unless the page prints the same text
 * there.
 */
export function withDrawnText(lines: readonly PageLine[], drawn: readonly PageLine[]): PageLine[] {
  const result = [...lines];
  const groups = Map.groupBy(
    drawn.filter((line) => !isPrinted(line, lines)),
    ({ group }) => group,
  );
  for (const group of groups.values()) result.splice(placeFor(itemAt(group, 0), result), 0, ...group);
  return result;
}

/** Forms that were filled in by a program often have each value twice. */
function isPrinted({ left, top, right, bottom, text }: PageLine, lines: readonly PageLine[]): boolean {
  const within = lines.filter((line) => {
    const middle = (line.top + line.bottom) / 2;
    return middle > top && middle < bottom && line.left > left - PRINTED_REACH && line.right < right + PRINTED_REACH;
  });
  return within.length > 0 && withoutSpaces(within.map((line) => line.text).join('')) === withoutSpaces(text);
}

function withoutSpaces(text: string): string {
  return text.replace(/\s/g, '');
}

type Widget = ReturnType<PDFPage['getWidgets']>[number];

/** Notes what a field has for nobody's eyes and captions of buttons; returns the count of characters, 0 for others. */
function addUnseenField(widget: Widget, { hidden, buttons }: Pick<DrawnText, 'hidden' | 'buttons'>): number {
  if (widget.isPassword()) return 0;
  const isHidden = isHiddenAnnotation(widget);
  if (!isHidden && !widget.isPushButton()) return 0;
  const text = widget.isPushButton() ? captionOf(widget) : hiddenValue(widget);
  if (text !== '') (isHidden ? hidden : buttons).push(text);
  return text.length;
}

function captionOf(widget: Widget): string {
  const caption = widget.getObject().get('MK', 'CA');
  const drawn = drawAnnotationLines(widget).map(({ text }) => text);
  return drawn.length === 0 && caption.isString() ? cleanText(caption.asString()) : drawn.join('\n');
}

/** Names of states, such as "Yes" of a box that is on, are no text. */
function hiddenValue(widget: Widget): string {
  if (widget.isCheckbox() || widget.isRadioButton()) return '';
  return widget.isChoice() ? chosenText(widget) : cleanText(widget.getValue());
}

/** A field's value is the typed text; a signature has none and shows its appearance. */
function fieldLines(widget: Widget): PageLine[] {
  if (widget.isPassword() || widget.isPushButton() || isHiddenAnnotation(widget)) return [];
  if (widget.isCheckbox() || widget.isRadioButton()) {
    const label = cleanText(widget.getLabel()) || cleanText(widget.getName());
    return isWidgetOn(widget) ? [annotationLine(widget, `☒ ${label}`.trim())] : [];
  }
  const value = widget.isChoice() ? chosenText(widget) : cleanText(widget.getValue());
  return value === '' ? drawAnnotationLines(widget) : [annotationLine(widget, value)];
}

/** Hidden by its flags, or without a size: programs keep data in such fields. */
function isHiddenAnnotation(annotation: PDFAnnotation): boolean {
  if ((annotation.getFlags() & (mupdf.PDFAnnotation.IS_HIDDEN | mupdf.PDFAnnotation.IS_NO_VIEW)) !== 0) return true;
  const [left, top, right, bottom] = annotation.getBounds();
  return !(right - left >= 1 && bottom - top >= 1);
}

/** Buttons of one field share its value; each states its own appearance. */
function isWidgetOn(widget: Widget): boolean {
  const state = widget.getObject().get('AS');
  const value = state.isName() ? state.asName() : widget.getValue();
  return value !== '' && value !== 'Off';
}

/** What a choice field shows: its value may be the name that a program gets. */
function chosenText(widget: Widget): string {
  const field = widget.getObject();
  const [value, options] = [field.getInheritable('V'), field.getInheritable('Opt')];
  const shown = new Map<string, string>();
  for (const option of itemsOf(options)) {
    const [name, text] = [option.get(0), option.get(1)];
    if (option.isArray() && name.isString() && text.isString()) shown.set(name.asString(), text.asString());
  }
  const chosen = (value.isArray() ? itemsOf(value) : [value]).filter((item) => item.isString());
  return cleanText(chosen.map((item) => shown.get(item.asString()) ?? item.asString()).join(', '));
}

function itemsOf(list: PDFObject): PDFObject[] {
  return list.isArray()
    ? Array.from({ length: Math.min(list.length, OPTIONS_MAX) }, (_, index) => list.get(index))
    : [];
}

/** Typed text is also stored as text, because the letters of its appearance may be unmapped. */
function annotationLines(annotation: PDFAnnotation): PageLine[] {
  const drawn = drawAnnotationLines(annotation);
  const isReadable = drawn.length > 0 && drawn.every(({ text }) => hasMeaning(text));
  const stated = annotation.getType() === 'FreeText' ? cleanText(annotation.getContents()) : '';
  return isReadable || stated === '' || isHiddenAnnotation(annotation) ? drawn : [annotationLine(annotation, stated)];
}

function annotationLine(annotation: PDFAnnotation, text: string): PageLine {
  const [left, top, right, bottom] = annotation.getBounds();
  return { left, top, right, bottom, text, size: FONT_SIZE, bold: false, tag: null, group: 0 };
}

/** Empty if the annotation is hidden or its appearance is broken; viewers show nothing either. */
function drawAnnotationLines(annotation: PDFAnnotation): PageLine[] {
  try {
    const list = annotation.toDisplayList();
    try {
      return readDrawing(list);
    } finally {
      list.destroy();
    }
  } catch (error) {
    if (error instanceof QuarryError) throw error;
    return [];
  }
}

/** After the nearest line to the left in the same row, else after the last line that ends above. */
function placeFor(field: PageLine, lines: readonly PageLine[]): number {
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
