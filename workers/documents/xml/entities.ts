/**
 * Entities that the document type of an XML file declares, put in their places before the file is parsed. Threat:
 * entities of entities (billion laughs), circular ones, and external ones, which are never fetched. The text that
 * entities add is bounded, and so is their depth.
 */

import { Parser } from 'htmlparser2';
import { listedUpTo, type Said, say } from '../../../src-server/platform/text/say.ts';
import { tooComplex } from '../zip-package.ts';

/** Characters of one entity, and that all references add to a file. */
const ENTITY_CHARACTERS_MAX = 1_000_000;

const ADDED_CHARACTERS_MAX = 5_000_000;

const DEPTH_MAX = 20;

const ENTITIES_MAX = 50_000;

/** Unknown entities named in a warning. */
const NAMED_MAX = 5;

/** Greek letters of ISO 8879, which older document types use; the others are those of HTML. */
const ISO_GREEK =
  'agr bgr ggr dgr egr zgr eegr thgr igr kgr lgr mgr ngr xgr ogr pgr rgr sfgr sgr tgr ugr phgr khgr psgr ohgr';

const PREDEFINED = new Set(['amp', 'lt', 'gt', 'quot', 'apos']);

const REFERENCE = /&([A-Za-z_:][\w:.-]*);/g;

/**
 * Pieces of a document: comments, character data, instructions, tags, and the text between them. What is not closed
 * goes on to the end, so that no character is searched twice.
 */
