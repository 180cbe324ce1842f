import { rename, writeFile } from 'node:fs/promises';
import type { PDFDocument, PDFPage } from 'mupdf';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import type { TaskContext } from '../../../src-server/platform/pool/worker-pool.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import type { ParsePdfInput, ParsePdfOutput, PdfFacts } from '../tasks.ts';
import { alignedTables } from './aligned-tables.ts';
import { readPageComments, withDrawnText } from './annotations.ts';
import { attachedFileNames, figureDescriptions, undrawnFormText } from './beside-pages.ts';
import type { PlacedLetter } from './divide-rows.ts';
import { findFormulas } from './formulas.ts';
import { hiddenLayersOf, hiddenTextsOf } from './hidden-text.ts';
import { pictureLinksOf } from './link-boxes.ts';
import { linksOfTable } from './linked-text.ts';
import { readGlyphs } from './math-glyphs.ts';
import { hasMeaning } from './meaning.ts';
import {
  mupdf,
  OUTLINE_ENTRIES_MAX,
  STRUCTURED_LINES_MAX,
  TOO_MUCH_MEMORY,
  tookTooMuchMemory,
  withPdf,
} from './open-pdf.ts';
import type { PageLine, PagePart, PdfPage } from './page-content.ts';
import { haveSameLetters, leftOutPageTexts, textsOfParts } from './page-letters.ts';
import { type PageText, readPageText } from './page-text.ts';
import { groupLines } from './paragraphs.ts';
import type { RawPage } from './read-lines.ts';
import { divideTextColumns, sortInReadingOrder } from './reading-order.ts';
import { areasToRecognize } from './recognition.ts';
import { ruledTables } from './ruled-tables.ts';
import { mayBeCell } from './table-blocks.ts';
import { raisedWords } from './table-notes.ts';
import { taggedTables } from './tables.ts';
import { dominantTurn, hasTextOfBothDirections, turnAll, turnBack, turnPoint } from './turned-page.ts';
import { collectRules, type Rules } from './vectors.ts';

const STAGE = 'extracting';

/** Length of text that shows its language. */
const SAMPLE_CHARS = 2000;

/**
 * Reads the text layer of a range of pages into `pagesPath`. Damaged pages are left out and listed. Errors:
 * `corrupt_input`, `encrypted_input`, `unsupported_media`, `source_too_large`, `out_of_memory`, `cancelled`.
 */
export async function parsePdf(input: ParsePdfInput, context: TaskContext): Promise<ParsePdfOutput> {
  const { pages, ...output } = await withPdf(
    input.sourcePath,
    (document, pageCount) => readRange(document, pageCount, input, context),
    input.password,
  );
  // Written under another name and renamed, so that the file is always complete: an interrupted job resumes from it.
  await writeFile(`${input.pagesPath}.part`, JSON.stringify(pages));
  await rename(`${input.pagesPath}.part`, input.pagesPath);
  return output;
}

function readRange(
  document: PDFDocument,
  pageCount: number,
  input: ParsePdfInput,
  context: TaskContext,
): ParsePdfOutput & { pages: PdfPage[] } {
  const end = Math.min(pageCount, input.firstPage + input.pageCount);
  const pages: PdfPage[] = [];
  const recognize: number[] = [];
  const damaged: number[] = [];
  let characters = 0;
  let sample = '';
  let memoryProblem: string | null = null;
  const layers = readOptional(() => hiddenLayersOf(document)) ?? [];
  for (let index = input.firstPage; index < end; index += 1) {
    context.signal.throwIfAborted();
    const number = index + 1;
    const read = readAnalyzedPage(document, { number, includeComments: input.includeComments, layers });
    if (read === null) {
      damaged.push(number);
      if (tookTooMuchMemory()) memoryProblem = TOO_MUCH_MEMORY;
    } else {
      pages.push(read.page);
      characters += charactersOf(read.page);
      if (sample.length < SAMPLE_CHARS) sample += meaningfulPageSample(read.page);
      if (read.needsRecognition) recognize.push(number);
    }
    const done = index + 1 - input.firstPage;
    context.progress((done / (end - input.firstPage)) * 100, STAGE, say`Read page ${number} of ${pageCount}`);
  }
  return { facts: readPdfFacts(document, pageCount), recognize, damaged, memoryProblem, characters, sample, pages };
}

function readAnalyzedPage(document: PDFDocument, options: AnalyzeOptions): ReturnType<typeof analyzePage> | null {
  let page: PDFPage | null = null;
  try {
    page = document.loadPage(options.number - 1) as PDFPage;
    const { layers = [] } = options;
    return analyzePage(page, options, (raw) => hiddenTextsOf(document, page as PDFPage, layers, raw));
  } catch (error) {
    if (error instanceof QuarryError) throw error;
    return null;
  } finally {
    page?.destroy();
  }
}

function meaningfulPageSample({ parts }: PdfPage): string {
  const texts = parts.flatMap((part) =>
    part.kind === 'lines' ? part.lines.map(({ text }) => text) : part.rows.flat(),
  );
  return `${texts.filter(hasMeaning).join(' ').slice(0, SAMPLE_CHARS)} `;
}

