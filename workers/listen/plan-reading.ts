/**
 * What of a text is read aloud, and in which parts. Code, tables, formulas and pictures are named in a sentence;
 * footnotes are left out. Threat: a text made to take long; every rule is linear in its lines.
 */

import { splitText } from '../../src-server/platform/text/split-text.ts';
import { spokenInline } from './spoken-inline.ts';
import type { LeftUnread, PlanReadingInput, PlanReadingOutput, ReadParagraph, ReadPart } from './tasks.ts';

/** Characters of the parts, the first ones first. */
const PART_CHARS = [120, 400, 1200];

const PART_CHARS_MAX = 2400;

/** Longest piece that a voice gets at once. */
const PIECE_CHARS = 600;

const WORD_CHARS = 2000;

/** Marks in an MP3 file are at most this many. */
const CHAPTERS_MAX = 200;

const TITLE_CHARS_MAX = 120;

const PARAGRAPH_SECONDS = 0.45;

const HEADING_SECONDS = 1.2;

/** Columns of a table that are named. */
const COLUMNS_NAMED = 6;

interface Block {
  kind: 'heading' | 'text';
  level: number;
  text: string;
}

export async function planReading(input: PlanReadingInput): Promise<PlanReadingOutput> {
  const leftUnread: LeftUnread = { code: 0, tables: 0, footnotes: 0, pictures: 0, formulas: 0 };
  const blocks = [...readBlocks(input.text.split(/\r\n?|\n/), leftUnread)];
  const level = chapterLevel(blocks);
  const chapters: { title: string }[] = [];
  const parts: ReadPart[] = [];
  let length = Number.POSITIVE_INFINITY;
  let characters = 0;
  const say = (paragraph: ReadParagraph, isNew: boolean) => {
    const most = PART_CHARS[parts.length - 1] ?? PART_CHARS_MAX;
    if (isNew || length + paragraph.text.length > most) {
      parts.push({ chapter: chapters.length - 1, paragraphs: [] });
      length = 0;
    }
    parts.at(-1)?.paragraphs.push(paragraph);
    length += paragraph.text.length;
    characters += paragraph.text.length;
  };
  for (const block of blocks) {
    const isChapter = block.kind === 'heading' && block.level <= level && chapters.length < CHAPTERS_MAX;
    if (isChapter) chapters.push({ title: block.text.slice(0, TITLE_CHARS_MAX).toWellFormed() });
    else if (chapters.length === 0) chapters.push({ title: input.title.slice(0, TITLE_CHARS_MAX).toWellFormed() });
    const pause = block.kind === 'heading' ? HEADING_SECONDS : PARAGRAPH_SECONDS;
    for (const [index, text] of piecesOf(block, input.language).entries()) {
      say({ text, pauseSeconds: index === 0 ? pause : 0 }, isChapter && index === 0);
    }
  }
  return { chapters, parts, characters, leftUnread };
}

/** Sentences together, as far as a voice takes them. */
function piecesOf({ text, kind }: Block, language: string | null): string[] {
  if (kind === 'heading') return [/[.!?…:]$/.test(text) ? text : `${text}.`];
  const split = { targetLength: PIECE_CHARS, maxLength: PIECE_CHARS, maxWordLength: WORD_CHARS, language };
  return [...splitText(text, { start: 0, end: text.length }, split)].map(({ start, end }) => text.slice(start, end));
}

/** The deepest level of headings that gives few enough chapters; 0 without headings. */
function chapterLevel(blocks: readonly Block[]): number {
  const counts = [1, 2, 3].map((level) => blocks.filter((one) => one.kind === 'heading' && one.level <= level).length);
  const enough = counts.findIndex((count) => count > 1 && count <= CHAPTERS_MAX);
  return enough === -1 ? 1 : enough + 1;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*$/;

const FOOTNOTE = /^ {0,3}\[\^[^\]]{1,100}\]:/;

const TABLE_ROW = /^\s*\|.*\|\s*$/;

