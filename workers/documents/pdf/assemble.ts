/** Pages to one document: headings, lists, tables, furniture, and paragraphs that go on over a page's end. */
import type { DocumentComment, PdfFacts } from '../../tasks.ts';
import type { Block, NormalizedDocument } from '../blocks.ts';
import { CAPTION } from './caption.ts';
import { continueTable, type OpenTable, openTable, printsHeadOf } from './continued-tables.ts';
import { findFurniture } from './headers-footers.ts';
import { Headings } from './headings.ts';
import { hyphenatedWords, joinCode, joinLines } from './join-lines.ts';
import { type ListMarker, listMarkerOf, markerApart } from './list-marker.ts';
import type { PageComment, PageLine, PdfPage } from './page-content.ts';
import { BEGINS_LOWER, ENDS_SENTENCE } from './sentence-ends.ts';

const NOTE_MARKER = /^\[?(\d{1,3}|[*†‡§])\]?\s*/u;
const CAPTION_CHARS_MAX = 600;

interface Paragraph {
  lines: PageLine[];
  page: number;
  /** Indexes in `lines` at which a new page begins. */
  breaks: Set<number>;
}
type Piece =
  | { kind: 'paragraph'; paragraph: Paragraph }
  | { kind: 'table'; open: OpenTable }
  | { kind: 'comment'; block: Block };

export interface AssembleOptions {
  facts: PdfFacts;
  includeComments: boolean;
  warnings: string[];
}

/** `pages` in order. */
export function assembleDocument(pages: readonly PdfPage[], options: AssembleOptions): NormalizedDocument {
  const { facts } = options;
  const furniture = findFurniture(pages);
  const { pieces, heads } = piecesOf(pages, furniture.lines, options.includeComments);
  const paragraphs = pieces.flatMap((piece) => (piece.kind === 'paragraph' ? [piece.paragraph.lines] : []));
  const headings = new Headings(paragraphs, facts.outline);
  const hyphenated = hyphenatedWords(paragraphs.flat());
  const body = pieces.map((piece) => {
    if (piece.kind === 'paragraph') return blockOf(piece.paragraph, headings, hyphenated);
    return piece.kind === 'table' ? piece.open.block : piece.block;
  });
  const furnitureAt = (place: 'header' | 'footer'): Block[] =>
    furniture.texts
      .filter((item) => item.place === place && !heads.has(item.text))
      .map((item) => ({ kind: 'page-furniture', ...item }));
  return {
    format: 'pdf',
    title: facts.title,
    author: facts.author,
    language: facts.language,
    pages: facts.pageCount,
    revisions: 'none',
    blocks: [...furnitureAt('header'), ...body, ...furnitureAt('footer')],
    comments: options.includeComments ? pages.flatMap(({ comments }) => comments.map(withoutPlace)) : [],
    changes: [],
    warnings: options.warnings,
  };
}

/** `heads` are the lines of the heads that tables over several pages print again, and so nobody's text. */
function piecesOf(
  pages: readonly PdfPage[],
  furniture: ReadonlySet<PageLine>,
  includeComments: boolean,
): { pieces: Piece[]; heads: ReadonlySet<string> } {
  const pieces: Piece[] = [];
  const heads = new Set<string>();
  for (const page of pages) {
    const continued = continuedParts(pieces, page, furniture, heads);
    for (const [index, part] of page.parts.slice(continued).entries()) {
      if (part.kind === 'table') {
        pieces.push({ kind: 'table', open: openTable(part, page) });
        continue;
      }
      const lines = part.lines.filter((line) => !furniture.has(line));
      if (lines.length === 0) continue;
      const isFirst = continued === 0 && isFirstText(page, index, furniture);
      const open = isFirst ? openParagraph(pieces, lines[0] as PageLine) : null;
      if (open !== null) {
        open.breaks.add(open.lines.length);
        open.lines.push(...lines);
      } else {
        pieces.push({ kind: 'paragraph', paragraph: { lines, page: page.number, breaks: new Set() } });
      }
    }
    if (includeComments) pieces.push(...commentsOf(page));
  }
  return { pieces, heads };
}

