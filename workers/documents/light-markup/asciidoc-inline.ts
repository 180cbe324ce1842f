import { byName } from '../../../src-server/platform/records.ts';
import { type PlainKind, signedLatex, signedText } from '../inline-marks.ts';
import { ExpansionBudget, type InlineScanner, writeMarks } from './inline-scanner.ts';
import { type MarkupBuilder, OUTERMOST, signedFootnote } from './markup-builder.ts';

/** Marks, attributes and notes inside each other. */
const DEPTH_MAX = 12;

/** Longest content of a macro. */
const NOTE_CHARS_MAX = 2000;

const WORD = /[\p{L}\p{N}_]/u;

/** Text without a character that may begin a mark. */
const PLAIN = /[^\p{L}\p{N}\\`*_#^~+<[({"'$:]+/uy;

const ADDRESS = /(?:https?|ftp|irc):\/\/[^\s[\]<>"`*]+/iy;

const LINK_TEXT = /\[((?:[^\]\\]|\\.){0,2000})\]/y;

const MACRO = new RegExp(
  '(link|mailto|tel|xref|image|footnote|footnoteref|stem|latexmath|asciimath|kbd|btn|menu|pass|anchor|indexterm2?)' +
    ':([^\\s[\\]]{0,500})\\[',
  'y',
);

const NOTE_MACRO = /footnote(?:ref)?:/y;

