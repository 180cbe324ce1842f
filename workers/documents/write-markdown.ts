import type { Block, BlockImage, BlockLink, CellMark, InlineMark, NormalizedDocument } from './blocks.ts';
import { escapeRun } from './markdown-escape.ts';
import { imageMarkdown, markedMarkdown } from './markdown-marks.ts';

const MAX_HEADING_LEVEL = 6;
/** What any of the patterns here could find in a text, besides its beginning. Most text has nothing of it. */
const MAYBE_SPECIAL = /[\\`*_[\]<>~|&\n]|:\/\/|www\./i;
/** What starts a block when it stands first in a line: heading, quote, bullet, rule, setext underline. */
const BLOCK_SPECIAL = /^([#>+=-])/;
/** How all that begins: most lines are prose. */
const MAYBE_BLOCK = /^[#>+=\-\d]/;
const ORDERED_SPECIAL = /^(\d{1,9})([.)])(?=\s|$)/;

/** Writes document.md: GFM in which every character of the text means itself. */
export function writeMarkdown(document: NormalizedDocument): string {
  const pieces: string[] = [];
  let previous: Block | null = null;
  const columns: number[] = [];
  for (const block of document.blocks) {
    if (previous !== null) pieces.push(previous.kind === 'list-item' && block.kind === 'list-item' ? '\n' : '\n\n');
    if (block.kind !== 'list-item') columns.length = 0;
    if ('images' in block && block.images !== undefined) pieces.push(imagesBefore(block.images, columns));
    pieces.push(writeBlock(block, columns));
    previous = block;
  }
  return pieces.length === 0 ? '' : `${pieces.join('')}\n`;
}

/** `columns` holds, per list depth, where an item's content begins, since a nested item must stand at least there. */
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
      const text = inline(block).replaceAll('\n', `\n${' '.repeat(indent + marker.length + 1)}`);
      return `${' '.repeat(indent)}${marker} ${label}${text}`;
    }
    case 'table':
      return writeTable(block.rows, block.marks);
    case 'note':
      return `\\[${escapeText(block.marker)}\\] ${inline(block)}`;
    case 'code':
      return fence(block.text, block.language);
    case 'comment':
    case 'page-furniture':
      return escapeText(block.text);
    case 'paragraph':
      return block.isQuoted === true ? quoted(inline(block)) : inline(block);
    case 'caption':
      return inline(block);
  }
}

export function quoted(lines: string): string {
  return `> ${lines.replaceAll('\n', '\n> ')}`;
}

function isBullet(marker: string): boolean {
  return marker === '' || !/[\p{L}\p{N}]/u.test(marker);
}

/** Markdown knows bullets and `1.` or `1)`; any other marker (`a)`, `1.2`, `iv.`) becomes text after a bullet. */
function markdownMarker(marker: string): string {
  return /^\d{1,9}[.)]$/.test(marker) ? marker : '-';
}

/** A heading is one line, and number signs after a space at its end would be taken for its close. */
function headingText({ marks, ...block }: InlineBlock): string {
  // A heading is stressed as a whole.
  const kept = marks?.filter(({ kind }) => kind !== 'strong' && kind !== 'emphasis');
  return inline(kept === undefined ? block : { ...block, marks: kept })
    .replaceAll('\\\n', ' ')
    .replace(/([ \t])(#+[ \t]*)$/, '$1\\$2');
}

interface InlineBlock {
  text: string;
  links?: BlockLink[];
  marks?: InlineMark[];
}

/** Pictures that stand by themselves, a line each; in a list they belong to the item before. */
function imagesBefore(images: readonly BlockImage[], columns: readonly number[]): string {
  const indent = ' '.repeat(columns.at(-1) ?? 0);
  return images.map((image) => `${indent}${imageMarkdown(image)}\n${columns.length === 0 ? '\n' : ''}`).join('');
}

function inline(block: InlineBlock): string {
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

/** Escapes what would open a block at a line's start, and makes each line break a hard one. */
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
  const cellOf = (text: string, row: number, column: number) => {
    const own = byCell?.get(`${row} ${column}`);
    return own === undefined ? escapeCell(text) : markedCell(text, own);
  };
  const write = (row: string[], at: number) => `| ${row.map((text, column) => cellOf(text, at, column)).join(' | ')} |`;
  const [header = [], ...body] = rows;
  // Only the header must have every column: GFM fills shorter rows by itself.
  const first = Array.from({ length: width }, (_, index) => header[index] ?? '');
  const lines = body.map((row, at) => write(row, at + 1));
  return [write(first, 0), `|${' --- |'.repeat(width)}`, ...lines].join('\n');
}

/** In a cell a bar ends it, in code too. */
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

export function fence(code: string, language = ''): string {
  let longest = 2;
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const marks = '`'.repeat(longest + 1);
  return `${marks}${language}\n${code}\n${marks}`;
}