const PIECE = new RegExp(
  [
    ...[/<!--(?:[\s\S]*?-->|[\s\S]*)/, /<!\[CDATA\[(?:[\s\S]*?\]\]>|[\s\S]*)/, /<\?(?:[\s\S]*?\?>|[\s\S]*)/],
    ...[/<(?:"[^"]*"|'[^']*'|[^<>"'])*>/, /[^<]+/, /</],
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

export interface ExpandedXml {
  text: string;
  /** About entities whose text is not in the file. */
  warning: Said | null;
}

/** The document without its document type, with its entities expanded. Errors: `source_too_large`. */
export function expandEntities(source: string): ExpandedXml {
  const { start, end, entities } = readDocumentType(source);
  const body = source.slice(0, start) + source.slice(end);
  if (!body.includes('&')) return { text: body, warning: null };
  const expander = new Expander(entities);
  const text = body.replace(PIECE, (piece) => {
    if (!piece.includes('&') || piece.startsWith('<!') || piece.startsWith('<?')) return piece;
    return expander.expandEntityReferences(piece, piece.startsWith('<'));
  });
  return { text, warning: expander.unknownEntityWarning() };
}

/** Null: defined outside the file. */
type Entity = string | null;

class Expander {
  readonly #declared: ReadonlyMap<string, Entity>;
  readonly #known = new Map<string, string>();
  readonly #unknown = new Set<string>();
  #added = 0;

  constructor(declared: ReadonlyMap<string, Entity>) {
    this.#declared = declared;
  }

  /** In a tag, markup of an entity is text. */
  expandEntityReferences(piece: string, isTag: boolean): string {
    return piece.replace(REFERENCE, (reference, name: string) => {
      if (PREDEFINED.has(name)) return reference;
      const value = this.#valueOf(name, 0);
      this.#added += value.length;
      if (this.#added > ADDED_CHARACTERS_MAX) throw tooComplex('text of entities');
      return isTag ? value.replace(/[<"']/g, (character) => `&#${character.charCodeAt(0)};`) : value;
    });
  }

  unknownEntityWarning(): Said | null {
    if (this.#unknown.size === 0) return null;
    const names = [...this.#unknown].map((name) => `&${name};`);
    return say`The text of these entities is outside the file and was not read: ${listedUpTo(names, NAMED_MAX)}.`;
  }

  #valueOf(name: string, depth: number): string {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    if (depth > DEPTH_MAX) throw tooComplex('depth of entities');
    const value = this.#readEntity(name, depth);
    this.#known.set(name, value);
    return value;
  }

  #readEntity(name: string, depth: number): string {
    const declared = this.#declared.get(name);
    if (typeof declared !== 'string') {
      const character = declared === null ? null : characterOf(name);
      if (character !== null) return character;
      this.#unknown.add(name);
      return `&amp;${name};`;
    }
    let length = 0;
    return declared.replace(REFERENCE, (reference, inner: string) => {
      const value = PREDEFINED.has(inner) ? reference : this.#valueOf(inner, depth + 1);
      length += value.length;
      if (length > ENTITY_CHARACTERS_MAX) throw tooComplex('text of an entity');
      return value;
    });
  }
}

/** The character that HTML or ISO 8879 gives a name. */
function characterOf(name: string): string | null {
  const greek = ISO_GREEK.split(' ').indexOf(name.toLowerCase());
  if (greek !== -1) {
    const isCapital = name[0] !== name[0]?.toLowerCase();
    // Capital letters have no final sigma: its place is empty.
    return String.fromCodePoint((isCapital ? 0x391 : 0x3b1) + (isCapital && greek === 17 ? 18 : greek));
  }
  let text = '';
  const parser = new Parser({ ontext: (part) => (text += part) }, { decodeEntities: true });
  parser.end(`&${name};`);
  return text.includes('&') ? null : text;
}

/** What comes between marks, and the marks around it. */
const PASSED: readonly (readonly [open: string, close: string])[] = [
  ['<!--', '-->'],
  ['<?', '?>'],
  ['"', '"'],
  ["'", "'"],
];

/** The place after a comment, instruction or quoted text at `at`; null if there is none. */
function passMarked(source: string, at: number): number | null {
  const marks = PASSED.find(([open]) => source.startsWith(open, at));
  if (marks === undefined) return null;
  const end = source.indexOf(marks[1], at + marks[0].length);
  return end === -1 ? source.length : end + marks[1].length;
}

interface DocumentType {
  start: number;
  end: number;
  entities: ReadonlyMap<string, Entity>;
}

/** The document type before the first tag, in one pass; empty at the start of a file without one. */
function readDocumentType(source: string): DocumentType {
  const entities = new Map<string, Entity>();
  const start = startOfType(source);
  if (start === null) return { start: 0, end: 0, entities };
  let depth = 0;
  let at = start + TYPE_START.length;
  while (at < source.length) {
    const next = readDeclaration(source, at, entities) ?? passMarked(source, at);
    if (next !== null) {
      at = next;
      continue;
    }
    const character = source[at];
    at += 1;
    if (character === '>' && depth === 0) break;
    if (character === '[' || character === '<') depth += 1;
    else if (character === ']' || character === '>') depth -= 1;
  }
  return { start, end: at, entities };
}

const TYPE_START = '<!DOCTYPE';

function startOfType(source: string): number | null {
  let at = source.indexOf('<');
  while (at !== -1) {
    if (source.startsWith(TYPE_START, at)) return at;
    const next = passMarked(source, at);
    if (next === null) return null;
    at = source.indexOf('<', next);
  }
  return null;
}

const DECLARATION = /<!ENTITY\s+([A-Za-z_:][\w:.-]*)\s+/y;

/** Reads the declaration of a general entity up to its value; the first one of a name counts. Returns its end. */
function readDeclaration(source: string, at: number, entities: Map<string, Entity>): number | null {
  if (!source.startsWith('<!ENTITY', at)) return null;
  DECLARATION.lastIndex = at;
  const [head = '', name = ''] = DECLARATION.exec(source) ?? [];
  if (head === '') return null;
  if (entities.size >= ENTITIES_MAX) throw tooComplex('entities');
  const start = at + head.length;
  const quote = source[start];
  const isInternal = quote === '"' || quote === "'";
  const end = isInternal ? source.indexOf(quote, start + 1) : source.indexOf('>', start);
  if (end === -1) return source.length;
  if (!entities.has(name)) entities.set(name, isInternal ? withCharacters(source.slice(start + 1, end)) : null);
  const closed = source.indexOf('>', end);
  return closed === -1 ? source.length : closed + 1;
}

/** References to characters are replaced where an entity is declared. */
function withCharacters(value: string): string {
  return value.replace(/&#(?:x([\da-f]{1,6})|(\d{1,7}));/gi, (reference, hex?: string, decimal?: string) => {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : reference;
  });
}
