import type { ParseOptions } from '../blocks.ts';
import { openDocument } from '../odt/package.ts';
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

/** Counts an .odt or .odp, packed or flat, from the paragraphs of its content and of its page styles. */
export async function countOpenDocument(bytes: Buffer, options: ParseOptions): Promise<void> {
  const { content, styles } = await openDocument(bytes);
  const counter = new OpenDocumentCounter(options);
  const body = decodePart(content);
  scanXml(body, counter);
  counter.writeOpenDocumentLedger('content.xml');
  if (styles === null || styles === content) return;
  const furniture = new OpenDocumentCounter(options);
  scanXml(decodePart(styles), furniture);
  furniture.writeOpenDocumentLedger('styles.xml');
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

  constructor(options: ParseOptions) {
    this.#options = options;
  }

  open(name: string, tag: string): void {
    this.#depth += 1;
    if (this.#skippedFrom > 0) return;
    if (SKIPPED.has(name) || name.endsWith('-source')) {
      this.#skippedFrom = this.#depth;
      return;
    }
    if (name === 'body') this.#isBody = true;
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
    } else if (this.#skippedFrom === this.#depth) this.#skippedFrom = 0;
    this.#depth -= 1;
  }

  text(text: string): void {
    const isInside = this.#paragraphs > 0 || this.#fates.at(-1)?.fate === 'optional';
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

  #fateOf(name: string, tag: string): Fate | null {
    const { includeComments } = this.#options;
    if (name === 'tracked-changes') return includeComments ? 'optional' : 'deleted';
    if (name === 'annotation' && !includeComments) return 'optional';
    if (OPTIONAL.has(name) || STAMP.test(tag)) return 'optional';
    return FURNITURE.has(attributeOf(tag, 'class') ?? '') && tag.startsWith('draw:') ? 'furniture' : null;
  }

  #putOpenDocumentText(text: string): void {
    const fate = this.#fates.at(-1)?.fate;
    if (fate !== undefined) this.#texts[fate].push(text);
    else if (this.#furniture !== null) this.#furniture.lines.push(text);
    else if (this.#isBody) this.#texts.owed.push(text);
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