/** How many of the page's parts go on with the table that the page before ended with. Adds to `heads`. */
function continuedParts(
  pieces: readonly Piece[],
  page: PdfPage,
  furniture: ReadonlySet<PageLine>,
  heads: Set<string>,
): number {
  const last = pieces.findLast(({ kind }) => kind !== 'comment');
  const at = page.parts.findIndex(({ kind }) => kind === 'table');
  const part = page.parts[at];
  if (last?.kind !== 'table' || part?.kind !== 'table') return 0;
  const above = page.parts.slice(0, at).flatMap((one) => (one.kind === 'lines' ? one.lines : []));
  const own = above.filter((line) => !furniture.has(line));
  if (!continueTable(last.open, part, page, own)) return 0;
  for (const { text } of above) if (printsHeadOf(last.open, [text])) heads.add(text);
  return at + 1;
}

function isFirstText(page: PdfPage, index: number, furniture: ReadonlySet<PageLine>): boolean {
  return page.parts
    .slice(0, index)
    .every((part) => part.kind === 'lines' && part.lines.every((line) => furniture.has(line)));
}

function withoutPlace({ isShown: _, ...comment }: PageComment): DocumentComment {
  return comment;
}

/** A comment that is written over the page is a part of its text already. */
function commentsOf(page: PdfPage): Piece[] {
  const apart = page.comments.filter(({ isShown }) => isShown !== true);
  return apart.map(({ author, text, anchor }) => {
    const about = anchor === null ? '' : `“${anchor}”: `;
    const said = `${author === null ? '' : `${author}: `}${about}${text}`;
    return { kind: 'comment', block: { kind: 'comment', text: said, page: page.number } };
  });
}

/** The paragraph that the page before left in the middle of a sentence, if `line` can be its next one. */
function openParagraph(pieces: Piece[], line: PageLine): Paragraph | null {
  const last = pieces.at(-1);
  if (last?.kind !== 'paragraph' || !BEGINS_LOWER.test(line.text)) return null;
  const before = last.paragraph.lines.at(-1) as PageLine;
  const alike = Math.abs(before.size - line.size) < 1 && isText(before) && isText(line);
  return alike && !ENDS_SENTENCE.test(before.text) ? last.paragraph : null;
}

function isText({ tag, text }: PageLine): boolean {
  return (tag === null || tag.kind === 'paragraph') && listMarkerOf(text) === null;
}

function blockOf(paragraph: Paragraph, headings: Headings, hyphenated: ReadonlySet<string>): Block {
  const { lines, page, breaks } = paragraph;
  const tag = lines[0]?.tag ?? null;
  const { text, pageBreaks } = joinLines(lines, hyphenated, breaks);
  const inline = { text, page, ...(pageBreaks.length > 0 ? { pageBreaks } : {}) };
  const level = headings.levelOf(lines, text, page);
  if (level !== null) return { kind: 'heading', level, ...inline };
  if (tag?.kind === 'code') return { kind: 'code', text: joinCode(lines), page };
  if (tag?.kind === 'caption' || (text.length <= CAPTION_CHARS_MAX && CAPTION.test(text))) {
    return { kind: 'caption', ...inline };
  }
  const note = tag?.kind === 'note' ? NOTE_MARKER.exec(text) : null;
  if (note !== null) return { kind: 'note', marker: note[1] ?? '', text: text.slice(note[0].length), page };
  const marker = markerApart(lines.length > 1 ? (lines[0]?.text ?? '') : '', text);
  if (tag?.kind === 'list-item') return listItem(tag.depth, inline, marker);
  if (marker !== null && tag === null) return listItem(0, inline, marker);
  return { kind: 'paragraph', ...inline };
}

function listItem(
  depth: number,
  inline: { text: string; page: number; pageBreaks?: number[] },
  found: ListMarker | null,
): Block {
  const cutAt = found?.length ?? 0;
  const breaks = inline.pageBreaks?.map((at) => Math.max(0, at - cutAt));
  return {
    kind: 'list-item',
    depth,
    marker: found === null || found.bullet ? '•' : found.marker,
    text: inline.text.slice(cutAt),
    page: inline.page,
    ...(breaks === undefined ? {} : { pageBreaks: breaks }),
  };
}
