/**
 * Inline markup inside raw text: characters of `MARKS` stand around marked text until a block is built, so text may be
 * joined, trimmed and given revisions before its offsets are known. Untrusted text never holds them. Threat: a document
 * of long addresses and many marks; both are bounded, and past the bounds only the text is kept.
 */

import type { InlineMark } from './blocks.ts';
import { raisedText } from './raised-text.ts';
import { MARKS } from './revisions.ts';

const MAX_VALUE_CHARS = 4096;

/** Bound on the total length of addresses and formulas. */
const MAX_VALUES_CHARS = 10_000_000;

/** Marks of one text. */
const MAX_MARKS = 20_000;

/** Allowed schemes; other links keep only their text. */
const LINK_SCHEME = /^(?:https?|mailto|ftp|tel):/i;

const SIGNS = {
  strong: [MARKS.strongOpen, MARKS.strongClose],
  emphasis: [MARKS.emphasisOpen, MARKS.emphasisClose],
  strike: [MARKS.strikeOpen, MARKS.strikeClose],
  code: [MARKS.codeOpen, MARKS.codeClose],
  footnote: [MARKS.footnoteOpen, MARKS.footnoteClose],
  verbatim: [MARKS.verbatimOpen, MARKS.verbatimClose],
  link: [MARKS.linkOpen, MARKS.linkClose],
  formula: [MARKS.formulaOpen, MARKS.formulaClose],
  sub: [MARKS.subOpen, MARKS.scriptClose],
  sup: [MARKS.supOpen, MARKS.scriptClose],
} as const;

export type InlineKind = keyof typeof SIGNS;

export function openSign(kind: InlineKind): string {
  return SIGNS[kind][0];
}

export function closeSign(kind: InlineKind): string {
  return SIGNS[kind][1];
}

interface Sign {
  kind: InlineKind;
  isOpen: boolean;
}

const KIND_OF: ReadonlyMap<string, Sign> = new Map(
  Object.entries(SIGNS).flatMap(([name, [open, close]]): [string, Sign][] => {
    const kind = name as InlineKind;
    return [
      [open, { kind, isOpen: true }],
      [close, { kind, isOpen: false }],
    ];
  }),
);

/** Whether a link to an address is kept; of others only the text is. */
export function isLinkUrl(url: string): boolean {
  return url.length <= MAX_VALUE_CHARS && LINK_SCHEME.test(url);
}

/** Addresses and formulas of a document, by the number in their marks. */
export class InlineValues {
  readonly #values: string[] = [];
  #length = 0;

  /** The sign that opens a link; null for addresses that no reader may follow. */
  openLink(url: string | null): string | null {
    if (url === null || !LINK_SCHEME.test(url)) return null;
    return this.#open('link', url.trim());
  }

