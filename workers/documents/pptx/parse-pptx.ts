import { QuarryError } from '../../../src-server/platform/errors.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import type { DocumentParser } from '../blocks.ts';
import { DocumentBuilder } from '../document-builder.ts';
import { readDiagram } from '../drawings/diagram.ts';
import { DEEP_FORMULA } from '../math.ts';
import { externalAddresses, type Relationship, readProperties, readRelationships } from '../ooxml.ts';
import { walkXml, type XmlBudget } from '../xml.ts';
import { type OfficePackage, openPackage, refuseDamaged } from '../zip-package.ts';
import { type CommentAuthors, readAuthors, readSlideComments } from './comments.ts';
import { Layouts } from './layouts.ts';
import {
  numberMarker,
  type Placeholder,
  type Shape,
  ShapeReader,
  type SlideParagraph,
  slideParagraphsText,
  TITLES,
} from './shapes.ts';
import { enclosingBox, orderForReading, type Placed } from './slide-order.ts';

/** Parts nest far less; deeper ones are hostile. */
const MAX_DEPTH = 500;

/** Placeholders whose text is about the slide: date, footer, number. */
const FURNITURE = new Set(['dt', 'ftr', 'sldNum']);

/** Placeholders whose paragraphs are list items unless their style says otherwise. */
const LISTS = new Set(['body', 'obj', 'tbl', 'chart', 'dgm', 'media', 'clipArt', 'pic']);

/**
 * PowerPoint presentations (.pptx, .pptm, .ppsx, .potx): slide n is page n, its title a heading, its notes follow it.
 * Errors: `corrupt_input`, `unsupported_media` (a zip that is no presentation), `source_too_large`.
 */
export const parsePptx: DocumentParser = async (bytes, options) => {
  const source = await openPackage(bytes);
  const budget: XmlBudget = {
    elements: 0,
    maxDepth: MAX_DEPTH,
    tick() {
      options.progress(0, say`Reading the presentation`);
      options.signal.throwIfAborted();
    },
  };
  const root = readRelationships(source, '', budget);
  const main = root.find(({ type }) => type === 'officeDocument')?.target ?? 'ppt/presentation.xml';
  const content = source.readMain(main);
  if (content === null) throw new QuarryError('unsupported_media', say`The file is a zip archive, not a presentation.`);
  const parts = readRelationships(source, main, budget);
  const builder = new DocumentBuilder(options);
  const authors = readAuthors(source, parts, budget);
  const reader = new PresentationReader({ source, budget, builder, authors });
  for (const [index, id] of slideIds(content, budget).entries()) {
    const slide = parts.find((one) => one.id === id && one.type === 'slide');
    if (slide !== undefined) await reader.addSlide(slide.target, index + 1);
  }
  if (builder.blocks.length === 0) {
    refuseDamaged(source);
    if (reader.isIncomplete) throw new QuarryError('corrupt_input', say`The slides are missing: save the file again.`);
  }
  reader.warnOfHiddenSlides();
  const { title, author, language } = readProperties(source, budget);
  return builder.buildNormalizedDocument({ format: 'pptx', title, author, language });
};

/** Relationships of the slides, in the order of the show. */
function slideIds(content: Buffer, budget: XmlBudget): string[] {
  const ids: string[] = [];
  walkXml(content, budget, {
    open(element) {
      if (element.name === 'p:sldId') ids.push(element.attributeValue('r:id') ?? '');
    },
  });
  return ids;
}

interface Reading {
  source: OfficePackage;
  budget: XmlBudget;
  builder: DocumentBuilder;
  authors: CommentAuthors;
}

