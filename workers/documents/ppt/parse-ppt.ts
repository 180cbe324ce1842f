import { say } from '../../../src-server/platform/text/say.ts';
import type { DocumentParser } from '../blocks.ts';
import { readSummary } from '../doc/parse-doc.ts';
import { CompoundFile } from '../doc/word-file.ts';
import { DocumentBuilder } from '../document-builder.ts';
import { RUN_STRONG, withoutEmphasis } from '../inline-marks.ts';
import { orderForReading } from '../pptx/slide-order.ts';
import { damagedPackageError } from '../zip-package.ts';
import { type PptShape, readDrawing } from './drawing.ts';
import {
  allRecordsIn,
  childOf,
  type ListedSlide,
  listedSlides,
  openPresentation,
  type PptRecord,
  RECORD,
  RecordBudget,
  readAddresses,
  recordsIn,
  textOfRecord,
} from './records.ts';
import { blocksOfText, plainText, TEXT_TYPE, type TextContext } from './text.ts';

const TITLES: ReadonlySet<number> = new Set([TEXT_TYPE.title, TEXT_TYPE.centerTitle]);

/** Of the flags of a slide's show. */
const HIDDEN_FLAG = 0x0004;

/**
 * PowerPoint 97 to 2003 presentations (.ppt, .pps, .pot): slide n is page n, its title a heading, its notes follow it.
 * Errors: `corrupt_input`, `encrypted_input`, `source_too_large`.
 */
export const parsePpt: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const file = new CompoundFile(bytes);
  const stream = file.readNamedStream('PowerPoint Document');
  if (stream === null) throw damagedPackageError('no stream of slides');
  const presentation = openPresentation(stream, file.readNamedStream('Current User'));
  const budget = new RecordBudget(() => builder.checkCancellation());
  const context = { inline: builder.useInlineSigns(), addresses: readAddresses(presentation) };
  const notes = new Map(listedSlides(presentation, 2).map(({ slideId, persistId }) => [slideId, persistId]));
  const hidden: number[] = [];
  for (const [index, listed] of listedSlides(presentation, 0).entries()) {
    builder.page = index + 1;
    const slide = presentation.recordOf(listed.persistId);
    if (slide?.type !== RECORD.slide) {
      builder.addWarning(say`Slide ${builder.page} is missing in the file: open and save it again.`);
      continue;
    }
    if (isHiddenSlide(slide)) hidden.push(builder.page);
    const own = presentation.recordOf(notes.get(notesIdOf(slide)) ?? -1);
    addSlide(builder, { slide, listed, notes: own?.type === RECORD.notes ? own : null, context }, budget);
  }
  if (hidden.length > 0) {
    builder.addWarning(
      hidden.length === 1
        ? say`Slide ${hidden.join()} is hidden in the show; the text has it too.`
        : say`Slides ${hidden.join(', ')} are hidden in the show; the text has them too.`,
    );
  }
  const { title, author } = readSummary(file.readNamedStream('\u0005SummaryInformation'));
  return builder.buildNormalizedDocument({ format: 'ppt', title, author });
};

interface SlideParts {
  slide: PptRecord;
  listed: ListedSlide;
  notes: PptRecord | null;
  context: TextContext;
}

function addSlide(builder: DocumentBuilder, { slide, listed, notes, context }: SlideParts, budget: RecordBudget): void {
  const { shapes, objects } = readDrawing(slide, listed.outline, context, budget);
  const ordered = orderForReading(shapes).filter((shape) => shape.kind === 'table' || !shape.isFurniture);
  const isTitle = (shape: PptShape) => shape.kind === 'text' && TITLES.has(shape.text.type);
  const title = ordered
    .flatMap((shape) =>
      shape.kind === 'text' && isTitle(shape) ? [withoutEmphasis(plainText(shape.text), RUN_STRONG)] : [],
    )
    .join(' ')
    .trim();
  const rest = ordered.filter((shape) => !isTitle(shape));
  const spoken = notes === null ? [] : notesTexts(notes, context, budget);
  if (title !== '') builder.addDocumentBlock({ kind: 'heading', level: 1, text: title });
  else if (rest.length + spoken.length > 0) {
    builder.addDocumentBlock({ kind: 'heading', level: 1, text: `Slide ${builder.page}` });
  }
  for (const shape of rest) {
    if (shape.kind === 'table') builder.addDocumentBlock(shape);
    else for (const block of blocksOfText(shape.text)) builder.addDocumentBlock(block);
  }
  if (spoken.length > 0) builder.addDocumentBlock({ kind: 'heading', level: 2, text: 'Notes' });
  for (const text of spoken) builder.addDocumentBlock({ kind: 'paragraph', text });
  addComments(builder, slide, budget);
  if (objects > 0) {
    const { page } = builder;
    builder.addWarning(
      objects === 1
        ? say`Slide ${page} has a chart or another object, whose content was not read: save it as .pptx.`
        : say`Slide ${page} has ${objects} charts or other objects, whose content was not read: save it as .pptx.`,
    );
  }
}

function notesTexts(notes: PptRecord, context: TextContext, budget: RecordBudget): string[] {
  return readDrawing(notes, [], context, budget).shapes.flatMap(({ item }) => {
    if (item.kind === 'table' || item.text.type !== TEXT_TYPE.notes) return [];
    return item.text.paragraphs.map(({ text }) => text).filter((text) => text.trim() !== '');
  });
}

/** Author, text and initials by the instance of their records. */
function addComments(builder: DocumentBuilder, slide: PptRecord, budget: RecordBudget): void {
  for (const record of allRecordsIn(slide.data, budget)) {
    if (record.type !== RECORD.comment) continue;
    const strings = new Map<number, string>();
    for (const one of recordsIn(record.data)) {
      if (one.type === RECORD.string) strings.set(one.instance, textOfRecord(one) ?? '');
    }
    const text = (strings.get(1) ?? '').replaceAll('\r', '\n');
    builder.addDocumentComment({ author: strings.get(0) ?? null, date: null, text, anchor: null });
    if (builder.includeComments) builder.addDocumentBlock({ kind: 'comment', text });
  }
}

function isHiddenSlide(slide: PptRecord): boolean {
  const show = childOf(slide, RECORD.slideShowInfo)?.data;
  return show !== undefined && show.length >= 12 && (show.readUInt16LE(10) & HIDDEN_FLAG) !== 0;
}

/** Number of the notes page of a slide; 0 without one. */
function notesIdOf(slide: PptRecord): number {
  const atom = childOf(slide, RECORD.slideAtom)?.data;
  return atom === undefined || atom.length < 20 ? 0 : atom.readUInt32LE(16);
}
