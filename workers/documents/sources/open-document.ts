import type { ParseOptions } from '../blocks.ts';
import { OBJECT_DEPTH_MAX } from '../odt/objects.ts';
import { type OpenDocumentParts, openDocument, readFormula } from '../odt/package.ts';
import type { SourceLedger } from '../source-ledger.ts';
import { decodePart } from './office.ts';
import { attributeOf, scanXml } from './scan-xml.ts';

/** Elements without document text. */
const SKIPPED = new Set([
  ...['scripts', 'font-face-decls', 'forms', 'binary-data', 'event-listeners', 'sequence-decls', 'variable-decls'],
  ...['user-field-decls', 'dde-connection-decls', 'table-of-content-source', 'alphabetical-index-source'],
  ...['illustration-index-source', 'table-index-source', 'object-index-source', 'user-index-source'],
  ...['bibliography-source', 'note-citation', 'number-style', 'date-style', 'settings', 'meta'],
]);

/** Text that the result may hold: guides, descriptions, typed formulas. */
const OPTIONAL = new Set(['ruby-text', 'title', 'desc', 'annotation-end', 'math']);

/** Who commented when. */
const STAMP = /^(?:dc:(?:creator|date)|meta:(?:creator-initials|date-string))\b/;

const PARAGRAPHS = new Set(['p', 'h']);

/** Placeholders of slides with text about the slide. */
const FURNITURE = new Set(['date-time', 'footer', 'header', 'page-number']);

/** Their texts, which the slides name. */
const DECLARATIONS = new Set(['footer-decl', 'header-decl', 'date-time-decl']);

/** Counts an .odt or .odp, packed or flat, from the paragraphs of its content and of its page styles. */
export async function countOpenDocument(bytes: Buffer, options: ParseOptions): Promise<void> {
  const { content, styles, partIn } = await openDocument(bytes);
  const counter = new OpenDocumentCounter(options);
  const body = decodePart(content);
  scanXml(body, counter);
  counter.writeOpenDocumentLedger('content.xml');
  countObjects(counter, { outer: '', depth: 0, partIn, options, seen: new Set() });
  if (styles === null || styles === content) return;
  const furniture = new OpenDocumentCounter(options, counter.masters);
  scanXml(decodePart(styles), furniture);
  furniture.writeOpenDocumentLedger('styles.xml');
}

interface ObjectCount {
  /** Path of the folder around, with a slash; empty for the document. */
  outer: string;
  depth: number;
  partIn: OpenDocumentParts['partIn'];
  options: ParseOptions;
  seen: Set<string>;
}

/** Counts the objects of a part as often as they are read: a formula each time, another once, with those inside it. */
function countObjects({ objects }: OpenDocumentCounter, count: ObjectCount): void {
  const { outer, depth, partIn, options, seen } = count;
  for (const name of objects) {
    const folder = outer + name;
    const part = partIn(folder);
    if (part === null) continue;
    if (depth > OBJECT_DEPTH_MAX) {
      options.ledger.recordLeftOutText({ reason: 'over-limit', where: 'content.xml', text: '', sample: name });
    } else if (readFormula(part) !== null) countFormula(decodePart(part), folder, options.ledger);
    else if (!seen.has(folder)) {
      seen.add(folder);
      const counter = new OpenDocumentCounter(options);
      scanXml(decodePart(part), counter);
      counter.writeOpenDocumentLedger(folder);
      countObjects(counter, { ...count, outer: `${folder}/`, depth: depth + 1 });
    }
  }
}

/** A formula is owed as its author typed it, or else as its signs. */
function countFormula(xml: string, where: string, ledger: SourceLedger): void {
  const texts: Record<'typed' | 'shown', string[]> = { typed: [], shown: [] };
  let notations = 0;
  scanXml(xml, {
    open(name) {
      if (name === 'annotation') notations += 1;
    },
    close(name) {
      if (name === 'annotation') notations -= 1;
    },
    text: (text) => void texts[notations > 0 ? 'typed' : 'shown'].push(text),
  });
  const typed = texts.typed.join('');
  ledger.addOwedText(where, typed.trim() === '' ? texts.shown.join('') : typed);
}

type Fate = 'owed' | 'deleted' | 'furniture' | 'optional';

class OpenDocumentCounter {
  readonly #options: ParseOptions;
  readonly #texts: Record<Fate, string[]> = { owed: [], deleted: [], furniture: [], optional: [] };
  /** Open elements that decide the fate of what is inside, with their depth. */
  readonly #fates: { fate: Fate; depth: number }[] = [];
  /** Texts of headers and footers, which the result has once. */
  readonly #seen = new Set<string>();
  #furniture: { kind: string; lines: string[]; depth: number } | null = null;
  #depth = 0;
  #skippedFrom = 0;
  #paragraphs = 0;
  #isBody = false;
  /** Of pages that slides are drawn on, whether one is open that a slide uses. */
  #isMaster = false;
  /** Names of the pages that slides are drawn on; null if they are not known. */
  readonly #used: ReadonlySet<string> | null;
  /** Folders of embedded objects, as often as they are shown. */
  readonly objects: string[] = [];
  readonly masters = new Set<string>();

