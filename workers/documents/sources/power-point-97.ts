import { decodeUtf16 } from '../../../src-server/platform/text/encoding.ts';
import type { NormalizedDocument, ParseOptions } from '../blocks.ts';
import { CompoundFile } from '../doc/word-file.ts';
import { listedSlides, openPresentation, RECORD } from '../ppt/records.ts';

const TEXTS: ReadonlySet<number> = new Set([RECORD.textCharacters, RECORD.textBytes]);

const HEADER_BYTES = 8;

/**
 * Counts every text of the live slides and their notes from the records in the file's order, without shapes. Dates and
 * numbers of slides are a sign each; headers, footers and what other pages of notes repeat may be held.
 */
export function countPpt(
  bytes: Buffer,
  { ledger, includeComments }: ParseOptions,
  { blocks }: NormalizedDocument,
): void {
  const file = new CompoundFile(bytes);
  const stream = file.readNamedStream('PowerPoint Document');
  if (stream === null) return;
  const presentation = openPresentation(stream, file.readNamedStream('Current User'));
  for (const [index, { persistId, outline }] of listedSlides(presentation, 0).entries()) {
    const where = `slide ${index + 1}`;
    ledger.mayHold(`Slide ${index + 1}\nNotes`);
    for (const record of outline.flat()) {
      if (TEXTS.has(record.type)) ledger.addOwedText(where, characters(record.type, record.data));
    }
    const slide = presentation.recordOf(persistId);
    if (slide === null) continue;
    const { owed, optional } = textsIn(slide.data, includeComments);
    ledger.addOwedText(where, owed.join('\n'));
    ledger.mayHold(optional.join('\n'));
  }
  const notes = blocks.some(({ kind }) => kind === 'heading');
  for (const { persistId } of listedSlides(presentation, 2)) {
    const page = presentation.recordOf(persistId);
    if (page === null || !notes) continue;
    const { spoken, owed, optional } = textsIn(page.data, includeComments);
    ledger.addOwedText('notes', spoken.join('\n'));
    ledger.mayHold([...owed.filter((text) => !spoken.includes(text)), ...optional].join('\n'));
  }
}

interface Texts {
  owed: string[];
  /** Of notes. */
  spoken: string[];
  optional: string[];
}

const NOTES_TYPE = 2;

/** Placeholders for date, number, footer and header. */
const FURNITURE: ReadonlySet<number> = new Set([7, 8, 9, 10]);

/** Walks the headers of records by their lengths alone. */
function textsIn(bytes: Buffer, includeComments: boolean): Texts {
  const texts: Texts = { owed: [], spoken: [], optional: [] };
  let textType = 0;
  let isFurniture = false;
  let commentEnd = 0;
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    const head = bytes.readUInt16LE(at);
    const type = bytes.readUInt16LE(at + 2);
    const length = bytes.readUInt32LE(at + 4);
    const data = bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length);
    if (type === RECORD.shape) isFurniture = false;
    if (type === RECORD.comment) commentEnd = at + HEADER_BYTES + length;
    if (type === RECORD.placeholder) isFurniture = FURNITURE.has(data[4] ?? 0);
    if (type === RECORD.textHeader && data.length >= 4) textType = data.readUInt32LE(0);
    if (TEXTS.has(type)) {
      const text = characters(type, data);
      (isFurniture ? texts.optional : texts.owed).push(text);
      if (textType === NOTES_TYPE) texts.spoken.push(text);
    }
    if (type === RECORD.string && at < commentEnd) {
      const isText = head >> 4 === 1;
      if (isText) (includeComments ? texts.owed : texts.optional).push(decodeUtf16(data));
    }
    if (type === RECORD.properties || type === RECORD.moreProperties) texts.optional.push(decodeUtf16(data));
    at += HEADER_BYTES + ((head & 0xf) === 0xf ? 0 : length);
  }
  return texts;
}

function characters(type: number, data: Buffer): string {
  return type === RECORD.textBytes ? data.toString('latin1') : decodeUtf16(data);
}