function charactersOf(page: PdfPage): number {
  let characters = 0;
  for (const part of page.parts) {
    if (part.kind === 'lines') for (const line of part.lines) characters += line.text.length;
    else for (const row of part.rows) for (const cell of row) characters += cell.length;
  }
  return characters;
}

export interface AnalyzeOptions {
  /** From 1. */
  number: number;
  includeComments: boolean;
  /** Layers of the document that are not shown. */
  layers?: readonly number[];
}

/** The texts that a page has beside those that it shows. */
type HiddenTexts = (raw: RawPage) => string[];

/** The content of one page, and whether its picture must be recognised too. */
function analyzePage(
  page: PDFPage,
  options: AnalyzeOptions,
  hiddenTexts: HiddenTexts,
): { page: PdfPage; needsRecognition: boolean } {
  const text = readPageText(page);
  const { raw, drawn } = text;
  const [left, top, right, bottom] = page.getBounds();
  const lines = withDrawnText(raw.lines, drawn.lines);
  const [width, height] = [right - left, bottom - top];
  const isUpright = dominantTurn(raw.directions) === null;
  const glyphs = raw.hasMath && isUpright ? readGlyphs(page) : null;
  const found = glyphs === null ? null : findFormulas(lines, glyphs, raw.vectors);
  const pictureLinks = pictureLinksOf(raw.links, raw);
  const parts = withInlineFormulas(partsAsShown(page, raw, found?.lines ?? lines, { width, height }));
  return {
    page: {
      number: options.number,
      width,
      height,
      parts,
      ...omitUndefined({
        hasTurnedText: hasTextOfBothDirections(raw.directions) ? true : undefined,
        unreadExtras: drawn.unread === 0 ? undefined : drawn.unread,
        files: drawn.files.length === 0 ? undefined : drawn.files,
        unclearFormulas: found === null || found.unclear.length === 0 ? undefined : found.unclear,
        pictureLinks: pictureLinks.length === 0 ? undefined : pictureLinks,
        isDrawing: raw.isDrawing ? true : undefined,
        hasFlatScripts: found?.hasFlatScripts === true ? true : undefined,
      }),
      comments: options.includeComments ? readPageComments(page, lines, drawn.shown) : [],
      ...pageSourceAccount(text, lines, parts, { number: options.number, hidden: hiddenTexts(raw) }),
    },
    needsRecognition: areasToRecognize(page, text).length > 0,
  };
}

/** The parts of a page, which is read in the direction of its text. */
function partsAsShown(
  page: PDFPage,
  raw: RawPage,
  lines: PageLine[],
  size: Pick<PdfPage, 'width' | 'height'>,
): PagePart[] {
  const turn = dominantTurn(raw.directions);
  const readPageLetters = () => readLetters(page, raw.letterOptions);
  if (turn === null) return groupPageParts(lines, collectRules(raw.vectors), readPageLetters);
  const turned = { turn, ...size };
  const rules = collectRules(turnAll(raw.vectors, turned));
  const parts = groupPageParts(turnAll(lines, turned), rules, () =>
    readPageLetters().map((letter) => turnPoint(letter, turned)),
  );
  return turnBack(parts, turned);
}

/** The parts with the formulas within the sentences of their lines; cells have none. */
function withInlineFormulas(parts: PagePart[]): PagePart[] {
  for (const part of parts) {
    if (part.kind !== 'lines') continue;
    for (const line of part.lines) {
      if (line.written === undefined) continue;
      const { text, formulas, raised } = line.written;
      Object.assign(line, { text, formulas }, raised.length === 0 ? {} : { raised });
      if (raised.length === 0) delete line.raised;
      delete line.written;
    }
  }
  return parts;
}

/** The source of a page whose letters are not those of its parts. */
function pageSourceAccount(
  { raw, drawn }: PageText,
  lines: readonly PageLine[],
  parts: readonly PagePart[],
  { number, hidden }: { number: number; hidden: readonly string[] },
): Pick<PdfPage, 'source' | 'leftOut'> {
  const unseen = [...hidden, ...drawn.hidden];
  const source = [...raw.source, ...drawn.lines.map(({ text }) => text), ...unseen, ...drawn.buttons];
  if (haveSameLetters(source, textsOfParts(parts))) return {};
  const known = new Set(lines);
  const printed = drawn.lines.filter((line) => !known.has(line)).map(({ text }) => text);
  const copies = leftOutPageTexts('overprinted-copy', number, [...raw.copies, ...printed]);
  const furniture = leftOutPageTexts('navigation', number, drawn.buttons);
  return {
    source: source.join('\n'),
    leftOut: [...copies, ...leftOutPageTexts('hidden', number, unseen), ...furniture],
  };
}

