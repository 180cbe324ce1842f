/**
 * Reads XML 1.0 (and 1.1 as such) by tags instead of by characters: names are looked up without a string for each, and
 * text is cut from the source between two tags. It refuses what is not well-formed. Declared entities are not read: a
 * reference to one is an error.
 */

import { byName } from '../../src-server/platform/records.ts';

/** The name of an element or attribute. One object for all of its occurrences, mostly. */
export interface XmlName {
  text: string;
  /** Before the first colon; '' without one. */
  prefix: string;
  /** Behind the first colon. */
  local: string;
  /** Before the last colon; null without one. */
  head: string | null;
  /** Behind the last colon. */
  tail: string;
}

export interface XmlAttributes {
  names: readonly XmlName[];
  /** With references resolved and line ends as spaces. */
  values: readonly string[];
}

export interface XmlEvents {
  open(name: XmlName, attributes: XmlAttributes): void;
  close(): void;
  /** All text between two pieces of markup, or the content of a CDATA section. */
  text(text: string): void;
  /** Called behind a document type. */
  doctype(): void;
}

/** Why a text is no XML. */
export class NotWellFormed extends Error {}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const EXCLAMATION = 0x21;
const DOUBLE_QUOTE = 0x22;
const AMPERSAND = 0x26;
const SINGLE_QUOTE = 0x27;
const SLASH = 0x2f;
const LESS = 0x3c;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const QUESTION = 0x3f;
const BYTE_ORDER_MARK = 0xfeff;

const CDATA = '<![CDATA[';

const DOCTYPE = '<!DOCTYPE';

const DECLARED = '<?xml';

/** Characters that XML does not have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const DISALLOWED = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

/** First and last code units of characters that may begin a name. Surrogates may, since pairs of most planes do. */
const NAME_STARTS: readonly (readonly [number, number])[] = [
  ...([
    [0x3a, 0x3a],
    [0x41, 0x5a],
    [0x5f, 0x5f],
    [0x61, 0x7a],
    [0xc0, 0xd6],
    [0xd8, 0xf6],
    [0xf8, 0x2ff],
  ] as const),
  ...([
    [0x370, 0x37d],
    [0x37f, 0x1fff],
    [0x200c, 0x200d],
    [0x2070, 0x218f],
    [0x2c00, 0x2fef],
  ] as const),
  ...([
    [0x3001, 0xdfff],
    [0xf900, 0xfdcf],
    [0xfdf0, 0xfffd],
  ] as const),
];

/** Those that may follow. */
const NAME_RESTS: readonly (readonly [number, number])[] = [
  [0x2d, 0x2e],
  [0x30, 0x39],
  [0xb7, 0xb7],
  [0x300, 0x36f],
  [0x203f, 0x2040],
];

const IN_NAME = 1;
const STARTS_NAME = 2;

/** What each code unit may be in a name. */
const NAME_CLASSES = new Uint8Array(0x10000);
for (const [first, last] of NAME_RESTS) NAME_CLASSES.fill(IN_NAME, first, last + 1);
for (const [first, last] of NAME_STARTS) NAME_CLASSES.fill(IN_NAME | STARTS_NAME, first, last + 1);

/** 0 behind the end of a text. */
function nameClass(unit: number): number {
  return NAME_CLASSES[unit] ?? 0;
}

function isSpace(unit: number): boolean {
  return unit === SPACE || unit === LINE_FEED || unit === TAB || unit === RETURN;
}

const DECLARATION = new RegExp(
  [
    /^<\?xml\s+version\s*=\s*(?:"1\.\d+"|'1\.\d+')/,
    /(?:\s+encoding\s*=\s*(?:"[A-Za-z][\w.-]*"|'[A-Za-z][\w.-]*'))?/,
    /(?:\s+standalone\s*=\s*(?:"(?:yes|no)"|'(?:yes|no)'))?\s*\?>$/,
  ]
    .map(({ source }) => source)
    .join(''),
);

const REFERENCE = /&([^;]*)(;?)/g;