  /** As `openLink`, and also for an address in the same site or file, which has no scheme. */
  openAddress(address: string): string | null {
    const url = address.trim();
    return /^[^/?#]*:/.test(url) || url === '' ? this.openLink(url) : this.#open('link', url);
  }

  /** The sign that opens a formula; null without LaTeX. */
  openFormula(latex: string): string | null {
    return latex === '' ? null : this.#open('formula', latex);
  }

  /** A formula in its signs. */
  signedFormula({ text, latex }: { text: string; latex: string }): string {
    const open = text === '' ? null : this.openFormula(latex);
    return open === null ? text : open + text + closeSign('formula');
  }

  valueAt(number: string): string {
    return this.#values[Number(number)] ?? '';
  }

  #open(kind: 'link' | 'formula', value: string): string | null {
    this.#length += value.length;
    if (value.length > MAX_VALUE_CHARS || this.#length > MAX_VALUES_CHARS) return null;
    this.#values.push(value);
    return openSign(kind) + (this.#values.length - 1) + MARKS.linkText;
  }
}

/** Kinds of marks without a value. */
export type PlainKind = Exclude<InlineKind, 'link' | 'formula'>;

/** Text in the signs of a mark. */
export function signedText(kind: PlainKind, inner: string): string {
  return inner === '' ? '' : openSign(kind) + inner + closeSign(kind);
}

/**
 * A formula of a source in LaTeX, between dollar signs as Markdown has it. One that is displayed keeps its lines; a
 * dollar sign inside would end it.
 */
export function signedLatex(latex: string, isDisplayed: boolean): string {
  const lines = latex.split('\n').map((line) => line.trim().replace(/(?<!\\)\$/g, '\\$'));
  const body = lines.filter((line) => line !== '').join(isDisplayed ? '\n' : ' ');
  if (body === '') return '';
  return signedText('verbatim', isDisplayed ? `$$${body}$$` : `$${body}$`);
}

/** Any sign of inline markup. */
export const HAS_INLINE = /[\uFDDA-\uFDDC\uFDDF-\uFDEF]/;

const SIGN_OR_TEXT = /[\uFDDA\uFDEB]\d*\uFDDB|[\uFDDA-\uFDDC\uFDDF-\uFDEF]|[^\uFDDA-\uFDDC\uFDDF-\uFDEF]+/g;

const VALUE_SIGN = /[\uFDDA\uFDEB]\d*\uFDDB/g;

const SIGN = /[\uFDDA-\uFDDC\uFDDF-\uFDEF]/g;

/** The text without its signs. */
export function withoutInline(raw: string): string {
  return HAS_INLINE.test(raw) ? raw.replace(VALUE_SIGN, '').replace(SIGN, '') : raw;
}

/** Collects the marks of one text from its signs. Marks of one kind that touch become one. */
export class InlineCollector {
  readonly #values: InlineValues;
  readonly #marks: InlineMark[] = [];
  readonly #open = new Map<InlineKind, InlineMark>();
  readonly #last = new Map<InlineKind, InlineMark>();

  constructor(values: InlineValues) {
    this.#values = values;
  }

  /**
   * Reads a sign; returns false for other text.
   *
   * @param next offset of the next character
   * @param length of the text so far, without white space that may follow
   */
  readSign(piece: string, next: number, length: number): boolean {
    const sign = KIND_OF.get(piece[0] ?? '');
    if (sign === undefined) return piece === MARKS.linkText;
    // Subscripts and superscripts end alike.
    const kind = sign.kind === 'sup' && !sign.isOpen && !this.#open.has('sup') ? 'sub' : sign.kind;
    if (!sign.isOpen) {
      const mark = this.#open.get(kind);
      this.#open.delete(kind);
      if (mark === undefined) return true;
      mark.end = length;
      this.#last.set(kind, mark);
      return true;
    }
    this.#openMark(kind, piece, next, length);
    return true;
  }

  #openMark(kind: InlineKind, piece: string, next: number, length: number): void {
    const before = this.#last.get(kind);
    if (
      before?.end === length &&
      before.url === undefined &&
      before.latex === undefined &&
      before.kind !== 'footnote'
    ) {
      this.#open.set(kind, before);
    } else if (this.#marks.length < MAX_MARKS) {
      const mark = { kind, start: next, end: next, ...valueOfSign(kind, piece, this.#values) };
      this.#marks.push(mark);
      this.#open.set(kind, mark);
    }
  }

  /** @param length of the whole text */
  finishMarks(length: number): InlineMark[] {
    for (const mark of this.#open.values()) mark.end = length;
    return this.#marks.filter(({ start, end }) => end > start);
  }
}

/** Takes the signs out of a text. */
export function takeInline(raw: string, values: InlineValues): { text: string; marks: InlineMark[] } {
  const collector = new InlineCollector(values);
  const pieces: string[] = [];
  let length = 0;
  for (const [piece] of raw.matchAll(SIGN_OR_TEXT)) {
    if (collector.readSign(piece, length, length)) continue;
    pieces.push(piece);
    length += piece.length;
  }
  return raiseNumbers(pieces.join(''), collector.finishMarks(length));
}

/** Superscript numbers in raised digits: without its mark, 10 to the power of 5 would be 105 in a text. */
function raiseNumbers(text: string, marks: InlineMark[]): { text: string; marks: InlineMark[] } {
  let raised = '';
  const others: InlineMark[] = [];
  for (const mark of marks) {
    const own = text.slice(mark.start, mark.end);
    const digits = mark.kind === 'sup' && mark.start >= raised.length ? raisedText(own) : own;
    if (digits === own) others.push(mark);
    else raised += text.slice(raised.length, mark.start) + digits;
  }
  return { text: raised + text.slice(raised.length), marks: others };
}

function valueOfSign(kind: InlineKind, sign: string, values: InlineValues): { url?: string; latex?: string } {
  const number = sign.slice(1, -1);
  if (kind === 'link') return { url: values.valueAt(number) };
  return kind === 'formula' ? { latex: values.valueAt(number) } : {};
}

/** Emphasis of a run of characters, as flags. */
export const RUN_STRONG = 1;
export const RUN_EMPHASIS = 2;
export const RUN_STRIKE = 4;
export const RUN_CODE = 8;

const RUN_KINDS = [
  [RUN_STRONG, 'strong'],
  [RUN_EMPHASIS, 'emphasis'],
  [RUN_STRIKE, 'strike'],
  [RUN_CODE, 'code'],
] as const;

/** The signs between two runs. */
export function signsBetween(from: number, to: number): string {
  if (from === to) return '';
  let signs = '';
  for (const [flag, kind] of RUN_KINDS) if ((from & flag) > (to & flag)) signs += closeSign(kind);
  for (const [flag, kind] of RUN_KINDS) if ((to & flag) > (from & flag)) signs += openSign(kind);
  return signs;
}

const FLAG_OF: ReadonlyMap<InlineKind, number> = new Map(RUN_KINDS.map(([flag, kind]) => [kind, flag]));

const ALL_FLAGS = -1;

/** A character that is neither white space nor a sign. */
const VISIBLE = /[^\s\uFDD0-\uFDEF]/;

/** The emphasis that every visible character of raw texts has, apart from formulas; 0 without any. */
export function sharedEmphasis(texts: readonly string[]): number {
  let shared = ALL_FLAGS;
  for (const raw of texts) {
    let flags = 0;
    let isFormula = false;
    for (const [piece] of HAS_INLINE.test(raw) ? raw.matchAll(SIGN_OR_TEXT) : [[raw]]) {
      const sign = KIND_OF.get(piece[0] ?? '');
      if (sign?.kind === 'formula') isFormula = sign.isOpen;
      else if (sign !== undefined) {
        const flag = FLAG_OF.get(sign.kind) ?? 0;
        flags = sign.isOpen ? flags | flag : flags & ~flag;
      } else if (!isFormula && VISIBLE.test(piece)) shared &= flags;
      if (shared === 0) return 0;
    }
  }
  return shared === ALL_FLAGS ? 0 : shared;
}

/** A raw text without the signs of some emphasis. */
export function withoutEmphasis(raw: string, flags: number): string {
  if (flags === 0) return raw;
  let kept = raw;
  for (const [flag, kind] of RUN_KINDS) {
    if ((flags & flag) !== 0) kept = kept.replaceAll(openSign(kind), '').replaceAll(closeSign(kind), '');
  }
  return kept;
}
