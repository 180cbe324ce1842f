/** Text with links, code, emphasis, pictures and formulas as Markdown, and as HTML in tables with merged cells. */

import type { BlockImage, InlineMark } from './blocks.ts';
import { type EscapePlace, escapeRun } from './markdown-escapes.ts';
import { RAISED_TEXT } from './raised-text.ts';

const STRESS = { strong: '**', emphasis: '*', strike: '~~' } as const;

/** In place of asterisks beside other asterisks. */
const OTHER_STRESS = { strong: '__', emphasis: '_', strike: '~~' } as const;

const LINK_KINDS: ReadonlySet<InlineMark['kind']> = new Set(['link', 'image', 'frame', 'footnote']);

/** Marks without text of the block. */
const EMPTY_KINDS: ReadonlySet<InlineMark['kind']> = new Set(['image', 'frame']);

const WORD = /[\p{L}\p{N}\p{M}]/u;

const SPACE = /\s/;

/** Characters that would end a bracketed address or a table cell. */
const UNSAFE_IN_URL = /[()<>\\|\s]/g;

/**
 * Writes text with links, code, emphasis and pictures as Markdown. Marks may overlap, as the tags of a page may: a mark
 * that extends past its enclosing mark ends with it.
 */
export function markedMarkdown(text: string, marks: readonly InlineMark[], isCell = false): string {
  const [only] = marks;
  if (only?.kind === 'formula' && isWhole(text, marks))
    return formulaMarkdown(only.latex ?? text, isCell ? '$' : '$$', isCell);
  return new MarkWriter(text, inOrder(marks), isCell).writeMarkedRange(0, text.length, {
    isAmongMarks: true,
    isAmongLinks: marks.some(({ kind }) => LINK_KINDS.has(kind)),
    isCell,
  });
}

/** The LaTeX of a text that is one displayed formula. */
export function wholeFormula(text: string, marks: readonly InlineMark[]): string | null {
  const [only] = marks;
  if (only === undefined || !isWhole(text, marks)) return null;
  if (only.kind === 'formula') return only.latex ?? text;
  return only.kind === 'verbatim' ? (/^\$\$([\s\S]+)\$\$$/.exec(text)?.[1]?.trim() ?? null) : null;
}

function isWhole(text: string, [only, ...others]: readonly InlineMark[]): boolean {
  return others.length === 0 && only?.start === 0 && only.end === text.length;
}

function inOrder(marks: readonly InlineMark[]): readonly InlineMark[] {
  const isInOrder = marks.every((mark, at) => at === 0 || (marks[at - 1]?.end ?? 0) <= mark.start);
  if (isInOrder) return marks;
  return marks.toSorted(
    (one, other) => one.start - other.start || other.end - one.end || codeRank(one) - codeRank(other),
  );
}

/** Marks inside code are ignored: a link around it comes first. */
function codeRank({ kind }: InlineMark): number {
  return kind === 'code' ? 1 : 0;
}

export function imageMarkdown({ url, alt, isFrame }: BlockImage): string {
  if (isFrame === true) return linkMarkdown(escapeRun(alt, { isAmongMarks: true, isInLink: true }), url);
  return `![${escapeRun(alt, { isAmongMarks: true, isInLink: true })}](${urlMarkdown(url)})`;
}

