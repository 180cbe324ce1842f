/**
 * Inline markup of a block's text: links, code, emphasis and pictures. Threat: a page full of marks or long addresses.
 * Both are bounded; past the bound only the text is kept.
 */
import type { BlockImage, InlineMark } from '../blocks.ts';

/** Bound on the total length of link and picture addresses of a page. */
const MAX_ADDRESS_CHARS = 2_000_000;
const MAX_MARKS = 50_000;
const MAX_OPEN = 50;
/** Bound on the pictures before one block. */
const MAX_IMAGES = 50;
const MAX_ALT_CHARS = 300;

const KINDS: Readonly<Record<string, InlineMark['kind']>> = {
  a: 'link',
  code: 'code',
  tt: 'code',
  kbd: 'code',
  samp: 'code',
  b: 'strong',
  strong: 'strong',
  i: 'emphasis',
  em: 'emphasis',
  s: 'strike',
  strike: 'strike',
  del: 'strike',
  // Bold distinguishes a defined term from its definition.
  dt: 'strong',
};
const LANGUAGE =
  /(?:^|\s)(?:(?:language|lang|highlight(?:-source)?)-|(?:sourceCode\s|brush:)\s*)([a-z][a-z0-9+#.-]{0,20})/i;
const NO_LANGUAGE = new Set(['default', 'none', 'text', 'txt', 'plain', 'plaintext', 'notranslate', 'nohighlight']);
const LANGUAGE_NAMES: Readonly<Record<string, string>> = { python3: 'python', ipython3: 'python', 'c++': 'cpp' };

interface OpenMark {
  tag: string;
  kind: InlineMark['kind'];
  start: number;
  url: string | undefined;
}

/** Resolves a link to an absolute address; null for fragments of the same page and for scripts. */
export type AddressOf = (address: string) => string | null;

/** Collects inline marks with their offsets while text is read. */
export class InlineMarks {
  readonly #addressOf: AddressOf;
  #open: OpenMark[] = [];
  #marks: InlineMark[] = [];
  #images: BlockImage[] = [];
  #language: string | null = null;
  #count = 0;
  #addressChars = 0;

  constructor(addressOf: AddressOf) {
    this.#addressOf = addressOf;
  }

  /** @param at length of the text so far */
  openInlineMark(tag: string, attributes: Readonly<Record<string, string>>, at: number): void {
    if (tag === 'img') {
      this.#addImage(attributes, at);
      return;
    }
    const kind = KINDS[tag];
    if (kind === undefined || this.#open.length >= MAX_OPEN) return;
    const url = kind === 'link' ? this.#boundedAddress(attributes.href) : undefined;
    if (url !== null) this.#open.push({ tag, kind, start: at, url });
  }

  closeInlineMark(tag: string, at: number): void {
    // Nearly always the last one.
    const last = this.#open.pop();
    if (last === undefined) return;
    if (last.tag === tag) {
      this.#endInlineMark(last, at);
      return;
    }
    this.#open.push(last);
    const which = this.#open.findLastIndex((mark) => mark.tag === tag);
    for (const mark of which === -1 ? [] : this.#open.splice(which, 1)) this.#endInlineMark(mark, at);
  }

  addFormula(latex: string, start: number, end: number): void {
    this.#addressChars += latex.length;
    if (end > start && latex !== '' && this.#addressChars <= MAX_ADDRESS_CHARS) {
      this.#addInlineMark({ kind: 'formula', start, end, latex });
    }
  }

  get hasNoMarks(): boolean {
    return this.#marks.length === 0;
  }

  /** The marks of the text that ends here. A link across several blocks belongs to the first. */
  takeInlineMarks(at: number): InlineMark[] {
    this.#language = null;
    for (const mark of this.#open.splice(0)) this.#endInlineMark(mark, at);
    const marks = this.#marks;
    if (marks.length > 0) this.#marks = [];
    return marks;
  }

  /** Skips white-space text; its pictures belong to the next block. */
  passOverBlankText(): void {
    for (const mark of this.#open) mark.start = 0;
    for (const { kind, url, alt } of this.#marks.splice(0)) {
      if (kind === 'image' && url !== undefined && this.#images.length < MAX_IMAGES) {
        this.#images.push({ url, alt: alt ?? '' });
      }
    }
  }

  /** Pictures outside a block since the previous block. */
  takeImages(): BlockImage[] | undefined {
    return this.#images.length === 0 ? undefined : this.#images.splice(0);
  }

  /** Reads the language of the following code from a class. */
  readLanguage(attributes: Readonly<Record<string, string>>): void {
    const { class: classes = '', 'data-lang': short = '', 'data-language': lang = short } = attributes;
    const found = LANGUAGE.exec(classes)?.[1] ?? (/^[a-z][a-z0-9+#.]{0,20}$/i.test(lang) ? lang : null);
    if (found !== null) this.#language = found.toLowerCase();
  }

  /** The language of the code that ends here. */
  takeLanguage(): string | undefined {
    const language = this.#language;
    this.#language = null;
    if (language === null || NO_LANGUAGE.has(language)) return undefined;
    return LANGUAGE_NAMES[language] ?? language;
  }

  #addImage(attributes: Readonly<Record<string, string>>, at: number): void {
    // An empty alternative text marks a decorative picture.
    const alt = attributes.alt?.replace(/\s+/g, ' ').trim();
    if (alt === '') return;
    const url = this.#boundedAddress(attributes['data-src'] ?? attributes.src ?? lastCandidate(attributes.srcset));
    if (url === null) return;
    this.#addInlineMark({
      kind: 'image',
      start: at,
      end: at,
      url,
      alt: Array.from(alt ?? '')
        .slice(0, MAX_ALT_CHARS)
        .join(''),
    });
  }

  #endInlineMark({ kind, start, url }: OpenMark, end: number): void {
    if (end > start) this.#addInlineMark(url === undefined ? { kind, start, end } : { kind, start, end, url });
  }

  #addInlineMark(mark: InlineMark): void {
    this.#count += 1;
    if (this.#count <= MAX_MARKS) this.#marks.push(mark);
  }

  #boundedAddress(address: string | undefined): string | null {
    const url = address === undefined ? null : this.#addressOf(address);
    this.#addressChars += url?.length ?? 0;
    return this.#addressChars > MAX_ADDRESS_CHARS ? null : url;
  }
}

/** The last picture of a `srcset`, which lists them from small to large. */
function lastCandidate(srcset: string | undefined): string | undefined {
  return srcset
    ?.trim()
    .split(/,\s+|,$/)
    .findLast((candidate) => candidate.trim() !== '')
    ?.trim()
    .split(/\s+/)[0];
}
