/**
 * Inline markup of a block's text: links, code, emphasis and pictures. Threat: a page full of marks or long addresses.
 * Both are bounded; past the bound only the text is kept.
 */
import { byName } from '../../../src-server/platform/records.ts';
import type { BlockImage, InlineMark } from '../blocks.ts';

/** Bound on the total length of link and picture addresses of a page. */
const MAX_ADDRESS_CHARS = 2_000_000;
const MAX_MARKS = 50_000;
const MAX_OPEN = 50;
/** Bound on the pictures before one block. */
const MAX_IMAGES = 50;
const MAX_ALT_CHARS = 300;

const KINDS: Readonly<Record<string, InlineMark['kind']>> = byName({
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
  sub: 'sub',
  sup: 'sup',
  // Bold distinguishes a defined term from its definition.
  dt: 'strong',
});
const LANGUAGE =
  /(?:^|\s)(?:(?:language|lang|highlight(?:-source)?)-|(?:sourceCode\s|brush:)\s*)([a-z][a-z0-9+#.-]{0,20})/i;
/** Hexo and highlight.js write the name alone beside their own. */
const BARE_LANGUAGE = /(?:^|\s)(?:highlight|hljs)\s+([a-z][a-z0-9+#.]{0,20})(?:\s|$)/i;
const NO_LANGUAGE = new Set(['default', 'none', 'text', 'txt', 'plain', 'plaintext', 'notranslate', 'nohighlight']);
const LANGUAGE_NAMES: Readonly<Record<string, string>> = byName({
  python3: 'python',
  ipython3: 'python',
  'c++': 'cpp',
});

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
  /** Largest picture of the open `picture`. */
  #source: string | undefined;
  /** The latest picture has no address that can be read. */
  #isImageMissed = false;
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

  /** The latest formula has this LaTeX. */
  restateFormula(latex: string): void {
    const last = this.#marks.findLast(({ kind }) => kind === 'formula');
    if (last !== undefined) last.latex = latex;
  }

  addFootnote(label: string, start: number, end: number): void {
    if (end > start) this.#addInlineMark({ kind: 'footnote', start, end, label });
  }

  /** The pictures that a `picture` offers before its own. */
  readPictureSource({ srcset, 'data-srcset': lazy = srcset }: Readonly<Record<string, string>>): void {
    this.#source ??= largestCandidate(lazy);
  }

  /** A video or a frame, by its address. */
  addFrame(address: string | undefined, title: string, at: number): void {
    const url = this.#boundedAddress(address);
    if (url !== null) this.#addInlineMark({ kind: 'frame', start: at, end: at, url, alt: boundedAlt(title) });
  }

  get hasNoMarks(): boolean {
    return this.#marks.length === 0;
  }

  /** The marks of the text that ends here. A link across several blocks belongs to the first. */
  takeInlineMarks(at: number, isCaption = false): InlineMark[] {
    // The name of a file stands between the frame of a code block and its code.
    if (!isCaption) this.#language = null;
    for (const mark of this.#open.splice(0)) this.#endInlineMark(mark, at);
    const marks = this.#marks;
    if (marks.length > 0) this.#marks = [];
    return marks;
  }

  /** Skips white-space text; its pictures belong to the next block. */
  passOverBlankText(): void {
    for (const mark of this.#open) mark.start = 0;
    for (const { kind, url, alt } of this.#marks.splice(0)) {
      if ((kind !== 'image' && kind !== 'frame') || url === undefined || this.#images.length >= MAX_IMAGES) continue;
      this.#images.push(kind === 'frame' ? { url, alt: alt ?? '', isFrame: true } : { url, alt: alt ?? '' });
    }
  }

  /** Pictures outside a block since the previous block. */
  takeImages(): BlockImage[] | undefined {
    return this.#images.length === 0 ? undefined : this.#images.splice(0);
  }

  /** Reads the language of the following code from a class. */
  readLanguage(tag: string, attributes: Readonly<Record<string, string>>): void {
    const { class: classes = '', 'data-lang': short = '', 'data-language': stated = short } = attributes;
    const { language = tag === 'pre' ? (attributes['data-enlighter-language'] ?? '') : '' } = attributes;
    const lang = stated === '' ? language : stated;
    const known =
      LANGUAGE.exec(classes)?.[1] ??
      (tag === 'figure' || tag === 'code' ? BARE_LANGUAGE.exec(classes)?.[1] : undefined);
    const found = known ?? (/^[a-z][a-z0-9+#.-]{0,20}$/i.test(lang) ? lang : null);
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
    const addresses = [...pictureAddresses(attributes), ...(this.#source === undefined ? [] : [this.#source])];
    this.#source = undefined;
    const url = addresses.reduce<string | null>((found, address) => found ?? this.#boundedAddress(address), null);
    this.#isImageMissed = url === null;
    if (url !== null) this.#addInlineMark({ kind: 'image', start: at, end: at, url, alt: boundedAlt(alt ?? '') });
  }

  /** The picture for readers without scripts, where the one before it has no address without them. */
  addMissedImage(attributes: Readonly<Record<string, string>>, at: number): void {
    if (this.#isImageMissed) this.#addImage(attributes, at);
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

function boundedAlt(text: string): string {
  return Array.from(text).slice(0, MAX_ALT_CHARS).join('');
}

/** Addresses of a picture, the best first. Until a script runs, `src` may be a placeholder in itself. */
function pictureAddresses(attributes: Readonly<Record<string, string>>): string[] {
  const { src, srcset } = attributes;
  const lazy = attributes['data-src'] ?? attributes['data-lazy-src'] ?? attributes['data-original'];
  const lazySet = attributes['data-srcset'] ?? attributes['data-lazy-srcset'];
  const found = [lazy, largestCandidate(lazySet), src, largestCandidate(srcset)];
  return found.flatMap((address) => (address === undefined || /^(?:data:|$)/.test(address) ? [] : [address]));
}

/** The largest picture of a `srcset` by its widths or densities. */
function largestCandidate(srcset: string | undefined): string | undefined {
  let best: { address: string; size: number } | undefined;
  for (const candidate of srcset?.trim().split(/,\s+|,$/) ?? []) {
    const [address = '', descriptor = ''] = candidate.trim().split(/\s+/);
    const size = Number.parseFloat(descriptor) || 1;
    if (address !== '' && (best === undefined || size > best.size)) best = { address, size };
  }
  return best?.address;
}