/** A formula on one line; a dollar sign inside would end it. */
function formulaMarkdown(latex: string, sign: '$' | '$$', isCell: boolean): string {
  const line = latex
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<!\\)\$/g, '\\$');
  return `${sign}${isCell ? line.replaceAll('|', '\\|') : line}${sign}`;
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

  writeMarkedRange(from: number, to: number, place: EscapePlace): string {
    // Collects pieces, because reading the end of a growing string flattens it each time.
    const pieces: string[] = [];
    const putMarkedPiece = (piece: string) => {
      if (piece !== '') pieces.push(piece);
    };
    let at = from;
    for (let mark = this.#marks[this.#next]; mark !== undefined; mark = this.#marks[this.#next]) {
      const isEmpty = EMPTY_KINDS.has(mark.kind);
      if (mark.start > to || (mark.start === to && !isEmpty)) break;
      this.#next += 1;
      const start = Math.max(mark.start, at);
      const end = Math.max(start, Math.min(mark.end, to));
      if (!isEmpty && end === start) continue;
      putMarkedPiece(escapeRun(this.#text.slice(at, start), place));
      if (isEmpty) this.#putImage(pieces, mark, start, end);
      else this.#putMark(pieces, mark, start, end, place);
      at = end;
    }
    putMarkedPiece(escapeRun(this.#text.slice(at, to), place));
    return pieces.join('');
  }

  #putImage(pieces: string[], { kind, url = '', alt = '' }: InlineMark, start: number, end: number): void {
    this.#passOverMarks(end);
    // The text keeps one of the spaces around a picture without text of its own, and none at its end.
    const isApart = start === end && /\s$/.test(pieces.at(-1) ?? '') && !SPACE.test(this.#text[end] ?? ' ');
    const isLast = start === end && end === this.#text.length && /\S$/.test(pieces.at(-1) ?? '');
    if (isLast) pieces.push(' ');
    escapeMark(pieces);
    const shown = start === end ? alt : this.#text.slice(start, end).replaceAll('\n', ' ');
    const written = imageMarkdown({ url, alt: shown, ...(kind === 'frame' && { isFrame: true }) });
    pieces.push(written + (isApart ? ' ' : ''));
  }

  #putMark(pieces: string[], mark: InlineMark, start: number, end: number, place: EscapePlace): void {
    // White space at the ends of a mark moves outside it.
    let [from, to] = [start, end];
    while (from < to && SPACE.test(this.#text[from] ?? '')) from += 1;
    while (to > from && SPACE.test(this.#text[to - 1] ?? '')) to -= 1;
    if (from > start) pieces.push(this.#text.slice(start, from));
    const { kind } = mark;
    if (kind === 'strong' || kind === 'emphasis' || kind === 'strike') this.#putStress(pieces, kind, from, to, place);
    else if (kind === 'link') this.#putLink(pieces, mark.url ?? '', from, to, place);
    else if (kind === 'sub' || kind === 'sup') this.#putScript(pieces, kind, from, to, place);
    else {
      const written = this.#writeWhole(mark, from, to, pieces.at(-1) ?? '');
      if (written !== '') pieces.push(written);
    }
    this.#passOverMarks(end);
    if (to < end) pieces.push(this.#text.slice(to, end));
  }

  /** Marks inside these are ignored. */
  #writeWhole({ kind, latex, label }: InlineMark, from: number, to: number, before: string): string {
    if (kind === 'code') return this.#writeMarkedCode(from, to, before);
    this.#passOverMarks(to);
    const own = this.#text.slice(from, to);
    if (kind === 'formula') return own === '' ? '' : formulaMarkdown(latex ?? own, '$', this.#isCell);
    if (kind === 'footnote' && label !== undefined) return `[^${label}]`;
    if (kind === 'footnote') return own.replace('[', '[^');
    return this.#isCell ? own.replaceAll('|', '\\|') : own;
  }

  /** Raised digits and footnotes need no tag. */
  #putScript(pieces: string[], tag: 'sub' | 'sup', from: number, to: number, place: EscapePlace): void {
    const isPlain = RAISED_TEXT.test(this.#text.slice(from, to));
    const inner = this.writeMarkedRange(from, to, place);
    if (inner === '') return;
    pieces.push(isPlain || /^\[+\^/.test(inner) ? inner : `<${tag}>${inner}</${tag}>`);
  }

  #putLink(pieces: string[], url: string, from: number, to: number, place: EscapePlace): void {
    const inner = this.writeMarkedRange(from, to, { ...place, isInLink: true });
    if (place.isInLink === true || inner === '') {
      if (inner !== '') pieces.push(inner);
      return;
    }
    escapeMark(pieces);
    const address = urlMarkdown(url);
    const shown = this.#text.slice(from, to);
    const isAddress = shown === url && address === url && ABSOLUTE.test(url);
    pieces.push(isAddress ? `<${address}>` : `[${inner}](${address})`);
  }

  /** Punctuation at an end inside a word moves outside, where Markdown would not see the mark. */
  #putStress(pieces: string[], kind: keyof typeof STRESS, from: number, to: number, place: EscapePlace): void {
    let [first, last] = [from, to];
    while (first < last && !this.#mayOpen(from, first)) first += 1;
    while (last > first && !this.#mayClose(last, to)) last -= 1;
    const isNew = place.inside?.includes(kind) !== true;
    const isPossible =
      isNew && first < last && !this.#hasMarkEndBetween(from, first) && !this.#hasMarkEndBetween(last, to);
    if (!isPossible) [first, last] = [from, to];
    if (first > from) pieces.push(escapeRun(this.#text.slice(from, first), place));
    const before = pieces.at(-1) ?? '';
    const inner = this.writeMarkedRange(first, last, { ...place, inside: [...(place.inside ?? []), kind] });
    const sign = isPossible ? this.#stressSign(kind, before, inner, last) : '';
    if (inner !== '') pieces.push(sign + inner + sign);
    if (last < to) pieces.push(escapeRun(this.#text.slice(last, to), place));
  }

  /** Empty where no sign would be read as one. */
  #stressSign(kind: keyof typeof STRESS, before: string, inner: string, end: number): string {
    if (kind === 'strike') return before.endsWith('~') || /^~|~$/.test(inner) ? '' : STRESS.strike;
    const isNested = kind === 'emphasis' ? /^\*\*[^*]+\*\*$/.test(inner) : /^\*[^*]+\*$/.test(inner);
    if (!before.endsWith('*') && (isNested || !/^\*|\*$/.test(inner))) return STRESS[kind];
    const isFree = !/[\p{L}\p{N}_]$/u.test(before) && !/[\p{L}\p{N}_]/u.test(this.#text[end] ?? ' ');
    return isFree && !/^_|_$/.test(inner) ? OTHER_STRESS[kind] : '';
  }

  /** Directly after other code, backticks would merge with that code's. */
  #writeMarkedCode(from: number, to: number, written: string): string {
    this.#passOverMarks(to);
    const code = this.#text.slice(from, to).replaceAll('\n', ' ');
    const shown = this.#isCell ? code.replaceAll('|', '\\|') : code;
    let longest = 0;
    for (const [run] of code.includes('`') ? code.matchAll(/`+/g) : []) longest = Math.max(longest, run.length);
    const ticks = '`'.repeat(longest + 1);
    const space = longest > 0 ? ' ' : '';
    const isPlain = shown === '' || written.endsWith('`');
    return isPlain
      ? escapeRun(code, { isAmongMarks: true, isCell: this.#isCell })
      : `${ticks}${space}${shown}${space}${ticks}`;
  }

  #passOverMarks(end: number): void {
    while ((this.#marks[this.#next]?.start ?? Number.POSITIVE_INFINITY) < end) this.#next += 1;
  }

  /** Whether a mark begins or ends strictly inside a range that is moved out of another mark. */
  #hasMarkEndBetween(from: number, to: number): boolean {
    if (from === to) return false;
    return this.#marks.some(
      ({ start, end }) => (start >= from && start < to) || (end > from && end < to) || (end === to && start >= from),
    );
  }

  /** CommonMark ignores asterisks for emphasis between a word character and punctuation. */
  #mayOpen(start: number, at: number): boolean {
    const before = this.#text[at - 1] ?? ' ';
    const first = this.#text[at] ?? ' ';
    if (SPACE.test(first) && at > start) return false;
    return !WORD.test(before) || WORD.test(first);
  }

  #mayClose(at: number, end: number): boolean {
    const last = this.#text[at - 1] ?? ' ';
    const after = this.#text[at] ?? ' ';
    if (SPACE.test(last) && at < end) return false;
    return !WORD.test(after) || WORD.test(last);
  }
}

/** After an exclamation mark a link would be a picture. */
function escapeMark(pieces: string[]): void {
  const last = pieces.at(-1);
  if (last?.endsWith('!') === true) pieces[pieces.length - 1] = `${last.slice(0, -1)}\\!`;
}

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i;

function linkMarkdown(text: string, url: string): string {
  const address = urlMarkdown(url);
  return text === '' && ABSOLUTE.test(address) ? `<${address}>` : `[${text === '' ? address : text}](${address})`;
}

function urlMarkdown(url: string): string {
  return url.replace(UNSAFE_IN_URL, (character) =>
    character === '(' ? '%28' : character === ')' ? '%29' : encodeURIComponent(character),
  );
}

const HTML_TAGS: Partial<Record<InlineMark['kind'], string>> = {
  strong: 'strong',
  emphasis: 'em',
  strike: 'del',
  code: 'code',
  sub: 'sub',
  sup: 'sup',
};

/** Text with marks as HTML, in which every character of the text is literal. */
export function markedHtml(text: string, marks: readonly InlineMark[] = []): string {
  const ordered = inOrder(marks);
  let next = 0;
  const writeHtmlRange = (from: number, to: number): string => {
    let written = '';
    let at = from;
    for (let mark = ordered[next]; mark !== undefined && mark.start < to; mark = ordered[next]) {
      next += 1;
      const [start, end] = [Math.max(mark.start, at), Math.min(mark.end, to)];
      if (end <= start) continue;
      written += escapeHtml(text.slice(at, start)) + htmlTagged(mark, writeHtmlRange(start, end));
      at = end;
    }
    return written + escapeHtml(text.slice(at, to));
  };
  return writeHtmlRange(0, text.length);
}

function htmlTagged({ kind, url = '', latex }: InlineMark, inner: string): string {
  if (kind === 'formula' && latex !== undefined) return escapeHtml(formulaMarkdown(latex, '$', false));
  if (kind === 'link') return `<a href="${escapeHtml(url).replaceAll('"', '&quot;')}">${inner}</a>`;
  const tag = HTML_TAGS[kind];
  return tag === undefined ? inner : `<${tag}>${inner}</${tag}>`;
}

function escapeHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replaceAll('\n', '<br>');
}
