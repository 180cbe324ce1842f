/**
 * Threat: a zip whose contents differ from its directory. yauzl requires and checks the central directory, so a
 * truncated file is refused instead of being read in part. Zip bomb: inflated bytes are counted during inflation,
 * because the declared size is untrusted; only requested parts are inflated.
 */

import { isUtf8 } from 'node:buffer';
import { constants, crc32, inflateRawSync } from 'node:zlib';
import yauzl from 'yauzl';
import { QuarryError, systemCodeOf } from '../../src-server/platform/errors.ts';
import { decodeText } from '../../src-server/platform/text/decode-text.ts';
import { byteOrderMark } from '../../src-server/platform/text/encoding.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { countText, MIB } from '../../src-server/platform/units.ts';

const MAX_ENTRIES = 5000;
const MAX_INFLATED_BYTES = 200 * MIB;
/** Piece size for an entry that exceeds its declared size. */
const UNSTATED_PIECE_BYTES = 4 * MIB;
const LOCAL_HEADER_BYTES = 30;
const LOCAL_HEADER_SIGNATURE = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;

/** The parts of an office file, by case-insensitive name, as the format's own readers do. */
export interface OfficePackage {
  has(name: string): boolean;
  /** Names and declared sizes, in the order of the directory. */
  entries(): Iterable<{ name: string; sizeBytes: number }>;
  /** Null if the file has no such part, or one that cannot be unpacked, which `damages` tells. */
  read(name: string): Buffer | null;
  /** A part without which the file says nothing. Errors: `corrupt_input` if it is damaged. */
  readMain(name: string): Buffer | null;
  /** The parts that are found to be damaged so far; main ones are none of them. */
  damages(): Iterable<DamagedPart>;
}

/** A part that is not read, or not to its end. */
export interface DamagedPart {
  name: string;
  /** What follows the last piece that was read; null if nothing was read. */
  rest: string | null;
  /** Whether it is read, in another encoding than it states. */
  isMisread?: true;
  /** Whether a part before it has its name, and is read in its place. */
  isRepeated?: true;
}

/** A file of an archive. */
export interface ArchiveEntry {
  /** As stated; several may have the same. */
  name: string;
  /** As stated. */
  sizeBytes: number;
  /** Errors: `corrupt_input`, `encrypted_input`, `source_too_large`. */
  read(): Buffer;
}

/** `part` names the part of a package that is damaged. */
export function damagedPackageError(cause: unknown, part?: string): QuarryError {
  const message =
    part === undefined
      ? say`The document is damaged. Open and save it again, then send the new file.`
      : say`The document is damaged in ${part}. Open and save it again, then send the new file.`;
  return new QuarryError('corrupt_input', message, { cause });
}

export function tooComplex(cause: string): QuarryError {
  return new QuarryError('source_too_large', say`The document is too large when unpacked. Split it into parts.`, {
    cause,
  });
}

export function tooDeep(): QuarryError {
  return new QuarryError(
    'source_too_large',
    say`The document nests too deeply. Simplify its structure, save it and send the new file.`,
  );
}

/** Refuses a file of which nothing could be read because a part is damaged. Errors: `corrupt_input`. */
export function refuseDamaged(file: OfficePackage): void {
  for (const { name } of file.damages()) throw damagedPackageError('nothing else was read', name);
}

/** Open packages by their bytes: the account of a source reads the same parts as its parser. */
const opened = new WeakMap<Buffer, Promise<OfficePackage>>();

/** Errors: `corrupt_input` for a damaged zip, `source_too_large` for one past the limits. */
export function openPackage(bytes: Buffer): Promise<OfficePackage> {
  const known = opened.get(bytes);
  if (known !== undefined) return known;
  const file = readPackage(bytes);
  opened.set(bytes, file);
  return file;
}

/**
 * All files of an archive, in the order of its directory. Errors: `corrupt_input` for a damaged one, `source_too_large`
 * for one past the limits.
 */
