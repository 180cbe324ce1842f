/**
 * Threat: a compound file (OLE) is a file system, and a damaged or hostile one has chains that loop and sizes that lie.
 * Every chain is followed for at most as many sectors as the file has; nothing is allocated on a declared size.
 */
import { QuarryError } from '../../../src-server/platform/errors.ts';

const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
const MAX_ENTRIES = 20_000;
/** Sector numbers from here on mark free sectors and ends of chains. */
const END_OF_CHAIN = 0xfffffffa;
const NO_ENTRY = 0xffffffff;
const LISTED_TABLE_SECTORS = 109;

const TYPE_STREAM = 2;
const TYPE_ROOT = 5;

interface Entry {
  name: string;
  type: number;
  left: number;
  right: number;
  child: number;
  start: number;
  sizeBytes: number;
}

/** The streams at the top of a compound file; those of embedded objects are not among them. */
export class CompoundFile {
  readonly #bytes: Buffer;
  readonly #sectorBytes: number;
  readonly #table: Uint32Array;
  readonly #miniTable: Uint32Array;
  readonly #miniStream: Buffer;
  readonly #miniCutoff: number;
  readonly #streams = new Map<string, Entry>();

  /** Throws `corrupt_input` where the file is no compound file or lacks its tables. */
  constructor(bytes: Buffer) {
    const shift = bytes.length >= HEADER_BYTES ? bytes.readUInt16LE(30) : 0;
    if (bytes.toString('hex', 0, 8) !== 'd0cf11e0a1b11ae1' || (shift !== 9 && shift !== 12)) throw damaged();
    this.#bytes = bytes;
    this.#sectorBytes = 1 << shift;
    this.#table = this.#readTable();
    this.#miniCutoff = bytes.readUInt32LE(56);
    this.#miniTable = words(this.#readChain(bytes.readUInt32LE(60)));
    const entries = this.#readEntries(this.#readChain(bytes.readUInt32LE(48)));
    const root = entries.find(({ type }) => type === TYPE_ROOT);
    if (root === undefined) throw damaged();
    this.#miniStream = this.#readChain(root.start);
    for (const entry of siblings(entries, root.child)) {
      if (entry.type === TYPE_STREAM) this.#streams.set(entry.name.toLowerCase(), entry);
    }
  }

  /** A stream's bytes, or null where there is none of that name (upper and lower case are one). */
  stream(name: string): Buffer | null {
    const entry = this.#streams.get(name.toLowerCase());
    if (entry === undefined) return null;
    const isMini = entry.sizeBytes < this.#miniCutoff;
    const bytes = isMini ? this.#readMini(entry.start) : this.#readChain(entry.start);
    return bytes.subarray(0, entry.sizeBytes);
  }

  #sector(index: number): Buffer {
    const start = (index + 1) * this.#sectorBytes;
    return this.#bytes.subarray(start, start + this.#sectorBytes);
  }

  /** The allocation table: its sectors are listed in the header and, past the first 109, in a chain of lists. */
  #readTable(): Uint32Array {
    const sectors: Buffer[] = [];
    const limit = this.#bytes.length / this.#sectorBytes;
    const take = (index: number) => {
      if (index < END_OF_CHAIN && sectors.length < limit) sectors.push(this.#sector(index));
    };
    for (let at = 0; at < LISTED_TABLE_SECTORS; at += 1) take(this.#bytes.readUInt32LE(76 + at * 4));
    let list = this.#bytes.readUInt32LE(68);
    for (let count = 0; count < limit && list < END_OF_CHAIN; count += 1) {
      const numbers = words(this.#sector(list));
      for (const index of numbers.subarray(0, -1)) take(index);
      list = numbers.at(-1) ?? END_OF_CHAIN;
    }
    return words(Buffer.concat(sectors));
  }

  #readChain(start: number): Buffer {
    const sectors: Buffer[] = [];
    const limit = this.#bytes.length / this.#sectorBytes;
    for (let index = start; index < END_OF_CHAIN; index = this.#table[index] ?? END_OF_CHAIN) {
      if (sectors.length > limit) throw damaged();
      const sector = this.#sector(index);
      if (sector.length === 0) break;
      sectors.push(sector);
    }
    return Buffer.concat(sectors);
  }

  #readMini(start: number): Buffer {
    const miniBytes = 1 << Math.min(this.#bytes.readUInt16LE(32), 12);
    const sectors: Buffer[] = [];
    for (let index = start; index < END_OF_CHAIN; index = this.#miniTable[index] ?? END_OF_CHAIN) {
      if (sectors.length > this.#miniTable.length) throw damaged();
      sectors.push(this.#miniStream.subarray(index * miniBytes, (index + 1) * miniBytes));
    }
    return Buffer.concat(sectors);
  }

  #readEntries(directory: Buffer): Entry[] {
    const entries: Entry[] = [];
    for (let at = 0; at + ENTRY_BYTES <= directory.length && entries.length < MAX_ENTRIES; at += ENTRY_BYTES) {
      const nameBytes = Math.min(Math.max(directory.readUInt16LE(at + 64) - 2, 0), 62);
      entries.push({
        name: directory.toString('utf16le', at, at + nameBytes),
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

/** The entries of one storage: a binary tree, which a hostile file may close to a ring. */
function siblings(entries: readonly Entry[], first: number): Entry[] {
  const found = new Set<Entry>();
  const open = [first];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const entry = index === NO_ENTRY ? undefined : entries[index];
    if (entry === undefined || found.has(entry)) continue;
    found.add(entry);
    open.push(entry.left, entry.right);
  }
  return [...found];
}

function words(bytes: Buffer): Uint32Array {
  return Uint32Array.from({ length: bytes.length >> 2 }, (_, index) => bytes.readUInt32LE(index * 4));
}

function damaged(): QuarryError {
  return new QuarryError('corrupt_input', 'The document is damaged: save it again, best as .docx, and send that.');
}
