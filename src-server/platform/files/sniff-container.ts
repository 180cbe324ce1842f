/**
 * Threat: containers written to mislead or to exhaust. Only names are read, from bounded windows at the file's ends;
 * nothing is unpacked except an OpenDocument `mimetype`, whose output is bounded as well. A chain of sectors that
 * loops ends at the count of sectors that may be read.
 */
import type { FileHandle } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';
import { KIB, MIB } from '../units.ts';
import type { SniffedFile } from './sniff-magic.ts';

/** A zip's end record, with the longest comment it may carry. */
const ZIP_TAIL_BYTES = 64 * KIB + 22;
const ZIP_DIRECTORY_BYTES = MIB;
const ZIP_NAMES = 5000;
const DIRECTORY_MARK = 0x02014b50;
const MIMETYPE_BYTES = 256;
/** Its local header and name, the extra field it may have, and itself. */
const MIMETYPE_ENTRY_BYTES = 38 + KIB + MIMETYPE_BYTES;
const OLE_SECTORS = 256;
const OLE_END = 0xfffffffa;
const OLE_ENTRY_BYTES = 128;
/** Streams below this size live in the mini stream, which is not looked into. */
const OLE_MINI_BYTES = 4096;

/** What a zip with such a name in it is. The first that fits decides. */
const ZIP_NAMES_KNOWN: readonly [prefix: string, file: SniffedFile][] = [
  ['word/', { kind: 'docx', label: 'a Word document' }],
  ['xl/', { kind: 'archive', label: 'an Excel workbook' }],
  ['ppt/', { kind: 'archive', label: 'a PowerPoint presentation' }],
  ['Index/Document.iwa', { kind: 'archive', label: 'an Apple iWork document' }],
  ['Index.zip', { kind: 'archive', label: 'an Apple iWork document' }],
  ['META-INF/MANIFEST.MF', { kind: 'archive', label: 'a Java archive' }],
];

const MIMETYPES_KNOWN: readonly [prefix: string, file: SniffedFile][] = [
  ['application/vnd.oasis.opendocument.text', { kind: 'odt', label: 'an OpenDocument text' }],
  ['application/vnd.oasis.opendocument.spreadsheet', { kind: 'archive', label: 'an OpenDocument spreadsheet' }],
  ['application/vnd.oasis.opendocument.presentation', { kind: 'archive', label: 'an OpenDocument presentation' }],
  ['application/vnd.oasis.opendocument', { kind: 'archive', label: 'an OpenDocument file' }],
  ['application/epub+zip', { kind: 'archive', label: 'an EPUB book' }],
];

const OLE_STREAMS_KNOWN: readonly [name: string, file: SniffedFile][] = [
  ['encryptedpackage', { kind: 'ole', label: 'a password-protected Office document' }],
  ['worddocument', { kind: 'doc', label: 'a Word 97-2003 document' }],
  ['workbook', { kind: 'ole', label: 'an Excel 97-2003 workbook' }],
  ['book', { kind: 'ole', label: 'an Excel workbook' }],
  ['powerpoint document', { kind: 'ole', label: 'a PowerPoint 97-2003 presentation' }],
  ['__properties_version1.0', { kind: 'ole', label: 'an Outlook message' }],
  ['visiodocument', { kind: 'ole', label: 'a Visio drawing' }],
];

/** Bytes of a file from a position, fewer at its end. */
export type ReadAt = (position: number, length: number) => Promise<Buffer>;

export function readFrom(file: FileHandle): ReadAt {
  return async (position, length) => {
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await file.read(buffer, 0, length, position);
    return buffer.subarray(0, bytesRead);
  };
}

/** The same of a file that is in memory as a whole. */
export function readWithin(whole: Buffer): ReadAt {
  return async (position, length) => whole.subarray(position, position + length);
}

/** What a zip holds, by the names in its directory, or, where that is cut off, by the names at its beginning. */
export async function sniffZip(readAt: ReadAt, sizeBytes: number, head: Buffer): Promise<SniffedFile> {
  const first = knownMimetype(head);
  if (first !== null) return first;
  const entries = (await directoryEntries(readAt, sizeBytes)) ?? localEntries(head);
  // Whoever packs such a document again puts its type anywhere.
  const typed = entries.find(({ name }) => name === 'mimetype');
  const later = typed === undefined ? null : knownMimetype(await readAt(typed.position, MIMETYPE_ENTRY_BYTES));
  if (later !== null) return later;
  const known = ZIP_NAMES_KNOWN.find(([prefix]) => {
    return entries.some(({ name }) => name.toLowerCase().startsWith(prefix.toLowerCase()));
  });
  return known?.[1] ?? { kind: 'archive', label: 'a zip archive' };
}

interface ZipEntry {
  name: string;
  /** Where its local header begins. */
  position: number;
}

function knownMimetype(entry: Buffer): SniffedFile | null {
  const mimetype = readMimetype(entry);
  return MIMETYPES_KNOWN.find(([prefix]) => mimetype.startsWith(prefix))?.[1] ?? null;
}

