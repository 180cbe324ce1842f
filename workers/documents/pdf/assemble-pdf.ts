import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  DocumentComment,
  RecognizedLine,
  RecognizedTable,
} from '../../../src-server/features/documents/schema.ts';
import { itemAt } from '../../../src-server/platform/item-at.ts';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { parseOwnJson } from '../../../src-server/platform/own-json.ts';
import type { TaskContext } from '../../../src-server/platform/pool/worker-pool.ts';
import { listedUpTo, type Said, say } from '../../../src-server/platform/text/say.ts';
import type { Block, CellMark, InlineMark, NormalizedDocument, PlacedLine } from '../blocks.ts';
import { finishDocument } from '../finish-document.ts';
import { guessLanguage } from '../language.ts';
import { CONFIDENCE_MIN } from '../ocr/confidence.ts';
import { type IsWord, openWordList } from '../ocr/word-list.ts';
import { SourceLedger } from '../source-ledger.ts';
import type { AssemblePdfInput, ExtractDocumentOutput, PdfFacts, RecognizedPage, WordList } from '../tasks.ts';
import { codeText, continuesCode, continuesSentence, hasCode, isCode, isCodeRow } from './code.ts';
import { DividedWords } from './divided-words.ts';
import { bracketMarks, type Footnotes, type FootPage, findFootnotes } from './footnotes.ts';
import { findFurniture } from './headers-footers.ts';
import { Headings } from './headings.ts';
import { appendNextLine, areLinesApart, joinCode, joinLines } from './join-lines.ts';
import { placedBox, placedLines, startsIn } from './line-boxes.ts';
import { joinLinks, linksInText } from './linked-text.ts';
import { findListItems } from './list-counts.ts';
import { ListDepths } from './list-depths.ts';
import { countMeaningfulLetters, meaninglessTexts } from './meaning.ts';
import type { Box, PageComment, PageLine, PagePart, PdfPage, RaisedWord } from './page-content.ts';
import { doubtsOfPages, flatNumberWarnings, unsureWordsOf } from './page-doubts.ts';
import { leftOutPageTexts, pagePlaceName, textsOfParts } from './page-letters.ts';
import { beginsWithInitials } from './paper-sections.ts';
import {
  BEGINS_LOWER,
  bodySizeOf,
  ENDS_SENTENCE,
  isCaption,
  LETTER_BULLET,
  type ListMarker,
  listMarkerOf,
  markerApart,
} from './paragraphs.ts';
import { addPictureLinks } from './picture-links.ts';
import { sameRow } from './reading-order.ts';
import { stressMarks } from './stressed-text.ts';
import { notesUnder, tieCells } from './table-notes.ts';

const STAGE = 'assembling';

const READ_PERCENT = 50;

const CUT_PERCENT = 80;

/** Recognised pages, one per line, with confidences and boxes. Written only if pages were recognised. */
const OCR_FILE = 'ocr.jsonl';

/** Joins the pages and writes the document's files. Errors: `cancelled`. */
export async function assemblePdf(input: AssemblePdfInput, context: TaskContext): Promise<ExtractDocumentOutput> {
  const { signal } = context;
  const recognized = new Map<number, RecognizedPage>();
  for (const path of input.recognizedPaths) {
    const page = await readTaskJson<RecognizedPage>(path, signal);
    recognized.set(page.number, page);
  }
  if (recognized.size > 0) {
    const lines = [...recognized.values()].map((page) => `${JSON.stringify(page)}\n`);
    await writeFile(join(input.outputFolder, OCR_FILE), lines.join(''), { signal });
  }
  const pages: PdfPage[] = [];
  for (const path of input.pagesPaths) {
    for (const page of await readTaskJson<PdfPage[]>(path, signal)) {
      const text = recognized.get(page.number);
      pages.push(text === undefined ? page : withRecognizedText(page, text));
    }
  }
  context.progress(READ_PERCENT, STAGE, say`Joining the pages`);
  const ledger = new SourceLedger();
  for (const page of input.damagedPages)
    ledger.recordLeftOutText({ reason: 'damaged', where: pagePlaceName(page), text: '' });
  const document = assembleDocument(pages, {
    facts: input.facts,
    includeComments: input.includeComments,
    warnings: [...pdfAssemblyWarnings(input), ...input.warnings],
    ledger,
    language: input.language,
    wordLists: input.wordLists,
  });
  const origin = { fileName: input.fileName, sha256: await sha256Of(input.sourcePath, signal) };
  return finishDocument(document, { ...input, origin, ledger }, () => {
    context.progress(CUT_PERCENT, STAGE, say`Cutting into chunks`);
    signal.throwIfAborted();
  });
}

async function sha256Of(path: string, signal: AbortSignal): Promise<string> {
  const sum = createHash('sha256');
  for await (const piece of createReadStream(path, { signal })) sum.update(piece as Buffer);
  return sum.digest('hex');
}

/** Parses without validation: the job's own tasks wrote the files. */
async function readTaskJson<Value>(path: string, signal: AbortSignal): Promise<Value> {
  return parseOwnJson<Value>(await readFile(path, { encoding: 'utf8', signal }));
}

function pdfAssemblyWarnings({ facts, damagedPages }: AssemblePdfInput): Said[] {
  const warnings: Said[] = [];
  if (facts.repaired) warnings.push(say`The file is damaged; only the recoverable part was read.`);
  if (damagedPages.length > 0) warnings.push(say`Damaged pages that could not be read: ${damagedPages.join(', ')}.`);
  return warnings;
}

/** Joins pages into one document: headings, lists, tables, furniture, and paragraphs across page ends. */
const NOTE_MARKER = /^\[?(\d{1,3}|[*†‡§])\]?\s*/u;

const CAPTION_CHARS_MAX = 600;

interface Paragraph {
  lines: PageLine[];
  page: number;
  /** Indexes in `lines` at which a new page starts. */
  breaks: Set<number>;
}