const ENTITIES: Readonly<Record<string, string>> = byName({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" });

/** Names by a hash of their text; one that is not there replaces another. */
const NAME_SLOTS = 1024;

const NO_ATTRIBUTES: XmlAttributes = { names: [], values: [] };

/** From so many attributes on, repeated ones are looked for by a set. */
const MANY_ATTRIBUTES = 12;

/** Reads a text that is written piece by piece. Errors: `NotWellFormed`. */
export class XmlReader {
  readonly #events: XmlEvents;
  readonly #names: (XmlName | undefined)[] = new Array(NAME_SLOTS);
  /** Names of the elements around the place. */
  readonly #open: string[] = [];
  /** What is read of the pieces so far, from the first markup that has not ended. */
  #source = '';
  /** Index in `#source`. */
  #at = 0;
  /** Characters before `#source`. */
  #passed = 0;
  /** Characters before the place where a declaration may be. */
  #start = 0;
  /** Text whose end has not come yet. */
  #text = '';
  #hasReferences = false;
  #hasReturns = false;
  #hasBegun = false;
  #hasRoot = false;
  #hasDoctype = false;

  constructor(events: XmlEvents) {
    this.#events = events;
  }

  /** Characters read so far; after an error, up to its place. */
  get position(): number {
    return this.#passed + this.#at;
  }

  write(piece: string): void {
    const bad = DISALLOWED.exec(piece);
    const readable = bad === null ? piece : piece.slice(0, bad.index);
    const isTagCut = this.#at < this.#source.length;
    const rest = isTagCut ? this.#source.slice(this.#at) : '';
    this.#passed += this.#at;
    this.#source = rest + readable;
    this.#at = 0;
    // Nothing ends markup without it.
    if (!isTagCut || readable.includes('>')) this.#readSource();
    if (bad !== null) {
      this.#at = this.#source.length;
      this.#fail('a character that XML does not have');
    }
  }

  /** The text is whole. */
  close(): void {
    const isCut = this.#at < this.#source.length;
    this.#at = this.#source.length;
    if (!this.#hasRoot) this.#fail('no root element');
    if (this.#open.length > 0 || isCut) this.#fail('it ends in the middle');
    if (this.#text !== '') this.#endText('');
  }

  #readSource(): void {
    const source = this.#source;
    if (!this.#hasBegun && !this.#begin()) return;
    this.#hasReferences = source.includes('&') || this.#text.includes('&');
    this.#hasReturns = source.includes('\r') || this.#text.includes('\r');
    for (;;) {
      const open = source.indexOf('<', this.#at);
      if (open === -1) {
        this.#text += source.slice(this.#at);
        this.#at = source.length;
        return;
      }
      if (open > this.#at || this.#text !== '') {
        this.#endText(source.slice(this.#at, open));
        this.#at = open;
      }
      if (!this.#readMarkup(open)) return;
    }
  }

  /** Passes the mark of the byte order and leading spaces, which are no text. False: there is nothing else yet. */
  #begin(): boolean {
    const source = this.#source;
    if (this.#passed === 0 && source.charCodeAt(0) === BYTE_ORDER_MARK) {
      this.#at = 1;
      this.#start = 1;
    }
    while (this.#at < source.length && isSpace(source.charCodeAt(this.#at))) this.#at += 1;
    if (this.#at === source.length) return false;
    const start = this.#at;
    const head = source.slice(start, start + DECLARED.length);
    const mayBeDeclared = this.position === this.#start && head === DECLARED.slice(0, head.length);
    if (mayBeDeclared && (head.length < DECLARED.length || start + DECLARED.length === source.length)) return false;
    const isDeclared = mayBeDeclared && (nameClass(source.charCodeAt(start + DECLARED.length)) & IN_NAME) === 0;
    if (isDeclared) {
      const end = source.indexOf('?>', start);
      if (end === -1) return false;
      if (!DECLARATION.test(source.slice(start, end + 2))) this.#fail('a declaration that is none');
      this.#at = end + 2;
    }
    this.#hasBegun = true;
    return true;
  }

  /** Ends the text with its last piece, which begins at `#at`. */
  #endText(last: string): void {
    let text = this.#text + last;
    this.#text = '';
    const isInside = this.#open.length > 0;
    const isBlank = isInside || /^[ \t\r\n]*$/.test(text);
    if (isInside && text.includes(']]>')) this.#fail(']]> in text');
    if (this.#hasReturns) text = text.replace(/\r\n?/g, '\n');
    if (this.#hasReferences && isInside) text = this.#resolveReferences(text);
    this.#events.text(text);
    if (!isBlank) this.#fail('text outside of the root element');
  }

  /** False: the markup has not ended. */
  #readMarkup(open: number): boolean {
    const next = this.#source.charCodeAt(open + 1);
    if (next === SLASH) return this.#readClosingTag(open);
    if (next === EXCLAMATION) return this.#readDeclaration(open);
    if (next === QUESTION) return this.#readInstruction(open);
    if (Number.isNaN(next)) return false;
    return this.#readOpeningTag(open);
  }

  #readClosingTag(open: number): boolean {
    const source = this.#source;
    const end = source.indexOf('>', open);
    if (end === -1) return false;
    this.#at = end;
    const name = this.#open.at(-1) ?? '';
    const start = open + 2;
    let nameEnd = end;
    while (nameEnd > start && isSpace(source.charCodeAt(nameEnd - 1))) nameEnd -= 1;
    if (nameEnd - start === name.length && name !== '' && source.startsWith(name, start)) {
      this.#at = end + 1;
      this.#open.pop();
      this.#events.close();
      return true;
    }
    return this.#failClosing(source.slice(start, nameEnd));
  }

  #failClosing(name: string): never {
    for (const character of name) {
      if (nameClass(character.charCodeAt(0)) === 0) this.#fail('a closing tag without a name');
    }
    if (name === '') this.#fail('a closing tag without a name');
    this.#at += 1;
    if (this.#open.pop() !== undefined) this.#events.close();
    this.#fail('a closing tag without its opening tag');
  }

  /** A comment, a CDATA section or a document type. */
  #readDeclaration(open: number): boolean {
    const source = this.#source;
    if (source.startsWith('<!--', open)) {
      const end = source.indexOf('--', open + 4);
      if (end === -1 || end + 2 >= source.length) return false;
      this.#at = end + 2;
      if (source.charCodeAt(this.#at) !== GREATER) this.#fail('-- in a comment');
      this.#at += 1;
      return true;
    }
    if (source.startsWith(CDATA, open)) {
      this.#at = open + 2;
      if (this.#open.length === 0) this.#fail('text outside of the root element');
      this.#at = open;
      const end = source.indexOf(']]>', open + CDATA.length);
      if (end === -1) return false;
      this.#at = end + 3;
      const text = source.slice(open + CDATA.length, end);
      this.#events.text(this.#hasReturns ? text.replace(/\r\n?/g, '\n') : text);
      return true;
    }
    if (source.startsWith(DOCTYPE, open)) return this.#readDoctype(open);
    const begun = source.slice(open, open + DOCTYPE.length);
    if (CDATA.startsWith(begun) || DOCTYPE.startsWith(begun) || '<!--'.startsWith(begun)) return false;
    this.#at = open + 2;
    this.#fail('a declaration that is none');
  }

  #readDoctype(open: number): boolean {
    this.#at = open + DOCTYPE.length;
    if (this.#hasDoctype || this.#hasRoot) this.#fail('a document type at the wrong place');
    const end = doctypeEnd(this.#source, this.#at);
    if (end === -1) {
      this.#at = open;
      return false;
    }
    this.#at = end;
    this.#hasDoctype = true;
    this.#events.doctype();
    return true;
  }

  #readInstruction(open: number): boolean {
    const source = this.#source;
    const end = source.indexOf('?>', open + 2);
    if (end === -1) return false;
    let at = open + 2;
    this.#at = at;
    if ((nameClass(source.charCodeAt(at)) & STARTS_NAME) === 0) this.#fail('an instruction without a name');
    while ((nameClass(source.charCodeAt(at)) & IN_NAME) !== 0) at += 1;
    this.#at = at;
    if (at < end && !isSpace(source.charCodeAt(at)) && source.charCodeAt(at) !== QUESTION)
      this.#fail('an instruction with a wrong name');
    if (source.slice(open + 2, at).toLowerCase() === 'xml') this.#fail('a declaration at the wrong place');
    this.#at = end + 2;
    return true;
  }

  #readOpeningTag(open: number): boolean {
    const source = this.#source;
    const from = open + 1;
    if ((nameClass(source.charCodeAt(from)) & STARTS_NAME) === 0) {
      this.#at = from;
      this.#fail('a tag without a name');
    }
    const name = this.#readName(from);
    let at = from + name.text.length;
    let attributes = NO_ATTRIBUTES;
    const first = source.charCodeAt(at);
    if (Number.isNaN(first)) return false;
    this.#at = at;
    if (this.#hasRoot && this.#open.length === 0) this.#fail('more than one root element');
    if (isSpace(first)) {
      const found = { names: [], values: [] };
      at = this.#readAttributes(at, found);
      if (at === -1) {
        this.#at = open;
        return false;
      }
      attributes = found;
    }
    const isEmpty = source.charCodeAt(at) === SLASH;
    if (isEmpty) at += 1;
    const last = source.charCodeAt(at);
    if (Number.isNaN(last)) {
      this.#at = open;
      return false;
    }
    this.#at = at;
    if (last !== GREATER) this.#fail('a wrong character in a tag');
    this.#at = at + 1;
    this.#hasRoot = true;
    if (attributes.names.length > 1) this.#refuseRepeated(attributes.names);
    this.#events.open(name, attributes);
    if (isEmpty) this.#events.close();
    else this.#open.push(name.text);
    return true;
  }

  /** Reads attributes from behind a name. Index of the end of the tag (`>` or `/`); -1: it has not come. */
  #readAttributes(from: number, found: { names: XmlName[]; values: string[] }): number {
    const source = this.#source;
    let at = from;
    for (;;) {
      const before = at;
      at = passSpaces(source, at);
      const unit = source.charCodeAt(at);
      if (unit === GREATER || unit === SLASH) return at;
      if (Number.isNaN(unit)) return -1;
      this.#at = at;
      if (at === before) this.#fail('attributes without a space between them');
      if ((nameClass(unit) & STARTS_NAME) === 0) this.#fail('a wrong character in a tag');
      const name = this.#readName(at);
      at = passSpaces(source, at + name.text.length);
      const equals = source.charCodeAt(at);
      if (Number.isNaN(equals)) return -1;
      this.#at = at;
      if (equals !== EQUALS) this.#fail('an attribute without a value');
      at = passSpaces(source, at + 1);
      const quote = source.charCodeAt(at);
      if (Number.isNaN(quote)) return -1;
      this.#at = at;
      if (quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE) this.#fail('an attribute value without quotes');
      const end = this.#readValue(at + 1, quote, found.values);
      if (end === -1) return -1;
      found.names.push(name);
      at = end + 1;
      if (at >= source.length) return -1;
    }
  }

  /** Adds the value that starts at an index. Index of its closing quote; -1: it has not come. */
  #readValue(start: number, quote: number, values: string[]): number {
    const source = this.#source;
    let at = start;
    let isPlain = true;
    for (; at < source.length; at += 1) {
      const unit = source.charCodeAt(at);
      if (unit === quote) break;
      if (unit > LESS) continue;
      if (unit === LESS) {
        this.#at = at;
        this.#fail('< in an attribute value');
      }
      if (unit === AMPERSAND || unit < SPACE) isPlain = false;
    }
    if (at >= source.length) return -1;
    const value = source.slice(start, at);
    this.#at = at;
    values.push(isPlain ? value : this.#resolveReferences(value.replace(/\r\n?|[\n\t]/g, ' ')));
    return at;
  }

  #refuseRepeated(names: readonly XmlName[]): void {
    if (names.length < MANY_ATTRIBUTES) {
      for (let one = 1; one < names.length; one += 1) {
        const text = names[one]?.text;
        for (let other = 0; other < one; other += 1) {
          if (names[other]?.text === text) this.#fail('an attribute twice');
        }
      }
    } else if (new Set(names.map(({ text }) => text)).size < names.length) this.#fail('an attribute twice');
  }

  #readName(start: number): XmlName {
    const source = this.#source;
    let hash = 0;
    let at = start;
    for (; at < source.length; at += 1) {
      const unit = source.charCodeAt(at);
      if ((nameClass(unit) & IN_NAME) === 0) break;
      hash = (Math.imul(hash, 31) + unit) | 0;
    }
    const slot = (hash ^ (hash >>> 10)) & (NAME_SLOTS - 1);
    const known = this.#names[slot];
    if (known !== undefined && known.text.length === at - start && source.startsWith(known.text, start)) return known;
    const name = nameOf(source.slice(start, at));
    this.#names[slot] = name;
    return name;
  }

  #resolveReferences(text: string): string {
    if (!text.includes('&')) return text;
    return text.replace(REFERENCE, (_, name: string, end: string) => {
      const character = end === '' ? null : referencedCharacter(name);
      return character ?? this.#fail('a reference to nothing');
    });
  }

  #fail(cause: string): never {
    throw new NotWellFormed(cause);
  }
}

function nameOf(text: string): XmlName {
  const first = text.indexOf(':');
  const last = text.lastIndexOf(':');
  return {
    text,
    prefix: first === -1 ? '' : text.slice(0, first),
    local: text.slice(first + 1),
    head: last === -1 ? null : text.slice(0, last),
    tail: text.slice(last + 1),
  };
}

function passSpaces(source: string, from: number): number {
  let at = from;
  while (isSpace(source.charCodeAt(at))) at += 1;
  return at;
}

/** Null where the reference is to nothing that XML has. */
function referencedCharacter(name: string): string | null {
  if (name.charCodeAt(0) !== 0x23) return Object.hasOwn(ENTITIES, name) ? (ENTITIES[name] ?? null) : null;
  const [, hex, decimal] = /^#(?:x([0-9a-f]+)|([0-9]+))$/i.exec(name) ?? [];
  if (name.charCodeAt(1) === 0x58) return null;
  const point = hex === undefined ? Number.parseInt(decimal ?? '', 10) : Number.parseInt(hex, 16);
  const isCharacter =
    (point >= SPACE && point <= 0xd7ff) ||
    (point >= 0xe000 && point <= 0xfffd) ||
    (point >= 0x10000 && point <= 0x10ffff);
  return isCharacter || point === TAB || point === LINE_FEED || point === RETURN ? String.fromCodePoint(point) : null;
}

/** Of the internal subset: what is passed whole, its end, or the beginning of what does not end. */
const SUBSET_PIECE = /"[^"]*"|'[^']*'|<!--[\s\S]*?-->|<\?[\s\S]*?\?>|\]|["']|<!--|<\?/g;

/** The same outside of it; a bracket begins it. */
const DOCTYPE_PIECE = /"[^"]*"|'[^']*'|[[>]|["']/g;

const UNENDED: ReadonlySet<string> = new Set(['"', "'", '<!--', '<?']);

/** Index behind a document type whose name is read; -1 where it does not end. */
function doctypeEnd(source: string, from: number): number {
  let pieces = DOCTYPE_PIECE;
  for (let at = from; ; ) {
    pieces.lastIndex = at;
    const piece = pieces.exec(source)?.[0];
    if (piece === undefined || UNENDED.has(piece)) return -1;
    at = pieces.lastIndex;
    if (piece === '>') return at;
    if (piece === '[') pieces = SUBSET_PIECE;
    else if (piece === ']') pieces = DOCTYPE_PIECE;
  }
}
