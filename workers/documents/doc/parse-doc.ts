import { QuarryError } from '../../../src-server/platform/errors.ts';
import { decodePage } from '../../../src-server/platform/text/decode-text.ts';
import { decodeUtf16 } from '../../../src-server/platform/text/encoding.ts';
import type { DocumentParser } from '../blocks.ts';
import { DocumentBuilder } from '../document-builder.ts';
import { CodeJoiner } from '../word-processing.ts';
import { DocStories } from './story.ts';
import { type DocFile, damagedDocFile, readDocFile, TABLES } from './word-file.ts';

/** The header part starts with the separator stories of notes. */
const SEPARATOR_STORIES = 6;

/** Each section follows with six stories: even and odd header, even and odd footer, first-page header and footer. */
const STORIES_PER_SECTION = 6;

const HEADER_STORIES = new Set([0, 1, 4]);

/**
 * Binary Word documents of Word 97 to 2003. Throws `unsupported_media` for older ones, `encrypted_input`,
 * `corrupt_input`, `source_too_large`.
 */
export const parseDoc: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  try {
    const file = readDocFile(bytes);
    readStories(file, builder);
    const { title, author, pages } = readSummary(file.summary);
    return builder.buildNormalizedDocument({ format: 'doc', title, author, statedPages: pages });
  } catch (cause) {
    // An offset outside its table means a damaged file.
    if (cause instanceof RangeError && !(cause instanceof QuarryError)) throw damagedDocFile(cause);
    throw cause;
  }
};

function readStories(file: DocFile, builder: DocumentBuilder): void {
  const { lengths } = file;
  const stories = new DocStories(file, builder);
  const code = new CodeJoiner(builder);
  const furniture = readDocFurniture(file, stories);
  for (const text of furniture.header) builder.addDocumentBlock({ kind: 'page-furniture', place: 'header', text });
  stories.readDocBody((block, page) => code.add(block, page));
  const boxesAt = lengths.body + lengths.notes + lengths.headers + lengths.comments + lengths.endnotes;
  const boxes = stories.readStoryBlocks(boxesAt, boxesAt + lengths.textBoxes + lengths.headerTextBoxes);
  for (const block of [...boxes, ...stories.endnotes]) code.add(block, builder.page);
  code.flushJoinedCode();
  for (const text of furniture.footer) builder.addDocumentBlock({ kind: 'page-furniture', place: 'footer', text });
}

/** Each header and footer once, without those that are only a page number. */
function readDocFurniture(file: DocFile, stories: DocStories) {
  const texts = { header: new Set<string>(), footer: new Set<string>() };
  const base = file.lengths.body + file.lengths.notes;
  const places = file.table(TABLES.headers);
  const placeAt = (index: number) => base + Math.min(places.readUInt32LE(index * 4), file.lengths.headers);
  const count = Math.floor(places.length / 4) - 1;
  for (let index = SEPARATOR_STORIES; index < count; index += 1) {
    const text = stories.readLines(placeAt(index), placeAt(index + 1));
    const place = HEADER_STORIES.has((index - SEPARATOR_STORIES) % STORIES_PER_SECTION) ? 'header' : 'footer';
    if (/\p{L}/u.test(text)) texts[place].add(text);
  }
  return texts;
}

const PROPERTY_CODE_PAGE = 1;

const PROPERTY_TITLE = 2;

const PROPERTY_AUTHOR = 4;

const PROPERTY_PAGES = 14;

const TYPE_SHORT = 2;

const TYPE_NUMBER = 3;

const TYPE_BYTES = 30;

const TYPE_WIDE = 31;

const SECTION_PLACE_AT = 44;

const MAX_PROPERTIES = 200;

export interface DocSummary {
  title: string | null;
  author: string | null;
  pages: number;
}

/**
 * Reads the summary information of an OLE document, a table of numbered, typed values. Truncated values are omitted.
 */
export function readSummary(stream: Buffer | null): DocSummary {
  const values = stream === null ? new Map<number, Value>() : readValues(stream);
  const page = values.get(PROPERTY_CODE_PAGE)?.number ?? 1252;
  const pages = values.get(PROPERTY_PAGES)?.number ?? 1;
  return {
    title: docPropertyText(values.get(PROPERTY_TITLE), page),
    author: docPropertyText(values.get(PROPERTY_AUTHOR), page),
    pages: Math.max(1, pages),
  };
}

interface Value {
  number: number | null;
  bytes: Buffer;
  isWide: boolean;
}

function docPropertyText(value: Value | undefined, page: number): string | null {
  if (value === undefined) return null;
  const text = value.isWide ? decodeUtf16(value.bytes) : decodePage(value.bytes, page & 0xffff);
  return text.replace(/\0[\s\S]*$/, '');
}

function readValues(stream: Buffer): Map<number, Value> {
  const values = new Map<number, Value>();
  if (stream.length < SECTION_PLACE_AT + 4) return values;
  const section = stream.subarray(stream.readUInt32LE(SECTION_PLACE_AT));
  const count = section.length < 8 ? 0 : Math.min(section.readUInt32LE(4), MAX_PROPERTIES);
  for (let index = 0; index < count && 16 + index * 8 <= section.length; index += 1) {
    const value = readValue(section.subarray(section.readUInt32LE(12 + index * 8)));
    if (value !== null) values.set(section.readUInt32LE(8 + index * 8), value);
  }
  return values;
}

function readValue(at: Buffer): Value | null {
  if (at.length < 8) return null;
  const type = at.readUInt32LE(0);
  if (type === TYPE_SHORT) return { number: at.readUInt16LE(4), bytes: Buffer.alloc(0), isWide: false };
  if (type === TYPE_NUMBER) return { number: at.readInt32LE(4), bytes: Buffer.alloc(0), isWide: false };
  if (type !== TYPE_BYTES && type !== TYPE_WIDE) return null;
  const length = at.readUInt32LE(4) * (type === TYPE_WIDE ? 2 : 1);
  return { number: null, bytes: at.subarray(8, 8 + length), isWide: type === TYPE_WIDE };
}
