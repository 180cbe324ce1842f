/**
 * Running headers and footers: lines at a page edge that repeat at the same height on other pages. The document keeps
 * each once, and again where other numbers than the page's differ. Page numbers alone are dropped, because every chunk
 * carries its page.
 */

import type { PageLine, PdfPage } from './page-content.ts';
import { bodySizeOf } from './paragraphs.ts';
import { sameRow } from './reading-order.ts';

/** Height of the top and bottom zones for furniture, as a share of the page height. */
const EDGE_SHARE = 0.12;
/** The same for rows with a page number: wide margins, as TeX sets them, move them further in. */
const NUMBERED_EDGE_SHARE = 0.2;
/** Pages on which a line must repeat; in documents of two pages, both. */
const PAGES_MIN = 3;
const HEIGHT_STEP_POINTS = 4;
/** Relative to the body size; larger text at the top of pages starts chapters. */
const HEADING_SIZE = 1.15;
/** Largest distance in pages between two occurrences: left and right pages often differ. */
const PAGES_APART_MAX = 2;
/** Lines examined per edge and page. */
const EDGE_LINES_MAX = 4;
/** `7`, `- 7 -`, `Page 7 of 9`, `vii`. */
const PAGE_WORD = '(?:page|seite|p\\.|pag\\.?|página|pagina|str\\.)';
const OF_PAGES = '(?:\\s*(?:/|of|von|de|di|sur|\\|)\\s*\\d+)';
const PAGE_NUMBER = new RegExp(`^[^\\p{L}]{0,4}(?:${PAGE_WORD}\\s*)?[\\divxlc]+${OF_PAGES}?[^\\p{L}]{0,4}$`, 'iu');

const NUMBERS = /\d+/g;

export interface Furniture {
  /** Lines that are furniture. */
  lines: Set<PageLine>;
  /** Their texts, each once, in order of appearance; without page numbers. */
  texts: { place: 'header' | 'footer'; text: string; page: number }[];
  /** The lines that are not among the texts. */
  dropped: { line: PageLine; page: number }[];
}

interface Occurrence {
  line: PageLine;
  place: 'header' | 'footer';
  page: number;
  /** True if the page contains only lines at its edges. */
  alone: boolean;
}

export function findFurniture(pages: readonly PdfPage[]): Furniture {
  const seen = new Map<string, Occurrence[]>();
  const sizeMax = bodySizeOf(pages.flatMap(pageTextLines)) * HEADING_SIZE;
  for (const page of pages) {
    const counted = new Set<string>();
    const edges = edgeLines(page);
    const alone = page.parts.every((part) => part.kind === 'lines') && pageTextLines(page).length === edges.length;
    for (const { line, place } of edges) {
      if (line.size > sizeMax) continue;
      const key = `${place}|${heightFromEdge(line, page, place)}|${line.text.replace(/\d+/g, '#').toLowerCase()}`;
      if (counted.has(key)) continue;
      counted.add(key);
      const known = seen.get(key) ?? [];
      known.push({ line, page: page.number, place, alone });
      seen.set(key, known);
    }
  }
  const needed = Math.min(PAGES_MIN, Math.max(2, pages.length));
  const found: Furniture = { lines: new Set(), texts: [], dropped: [] };
  const heights = new Set<string>();
  for (const [key, repeated] of seen) {
    if (repeated.length >= needed && isPeriodic(repeated)) heights.add(edgePlaceOfKey(key));
  }
  for (const [key, all] of seen) {
    const repeated = all.filter((sighting) => !isOnlyText(sighting, all));
    const first = repeated[0];
    if (first === undefined) continue;
    // The header of a short chapter may repeat only once; its height must match other furniture.
    const enough = heights.has(edgePlaceOfKey(key)) ? 2 : Number.POSITIVE_INFINITY;
    if (first.line.tag?.kind !== 'artifact' && (repeated.length < enough || !isPeriodic(repeated))) continue;
    const shown = shownOnce(repeated);
    for (const { line, place, page } of repeated) {
      found.lines.add(line);
      if (shown.has(line)) found.texts.push({ place, text: line.text, page });
      else found.dropped.push({ line, page });
    }
  }
  addNumberedRows(pages, seen, found);
  return found;
}

/**
 * In numbered documents, a first or last row with the correct page number is furniture, together with the rest of the
 * row. This finds the number at the foot of a chapter's first page and the title of a one-page section.
 */
function addNumberedRows(
  pages: readonly PdfPage[],
  seen: ReadonlyMap<string, readonly Occurrence[]>,
  found: Furniture,
): void {
  const counts = new Map<number, number>();
  for (const { line, page } of [...seen.values()].flat()) {
    const number = found.lines.has(line) ? readPageNumber(line) : null;
    if (number !== null) counts.set(number - page, (counts.get(number - page) ?? 0) + 1);
  }
  const [offset, count] = [...counts].reduce((best, next) => (next[1] > best[1] ? next : best), [0, 0]);
  if (count < PAGES_MIN) return;
  const known = new Set(found.texts.map(({ place, text }) => `${place}|${text}`));
  for (const page of pages) {
    for (const place of ['header', 'footer'] as const) {
      const row = numberedRow(page, edgeParagraphs(page), place).flat();
      if (!row.some((line) => readPageNumber(line) === page.number + offset)) continue;
      for (const line of row) {
        const isNew = !PAGE_NUMBER.test(line.text) && !known.has(`${place}|${line.text}`);
        if (!found.lines.has(line)) {
          if (isNew) found.texts.push({ place, text: line.text, page: page.number });
          else found.dropped.push({ line, page: page.number });
        }
        known.add(`${place}|${line.text}`);
        found.lines.add(line);
      }
    }
  }
  found.texts.sort((a, b) => a.page - b.page);
}

