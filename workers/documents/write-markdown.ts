import type { Block, BlockImage, CellMark, CellSpan, ColumnAlign, InlineMark, NormalizedDocument } from './blocks.ts';
import { escapeRun, finishLines } from './markdown-escapes.ts';
import { coveredCells, shownSpans } from './table-spans.ts';
import { imageMarkdown, markedHtml, markedMarkdown } from './write-marks.ts';

const MAX_HEADING_LEVEL = 6;

/** What begins a list item that is a task. */
const TASK_BOX = /^\[[ xX]\](?:\s|$)/;

/** Indents the further paragraphs of a footnote. */
const NOTE_INDENT = ' '.repeat(4);

/** Writes document.md: GFM in which every character of the text is literal. */
export function writeMarkdown(document: NormalizedDocument): string {
  return joinMarkdown(writeMarkdownBlocks(document));
}

/** The Markdown of each block, with the white space before it. */
export function writeMarkdownBlocks(document: NormalizedDocument): string[] {
  const blocks = withOwnLabels(document.blocks);
  const noted = new Set(blocks.flatMap(footnotesOf));
  let previous: Block | null = null;
  const columns: number[] = [];
  /** How deep the list items are quoted, by their depth. */
  const itemQuotes: number[] = [];
  return blocks.map((block) => {
    const before = blankBetween(previous, block);
    if (block.kind !== 'list-item') columns.length = Math.min(columns.length, itemDepth(block));
    const images =
      'images' in block && block.images !== undefined ? imagesBefore(block.images, columns.length > 0) : '';
    const ofItemBefore = block.kind === 'list-item' ? (columns.at(-1) ?? 0) : 0;
    previous = block;
    const indent = block.kind === 'list-item' ? 0 : (columns.at(-1) ?? 0);
    const isNoted = block.kind === 'note' && noted.has(block.marker);
    const written = isNoted ? `[^${block.marker}]: ${noteMarkdown(block)}` : writeBlock(block, columns);
    // A quotation inside a list item stands in the item; a list inside a quotation, in the quotation.
    const depth = quoteDepth(block);
    if (block.kind === 'list-item') itemQuotes[block.depth] = depth;
    const outer = indent === 0 ? depth : Math.min(depth, itemQuotes[itemDepth(block) - 1] ?? 0);
    const inner = quoteMarkdown(calloutMarkdown(block, written), depth - outer);
    return (
      before +
      indentMarkdown(images, Math.max(indent, ofItemBefore)) +
      quoteMarkdown(indentMarkdown(inner, indent), outer)
    );
  });
}

/**
 * Pages, tables and files of an archive may number their notes alike: each note has a label of its own. A reference is
 * to the first note with its marker that follows, else to the last one.
 */
function withOwnLabels(blocks: readonly Block[]): readonly Block[] {
  const notes = new Map<string, { at: number; part: number | undefined; label: string }[]>();
  const labels = new Map<Block, string>();
  for (const [at, block] of blocks.entries()) {
    if (block.kind !== 'note') continue;
    const same = notes.get(block.marker) ?? [];
    const label = same.length === 0 ? block.marker : `${block.marker}-${same.length + 1}`;
    same.push({ at, part: block.part, label });
    notes.set(block.marker, same);
    labels.set(block, label);
  }
  if ([...notes.values()].every(({ length }) => length === 1)) return blocks;
  return blocks.map((block, at) => {
    const relabel = <Mark extends InlineMark>(mark: Mark, text: string): Mark => {
      if (mark.kind !== 'footnote') return mark;
      const own = mark.label ?? text.slice(mark.start + 1, mark.end - 1);
      const same = notes.get(own)?.filter(({ part }) => part === block.part) ?? [];
      const label = (same.find((note) => note.at > at) ?? same.at(-1))?.label ?? own;
      return label === own ? mark : { ...mark, label };
    };
    return relabelledBlock(block, labels.get(block), relabel);
  });
}

function relabelledBlock(
  block: Block,
  label: string | undefined,
  relabel: <Mark extends InlineMark>(mark: Mark, text: string) => Mark,
): Block {
  if (block.kind === 'table') {
    const marks = block.marks?.map((mark) => relabel(mark, block.rows[mark.row]?.[mark.column] ?? ''));
    return marks === undefined ? block : { ...block, marks };
  }
  const noted = block.kind === 'note' ? { ...block, marker: label ?? block.marker } : block;
  if (!('marks' in noted) || noted.marks === undefined) return noted;
  return { ...noted, marks: noted.marks.map((mark) => relabel(mark, noted.text)) };
}

