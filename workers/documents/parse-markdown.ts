/**
 * Threat: endlessly nested marks. The lexer is recursive, so its input is bounded; a stack overflow is an error of the
 * document, not of the worker.
 */

import { Parser } from 'htmlparser2';
import { getDefaults, Lexer, lexer, type MarkedOptions, parser, type Token, Tokenizer, type Tokens } from 'marked';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { MIB } from '../../src-server/platform/units.ts';
import type { DocumentParser } from './blocks.ts';
import { DocumentBuilder } from './document-builder.ts';
import { readHtml } from './html/parse-html.ts';
import { BULLET } from './list-markers.ts';
import { readText } from './parse-text.ts';

/** Larger files are data, and the lexer's time grows faster than the text. */
const MAX_BYTES = 20 * MIB;

const MAX_DEPTH = 100;

/** YAML front matter of at most 200 lines. */
const FRONT_MATTER = /^---[ \t]*\n((?:.*\n){0,200}?)(?:---|\.\.\.)[ \t]*(?:\n|$)/;

const NOTE = /^\[\^([^\]\s]+)\]:[ \t]*/;

/** Markdown with tables and footnotes. The front matter supplies title, author and language. */
export const parseMarkdown: DocumentParser = async (bytes, options) => {
  if (bytes.length > MAX_BYTES) throw tooComplex();
  const builder = new DocumentBuilder(options);
  const { body, field } = splitFrontMatter(readText(bytes, options.language));
  addMarkdown(body, builder);
  return builder.finish({
    format: 'markdown',
    title: field('title'),
    author: field('author', 'authors'),
    language: field('lang', 'language'),
  });
};

/** Adds the blocks of a Markdown text. Errors: `source_too_large`, `corrupt_input`. */
export function addMarkdown(text: string, builder: DocumentBuilder): void {
  if (text.length > MAX_BYTES) throw tooComplex();
  addTokens(lex(text), builder, 0);
}

/** A page written in Markdown, in the form its visitors would see. */
export interface MarkdownPage {
  html: string;
  title: string | null;
  description: string | null;
  language: string | null;
}

/** Errors: `source_too_large`, `corrupt_input`. */
export function markdownPage(text: string): MarkdownPage {
  if (text.length > MAX_BYTES) throw tooComplex();
  const { body, field } = splitFrontMatter(text);
  const tokens = lex(body);
  const heading = tokens.find((token) => token.type === 'heading' && (token as Tokens.Heading).depth === 1);
  return {
    html: orTooComplex(() => parser(tokens)),
    title: field('title') ?? (heading === undefined ? null : inlineText((heading as Tokens.Heading).tokens).text),
    description: field('description', 'summary'),
    language: field('lang', 'language'),
  };
}

function splitFrontMatter(source: string) {
  const text = source.replace(/\r\n?/g, '\n');
  const front = FRONT_MATTER.exec(text);
  const body = front === null ? text : text.slice(front[0].length);
  return { body, field: (...names: string[]) => frontField(front?.[1] ?? '', names) };
}

function lex(text: string): Token[] {
  return orTooComplex(() => lexer(text, lexerOptions(text)));
}

function lexerOptions(text: string): MarkedOptions {
  return { ...getDefaults(), tokenizer: new BoundedTokenizer(text.length) };
}

function orTooComplex<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof RangeError) throw tooComplex(cause);
    throw new QuarryError('corrupt_input', 'The Markdown could not be read: check the document.', { cause });
  }
}

function tooComplex(cause?: unknown): QuarryError {
  const message = 'The Markdown is too large or nests too deeply: split it into parts.';
  return new QuarryError('source_too_large', message, { cause });
}

