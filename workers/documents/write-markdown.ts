import type { Block, BlockImage, BlockLink, CellMark, CellSpan, InlineMark, NormalizedDocument } from './blocks.ts';
import { coveredCells, shownSpans } from './table-spans.ts';

const MAX_HEADING_LEVEL = 6;

/** Matches if any pattern below might match inside the text; most text has no match. */
const MAYBE_SPECIAL = /[\\`*_[\]<>~|&\n]|:\/\/|www\./i;

/** Starts a block at the beginning of a line: heading, quote, bullet, rule, setext underline. */
const BLOCK_SPECIAL = /^([#>+=-])/;

/** First characters of such lines; most lines are prose. */
const MAYBE_BLOCK = /^[#>+=\-\d]/;

const ORDERED_SPECIAL = /^(\d{1,9})([.)])(?=\s|$)/;

/** Writes document.md: GFM in which every character of the text is literal. */
export function writeMarkdown(document: NormalizedDocument): string {
  return joinMarkdown(writeMarkdownBlocks(document));
}

/** The Markdown of each block, with the white space before it. */
export function writeMarkdownBlocks(document: NormalizedDocument): string[] {
  const noted = new Set(document.blocks.flatMap(footnotesOf));
  let previous: Block | null = null;
  const columns: number[] = [];
  return document.blocks.map((block) => {
    let before = previous === null ? '' : '\n\n';
    if (previous?.kind === 'list-item' && block.kind === 'list-item') before = '\n';
    if (block.kind !== 'list-item') columns.length = Math.min(columns.length, itemDepth(block));
    const images = 'images' in block && block.images !== undefined ? imagesBefore(block.images, columns) : '';
    previous = block;
    const indent = block.kind === 'list-item' ? 0 : (columns.at(-1) ?? 0);
    const isNoted = block.kind === 'note' && noted.has(block.marker);
    const written = isNoted ? `[^${block.marker}]: ${inlineMarkdown(block)}` : writeBlock(block, columns);
    return before + images + indentMarkdown(written, indent);
  });
}

/** Markers of the footnotes that a block refers to. */
function footnotesOf(block: Block): string[] {
  if (block.kind === 'table' || !('marks' in block)) return [];
  const marks = block.marks?.filter(({ kind }) => kind === 'footnote') ?? [];
  return marks.map(({ start, end }) => block.text.slice(start + 1, end - 1));
}

export function joinMarkdown(blocks: readonly string[]): string {
  return blocks.length === 0 ? '' : `${blocks.join('')}\n`;
}

/** Number of the list items that a block is inside of; 0 outside lists. */
function itemDepth(block: Block): number {
  return 'inList' in block && block.inList !== undefined ? block.inList + 1 : 0;
}

function indentMarkdown(text: string, columns: number): string {
  return columns === 0 ? text : text.replace(/^(?=.)/gm, ' '.repeat(columns));
}

/** `columns` holds the content column of an item per list depth; a nested item must be indented at least that far. */
function writeBlock(block: Block, columns: number[]): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(Math.min(block.level, MAX_HEADING_LEVEL))} ${headingText(block)}`;
    case 'list-item': {
      const marker = markdownMarker(block.marker);
      columns.length = Math.min(columns.length, block.depth);
      const indent = columns.at(-1) ?? 0;
      columns.push(indent + marker.length + 1);
      const label = marker === '-' && !isBullet(block.marker) ? `${escapeText(block.marker)} ` : '';
      const text = inlineMarkdown(block).replaceAll('\n', `\n${' '.repeat(indent + marker.length + 1)}`);
      return `${' '.repeat(indent)}${marker} ${label}${text}`;
    }
    case 'table':
      return writeAnyTable(block.rows, shownSpans(block.rows, block.spans), block.marks);
    case 'note':
      return `\\[${escapeText(block.marker)}\\] ${inlineMarkdown(block)}`;
    case 'code':
      return fenceMarkdownCode(block.text, block.language);
    case 'comment':
    case 'page-furniture':
      return escapeText(block.text);
    case 'paragraph':
      return block.isQuoted === true ? quoteMarkdown(inlineMarkdown(block)) : inlineMarkdown(block);
    case 'caption':
      return inlineMarkdown(block);
  }
}

/** Inline text in which every character is literal. */
export function literalText(text: string): string {
  return escapeRun(text);
}

