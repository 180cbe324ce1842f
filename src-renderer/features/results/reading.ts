/**
 * A text in Markdown as blocks that can be laid out one by one, each with the chunks that begin in it. Chunks are cut
 * from the same text without its markup, so both are aligned by their letters.
 */

import type { Chunk } from '../../api/generated/public.ts';

export interface ReadingBlock {
  /** Markdown of this block alone. */
  source: string;
  /** Index of the chunk that contains the start of the block; -1 if there is none. */
  chunk: number;
  /** Indexes of the chunks that begin in the block. */
  starts: readonly number[];
  /** Page of the block's chunk. */
  page: number;
  heading: Heading | null;
}

export interface Heading {
  depth: number;
  text: string;
}

/** Longer tables and lists are laid out in pieces. */
const LINES_MAX = 80;

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;

/** Splits Markdown at the blank lines between its blocks. */
function markdownBlockSources(markdown: string): string[] {
  const sources: string[] = [];
  let lines: string[] = [];
  let fence: string | null = null;
  const flushBlockLines = () => {
    if (lines.length > 0) sources.push(...splitLongBlock(lines));
    lines = [];
  };
  for (const line of markdown.split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === null && mark !== undefined) fence = mark;
    else if (fence !== null && mark?.startsWith(fence) === true && line.trim() === mark) fence = null;
    if (line.trim() === '' && fence === null) flushBlockLines();
    else lines.push(line);
  }
  flushBlockLines();
  return sources;
}

const LIST_ITEM = /^(?:[-*+]|\d{1,9}[.)]) /;

function splitLongBlock(lines: readonly string[]): string[] {
  const first = lines[0] ?? '';
  if (lines.length <= LINES_MAX) return [lines.join('\n')];
  if (first.startsWith('|')) {
    const [head, body] = [lines.slice(0, 2), lines.slice(2)];
    return indexRange(Math.ceil(body.length / LINES_MAX)).map((piece) =>
      [...head, ...body.slice(piece * LINES_MAX, (piece + 1) * LINES_MAX)].join('\n'),
    );
  }
  if (!LIST_ITEM.test(first)) return [lines.join('\n')];
  const found: string[][] = [[]];
  for (const line of lines) {
    if ((found.at(-1)?.length ?? 0) >= LINES_MAX && LIST_ITEM.test(line)) found.push([]);
    found.at(-1)?.push(line);
  }
  return found.map((piece) => piece.join('\n'));
}

function indexRange(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

const IMAGE = /!\[(?:\\.|[^\]\\])*\]\((?:<[^>]*>|[^)]*)\)/g;

const ADDRESS = /\]\((?:<[^>]*>|[^)]*)\)/g;

const FENCE_LINE = /^\s{0,3}(?:`{3,}|~{3,}).*$/gm;

/** Most text has no addresses, pictures, code or line breaks in cells. */
const MAYBE_MARKED = /[\]`~<]/;

/** Marks of a table in HTML. */
const HTML_MARK = /<\/?[a-z]+(?: (?:col|row)span="\d+")*>|&[a-z]+;/g;

/** The letters of Markdown as shown, without its addresses and pictures. */
function markdownLetters(markdown: string): string {
  if (!MAYBE_MARKED.test(markdown)) return stripNonLetters(markdown);
  if (markdown.startsWith('<table>')) return stripNonLetters(markdown.replace(HTML_MARK, ' '));
  return stripNonLetters(
    markdown.replace(FENCE_LINE, '').replace(IMAGE, '').replace(ADDRESS, ']').replaceAll('<br>', ' '),
  );
}

