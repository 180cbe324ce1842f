/**
 * Threat: a zip whose contents differ from its directory. yauzl requires and checks the central directory, so a
 * truncated file is refused instead of being read in part. Inflated bytes are counted during inflation, because the
 * declared size is untrusted; only requested parts are inflated.
 */
import { constants, crc32, inflateRawSync } from 'node:zlib';
import yauzl from 'yauzl';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { counted, MIB } from '../../src-server/platform/units.ts';

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
  /** Null if the file has no such part. */
  read(name: string): Buffer | null;
}

export function damaged(cause: unknown): QuarryError {
  return new QuarryError('corrupt_input', 'The document is damaged. Open and save it again, then send the new file.', {
    cause,
  });
}

export function tooComplex(cause: string): QuarryError {
  return new QuarryError('source_too_large', 'The document is too large when unpacked. Split it into parts.', {
    cause,
  });
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

async function readPackage(bytes: Buffer): Promise<OfficePackage> {
  const contents = new Map<yauzl.Entry, Buffer>();
  const entries = await listEntries(bytes);
  let inflatedBytes = 0;
  return {
    has: (name) => entries.has(name.toLowerCase()),
    entries: () =>
      entries.values().map(({ fileName, uncompressedSize }) => ({ name: fileName, sizeBytes: uncompressedSize })),
    read(name) {
      const entry = entries.get(name.toLowerCase());
      if (entry === undefined) return null;
      const known = contents.get(entry);
      if (known !== undefined) return known;
      const content = inflate(bytes, entry, MAX_INFLATED_BYTES - inflatedBytes);
      inflatedBytes += content.length;
      contents.set(entry, content);
      return content;
    },
  };
}

function listEntries(bytes: Buffer): Promise<Map<string, yauzl.Entry>> {
  return new Promise((resolve, reject) => {
    yauzl.fromBuffer(bytes, { lazyEntries: true, validateEntrySizes: true }, (error, zip) => {
      if (error !== null) {
        reject(damaged(error));
        return;
      }
      if (zip.entryCount > MAX_ENTRIES) {
        reject(tooComplex(counted(zip.entryCount, 'entry', 'entries')));
        return;
      }
      const entries = new Map<string, yauzl.Entry>();
      zip.on('error', (cause) => reject(damaged(cause)));
      zip.on('entry', (entry) => {
        const name = entry.fileName.toLowerCase();
        if (!entries.has(name)) entries.set(name, entry);
        zip.readEntry();
      });
      zip.on('end', () => resolve(entries));
      zip.readEntry();
    });
  });
}

function inflate(bytes: Buffer, entry: yauzl.Entry, maxBytes: number): Buffer {
  if (entry.isEncrypted()) throw new QuarryError('encrypted_input', 'Remove the password from the document first.');
  const at = entry.relativeOffsetOfLocalHeader;
  if (at + LOCAL_HEADER_BYTES > bytes.length || bytes.readUInt32LE(at) !== LOCAL_HEADER_SIGNATURE) {
    throw damaged('no local header');
  }
  const start = at + LOCAL_HEADER_BYTES + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  const packed = bytes.subarray(start, start + entry.compressedSize);
  if (packed.length !== entry.compressedSize) throw damaged('entry beyond the end of the file');
  const content = unpack(packed, entry, maxBytes);
  if (crc32(content) !== entry.crc32) throw damaged('wrong checksum');
  return content;
}

/**
 * Inflates into one buffer of the declared size: small pieces of a part of hundreds of megabytes number tens of
 * thousands, which the allocator does not return. A part larger than declared is inflated again in large pieces.
 */
function unpack(
  packed: Buffer,
  { compressionMethod: method, uncompressedSize }: yauzl.Entry,
  maxBytes: number,
): Buffer {
  if (method !== STORED && method !== DEFLATED) throw damaged(`compression method ${method}`);
  if (uncompressedSize > maxBytes) throw tooComplex('inflated bytes');
  if (method === STORED) return packed;
  const content = inflated(packed, uncompressedSize + 1, uncompressedSize);
  if (content !== null) return content;
  const whole = inflated(packed, UNSTATED_PIECE_BYTES, maxBytes);
  if (whole === null) throw tooComplex('inflated bytes');
  return whole;
}

/** Null if the output exceeds `maxBytes`. */
function inflated(packed: Buffer, pieceBytes: number, maxBytes: number): Buffer | null {
  try {
    const chunkSize = Math.max(constants.Z_MIN_CHUNK, pieceBytes);
    return inflateRawSync(packed, { chunkSize, maxOutputLength: Math.max(1, maxBytes) });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw damaged(cause);
  }
}