/** A word without the note at its end. */
const NOTED_WORD = /[\p{L}\p{N}_]+?(?=footnote(?:ref)?:[^\s[\]]{0,500}\[)/uy;

/** Doubled marks work inside words too. */
const STRESS: Readonly<Record<string, PlainKind>> = byName({ '*': 'strong', _: 'emphasis', '`': 'code' });

const CHARACTERS: Readonly<Record<string, string>> = byName({
  amp: '&',
  apos: "'",
  asterisk: '*',
  backslash: '\\',
  backtick: '`',
  blank: '',
  brvbar: '¦',
  caret: '^',
  cpp: 'C++',
  deg: '°',
  empty: '',
  endsb: ']',
  gt: '>',
  ldquo: '“',
  lsquo: '‘',
  lt: '<',
  nbsp: '\u00a0',
  plus: '+',
  quot: '"',
  rdquo: '”',
  rsquo: '’',
  sp: ' ',
  startsb: '[',
  tilde: '~',
  'two-colons': '::',
  'two-semicolons': ';;',
  vbar: '|',
  wj: '',
  zwsp: '',
});

/** The inline marks of AsciiDoc, with the attributes that a document sets. What is no mark stays as it is written. */
export class AsciidocInline {
  readonly attributes = new Map<string, string>();
  /** Within the text read last. */
  readonly pictures: { alt: string; url: string }[] = [];
  /** Titles of sections and blocks by their names. */
  readonly #titles: ReadonlyMap<string, string>;
  readonly #out: MarkupBuilder;
  readonly #budget: ExpansionBudget;
  readonly #notes = new Map<string, string>();
  #noteCount = 0;

  constructor(out: MarkupBuilder, lines: readonly string[]) {
    this.#out = out;
    this.#titles = asciidocTitles(lines);
    this.#budget = new ExpansionBudget(lines);
  }

  readAsciidocInline(text: string, depth = 0, inside = ''): string {
    if (depth > DEPTH_MAX) return text;
    return writeMarks(text, PLAIN, (scanner, character) => this.#takeMarkBegun(scanner, character, depth, inside));
  }

  #takeMarkBegun(scanner: InlineScanner, character: string, depth: number, inside: string): string | null {
    if (character === '\\') return takeAsciidocEscape(scanner);
    if (character === '<') return this.#takeCrossReference(scanner, depth);
    if (character === '[') return this.#takeBracket(scanner, depth, inside);
    if (character === '(') return takeVisibleTerm(scanner);
    if (character === '{') return this.#takeAttribute(scanner, depth, inside);
    const isOlder = this.attributes.has('compat-mode') && (character === "'" || character === '+');
    const older = isOlder ? this.#takeOlderMark(scanner, character, depth, inside) : null;
    if (older !== null) return older;
    if (character === '"' || character === "'") return this.#takeCurlyQuote(scanner, depth, inside);
    if (character === '+' || character === '$') return this.#takePassed(scanner, character);
    if (character === '^' || character === '~') return this.#takeScript(scanner, character, depth);
    if (/[*_`#]/.test(character)) return this.#takeAsciidocStress(scanner, character, { depth, inside });
    if (WORD.test(scanner.peekInline(-1))) return this.#takeNoteOfWord(scanner, depth);
    const address = scanner.takeInlineMatch(ADDRESS)?.[0];
    if (address !== undefined) return this.#writeAddress(scanner, address, depth);
    const macro = /[a-z]/.test(character) ? this.#takeMacro(scanner, depth) : null;
    return macro ?? scanner.takeInlineMatch(NOTED_WORD)?.[0] ?? null;
  }

  /** A note at the end of its word. */
  #takeNoteOfWord(scanner: InlineScanner, depth: number): string | null {
    return scanner.seeInlineMatch(NOTE_MACRO) === null ? null : this.#takeMacro(scanner, depth);
  }

  /** Marks that only the older form of AsciiDoc has. */
  #takeOlderMark(scanner: InlineScanner, sign: string, depth: number, inside: string): string | null {
    if (sign === '+') {
      const code = scanner.peekInline(1) === '+' ? takeUnconstrained(scanner, '++') : takeConstrained(scanner, '+');
      return code === null ? null : signedText('code', this.readAsciidocInline(code, depth + 1, `${inside}\``));
    }
    const inner = scanner.peekInline(1) === '`' ? null : takeConstrained(scanner, "'");
    return inner === null ? null : signedText('emphasis', this.readAsciidocInline(inner, depth + 1, `${inside}_`));
  }

  /** `role` is of a mark with `#`. */
  #takeAsciidocStress(
    scanner: InlineScanner,
    sign: string,
    { depth, inside, role = '' }: { depth: number; inside: string; role?: string },
  ): string | null {
    const isDouble = scanner.peekInline(1) === sign && scanner.peekInline(2) !== '';
    const inner =
      (isDouble ? takeUnconstrained(scanner, sign + sign) : null) ?? takeConstrained(scanner, sign, role !== '');
    if (inner === null) return null;
    const kind = sign === '#' ? roleKind(role) : (STRESS[sign] ?? 'emphasis');
    const literal = sign === '`' ? /^\+([\s\S]*)\+$/.exec(inner)?.[1] : undefined;
    const text = literal ?? this.readAsciidocInline(inner, depth + 1, inside + sign);
    // A name alone is no mark.
    if (inside.includes(sign) || (sign === '#' && /^#[^.]*$/.test(role))) return text;
    return signedText(kind, text);
  }

  #takeScript(scanner: InlineScanner, sign: '^' | '~', depth: number): string | null {
    const inner = scanner.takeInlineMatch(sign === '^' ? /\^([^\s^]{1,200})\^/y : /~([^\s~]{1,200})~/y)?.[1];
    if (inner === undefined) return null;
    return signedText(sign === '^' ? 'sup' : 'sub', this.readAsciidocInline(inner, depth + 1));
  }

  #takeCurlyQuote(scanner: InlineScanner, depth: number, inside: string): string | null {
    const sign = scanner.peekInline();
    if (scanner.peekInline(1) !== '`' || WORD.test(scanner.peekInline(-1))) return null;
    const end = scanner.findInlineEnd(`\`${sign}`, scanner.at + 3);
    if (end === -1) return null;
    const inner = scanner.source.slice(scanner.at + 2, end);
    scanner.at = end + 2;
    const text = this.readAsciidocInline(inner, depth + 1, inside);
    return sign === '"' ? `“${text}”` : `‘${text}’`;
  }

  /** Text that is taken as it is. */
  #takePassed(scanner: InlineScanner, sign: '+' | '$'): string | null {
    for (const mark of sign === '+' ? ['+++', '++'] : ['$$']) {
      if (!scanner.source.startsWith(mark, scanner.at)) continue;
      const inner = takeUnconstrained(scanner, mark);
      if (inner !== null) return inner;
    }
    return sign === '+' ? takeConstrained(scanner, '+') : null;
  }

  #takeCrossReference(scanner: InlineScanner, depth: number): string | null {
    const [, id, text] = scanner.takeInlineMatch(/<<([^\s<>,][^<>,]{0,300})(?:,([^<>]{0,1000}))?>>/y) ?? [];
    if (id === undefined) return null;
    return this.#writeCrossReference(id.trim(), text?.trim() ?? '', depth);
  }

  #writeCrossReference(id: string, text: string, depth: number): string {
    const own = id.replace(/^#/, '');
    const title = this.#titles.get(own) ?? own;
    const plain = this.#budget.mayExpand(title) ? title : own;
    const shown = text === '' ? plain : this.readAsciidocInline(text, depth + 1);
    const isFile = /[#/]|\.adoc$/.test(id);
    return this.#out.signedLink(isFile ? id : `#${id}`, shown) ?? shown;
  }

  /** An anchor, or the attributes of the mark that follows. */
  #takeBracket(scanner: InlineScanner, depth: number, inside: string): string | null {
    const anchor = scanner.takeInlineMatch(/\[\[[A-Za-z_:][^[\]]{0,300}\]\]/y);
    if (anchor !== null) return '';
    const role = scanner.takeInlineMatch(/\[([.#][^[\]\n]{0,200}|[A-Za-z][\w -]{0,60})\](?=[*_`#])/y)?.[1];
    if (role === undefined) return null;
    return this.#takeAsciidocStress(scanner, scanner.peekInline(), { depth, inside, role });
  }

  #takeAttribute(scanner: InlineScanner, depth: number, inside: string): string | null {
    const name = scanner.takeInlineMatch(/\{([A-Za-z0-9_][\w-]{0,100})\}/y)?.[1]?.toLowerCase();
    if (name === undefined) return null;
    const own = this.attributes.get(name);
    if (own === undefined) return Object.hasOwn(CHARACTERS, name) ? (CHARACTERS[name] ?? '') : null;
    // An address may go on behind the attribute, and have a text.
    if (/^(?:https?|ftp):/i.test(own)) {
      const rest = scanner.takeInlineMatch(/[^\s[\]<>"`*]*/y)?.[0] ?? '';
      return this.#writeAddress(scanner, own + this.resolveAttributes(rest), depth);
    }
    // A macro whose target the attribute is.
    if (/^(?:link|mailto|xref|image):\S+$/.test(own)) {
      const rest = scanner.takeInlineMatch(/[^\s[\]]{0,500}\[/y)?.[0];
      const content = rest === undefined ? null : takeBracketed(scanner);
      if (rest !== undefined && content !== null) {
        return this.readAsciidocInline(`${own}${rest}${content}]`, depth + 1, inside);
      }
    }
    return this.#budget.mayExpand(own) ? this.readAsciidocInline(own, depth + 1, inside) : null;
  }

  /** A text with the values of the attributes in it. */
  resolveAttributes(text: string, depth = 0): string {
    if (!text.includes('{') || depth > 4) return text;
    return text.replace(/\{([A-Za-z0-9_][\w-]{0,100})\}/g, (whole, name: string) => {
      const value = this.attributes.get(name.toLowerCase()) ?? CHARACTERS[name.toLowerCase()];
      if (value === undefined || !this.#budget.mayExpand(value)) return whole;
      return this.resolveAttributes(value, depth + 1);
    });
  }

  #writeAddress(scanner: InlineScanner, address: string, depth: number): string {
    const url = this.resolveAttributes(address);
    const [, text] = scanner.takeInlineMatch(LINK_TEXT) ?? [];
    if (text !== undefined) {
      const shown = this.#linkText(text, url, depth);
      return this.#out.signedLink(url, shown) ?? `${shown} (${url})`;
    }
    return url;
  }

  /** The text of a link without its attributes. */
  #linkText(stated: string, url: string, depth: number): string {
    const text = stated
      .replaceAll('\\]', ']')
      .replace(/(?<=^\s*"[^"]*"),.*$/, '')
      .replace(/,\s*(?:window|role|opts|options|rel|title|id|subject|width|height)=.*$/, '')
      .replace(/\^$/, '')
      .replace(/^"([^"]*)"$/, '$1')
      .trim();
    return text === '' || /^\w+=/.test(text) ? url : this.readAsciidocInline(text, depth + 1);
  }

  #takeMacro(scanner: InlineScanner, depth: number): string | null {
    const [whole, name = '', target = ''] = scanner.takeInlineMatch(MACRO) ?? [];
    if (whole === undefined) return null;
    const content = takeBracketed(scanner);
    if (content === null) return null;
    switch (name) {
      case 'footnote':
      case 'footnoteref':
        return this.#writeNote(name, target, content, depth);
      case 'stem':
      case 'latexmath':
      case 'asciimath':
        return signedLatex(content.replaceAll('\\]', ']'), false);
      case 'xref':
        return this.#writeCrossReference(target, content, depth);
      case 'link':
      case 'mailto':
      case 'tel': {
        const url = this.resolveAttributes(target.replace(/^\+\+([\s\S]*)\+\+$/, '$1'));
        const address = name === 'link' ? url : `${name}:${url}${name === 'mailto' ? mailFields(content) : ''}`;
        const shown = this.#linkText(name === 'mailto' ? firstField(content) : content, url, depth);
        return this.#out.signedLink(address, shown);
      }
      case 'image':
        this.pictures.push({ alt: firstAttribute(content), url: this.resolveAttributes(target) });
        return '';
      case 'pass':
        return content;
      case 'kbd':
      case 'btn':
        return signedText('code', content);
      case 'menu':
        return [target, ...content.split(/\s*[>,]\s*/)].filter((part) => part !== '').join(' > ');
      case 'indexterm2':
        return content;
      case 'anchor':
      case 'indexterm':
        return '';
      default:
        return null;
    }
  }

  #writeNote(name: string, target: string, content: string, depth: number): string {
    const [, id, referred] = name === 'footnoteref' ? (/^([^,]*)(?:,([\s\S]*))?$/.exec(content) ?? []) : [];
    const label = id ?? target;
    const text = (name === 'footnoteref' ? (referred ?? '') : content).replaceAll('\\]', ']');
    const known = this.#notes.get(label);
    if (known !== undefined && text.trim() === '') return signedFootnote(known);
    this.#noteCount += 1;
    const marker = String(this.#noteCount);
    if (label !== '') this.#notes.set(label, marker);
    this.#out.addMarkupBlock({ kind: 'note', marker, text: this.readAsciidocInline(text, depth + 1) }, OUTERMOST);
    return signedFootnote(marker);
  }
}

/** The text of an address of mail, before its subject; in quotes it may hold commas. */
function firstField(content: string): string {
  return /^\s*"[^"]*"/.exec(content)?.[0] ?? content.split(',')[0] ?? '';
}

/** The subject and the text of a mail, which follow the text of its link, as part of the address. */
function mailFields(content: string): string {
  const [subject, body] = content
    .slice(firstField(content).length + 1)
    .split(',')
    .map((one) => one.trim().replace(/^"(.*)"$/, '$1'));
  const fields = [
    ['subject', subject],
    ['body', body],
  ].flatMap(([name, value]) =>
    value === undefined || value === '' || /^\w+=/.test(value) ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return fields.length === 0 ? '' : `?${fields.join('&')}`;
}

/** Marks of a text marker, lines below text and styles of a project stress it. */
function roleKind(role: string): PlainKind {
  return /line-through|strike/.test(role) ? 'strike' : 'emphasis';
}

/** The mark behind a backslash stays as it is written. */
function takeAsciidocEscape(scanner: InlineScanner): string | null {
  const found = scanner.takeInlineMatch(/\\\\?((?:\*\*|__|``|##|<<|\(\(|\[\[|[*_`#^~{<[("'+]|[a-z]{3,12}:))/y);
  return found === null ? null : (found[1] ?? '');
}

/** A term of the index that is text too; one that is none stays out. */
function takeVisibleTerm(scanner: InlineScanner): string | null {
  if (scanner.takeInlineMatch(/\(\(\((?:[^()]{1,300})\)\)\)/y) !== null) return '';
  return scanner.takeInlineMatch(/\(\(([^()]{1,300})\)\)/y)?.[1] ?? null;
}

/** The text between two doubled marks, which are consumed. */
function takeUnconstrained(scanner: InlineScanner, mark: string): string | null {
  const start = scanner.at + mark.length;
  const end = scanner.findInlineEnd(mark, start + 1);
  if (end === -1) return null;
  scanner.at = end + mark.length;
  return scanner.source.slice(start, end);
}

/** The text between two single marks around whole words, which are consumed. */
function takeConstrained(scanner: InlineScanner, sign: string, isWithRole = false): string | null {
  const { source, at } = scanner;
  const before = scanner.peekInline(-1);
  if (!isWithRole && (WORD.test(before) || /[;:}\\]/.test(before))) return null;
  const first = source[at + 1] ?? '';
  if (first === '' || /\s/.test(first)) return null;
  const isEnd = (end: number) => {
    const next = source[end + 1] ?? '';
    return !/[\s\\]/.test(source[end - 1] ?? '') && !WORD.test(next) && next !== sign;
  };
  const end = scanner.findInlineEnd(sign, at + 2, isEnd);
  if (end === -1) return null;
  scanner.at = end + 1;
  return source.slice(at + 1, end);
}

/** The content up to the closing bracket, which is consumed; brackets inside are in pairs or escaped. */
function takeBracketed(scanner: InlineScanner): string | null {
  const { source, at } = scanner;
  const limit = Math.min(source.length, at + NOTE_CHARS_MAX);
  let depth = 1;
  for (let end = at; end < limit; end += 1) {
    const character = source[end];
    if (character === '\\') end += 1;
    else if (character === '[') depth += 1;
    else if (character === ']') depth -= 1;
    if (depth > 0) continue;
    scanner.at = end + 1;
    return source.slice(at, end);
  }
  return null;
}

/** The first attribute of a list, as the description of a picture. */
export function firstAttribute(list: string): string {
  const named = /(?:^|,)\s*alt=(?:"([^"]*)"|([^,]*))/.exec(list);
  const [, quoted, plain = ''] = /^\s*(?:"([^"]*)"|([^,]*))/.exec(list) ?? [];
  const first = named === null ? (quoted ?? plain) : (named[1] ?? named[2] ?? '');
  return named === null && /^\w+=/.test(first) ? '' : first.trim();
}

const NAME = /^\[(?:\[([^\],]+)(?:,[^\]]*)?\]|[^\]#]*#([\w:.-]+)[^\]]*)\]$/;

/** The titles of sections and blocks by the names directly before them. */
export function asciidocTitles(lines: readonly string[]): Map<string, string> {
  const titles = new Map<string, string>();
  let names: string[] = [];
  for (const line of lines) {
    const [, anchor, id] = line.startsWith('[') ? (NAME.exec(line.trimEnd()) ?? []) : [];
    const name = anchor ?? id;
    if (name !== undefined) names.push(name);
    else if (line.trim() !== '' && !/^\[[^\]]*\]$/.test(line.trimEnd())) {
      const title = names.length === 0 ? undefined : /^(?:={1,6} |\.(?=[^\s.]))(.{1,300})$/.exec(line.trimEnd())?.[1];
      if (title !== undefined) for (const one of names) titles.set(one, title.replace(/[`*_{}#]/g, ''));
      names = [];
    }
  }
  return titles;
}