/** A plain `name: value` line, or the first item of the list below it. Other YAML is ignored. */
function frontField(front: string, names: string[]): string | null {
  for (const name of names) {
    const value = new RegExp(`^${name}:[ \\t]*(?:\\n[ \\t]*-[ \\t]*)?(.+)$`, 'im').exec(front)?.[1]?.trim();
    const plain = value?.replace(/^\[(.*)\]$/, '$1').replace(/^(["'])(.*)\1$/, '$2');
    if (plain !== undefined && plain !== '') return plain;
  }
  return null;
}

function addTokens(tokens: readonly Token[], builder: DocumentBuilder, depth: number): void {
  if (depth > MAX_DEPTH) throw tooComplex();
  let note: Note | null = null;
  for (const token of tokens) {
    builder.step();
    if (note !== null && isIndented(token)) note.text += `\n${noteText(token.text)}`;
    else if (note === null || token.type !== 'space') {
      if (note !== null) builder.add({ kind: 'note', ...note });
      const notes: Note[] = notesOf(token);
      note = notes.pop() ?? null;
      for (const one of notes) builder.add({ kind: 'note', ...one });
      if (note === null) addToken(token, builder, depth);
    }
  }
  if (note !== null) builder.add({ kind: 'note', ...note });
}

function addToken(token: Token, builder: DocumentBuilder, depth: number): void {
  switch (token.type) {
    case 'heading':
      addInline(token, builder, (text) => ({ kind: 'heading', level: (token as Tokens.Heading).depth, text }));
      return;
    case 'paragraph':
    case 'text':
      addInline(token, builder, (text) => ({ kind: 'paragraph', text }));
      return;
    case 'code':
      builder.add({ kind: 'code', text: (token as Tokens.Code).text });
      return;
    case 'blockquote':
      addTokens((token as Tokens.Blockquote).tokens, builder, depth + 1);
      return;
    case 'list':
      addList(token as Tokens.List, builder, depth, 0);
      return;
    case 'table':
      addTable(token as Tokens.Table, builder);
      return;
    case 'html':
      readHtml((token as Tokens.HTML).text, builder);
      return;
    default:
      return;
  }
}

type MakeBlock = (text: string) => Parameters<DocumentBuilder['add']>[0];

function addInline(token: Token, builder: DocumentBuilder, make: MakeBlock): void {
  const { text, captions } = inlineText('tokens' in token ? (token.tokens ?? [token]) : [token]);
  builder.add(make(text));
  for (const caption of captions) builder.add({ kind: 'caption', text: caption });
}

interface Note {
  marker: string;
  text: string;
}

/** Footnotes on consecutive lines arrive as one paragraph. */
function notesOf(token: Token): Note[] {
  if (token.type === 'def') return definedNote(token as Tokens.Def);
  const isText = token.type === 'paragraph' || token.type === 'text';
  if (!isText || !NOTE.test(token.raw)) return [];
  return token.raw.split(/^(?=\[\^[^\]\s]+\]:)/m).map((part) => {
    return { marker: NOTE.exec(part)?.[1] ?? '', text: noteText(part.replace(NOTE, '')) };
  });
}

/** The lexer reads a one-word footnote as a link definition. */
function definedNote(token: Tokens.Def): Note[] {
  if (!token.tag.startsWith('^')) return [];
  return [{ marker: token.tag.slice(1), text: token.raw.replace(/^\s*\[[^\]]*\]:\s*/, '').trim() }];
}

/** The lexer reads the continuation of a footnote as indented code. */
function isIndented(token: Token): token is Tokens.Code {
  return token.type === 'code' && (token as Tokens.Code).codeBlockStyle === 'indented';
}

/** One line per paragraph of the note. */
function noteText(source: string): string {
  const paragraphs = source.split(/\n[ \t]*\n/);
  return paragraphs.map((one) => inlineText(Lexer.lexInline(one, lexerOptions(one))).text.trim()).join('\n');
}

function addList(list: Tokens.List, builder: DocumentBuilder, depth: number, listDepth: number): void {
  if (depth > MAX_DEPTH) throw tooComplex();
  for (const [index, item] of list.items.entries()) {
    const marker = list.ordered ? `${Number(list.start) + index}.` : BULLET;
    let isFirst = true;
    for (const token of item.tokens) {
      builder.step();
      if (token.type === 'list') addList(token as Tokens.List, builder, depth + 1, listDepth + 1);
      else if (isFirst && (token.type === 'text' || token.type === 'paragraph')) {
        const box = item.task ? `[${item.checked ? 'x' : ' '}] ` : '';
        addInline(token, builder, (text) => ({ kind: 'list-item', depth: listDepth, marker, text: box + text }));
        isFirst = false;
      } else addTokens([token], builder, depth + 1);
    }
  }
}

function addTable(table: Tokens.Table, builder: DocumentBuilder): void {
  const rows = [table.header, ...table.rows];
  builder.add({ kind: 'table', rows: rows.map((row) => row.map((cell) => inlineText(cell.tokens).text)) });
}

/** The text of inline tokens, and the alternative texts of their images. */
export interface InlineText {
  text: string;
  captions: string[];
}

/** Inline tokens as text without marks, tags and images; a hard break is `\v`, other line ends are spaces. */
export function inlineText(tokens: readonly Token[]): InlineText {
  const captions: string[] = [];
  return { text: collect(tokens, captions, 0), captions };
}

function collect(tokens: readonly Token[], captions: string[], depth: number): string {
  return tokens.map((token) => textOf(token, captions, depth)).join('');
}

function textOf(token: Token, captions: string[], depth: number): string {
  switch (token.type) {
    case 'br':
      return '\v';
    case 'html':
      return /^<br\s*\/?>$/i.test(token.raw) ? '\v' : '';
    case 'image':
      captions.push((token as Tokens.Image).text);
      return '';
    case 'codespan':
    case 'escape':
      return (token as Tokens.Codespan).text.replaceAll('\n', ' ');
    case 'checkbox':
      // The list item states whether it is checked.
      return '';
    case 'link':
      // The lexer reads `[^1]` with a one-word note as a link.
      if (/^\[\^[^\]]+\]$/.test(token.raw)) return `[${token.raw.slice(2, -1)}]`;
      break;
    default:
  }
  const inner = 'tokens' in token ? token.tokens : undefined;
  if (inner !== undefined && inner.length > 0 && depth < MAX_DEPTH) return collect(inner, captions, depth + 1);
  const raw = 'text' in token ? String(token.text) : '';
  return decodeEntities(raw.replaceAll('\n', ' ').replace(/\[\^([^\]\s]+)\]/g, '[$1]'));
}