export async function listArchive(bytes: Buffer): Promise<ArchiveEntry[]> {
  let inflatedBytes = 0;
  return (await zipEntries(bytes)).map(({ fileName, uncompressedSize, unpack }) => ({
    name: fileName,
    sizeBytes: uncompressedSize,
    read() {
      const content = unpack(MAX_INFLATED_BYTES - inflatedBytes);
      inflatedBytes += content.length;
      return content;
    },
  }));
}

/** The parts that packages have given out, so that a walk of one can tell where it is damaged. */
const origins = new WeakMap<Buffer, PartOrigin>();

export interface PartOrigin {
  name: string;
  /** Whether the file says nothing without it. */
  isMain: boolean;
  /** From now on the part ends before `rest`. */
  cut(kept: string, rest: string): void;
  /** The part is not in the encoding that it states. */
  misread(): void;
}

/** Where the bytes of a part are from; undefined for bytes that are no part. */
export function originOfPart(bytes: Buffer): PartOrigin | undefined {
  return origins.get(bytes);
}

/** The damaged parts of the package with these bytes; none if they are no package. */
export async function damagesOf(bytes: Buffer): Promise<DamagedPart[]> {
  return [...((await opened.get(bytes))?.damages() ?? [])];
}

/** A part before it is unpacked. */
interface Entry {
  fileName: string;
  /** As stated. */
  uncompressedSize: number;
  unpack(maxBytes: number): Buffer;
}

async function readPackage(bytes: Buffer): Promise<OfficePackage> {
  const contents = new Map<Entry, Buffer>();
  const damages = new Map<Entry, DamagedPart>();
  const isZip = bytes.toString('latin1', 0, 2) === 'PK';
  const entries = new Map<string, Entry>();
  for (const entry of (isZip ? null : flatEntries(bytes)) ?? (await zipEntries(bytes))) {
    const name = entry.fileName.toLowerCase();
    if (!entries.has(name)) entries.set(name, entry);
    else if (!name.endsWith('/')) damages.set(entry, { name: entry.fileName, rest: null, isRepeated: true });
  }
  let inflatedBytes = 0;
  const entryContent = (entry: Entry, isMain: boolean) => {
    const known = contents.get(entry);
    if (known !== undefined) return known;
    const content = entry.unpack(MAX_INFLATED_BYTES - inflatedBytes);
    inflatedBytes += content.length;
    contents.set(entry, content);
    const name = entry.fileName;
    const cutDamagedPart = (kept: string, rest: string) => {
      contents.set(entry, Buffer.from(kept));
      damages.set(entry, { name, rest });
    };
    const markMisreadPart = () => void damages.set(entry, { name, rest: '', isMisread: true });
    origins.set(content, { name, isMain, cut: cutDamagedPart, misread: markMisreadPart });
    return content;
  };
  return {
    has: (name) => entries.has(name.toLowerCase()),
    entries: () =>
      entries.values().map(({ fileName, uncompressedSize }) => ({ name: fileName, sizeBytes: uncompressedSize })),
    read(name) {
      const entry = entries.get(name.toLowerCase());
      if (entry === undefined || damages.get(entry)?.rest === null) return null;
      try {
        return entryContent(entry, false);
      } catch (error) {
        if (!(error instanceof QuarryError) || error.code !== 'corrupt_input') throw error;
        damages.set(entry, { name: entry.fileName, rest: null });
        return null;
      }
    },
    readMain(name) {
      const entry = entries.get(name.toLowerCase());
      return entry === undefined ? null : entryContent(entry, true);
    },
    damages: () => damages.values(),
  };
}