class PresentationReader {
  readonly #reading: Reading;
  readonly #layouts: Layouts;
  readonly #hidden: number[] = [];
  /** Whether a slide is missing. */
  isIncomplete = false;

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#layouts = new Layouts(reading.source, reading.budget);
  }

  async addSlide(part: string, number: number): Promise<void> {
    const { source, budget, builder, authors } = this.#reading;
    const content = source.read(part);
    if (content === null) {
      this.isIncomplete = true;
      builder.addWarning(say`Slide ${number} is missing in the file: open and save it again.`);
      return;
    }
    builder.page = number;
    const relations = readRelationships(source, part, budget);
    const slide = new ShapeReader(builder.useInlineSigns(), externalAddresses(relations));
    walkXml(content, budget, slide);
    if (slide.hasDeepEquation) builder.addWarning(DEEP_FORMULA);
    if (slide.isHidden) this.#hidden.push(number);
    const layout = relations.find(({ type }) => type === 'slideLayout')?.target ?? null;
    const isTitleShape = (shape: Shape) => shape.kind === 'text' && TITLES.has(shape.placeholder?.type ?? '');
    const title = slide.shapes.filter(isTitleShape).map(shapeTitleLine).join(' ').trim();
    const rest = slide.shapes.filter((shape) => !isTitleShape(shape) && !isFurniture(shape) && hasContent(shape));
    const notes = this.#readSpeakerNotes(relations);
    // Without a heading, the text would be filed under the title of the slide before.
    if (title !== '') builder.addDocumentBlock({ kind: 'heading', level: 1, text: title });
    else if (rest.length + notes.length > 0)
      builder.addDocumentBlock({ kind: 'heading', level: 1, text: `Slide ${number}` });
    for (const shape of this.#shapesInReadingOrder(rest, layout)) await this.#addShape(shape, layout, relations);
    if (notes.length > 0) builder.addDocumentBlock({ kind: 'heading', level: 2, text: 'Notes' });
    for (const { text } of notes) builder.addDocumentBlock({ kind: 'paragraph', text });
    readSlideComments(source, relations, authors, builder, budget);
  }

  warnOfHiddenSlides(): void {
    const hidden = this.#hidden;
    if (hidden.length === 0) return;
    this.#reading.builder.addWarning(
      hidden.length === 1
        ? say`Slide ${hidden.join()} is hidden in the show; the text has it too.`
        : say`Slides ${hidden.join(', ')} are hidden in the show; the text has them too.`,
    );
  }

  /** By place, each group as a whole; in the order of the file if a place is not known. */
  #shapesInReadingOrder(shapes: readonly Shape[], layout: string | null): Shape[] {
    const placed: Placed<Shape>[] = [];
    for (const shape of shapes) {
      const inheritingPlaceholder = () => (shape.kind === 'text' && shape.placeholder ? shape.placeholder : null);
      const holder = shape.place.box === null ? inheritingPlaceholder() : null;
      const box = holder === null ? shape.place.box : this.#layouts.inheritedBox(layout, holder);
      if (box === null) return [...shapes];
      placed.push({ item: shape, box });
    }
    const units = Map.groupBy(placed, ({ item }) => (item.place.group === null ? item : item.place.group));
    const groups = [...units.values()].map((members) => ({
      item: members,
      box: enclosingBox(members.map(({ box }) => box)),
    }));
    return orderForReading(groups).flatMap((members) => orderForReading(members));
  }

  async #addShape(shape: Shape, layout: string | null, relations: readonly Relationship[]): Promise<void> {
    const { source, budget, builder } = this.#reading;
    if (shape.kind === 'table') builder.addDocumentBlock({ kind: 'table', rows: shape.rows, spans: shape.spans });
    else if (shape.kind === 'text') this.#addParagraphs(shape.paragraphs, shape.placeholder, layout);
    else if (shape.kind === 'picture') builder.addDocumentBlock({ kind: 'caption', text: shape.text });
    else {
      const part = relations.find(({ id }) => id === shape.relationshipId);
      const content = part === undefined ? null : source.read(part.target);
      if (content === null) {
        const { page } = builder;
        builder.addWarning(
          say`Slide ${page} has a chart or diagram that is missing in the file: open and save the presentation again.`,
        );
        return;
      }
      // Only charts need the number formats, whose library is large.
      const read = shape.kind === 'chart' ? (await import('../drawings/chart.ts')).readChart : readDiagram;
      read(content, builder, budget);
    }
  }

  #addParagraphs(paragraphs: readonly SlideParagraph[], placeholder: Placeholder | null, layout: string | null): void {
    const { builder } = this.#reading;
    const counts: number[] = [];
    for (const { text, level, bullet: own } of paragraphs) {
      const isList = placeholder !== null && LISTS.has(placeholder.type);
      const bullet = own ?? (isList ? this.#layouts.bulletOf(layout, placeholder, level) : { kind: 'none' });
      if (text.trim() === '') continue;
      if (bullet.kind === 'none') {
        counts.length = 0;
        builder.addDocumentBlock({ kind: 'paragraph', text });
        continue;
      }
      counts.length = Math.min(counts.length, level + 1);
      const count = bullet.kind === 'number' ? (counts[level] ?? bullet.start - 1) + 1 : 0;
      counts[level] = count;
      const marker = bullet.kind === 'number' ? numberMarker(count, bullet.form) : bullet.mark;
      builder.addDocumentBlock({ kind: 'list-item', depth: level, marker, text });
    }
  }

  /** The speaker notes of a slide, and what else its notes page says. */
  #readSpeakerNotes(relations: readonly Relationship[]): SlideParagraph[] {
    const { source, budget, builder } = this.#reading;
    const part = relations.find(({ type }) => type === 'notesSlide');
    const content = part === undefined ? null : source.read(part.target);
    if (part === undefined || content === null) return [];
    const addressOf = externalAddresses(readRelationships(source, part.target, budget));
    const page = new ShapeReader(builder.useInlineSigns(), addressOf);
    walkXml(content, budget, page);
    const paragraphs = page.shapes.flatMap((shape) => {
      if (shape.kind === 'table') return shape.rows.map((row) => ({ text: row.join(' '), level: 0, bullet: null }));
      const isOwn = shape.kind === 'text' && (shape.placeholder === null || shape.placeholder.type === 'body');
      return isOwn ? shape.paragraphs : [];
    });
    return paragraphs.filter(({ text }) => text.trim() !== '');
  }
}

function isFurniture(shape: Shape): boolean {
  return shape.kind === 'text' && FURNITURE.has(shape.placeholder?.type ?? '');
}

function hasContent(shape: Shape): boolean {
  return shape.kind !== 'text' || slideParagraphsText(shape.paragraphs).trim() !== '';
}

function shapeTitleLine(shape: Shape): string {
  return shape.kind === 'text' ? slideParagraphsText(shape.paragraphs) : '';
}
