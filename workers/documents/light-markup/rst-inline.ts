import { byName } from '../../../src-server/platform/records.ts';
import { signedLatex, signedText } from '../inline-marks.ts';
import { type ExpansionBudget, InlineScanner } from './inline-scanner.ts';
import { type MarkupBuilder, signedFootnote } from './markup-builder.ts';
import { placeAddress, type RstNames } from './rst-names.ts';

/** Substitutions inside substitutions. */
const DEPTH_MAX = 5;

const MARK_BEFORE = /[\s'"([{<\-/:\u2010-\u201f\u00ab\u00a1\u00bf]/;

const MARK_AFTER = /[\s'")\]}>\-/\\:.,;!?\u2010-\u201f\u00bb]/;

/** Text without a character that may begin a mark. */
const PLAIN = /[^\p{L}\p{N}\\`*|:_[]+/uy;

const WORD = /[\p{L}\p{N}]+(?:[-._+:][\p{L}\p{N}]+)*/uy;

const ADDRESS = /(?:https?|ftp):\/\/[^\s<>`*|\\]+/iy;

const ROLE = /:((?:[A-Za-z][\w+.-]*:){0,3}[A-Za-z][\w+.-]*):(?=`\S)/y;

const ROLE_BEHIND = /:((?:[A-Za-z][\w+.-]*:){0,3}[A-Za-z][\w+.-]*):/y;

const NOTE = /\[(\d{1,9}|#[\w.:-]{0,200}|\*|[A-Za-z][\w.:+-]{0,200})\]_(?![\p{L}\p{N}])/uy;

const STRESS: Readonly<Record<string, 'strong' | 'emphasis' | 'sub' | 'sup' | 'strike'>> = byName({
  strong: 'strong',
  emphasis: 'emphasis',
  t: 'emphasis',
  title: 'emphasis',
  'title-reference': 'emphasis',
  dfn: 'emphasis',
  sub: 'sub',
  subscript: 'sub',
  sup: 'sup',
  superscript: 'sup',
  strike: 'strike',
  del: 'strike',
});

/** Roles whose text names a place in the document or a file of the project. */
const PLACES = /^(?:ref|numref|any|term|keyword|eq|std:(?:ref|numref|term|doc)|doc|download)$/;

/** Addresses of proposals and standards, up to their number. */
const STANDARDS = { pep: 'https://peps.python.org/', rfc: 'https://www.rfc-editor.org/rfc/rfc' };

/** Roles whose text stays plain. */
const PLAIN_ROLES = /^(?:span|raw|abbr|abbreviation|ac|acronym|guilabel|menuselection|index|cite.*)$/;

/** The inline marks of reStructuredText. What is no mark stays as it is written. */
export class RstInline {
  readonly #out: MarkupBuilder;
  readonly #names: RstNames;
  readonly #budget: ExpansionBudget;

  constructor(out: MarkupBuilder, names: RstNames, budget: ExpansionBudget) {
    this.#out = out;
    this.#names = names;
    this.#budget = budget;
  }

  readRstInline(text: string, depth = 0): string {
    const scanner = new InlineScanner(text);
    const pieces: string[] = [];
    while (!scanner.isInlineConsumed) {
      const plain = scanner.takeInlineMatch(ADDRESS) ?? scanner.takeInlineMatch(PLAIN);
      if (plain === null) pieces.push(this.#takeRstMark(scanner, depth));
      else pieces.push(plain[0]);
    }
    return pieces.join('');
  }

  /** A mark, a word or the one character at this place. */
  #takeRstMark(scanner: InlineScanner, depth: number): string {
    const at = scanner.at;
    const character = scanner.peekInline();
    if (character === '\\') return takeEscape(scanner);
    const word = scanner.takeInlineMatch(WORD);
    if (word !== null) return this.#takeWordReference(scanner, word[0]);
    const mark = mayBegin(scanner) ? this.#takeMarkAt(scanner, character, depth) : null;
    if (mark !== null) return mark;
    scanner.at = at + 1;
    return character;
  }

  #takeMarkAt(scanner: InlineScanner, character: string, depth: number): string | null {
    if (character === '`') {
      return scanner.peekInline(1) === '`' ? this.#takeRstLiteral(scanner) : this.#takeInterpreted(scanner, null);
    }
    if (character === '*') return this.#takeRstStress(scanner);
    if (character === '|') return this.#takeSubstitution(scanner, depth);
    if (character === '[') return this.#takeNoteReference(scanner);
    if (character === '_' && scanner.peekInline(1) === '`') {
      const inner = takeBetween(scanner, '_`', '`', false, true);
      return inner === null ? null : plainText(inner);
    }
    if (character !== ':') return null;
    const start = scanner.at;
    const role = scanner.takeInlineMatch(ROLE)?.[1];
    const written = role === undefined ? null : this.#takeInterpreted(scanner, role);
    if (written === null) scanner.at = start;
    return written;
  }

  #takeRstLiteral(scanner: InlineScanner): string | null {
    const inner = takeBetween(scanner, '``', '``', true);
    return inner === null ? null : signedText('code', inner);
  }

  #takeRstStress(scanner: InlineScanner): string | null {
    const isStrong = scanner.peekInline(1) === '*';
    const mark = isStrong ? '**' : '*';
    const inner = takeBetween(scanner, mark, mark);
    return inner === null ? null : signedText(isStrong ? 'strong' : 'emphasis', plainText(inner));
  }

  #takeSubstitution(scanner: InlineScanner, depth: number): string | null {
    const start = scanner.at;
    const name = takeBetween(scanner, '|', '|', false, true);
    const found = name === null ? undefined : this.#names.substitutions.get(name.replace(/\s+/g, ' ').toLowerCase());
    if (name === null || found === undefined || depth >= DEPTH_MAX || !this.#budget.mayExpand(found.text)) {
      scanner.at = start;
      return null;
    }
    const isLink = scanner.takeInlineMatch(/__?(?![\p{L}\p{N}])/uy) !== null;
    const shown = found.text === '' && found.url !== null ? name : found.text;
    const text = this.readRstInline(shown, depth + 1);
    const url = isLink ? this.#names.targetOf(name) : found.url;
    return url === null ? text : (this.#out.signedLink(url, text) ?? text);
  }

  #takeNoteReference(scanner: InlineScanner): string | null {
    const start = scanner.at;
    const label = scanner.takeInlineMatch(NOTE)?.[1];
    const marker = label === undefined ? null : this.#names.noteMarker(label, 'reference');
    if (marker === null) {
      scanner.at = start;
      return null;
    }
    return signedFootnote(marker);
  }

  /** A word that the underscore behind it makes a reference. */
  #takeWordReference(scanner: InlineScanner, word: string): string {
    const start = scanner.at;
    const mark = scanner.takeInlineMatch(/__?(?![\p{L}\p{N}_])/uy)?.[0];
    if (mark === undefined) return word;
    const url = mark === '__' ? this.#names.nextAnonymous() : this.#names.targetOf(word);
    const link = url === null ? null : this.#out.signedLink(url, word);
    if (link !== null) return link;
    scanner.at = start;
    return word;
  }

  /** Text in single backquotes: a reference, or what its role makes of it. */
  #takeInterpreted(scanner: InlineScanner, before: string | null): string | null {
    const inner = takeBetween(scanner, '`', '`', false, true);
    if (inner === null) return null;
    const behind = before === null ? scanner.takeInlineMatch(ROLE_BEHIND)?.[1] : undefined;
    const role = before ?? behind;
    if (role !== undefined) return this.#writeRole(role, inner);
    const mark = scanner.takeInlineMatch(/__?(?![\p{L}\p{N}])/uy)?.[0];
    return mark === undefined ? signedText('emphasis', plainText(inner)) : this.#writeReference(inner, mark);
  }

  #writeReference(inner: string, mark: string): string {
    const { text, target } = splitTarget(inner);
    let url = target === null ? null : target.replace(/\s+/g, '').replace(/\\(.)/g, '$1');
    const alias = url === null ? undefined : /^(.+[^\\])_$/.exec(target ?? '')?.[1];
    if (alias !== undefined) url = this.#names.targetOf(alias) ?? url;
    else if (url !== null && text !== '' && mark === '_') this.#names.addTarget(text, url);
    url ??= mark === '__' ? this.#names.nextAnonymous() : this.#names.targetOf(inner);
    const shown = plainText(text === '' ? (url ?? inner) : text);
    const link = url === null ? null : this.#out.signedLink(url, shown);
    return link ?? `\`${inner}\`${mark}`;
  }

  #writeRole(stated: string, inner: string): string {
    const role = this.#names.baseRole(stated);
    if (role === 'math') return signedLatex(inner, false);
    const stress = STRESS[role];
    if (stress !== undefined) return signedText(stress, plainText(inner));
    if (role === 'code' || role === 'literal' || role === 'samp') return signedText('code', inner);
    const { text, target } = splitTarget(inner);
    const shown = plainText(text === '' ? (target ?? inner) : text);
    if (PLACES.test(role)) {
      const place = plainText(target ?? inner);
      const address = /doc$|^download$/.test(role) ? place : (this.#names.targetOf(place) ?? placeAddress(place));
      const title = target === null && role !== 'term' ? this.#names.titleOf(place) : null;
      const named = title !== null && this.#budget.mayExpand(title) ? title : shown;
      return this.#out.signedLink(address, named) ?? named;
    }
    if (role === 'pep' || role === 'rfc') {
      const number = (target ?? inner).split('#')[0]?.trim() ?? '';
      const name = target === null || text === '' ? `${role.toUpperCase()} ${plainText(target ?? inner)}` : shown;
      return /^\d{1,5}$/.test(number) ? (this.#out.signedLink(STANDARDS[role] + number, name) ?? name) : name;
    }
    if (PLAIN_ROLES.test(role)) return plainText(inner);
    const code = signedText('code', shown.replace(/^[~!]/, ''));
    if (target === null || text === '') return code;
    return this.#out.signedLink(placeAddress(target.replace(/^[~!]/, '')), shown) ?? code;
  }
}