function quoteDepth(block: Block): number {
  if (!('isQuoted' in block) || block.isQuoted !== true) return 0;
  return block.quoteDepth ?? 1;
}

function blankBetween(previous: Block | null, block: Block): string {
  if (previous === null) return '';
  const [last, depth] = [quoteDepth(previous), quoteDepth(block)];
  if (previous.kind === 'list-item' && block.kind === 'list-item' && last === depth) return '\n';
  const isRuled = 'afterRule' in block && block.afterRule === true;
  if (isRuled && depth === 0) return '\n\n---\n\n';
  const isNewCallout = 'callout' in block && block.callout !== undefined;
  if (isBareCallout(previous) && !isNewCallout && last === depth) return '\n';
  const shared = isNewCallout ? Math.min(last, depth - 1) : Math.min(last, depth);
  if (shared <= 0) return '\n\n';
  const signs = Array.from({ length: shared }, () => '>').join(' ');
  return isRuled ? `\n${signs}\n${signs} ---\n${signs}\n` : `\n${signs}\n`;
}

/** Whether a block is the title of an admonition that only names its kind. */
export function isBareCallout(block: Block): boolean {
  if (block.kind === 'table' || !('callout' in block)) return false;
  return block.callout !== undefined && block.text.trim().toUpperCase() === block.callout;
}

/** The first block of an admonition below its kind, in GitHub's form. A title that is the kind is not repeated. */
function calloutMarkdown(block: Block, written: string): string {
  if (!('callout' in block) || block.callout === undefined) return written;
  const marker = `[!${block.callout}]`;
  if (isBareCallout(block)) return marker;
  const isPlainTitle = block.hasCalloutTitle === true && !written.includes('\n') && !/^[*#>-]/.test(written);
  return `${marker}\n${isPlainTitle ? `**${written}**` : written}`;
}

/** Each line of a footnote is a paragraph. */
function noteMarkdown(block: InlineBlock): string {
  return inlineMarkdown(block).replaceAll('\\\n', `\n\n${NOTE_INDENT}`);
}

/** Markers of the footnotes that a block refers to. */
function footnotesOf(block: Block): string[] {
  if (!('marks' in block) || block.marks === undefined) return [];
  if (block.kind === 'table') {
    const { rows, marks } = block;
    const noted = marks.filter(({ kind }) => kind === 'footnote');
    return noted.map(
      ({ row, column, start, end, label }) => label ?? (rows[row]?.[column] ?? '').slice(start + 1, end - 1),
    );
  }
  const noted = block.marks.filter(({ kind }) => kind === 'footnote');
  return noted.map(({ start, end, label }) => label ?? block.text.slice(start + 1, end - 1));
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
      const label = marker === '-' && !isBullet(block.marker) ? `${literalText(block.marker)} ` : '';
      const text = itemMarkdown(block).replaceAll('\n', `\n${' '.repeat(indent + marker.length + 1)}`);
      return `${' '.repeat(indent)}${marker} ${label}${text}`;
    }
    case 'table':
      return writeAnyTable(block, shownSpans(block.rows, block.spans));
    case 'note':
      return `[${literalText(block.marker)}] ${inlineMarkdown(block)}`;
    case 'code':
      return fenceMarkdownCode(block.text, block.language);
    case 'comment':
    case 'page-furniture':
      return finishLines(escapeRun(block.text));
    case 'paragraph':
    case 'caption':
      return inlineMarkdown(block);
  }
}

/** Signs for a box in the text of a task, as word processors write them. */
const TASK_SIGN = /^[\u2610-\u2612]\s+(?=\S)/;

/** The text of a list item. A task has its box in brackets, whichever sign or field the source has for it. */
function itemMarkdown(block: Extract<Block, { kind: 'list-item' }>): string {
  const { text, marks, isDone } = block;
  const [sign] = TASK_SIGN.exec(text) ?? [];
  if (sign !== undefined && isBullet(block.marker)) {
    const moveBeforeSign = (at: number) => Math.max(0, at - sign.length);
    const moved = marks?.map((mark) => ({ ...mark, start: moveBeforeSign(mark.start), end: moveBeforeSign(mark.end) }));
    const kept = moved?.filter(({ kind, start, end }) => end > start || kind === 'image' || kind === 'frame');
    const written = inlineMarkdown({ text: text.slice(sign.length), ...(kept && { marks: kept }) });
    return `[${text.startsWith('\u2610') ? ' ' : 'x'}] ${written}`;
  }
  const written = inlineMarkdown(block);
  if (isDone !== undefined) return `[${isDone ? 'x' : ' '}] ${written}`;
  return TASK_BOX.test(text) && marks?.[0]?.kind !== 'verbatim' ? `\\${written}` : written;
}