type Piece =
  | { kind: 'paragraph'; paragraph: Paragraph }
  | { kind: 'table'; open: OpenTable }
  | { kind: 'comment'; block: Block };

export interface AssembleOptions {
  facts: PdfFacts;
  includeComments: boolean;
  warnings: Said[];
  /** Receives the letters of the pages, and those that are left out here. */
  ledger: SourceLedger;
  /** As the request states it. */
  language?: string | null;
  wordLists?: readonly WordList[];
}

/** Takes the pages in order. */
export function assembleDocument(pages: readonly PdfPage[], options: AssembleOptions): NormalizedDocument {
  const { facts, ledger } = options;
  const { doubts, warnings } = doubtsOfPages(pages);
  for (const page of pages) {
    ledger.addOwedText(pagePlaceName(page.number), page.source ?? textsOfParts(page.parts).join('\n'));
    for (const entry of page.leftOut ?? []) ledger.recordLeftOutText(entry);
  }
  leaveOutBesidePages(ledger, facts);
  const furniture = findFurniture(pages);
  const { pieces: all, heads, repeated } = splitPagesIntoPieces(pages, furniture.lines, options.includeComments);
  const isTyped = !hasCode(paragraphLinesOf(all));
  const coded = isTyped ? all : withWholeCode(all);
  const { pieces: tied, markers, flat } = withTableNotes(coded);
  const foot = findFootnotes(footPagesOf(tied, pages, markers), bodySizeOf(paragraphLinesOf(tied)));
  const notes = { ...foot, markers: new Map([...foot.markers, ...markers]) };
  const pieces = withWholeTexts(withWholeNotes(tied, notes), notes);
  const paragraphs = pieces.flatMap((piece) => (piece.kind === 'paragraph' ? [piece.paragraph.lines] : []));
  const headings = new Headings(paragraphs, facts.outline);
  const words = new DividedWords(paragraphs.flat(), dictionaryOf(paragraphs.flat(), options));
  const items = listItemsOf(paragraphs);
  const depths = new ListDepths();
  // A bullet of Word is a letter, and becomes a bullet.
  for (const lines of paragraphs) if (lines[0]?.text === LETTER_BULLET) ledger.holdsBeside(LETTER_BULLET);
  const body = pieces.map((piece) => {
    if (piece.kind === 'comment') return piece.block;
    if (piece.kind === 'table') depths.endListDepths();
    if (piece.kind === 'table') return piece.open.block;
    const { lines } = piece.paragraph;
    if (!isTyped && isCode(lines) && !headings.isTitleLike(lines))
      return pdfCodeBlock(codeText(lines), piece.paragraph);
    return withListDepth(pdfParagraphBlock(piece.paragraph, { headings, words, notes, items }), lines, depths);
  });
  addPictureLinks(body, pages);
  const furnitureAt = (place: 'header' | 'footer'): Block[] =>
    furniture.texts
      .filter((item) => item.place === place && !heads.has(item.text))
      .map((item) => ({ kind: 'page-furniture', ...item }));
  const dropped = furniture.dropped.map(({ line, page }) => ({ text: line.text, page }));
  const printed = furniture.texts.filter(({ text }) => heads.has(text));
  leaveOutRepeated(ledger, [...dropped, ...printed, ...repeated]);
  return {
    format: 'pdf',
    title: facts.title,
    author: facts.author,
    language: facts.language,
    pages: facts.pageCount,
    pageSizes: pages.map(({ width, height }) => [width, height]),
    revisions: 'none',
    blocks: [...furnitureAt('header'), ...body, ...furnitureAt('footer')],
    comments: options.includeComments ? pages.flatMap(({ comments }) => comments.map(withoutPlace)) : [],
    changes: [],
    ...omitUndefined({ doubts }),
    warnings: [
      ...options.warnings,
      ...warnings,
      ...flatNumberWarnings(flat),
      ...turnedWarnings(pages),
      ...drawingWarnings(pages),
      ...extrasWarnings(pages),
      ...fileWarnings(pages, facts),
    ],
  };
}

/** The ledger warns of a form. */
function leaveOutBesidePages(ledger: SourceLedger, { undrawnForm = '', figureTexts = '' }: PdfFacts): void {
  const parts = [
    { reason: 'unsupported-part', where: 'form (XFA)', text: undrawnForm },
    { reason: 'embedded-picture', where: 'descriptions of pictures', text: figureTexts },
  ] as const;
  for (const part of parts) {
    if (part.text === '') continue;
    ledger.addOwedText(part.where, part.text);
    ledger.recordLeftOutText(part);
  }
}

/** A text that the document prints again on a page. */
interface RepeatedText {
  text: string;
  page: number;
}

/** One entry for each text, whose numbers may differ. */
function leaveOutRepeated(ledger: SourceLedger, repeated: readonly RepeatedText[]): void {
  const groups = Map.groupBy(repeated, ({ text }) => text.replace(/\d+/g, '#'));
  for (const group of groups.values()) {
    const pages = group.map(({ page }) => page);
    const [first, last] = [Math.min(...pages), Math.max(...pages)];
    const where = first === last ? pagePlaceName(first) : `pages ${first}–${last}`;
    const text = group.map((one) => one.text).join('\n');
    ledger.recordLeftOutText({ reason: 'repeated-header-or-footer', where, text, sample: group[0]?.text ?? '' });
  }
}

/** Pages named in one warning. */
const NAMED_PAGES_MAX = 20;

function turnedWarnings(pages: readonly PdfPage[]): Said[] {
  const numbers = pages.filter(({ hasTurnedText }) => hasTurnedText === true).map(({ number }) => number);
  if (numbers.length === 0) return [];
  const named = listedUpTo(numbers, NAMED_PAGES_MAX);
  return numbers.length === 1
    ? [say`Page ${named} has text that runs up or down beside text that runs across; its order may be wrong.`]
    : [say`Pages ${named} have text that runs up or down beside text that runs across; its order may be wrong.`];
}