/** Decodes character references. */
function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  const parts: string[] = [];
  const parser = new Parser({ ontext: (part) => void parts.push(part) }, { decodeEntities: true });
  parser.end(text.replaceAll('<', '&lt;'));
  return parts.join('');
}

/**
 * Threat: unclosed emphasis. For each mark, marked scans the rest of the paragraph, and again inside each match: 20 kB
 * of `*a_` took 30 seconds.
 */

/** Longest emphasis. */
const REACH_CHARS = 2000;

/** Scan budget per character of the text, and for texts of any length; past it marks stay literal. */
const WORK_PER_CHARACTER = 100;

const WORK_ALWAYS = 1_000_000;

/** Parses emphasis and strikethrough within a scan budget proportional to the text. */
export class BoundedTokenizer extends Tokenizer {
  #workLeft: number;

  constructor(textLength: number) {
    super();
    this.#workLeft = WORK_ALWAYS + textLength * WORK_PER_CHARACTER;
  }

  override emStrong(src: string, masked: string, before?: string): Tokens.Em | Tokens.Strong | undefined {
    if (!MARKS.has(src[0] ?? '') || !this.#mayLook(src)) return undefined;
    return super.emStrong(src.slice(0, REACH_CHARS), within(masked, src.length), before);
  }

  override del(src: string, masked: string, before?: string): Tokens.Del | undefined {
    if (src[0] !== STRIKE || !this.#mayLook(src)) return undefined;
    return super.del(src.slice(0, REACH_CHARS), within(masked, src.length), before);
  }

  /** Bounds the search for the at sign of a mail address, which starts at every mark inside a word. */
  override inlineText(src: string): Tokens.Text | undefined {
    return super.inlineText(src.slice(0, REACH_CHARS));
  }

  override url(src: string): Tokens.Link | undefined {
    return super.url(src.slice(0, REACH_CHARS));
  }

  #mayLook(src: string): boolean {
    this.#workLeft -= Math.min(src.length, REACH_CHARS);
    return this.#workLeft >= 0;
  }
}

const MARKS = new Set(['*', '_']);

const STRIKE = '~';

/** The searched part of the masked text; it ends like the text. */
function within(masked: string, length: number): string {
  const start = masked.length - length;
  return masked.slice(start, start + REACH_CHARS);
}
