/**
 * Threat: offsets and counts from the file. Every table is a slice of the bytes present and every count is clamped to
 * its slice. The total text of all pieces is bounded, because pieces may repeat the same bytes.
 */

import { QuarryError } from '../../../src-server/platform/errors.ts';
import { decodePage } from '../../../src-server/platform/text/decode-text.ts';
import { decodeUtf16 } from '../../../src-server/platform/text/encoding.ts';
import { say } from '../../../src-server/platform/text/say.ts';

const MAX_CHARACTERS = 20_000_000;

const WORD_97 = 0xa5ec;

/** Magic bytes of formats before the compound file: Word 1 and 2, Word 6 without one, Write. */
const OLD_MARKS = new Set(['9ba5', 'dba5', 'dca5', '99a6', '31be', '32be', 'fe37']);

const FLAG_ENCRYPTED = 0x0100;

const FLAG_TABLE_1 = 0x0200;

const COMPRESSED = 0x40000000;

const WESTERN_PAGE = 1252;

/** Pairs of offset and length in the table stream, indexed by their position in the file information block. */
const PAIRS_AT = 0x9a;

export const TABLES = {
  styles: 1,
  noteRefs: 2,
  noteTexts: 3,
  commentRefs: 4,
  commentTexts: 5,
  sections: 6,
  headers: 11,
  characterRuns: 12,
  paragraphRuns: 13,
  fonts: 15,
  pieces: 33,
  commentAuthors: 36,
  commentTags: 37,
  commentStarts: 42,
  commentEnds: 43,
  endnoteRefs: 46,
  endnoteTexts: 47,
  revisionAuthors: 51,
  lists: 73,
  listOverrides: 74,
  commentDates: 112,
} as const;

/** Lengths of the parts of the text, in order. */
interface TextLengths {
  body: number;
  notes: number;
  headers: number;
  comments: number;
  endnotes: number;
  textBoxes: number;
  headerTextBoxes: number;
}

/** A contiguous run of the text in the file. `start` and `end` count characters of the whole text. */
export interface Piece {
  start: number;
  end: number;
  filePosition: number;
  bytesPerCharacter: 1 | 2;
}

/** The streams of a binary Word document (97 to 2003), with its text and tables. */
export interface DocFile {
  main: Buffer;
  text: string;
  pieces: Piece[];
  lengths: TextLengths;
  summary: Buffer | null;
  /** A table by its number in TABLES; empty if absent. */
  table(number: number): Buffer;
  /** From the start of a table to the end of its stream: some tables exceed their stated length. */
  tableAndAfter(number: number): Buffer;
}

/** Throws `unsupported_media` (older Word), `encrypted_input`, `corrupt_input` or `source_too_large`. */
export function readDocFile(bytes: Buffer): DocFile {
  if (OLD_MARKS.has(bytes.toString('hex', 0, 2))) throw tooOld();
  const file = new CompoundFile(bytes);
  const main = file.readNamedStream('WordDocument');
  if (main === null || main.length < PAIRS_AT) {
    if (file.readNamedStream('EncryptedPackage') !== null) throw encryptedDocument();
    throw damagedDocFile('no main stream');
  }
  if (main.readUInt16LE(0) !== WORD_97) throw tooOld();
  const flags = main.readUInt16LE(0x0a);
  if ((flags & FLAG_ENCRYPTED) !== 0) throw encryptedDocument();
  const tables = file.readNamedStream((flags & FLAG_TABLE_1) !== 0 ? '1Table' : '0Table');
  if (tables === null) throw damagedDocFile('no table stream');
  const tablePlaceAt = (number: number) => {
    const at = PAIRS_AT + number * 8;
    if (at + 8 > main.length) return { start: 0, length: 0 };
    return { start: main.readUInt32LE(at), length: main.readUInt32LE(at + 4) };
  };
  const tableStreamBytes = (number: number) => {
    const { start, length } = tablePlaceAt(number);
    return tables.subarray(start, start + length);
  };
  const tableAndAfter = (number: number) => {
    const { start, length } = tablePlaceAt(number);
    return length === 0 ? Buffer.alloc(0) : tables.subarray(start);
  };
  const pieces = readPieces(tableStreamBytes(TABLES.pieces));
  const text = pieces.map((piece) => pieceText(main, piece)).join('');
  const summary = file.readNamedStream('\u0005SummaryInformation');
  return { main, text, pieces, lengths: readLengths(main), summary, table: tableStreamBytes, tableAndAfter };
}

function readLengths(main: Buffer): TextLengths {
  const readWordAtOffset = (offset: number) => main.readUInt32LE(offset);
  return {
    body: readWordAtOffset(0x4c),
    notes: readWordAtOffset(0x50),
    headers: readWordAtOffset(0x54),
    comments: readWordAtOffset(0x5c),
    endnotes: readWordAtOffset(0x60),
    textBoxes: readWordAtOffset(0x64),
    headerTextBoxes: readWordAtOffset(0x68),
  };
}

