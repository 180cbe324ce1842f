/** Annotations of people: notes, and stretches of text they marked. */
import type { PDFAnnotation, PDFPage } from 'mupdf';
import { MARKED_STRETCHES_MAX, PAGE_EXTRAS_MAX } from './limits.ts';
import type { PageComment, PageLine } from './page-content.ts';

const TEXT_CHARS_MAX = 100_000;
const CONTROL = /[^\P{Cc}\n]/gu;
/** Annotations that mark a stretch of the page's own text. */
const MARKS = new Set(['Highlight', 'Underline', 'StrikeOut', 'Squiggly']);

/** Those in `shown` have their text among the page's lines. */
export function readComments(page: PDFPage, lines: PageLine[], shown: ReadonlySet<number>): PageComment[] {
  const comments: PageComment[] = [];
  for (const [index, annotation] of page.getAnnotations().slice(0, PAGE_EXTRAS_MAX).entries()) {
    const type = annotation.getType();
    const text = cleanText(annotation.getContents());
    const anchor = MARKS.has(type) ? markedText(annotation, lines) : null;
    if (type === 'Popup' || (text === '' && anchor === null)) continue;
    const author = annotation.hasAuthor() ? cleanText(annotation.getAuthor()) : '';
    const comment = { author: author === '' ? null : author, date: dateOf(annotation), text, anchor };
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

export function cleanText(text: string | undefined): string {
  return (text ?? '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .replace(CONTROL, ' ')
    .normalize('NFC')
    .trim()
    .slice(0, TEXT_CHARS_MAX);
}