  constructor(options: ParseOptions, used: ReadonlySet<string> | null = null) {
    this.#options = options;
    this.#used = used;
  }

  open(name: string, tag: string): void {
    this.#depth += 1;
    if (this.#skippedFrom > 0) return;
    if (SKIPPED.has(name) || name.endsWith('-source')) {
      this.#skippedFrom = this.#depth;
      return;
    }
    if (name === 'body') this.#isBody = true;
    this.#readReference(name, tag);
    const fate = this.#fateOf(name, tag);
    if (fate !== null) this.#fates.push({ fate, depth: this.#depth });
    const [, kind] = /^(?:style:)?(header|footer)(?:-left|-first)?$/.exec(tag.split(/\s/, 1)[0] ?? '') ?? [];
    if (kind !== undefined) this.#furniture = { kind, lines: [], depth: this.#depth };
    if (PARAGRAPHS.has(name)) this.#paragraphs += 1;
    if (name === 'line-break' || name === 'tab') this.#putOpenDocumentText('\n');
  }

  close(name: string): void {
    if (this.#skippedFrom === 0) {
      if (PARAGRAPHS.has(name)) {
        this.#putOpenDocumentText('\n');
        this.#paragraphs -= 1;
      }
      if (this.#furniture?.depth === this.#depth) this.#endFurniture();
      if (this.#fates.at(-1)?.depth === this.#depth) this.#fates.pop();
      if (name === 'body') this.#isBody = false;
      if (name === 'master-page') this.#isMaster = false;
    } else if (this.#skippedFrom === this.#depth) this.#skippedFrom = 0;
    this.#depth -= 1;
  }

  text(text: string): void {
    const fate = this.#fates.at(-1)?.fate;
    const isInside = this.#paragraphs > 0 || fate === 'optional' || fate === 'furniture';
    if (this.#skippedFrom === 0 && isInside) this.#putOpenDocumentText(text);
  }

  writeOpenDocumentLedger(where: string): void {
    const { ledger } = this.#options;
    const { owed, optional, deleted, furniture } = this.#texts;
    ledger.addOwedText(where, owed.join(''));
    ledger.mayHold(optional.join(''));
    const left = [
      ['deleted-by-tracked-changes', deleted],
      ['repeated-header-or-footer', furniture],
    ] as const;
    for (const [reason, pieces] of left) {
      const text = pieces.join('');
      ledger.addOwedText(where, text);
      ledger.recordLeftOutText({ reason, where, text });
    }
  }

  #readReference(name: string, tag: string): void {
    if (name === 'page') this.masters.add(attributeOf(tag, 'master-page-name') ?? '');
    else if (name === 'master-page') this.#isMaster = this.#used?.has(attributeOf(tag, 'name') ?? '') ?? true;
    else if (!this.#isBody || this.#fates.length > 0) return;
    else if (name === 'object') this.objects.push((attributeOf(tag, 'href') ?? '').replace(/^\.\/|\/$/g, ''));
    else if (name === 'object-ole') {
      const sample = attributeOf(tag, 'href') ?? name;
      this.#options.ledger.recordLeftOutText({ reason: 'unsupported-part', where: 'content.xml', text: '', sample });
    }
  }

  #fateOf(name: string, tag: string): Fate | null {
    const { includeComments } = this.#options;
    if (name === 'tracked-changes') return includeComments ? 'optional' : 'deleted';
    if (name === 'annotation' && !includeComments) return 'optional';
    if ((OPTIONAL.has(name) && !tag.startsWith('chart:')) || STAMP.test(tag)) return 'optional';
    if (DECLARATIONS.has(name)) return 'furniture';
    const role = tag.startsWith('draw:') ? attributeOf(tag, 'class') : null;
    if (this.#isBody) return FURNITURE.has(role ?? '') ? 'furniture' : null;
    // Pages that slides are drawn on show how other placeholders look.
    if (this.#isMaster && (role === 'footer' || role === 'header')) return 'furniture';
    return role === null ? null : 'optional';
  }

  #putOpenDocumentText(text: string): void {
    const fate = this.#fates.at(-1)?.fate;
    if (fate !== undefined) this.#texts[fate].push(text);
    else if (this.#furniture !== null) this.#furniture.lines.push(text);
    else if (this.#isBody) this.#texts.owed.push(text);
    else if (this.#isMaster) this.#texts.furniture.push(text);
  }

  #endFurniture(): void {
    const { kind, lines } = this.#furniture ?? { kind: '', lines: [] };
    this.#furniture = null;
    const text = lines.join('');
    const key = `${kind} ${text.replace(/\s+/g, ' ').trim()}`;
    const isKept = /\p{L}/u.test(text) && !this.#seen.has(key);
    this.#seen.add(key);
    this.#texts[isKept ? 'owed' : 'furniture'].push(text);
  }
}
