/** Footnotes: small paragraphs with a number or sign at the foot of a page's column, and the marks in its text. */

import type { InlineMark } from '../blocks.ts';
import { raisedText } from '../raised-text.ts';
import type { Box, PageLine, RaisedMark } from './page-content.ts';
import { ENDS_SENTENCE } from './paragraphs.ts';

/** Largest size of a footnote, as a share of the text's. */
const SMALLER = 0.94;

/** A footnote without a mark in the text lies in the lowest part of its page. */
const FOOT_SHARE = 0.55;

const MARKER = /^[[(]?(\d{1,3}|[*†‡§¶]{1,3})[.)\]]*\s*(?=\S)/u;

const BRACKETS = /[[\]().]/g;

const PAGE_NUMBER = /^[^\p{L}]{0,3}\d{1,4}[^\p{L}]{0,3}$/u;

/** References are numbered too, often in small print. */
const REFERENCES =
  /^(?:[\divx]+\.?\s*)?(?:references|bibliography|literatur\w*|bibliogra\w+|références|참고\s*문헌|参考文献)$/iu;

/** Lines of one paragraph, all on one page. */
export interface FootParagraph {
  lines: PageLine[];
  /** From 1. */
  page: number;
}

export interface FootPage<Paragraph extends FootParagraph = FootParagraph> {
  height: number;
  /** In the order of reading. */
  paragraphs: readonly Paragraph[];
  tables: readonly Box[];
}

export interface Footnotes<Paragraph extends FootParagraph = FootParagraph> {
  /** By the first paragraph of each: its marker, and how much of its text states it. */
  markers: ReadonlyMap<Paragraph, { marker: string; length: number }>;
  /** Paragraphs that continue a footnote, also at the foot of the next page. */
  continued: ReadonlyMap<Paragraph, Paragraph>;
  /** The raised marks in the text that refer to one. */
  ties: ReadonlySet<RaisedMark>;
}

/** @param bodySize font size of the document's text */
export function findFootnotes<Paragraph extends FootParagraph>(
  pages: Iterable<FootPage<Paragraph>>,
  bodySize: number,
): Footnotes<Paragraph> {
  const markers = new Map<Paragraph, { marker: string; length: number }>();
  const continued = new Map<Paragraph, Paragraph>();
  const ties = new Set<RaisedMark>();
  /** The last footnote so far, which the next page may continue. */
  let open: { note: Paragraph; end: Paragraph } | null = null;
  for (const page of pages) {
    const foot = new Set(page.paragraphs.filter((one) => isAtFoot(one, page, bodySize)));
    if (foot.size === 0) continue;
    const marks = page.paragraphs.flatMap((one) => (foot.has(one) ? [] : raisedMarksOf(one)));
    /** The last footnote, and its last part. */
    let last: { note: Paragraph; end: Paragraph } | null = null;
    let isAmongReferences = false;
    for (const paragraph of page.paragraphs) {
      const text = textOf(paragraph);
      if (!foot.has(paragraph)) {
        isAmongReferences = REFERENCES.test(text.trim());
        last = null;
        continue;
      }
      const found = MARKER.exec(text);
      const marker = found?.[1];
      const own = marks.filter((mark) => mark.text.replace(BRACKETS, '') === marker);
      if (found !== null && marker !== undefined && !isAmongReferences && isFootnote(paragraph, page, own)) {
        markers.set(paragraph, { marker, length: found[0].length });
        for (const mark of own) ties.add(mark);
        last = { note: paragraph, end: paragraph };
      } else if (open !== null && goesOnOverPage(open.end, paragraph)) {
        continued.set(paragraph, open.note);
        last = { note: open.note, end: paragraph };
      } else if (last !== null && found === null && goesOn(last.end, paragraph)) {
        continued.set(paragraph, last.note);
        last.end = paragraph;
      } else last = null;
      open = last;
    }
  }
  return { markers, continued, ties };
}

