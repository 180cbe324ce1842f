/**
 * Threat: endlessly nested marks. The lexer is recursive, so its input is bounded; a stack overflow is an error of the
 * document, not of the worker.
 */

import { Parser } from 'htmlparser2';
import { getDefaults, Lexer, lexer, type MarkedOptions, parser, type Token, Tokenizer, type Tokens } from 'marked';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { byName } from '../../src-server/platform/records.ts';
import { MATH_EXTENSIONS } from '../../src-server/platform/text/markdown-math.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { MIB } from '../../src-server/platform/units.ts';
import type { CellMark, DocumentParser, InlineMark } from './blocks.ts';
import { DocumentBuilder } from './document-builder.ts';
import { readHtml } from './html/parse-html.ts';
import { BULLET } from './list-markers.ts';
import { decodeTextFile } from './parse-text.ts';

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
  const { body, field } = splitFrontMatter(decodeTextFile(bytes, options.language, builder));
  addMarkdownBlocks(body, builder);
  return builder.buildNormalizedDocument({
    format: 'markdown',
    title: field('title'),
    author: field('author', 'authors'),
    language: field('lang', 'language'),
  });
};

/** Adds the blocks of a Markdown text. Errors: `source_too_large`, `corrupt_input`. */
export function addMarkdownBlocks(text: string, builder: DocumentBuilder): void {
  if (text.length > MAX_BYTES) throw tooComplex();
  addTokens(lexMarkdown(text, MATH_EXTENSIONS), builder, { depth: 0, isQuoted: false });
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
  const tokens = lexMarkdown(body);
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

type Extensions = typeof MATH_EXTENSIONS | null;

/** @param extensions null for a text that `marked` renders */
function lexMarkdown(text: string, extensions: Extensions = null): Token[] {
  return orTooComplex(() => lexer(text, lexerOptions(text, extensions)));
}

function lexerOptions(text: string, extensions: Extensions): MarkedOptions {
  return { ...getDefaults(), tokenizer: new BoundedTokenizer(text.length), extensions };
}

function orTooComplex<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof RangeError) throw tooComplex(cause);
    throw new QuarryError('corrupt_input', say`The Markdown could not be read: check the document.`, { cause });
  }
}

