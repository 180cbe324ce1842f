import { byName } from '../../../src-server/platform/records.ts';
import { type PlainKind, signedLatex, signedText } from '../inline-marks.ts';
import { type InlineScanner, writeMarks } from './inline-scanner.ts';
import { type MarkupBuilder, OUTERMOST, signedFootnote } from './markup-builder.ts';

const DEPTH_MAX = 12;

const BEFORE = /[\s\-–—({'"“‘[]/;

const AFTER = /[\s\-–—.,:;!?'")}\]\\[”’…]/;

const STRESS: Readonly<Record<string, PlainKind>> = byName({
  '*': 'strong',
  '/': 'emphasis',
  _: 'emphasis',
  '+': 'strike',
});

/** Text without a character that may begin a mark. */
const PLAIN = /[^\p{L}\p{N}\\*/_=~+[<$@^]+/uy;

const ADDRESS = /(?:https?|ftp|mailto):[^\s<>[\]()"]*[^\s<>[\]()".,;:!?'*~=]/iy;

const LINK = /\[\[((?:[^[\]\\]|\\.){1,2000})\](?:\[((?:[^\]]|\](?!\])){0,2000})\])?\]/y;

const NOTE = /\[fn:([\w-]{0,100})(?::|\])/y;

/** Places in the document or program, which no reader of the result can follow as they are written. */
const OWN_SCHEME = /^(?:id|elisp|shell|help|info|doi|attachment|man|info|eww|gnus|irc|news|bbdb|coderef):/;

/** The inline marks of Org. What is no mark stays as it is written. */
export class OrgInline {
  readonly #out: MarkupBuilder;
  readonly #abbreviations: ReadonlyMap<string, string>;
  #count = 0;
  readonly #taken: ReadonlySet<string>;

  /**
   * @param abbreviations addresses by their short name, of `#+LINK:`
   * @param taken names of the notes
   */
  constructor(out: MarkupBuilder, abbreviations: ReadonlyMap<string, string>, taken: ReadonlySet<string>) {
    this.#out = out;
    this.#abbreviations = abbreviations;
    this.#taken = taken;
  }

  readOrgInline(text: string, depth = 0, inside = ''): string {
    if (depth > DEPTH_MAX) return text;
    return writeMarks(text, PLAIN, (scanner, character) => this.#takeOrgMarkBegun(scanner, character, depth, inside));
  }

  #takeOrgMarkBegun(scanner: InlineScanner, character: string, depth: number, inside: string): string | null {
    if (character === '\\') return this.#takeBackslash(scanner);
    if (character === '$') return this.#takeOrgFormula(scanner);
    if (character === '[') return this.#takeOrgNote(scanner, depth) ?? this.#takeOrgLink(scanner, depth);
    if (character === '<') return this.#takeAngleLink(scanner);
    if (character === '^' || character === '_') {
      const script = this.#takeOrgScript(scanner, character, depth);
      if (script !== null) return script;
    }
    if (/[*/_=~+]/.test(character)) return this.#takeOrgStress(scanner, character, depth, inside);
    if (/[\p{L}\p{N}]/u.test(scanner.peekInline(-1))) return null;
    const code = scanner.takeInlineMatch(/src_[\w-]{1,40}(?:\[[^\]\n]{0,200}\])?\{([^{}\n]{1,500})\}/y)?.[1];
    if (code !== undefined) return signedText('code', code);
    return scanner.takeInlineMatch(ADDRESS)?.[0] ?? null;
  }

  #takeOrgStress(scanner: InlineScanner, sign: string, depth: number, inside: string): string | null {
    const { source, at } = scanner;
    const before = scanner.peekInline(-1);
    const first = source[at + 1] ?? '';
    if ((before !== '' && !BEFORE.test(before) && !inside.includes(before)) || first === '' || /\s/.test(first)) {
      return null;
    }
    const isEnd = (end: number) => {
      const next = source[end + 1] ?? '';
      return !/\s/.test(source[end - 1] ?? '') && (next === '' || AFTER.test(next) || inside.includes(next));
    };
    const end = scanner.findInlineEnd(sign, at + 2, isEnd);
    if (end === -1) return null;
    scanner.at = end + 1;
    const inner = source.slice(at + 1, end);
    if (sign === '=' || sign === '~') return signedText('code', inner);
    const kind = STRESS[sign] ?? 'emphasis';
    const isNew = !inside.includes(sign) && !(kind === 'emphasis' && /[/_]/.test(inside));
    const text = this.readOrgInline(inner, depth + 1, inside + sign);
    return isNew ? signedText(kind, text) : text;
  }

  /** With braces only: names of programs have plain ones. */
  #takeOrgScript(scanner: InlineScanner, sign: '^' | '_', depth: number): string | null {
    if (/^$|\s/.test(scanner.peekInline(-1))) return null;
    const inner = scanner.takeInlineMatch(/[_^]\{([^{}]{1,300})\}/y)?.[1];
    if (inner === undefined) return null;
    return signedText(sign === '^' ? 'sup' : 'sub', this.readOrgInline(inner, depth + 1));
  }

  #takeBackslash(scanner: InlineScanner): string | null {
    const { source, at } = scanner;
    const open = source.slice(at, at + 2);
    if (open === '\\\\' && /^\s*$/.test(source.slice(at + 2, at + 4))) {
      scanner.at += 2;
      return '\v';
    }
    const close = { '\\(': '\\)', '\\[': '\\]' }[open];
    const end = close === undefined ? -1 : scanner.findInlineEnd(close, at + 2);
    if (end === -1) return null;
    scanner.at = end + 2;
    return signedLatex(source.slice(at + 2, end), false);
  }

  /** No price: the signs touch the formula, and none follows directly. */
  #takeOrgFormula(scanner: InlineScanner): string | null {
    const { source, at } = scanner;
    if (source.startsWith('$$', at)) {
      const end = scanner.findInlineEnd('$$', at + 2);
      if (end === -1) return null;
      scanner.at = end + 2;
      return signedLatex(source.slice(at + 2, end), false);
    }
    const body = scanner.takeInlineMatch(/\$([^\s$.,;](?:[^$]{0,998}[^\s$.,])?)\$(?=[\s\-–—.,:;!?'")}\]]|$)/y)?.[1];
    return body === undefined ? null : signedLatex(body, false);
  }

  #takeOrgLink(scanner: InlineScanner, depth: number): string | null {
    const start = scanner.at;
    const [, stated, description] = scanner.takeInlineMatch(LINK) ?? [];
    if (stated === undefined) return null;
    const target = stated.replace(/\\([[\]\\])/g, '$1');
    const url = this.#addressOf(target);
    const shown =
      description === undefined || description.trim() === ''
        ? target.replace(/^file:/, '')
        : this.readOrgInline(description, depth + 1, 'l');
    const link = url === null ? null : this.#out.signedLink(url, shown);
    if (link === null) scanner.at = start;
    return link;
  }

  /** Null where the target is no address. */
  #addressOf(target: string): string | null {
    const [, name = '', rest = ''] = /^([\w-]+):(.*)$/.exec(target) ?? [];
    const short = this.#abbreviations.get(name);
    if (short !== undefined) return short.includes('%s') ? short.replaceAll('%s', rest) : short + rest;
    if (/^file(?:\+\w+)?:/.test(target)) return target.replace(/^file(?:\+\w+)?:/, '').replace(/::/, '#');
    if (target.startsWith('doi:')) return `https://doi.org/${target.slice(4)}`;
    if (OWN_SCHEME.test(target)) return null;
    if (/^[*#]/.test(target)) return `#${target.slice(1).trim().replace(/\s+/g, '-')}`;
    if (/^(?:[a-z][a-z\d+.-]*:|[./~])/i.test(target)) return target;
    return `#${target.replace(/\s+/g, '-')}`;
  }

  #takeAngleLink(scanner: InlineScanner): string | null {
    const url = scanner.takeInlineMatch(/<((?:https?|ftp|mailto):[^\s<>]{1,2000})>/iy)?.[1];
    return url === undefined ? null : (this.#out.signedLink(url, url.replace(/^mailto:/i, '')) ?? url);
  }

  #takeOrgNote(scanner: InlineScanner, depth: number): string | null {
    const start = scanner.at;
    const found = scanner.takeInlineMatch(NOTE);
    if (found === null) return null;
    const label = found[1] ?? '';
    if (found[0].endsWith(']')) {
      if (label !== '') return signedFootnote(label);
      scanner.at = start;
      return null;
    }
    const content = takeNoteContent(scanner);
    if (content === null) {
      scanner.at = start;
      return null;
    }
    const marker = label === '' ? this.#nextNumber() : label;
    const text = this.readOrgInline(content, depth + 1, 'l');
    this.#out.addMarkupBlock({ kind: 'note', marker, text }, OUTERMOST);
    return signedFootnote(marker);
  }

  /** Of a note without a name. */
  #nextNumber(): string {
    do this.#count += 1;
    while (this.#taken.has(String(this.#count)));
    return String(this.#count);
  }
}

const NOTE_CHARS_MAX = 2000;

/** Up to the bracket that closes the note, which is consumed. */
function takeNoteContent(scanner: InlineScanner): string | null {
  const { source, at } = scanner;
  let depth = 1;
  for (let end = at; end < Math.min(source.length, at + NOTE_CHARS_MAX); end += 1) {
    if (source[end] === '[') depth += 1;
    else if (source[end] === ']') depth -= 1;
    if (depth > 0) continue;
    scanner.at = end + 1;
    return source.slice(at, end);
  }
  return null;
}