/** Inline text in which every character is literal, whatever stands around it. */
export function literalText(text: string): string {
  return escapeRun(text, { isAmongMarks: true, isAmongLinks: true });
}

export function quoteMarkdown(lines: string, depth = 1): string {
  let quoted = lines;
  for (let count = 0; count < depth; count += 1)
    quoted = `> ${quoted.replaceAll('\n', '\n> ').replaceAll('\n> \n', '\n>\n')}`;
  return quoted;
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
  const isWhole = ({ start, end }: InlineMark) => start === 0 && end === block.text.length;
  const kept = marks?.filter((mark) => mark.kind !== 'strong' && !(mark.kind === 'emphasis' && isWhole(mark)));
  return inlineMarkdown(kept === undefined ? block : { ...block, marks: kept })
    .replaceAll('\\\n', ' ')
    .replace(/([ \t])(#+[ \t]*)$/, '$1\\$2');
}

interface InlineBlock {
  text: string;
  marks?: InlineMark[];
}

/** Pictures outside blocks, one per line; in a list they belong to the item before. */
function imagesBefore(images: readonly BlockImage[], isInItem: boolean): string {
  return images.map((image) => `${imageMarkdown(image)}\n${isInItem ? '' : '\n'}`).join('');
}

function inlineMarkdown(block: InlineBlock): string {
  const { text, marks } = block;
  if (marks === undefined || marks.length === 0) return finishLines(escapeRun(text));
  return isVerbatim(text, marks) ? text : finishLines(markedMarkdown(text, marks));
}

/** Whether all of a text is Markdown as it is: a formula on its own lines. */
function isVerbatim(text: string, [first, ...more]: readonly InlineMark[]): boolean {
  return first?.kind === 'verbatim' && more.length === 0 && first.start === 0 && first.end === text.length;
}

type TableBlock = Extract<Block, { kind: 'table' }>;

function cellMarks(marks: readonly CellMark[] | undefined): Map<string, CellMark[]> | null {
  return marks === undefined ? null : Map.groupBy(marks, ({ row, column }) => `${row} ${column}`);
}

const ALIGNED = { left: ':--', center: ':-:', right: '--:' } as const;

function ruleOf(align: ColumnAlign | undefined): string {
  return align == null ? '---' : ALIGNED[align];
}

function writeTable({ rows, marks, align }: TableBlock): string {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 1);
  const byCell = cellMarks(marks);
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
  const rules = first.map((_, column) => ` ${ruleOf(align?.[column])} |`);
  return [writeMarkdownRow(first, 0), `|${rules.join('')}`, ...lines].join('\n');
}

function writeAnyTable(table: TableBlock, spans: readonly CellSpan[]): string {
  return spans.length === 0 ? writeTable(table) : writeSpanned(table, spans);
}

/** A table with merged cells, which GFM has not: HTML, in which every character of the text is literal too. */
function writeSpanned({ rows, marks }: TableBlock, spans: readonly CellSpan[]): string {
  const marksByCell = cellMarks(marks);
  const byCell = new Map(spans.map((span) => [`${span.row} ${span.column}`, span]));
  const covered = coveredCells(spans);
  const lines = rows.map((row, at) => {
    const cells = row.map((text, column) => {
      // Pages may write a cell where another one reaches.
      if (text === '' && covered.has(`${at} ${column}`)) return '';
      const { rows: down = 1, columns = 1 } = byCell.get(`${at} ${column}`) ?? {};
      const size = `${columns > 1 ? ` colspan="${columns}"` : ''}${down > 1 ? ` rowspan="${down}"` : ''}`;
      const tag = at === 0 ? 'th' : 'td';
      return `<${tag}${size}>${markedHtml(text, marksByCell?.get(`${at} ${column}`))}</${tag}>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  return ['<table>', ...lines, '</table>'].join('\n');
}

function markedCell(text: string, marks: readonly InlineMark[]): string {
  return joinCellLines(markedMarkdown(text, marks, true));
}

function escapeCell(text: string): string {
  return joinCellLines(escapeRun(text, { isCell: true }));
}

function joinCellLines(written: string): string {
  if (!written.includes('\n')) return written.trim();
  const lines = written.split('\n');
  return lines.map((line) => line.trim()).join('<br>');
}

export function fenceMarkdownCode(code: string, language = ''): string {
  let longest = 2;
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const marks = '`'.repeat(longest + 1);
  return `${marks}${language}\n${code}\n${marks}`;
}