/** The parts of a package in one XML file ("flat OPC"), as Word saves it; null for another file. */
function flatEntries(bytes: Buffer): Entry[] | null {
  const text = new TextDecoder(byteOrderMark(bytes)?.encoding ?? 'utf-8').decode(bytes);
  if (!/^\s*(?:<\?[^>]*>\s*)*<pkg:package[\s>]/.test(text.slice(0, FLAT_START_CHARS))) return null;
  const entries: Entry[] = [];
  const pieces = text.split('<pkg:part').slice(1);
  if (pieces.length > MAX_ENTRIES) throw tooComplex(countText(pieces.length, 'part'));
  for (const piece of pieces) {
    const [, name] = /\spkg:name\s*=\s*["']\/?([^"']{1,500})["']/.exec(piece.slice(0, FLAT_START_CHARS)) ?? [];
    const content = /<pkg:(xmlData|binaryData)\b[^>]*>/.exec(piece);
    if (name === undefined || content === null) continue;
    const end = piece.lastIndexOf(`</pkg:${content[1]}>`);
    const data = piece.slice(content.index + content[0].length, end === -1 ? undefined : end);
    const part = content[1] === 'xmlData' ? Buffer.from(data.trim()) : Buffer.from(data, 'base64');
    entries.push({ fileName: name, uncompressedSize: part.length, unpack: () => part });
  }
  return entries;
}

/** Of a flat package, where its root and the names of its parts are. */
const FLAT_START_CHARS = 4096;

function zipEntries(bytes: Buffer): Promise<Entry[]> {
  // Names are decoded together, once all are known.
  const options = { lazyEntries: true, validateEntrySizes: true, decodeStrings: false };
  return new Promise((resolve, reject) => {
    yauzl.fromBuffer(withStatedComment(bytes), options, (error, zip) => {
      if (error !== null) {
        reject(damagedPackageError(error));
        return;
      }
      if (zip.entryCount > MAX_ENTRIES) {
        reject(tooComplex(countText(zip.entryCount, 'entry', 'entries')));
        return;
      }
      const entries: yauzl.Entry[] = [];
      zip.on('error', (cause) => reject(damagedPackageError(cause)));
      zip.on('entry', (entry) => {
        entries.push(entry);
        zip.readEntry();
      });
      zip.on('end', () => {
        try {
          resolve(namedEntries(bytes, entries));
        } catch (cause) {
          reject(cause);
        }
      });
      zip.readEntry();
    });
  });
}

/** Flag of an entry whose name is in UTF-8. */
const UTF8_NAME = 0x800;
/** Extra field with the name in UTF-8. */
const UNICODE_PATH = 0x7075;

/** Errors: `corrupt_input` for a name that leads out of the archive. */
function namedEntries(bytes: Buffer, entries: readonly yauzl.Entry[]): Entry[] {
  const unmarked = entries.filter((entry) => isNameUnmarked(entry) && !isUtf8(entry.fileNameRaw));
  // Programs write such names in the code page of their system, one for all: together they tell which.
  const lines = unmarked.flatMap(({ fileNameRaw }) => [fileNameRaw, LINE_END]);
  const names = lines.length === 0 ? [] : decodeNames(Buffer.concat(lines)).split('\n');
  const unmarkedNames = new Map(unmarked.map((entry, at) => [entry, names[at]?.replaceAll('\\', '/')]));
  return entries.map((entry) => {
    const { generalPurposeBitFlag, fileNameRaw, extraFields, uncompressedSize } = entry;
    const flags = isNameUnmarked(entry) ? UTF8_NAME : generalPurposeBitFlag;
    entry.fileName = unmarkedNames.get(entry) ?? yauzl.getFileNameLowLevel(flags, fileNameRaw, extraFields, false);
    const problem = yauzl.validateFileName(entry.fileName);
    if (problem !== null) throw damagedPackageError(problem);
    const unpack = (maxBytes: number) => inflateZipEntry(bytes, entry, maxBytes);
    return { fileName: entry.fileName, uncompressedSize, unpack };
  });
}

function decodeNames(bytes: Buffer): string {
  const { text, isCertain } = decodeText(bytes);
  if (isCertain || !/[^\p{ASCII}]\\/u.test(text)) return text;
  // The second byte of a Japanese character may be that of the backslash.
  return decodeText(bytes, { language: 'ja' }).text;
}