function tooComplex(cause?: unknown): QuarryError {
  const message = say`The Markdown is too large or nests too deeply: split it into parts.`;
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

/** Where tokens stand. */
interface Position {
  depth: number;
  isQuoted: boolean;
  /** Depth of the list item around them. */
  inList?: number;
}

/** What their blocks say about it. */
function placeOf({ isQuoted, inList }: Position): { isQuoted?: true; inList?: number } {
  return { ...(isQuoted && { isQuoted: true }), ...(inList !== undefined && { inList }) };
}

function deeperPosition(at: Position): Position {
  return { ...at, depth: at.depth + 1 };
}

function addTokens(tokens: readonly Token[], builder: DocumentBuilder, at: Position): void {
  if (at.depth > MAX_DEPTH) throw tooComplex();
  let note: Note | null = null;
  for (const token of tokens) {
    builder.checkCancellation();
    if (note !== null && isIndented(token)) appendText(note, '\n', noteText(token.text));
    else if (note === null || token.type !== 'space') {
      if (note !== null) builder.addDocumentBlock({ kind: 'note', ...note });
      const notes: Note[] = footnotesOfToken(token);
      note = notes.pop() ?? null;
      for (const one of notes) builder.addDocumentBlock({ kind: 'note', ...one });
      if (note === null) addToken(token, builder, at);
    }
  }
  if (note !== null) builder.addDocumentBlock({ kind: 'note', ...note });
}

function addToken(token: Token, builder: DocumentBuilder, at: Position): void {
  switch (token.type) {
    case 'heading':
      addInline(token, builder, (text) => ({ kind: 'heading', level: (token as Tokens.Heading).depth, ...text }));
      return;
    case 'paragraph':
    case 'text':
    case 'math':
      addInline(token, builder, (text) => ({ kind: 'paragraph', ...placeOf(at), ...text }));
      return;
    case 'code': {
      const { text, lang } = token as Tokens.Code;
      const language = lang?.trim().split(/\s/)[0] ?? '';
      const facts = { ...(language !== '' && { language }), ...placeOf(at) };
      builder.addDocumentBlock({ kind: 'code', text, ...facts });
      return;
    }
    case 'blockquote':
      addTokens((token as Tokens.Blockquote).tokens, builder, { ...deeperPosition(at), isQuoted: true });
      return;
    case 'list':
      addList(token as Tokens.List, builder, at, 0);
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

/** A text with its marks, if it has any. */
interface MarkedText {
  text: string;
  marks?: InlineMark[];
}

type MakeBlock = (text: MarkedText) => Parameters<DocumentBuilder['addDocumentBlock']>[0];

function addInline(token: Token, builder: DocumentBuilder, make: MakeBlock, before?: MarkedText): void {
  const { text, marks, captions } = inlineText('tokens' in token ? (token.tokens ?? [token]) : [token], before);
  builder.addDocumentBlock(make(marks.length === 0 ? { text } : { text, marks }));
  for (const { text: alt, url } of captions) {
    const mark: InlineMark = { kind: 'image', start: 0, end: alt.length, url };
    builder.addDocumentBlock({ kind: 'caption', text: alt, ...(url !== '' && { marks: [mark] }) });
  }
}

/** One line per paragraph. */
interface Note extends MarkedText {
  marker: string;
}

/** Footnotes on consecutive lines arrive as one paragraph. */
function footnotesOfToken(token: Token): Note[] {
  if (token.type === 'def') return definedNote(token as Tokens.Def);
  const isText = token.type === 'paragraph' || token.type === 'text';
  if (!isText || !NOTE.test(token.raw)) return [];
  return token.raw.split(/^(?=\[\^[^\]\s]+\]:)/m).map((part) => {
    return { marker: NOTE.exec(part)?.[1] ?? '', ...noteText(part.replace(NOTE, '')) };
  });
}

/** The lexer reads a one-word footnote as a link definition. */
function definedNote(token: Tokens.Def): Note[] {
  if (!token.tag.startsWith('^')) return [];
  return [{ marker: token.tag.slice(1), ...noteText(token.raw.replace(/^\s*\[[^\]]*\]:\s*/, '')) }];
}

/** The lexer reads the continuation of a footnote as indented code. */
function isIndented(token: Token): token is Tokens.Code {
  return token.type === 'code' && (token as Tokens.Code).codeBlockStyle === 'indented';
}

/** One line per paragraph of the note. */
function noteText(source: string): MarkedText {
  const whole: MarkedText = { text: '' };
  for (const paragraph of source.split(/\n[ \t]*\n/)) {
    const trimmed = paragraph.trim();
    const { text, marks } = inlineText(Lexer.lexInline(trimmed, lexerOptions(trimmed, MATH_EXTENSIONS)));
    appendText(whole, whole.text === '' ? '' : '\n', { text: text.trimEnd(), marks });
  }
  return whole;
}

function appendText(to: MarkedText, between: string, { text, marks = [] }: MarkedText): void {
  const at = to.text.length + between.length;
  const moved = marks.map((mark) => ({ ...mark, start: mark.start + at, end: mark.end + at }));
  if (moved.length > 0) to.marks = [...(to.marks ?? []), ...moved];
  to.text += between + text;
}

function addList(list: Tokens.List, builder: DocumentBuilder, at: Position, listDepth: number): void {
  if (at.depth > MAX_DEPTH) throw tooComplex();
  for (const [index, item] of list.items.entries()) {
    const marker = list.ordered ? `${Number(list.start) + index}.` : BULLET;
    let isFirst = true;
    for (const token of item.tokens) {
      builder.checkCancellation();
      if (token.type === 'list') addList(token as Tokens.List, builder, deeperPosition(at), listDepth + 1);
      else if (isFirst && (token.type === 'text' || token.type === 'paragraph')) {
        const box = item.task ? taskBox(item.checked === true) : undefined;
        const facts = { depth: listDepth, marker, ...(at.isQuoted && { isQuoted: true as const }) };
        addInline(token, builder, (text) => ({ kind: 'list-item', ...facts, ...text }), box);
        isFirst = false;
      } else addTokens([token], builder, { ...deeperPosition(at), inList: listDepth });
    }
  }
}

function taskBox(isChecked: boolean): MarkedText {
  const text = `[${isChecked ? 'x' : ' '}] `;
  return { text, marks: [{ kind: 'verbatim', start: 0, end: text.length - 1 }] };
}

function addTable(table: Tokens.Table, builder: DocumentBuilder): void {
  const marks: CellMark[] = [];
  const rows = [table.header, ...table.rows].map((cells, row) =>
    cells.map(({ tokens }, column) => {
      const inline = inlineText(tokens);
      for (const mark of inline.marks) marks.push({ ...mark, row, column });
      return inline.text;
    }),
  );
  builder.addDocumentBlock({ kind: 'table', rows, align: table.align, ...(marks.length > 0 && { marks }) });
}

/** The text of inline tokens, and the alternative texts of their images. */
export interface InlineText {
  text: string;
  marks: InlineMark[];
  captions: { text: string; url: string }[];
}

/**
 * Inline tokens as text with marks, without tags and images; a hard break is `\v`, other line ends are spaces.
 *
 * @param before what the text begins with
 */
export function inlineText(tokens: readonly Token[], before?: MarkedText): InlineText {
  const reader = new InlineReader(before);
  reader.readInlineTokens(tokens, 0);
  return reader.finishInlineReading();
}

/** The lines of a formula that stands alone stay. */
function mathText(raw: string): string {
  return raw.startsWith('$$') ? raw.replace(/[ \t]*\n\s*/g, '\v') : raw.replace(/\s*\n\s*/g, ' ');
}

const MARK_KINDS: Readonly<Record<string, InlineMark['kind']>> = byName({
  strong: 'strong',
  em: 'emphasis',
  del: 'strike',
  link: 'link',
});

class InlineReader {
  readonly #pieces: string[] = [];
  readonly #marks: InlineMark[] = [];
  readonly #captions: InlineText['captions'] = [];
  #length = 0;

  constructor(before: MarkedText | undefined) {
    if (before === undefined) return;
    this.#putInlineText(before.text);
    this.#marks.push(...(before.marks ?? []));
  }

  readInlineTokens(tokens: readonly Token[], depth: number): void {
    for (const token of tokens) this.#readToken(token, depth);
  }

  finishInlineReading(): InlineText {
    return { text: this.#pieces.join(''), marks: this.#marks, captions: this.#captions };
  }

  #putInlineText(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
  }

  #putMarked(kind: InlineMark['kind'], text: string): void {
    this.#marks.push({ kind, start: this.#length, end: this.#length + text.length });
    this.#putInlineText(text);
  }

  #readToken(token: Token, depth: number): void {
    switch (token.type) {
      case 'br':
        this.#putInlineText('\v');
        return;
      case 'html':
        if (/^<br\s*\/?>$/i.test(token.raw)) this.#putInlineText('\v');
        return;
      case 'image':
        this.#captions.push({ text: (token as Tokens.Image).text, url: (token as Tokens.Image).href });
        return;
      case 'codespan':
        this.#putMarked('code', (token as Tokens.Codespan).text.replaceAll('\n', ' '));
        return;
      case 'math':
        this.#putMarked('verbatim', mathText(token.raw.trim()));
        return;
      case 'escape':
        this.#putInlineText((token as Tokens.Escape).text.replaceAll('\n', ' '));
        return;
      case 'checkbox':
        // The list item states whether it is checked.
        return;
      default:
    }
    // The lexer reads `[^1]` with a one-word note as a link.
    if (token.type === 'link' && /^\[\^[^\]]+\]$/.test(token.raw)) {
      this.#putMarked('footnote', `[${token.raw.slice(2, -1)}]`);
      return;
    }
    this.#readOther(token, depth);
  }

  #readOther(token: Token, depth: number): void {
    const kind = MARK_KINDS[token.type];
    const mark = { kind: kind ?? 'strong', start: this.#length, end: this.#length };
    // Before the marks inside it.
    if (kind === 'link') this.#marks.push({ ...mark, url: (token as Tokens.Link).href });
    else if (kind !== undefined) this.#marks.push(mark);
    const own = this.#marks.at(-1);
    const inner = 'tokens' in token ? token.tokens : undefined;
    if (inner !== undefined && inner.length > 0 && depth < MAX_DEPTH) this.readInlineTokens(inner, depth + 1);
    else this.#putPlain('text' in token ? String(token.text) : '');
    if (kind !== undefined && own !== undefined) own.end = this.#length;
  }

  /** Text with references to footnotes. */
  #putPlain(raw: string): void {
    const text = raw.replaceAll('\n', ' ');
    let at = 0;
    for (const match of text.matchAll(/\[\^([^\]\s]+)\]/g)) {
      this.#putInlineText(decodeEntities(text.slice(at, match.index)));
      this.#putMarked('footnote', `[${match[1] ?? ''}]`);
      at = match.index + match[0].length;
    }
    this.#putInlineText(decodeEntities(text.slice(at)));
  }
}

/** Decodes character references. */
function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  const parts: string[] = [];
  const parser = new Parser({ ontext: (part) => void parts.push(part) }, { decodeEntities: true });
  parser.end(text.replaceAll('<', '&lt;'));
  return parts.join('');
}

// Threat: unclosed emphasis. For each mark, marked scans the rest of the paragraph, and again inside each match: 20 kB
// of `*a_` took 30 seconds.

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
    return super.emStrong(src.slice(0, REACH_CHARS), searchedMaskedPart(masked, src.length), before);
  }

  override del(src: string, masked: string, before?: string): Tokens.Del | undefined {
    if (src[0] !== STRIKE || !this.#mayLook(src)) return undefined;
    return super.del(src.slice(0, REACH_CHARS), searchedMaskedPart(masked, src.length), before);
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
function searchedMaskedPart(masked: string, length: number): string {
  const start = masked.length - length;
  return masked.slice(start, start + REACH_CHARS);
}
