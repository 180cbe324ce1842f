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
}

/** Scans well-formed XML. An element without content is opened and closed. */
export function scanXml(source: string, handlers: MarkupHandlers): void {
  let at = 0;
  while (at < source.length) {
    const open = source.indexOf('<', at);
    if (open === -1) return;
    if (open > at) handlers.text(resolved(source.slice(at, open)));
    const next = source.charCodeAt(open + 1);
    if (next === EXCLAMATION || next === QUESTION) {
      at = passSpecial(source, open, handlers);
      continue;
    }
    const end = tagEnd(source, open + 1);
    if (end === -1) return;
    at = end + 1;
    if (next === SLASH) {
      handlers.close(localName(source, open + 2, end));
      continue;
    }
    const isEmpty = source.charCodeAt(end - 1) === SLASH;
    const tag = source.slice(open + 1, isEmpty ? end - 1 : end);
    const name = localName(tag, 0, tag.length);
    handlers.open(name, tag);
    if (isEmpty) handlers.close(name);
  }
}

const EXCLAMATION = 0x21;
const QUESTION = 0x3f;
const SLASH = 0x2f;
const COLON = 0x3a;

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

/** Index of the bracket that ends a tag: one inside quotes does not. */
export function tagEnd(source: string, from: number): number {
  let end = source.indexOf('>', from);
  let at = from;
  while (end !== -1) {
    const quote = firstQuote(source, at, end);
    if (quote === -1) return end;
    const closed = source.indexOf(source[quote] ?? '"', quote + 1);
    if (closed === -1) return end;
    at = closed + 1;
    if (at > end) end = source.indexOf('>', at);
  }
  return -1;
}

function firstQuote(source: string, from: number, to: number): number {
  for (let at = from; at < to; at += 1) {
    const unit = source.charCodeAt(at);
    if (unit === 0x22 || unit === 0x27) return at;
  }
  return -1;
}

/** The name at `from` without its prefix. */
function localName(source: string, from: number, to: number): string {
  let start = from;
  let at = from;
  for (; at < to; at += 1) {
    const unit = source.charCodeAt(at);
    if (unit <= 0x20 || unit === SLASH) break;
    if (unit === COLON) start = at + 1;
  }
  return source.slice(start, at);
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
  return match === null ? null : resolved(match[1] ?? match[2] ?? match[3] ?? '');
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
export function resolved(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) {
      return NAMED.get(name) ?? ACCENTED.exec(name)?.[1] ?? (whole.endsWith(';') ? ' ' : whole);
    }
    const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : '';
  });
}
