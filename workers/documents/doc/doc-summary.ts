import { decodePage } from '../code-pages.ts';

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

/** The summary information of an OLE document: a table of numbered, typed values. What is cut off is left out. */
export function readSummary(stream: Buffer | null): DocSummary {
  const values = stream === null ? new Map<number, Value>() : readValues(stream);
  const page = values.get(PROPERTY_CODE_PAGE)?.number ?? 1252;
  const pages = values.get(PROPERTY_PAGES)?.number ?? 1;
  return {
    title: textOf(values.get(PROPERTY_TITLE), page),
    author: textOf(values.get(PROPERTY_AUTHOR), page),
    pages: Math.max(1, pages),
  };
}

interface Value {
  number: number | null;
  bytes: Buffer;
  isWide: boolean;
}

function textOf(value: Value | undefined, page: number): string | null {
  if (value === undefined) return null;
  const text = value.isWide ? value.bytes.toString('utf16le') : decodePage(value.bytes, page & 0xffff);
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