function takeEscape(scanner: InlineScanner): string {
  const next = scanner.peekInline(1);
  scanner.at += 2;
  return /\s/.test(next) ? '' : next === '' ? '\\' : next;
}

/** A mark begins behind a space or an opening sign, before text, and not in quotation marks of its own. */
function mayBegin(scanner: InlineScanner): boolean {
  const before = scanner.peekInline(-1);
  return before === '' || MARK_BEFORE.test(before);
}

/** The text between two marks, which are consumed; null if there is none. */
function takeBetween(
  scanner: InlineScanner,
  open: string,
  close: string,
  isLiteral = false,
  mayGoOn = false,
): string | null {
  const { source, at } = scanner;
  const start = at + open.length;
  const first = source[start] ?? '';
  if (first === '' || /\s/.test(first) || (source[at - 1] === "'" && first === "'")) return null;
  const isEnd = (end: number) => {
    const last = source[end - 1] ?? '';
    if (/\s/.test(last) || (!isLiteral && last === '\\' && source[end - 2] !== '\\')) return false;
    const next = source[end + close.length] ?? '';
    return next === '' || MARK_AFTER.test(next) || (mayGoOn && next === '_');
  };
  const end = scanner.findInlineEnd(close, start + 1, isEnd);
  if (end === -1) return null;
  scanner.at = end + close.length;
  return source.slice(start, end);
}

/** Text without its backslashes. */
function plainText(text: string): string {
  return text.replace(/\\(\s|[\s\S])/g, (_, next: string) => (/\s/.test(next) ? '' : next));
}

/** `text <target>`. */
function splitTarget(inner: string): { text: string; target: string | null } {
  const open = inner.endsWith('>') ? inner.lastIndexOf('<') : -1;
  if (open === -1 || inner[open - 1] === '\\' || open === inner.length - 2) return { text: inner, target: null };
  return { text: inner.slice(0, open).trimEnd(), target: inner.slice(open + 1, -1) };
}
