import { compoundFile } from './compound-file.ts';

const PAGE_BYTES = 512;

/** Where the text begins in the main stream. */
const TEXT_AT = 3 * PAGE_BYTES;

const STYLE_BASE_BYTES = 10;

/** A property modifier with an operand of one or two bytes, which the code tells. */
export function modifier(code: number, value: number): Buffer {
  const isByte = code >> 13 === 0 || code >> 13 === 1;
  const bytes = Buffer.alloc(isByte ? 3 : 4);
  bytes.writeUInt16LE(code, 0);
  if (isByte) bytes.writeUInt8(value, 2);
  else bytes.writeUInt16LE(value, 2);
  return bytes;
}

export const BOLD = 0x0835;
export const ITALIC = 0x0836;
export const STRUCK = 0x0837;
export const CHARACTER_STYLE = 0x4a30;
export const IN_TABLE = 0x2416;
export const ROW_END = 0x2417;

export interface RunOf97 {
  text: string;
  properties?: Buffer[];
}

/** A paragraph with its end mark, by default that of a paragraph, as the last character. */
export interface ParagraphOf97 {
  runs: (string | RunOf97)[];
  /** Index of its style. */
  style?: number;
  properties?: Buffer[];
  end?: string;
}

export interface StyleOf97 {
  name: string;
  /** Word's number of a built-in style. */
  builtIn?: number;
  isCharacter?: boolean;
  /** Of its characters. */
  properties?: Buffer[];
}

/** The result of a field with its instruction. */
export function field(instruction: string, result: string): string {
  return `\u0013${instruction}\u0014${result}\u0015`;
}

/** A .doc of Word 97 with these paragraphs. */
export function word97(paragraphs: readonly ParagraphOf97[], styles: readonly StyleOf97[] = []): Buffer {
  const runs: { length: number; entry: Buffer }[] = [];
  const ends: { length: number; entry: Buffer }[] = [];
  let text = '';
  for (const { runs: own, style = 0, properties = [], end = '\r' } of paragraphs) {
    const start = text.length;
    for (const run of [...own, end]) {
      const { text: shown, properties: look = [] } = typeof run === 'string' ? { text: run } : run;
      const list = Buffer.concat(look);
      runs.push({ length: shown.length, entry: Buffer.concat([Buffer.from([list.length]), list]) });
      text += shown;
    }
    const list = Buffer.concat([Buffer.from([style & 0xff, style >> 8]), ...properties]);
    const padded = Buffer.concat([list, Buffer.alloc(list.length % 2)]);
    ends.push({ length: text.length - start, entry: Buffer.concat([Buffer.from([0, padded.length / 2]), padded]) });
  }
  const bytes = Buffer.from(text, 'utf16le');
  const textPages = Math.ceil(bytes.length / PAGE_BYTES);
  const head = Buffer.alloc(TEXT_AT);
  head.writeUInt16LE(0xa5ec, 0);
  head.writeUInt32LE(text.length, 0x4c);
  const end = TEXT_AT + bytes.length;
  const firstPage = TEXT_AT / PAGE_BYTES + textPages;
  const tables: [number: number, bytes: Buffer][] = [
    [1, styleSheet(styles)],
    [12, words(TEXT_AT, end, firstPage)],
    [13, words(TEXT_AT, end, firstPage + 1)],
    [
      33,
      Buffer.concat([Buffer.from([2]), words(16, 0, text.length), Buffer.alloc(2), words(TEXT_AT), Buffer.alloc(2)]),
    ],
  ];
  let at = 0;
  for (const [number, { length }] of tables) {
    head.writeUInt32LE(at, 0x9a + number * 8);
    head.writeUInt32LE(length, 0x9a + number * 8 + 4);
    at += length;
  }
  const padding = Buffer.alloc(textPages * PAGE_BYTES - bytes.length);
  return compoundFile({
    '/WordDocument': Buffer.concat([head, bytes, padding, formattedPage(runs, 1), formattedPage(ends, 13)]),
    '/0Table': Buffer.concat(tables.map(([, table]) => table)),
  });
}

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
}

/** A page of runs: their places, the place of the properties of each, the properties from the end on, the count. */
function formattedPage(runs: readonly { length: number; entry: Buffer }[], entryBytes: number): Buffer {
  const page = Buffer.alloc(PAGE_BYTES);
  let place = TEXT_AT;
  let free = PAGE_BYTES - 1;
  for (const [index, { length, entry }] of runs.entries()) {
    page.writeUInt32LE(place, index * 4);
    place += length * 2;
    free = (free - entry.length) & ~1;
    entry.copy(page, free);
    page[(runs.length + 1) * 4 + index * entryBytes] = free / 2;
  }
  page.writeUInt32LE(place, runs.length * 4);
  page[PAGE_BYTES - 1] = runs.length;
  if (free < (runs.length + 1) * 4 + runs.length * entryBytes) throw new Error('too many runs for one page');
  return page;
}

function styleSheet(styles: readonly StyleOf97[]): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt16LE(4, 0);
  head.writeUInt16LE(styles.length, 2);
  head.writeUInt16LE(STYLE_BASE_BYTES, 4);
  const entries = styles.map(({ name, builtIn = 0xffe, isCharacter = false, properties = [] }, index) => {
    const base = Buffer.alloc(STYLE_BASE_BYTES + 2);
    base.writeUInt16LE(builtIn, 0);
    base.writeUInt16LE((isCharacter ? 2 : 1) | (0xfff << 4), 2);
    base.writeUInt16LE(name.length, STYLE_BASE_BYTES);
    const list = Buffer.concat(properties);
    const characters = Buffer.concat([Buffer.from([list.length, 0]), list, Buffer.alloc(list.length % 2)]);
    const paragraph = isCharacter ? [] : [Buffer.from([2, 0, index, 0])];
    const entry = Buffer.concat([base, Buffer.from(`${name}\0`, 'utf16le'), ...paragraph, characters]);
    return Buffer.concat([Buffer.from([entry.length & 0xff, entry.length >> 8]), entry]);
  });
  return Buffer.concat([head, ...entries]);
}