function drawingWarnings(pages: readonly PdfPage[]): Said[] {
  const numbers = pages.filter(({ isDrawing }) => isDrawing === true).map(({ number }) => number);
  if (numbers.length === 0) return [];
  const named = listedUpTo(numbers, NAMED_PAGES_MAX);
  return numbers.length === 1
    ? [say`Page ${named} has too many lines and shapes to look for the rules of tables; its tables may be text.`]
    : [say`Pages ${named} have too many lines and shapes to look for the rules of tables; its tables may be text.`];
}

/** Attached files are no part of the text, and their reader may not be this one. */
function fileWarnings(pages: readonly PdfPage[], { files = [] }: PdfFacts): Said[] {
  const names = [...new Set([...files, ...pages.flatMap((page) => page.files ?? [])])];
  if (names.length === 0) return [];
  const named = names.map((name) => (name === '' ? say`one without a name` : `"${name}"`));
  const list = listedUpTo(named, NAMED_PAGES_MAX);
  return [say`Attached files are not read: ${list}. Save them and send them one by one.`];
}

function extrasWarnings(pages: readonly PdfPage[]): Said[] {
  const cut = pages.filter(({ unreadExtras }) => unreadExtras !== undefined);
  return cut.slice(0, NAMED_PAGES_MAX).map(({ number, unreadExtras = 0 }) => {
    return unreadExtras === 1
      ? say`Page ${number}: 1 field or note beyond the limit of a page was not read in full.`
      : say`Page ${number}: ${unreadExtras} fields or notes beyond the limit of a page were not read in full.`;
  });
}

function paragraphLinesOf(pieces: readonly Piece[]): PageLine[] {
  return pieces.flatMap((piece) => (piece.kind === 'paragraph' ? piece.paragraph.lines : []));
}

/** The paragraphs of a block of code as one, also over the end of a page. */
function withWholeCode(pieces: readonly Piece[]): Piece[] {
  const whole: Piece[] = [];
  let pageBefore = 0;
  for (const piece of pieces) {
    const last = whole.at(-1);
    const page = pageOfPiece(piece);
    const lines = piece.kind === 'paragraph' && isCode(piece.paragraph.lines) ? piece.paragraph.lines : null;
    const code = last?.kind === 'paragraph' && isCode(last.paragraph.lines) ? last.paragraph.lines : null;
    const isPart = page === pageBefore ? continuesCode(code, lines) : page === pageBefore + 1;
    if (last?.kind === 'paragraph' && lines !== null && code !== null && isPart) {
      if (page !== pageBefore) last.paragraph.breaks.add(code.length);
      code.push(...lines);
    } else {
      whole.push(piece);
    }
    pageBefore = page;
  }
  return withInlineCode(whole);
}

/** A single row of code directly below text belongs to its sentence; pieces of a row far apart belong to columns. */
function withInlineCode(pieces: readonly Piece[]): Piece[] {
  const whole: Piece[] = [];
  for (const piece of pieces) {
    const last = whole.at(-1);
    const row = piece.kind === 'paragraph' && isCodeRow(piece.paragraph.lines) ? piece.paragraph.lines : null;
    if (row === null) {
      whole.push(piece);
      continue;
    }
    const isSentence = last?.kind === 'paragraph' && continuesSentence(last.paragraph.lines, row);
    if (isSentence || row.length > 1) for (const line of row) delete line.mono;
    if (isSentence) last.paragraph.lines.push(...row);
    else whole.push(piece);
  }
  return whole;
}

function pageOfPiece(piece: Piece): number {
  if (piece.kind === 'paragraph') return piece.paragraph.page;
  return piece.kind === 'table' ? piece.open.page.number : piece.block.page;
}

/** The block with the depth of its list item, if tags do not state it. */
function withListDepth(block: Block, lines: readonly PageLine[], depths: ListDepths): Block {
  const [first] = lines;
  if (first === undefined || first.tag?.kind === 'list-item') return block;
  if (block.kind === 'list-item') return { ...block, depth: depths.listItemDepth(first, block.page) };
  if (block.kind === 'heading') depths.endListDepths();
  else depths.passText(first);
  return block;
}

/**
 * `heads` are the repeated head lines of tables across pages, which are left out of the text; `repeated` has them,
 * apart from furniture, and repeated head rows.
 */
function splitPagesIntoPieces(
  pages: readonly PdfPage[],
  furniture: ReadonlySet<PageLine>,
  includeComments: boolean,
): { pieces: Piece[]; heads: ReadonlySet<string>; repeated: RepeatedText[] } {
  const pieces: Piece[] = [];
  const heads = new Set<string>();
  const repeated: RepeatedText[] = [];
  for (const page of pages) {
    const continued = continuedParts(pieces, page, furniture, { heads, repeated });
    for (const [index, part] of page.parts.slice(continued).entries()) {
      if (part.kind === 'table') {
        pieces.push({ kind: 'table', open: openTable(part, page) });
        continue;
      }
      const lines = part.lines.filter((line) => !furniture.has(line));
      if (lines.length === 0) continue;
      const isFirst = continued === 0 && isFirstText(page, index, furniture);
      const open = isFirst ? continuedParagraph(pieces, itemAt(lines, 0)) : null;
      if (open !== null) {
        open.breaks.add(open.lines.length);
        open.lines.push(...lines);
      } else {
        pieces.push({ kind: 'paragraph', paragraph: { lines, page: page.number, breaks: new Set() } });
      }
    }
    if (includeComments) pieces.push(...commentsOf(page));
  }
  return { pieces, heads, repeated };
}

