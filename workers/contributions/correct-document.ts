/**
 * A document and its files with corrections and annotations: an edit of document.txt changes the blocks that all files
 * are made of.
 */

import { closeSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import type { Annotation, Chunk } from '../../src-server/operation.ts';
import { itemAt } from '../../src-server/platform/item-at.ts';
import { parseOwnJson } from '../../src-server/platform/own-json.ts';
import type { Doubt } from '../../src-server/platform/source-account.ts';
import { countWords } from '../../src-server/platform/text/words.ts';
import { KIB } from '../../src-server/platform/units.ts';
import type { Block, NormalizedDocument } from '../documents/blocks.ts';
import { pathStep } from '../documents/chunk.ts';
import { type ChangedBlock, correctBlocks } from '../documents/correct-blocks.ts';
import { DOCUMENT_FILES } from '../documents/finish-document.ts';
import { applyEdits, EditedPlaces, editsBetween, type TextEdit, withoutOverlaps } from '../documents/text-edits.ts';
import { type DoclingComment, type DoclingHead, writeDocling } from '../documents/write-docling.ts';
import { literalText, writeMarkdown } from '../documents/write-markdown.ts';
import { type PlainText, writePlainText } from '../documents/write-text.ts';
import type { KeptFiles } from '../media/kept-files.ts';
import { annotationWords, placeAnnotations, withAnnotations } from '../media/place-annotations.ts';
import { type Corrected, chunkLines, type Given, withText } from './corrected.ts';
import { patchedMarkdown } from './patch-text.ts';
import type { NotCorrected } from './tasks.ts';

/** Documents of earlier versions keep links apart from the marks. */
type FormerBlock = Block & { links?: { start: number; end: number; url: string }[] };

function withLinksAsMarks(document: NormalizedDocument): NormalizedDocument {
  const blocks = document.blocks.map(({ links, ...block }: FormerBlock): Block => {
    if (links === undefined || block.kind === 'table') return block;
    return Object.assign(block, { marks: links.map((link) => ({ kind: 'link' as const, ...link })) });
  });
  return { ...document, blocks };
}

export function correctDocument(
  kept: KeptFiles,
  chunks: readonly Chunk[],
  { corrections, annotations: given }: Given,
): Corrected {
  const readExtractedFile = (name: string) => readFileSync(kept.pathOfExtractedFile(name), 'utf8');
  const document = withLinksAsMarks(parseOwnJson<NormalizedDocument>(readExtractedFile(DOCUMENT_FILES.normalized)));
  const plain = writePlainText(document);
  const pieces =
    plain.text === readExtractedFile(DOCUMENT_FILES.text) ? chunks.map((chunk) => splitChunkByPlain(chunk, plain)) : [];
  const notCorrected: NotCorrected[] = [];
  const wanted = chunks.flatMap((chunk, index) => {
    const text = corrections.get(chunk.id);
    return text === undefined ? [] : [{ chunk, text, order: [...corrections.keys()].indexOf(chunk.id), index }];
  });
  const unplaced = wanted.filter(({ index }) => (pieces[index] ?? []).length === 0);
  for (const { chunk } of unplaced) {
    const reason = `The place of chunk ${chunk.segmentIndex + 1} was not found. Read the document again to correct it.`;
    notCorrected.push({ name: DOCUMENT_FILES.text, reason });
  }
  const edits = withoutOverlaps(
    wanted
      .filter(({ index }) => (pieces[index] ?? []).length > 0)
      .toSorted((one, other) => one.order - other.order)
      .flatMap(({ chunk, text, index }) => textEdits(pieces[index] ?? [], editsBetween(chunk.text, text))),
  );
  const { blocks, changed } = correctBlocks(plain, edits);
  const after = withFacts({ ...document, blocks }, changed);
  const plainAfter = writePlainText(after);
  const files: Corrected['files'] = new Map();
  const own = new Map(unplaced.map(({ chunk, text }) => [chunk.id, text]));
  const texts = new CorrectedChunks(plain, plainAfter, edits, changed).correctChunks(chunks, pieces, own);
  const annotations = placeAnnotations(given, texts);
  const corrected = withAnnotations(texts, annotations);
  const isChanged = edits.length > 0 || annotations.length > 0;
  if (isChanged || unplaced.length > 0) files.set(DOCUMENT_FILES.chunks, chunkLines(corrected));
  if (edits.length > 0) files.set(DOCUMENT_FILES.text, plainAfter.text);
  if (isChanged) {
    const versions = { kept, document, after, annotations };
    const normalized = annotations.length === 0 ? after : { ...after, annotations };
    files.set(DOCUMENT_FILES.normalized, JSON.stringify(normalized));
    correctMarkdownFiles({ ...versions, edits, plain }, files, notCorrected);
    addDocling({ ...versions, comments: doclingComments(annotations, corrected, plainAfter) }, files, notCorrected);
  }
  const changeDocumentFacts = (result: Record<string, unknown>) => changeFacts(result, after, plainAfter.text);
  return { chunks: corrected, files, notCorrected, change: changeDocumentFacts, annotations };
}

/** Annotations as comments of the blocks that their chunks begin in, or that have their quotations. */
function doclingComments(
  annotations: readonly Annotation[],
  chunks: readonly Chunk[],
  plain: PlainText,
): DoclingComment[] {
  const byId = new Map(chunks.map((chunk) => [chunk.id, chunk]));
  return annotations.map((annotation) => {
    const { chunkId, quote, start } = annotation;
    const chunk = chunkId === null ? undefined : byId.get(chunkId);
    const { startOffset, endOffset = 0 } = chunk ?? {};
    const text = annotationWords(annotation);
    if (chunk === undefined || startOffset === undefined) return { text, block: null, range: null };
    // A part of a cut table repeats the head above its own rows.
    const repeated = chunk.text.length - (endOffset - startOffset);
    const at = startOffset + Math.max(0, (start ?? 0) - repeated);
    const span = plain.spans.find(({ end }) => end > at);
    if (span === undefined) return { text, block: null, range: null };
    const from = at - span.textStart;
    const isExact = span.block.kind !== 'table' && quote !== null && start !== null;
    const isThere = isExact && 'text' in span.block && span.block.text.startsWith(quote, from);
    return { text, block: span.block, range: isThere ? [from, from + quote.length] : null };
  });
}

/** Characters of a chunk that are characters of document.txt. */
interface Piece {
  chunk: number;
  text: number;
  length: number;
}

/** A part of a cut table repeats the head above its own rows. Empty where the chunk is not what document.txt says. */
function splitChunkByPlain({ text, startOffset: start, endOffset: end }: Chunk, plain: PlainText): Piece[] {
  if (start === undefined || end === undefined) return [];
  const own = { chunk: text.length - (end - start), text: start, length: end - start };
  if (plain.text.slice(start, end) !== text.slice(own.chunk)) return [];
  if (own.chunk === 0) return [own];
  const table = plain.spans.find((span) => span.start <= start && end <= span.end);
  const head = text.slice(0, own.chunk - 1);
  const [row] = table?.rows ?? [];
  const at = row === undefined ? -1 : plain.text.slice(row.start, row.end).indexOf(head);
  return at < 0 || row === undefined ? [] : [{ chunk: 0, text: row.start + at, length: head.length }, own];
}

/** Edits of a chunk as edits of document.txt. One over the edge of its pieces puts its text into the first. */
function textEdits(pieces: readonly Piece[], edits: readonly TextEdit[]): TextEdit[] {
  return edits.flatMap((edit) => {
    let by = edit.by;
    return pieces.flatMap((piece) => {
      const from = Math.max(edit.from, piece.chunk);
      const to = Math.min(edit.to, piece.chunk + piece.length);
      if (from >= to) return [];
      const moved = piece.text - piece.chunk;
      const part = { from: from + moved, to: to + moved, by };
      by = '';
      return [part];
    });
  });
}

/** The chunks of a corrected document. */
class CorrectedChunks {
  readonly #before: PlainText;
  readonly #after: string;
  readonly #edits: readonly TextEdit[];
  readonly #places: EditedPlaces;
  /** Whether the edits alone say where places are: no block went, and no line became another. */
  readonly #isExact: boolean;
  readonly #headings: ReadonlyMap<object, string | null>;
  #next = 0;

  constructor(before: PlainText, after: PlainText, edits: readonly TextEdit[], changed: readonly ChangedBlock[]) {
    this.#before = before;
    this.#after = after.text;
    this.#edits = edits;
    this.#places = new EditedPlaces(edits);
    this.#isExact = applyEdits(before.text, edits) === after.text;
    const headings = changed.flatMap(({ before: block, after: now }) =>
      block.kind === 'heading' ? [[block, now?.kind === 'heading' ? pathStep(now.text) : null] as const] : [],
    );
    this.#headings = new Map<object, string | null>(headings);
  }

  /** @param own texts of chunks without a place */
  correctChunks(chunks: readonly Chunk[], pieces: readonly Piece[][], own: ReadonlyMap<string, string>): Chunk[] {
    return chunks.map((chunk, index) => {
      const placed = pieces[index] ?? [];
      const texts = placed.map((piece) => this.#correctedPieceText(piece));
      const text = placed.length === 0 ? (own.get(chunk.id) ?? chunk.text) : texts.join('\n');
      const moved = placed.length === 0 ? chunk : this.#moveChunk(chunk, texts.at(-1) ?? '');
      return withText(this.#headings.size === 0 ? moved : this.#withHeading(moved, chunk), text);
    });
  }

  #correctedPieceText({ text: start, length }: Piece): string {
    const end = start + length;
    const own = this.#edits.slice(this.#firstEditAfter(start)).filter(({ from }) => from < end);
    const parts = own.map(({ from, to, by }) => ({
      from: Math.max(0, from - start),
      to: Math.min(length, to - start),
      by: from >= start ? by : '',
    }));
    return applyEdits(this.#before.text.slice(start, end), parts);
  }

  /** Index of the first edit that ends after a place. */
  #firstEditAfter(place: number): number {
    let [low, high] = [0, this.#edits.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (itemAt(this.#edits, middle).to <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #moveChunk(chunk: Chunk, text: string): Chunk {
    const { startOffset: start = 0, endOffset: end = 0 } = chunk;
    const naive = { startOffset: this.#places.movedPlace(start), endOffset: this.#places.movedPlace(end) };
    if (this.#isExact) return this.#edits.length === 0 ? chunk : { ...chunk, ...naive };
    const found = this.#after.indexOf(text, this.#next);
    const startOffset = found < 0 ? Math.min(naive.startOffset, this.#after.length) : found;
    if (found >= 0) this.#next = found;
    return { ...chunk, startOffset, endOffset: Math.min(startOffset + text.length, this.#after.length) };
  }

  #withHeading(chunk: Chunk, { endOffset = 0, headingPath = [] }: Chunk): Chunk {
    const steps = headingPath.map((step) => {
      const span = this.#before.spans.findLast(
        ({ block, start }) => block.kind === 'heading' && start < endOffset && pathStep(block.text) === step,
      );
      const now = span === undefined ? undefined : this.#headings.get(span.block);
      return now === undefined ? step : now;
    });
    if (steps.every((step, index) => step === headingPath[index])) return chunk;
    const path = steps.filter((step) => step !== null);
    const { heading: _heading, headingPath: _path, ...rest } = chunk;
    return path.length === 0 ? rest : { ...chunk, heading: path.join(' > '), headingPath: path };
  }
}

/** The title, comments, changes and doubts that say what a block says. */
function withFacts(document: NormalizedDocument, changed: readonly ChangedBlock[]): NormalizedDocument {
  let { title, comments, changes, doubts } = document;
  for (const { before, after, places } of changed) {
    doubts = doubts?.map((doubt) => (isDoubtSettled(doubt, before, after) ? { ...doubt, isCorrected: true } : doubt));
    if (before.kind === 'table' || after?.kind === 'table') continue;
    const text = after?.text ?? '';
    if (title !== null && title === before.text) title = text === '' ? null : text;
    const correctedQuote = (quote: string): string => {
      const at = quote === '' || text.includes(quote) ? -1 : before.text.indexOf(quote);
      return at < 0 ? quote : text.slice(places.movedPlace(at), places.movedPlace(at + quote.length));
    };
    comments = comments.map((comment) => ({
      ...comment,
      text: correctedQuote(comment.text),
      anchor: comment.anchor === null ? null : correctedQuote(comment.anchor),
    }));
    changes = changes.map((change) => ({ ...change, text: correctedQuote(change.text) }));
  }
  return { ...document, title, comments, changes, ...(doubts && { doubts }) };
}

/** Whether a doubt is about words of a block that a person has corrected. */
function isDoubtSettled({ quote, before: context = '', page }: Doubt, before: Block, after: Block | null): boolean {
  const words = `${context} ${quote.replace(/…$/, '')}`.trim();
  const pages = [
    ...('page' in before ? [before.page] : []),
    ...('lines' in before ? (before.lines ?? []).map(([, of]) => of) : []),
  ];
  const isHere = page === undefined || pages.length === 0 || pages.includes(page);
  return isHere && shownText(before).includes(words) && !(after !== null && shownText(after).includes(words));
}

/** The text of a block as quotations have it: in one line, with single blanks. */
function shownText(block: Block): string {
  const text = block.kind === 'table' ? block.rows.flat().join(' ') : block.text;
  return text.replace(/\s+/g, ' ');
}

interface Versions {
  kept: KeptFiles;
  document: NormalizedDocument;
  after: NormalizedDocument;
  annotations: readonly Annotation[];
}

const OTHER_WRITER = 'An earlier version of Quarry wrote it in another way. Read the document again to correct it.';

function correctMarkdownFiles(
  { kept, document, after, annotations, edits, plain }: Versions & { edits: readonly TextEdit[]; plain: PlainText },
  files: Corrected['files'],
  notCorrected: NotCorrected[],
): void {
  const extracted = readFileSync(kept.pathOfExtractedFile(DOCUMENT_FILES.markdown), 'utf8');
  if (edits.length === 0) {
    files.set(DOCUMENT_FILES.markdown, extracted + annotationSection(annotations));
    return;
  }
  const isOwn = writeMarkdown(document) === extracted;
  const written = isOwn ? writeMarkdown(after) : patchedMarkdown(extracted, plain.text, edits);
  if (written === null) notCorrected.push({ name: DOCUMENT_FILES.markdown, reason: OTHER_WRITER });
  else files.set(DOCUMENT_FILES.markdown, written + annotationSection(annotations));
}

/** The end of document.md: a line, and a list of the annotations with their pages. */
function annotationSection(annotations: readonly Annotation[]): string {
  if (annotations.length === 0) return '';
  const items = annotations.map((annotation, index) => {
    const page = annotation.page === null ? '' : `Page ${annotation.page}, `;
    const words = literalText(annotationWords(annotation)).replace(/\s*\n\s*/g, '\\\n   ');
    return `${index + 1}. ${page}${words}`;
  });
  return `\n---\n\n**Annotations**\n\n${items.join('\n')}\n`;
}

function addDocling(
  { kept, document, after, comments }: Versions & { comments: readonly DoclingComment[] },
  files: Corrected['files'],
  notCorrected: NotCorrected[],
): void {
  const path = kept.pathOfExtractedFile(DOCUMENT_FILES.docling);
  const head = writtenHead(path);
  if (head === null || !isWrittenAs(document, head, path)) {
    notCorrected.push({ name: DOCUMENT_FILES.docling, reason: OTHER_WRITER });
    return;
  }
  const name = head.name === document.title && after.title !== null ? after.title : head.name;
  files.set(DOCUMENT_FILES.docling, (to) => writeDocling(after, { ...head, name }, to, comments));
}

const HEAD_BYTES = 64 * KIB;

/** The members of a docling.json before its body. */
function writtenHead(path: string): DoclingHead | null {
  const file = openSync(path, 'r');
  try {
    const start = Buffer.alloc(HEAD_BYTES);
    const text = start.toString('utf8', 0, readSync(file, start));
    // Within a string the quotation marks would be escaped.
    const end = text.indexOf(',"body":');
    return end < 0 ? null : parseOwnJson<DoclingHead>(`${text.slice(0, end)}}`);
  } finally {
    closeSync(file);
  }
}

function isWrittenAs(document: NormalizedDocument, head: DoclingHead, path: string): boolean {
  const again = `${path}.again`;
  try {
    writeDocling(document, head, again);
    return readFileSync(again).equals(readFileSync(path));
  } finally {
    rmSync(again, { force: true });
  }
}

function changeFacts(result: Record<string, unknown>, after: NormalizedDocument, text: string): void {
  const { document } = result;
  if (typeof document === 'object' && document !== null) {
    const facts = { title: after.title, words: countWords(text), characters: text.length };
    result.document = { ...document, ...facts };
  }
  if (result.comments !== undefined) result.comments = after.comments;
  if (result.changes !== undefined) result.changes = after.changes;
  if (after.doubts !== undefined) result.doubts = after.doubts;
}