const LINE_END = Buffer.from('\n');

function isNameUnmarked({ generalPurposeBitFlag, fileNameRaw, extraFields }: yauzl.Entry): boolean {
  if ((generalPurposeBitFlag & UTF8_NAME) !== 0 || extraFields.some(({ id }) => id === UNICODE_PATH)) return false;
  return fileNameRaw.some((byte) => byte > 0x7f) && !fileNameRaw.includes(LINE_END);
}

const END_SIGNATURE = Buffer.from('PK\x05\x06', 'latin1');

const END_BYTES = 22;

const MAX_COMMENT_BYTES = 0xffff;

/** A zip whose comment is longer or shorter than stated, which Office opens, ends with its directory here. */
function withStatedComment(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(END_SIGNATURE);
  if (end === -1 || end + END_BYTES > bytes.length || bytes.length - end - END_BYTES > MAX_COMMENT_BYTES) return bytes;
  if (bytes.readUInt16LE(end + END_BYTES - 2) === bytes.length - end - END_BYTES) return bytes;
  const kept = Buffer.from(bytes.subarray(0, end + END_BYTES));
  kept.writeUInt16LE(0, end + END_BYTES - 2);
  return kept;
}

function inflateZipEntry(bytes: Buffer, entry: yauzl.Entry, maxBytes: number): Buffer {
  if (entry.isEncrypted()) throw new QuarryError('encrypted_input', say`Remove the password from the document first.`);
  const at = entry.relativeOffsetOfLocalHeader;
  if (at + LOCAL_HEADER_BYTES > bytes.length || bytes.readUInt32LE(at) !== LOCAL_HEADER_SIGNATURE) {
    throw damagedPackageError('no local header', entry.fileName);
  }
  const start = at + LOCAL_HEADER_BYTES + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  const packed = bytes.subarray(start, start + entry.compressedSize);
  if (packed.length !== entry.compressedSize)
    throw damagedPackageError('entry beyond the end of the file', entry.fileName);
  const content = unpackZipEntry(packed, entry, maxBytes);
  if (crc32(content) !== entry.crc32) throw damagedPackageError('wrong checksum', entry.fileName);
  return content;
}

/**
 * Inflates into one buffer of the declared size: small pieces of a part of hundreds of megabytes number tens of
 * thousands, which the allocator does not return. A part larger than declared is inflated again in large pieces.
 */
function unpackZipEntry(
  packed: Buffer,
  { compressionMethod: method, uncompressedSize, fileName }: yauzl.Entry,
  maxBytes: number,
): Buffer {
  if (method !== STORED && method !== DEFLATED) throw damagedPackageError(`compression method ${method}`, fileName);
  if (uncompressedSize > maxBytes) throw tooComplex('inflated bytes');
  if (method === STORED) return packed;
  const content = inflateWithinLimit(packed, {
    pieceBytes: uncompressedSize + 1,
    maxBytes: uncompressedSize,
    fileName,
  });
  if (content !== null) return content;
  const whole = inflateWithinLimit(packed, { pieceBytes: UNSTATED_PIECE_BYTES, maxBytes, fileName });
  if (whole === null) throw tooComplex('inflated bytes');
  return whole;
}

/** Null if the output exceeds `maxBytes`. */
function inflateWithinLimit(
  packed: Buffer,
  { pieceBytes, maxBytes, fileName }: { pieceBytes: number; maxBytes: number; fileName: string },
): Buffer | null {
  try {
    const chunkSize = Math.max(constants.Z_MIN_CHUNK, pieceBytes);
    return inflateRawSync(packed, { chunkSize, maxOutputLength: Math.max(1, maxBytes) });
  } catch (cause) {
    if (systemCodeOf(cause) === 'ERR_BUFFER_TOO_LARGE') return null;
    throw damagedPackageError(cause, fileName);
  }
}