/** Count of the page's parts that continue the last table of the page before. Adds to `found`. */
function continuedParts(
  pieces: readonly Piece[],
  page: PdfPage,
  furniture: ReadonlySet<PageLine>,
  found: { heads: Set<string>; repeated: RepeatedText[] },
): number {
  const last = pieces.findLast(({ kind }) => kind !== 'comment');
  const at = page.parts.findIndex(({ kind }) => kind === 'table');
  const part = page.parts[at];
  if (last?.kind !== 'table' || part?.kind !== 'table') return 0;
  const above = page.parts.slice(0, at).flatMap((one) => (one.kind === 'lines' ? one.lines : []));
  const own = above.filter((line) => !furniture.has(line));
  // A text that has only some of the head's words is a text of its own.
  if (own.length > 0 && !coversHead(last.open, above)) return 0;
  const head = continueTable(last.open, part, page, own);
  if (head === null) return 0;
  for (const { text } of above) if (printsHeadOf(last.open, [text])) found.heads.add(text);
  const again = [...own.map(({ text }) => text), ...part.rows.slice(0, head).map((row) => row.join('\n'))];
  for (const text of again) found.repeated.push({ text, page: page.number });
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

/** Skips comments typed over the page, which are already in its text. */
function commentsOf(page: PdfPage): Piece[] {
  const apart = page.comments.filter(({ isShown }) => isShown !== true);
  return apart.map(({ author, text, anchor }) => {
    const about = anchor === null ? '' : `“${anchor}”: `;
    const comment = `${author === null ? '' : `${author}: `}${about}${text}`;
    return { kind: 'comment', block: { kind: 'comment', text: comment, page: page.number } };
  });
}

/** The unfinished paragraph of the page before, if `line` can continue it. */
function continuedParagraph(pieces: Piece[], line: PageLine): Paragraph | null {
  const last = pieces.at(-1);
  if (last?.kind !== 'paragraph' || !BEGINS_LOWER.test(line.text)) return null;
  const before = itemAt(last.paragraph.lines, -1);
  const alike = Math.abs(before.size - line.size) < 1 && isText(before) && isText(line);
  return alike && !ENDS_SENTENCE.test(before.text) ? last.paragraph : null;
}

function isText({ tag, text }: PageLine): boolean {
  return (tag === null || tag.kind === 'paragraph') && listMarkerOf(text) === null;
}

interface DocumentFindings {
  headings: Headings;
  words: DividedWords;
  notes: Footnotes<Paragraph>;
  /** Untagged paragraphs that begin with the marker of an item. */
  items: ReadonlySet<readonly PageLine[]>;
}

/** The dictionary of the document's language, if a line ends in a hyphen. */
function dictionaryOf(lines: readonly PageLine[], { wordLists = [], language, facts }: AssembleOptions): IsWord | null {
  if (wordLists.length === 0 || !lines.some(({ text }) => ENDS_IN_HYPHEN.test(text))) return null;
  const stated = language ?? facts.language ?? guessLanguage(sampleOf(lines));
  const list = wordLists.find((one) => one.language === stated?.toLowerCase().split('-', 1)[0]);
  return list === undefined ? null : openWordList(list.path);
}

const ENDS_IN_HYPHEN = /\p{L}[-\u2010]$/u;

const SAMPLE_LINES = 200;

function sampleOf(lines: readonly PageLine[]): string {
  return lines
    .slice(0, SAMPLE_LINES)
    .map(({ text }) => text)
    .join(' ');
}

function listItemsOf(paragraphs: readonly PageLine[][]): Set<readonly PageLine[]> {
  const untagged = paragraphs.filter(([first]) => first?.tag === null);
  const found = findListItems(
    untagged.map((lines) => ({
      text: lines.map(({ text }) => text).join(' '),
      left: lines[0]?.left ?? 0,
      size: lines[0]?.size ?? 0,
    })),
  );
  return new Set(untagged.filter((_, at) => found.has(at)));
}

function pdfParagraphBlock(paragraph: Paragraph, { headings, words, notes, items }: DocumentFindings): Block {
  const { lines, page, breaks } = paragraph;
  const tag = lines[0]?.tag ?? null;
  const joined = joinLines(lines, words, breaks);
  const { text, marks, moved } = bracketMarks(joined.text, lines, joined.starts, notes.ties);
  const placed = { lines: placedLines(lines, joined.starts.map(moved), page, breaks) };
  const place = (mark: InlineMark) => ({ ...mark, start: moved(mark.start), end: moved(mark.end) });
  const formulas = formulaMarks(joined, lines);
  const found = [...linkMarks(joined, lines), ...stressMarks(joined, lines, formulas), ...formulas].map(place);
  const allMarks = [...found, ...marks].sort((one, other) => one.start - other.start || other.end - one.end);
  const inline = {
    text,
    page,
    ...placed,
    ...omitUndefined({
      pageBreaks: joined.pageBreaks.length > 0 ? joined.pageBreaks.map(moved) : undefined,
      marks: allMarks.length > 0 ? allMarks : undefined,
    }),
  };
  if (tag?.kind === 'formula') return formulaBlock(inline, tag.latex);
  const foot = notes.markers.get(paragraph);
  if (foot !== undefined) return noteBlock(foot.marker, inline, foot.length);
  const level = headings.pdfHeadingLevel(lines, text, page);
  if (level !== null) return { kind: 'heading', level, ...withoutStress(inline) };
  if (tag?.kind === 'code') return pdfCodeBlock(joinCode(lines), paragraph);
  if (tag?.kind === 'caption' || (text.length <= CAPTION_CHARS_MAX && isCaption(text))) {
    return { kind: 'caption', ...inline };
  }
  const note = tag?.kind === 'note' ? NOTE_MARKER.exec(text) : null;
  if (note !== null) return noteBlock(note[1] ?? '', inline, note[0].length);
  const marker = markerApart(lines.length > 1 ? (lines[0]?.text ?? '') : '', text);
  if (tag?.kind === 'list-item') return listItem(tag.depth, inline, marker);
  const isItem = marker !== null && (items.has(lines) || marker.marker === LETTER_BULLET);
  if (isItem && tag === null && !beginsWithInitials(text)) return listItem(0, inline, marker);
  return { kind: 'paragraph', ...inline, text: withLineEnds(text, lines, joined.starts.map(moved)) };
}

/** The text with the line ends that are its own, as in an address. `starts` are the offsets of the lines. */
function withLineEnds(text: string, lines: readonly PageLine[], starts: readonly number[]): string {
  if (!areLinesApart(lines)) return text;
  const begins = starts.filter((_, at) => {
    const [before, line] = [lines[at - 1], lines[at]];
    return before !== undefined && line !== undefined && !sameRow(before, line);
  });
  const ends = new Set(begins.map((start) => start - 1));
  return [...text.matchAll(/./gsu)]
    .map(({ 0: character, index }) => (ends.has(index) && character === ' ' ? '\n' : character))
    .join('');
}

/** The formulas within the sentences of lines whose text is joined. */
function formulaMarks(
  { text, starts }: { text: string; starts: readonly number[] },
  lines: readonly PageLine[],
): InlineMark[] {
  return lines.flatMap(({ text: own, formulas = [] }, index) =>
    formulas.flatMap(({ start, end, latex }): InlineMark[] => {
      const from = (starts[index] ?? 0) + start;
      const isThere = text.startsWith(own.slice(start, end), from);
      return isThere ? [{ kind: 'formula', start: from, end: from + end - start, latex }] : [];
    }),
  );
}

/** The links of lines whose text is joined. */
function linkMarks({ text, starts }: { text: string; starts: readonly number[] }, lines: readonly PageLine[]) {
  const marks = lines.flatMap((line, index) => linksInText(text, line, starts[index] ?? 0));
  return marks.length === 0 ? marks : joinLinks(text, marks);
}

/** Fonts of headings are their own. */
function withoutStress({ marks = [], ...rest }: PdfInline): PdfInline {
  const kept = marks.filter(({ kind }) => kind !== 'strong' && kind !== 'emphasis');
  return kept.length === 0 ? rest : { ...rest, marks: kept };
}

function formulaBlock(inline: PdfInline, latex: string): Block {
  const marks: InlineMark[] = [{ kind: 'formula', start: 0, end: inline.text.length, latex }];
  return { kind: 'paragraph', ...inline, marks };
}

function pdfCodeBlock(text: string, { lines, page, breaks }: Paragraph): Block {
  return { kind: 'code', text, page, lines: placedLines(lines, startsIn(text, lines), page, breaks) };
}

interface PdfInline {
  text: string;
  page: number;
  lines: PlacedLine[];
  pageBreaks?: number[];
  marks?: InlineMark[];
}

function listItem(depth: number, inline: PdfInline, found: ListMarker | null): Block {
  const marker = found === null || found.bullet ? '•' : found.marker;
  return { kind: 'list-item', depth, marker, ...withoutStart(inline, found?.length ?? 0) };
}

function noteBlock(marker: string, inline: PdfInline, length: number): Block {
  return { kind: 'note', marker, ...withoutStart(inline, length) };
}

/** Marks that may begin within a marker. */
const CLIPPED_KINDS: ReadonlySet<InlineMark['kind']> = new Set(['link', 'strong', 'emphasis']);

/** The text without its first characters, which state a marker. */
function withoutStart({ text, page, lines, pageBreaks, marks }: PdfInline, length: number): PdfInline {
  const moved = (at: number) => Math.max(0, at - length);
  const kept = marks?.filter(({ kind, start, end }) => start >= length || (CLIPPED_KINDS.has(kind) && end > length));
  return {
    text: text.slice(length),
    page,
    lines: lines.map(([start, ...place]) => [moved(start), ...place]),
    ...omitUndefined({
      pageBreaks: pageBreaks?.map(moved),
      marks: kept?.map((mark) => ({ ...mark, start: moved(mark.start), end: moved(mark.end) })),
    }),
  };
}

/** The paragraphs that are on one page, by page. */
function* footPagesOf(
  pieces: readonly Piece[],
  pages: readonly PdfPage[],
  ofTables: Footnotes<Paragraph>['markers'],
): Generator<FootPage<Paragraph>> {
  const heights = new Map(pages.map(({ number, height }) => [number, height]));
  for (const [number, own] of Map.groupBy(pieces, pageOfPiece)) {
    yield {
      height: heights.get(number) ?? 0,
      paragraphs: own.flatMap((one) =>
        one.kind === 'paragraph' && one.paragraph.breaks.size === 0 && !ofTables.has(one.paragraph)
          ? [one.paragraph]
          : [],
      ),
      tables: own.flatMap((one) => (one.kind === 'table' ? [one.open.part] : [])),
    };
  }
}

/** The notes of tables as paragraphs of their own, tied to the marks in the cells. */
function withTableNotes(pieces: readonly Piece[]): {
  pieces: Piece[];
  markers: Map<Paragraph, { marker: string; length: number }>;
  /** Pages with tables in which a raised number could not be told from a word that is spelled like it. */
  flat: number[];
} {
  const flat: number[] = [];
  const markers = new Map<Paragraph, { marker: string; length: number }>();
  const all: Piece[] = [];
  for (let at = 0; at < pieces.length; at += 1) {
    const piece = itemAt(pieces, at);
    all.push(piece);
    if (piece.kind !== 'table') continue;
    const { open } = piece;
    const below = paragraphsBelow(pieces, at + 1, open.page.number);
    const table = { rows: open.block.rows, raised: open.raised };
    const divided = notesUnder(
      table,
      open.part,
      below.map(({ lines }) => lines),
    );
    for (const [index, notes] of divided.entries()) {
      const whole = itemAt(below, index);
      const texts = notes ?? [{ lines: whole.lines, note: null }];
      for (const { lines, note } of texts) {
        const paragraph: Paragraph = notes === null ? whole : { lines, page: whole.page, breaks: new Set() };
        if (note !== null) markers.set(paragraph, note);
        all.push({ kind: 'paragraph', paragraph });
      }
    }
    at += divided.length;
    const own = new Set(divided.flatMap((notes) => notes?.flatMap(({ note }) => note?.marker ?? []) ?? []));
    if (own.size + open.raised.length === 0) continue;
    const { rows, marks, moved, isFlat } = tieCells(table, own);
    if (isFlat) flat.push(open.page.number);
    const links = open.block.marks?.map(moved) ?? [];
    open.block.rows = rows;
    if (links.length + marks.length > 0) open.block.marks = [...links, ...marks];
  }
  return { pieces: all, markers, flat };
}

/** The paragraphs that follow a piece and are on one page. */
function paragraphsBelow(pieces: readonly Piece[], from: number, page: number): Paragraph[] {
  const below: Paragraph[] = [];
  for (let at = from; at < pieces.length; at += 1) {
    const piece = itemAt(pieces, at);
    if (piece.kind !== 'paragraph' || piece.paragraph.page !== page || piece.paragraph.breaks.size > 0) break;
    below.push(piece.paragraph);
  }
  return below;
}

/** The paragraphs of each footnote as one. */
function withWholeNotes(pieces: readonly Piece[], { continued }: Footnotes<Paragraph>): Piece[] {
  if (continued.size === 0) return [...pieces];
  return pieces.filter((piece) => {
    const note = piece.kind === 'paragraph' ? continued.get(piece.paragraph) : undefined;
    if (piece.kind === 'paragraph' && note !== undefined) appendParagraph(note, piece.paragraph);
    return note === undefined;
  });
}

/** A sentence that goes on after the footnotes of its column or page is one paragraph, before the notes. */
function withWholeTexts(pieces: readonly Piece[], { markers }: Footnotes<Paragraph>): Piece[] {
  if (markers.size === 0) return [...pieces];
  const isNote = (piece: Piece) => piece.kind === 'paragraph' && markers.has(piece.paragraph);
  const whole: Piece[] = [];
  let last: Piece | undefined;
  for (const piece of pieces) {
    if (isNote(piece)) {
      whole.push(piece);
      continue;
    }
    const first = piece.kind === 'paragraph' ? piece.paragraph.lines[0] : undefined;
    const isApart = last !== undefined && last !== whole.at(-1);
    const before = first === undefined || last === undefined || !isApart ? null : continuedParagraph([last], first);
    if (piece.kind === 'paragraph' && before !== null) appendParagraph(before, piece.paragraph);
    else {
      whole.push(piece);
      last = piece;
    }
  }
  return whole;
}

/** Appends a paragraph of the same page as the last one's end, or of the next page. */
function appendParagraph(whole: Paragraph, { lines, page, breaks }: Paragraph): void {
  const length = whole.lines.length;
  if (page > whole.page + whole.breaks.size) whole.breaks.add(length);
  for (const at of breaks) whole.breaks.add(length + at);
  whole.lines.push(...lines);
}

/** Tables across pages become one table with its head once, even if each page repeats the head. */
type TablePart = Extract<PagePart, { kind: 'table' }>;

type TableBlock = Extract<Block, { kind: 'table' }>;

/** A table that continues on the next page extends at least this far down, as a share of the page height. */
const REACHES_SHARE = 0.6;

/** Tolerance for the sides of the parts, together, as a share of their width: cell text differs in width. */
const SIDES_SHARE = 0.3;

/** Upper bound on the lines of a head. */
const HEAD_LINES_MAX = 60;

/** The last table of its page so far. */
export interface OpenTable {
  block: TableBlock;
  part: TablePart;
  page: PdfPage;
  /** Words with raised marks, of all its pages. */
  raised: RaisedWord[];
}

export function openTable(part: TablePart, page: PdfPage): OpenTable {
  const { rows, spans, marks } = part;
  const lines = [placedBox(0, page.number, part)];
  return {
    part,
    page,
    raised: part.raised ?? [],
    block: { kind: 'table', rows, page: page.number, lines, ...omitUndefined({ spans, marks }) },
  };
}

/**
 * Appends the first table of the next page to the open one if it continues it, and returns the count of its rows that
 * repeat the head; else null. `before` is the text printed above it on that page: nothing, or the repeated head.
 */
export function continueTable(
  open: OpenTable,
  part: TablePart,
  page: PdfPage,
  before: readonly PageLine[],
): number | null {
  const columns = open.block.rows[0]?.length;
  if (open.page.number + 1 !== page.number || part.rows[0]?.length !== columns) return null;
  if (before.length > HEAD_LINES_MAX || !before.every(({ text }) => printsHeadOf(open, [text]))) return null;
  const head = repeatedRows(open, part);
  const isApart = part.hasHead === true && head === 0;
  if (before.length === 0 && (isApart || !isInPlace(open, part))) return null;
  const { block } = open;
  const [first, ...others] = part.rows.slice(head);
  const whole = first === undefined ? null : rowOverPages(block.rows.at(-1) ?? [], first);
  const rows = whole === null && first !== undefined ? [first, ...others] : others;
  const pages = block.rowPages ?? block.rows.map(() => block.page);
  block.lines?.push(placedBox(block.rows.length, page.number, part));
  const moved = block.rows.length - head - (whole === null ? 0 : 1);
  const spans = (part.spans ?? []).filter(({ row }) => row + moved >= block.rows.length);
  const all = [...(block.spans ?? []), ...spans.map((span) => ({ ...span, row: span.row + moved }))];
  if (all.length > 0) block.spans = all;
  const marks = movedCellMarks(part, whole, { head, moved });
  if (marks.length > 0) block.marks = [...(block.marks ?? []), ...marks];
  block.rows = [...(whole === null ? block.rows : [...block.rows.slice(0, -1), whole]), ...rows];
  block.rowPages = [...pages, ...rows.map(() => page.number)];
  open.part = part;
  open.page = page;
  open.raised = [...open.raised, ...(part.raised ?? [])];
  return head;
}

/** The marks of the rows that continue a table; those of a row that goes on are behind its first part. */
function movedCellMarks(
  { marks = [], rows }: TablePart,
  whole: readonly string[] | null,
  { head, moved }: { head: number; moved: number },
): CellMark[] {
  return marks.flatMap((mark) => {
    if (mark.row < head) return [];
    const isContinued = whole !== null && mark.row === head;
    const own = rows[mark.row]?.[mark.column] ?? '';
    const by = isContinued ? (whole[mark.column] ?? '').length - own.length : 0;
    return [{ ...mark, row: mark.row + moved, start: mark.start + by, end: mark.end + by }];
  });
}

/**
 * Count of the rows that repeat the head of the table. The first row is its head, unless it has values; the next ones
 * belong to it while it leaves columns without a name. Other equal rows are data that happens to be the same.
 */
function repeatedRows({ block, part: { hasHead } }: OpenTable, part: TablePart): number {
  const { rows: all } = block;
  const first = all[0] ?? [];
  const isHead = hasHead === true || part.hasHead === true || !first.some(isValue);
  if (!isHead || !isSameRow(part.rows[0] ?? [], first)) return 0;
  const named = first.map((cell) => cell !== '');
  let count = 1;
  while (named.includes(false) && count < Math.min(part.rows.length, all.length)) {
    const row = part.rows[count] ?? [];
    if (!isSameRow(row, all[count] ?? []) || row.some(isValue)) break;
    for (const [column, cell] of row.entries()) named[column] ||= cell !== '';
    count += 1;
  }
  return count;
}

/** Whether the cells have the same words; a page may divide them into other lines. */
function isSameRow(one: readonly string[], other: readonly string[]): boolean {
  return one.every((cell, at) => lowerCaseWords(cell).join(' ') === lowerCaseWords(other[at] ?? '').join(' '));
}

/** Numbers other than years, which are also names of columns. */
function isValue(cell: string): boolean {
  return /\d/u.test(cell) && !/\p{L}{2}/u.test(cell) && !YEARS.test(cell);
}

const YEARS = /^\D{0,2}(?:1[89]|20)\d\d(?:\s*[-–/]\s*\d{2,4})?\D{0,2}$/u;

/** The whole row if a page ends inside one: sentences continue and the first cell is empty. */
function rowOverPages(above: readonly string[], below: readonly string[]): string[] | null {
  if (below[0] !== '' || above[0] === '') return null;
  const isContinued = (cell: string, at: number) => {
    const start = above[at] ?? '';
    return cell === '' || (start.includes(' ') && HAS_WORD.test(start) && !ENDS_SENTENCE.test(start));
  };
  if (!below.every(isContinued) || !below.some((cell) => BEGINS_LOWER.test(cell))) return null;
  return above.map((cell, at) => (below[at] === '' ? cell : appendNextLine(cell, below[at] ?? '', NO_WORDS)));
}

const HAS_WORD = /\p{L}{2}/u;

const NO_WORDS = new DividedWords([]);

/** Whether the texts equal the table's first row. */
export function printsHeadOf({ block }: OpenTable, texts: readonly string[]): boolean {
  const head = new Set(block.rows[0]?.flatMap(lowerCaseWords));
  const words = texts.flatMap(lowerCaseWords);
  return words.length > 0 && words.every((word) => head.has(word));
}

/** Whether the lines have all words of the table's first row. */
function coversHead({ block }: OpenTable, lines: readonly PageLine[]): boolean {
  const words = new Set(lines.flatMap(({ text }) => lowerCaseWords(text)));
  return (block.rows[0] ?? []).flatMap(lowerCaseWords).every((word) => words.has(word));
}

/** Whether the upper part extends to the end of its page and the lower one has the same width. */
function isInPlace({ part: above, page }: OpenTable, below: TablePart): boolean {
  const width = Math.max(above.right - above.left, below.right - below.left);
  const apart = Math.abs(above.left - below.left) + Math.abs(above.right - below.right);
  return above.bottom >= page.height * REACHES_SHARE && apart <= width * SIDES_SHARE;
}

function lowerCaseWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Next to page text, pictures are often photographs, whose noise reaches 54. */
const CONFIDENCE_MIN_BESIDE_TEXT = 60;

/** Height of a line's box in font sizes: from the top of capitals to the bottom of descenders. */
const LINE_HEIGHT_SIZES = 0.95;

/** The page with recognised text in place. Its own text stays if it has meaning. */
export function withRecognizedText(ownPage: PdfPage, recognized: RecognizedPage): PdfPage {
  const { unreadShare, language } = recognized;
  const page = {
    ...ownPage,
    recognizedIn: language,
    ...omitUndefined({ unreadShare: unreadShare === 0 ? undefined : unreadShare }),
  };
  const meaningless = meaninglessTexts(page.parts.flatMap(textsOfPart));
  const own = page.parts.map((part) => withMeaning(part, meaningless)).filter((part) => part !== null);
  const isText = countMeaningfulLetters(textsOfParts(own)) > 0;
  const confidenceMin = isText ? CONFIDENCE_MIN_BESIDE_TEXT : CONFIDENCE_MIN;
  const found = recognizedParts(recognized, confidenceMin);
  const account = recognizedAccount(page, recognized, { confidenceMin, isReplaced: found.length > 0 });
  if (found.length === 0) return { ...page, ...account };
  // Positions on a rotated page do not match those of its own text.
  if (recognized.turned !== 0 && own.length > 0) return { ...page, ...account, parts: [...own, ...found] };
  const points = 1 / recognized.scale;
  return {
    ...page,
    ...account,
    // A rotated page takes its dimensions from the recognised picture.
    width: recognized.width * points,
    height: recognized.height * points,
    parts: mergePageParts(own, found),
  };
}

/** What the page holds with the text of its picture. Its own text without meaning is replaced if there is other. */
function recognizedAccount(
  page: PdfPage,
  { lines, tables = [] }: RecognizedPage,
  { confidenceMin, isReplaced }: { confidenceMin: number; isReplaced: boolean },
): Pick<PdfPage, 'source' | 'leftOut'> {
  const inTables = new Set(tables.flatMap((table) => table.lines));
  const doubtful = lines
    .filter(({ confidence }, index) => confidence < confidenceMin && !inTables.has(index))
    .map(({ text }) => text);
  const meaningless = meaninglessTexts(page.parts.flatMap(textsOfPart));
  const replaced = isReplaced ? textsOfParts(page.parts.map((part) => withoutMeaning(part, meaningless))) : [];
  return {
    source: [page.source ?? textsOfParts(page.parts).join('\n'), ...lines.map(({ text }) => text)].join('\n'),
    leftOut: [
      ...(page.leftOut ?? []),
      ...leftOutPageTexts('embedded-picture', page.number, doubtful),
      ...leftOutPageTexts('damaged', page.number, replaced),
    ],
  };
}

/** The texts that have a meaning or not: of each line, and of a table as a whole. */
function textsOfPart(part: PagePart): string[] {
  return part.kind === 'table' ? [textsOfParts([part]).join(' ')] : part.lines.map(({ text }) => text);
}

/** The part that `withMeaning` drops. */
function withoutMeaning(part: PagePart, meaningless: ReadonlySet<string>): PagePart {
  const kept = withMeaning(part, meaningless);
  if (kept === null) return part;
  if (part.kind === 'table') return { ...part, rows: [] };
  return { ...part, lines: part.lines.filter(({ text }) => meaningless.has(text)) };
}

function withMeaning(part: PagePart, meaningless: ReadonlySet<string>): PagePart | null {
  if (part.kind === 'table') return textsOfPart(part).some((text) => meaningless.has(text)) ? null : part;
  const lines = part.lines.filter(({ text }) => !meaningless.has(text));
  return lines.length === 0 ? null : { ...part, lines };
}

/** Tesseract's own paragraphs; single line heights are too uneven to detect paragraphs again. Tables by their rules. */
function recognizedParts(recognized: RecognizedPage, confidenceMin: number): PagePart[] {
  const { lines, tables = [] } = recognized;
  const paragraphs = new Map<number, PageLine[]>();
  const parts: PagePart[] = [];
  for (const [index, line] of lines.entries()) {
    const table = tables.find((one) => one.lines.includes(index));
    if (table !== undefined) {
      // A paragraph that goes on below a table is another one.
      paragraphs.clear();
      if (table.lines[0] === index) parts.push(recognizedTable(table, recognized));
      continue;
    }
    if (line.confidence < confidenceMin) continue;
    const pageLine = recognizedPageLine(line, recognized);
    const known = paragraphs.get(pageLine.group);
    if (known === undefined) {
      const begun = [pageLine];
      paragraphs.set(pageLine.group, begun);
      parts.push({ kind: 'lines', lines: begun });
    } else known.push(pageLine);
  }
  return parts;
}

function recognizedPageLine(recognized: RecognizedLine, page: RecognizedPage) {
  const { text, box, block, paragraph, words, unlikely } = recognized;
  const [left, top, right, bottom] = box.map((pixels) => pixels / page.scale) as typeof box;
  const group = block * 10_000 + paragraph;
  // The box of a line that is askew is higher than its letters.
  const isLevel = page.skew === 0;
  const height = isLevel ? bottom - top : Math.max(...words.map((word) => word.box[3] - word.box[1])) / page.scale;
  const size = Math.round(height / LINE_HEIGHT_SIZES);
  const doubt = unlikely === undefined ? {} : { unlikely };
  const line: PageLine = { left, top, right, bottom, text, size, bold: false, tag: null, group, ...doubt };
  line.recognized = true;
  const unsure = unsureWordsOf(recognized, page);
  if (unsure.length > 0) line.unsure = unsure;
  return line;
}

function recognizedTable({ rows, spans, lines: members }: RecognizedTable, page: RecognizedPage): PagePart {
  const lines = page.lines.filter((_, index) => members.includes(index));
  const [left, top, right, bottom] = [0, 1, 2, 3].map((side) => {
    const places = lines.map(({ box }) => (box[side] ?? 0) / page.scale);
    return side < 2 ? Math.min(...places) : Math.max(...places);
  }) as RecognizedLine['box'];
  const unlikely = lines.filter((line) => line.unlikely === true).map(({ text }) => text);
  const unsure = lines.flatMap((line) => unsureWordsOf(line, page));
  const doubts = omitUndefined({
    spans,
    unlikely: unlikely.length === 0 ? undefined : unlikely,
    unsure: unsure.length === 0 ? undefined : unsure,
  });
  return { kind: 'table', rows, left, top, right, bottom, ...doubts };
}

/** Keeps both orders and inserts each recognised part at its position in its column. */
function mergePageParts(own: readonly PagePart[], found: readonly PagePart[]): PagePart[] {
  const boxes = own.map(boxOfPagePart);
  const parts: PagePart[] = [];
  let next = 0;
  for (const part of found) {
    const place = Math.max(next, placeAmong(boxes, boxOfPagePart(part)));
    parts.push(...own.slice(next, place), part);
    next = place;
  }
  return [...parts, ...own.slice(next)];
}

/** After the last box that ends above its middle, in the same column if possible. */
function placeAmong(boxes: readonly Box[], { left, top, right, bottom }: Box): number {
  const isAbove = (box: Box) => box.bottom <= (top + bottom) / 2;
  const isInColumn = (box: Box) => box.left < right && box.right > left;
  const above = boxes.findLastIndex((box) => isInColumn(box) && isAbove(box));
  if (above >= 0) return above + 1;
  const below = boxes.findIndex(isInColumn);
  return below >= 0 ? below : boxes.findLastIndex(isAbove) + 1;
}

function boxOfPagePart(part: PagePart): Box {
  const boxes: readonly Box[] = part.kind === 'table' ? [part] : part.lines;
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    top: Math.min(...boxes.map(({ top }) => top)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
}