function readPieces(complex: Buffer): Piece[] {
  let at = 0;
  // Property runs of quick-saved pieces precede the piece table.
  while (at + 3 <= complex.length && complex[at] === 1) at += 3 + complex.readUInt16LE(at + 1);
  if (at + 5 > complex.length || complex[at] !== 2) throw damagedDocFile('no piece table');
  const table = complex.subarray(at + 5, at + 5 + complex.readUInt32LE(at + 1));
  const pieces: Piece[] = [];
  let start = 0;
  for (const { from, to, data } of readPlc(table, 8)) {
    const place = data.readUInt32LE(2);
    const isCompressed = (place & COMPRESSED) !== 0;
    const filePosition = isCompressed ? (place & ~COMPRESSED) >>> 1 : place;
    const end = start + Math.max(0, to - from);
    if (end > MAX_CHARACTERS) {
      throw new QuarryError('source_too_large', say`The document has too much text for one job: split it into parts.`);
    }
    pieces.push({ start, end, filePosition, bytesPerCharacter: isCompressed ? 1 : 2 });
    start = end;
  }
  return pieces;
}

/** A piece that ends outside the file still counts its characters, so that later offsets stay right. */
function pieceText(main: Buffer, piece: Piece): string {
  const length = piece.end - piece.start;
  const bytes = main.subarray(piece.filePosition, piece.filePosition + length * piece.bytesPerCharacter);
  const text = piece.bytesPerCharacter === 1 ? decodePage(bytes, WESTERN_PAGE) : decodeUtf16(bytes);
  return text.padEnd(length, '\0');
}

interface PlcItem {
  from: number;
  to: number;
  data: Buffer;
}

/** Word's PLC tables: n + 1 offsets, then n data items of `dataBytes` each. */
export function readPlc(table: Buffer, dataBytes: number): PlcItem[] {
  const count = Math.floor((table.length - 4) / (4 + dataBytes));
  return Array.from({ length: Math.max(0, count) }, (_, index) => {
    const dataAt = (count + 1) * 4 + index * dataBytes;
    return {
      from: table.readUInt32LE(index * 4),
      to: table.readUInt32LE(index * 4 + 4),
      data: table.subarray(dataAt, dataAt + dataBytes),
    };
  });
}

function tooOld(): QuarryError {
  return new QuarryError('unsupported_media', say`The document is in the Word 6/95 format: save it as .docx.`);
}

function encryptedDocument(): QuarryError {
  return new QuarryError('encrypted_input', say`The document is password-protected: save it without a password.`);
}

export function damagedDocFile(cause: unknown): QuarryError {
  const message = say`The document is damaged: save it again, preferably as .docx, and send the new file.`;
  return new QuarryError('corrupt_input', message, { cause });
}

// Threat: a compound file (OLE) is a file system; a damaged or hostile one has circular chains and false sizes. A chain
// is followed for at most as many sectors as the file has, and no allocation depends on a declared size.

const HEADER_BYTES = 512;

const ENTRY_BYTES = 128;

const MAX_ENTRIES = 20_000;

/** From this number on, values mark free sectors and ends of chains. */
const END_OF_CHAIN = 0xfffffffa;

const NO_ENTRY = 0xffffffff;

const LISTED_TABLE_SECTORS = 109;

const TYPE_STREAM = 2;

const TYPE_ROOT = 5;

export interface CompoundEntry {
  name: string;
  type: number;
  left: number;
  right: number;
  child: number;
  start: number;
  sizeBytes: number;
}

/** A compound file. `stream` finds those at the top level; `list` enters the storages. */
export class CompoundFile {
  readonly #bytes: Buffer;
  readonly #sectorBytes: number;
  readonly #table: Uint32Array;
  readonly #miniTable: Uint32Array;
  readonly #miniStream: Buffer;
  readonly #miniCutoff: number;
  readonly #entries: CompoundEntry[];
  readonly #root: CompoundEntry;
  readonly #streams = new Map<string, CompoundEntry>();

  /** Throws `corrupt_input` if the file is no compound file or lacks its tables. */
  constructor(bytes: Buffer) {
    const shift = bytes.length >= HEADER_BYTES ? bytes.readUInt16LE(30) : 0;
    if (bytes.toString('hex', 0, 8) !== 'd0cf11e0a1b11ae1' || (shift !== 9 && shift !== 12))
      throw damagedCompoundFile();
    this.#bytes = bytes;
    this.#sectorBytes = 1 << shift;
    this.#table = this.#readTable();
    this.#miniCutoff = bytes.readUInt32LE(56);
    this.#miniTable = readUint32Words(this.#readChain(bytes.readUInt32LE(60)));
    const entries = this.#readEntries(this.#readChain(bytes.readUInt32LE(48)));
    const root = entries.find(({ type }) => type === TYPE_ROOT);
    if (root === undefined) throw damagedCompoundFile();
    this.#miniStream = this.#readChain(root.start);
    this.#entries = entries;
    this.#root = root;
    for (const entry of this.listStorageEntries()) {
      if (entry.type === TYPE_STREAM) this.#streams.set(entry.name.toLowerCase(), entry);
    }
  }

