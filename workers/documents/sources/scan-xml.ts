/**
 * A scanner of XML and HTML that only counts: it keeps no tree, expands no entity of the file and repairs nothing. The
 * account of a source reads with it what the parsers read with their libraries.
 */

export interface MarkupHandlers {
  /** `name` is the local name; `tag` is all between the brackets. */
  open(name: string, tag: string): void;
  close(name: string): void;
  /** With its references resolved. */
  text(text: string): void;
  /** The elements to call with, where others are not of interest. */
  names?: ElementNames;
}

/** Names by their hash, so that most tags of a file are passed without a string for each. */
export type ElementNames = ReadonlyMap<number, string>;

export function elementNames(names: readonly string[]): ElementNames {
  return new Map(names.map((name) => [elementNameHash(name), name]));
}

function elementNameHash(name: string): number {
  passName(name, 0);
  return nameHash;
}

/** Scans well-formed XML. An element without content is opened and closed. */
export function scanXml(source: string, handlers: MarkupHandlers): void {
  const { names } = handlers;
  let at = 0;
  while (at < source.length) {
    const open = source.indexOf('<', at);
    if (open === -1) return;
    if (open > at) handlers.text(resolveReferences(source.slice(at, open)));
    const next = source.charCodeAt(open + 1);
    if (next === EXCLAMATION || next === QUESTION) {
      at = passSpecial(source, open, handlers);
      continue;
    }
    const isClosing = next === SLASH;
    // The tag is read once: the hash of its local name, then its end.
    const nameEnd = passName(source, isClosing ? open + 2 : open + 1);
    const end = tagEnd(source, nameEnd);
    if (end === -1) return;
    at = end + 1;
    const name = lastReadElementName(source, nameEnd, names);
    if (name === undefined) continue;
    const isEmpty = source.charCodeAt(end - 1) === SLASH;
    if (!isClosing) handlers.open(name, source.slice(open + 1, isEmpty ? end - 1 : end));
    if (isClosing || isEmpty) handlers.close(name);
  }
}

const EXCLAMATION = 0x21;
const QUESTION = 0x3f;
const SLASH = 0x2f;
const COLON = 0x3a;
const SPACE = 0x20;
const GREATER = 0x3e;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;

/** Passes a comment, an instruction or a document type, and reads character data. */
function passSpecial(source: string, open: number, { text }: MarkupHandlers): number {
  const passTo = (mark: string, from: number) => {
    const end = source.indexOf(mark, from);
    return end === -1 ? source.length : end + mark.length;
  };
  if (source.startsWith('<!--', open)) return passTo('-->', open + 4);
  if (source.startsWith('<![CDATA[', open)) {
    const end = passTo(']]>', open);
    text(source.slice(open + 9, Math.max(open + 9, end - 3)));
    return end;
  }
  if (source.startsWith('<?', open)) return passTo('?>', open);
  const close = passTo('>', open);
  const subset = source.indexOf('[', open);
  return subset !== -1 && subset < close ? passTo('>', passTo(']', subset) - 1) : close;
}

/** Hash and first character of the local name that `passName` has read last. */
let nameHash = 0;
let nameStart = 0;

/** Index of the character behind a name. */
function passName(source: string, from: number): number {
  let at = from;
  nameStart = from;
  nameHash = 0;
  for (; at < source.length; at += 1) {
    const unit = source.charCodeAt(at);
    if (unit <= SPACE || unit === SLASH || unit === GREATER) break;
    nameHash = (Math.imul(nameHash, 31) + unit) | 0;
    if (unit !== COLON) continue;
    nameStart = at + 1;
    nameHash = 0;
  }
  return at;
}

/** Index of the bracket that ends a tag: one inside quotes does not. -1 without one. */
export function tagEnd(source: string, from: number): number {
  for (let at = from; at < source.length; at += 1) {
    const unit = source.charCodeAt(at);
    if (unit === GREATER) return at;
    if (unit !== DOUBLE_QUOTE && unit !== SINGLE_QUOTE) continue;
    const closed = source.indexOf(unit === DOUBLE_QUOTE ? '"' : "'", at + 1);
    // A quote that nothing closes is a character.
    if (closed !== -1) at = closed;
  }
  return -1;
}

/** The name that was read last; undefined if `names` lacks it. */
function lastReadElementName(source: string, end: number, names: ElementNames | undefined): string | undefined {
  if (names === undefined) return source.slice(nameStart, end);
  const name = names.get(nameHash);
  return name !== undefined && name.length === end - nameStart && source.startsWith(name, nameStart) ? name : undefined;
}

/** By the names that the counters ask for. */
const patterns = new Map<string, RegExp>();

/** Value of an attribute by its local name; null without one. */
export function attributeOf(tag: string, name: string): string | null {
  let pattern = patterns.get(name);
  if (pattern === undefined) {
    pattern = new RegExp(`[\\s:]${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i');
    patterns.set(name, pattern);
  }
  const match = pattern.exec(tag);
  return match === null ? null : resolveReferences(match[1] ?? match[2] ?? match[3] ?? '');
}

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z][\da-zA-Z]{1,30}));?/g;

const ACCENTED = /^([A-Za-z])(?:acute|grave|circ|uml|tilde|cedil|ring|caron|macr|breve|ogon|dot|dblac)$/;

const GREEK = [
  ...['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta', 'iota', 'kappa', 'lambda', 'mu', 'nu'],
  ...['xi', 'omicron', 'pi', 'rho', 'sigmaf', 'sigma', 'tau', 'upsilon', 'phi', 'chi', 'psi', 'omega'],
];

const NAMED: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', szlig: 'ß', eth: 'ð', ETH: 'Ð' }),
  ...Object.entries({ aelig: 'æ', AElig: 'Æ', oelig: 'œ', OElig: 'Œ', oslash: 'ø', Oslash: 'Ø', thorn: 'þ', ETH: 'Ð' }),
  ...Object.entries({ THORN: 'Þ', ordf: 'ª', ordm: 'º', micro: 'µ', sup1: '¹', sup2: '²', sup3: '³', trade: '™' }),
  ...Object.entries({ frac12: '½', frac14: '¼', frac34: '¾', lstrok: 'ł', Lstrok: 'Ł', inodot: 'ı', hellip: '…' }),
  ...GREEK.map((name, index) => [name, String.fromCharCode(0x3b1 + index)] as const),
  ...GREEK.map((name, index) => [name[0]?.toUpperCase() + name.slice(1), String.fromCharCode(0x391 + index)] as const),
]);

/** References as their characters, as far as they are letters: accents do not count. Others are signs. */
export function resolveReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) {
      return NAMED.get(name) ?? ACCENTED.exec(name)?.[1] ?? (whole.endsWith(';') ? ' ' : whole);
    }
    const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : '';
  });
}