/** The content of the entry that begins here, when it is named `mimetype`, as OpenDocument and EPUB ask. */
function readMimetype(head: Buffer): string {
  if (head.length < 38 || head.toString('latin1', 30, 38) !== 'mimetype') return '';
  const start = 38 + head.readUInt16LE(28);
  const size = Math.min(head.readUInt32LE(18), MIMETYPE_BYTES);
  const data = head.subarray(start, start + (size === 0 ? MIMETYPE_BYTES : size));
  if (head.readUInt16LE(8) === 0) return data.toString('latin1');
  try {
    return inflateRawSync(data, { maxOutputLength: MIMETYPE_BYTES }).toString('latin1');
  } catch {
    // A type that cannot be unpacked names nothing; the names in the directory decide then.
    return '';
  }
}

/** Null where the end record is missing or points outside the file. */
async function directoryEntries(readAt: ReadAt, sizeBytes: number): Promise<ZipEntry[] | null> {
  const tailBytes = Math.min(sizeBytes, ZIP_TAIL_BYTES);
  const tail = await readAt(sizeBytes - tailBytes, tailBytes);
  const end = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end === -1 || end + 22 > tail.length) return null;
  const offset = tail.readUInt32LE(end + 16);
  if (offset >= sizeBytes) return null;
  const directory = await readAt(offset, Math.min(tail.readUInt32LE(end + 12), ZIP_DIRECTORY_BYTES));
  const entries: ZipEntry[] = [];
  let at = 0;
  while (entries.length < ZIP_NAMES && at + 46 <= directory.length && directory.readUInt32LE(at) === DIRECTORY_MARK) {
    const nameEnd = at + 46 + directory.readUInt16LE(at + 28);
    entries.push({ name: directory.toString('latin1', at + 46, nameEnd), position: directory.readUInt32LE(at + 42) });
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/** Names in the local headers within the head: a truncated document is still known for what it was. */
function localEntries(head: Buffer): ZipEntry[] {
  const entries: ZipEntry[] = [];
  let at = head.indexOf('PK\x03\x04', 0, 'latin1');
  while (at !== -1 && at + 30 <= head.length && entries.length < ZIP_NAMES) {
    const name = head.toString('latin1', at + 30, at + 30 + head.readUInt16LE(at + 26));
    entries.push({ name, position: at });
    at = head.indexOf('PK\x03\x04', at + 30, 'latin1');
  }
  return entries;
}

/** What an OLE file (compound file binary) holds, by the names of its streams. */
export async function sniffOle(readAt: ReadAt, head: Buffer): Promise<SniffedFile> {
  const streams = await readOleDirectory(readAt, head);
  for (const [name, found] of OLE_STREAMS_KNOWN) {
    const stream = streams.find((candidate) => candidate.name === name);
    if (stream === undefined) continue;
    if (found.kind !== 'doc' || stream.sizeBytes < OLE_MINI_BYTES) return found;
    const start = await readAt(stream.position, 2);
    const isOld = start.length === 2 && start.readUInt16LE(0) === 0xa5dc;
    return isOld ? { kind: 'old-word', label: 'a Word 6 or 95 document' } : found;
  }
  return { kind: 'ole', label: 'an OLE compound file' };
}

interface OleStream {
  name: string;
  sizeBytes: number;
  /** Where the stream begins in the file, when it is not in the mini stream. */
  position: number;
}

async function readOleDirectory(readAt: ReadAt, head: Buffer): Promise<OleStream[]> {
  if (head.length < 512) return [];
  const sectorBytes = head.readUInt16LE(30) === 12 ? 4096 : 512;
  const streams: OleStream[] = [];
  let sector = head.readUInt32LE(48);
  for (let count = 0; count < OLE_SECTORS && sector < OLE_END; count += 1) {
    const entries = await readAt((sector + 1) * sectorBytes, sectorBytes);
    for (let at = 0; at + OLE_ENTRY_BYTES <= entries.length; at += OLE_ENTRY_BYTES) {
      const nameBytes = Math.min(Math.max(entries.readUInt16LE(at + 64) - 2, 0), 62);
      streams.push({
        name: entries.toString('utf16le', at, at + nameBytes).toLowerCase(),
        position: (entries.readUInt32LE(at + 116) + 1) * sectorBytes,
        sizeBytes: entries.readUInt32LE(at + 120),
      });
    }
    sector = await nextOleSector(readAt, head, sector, sectorBytes);
  }
  return streams;
}

/** The sector after this one in its chain. Only the allocation sectors the header itself lists (109) are followed. */
async function nextOleSector(readAt: ReadAt, head: Buffer, sector: number, sectorBytes: number): Promise<number> {
  const perSector = sectorBytes / 4;
  const listed = Math.floor(sector / perSector);
  if (listed >= 109) return OLE_END;
  const tableSector = head.readUInt32LE(76 + listed * 4);
  if (tableSector >= OLE_END) return OLE_END;
  const next = await readAt((tableSector + 1) * sectorBytes + (sector % perSector) * 4, 4);
  return next.length === 4 ? next.readUInt32LE(0) : OLE_END;
}