const RULE = /^ {0,3}(?:[-*_][ \t]*){3,}$/;

const FORMULA_FENCE = /^\s*\$\$/;

const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/;

/** The blocks that are read, from the lines of Markdown. */
function* readBlocks(lines: readonly string[], left: LeftUnread): Generator<Block> {
  let paragraph: string[] = [];
  const closed = (): Block[] => {
    const text = spokenInline(paragraph.join(' '), left);
    paragraph = [];
    return /[\p{L}\p{N}]/u.test(text) ? [{ kind: 'text', level: 0, text }] : [];
  };
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const special = unreadBlock(lines, at, left);
    if (special !== null) {
      yield* closed();
      if (special.said !== '') yield { kind: 'text', level: 0, text: special.said };
      at = special.next;
      continue;
    }
    at += 1;
    const heading = HEADING.exec(line);
    const isItem = ITEM.test(line);
    if (heading !== null || isItem || line.trim() === '' || RULE.test(line)) yield* closed();
    if (heading !== null) {
      const text = spokenInline(heading[2] ?? '', left);
      if (/[\p{L}\p{N}]/u.test(text)) yield { kind: 'heading', level: heading[1]?.length ?? 1, text };
    } else if (line.trim() !== '' && !RULE.test(line)) paragraph.push(line.replace(ITEM, '').replace(/^[\s>]+/, ''));
  }
  yield* closed();
}

/** A block that is not read, what is said in its place, and the line after it; null for others. */
function unreadBlock(lines: readonly string[], at: number, left: LeftUnread): { said: string; next: number } | null {
  const line = lines[at] ?? '';
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) {
    const end = lineAfter(lines, at + 1, (one) => one.trim().startsWith(fence) && one.trim().length >= fence.length);
    left.code += 1;
    return { said: `Code of ${countLines(Math.max(0, end - at - 1))} is left out.`, next: end + 1 };
  }
  if (FORMULA_FENCE.test(line)) {
    const isWhole = /^\s*\$\$.+\$\$\s*$/.test(line);
    left.formulas += 1;
    return { said: 'A formula is left out.', next: isWhole ? at + 1 : lineAfter(lines, at + 1, isFormulaEnd) + 1 };
  }
  if (TABLE_ROW.test(line) && TABLE_ROW.test(lines[at + 1] ?? '')) {
    const next = lineAfter(lines, at, (one) => !TABLE_ROW.test(one));
    left.tables += 1;
    return { said: tableSaid(lines.slice(at, next)), next };
  }
  if (FOOTNOTE.test(line)) {
    left.footnotes += 1;
    // Its lines are indented.
    return { said: '', next: lineAfter(lines, at + 1, (one) => !/^(?: {2,}|\t)\S/.test(one)) };
  }
  return null;
}

function isFormulaEnd(line: string): boolean {
  return /\$\$\s*$/.test(line);
}

function lineAfter(lines: readonly string[], from: number, isEnd: (line: string) => boolean): number {
  let at = from;
  while (at < lines.length && !isEnd(lines[at] ?? '')) at += 1;
  return at;
}

function countLines(count: number): string {
  return count === 1 ? 'one line' : `${count} lines`;
}

const TABLE_RULE = /^[\s|:-]+$/;

/** How large a table is and what its columns are called. */
function tableSaid(rows: readonly string[]): string {
  const [first = ''] = rows;
  const body = rows.slice(1).filter((row) => !TABLE_RULE.test(row)).length;
  const none: LeftUnread = { code: 0, tables: 0, footnotes: 0, pictures: 0, formulas: 0 };
  const cells = first
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|');
  const names = cells.map((cell) => spokenInline(cell, none)).filter((cell) => cell !== '');
  const named = names.length === 0 ? '' : `: ${names.slice(0, COLUMNS_NAMED).join(', ')}`;
  return `A table of ${body === 1 ? 'one row' : `${body} rows`} is left out${named}.`;
}
