/**
 * Running headers and footers: lines at a page's edge that come back, at the same height, on other pages. Each is kept
 * once for the document; page numbers alone are dropped, since every chunk carries its page.
 */
import { bodySizeOf } from './headings.ts';
import type { PageLine, PdfPage } from './page-content.ts';
import { sameRow } from './reading-order.ts';

/** Share of a page's height, at the top and at the bottom, in which furniture stands. */
const EDGE_SHARE = 0.12;
/** Such a share where a page number stands in the row: wide margins, as TeX sets them, push it further in. */
const NUMBERED_EDGE_SHARE = 0.2;
/** Pages on which a line must come back; in documents of two pages, both. */
const PAGES_MIN = 3;
const HEIGHT_STEP_POINTS = 4;
/** Of the body's size; larger text at the top of pages begins chapters. */
const HEADING_SIZE = 1.15;
/** Pages between two sightings: left and right pages often differ. */
const PAGES_APART_MAX = 2;
/** Lines at one edge of one page that are looked at. */
const EDGE_LINES_MAX = 4;
/** `7`, `- 7 -`, `Page 7 of 9`, `vii`. */
const PAGE_WORD = '(?:page|seite|p\\.|pag\\.?|página|pagina|str\\.)';
const OF_PAGES = '(?:\\s*(?:/|of|von|de|di|sur|\\|)\\s*\\d+)';
const PAGE_NUMBER = new RegExp(`^[^\\p{L}]{0,4}(?:${PAGE_WORD}\\s*)?[\\divxlc]+${OF_PAGES}?[^\\p{L}]{0,4}$`, 'iu');

export interface Furniture {
  /** Lines that are furniture and not text. */
  lines: Set<PageLine>;
  /** Their texts, each once, in order of appearance; without page numbers. */
  texts: { place: 'header' | 'footer'; text: string; page: number }[];
}

interface Sighting {
  line: PageLine;
  place: 'header' | 'footer';
  page: number;
  /** The page holds nothing but lines at its edges. */
  alone: boolean;
}

export function findFurniture(pages: readonly PdfPage[]): Furniture {
  const seen = new Map<string, Sighting[]>();
  const sizeMax = bodySizeOf(pages.flatMap(linesOf)) * HEADING_SIZE;
  for (const page of pages) {
    const counted = new Set<string>();
    const edges = edgeLines(page);
    const alone = page.parts.every((part) => part.kind === 'lines') && linesOf(page).length === edges.length;
    for (const { line, place } of edges) {
      if (line.size > sizeMax) continue;
      const key = `${place}|${heightOf(line, page, place)}|${line.text.replace(/\d+/g, '#').toLowerCase()}`;
      if (counted.has(key)) continue;
      counted.add(key);
      const known = seen.get(key) ?? [];
      known.push({ line, page: page.number, place, alone });
      seen.set(key, known);
    }
  }
  const needed = Math.min(PAGES_MIN, Math.max(2, pages.length));
  const found: Furniture = { lines: new Set(), texts: [] };
  const heights = new Set<string>();
  for (const [key, repeated] of seen) {
    if (repeated.length >= needed && runsOn(repeated)) heights.add(placeOf(key));
  }
  for (const [key, all] of seen) {
    const repeated = all.filter((sighting) => !isAllThereIs(sighting, all));
    const first = repeated[0];
    if (first === undefined) continue;
    // A short chapter's header comes back only once, but where the others stand.
    const enough = heights.has(placeOf(key)) ? 2 : Number.POSITIVE_INFINITY;
    if (first.line.tag?.kind !== 'artifact' && (repeated.length < enough || !runsOn(repeated))) continue;
    for (const { line } of repeated) found.lines.add(line);
    if (!PAGE_NUMBER.test(first.line.text)) {
      found.texts.push({ place: first.place, text: first.line.text, page: first.page });
    }
  }
  addNumberedRows(pages, seen, found);
  return found;
}

/**
 * Where pages are numbered, a first or last row with the right number is furniture, with what stands beside it: the
 * number at the foot of a chapter's first page, and the title of a section that is over by the next page.
 */
