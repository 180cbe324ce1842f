import { compoundFile } from './compound-file.ts';

/** A record of PowerPoint 97: a container of others, or an atom of bytes. */
export function record(type: number, content: Buffer | readonly Buffer[], instance = 0): Buffer {
  const data = Buffer.isBuffer(content) ? content : Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt16LE((instance << 4) | (Buffer.isBuffer(content) ? 0 : 0xf), 0);
  head.writeUInt16LE(type, 2);
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data]);
}

export function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value >>> 0, index * 4);
  return bytes;
}

export interface BoxText {
  /** 0 title, 1 body, 2 notes, 4 other. */
  type: number;
  text: string;
  /** Left, top, right, bottom. */
  box: readonly [number, number, number, number];
}

/** A shape with a text at its place. */
export function textShape({ type, text, box: [left, top, right, bottom] }: BoxText): Buffer {
  const anchor = Buffer.alloc(8);
  for (const [index, edge] of [top, left, right, bottom].entries()) anchor.writeInt16LE(edge, index * 2);
  const characters = record(0x0fa0, Buffer.from(text, 'utf16le'));
  return record(0xf004, [record(0xf010, anchor), record(0xf00d, [record(0x0f9f, words(type)), characters])]);
}

export interface SlideOf97 {
  shapes: Buffer[];
  notes?: BoxText[];
  isHidden?: boolean;
}

/** A .ppt with these slides, and addresses by number; `editAt` is where its last edit is, `token` marks encryption. */
export function presentation97(
  slides: readonly SlideOf97[],
  { editAt, token = 0xe391c05f, links = {} }: { editAt?: number; token?: number; links?: Record<number, string> } = {},
): Buffer {
  const pages: Buffer[] = [];
  const slideList: Buffer[] = [];
  const notesList: Buffer[] = [];
  for (const [index, { shapes, notes = [], isHidden = false }] of slides.entries()) {
    const [slideId, notesId] = [256 + index, notes.length > 0 ? 512 + index : 0];
    const show = Buffer.alloc(16);
    show.writeUInt16LE(isHidden ? 4 : 0, 10);
    const atom = record(0x03ef, words(0, 0, 0, 0, notesId, 0));
    pages.push(record(0x03ee, [atom, record(0x03f9, show), drawing(shapes)]));
    slideList.push(record(0x03f3, words(pages.length + 1, 0, 0, slideId, 0)));
    if (notesId === 0) continue;
    pages.push(record(0x03f0, [record(0x03f1, words(slideId, 0)), drawing(notes.map(textShape))]));
    notesList.push(record(0x03f3, words(pages.length + 1, 0, 0, notesId, 0)));
  }
  const addresses = Object.entries(links).map(([id, address]) =>
    record(0x0fd7, [record(0x0fd3, words(Number(id))), record(0x0fba, Buffer.from(address, 'utf16le'), 1)]),
  );
  const document = record(0x03e8, [
    record(0x0409, addresses),
    record(0x0ff0, slideList, 0),
    record(0x0ff0, notesList, 2),
  ]);
  const parts = [document, ...pages];
  const places = parts.map((_, index) => parts.slice(0, index).reduce((sum, part) => sum + part.length, 0) + 8);
  const body = Buffer.concat([Buffer.alloc(8), ...parts]);
  const directory = record(0x1772, words(1 | (parts.length << 20), ...places));
  const last = body.length + directory.length;
  const edit = record(0x0ff5, words(0, 0, 0, body.length, 1, parts.length, 0));
  const user = record(0x0ff6, words(20, token, editAt ?? last));
  return compoundFile({
    '/PowerPoint Document': Buffer.concat([body, directory, edit]),
    '/Current User': user,
  });
}

function drawing(shapes: readonly Buffer[]): Buffer {
  return record(0x040c, [
    record(0xf002, [record(0xf003, [record(0xf004, [record(0xf00a, Buffer.alloc(8))]), ...shapes])]),
  ]);
}

/** A group of cells that is a table. */
export function tableShape(cells: readonly BoxText[]): Buffer {
  const property = Buffer.alloc(6);
  property.writeUInt16LE(0x39f, 0);
  const head = record(0xf004, [record(0xf122, property, 1)]);
  return record(0xf003, [head, ...cells.map(textShape)]);
}