/** Groups lines in file order into paragraphs and tables in reading order. */
function groupPageParts(lines: PageLine[], rules: Rules, readPageLetters: () => PlacedLetter[]): PagePart[] {
  if (lines.length > STRUCTURED_LINES_MAX) return groupLines(lines).map((group) => ({ kind: 'lines', lines: group }));
  let known: PlacedLetter[] | null = null;
  const letters = () => {
    known ??= readPageLetters();
    return known;
  };
  const tagged = taggedTables(lines);
  const ruled = ruledTables(tagged.rest, rules, letters);
  const ordered = sortInReadingOrder(ruled.rest);
  const untagged = ordered.filter((line) => mayBeCell(line) && !ruled.tables.has(line));
  const inTable = new Set(untagged);
  const tables = new Map([...tagged.tables, ...ruled.tables]);
  for (const column of divideTextColumns(untagged)) {
    const aligned = alignedTables(column, rules.across, letters);
    for (const line of aligned.rest) inTable.delete(line);
    for (const [line, table] of aligned.tables) {
      inTable.delete(line);
      tables.set(line, table);
    }
  }
  const parts: PagePart[] = [];
  let open: PageLine[] = [];
  const flushOpenLines = () => {
    for (const group of groupLines(open)) parts.push({ kind: 'lines', lines: group });
    open = [];
  };
  for (const line of ordered) {
    const table = tables.get(line);
    if (table !== undefined) {
      flushOpenLines();
      const [raised, marks] = [raisedWords(lines, table), linksOfTable(table, lines)];
      parts.push({
        ...table,
        ...omitUndefined({
          raised: raised.length === 0 ? undefined : raised,
          marks: marks.length === 0 ? undefined : marks,
        }),
      });
    } else if (!inTable.has(line)) open.push(line);
  }
  flushOpenLines();
  return parts;
}

/** The letters of a page by position, to divide a line that MuPDF reads over several cells. */
function readLetters(page: PDFPage, options: string): PlacedLetter[] {
  const letters: PlacedLetter[] = [];
  const text = page.toStructuredText(options);
  try {
    text.walk({
      onChar(character, _origin, _font, _size, quad) {
        letters.push({ text: character, x: (quad[0] + quad[2]) / 2, y: (quad[1] + quad[5]) / 2 });
      },
    });
  } finally {
    text.destroy();
  }
  return letters;
}

const TEXT_FIELD_CHARS_MAX = 1000;

/** Default titles of programs, which do not name a document. */
const NO_TITLE = /^(untitled|document\d*|title|slide \d+|about:blank|.*\.(html?|docx?|indd|tex|dvi|qxd))$/i;

const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

const OUTLINE_LEVELS_MAX = 6;

type OutlineItems = NonNullable<ReturnType<PDFDocument['loadOutline']>>;

/** Metadata, stated language and outline. Damaged entries are left out. */
export function readPdfFacts(document: PDFDocument, pageCount: number): PdfFacts {
  return {
    pageCount,
    title: usableTitle(infoField(document, mupdf.Document.META_INFO_TITLE)),
    author: infoField(document, mupdf.Document.META_INFO_AUTHOR),
    language: statedLanguage(document),
    repaired: document.wasRepaired(),
    outline: outlineOf(document),
    files: readOptional(() => attachedFileNames(document)) ?? [],
    undrawnForm: readOptional(() => undrawnFormText(document)) ?? '',
    figureTexts: readOptional(() => figureDescriptions(document)) ?? '',
  };
}

function infoField(document: PDFDocument, key: string): string | null {
  const value = readOptional(() => document.getMetaData(key)) ?? '';
  const text = value
    .replace(/\p{Cc}+/gu, ' ')
    .normalize('NFC')
    .trim();
  return text === '' ? null : text.slice(0, TEXT_FIELD_CHARS_MAX);
}

function usableTitle(stated: string | null): string | null {
  const title = stated?.replace(/^Microsoft (Word|PowerPoint|Excel) - /, '') ?? null;
  return title === null || NO_TITLE.test(title) ? null : title;
}

function statedLanguage(document: PDFDocument): string | null {
  const language = readOptional(() => {
    const value = document.getTrailer().get('Root').get('Lang');
    return value.isString() ? value.asString().trim() : null;
  });
  return language != null && LANGUAGE.test(language) ? language : null;
}

/** The outline in reading order. A damaged one is ignored, because the text is still readable. */
function outlineOf(document: PDFDocument): PdfFacts['outline'] {
  const entries: PdfFacts['outline'] = [];
  const collectOutlineEntries = (items: OutlineItems, level: number): void => {
    for (const { title = '', page, down } of items) {
      if (entries.length >= OUTLINE_ENTRIES_MAX) return;
      const text = title.replace(/\s+/g, ' ').trim();
      if (text !== '' && page !== undefined) entries.push({ title: text, level, page: page + 1 });
      if (down !== undefined && level < OUTLINE_LEVELS_MAX) collectOutlineEntries(down, level + 1);
    }
  };
  collectOutlineEntries(readOptional(() => document.loadOutline()) ?? [], 1);
  return entries;
}

function readOptional<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}