export function quoteMarkdown(lines: string): string {
  return `> ${lines.replaceAll('\n', '\n> ')}`;
}

export function isBullet(marker: string): boolean {
  return marker === '' || !/[\p{L}\p{N}]/u.test(marker);
}

/** Markdown supports bullets and `1.` or `1)`; other markers (`a)`, `1.2`, `iv.`) become text after a bullet. */
function markdownMarker(marker: string): string {
  return /^\d{1,9}[.)]$/.test(marker) ? marker : '-';
}

/** A heading is one line, and trailing number signs after a space would be read as its close. */
function headingText({ marks, ...block }: InlineBlock): string {
  // Headings are emphasised anyway.
  const kept = marks?.filter(({ kind }) => kind !== 'strong' && kind !== 'emphasis');
  return inlineMarkdown(kept === undefined ? block : { ...block, marks: kept })
    .replaceAll('\\\n', ' ')
    .replace(/([ \t])(#+[ \t]*)$/, '$1\\$2');
}

interface InlineBlock {
  text: string;
  links?: BlockLink[];
  marks?: InlineMark[];
}

/** Pictures outside blocks, one per line; in a list they belong to the item before. */
function imagesBefore(images: readonly BlockImage[], columns: readonly number[]): string {
  const indent = ' '.repeat(columns.at(-1) ?? 0);
  return images.map((image) => `${indent}${imageMarkdown(image)}\n${columns.length === 0 ? '\n' : ''}`).join('');
}

function inlineMarkdown(block: InlineBlock): string {
  if (block.marks !== undefined) return finishLines(markedMarkdown(block.text, block.marks));
  if (block.links === undefined || block.links.length === 0) return escapeText(block.text);
  let written = '';
  let at = 0;
  for (const { start, end, url } of block.links) {
    if (start < at || end <= start) continue;
    written += escapeRun(block.text.slice(at, start));
    written += `[${escapeRun(block.text.slice(start, end), true)}](<${escapeUrl(url)}>)`;
    at = end;
  }
  return finishLines(written + escapeRun(block.text.slice(at)));
}

function escapeText(text: string): string {
  return MAYBE_SPECIAL.test(text) ? finishLines(escapeRun(text)) : finishLine(text);
}

/** Escapes block starts and makes every line break hard. */
function finishLines(text: string): string {
  return text
    .split('\n')
    .map(finishLine)
    .filter((line) => line !== '')
    .join('\\\n');
}

function finishLine(line: string): string {
  const text = line.trim();
  if (!MAYBE_BLOCK.test(text)) return text;
  return text.replace(BLOCK_SPECIAL, '\\$1').replace(ORDERED_SPECIAL, '$1\\$2');
}

function escapeUrl(url: string): string {
  return url.replace(/[<>\\\s]/g, (character) => encodeURIComponent(character));
}

function writeTable(rows: string[][], marks?: readonly CellMark[]): string {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 1);
  const byCell = marks === undefined ? null : Map.groupBy(marks, ({ row, column }) => `${row} ${column}`);
  const tableCellMarkdown = (text: string, row: number, column: number) => {
    const own = byCell?.get(`${row} ${column}`);
    return own === undefined ? escapeCell(text) : markedCell(text, own);
  };
  const writeMarkdownRow = (row: string[], at: number) =>
    `| ${row.map((text, column) => tableCellMarkdown(text, at, column)).join(' | ')} |`;
  const [header = [], ...body] = rows;
  // Only the header needs every column: GFM fills shorter rows.
  const first = Array.from({ length: width }, (_, index) => header[index] ?? '');
  const lines = body.map((row, at) => writeMarkdownRow(row, at + 1));
  return [writeMarkdownRow(first, 0), `|${' --- |'.repeat(width)}`, ...lines].join('\n');
}

function writeAnyTable(rows: string[][], spans: readonly CellSpan[], marks?: readonly CellMark[]): string {
  return spans.length === 0 ? writeTable(rows, marks) : writeSpanned(rows, spans);
}

/** A table with merged cells, which GFM has not: HTML, in which every character of the text is literal too. */
function writeSpanned(rows: string[][], spans: readonly CellSpan[]): string {
  const byCell = new Map(spans.map((span) => [`${span.row} ${span.column}`, span]));
  const covered = coveredCells(spans);
  const lines = rows.map((row, at) => {
    const cells = row.map((text, column) => {
      // Pages may write a cell where another one reaches.
      if (text === '' && covered.has(`${at} ${column}`)) return '';
      const { rows: down = 1, columns = 1 } = byCell.get(`${at} ${column}`) ?? {};
      const size = `${columns > 1 ? ` colspan="${columns}"` : ''}${down > 1 ? ` rowspan="${down}"` : ''}`;
      const tag = at === 0 ? 'th' : 'td';
      return `<${tag}${size}>${escapeHtml(text)}</${tag}>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  return ['<table>', ...lines, '</table>'].join('\n');
}

function escapeHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replaceAll('\n', '<br>');
}

/** A bar ends a cell, even in code. */
function markedCell(text: string, marks: readonly InlineMark[]): string {
  const written = markedMarkdown(text, marks, true);
  return written
    .split('\n')
    .map((line) => line.trim())
    .join('<br>');
}

function escapeCell(text: string): string {
  return text
    .split('\n')
    .map((line) => escapeRun(line.trim()))
    .join('<br>');
}

export function fenceMarkdownCode(code: string, language = ''): string {
  let longest = 2;
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const marks = '`'.repeat(longest + 1);
  return `${marks}${language}\n${code}\n${marks}`;
}

// Inline text in which every character is literal.

/** Special characters anywhere in a line of GFM. */
const INLINE_SPECIAL = /[\\`*_[\]<>~|&]/g;

/** Matches if any pattern below might match; most text has no match. */
const MAYBE_SPECIAL_IN_LINE = /[\\`*_[\]<>~|&]|:\/\/|www\./i;

/** Addresses that GFM links automatically, including any backslash in them. */
const BARE_LINK = /((?:https?|ftp):\/\/)([^\s<>|`\\]*[^\s<>|`\\.,;:!?)\]}'"*_~&])?|www\.(?![a-z0-9./-]{1,200} )/gi;

/** Writes a bare address as an explicit link; inside a link, escapes it to prevent a nested one. */
function escapeRun(text: string, isInLink = false): string {
  if (!MAYBE_SPECIAL_IN_LINE.test(text)) return text;
  let written = '';
  let at = 0;
  for (const match of text.matchAll(BARE_LINK)) {
    const [address, scheme = '', rest = ''] = match;
    written += escapeCharacters(text.slice(at, match.index));
    at = match.index + address.length;
    if (scheme === '') written += address.replace('.', '\\.');
    else if (rest === '' || isInLink) written += scheme.replace(':', '\\:') + escapeCharacters(rest);
    else written += `<${address}>`;
  }
  return written + escapeCharacters(text.slice(at));
}

function escapeCharacters(text: string): string {
  return text.replace(INLINE_SPECIAL, '\\$&');
}

const STRESS = { strong: '**', emphasis: '*' } as const;

const WORD = /[\p{L}\p{N}\p{M}]/u;

const SPACE = /\s/;

/** Characters that would end a bracketed address or a table cell. */
const UNSAFE_IN_URL = /[()<>\\|\s]/g;

/**
 * Writes text with links, code, emphasis and pictures as Markdown. Marks may overlap, as the tags of a page may: a mark
 * that extends past its enclosing mark ends with it.
 */
function markedMarkdown(text: string, marks: readonly InlineMark[], isCell = false): string {
  const isInOrder = marks.every((mark, at) => at === 0 || (marks[at - 1]?.end ?? 0) <= mark.start);
  const inOrder = isInOrder ? marks : marks.toSorted((one, other) => one.start - other.start || other.end - one.end);
  return new MarkWriter(text, inOrder, isCell).writeMarkedRange(0, text.length, false);
}

function imageMarkdown({ url, alt }: BlockImage): string {
  return `![${escapeCharacters(alt)}](${urlMarkdown(url)})`;
}

class MarkWriter {
  readonly #text: string;
  readonly #marks: readonly InlineMark[];
  readonly #isCell: boolean;
  #next = 0;

  constructor(text: string, marks: readonly InlineMark[], isCell: boolean) {
    this.#text = text;
    this.#marks = marks;
    this.#isCell = isCell;
  }

  writeMarkedRange(from: number, to: number, isInLink: boolean): string {
    // Collects pieces, because reading the end of a growing string flattens it each time.
    const pieces: string[] = [];
    const putMarkedPiece = (piece: string) => {
      if (piece !== '') pieces.push(piece);
    };
    let at = from;
    for (let mark = this.#marks[this.#next]; mark !== undefined; mark = this.#marks[this.#next]) {
      if (mark.start > to || (mark.start === to && mark.kind !== 'image')) break;
      this.#next += 1;
      const start = Math.max(mark.start, at);
      const end = Math.max(start, Math.min(mark.end, to));
      if (mark.kind !== 'image' && end === start) continue;
      putMarkedPiece(escapeRun(this.#text.slice(at, start), isInLink));
      if (mark.kind === 'image') this.#putImage(pieces, mark, end);
      else this.#putMark(pieces, mark, start, end, isInLink);
      at = end;
    }
    putMarkedPiece(escapeRun(this.#text.slice(at, to), isInLink));
    return pieces.join('');
  }

  #putImage(pieces: string[], { url = '', alt = '' }: InlineMark, at: number): void {
    // The text keeps one of the surrounding spaces.
    const isApart = /\s$/.test(pieces.at(-1) ?? '') && !SPACE.test(this.#text[at] ?? ' ');
    escapeMark(pieces);
    pieces.push(imageMarkdown({ url, alt }) + (isApart ? ' ' : ''));
  }

  #putMark(pieces: string[], { kind, url = '' }: InlineMark, start: number, end: number, isInLink: boolean): void {
    // White space at the ends of a mark moves outside it.
    let [from, to] = [start, end];
    while (from < to && SPACE.test(this.#text[from] ?? '')) from += 1;
    while (to > from && SPACE.test(this.#text[to - 1] ?? '')) to -= 1;
    if (from > start) pieces.push(this.#text.slice(start, from));
    const before = pieces.at(-1) ?? '';
    if (kind === 'code') pieces.push(this.#writeMarkedCode(from, to, before));
    else if (kind === 'verbatim' || kind === 'footnote') {
      this.#passOverMarks(to);
      const own = this.#text.slice(from, to);
      pieces.push(kind === 'footnote' ? own.replace('[', '[^') : own);
    } else {
      const inner = this.writeMarkedRange(from, to, isInLink || kind === 'link');
      this.#passOverMarks(end);
      if (kind === 'link' && !isInLink && inner !== '') {
        escapeMark(pieces);
        pieces.push(`[${inner}](${urlMarkdown(url)})`);
      } else if (kind === 'strong' || kind === 'emphasis') {
        const isPlain = before.endsWith('*') || /^\*|\*$/.test(inner) || !this.#mayStress(from, to);
        pieces.push(inner === '' || isPlain ? inner : STRESS[kind] + inner + STRESS[kind]);
      } else pieces.push(inner);
    }
    if (to < end) pieces.push(this.#text.slice(to, end));
  }

  /** Marks inside code are ignored. Directly after other code, its backticks would merge with that code's. */
  #writeMarkedCode(from: number, to: number, written: string): string {
    this.#passOverMarks(to);
    const code = this.#text.slice(from, to).replaceAll('\n', ' ');
    const shown = this.#isCell ? code.replaceAll('|', '\\|') : code;
    let longest = 0;
    for (const [run] of code.includes('`') ? code.matchAll(/`+/g) : []) longest = Math.max(longest, run.length);
    const ticks = '`'.repeat(longest + 1);
    const space = longest > 0 ? ' ' : '';
    return shown === '' || written.endsWith('`') ? escapeRun(code) : `${ticks}${space}${shown}${space}${ticks}`;
  }

  #passOverMarks(end: number): void {
    while ((this.#marks[this.#next]?.start ?? Number.POSITIVE_INFINITY) < end) this.#next += 1;
  }

  /** CommonMark ignores asterisks for emphasis between a word character and punctuation. */
  #mayStress(from: number, to: number): boolean {
    const [before = ' ', first = '', last = '', after = ' '] = [
      ...[this.#text[from - 1], this.#text[from], this.#text[to - 1], this.#text[to]],
    ];
    return (!WORD.test(before) || WORD.test(first)) && (!WORD.test(after) || WORD.test(last));
  }
}

/** After an exclamation mark a link would be a picture. */
function escapeMark(pieces: string[]): void {
  const last = pieces.at(-1);
  if (last?.endsWith('!') === true) pieces[pieces.length - 1] = `${last.slice(0, -1)}\\!`;
}

function urlMarkdown(url: string): string {
  return url.replace(UNSAFE_IN_URL, (character) =>
    character === '(' ? '%28' : character === ')' ? '%29' : encodeURIComponent(character),
  );
}