/** White space, digits and punctuation: marks of Markdown, and what differs between both texts. */
const NO_LETTERS = /[\s!-@[-`{-~\u00a1-\u00bf\u2000-\u206f\u3000-\u303f]+/g;

function stripNonLetters(text: string): string {
  return text.replace(NO_LETTERS, '');
}

/** Letters of a chunk's start that are searched, and how far ahead. */
const PROBE_LETTERS = 48;

const AHEAD_LETTERS = 60_000;

/** Characters that hold so many letters. */
const PROBE_CHARS = 600;

/** Positions of the chunks in the letters of the text; -1 if a chunk has none or is not found. */
function positionsOf(chunks: readonly Chunk[], letters: string): number[] {
  let from = 0;
  return chunks.map(({ text }) => {
    const start = text.slice(0, PROBE_CHARS);
    const ahead = letters.slice(from, from + AHEAD_LETTERS);
    let at = letterProbePlace(start, ahead);
    // A part of a cut table repeats its head.
    const head = start.slice(0, start.indexOf('\n') + 1);
    const isPart = at < 0;
    if (isPart) at = letterProbePlace(start.slice(head.length).replace(/^\|[\s|:-]+\n/, ''), ahead);
    if (at < 0) return -1;
    const position = from + at;
    // Past the whole chunk, because the next one may begin with the same words.
    from = position + Math.max(1, markdownLetters(text).length - (isPart ? stripNonLetters(head).length : 0));
    return position;
  });
}

function letterProbePlace(text: string, letters: string): number {
  const probe = markdownLetters(text).slice(0, PROBE_LETTERS);
  return probe === '' ? -1 : letters.indexOf(probe);
}

/** The blocks of a text with their chunks. */
export function readingOf(markdown: string, chunks: readonly Chunk[]): ReadingBlock[] {
  const sources = markdownBlockSources(markdown);
  const texts = sources.map(markdownLetters);
  const ends: number[] = [];
  let end = 0;
  for (const { length } of texts) {
    end += length;
    ends.push(end);
  }
  const positions = positionsOf(chunks, texts.join(''));
  const order = positions
    .map((position, chunk) => ({ position, chunk }))
    .filter(({ position }) => position >= 0)
    .sort((one, other) => one.position - other.position);
  const blocks: ReadingBlock[] = [];
  let next = 0;
  let chunk = -1;
  for (const [index, source] of sources.entries()) {
    const [from, to] = [ends[index - 1] ?? 0, ends[index] ?? 0];
    const starts: number[] = [];
    for (let one = order[next]; one !== undefined && one.position < Math.max(to, from + 1); one = order[next]) {
      if (starts.length === 0 && one.position === from) chunk = one.chunk;
      starts.push(one.chunk);
      next += 1;
    }
    const owner = chunk < 0 ? (starts[0] ?? -1) : chunk;
    blocks.push(createReadingBlock(source, owner, starts, chunks));
    chunk = starts.at(-1) ?? chunk;
  }
  return blocks;
}

function createReadingBlock(
  source: string,
  chunk: number,
  starts: readonly number[],
  chunks: readonly Chunk[],
): ReadingBlock {
  return { source, chunk, starts, page: chunks[chunk]?.page ?? 1, heading: headingOf(source) };
}

function headingOf(source: string): Heading | null {
  const found = /^(#{1,6}) +(.*)$/.exec(source.split('\n', 1)[0] ?? '');
  return found === null ? null : { depth: found[1]?.length ?? 1, text: shownMarkdownLine(found[2] ?? '') };
}

/** The text of a line of Markdown without its marks. */
function shownMarkdownLine(line: string): string {
  return line
    .replace(IMAGE, '')
    .replace(ADDRESS, ']')
    .replace(/\\(.)|[*_`[\]]/g, '$1')
    .trim();
}

/** Text of blocks for a search that ignores case. Made once: a search runs with each key. */
const searchable = new WeakMap<readonly ReadingBlock[], string[]>();

/** Indexes of the blocks that contain words. */
export function findIn(blocks: readonly ReadingBlock[], words: string): number[] {
  const wanted = words.toLowerCase();
  const texts =
    searchable.get(blocks) ?? blocks.map(({ source }) => source.replace(/\\(?=[!-/:-@[-`{-~])/g, '').toLowerCase());
  searchable.set(blocks, texts);
  return texts.flatMap((text, index) => (text.includes(wanted) ? [index] : []));
}

/** The chunk that text was selected from: the first of the candidates that contains it, list numbers aside. */
export function chunkWith(text: string, candidates: readonly Chunk[]): Chunk | undefined {
  const candidateContaining = (plain: (text: string) => string) =>
    candidates.find((one) => plain(one.text).includes(plain(text)));
  return candidateContaining((one) => one.replace(/\s+/g, '')) ?? candidateContaining(stripNonLetters) ?? candidates[0];
}