/** Tied to a mark, or low on the page with a number that stands above the line. */
function isFootnote({ lines }: FootParagraph, { height }: FootPage, own: readonly RaisedMark[]): boolean {
  const [first] = lines;
  if (first === undefined || first.tag !== null) return false;
  if (own.length > 0) return true;
  const isMarked = first.raised?.some(({ at }) => at <= 1) === true;
  return isMarked && first.top >= FOOT_SHARE * height;
}

/** Whether only small print and the page's number stand below, in the same columns. */
function isAtFoot(paragraph: FootParagraph, { paragraphs, tables }: FootPage, bodySize: number): boolean {
  if (!isSmall(paragraph, bodySize)) return false;
  const box = boxOf(paragraph);
  const isBelow = (other: Box) => other.top >= box.bottom - 1 && other.left < box.right && other.right > box.left;
  if (tables.some(isBelow)) return false;
  return paragraphs.every(
    (other) =>
      other === paragraph ||
      !isBelow(boxOf(other)) ||
      isSmall(other, bodySize) ||
      PAGE_NUMBER.test(textOf(other).trim()),
  );
}

function isSmall({ lines }: FootParagraph, bodySize: number): boolean {
  return lines.every(({ size, recognized, tag }) => size <= SMALLER * bodySize && recognized !== true && tag === null);
}

/** Directly below, and within a sentence. */
function goesOn(end: FootParagraph, next: FootParagraph): boolean {
  const [before, line] = [end.lines.at(-1), next.lines[0]];
  if (before === undefined || line === undefined) return false;
  const gap = line.top - before.bottom;
  return gap < before.bottom - before.top && gap > -1 && !ENDS_SENTENCE.test(before.text);
}

/** At the foot of the next page, in print of the same size, within a sentence. */
function goesOnOverPage(end: FootParagraph, next: FootParagraph): boolean {
  const [before, line] = [end.lines.at(-1), next.lines[0]];
  if (before === undefined || line === undefined || next.page !== end.page + 1) return false;
  return Math.abs(before.size - line.size) < SAME_SIZE_POINTS && !ENDS_SENTENCE.test(before.text);
}

const SAME_SIZE_POINTS = 0.5;

function raisedMarksOf({ lines }: FootParagraph): RaisedMark[] {
  return lines.flatMap(({ raised = [] }) => raised);
}

function textOf({ lines }: FootParagraph): string {
  return lines.map(({ text }) => text).join(' ');
}

function boxOf({ lines }: FootParagraph): Box {
  return {
    left: Math.min(...lines.map(({ left }) => left)),
    top: Math.min(...lines.map(({ top }) => top)),
    right: Math.max(...lines.map(({ right }) => right)),
    bottom: Math.max(...lines.map(({ bottom }) => bottom)),
  };
}

/**
 * Puts the tied marks of a joined text in brackets; other raised numbers become raised digits. `starts` are the offsets
 * of its lines; `moved` gives the new place of an offset.
 */
export function bracketMarks(
  text: string,
  lines: readonly PageLine[],
  starts: readonly number[],
  ties: ReadonlySet<RaisedMark>,
): { text: string; marks: InlineMark[]; moved: (at: number) => number } {
  const places: { start: number; end: number; name: string }[] = [];
  let shown = '';
  for (const [index, { raised = [] }] of lines.entries()) {
    for (const mark of raised) {
      const start = (starts[index] ?? 0) + mark.at;
      const end = start + mark.text.length;
      if (!text.startsWith(mark.text, start)) continue;
      if (ties.has(mark)) places.push({ start, end, name: mark.text.replace(BRACKETS, '') });
      else shown += text.slice(shown.length, start) + raisedText(mark.text);
    }
  }
  shown += text.slice(shown.length);
  let written = '';
  let end = 0;
  const marks: InlineMark[] = [];
  for (const place of places) {
    written += `${shown.slice(end, place.start)}[${place.name}]`;
    marks.push({ kind: 'footnote', start: written.length - place.name.length - 2, end: written.length });
    end = place.end;
  }
  const moved = (at: number) =>
    places.reduce((sum, { start, end: after, name }) => sum + (at > start ? name.length + 2 - (after - start) : 0), at);
  return { text: written + shown.slice(end), marks, moved };
}