/** One line of each text, apart from its page number. Lines that are only a page number are not shown. */
function shownOnce(repeated: readonly Occurrence[]): Set<PageLine> {
  const numbers = repeated.map(({ line }) => line.text.match(NUMBERS) ?? []);
  const countsPages = (numbers[0] ?? []).map((_, at) => {
    const steps = repeated.slice(1).map(({ page }, index) => {
      const grown = Number(numbers[index + 1]?.[at]) - Number(numbers[index]?.[at]);
      return grown === page - (repeated[index]?.page ?? page);
    });
    if (steps.length === 0) return Number(numbers[0]?.[at]) === repeated[0]?.page;
    return steps.filter(Boolean).length > steps.length / 2;
  });
  const shown = new Map<string, PageLine>();
  for (const { line } of repeated) {
    let at = -1;
    const key = line.text.replace(NUMBERS, (number) => {
      at += 1;
      return countsPages[at] === true ? '#' : number;
    });
    const isNumber = PAGE_NUMBER.test(line.text) && (countsPages.includes(true) || !/\d/.test(line.text));
    if (!isNumber && !shown.has(key)) shown.set(key, line);
  }
  return new Set(shown.values());
}

/** The page number in a line, in digits. */
function readPageNumber({ text }: PageLine): number | null {
  const digits = PAGE_NUMBER.test(text) ? /\d+/.exec(text) : null;
  return digits === null ? null : Number(digits[0]);
}

/** The edge and height at the start of a key. */
function edgePlaceOfKey(key: string): string {
  return key.split('|', 2).join('|');
}

/** Tickets and labels: the page has a single text at its top, which differs from other pages by a number only. */
function isOnlyText({ line, alone }: Occurrence, all: readonly Occurrence[]): boolean {
  if (!alone || line.tag?.kind === 'artifact' || PAGE_NUMBER.test(line.text)) return false;
  return all.some((other) => other.line.text !== line.text);
}

function pageTextLines(page: PdfPage): PageLine[] {
  return page.parts.flatMap((part) => (part.kind === 'lines' ? part.lines : []));
}

/** Furniture occurs on consecutive or every second page; text that repeats irregularly is content. */
function isPeriodic(repeated: readonly Occurrence[]): boolean {
  const near = repeated.filter(({ page }, index) => page - (repeated[index - 1]?.page ?? page) <= PAGES_APART_MAX);
  return near.length > repeated.length / 2;
}

/** In steps, measured from its edge, so that pages of different sizes compare. */
function heightFromEdge(line: PageLine, page: PdfPage, place: 'header' | 'footer'): number {
  const distance = place === 'header' ? line.top : page.height - line.bottom;
  return Math.round(distance / HEIGHT_STEP_POINTS);
}

/** Lines at the edges whose whole paragraph is there; a paragraph that continues into the page is text. */
function edgeLines(page: PdfPage): Pick<Occurrence, 'line' | 'place'>[] {
  const paragraphs = edgeParagraphs(page);
  const numberedRowAtEdge = (place: Occurrence['place']) => {
    const numbered = numberedRow(page, paragraphs, place);
    const isThere = (lines: PageLine[]) => lines.every((line) => edgeExtentShare(line, page, place) <= EDGE_SHARE);
    return paragraphs.filter((lines) => numbered.includes(lines) || isThere(lines)).flat();
  };
  const headers = numberedRowAtEdge('header').sort((a, b) => a.top - b.top);
  const footers = numberedRowAtEdge('footer').sort((a, b) => b.bottom - a.bottom);
  return [
    ...headers.slice(0, EDGE_LINES_MAX).map((line) => ({ line, place: 'header' as const })),
    ...footers.slice(0, EDGE_LINES_MAX).map((line) => ({ line, place: 'footer' as const })),
  ];
}

function edgeParagraphs(page: PdfPage): PageLine[][] {
  return page.parts.flatMap((part) => (part.kind === 'lines' && canBe(part.lines[0]) ? [part.lines] : []));
}

/** Distance that a line extends in from an edge, as a share of the page height. */
function edgeExtentShare(line: PageLine, page: PdfPage, place: Occurrence['place']): number {
  return (place === 'header' ? line.bottom : page.height - line.top) / page.height;
}

/** The paragraphs of the first or last row of the page if one of them is the page number. */
function numberedRow(page: PdfPage, paragraphs: PageLine[][], place: Occurrence['place']): PageLine[][] {
  const outermost = pageTextLines(page).reduce<PageLine | null>((best, line) => {
    const isFurther = best === null || (place === 'header' ? line.top < best.top : line.bottom > best.bottom);
    return isFurther ? line : best;
  }, null);
  if (outermost === null || edgeExtentShare(outermost, page, place) > NUMBERED_EDGE_SHARE) return [];
  const row = paragraphs.filter((lines) => lines.every((line) => sameRow(line, outermost)));
  return row.some((lines) => lines.some(({ text }) => PAGE_NUMBER.test(text))) ? row : [];
}

/** False for tagged headings, lists and captions. */
function canBe(line: PageLine | undefined): boolean {
  const kind = line?.tag?.kind;
  return kind === undefined || kind === 'paragraph' || kind === 'artifact';
}