  /** The bytes of a stream by case-insensitive name, or null. */
  readNamedStream(name: string): Buffer | null {
    const entry = this.#streams.get(name.toLowerCase());
    return entry === undefined ? null : this.readStreamBytes(entry);
  }

  /** The streams and storages inside a storage; inside the file without one. */
  listStorageEntries(storage: CompoundEntry = this.#root): CompoundEntry[] {
    return siblingEntries(this.#entries, storage.child);
  }

  /** The bytes of a stream. */
  readStreamBytes(entry: CompoundEntry): Buffer {
    const isMini = entry.sizeBytes < this.#miniCutoff;
    const bytes = isMini ? this.#readMini(entry.start) : this.#readChain(entry.start);
    return bytes.subarray(0, entry.sizeBytes);
  }

  #sectorBytesAt(index: number): Buffer {
    const start = (index + 1) * this.#sectorBytes;
    return this.#bytes.subarray(start, start + this.#sectorBytes);
  }

  /** The allocation table. The header lists its first 109 sectors, a chain of lists the rest. */
  #readTable(): Uint32Array {
    const sectors: Buffer[] = [];
    const limit = this.#bytes.length / this.#sectorBytes;
    const takeSector = (index: number) => {
      if (index < END_OF_CHAIN && sectors.length < limit) sectors.push(this.#sectorBytesAt(index));
    };
    for (let at = 0; at < LISTED_TABLE_SECTORS; at += 1) takeSector(this.#bytes.readUInt32LE(76 + at * 4));
    let list = this.#bytes.readUInt32LE(68);
    for (let count = 0; count < limit && list < END_OF_CHAIN; count += 1) {
      const numbers = readUint32Words(this.#sectorBytesAt(list));
      for (const index of numbers.subarray(0, -1)) takeSector(index);
      list = numbers.at(-1) ?? END_OF_CHAIN;
    }
    return readUint32Words(Buffer.concat(sectors));
  }

  #readChain(start: number): Buffer {
    const sectors: Buffer[] = [];
    const limit = this.#bytes.length / this.#sectorBytes;
    for (let index = start; index < END_OF_CHAIN; index = this.#table[index] ?? END_OF_CHAIN) {
      if (sectors.length > limit) throw damagedCompoundFile();
      const sector = this.#sectorBytesAt(index);
      if (sector.length === 0) break;
      sectors.push(sector);
    }
    return Buffer.concat(sectors);
  }

  #readMini(start: number): Buffer {
    const miniBytes = 1 << Math.min(this.#bytes.readUInt16LE(32), 12);
    const sectors: Buffer[] = [];
    for (let index = start; index < END_OF_CHAIN; index = this.#miniTable[index] ?? END_OF_CHAIN) {
      if (sectors.length > this.#miniTable.length) throw damagedCompoundFile();
      sectors.push(this.#miniStream.subarray(index * miniBytes, (index + 1) * miniBytes));
    }
    return Buffer.concat(sectors);
  }

  #readEntries(directory: Buffer): CompoundEntry[] {
    const entries: CompoundEntry[] = [];
    for (let at = 0; at + ENTRY_BYTES <= directory.length && entries.length < MAX_ENTRIES; at += ENTRY_BYTES) {
      const nameBytes = Math.min(Math.max(directory.readUInt16LE(at + 64) - 2, 0), 62);
      entries.push({
        name: decodeUtf16(directory.subarray(at, at + nameBytes)),
        type: directory[at + 66] ?? 0,
        left: directory.readUInt32LE(at + 68),
        right: directory.readUInt32LE(at + 72),
        child: directory.readUInt32LE(at + 76),
        start: directory.readUInt32LE(at + 116),
        sizeBytes: directory.readUInt32LE(at + 120),
      });
    }
    return entries;
  }
}

/** The entries of one storage: a binary tree, which may be circular in a hostile file. */
function siblingEntries(entries: readonly CompoundEntry[], first: number): CompoundEntry[] {
  const found = new Set<CompoundEntry>();
  const open = [first];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const entry = index === NO_ENTRY ? undefined : entries[index];
    if (entry === undefined || found.has(entry)) continue;
    found.add(entry);
    open.push(entry.left, entry.right);
  }
  return [...found];
}

function readUint32Words(bytes: Buffer): Uint32Array {
  return Uint32Array.from({ length: bytes.length >> 2 }, (_, index) => bytes.readUInt32LE(index * 4));
}

function damagedCompoundFile(): QuarryError {
  return new QuarryError(
    'corrupt_input',
    say`The document is damaged: save it again, preferably as .docx, and send the new file.`,
  );
}