function addNumberedRows(
  pages: readonly PdfPage[],
  seen: ReadonlyMap<string, readonly Sighting[]>,
  found: Furniture,
): void {
  const counts = new Map<number, number>();
  for (const { line, page } of [...seen.values()].flat()) {
    const number = found.lines.has(line) ? numberOf(line) : null;
    if (number !== null) counts.set(number - page, (counts.get(number - page) ?? 0) + 1);
  }
  const [offset, count] = [...counts].reduce((best, next) => (next[1] > best[1] ? next : best), [0, 0]);
  if (count < PAGES_MIN) return;
  const known = new Set(found.texts.map(({ place, text }) => `${place}|${text}`));
  for (const page of pages) {
    for (const place of ['header', 'footer'] as const) {
      const row = numberedRow(page, edgeParagraphs(page), place).flat();
      if (!row.some((line) => numberOf(line) === page.number + offset)) continue;
      for (const line of row) {
        const isNew = !PAGE_NUMBER.test(line.text) && !known.has(`${place}|${line.text}`);
        if (isNew && !found.lines.has(line)) found.texts.push({ place, text: line.text, page: page.number });
        known.add(`${place}|${line.text}`);
        found.lines.add(line);
      }
    }
  }
  found.texts.sort((a, b) => a.page - b.page);
}

/** The number that is a page's, in digits. */
function numberOf({ text }: PageLine): number | null {
  const digits = PAGE_NUMBER.test(text) ? /\d+/.exec(text) : null;
  return digits === null ? null : Number(digits[0]);
}

/** The place and height that a key begins with. */
function placeOf(key: string): string {
  return key.split('|', 2).join('|');
}

/** Tickets and labels: a page says one thing at its top, like the others but for a number, and nothing else. */
function isAllThereIs({ line, alone }: Sighting, all: readonly Sighting[]): boolean {
  if (!alone || line.tag?.kind === 'artifact' || PAGE_NUMBER.test(line.text)) return false;
  return all.some((other) => other.line.text !== line.text);
}

function linesOf(page: PdfPage): PageLine[] {
  return page.parts.flatMap((part) => (part.kind === 'lines' ? part.lines : []));
}

/** Furniture stands on page after page, or on every other one; what comes back now and then is text. */
function runsOn(repeated: readonly Sighting[]): boolean {
  const near = repeated.filter(({ page }, index) => page - (repeated[index - 1]?.page ?? page) <= PAGES_APART_MAX);
  return near.length > repeated.length / 2;
}

/** By steps, and from the edge it belongs to, so that pages of different sizes compare. */
function heightOf(line: PageLine, page: PdfPage, place: 'header' | 'footer'): number {
  const distance = place === 'header' ? line.top : page.height - line.bottom;
  return Math.round(distance / HEIGHT_STEP_POINTS);
}

/** Lines at the edges, of paragraphs that stand there whole: one that goes on into the page is text. */
function edgeLines(page: PdfPage): Pick<Sighting, 'line' | 'place'>[] {
  const paragraphs = edgeParagraphs(page);
  const at = (place: Sighting['place']) => {
    const numbered = numberedRow(page, paragraphs, place);
    const isThere = (lines: PageLine[]) => lines.every((line) => shareOf(line, page, place) <= EDGE_SHARE);
    return paragraphs.filter((lines) => numbered.includes(lines) || isThere(lines)).flat();
  };
  const headers = at('header').sort((a, b) => a.top - b.top);
  const footers = at('footer').sort((a, b) => b.bottom - a.bottom);
  return [
    ...headers.slice(0, EDGE_LINES_MAX).map((line) => ({ line, place: 'header' as const })),
    ...footers.slice(0, EDGE_LINES_MAX).map((line) => ({ line, place: 'footer' as const })),
  ];
}

function edgeParagraphs(page: PdfPage): PageLine[][] {
  return page.parts.flatMap((part) => (part.kind === 'lines' && canBe(part.lines[0]) ? [part.lines] : []));
}

/** How far, as a share of the page's height, a line reaches in from an edge. */
function shareOf(line: PageLine, page: PdfPage, place: Sighting['place']): number {
  return (place === 'header' ? line.bottom : page.height - line.top) / page.height;
}

/** The paragraphs of the page's first or last row where one of them is the number of the page. */
function numberedRow(page: PdfPage, paragraphs: PageLine[][], place: Sighting['place']): PageLine[][] {
  const outermost = linesOf(page).reduce<PageLine | null>((best, line) => {
    const isFurther = best === null || (place === 'header' ? line.top < best.top : line.bottom > best.bottom);
    return isFurther ? line : best;
  }, null);
  if (outermost === null || shareOf(outermost, page, place) > NUMBERED_EDGE_SHARE) return [];
  const row = paragraphs.filter((lines) => lines.every((line) => sameRow(line, outermost)));
  return row.some((lines) => lines.some(({ text }) => PAGE_NUMBER.test(text))) ? row : [];
}

/** What the document itself calls a heading, list or caption is none. */
function canBe(line: PageLine | undefined): boolean {
  const kind = line?.tag?.kind;
  return kind === undefined || kind === 'paragraph' || kind === 'artifact';
}
