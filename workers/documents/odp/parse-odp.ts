import type { DocumentParser } from '../blocks.ts';
import { DocumentBuilder, type NewBlock } from '../document-builder.ts';
import { RUN_STRONG, withoutEmphasis } from '../inline-marks.ts';
import { withoutLook, withoutTableLook } from '../marked-runs.ts';
import type { EmbeddedObject } from '../odt/elements.ts';
import { embeddedObjectReader } from '../odt/objects.ts';
import { openDocument, readMeta, walkPart } from '../odt/package.ts';
import { OdtRevisions } from '../odt/revisions.ts';
import { OdtStyles } from '../odt/styles.ts';
import { OdtWalker } from '../odt/walker.ts';
import { blockLines } from '../word-processing.ts';
import type { XmlElement, XmlHandlers } from '../xml.ts';

/** Frames whose text is about the slide. */
const FURNITURE = new Set(['header', 'footer', 'date-time', 'page-number', 'page']);

/** Shapes in which others are, each with a look of its own. */
const GROUPS = new Set(['draw:g', 'draw:a']);

type SlideBlocks = Record<'title' | 'text' | 'notes', NewBlock[]>;

type Place = 'title' | 'text' | 'notes' | 'none';

/**
 * OpenDocument presentations (.odp, .otp, .fodp): slide n is page n, its title a heading, its notes follow it. Errors:
 * `encrypted_input`, `corrupt_input`, `source_too_large`.
 */
export const parseOdp: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const parts = await openDocument(bytes);
  const styles = new OdtStyles();
  if (parts.styles !== null) walkPart(parts.styles, styles);
  walkPart(parts.content, styles);
  const reader = new SlidesReader(builder, styles, embeddedObjectReader(parts, builder));
  walkPart(parts.content, reader);
  const { title, author, language } = readMeta(parts.meta);
  return builder.buildNormalizedDocument({ format: 'odp', title, author, language });
};

/** Reads the text of each slide with the walker of texts, and sorts its blocks by the frame they are in. */
class SlidesReader implements XmlHandlers {
  readonly #builder: DocumentBuilder;
  readonly #walker: OdtWalker;
  readonly #revisions: OdtRevisions;
  #slides = 0;
  #depth = 0;
  /** The place of the text, with the depth of the element that states it. */
  #places: { place: Place; depth: number }[] = [];
  #blocks: SlideBlocks = { title: [], text: [], notes: [] };
  #isInSlide = false;
  /** Of the open shape: its depth, and how many blocks each place had before it. */
  #shape: { depth: number; begins: Record<keyof SlideBlocks, number> } | null = null;

  constructor(builder: DocumentBuilder, styles: OdtStyles, objectIn: (folder: string) => EmbeddedObject) {
    this.#builder = builder;
    const sink = { add: (block: NewBlock) => this.#takeSlideBlock(block) };
    this.#revisions = new OdtRevisions(builder, new Set());
    this.#walker = new OdtWalker(builder, styles, this.#revisions, objectIn, sink);
  }

  open(tag: XmlElement): void {
    this.#depth += 1;
    if (this.#isInSlide) this.#openInSlide(tag);
    else if (tag.name === 'draw:page') {
      this.#isInSlide = true;
      this.#slides += 1;
      this.#builder.page = this.#slides;
      this.#places = [{ place: 'text', depth: this.#depth }];
      this.#blocks = { title: [], text: [], notes: [] };
    }
  }

  text(text: string): void {
    if (this.#isInSlide) this.#walker.text(text);
  }

  close(tag: XmlElement): void {
    if (this.#isInSlide && tag.name === 'draw:page') {
      this.#isInSlide = false;
      this.#addSlide();
    } else if (this.#isInSlide) {
      this.#walker.close();
      if (this.#shape?.depth === this.#depth) this.#closeShape(this.#shape.begins);
      if (this.#places.at(-1)?.depth === this.#depth) this.#places.pop();
    }
    this.#depth -= 1;
  }

  #openInSlide(tag: XmlElement): void {
    const role = tag.attributeValue('presentation:class') ?? '';
    const isNotes = tag.name === 'presentation:notes';
    const place: Place | null = isNotes ? 'notes' : role === 'title' ? 'title' : FURNITURE.has(role) ? 'none' : null;
    if (place !== null) this.#places.push({ place, depth: this.#depth });
    if (this.#shape === null && tag.namespace === 'draw' && !GROUPS.has(tag.name)) {
      const { title, text, notes } = this.#blocks;
      this.#shape = {
        depth: this.#depth,
        begins: { title: title.length, text: text.length, notes: notes.length },
      };
    }
    this.#walker.open(tag);
  }

  /** The look of a whole shape emphasises nothing in it, and a title is emphasised as such. */
  #closeShape(begins: Record<keyof SlideBlocks, number>): void {
    this.#shape = null;
    for (const place of ['title', 'text', 'notes'] as const) {
      const blocks = this.#blocks[place].slice(begins[place]);
      const running = blocks.filter((block) => block.kind !== 'table');
      const flags = place === 'title' ? RUN_STRONG : 0;
      const texts = withoutLook(running.map(({ text }) => withoutEmphasis(text, flags)));
      for (const [at, block] of running.entries()) block.text = texts[at] ?? '';
      for (const block of blocks) if (block.kind === 'table') block.rows = withoutTableLook(block.rows);
    }
  }

  #takeSlideBlock(block: NewBlock): void {
    const place = this.#places.at(-1)?.place ?? 'none';
    if (place !== 'none') this.#blocks[place].push(block);
  }

  #addSlide(): void {
    const builder = this.#builder;
    const { title, text, notes } = this.#blocks;
    const isFilled = (block: NewBlock) => blockLines(block).trim() !== '';
    builder.sourceLedger.mayHold(`Slide ${this.#slides}\nNotes`);
    const heading = title.map(blockLines).join(' ').trim();
    const hasContent = text.some(isFilled) || notes.some(isFilled);
    // Without a heading, the text would be filed under the title of the slide before.
    if (heading !== '') builder.addDocumentBlock({ kind: 'heading', level: 1, text: heading });
    else if (hasContent) builder.addDocumentBlock({ kind: 'heading', level: 1, text: `Slide ${this.#slides}` });
    for (const block of text) builder.addDocumentBlock(block);
    if (notes.some(isFilled)) builder.addDocumentBlock({ kind: 'heading', level: 2, text: 'Notes' });
    for (const block of notes) builder.addDocumentBlock(block);
    for (const comment of this.#revisions.takeComments()) {
      if (builder.includeComments) builder.addDocumentBlock({ kind: 'comment', text: comment.text });
    }
  }
}
