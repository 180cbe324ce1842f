import { isUtf8 } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { constants, inflateRawSync } from 'node:zlib';
import { byName } from '../records.ts';
import { byteOrderMark, decodeUtf16, looksBinary, unmarkedUtf16 } from '../text/encoding.ts';
import { KIB, MIB } from '../units.ts';
import { describeKind, type FileKind, kindOfName } from './kinds.ts';
import { rawSoundLabel } from './sniff-frames.ts';

// Threat: a file that claims another type. Kinds are detected from bytes. The name only decides between texts with
// similar bytes. Only bounded windows at both ends of a file are read.

const HEAD_BYTES = 64 * KIB;

/** How far into a file a PDF header may be (the limit of Adobe's readers). */
const PDF_START_BYTES = KIB;

/** XML without a declaration: a document type, a namespace, or an article of JATS. */
const XML_START =
  /^<(?:!DOCTYPE\s+(?!html\b)[\w:.-]+[\s[>]|[\w:.-]+\s[^<>]*?\b(?:xmlns(?::[\w-]+)?|article-type)\s*=)/i;

/** Tags that may start a page without a doctype. */
const HTML_START =
  /^<(?:head|title|meta|body|div|p|h[1-6]|table|ul|ol|span|section|article|main|center|font)(?:\s[^<]*)?\/?>/i;

/** TeX begins with comments and a command; other texts may speak of it, and articles in XML hold formulas in it. */
const TEX_START = /^(?:%[^\n]*(?:\n|$)|\s)*\\[a-z]/i;

/**
 * Detects the kind of the file at `path`. `label` is more specific than the kind ("a PNG image"). `fileName` is the
 * client's name for it, or null.
 *
 * @param whole the file's content, where it is still in memory; the file is not read then
 */
export async function sniffFile(path: string, fileName: string | null, whole?: Uint8Array): Promise<SniffedFile> {
  if (whole !== undefined) {
    return sniffBytes(Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength), fileName);
  }
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(HEAD_BYTES);
    const { bytesRead } = await file.read(buffer, 0, HEAD_BYTES, 0);
    if (bytesRead === 0) return labelledSniffedFile('empty');
    const head = buffer.subarray(0, bytesRead);
    // The head contains a small file completely.
    if (bytesRead < HEAD_BYTES) return await sniffBytes(head, fileName);
    return await sniffWindows(head, { fileName, readAt: readFrom(file), sizeOf: async () => (await file.stat()).size });
  } finally {
    await file.close();
  }
}

/** Like `sniffFile`, for a file in memory. */
export async function sniffBytes(bytes: Buffer, fileName: string | null): Promise<SniffedFile> {
  if (bytes.length === 0) return labelledSniffedFile('empty');
  const head = bytes.subarray(0, HEAD_BYTES);
  return sniffWindows(head, { fileName, readAt: readWithin(bytes), sizeOf: async () => bytes.length });
}

interface Windows {
  fileName: string | null;
  readAt: ReadAt;
  sizeOf(): Promise<number>;
}

async function sniffWindows(head: Buffer, { fileName, readAt, sizeOf }: Windows): Promise<SniffedFile> {
  const start = head.toString('latin1', 0, 8);
  if (start.startsWith('PK\x03\x04') || start.startsWith('PK\x05\x06')) return sniffZip(readAt, await sizeOf(), head);
  if (start === '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1') return sniffOle(readAt, head);
  return sniffHead(head, fileName);
}

function labelledSniffedFile(kind: FileKind): SniffedFile {
  return { kind, label: describeKind(kind) };
}

function sniffHead(head: Buffer, fileName: string | null): SniffedFile {
  const binary = looksBinary(head);
  // Real images, sound and archives have zero bytes in their head. A text that starts with "ID3" or "BM" has none.
  const magic = binary || head.includes(0) ? matchMagic(head) : matchForeignSignature(head);
  if (magic !== null) return magic;
  const latin = head.toString('latin1');
  if (/^(?:\xef\xbb\xbf)?\s*\{\\rtf/.test(latin)) return labelledSniffedFile('rtf');
  if (isPdf(latin)) return labelledSniffedFile('pdf');
  if (binary) return sniffOldBinary(head);
  return sniffText(head, fileName);
}

function isPdf(latin: string): boolean {
  const start = latin.slice(0, PDF_START_BYTES);
  // Further in, the header must be on its own line: a text may mention "%PDF-1.7".
  if (/^(?:\xef\xbb\xbf)?\s*%PDF-\d/.test(start)) return true;
  return /[\r\n\0]%PDF-\d\.\d[\r\n]/.test(start) && latin.includes(' obj');
}

/** Word before 97 and executables have two-byte marks, which are trusted only in binary data. */
function sniffOldBinary(head: Buffer): SniffedFile {
  const mark = head.toString('hex', 0, 2);
  const old = { dba5: 'Word 2', '9ba5': 'Word 1', dca5: 'Word 6 or 95', '99a6': 'Word 6 or 95', fe37: 'old Word' };
  const version = mark in old ? old[mark as keyof typeof old] : null;
  if (version !== null) return { kind: 'old-word', label: `a ${version} document` };
  if (mark === '31be' || mark === '32be') return { kind: 'old-word', label: 'a Microsoft Write document' };
  if (mark === '4d5a') return { kind: 'unknown', label: 'a program' };
  return labelledSniffedFile('unknown');
}

function sniffText(head: Buffer, fileName: string | null): SniffedFile {
  const text = decodeHead(head);
  const body = skipPreamble(text);
  const named = fileName === null ? null : kindOfName(fileName);
  if (/^<(?:!doctype\s+html|html)[\s>]/i.test(body)) return labelledSniffedFile('html');
  if (/^<(?:[\w-]+:)?document[\s>]/.test(body) && body.includes('opendocument')) {
    const type = /office:mimetype\s*=\s*["']([\w./+-]+)/.exec(body)?.[1] ?? '';
    return knownType(type) ?? { kind: 'unknown', label: 'a flat OpenDocument file' };
  }
  const xml = /^<(?:[\w-]+:)?(svg|wordDocument|package|Workbook)[\s>]/.exec(body)?.[1];
  if (xml === 'svg') return { kind: 'other-image', label: 'an SVG image' };
  if (xml === 'package') {
    const folder = /\spkg:name\s*=\s*["']\/(word|xl|ppt)\//.exec(body)?.[1];
    const found = ZIP_NAMES_KNOWN.find(([prefix]) => prefix === `${folder}/`);
    if (found !== undefined) return found[1];
  }
  if (xml !== undefined && body.includes('schemas.microsoft.com')) {
    return { kind: 'unknown', label: 'an Office file in flat XML' };
  }
  if (named === 'csv' || /^sep=.\r?\n/i.test(body)) return labelledSniffedFile('csv');
  const message = messageKind(body, named);
  if (message !== null) return message;
  // Markdown may start with an HTML tag, as many README files do. Other text formats do not.
  if (named === 'markdown') return labelledSniffedFile('markdown');
  const data = dataKind(text.replace(/^\ufeff/, '').trimStart(), body, named);
  if (data !== null) return labelledSniffedFile(data);
  return HTML_START.test(body) ? labelledSniffedFile('html') : labelledSniffedFile('text');
}

/**
 * A mail, or a web archive (MHTML): browsers save it, and some programs export it as a Word document. A mail has
 * travelled or is addressed.
 */
function messageKind(from: string, named: FileKind | null): SniffedFile | null {
  // The first line of a mailbox, which exported mails may keep.
  const text = from.replace(/^>?From \S[^\r\n]*\r?\n(?=[\w-]+:)/, '');
  const isMailbox = text.length < from.length;
  if (!/^[\w-]+:/.test(text)) return null;
  const end = text.search(/\r?\n\r?\n/);
  const head = end === -1 ? text : text.slice(0, end);
  const hasMailHeader = (names: string) => new RegExp(`^(?:${names}):`, 'im').test(head);
  const isTyped = hasMailHeader('MIME-Version') && /^Content-Type:\s*multipart\/related/im.test(head);
  if (isTyped && !hasMailHeader('To|Received|Return-Path|Delivered-To'))
    return { kind: 'html', label: 'a web archive (MHTML)' };
  const isMail = hasMailHeader('From|Received|Return-Path') && hasMailHeader('Date|Message-ID|Received|MIME-Version');
  const isNamed = named === 'eml' && hasMailHeader('From|To|Subject|Date');
  if (isMailbox && (isMail || hasMailHeader('From|Subject|Date'))) return { kind: 'eml', label: 'a mailbox (mbox)' };
  return isMail || isNamed ? labelledSniffedFile('eml') : null;
}

/** The name decides only where the text could be read as another kind too. */
function dataKind(text: string, body: string, named: FileKind | null): FileKind | null {
  if (/^BEGIN:(?:VCALENDAR|VCARD)[ \t]*\r?\n/i.test(text)) return 'calendar';
  if (named === 'light-markup') return 'light-markup';
  if (/^WEBVTT(?:\s|$)/.test(text)) return 'vtt';
  // HLS, and DASH.
  if (/^#EXTM3U(?:\s|$)/.test(text) || /^<(?:[\w-]+:)?MPD[\s>]/.test(body)) return 'playlist';
  if (/^\d{1,6}[ \t]*\r?\n[ \t]*\d{1,3}:\d{1,2}:\d{1,2}[.,]\d{1,3}[ \t]*-->/.test(text)) return 'srt';
  if (/^\{\s*(?:"|\})/.test(text) || /^\[\s*(?:[[{"\]]|-?\d)/.test(text)) return jsonKind(text, named);
  if (TEX_START.test(text) && /\\documentclass\b|\\begin\{document\}/.test(text)) return 'tex';
  if (named === 'tex' && /\\[a-z]+/i.test(text)) return 'tex';
  const isNamed = named === 'xml' && !HTML_START.test(body);
  const isXml = text.startsWith('<?xml') || isNamed || XML_START.test(body);
  return isXml && /^<(?:!DOCTYPE\s|[\w:-])/.test(body) ? 'xml' : null;
}

/** A list in brackets may begin a text, and so does a link in Markdown: without a name only records are JSON. */
function jsonKind(text: string, named: FileKind | null): FileKind | null {
  if (named === 'ipynb' || (/"cells"\s*:/.test(text) && /"cell_type"\s*:/.test(text))) return 'ipynb';
  const isRecord = /^(?:\[\s*)?\{\s*"(?:[^"\\\n]|\\.){0,200}"\s*:/.test(text);
  return isRecord || named === 'json' ? 'json' : null;
}

function decodeHead(head: Buffer): string {
  const mark = byteOrderMark(head);
  const encoding = mark?.encoding ?? unmarkedUtf16(head) ?? 'utf-8';
  return new TextDecoder(encoding).decode(head);
}

/** Skips the white space, XML declaration and comments before the first tag. */
function skipPreamble(text: string): string {
  let rest = text.trimStart();
  for (;;) {
    const end = rest.startsWith('<!--') ? '-->' : rest.startsWith('<?') ? '?>' : null;
    const at = end === null ? -1 : rest.indexOf(end);
    if (end === null || at === -1) return rest;
    rest = rest.slice(at + end.length).trimStart();
  }
}

/** The detected kind, and a label with its article for sentences (`a PNG image`). */
export interface SniffedFile {
  kind: FileKind;
  label: string;
}

interface Signature {
  kind: FileKind;
  label: string;
  /** Bytes at `offset`, as Latin-1 characters. */
  bytes: string;
  offset?: number;
}

/** Signatures long enough to be trusted alone. The first match decides. */
const SIGNATURES: readonly Signature[] = [
  { kind: 'image', label: 'a PNG image', bytes: '\x89PNG\r\n\x1a\n' },
  { kind: 'image', label: 'a JPEG image', bytes: '\xff\xd8\xff' },
  { kind: 'image', label: 'a GIF image', bytes: 'GIF87a' },
  { kind: 'image', label: 'a GIF image', bytes: 'GIF89a' },
  { kind: 'image', label: 'a TIFF image', bytes: 'II*\0' },
  { kind: 'image', label: 'a TIFF image', bytes: 'MM\0*' },
  { kind: 'other-image', label: 'a Photoshop image', bytes: '8BPS\0' },
  { kind: 'other-image', label: 'a JPEG XL image', bytes: '\0\0\0\x0cJXL ' },
  { kind: 'image', label: 'a JPEG 2000 image', bytes: '\0\0\0\x0cjP  ' },
  { kind: 'video', label: 'a Flash video', bytes: 'FLV\x01' },
  { kind: 'video', label: 'a Windows Media file', bytes: '\x30\x26\xb2\x75\x8e\x66\xcf\x11' },
  { kind: 'video', label: 'an MPEG video', bytes: '\0\0\x01\xba' },
  { kind: 'video', label: 'an MPEG video', bytes: '\0\0\x01\xb3' },
  { kind: 'audio', label: 'an MP3 audio file', bytes: 'ID3' },
  { kind: 'audio', label: 'a FLAC audio file', bytes: 'fLaC' },
  { kind: 'audio', label: 'a WavPack audio file', bytes: 'wvpk' },
  { kind: 'audio', label: 'an AMR audio file', bytes: '#!AMR' },
  { kind: 'audio', label: 'a MIDI file', bytes: 'MThd\0\0' },
  { kind: 'audio', label: 'a Core Audio file', bytes: 'caff\0' },
  { kind: 'audio', label: 'a Sun audio file', bytes: '.snd\0' },
  { kind: 'audio', label: 'a Wave64 audio file', bytes: 'riff\x2e\x91\xcf\x11' },
  { kind: 'audio', label: 'a Creative Voice file', bytes: 'Creative Voice File\x1a' },
  { kind: 'audio', label: 'a True Audio file', bytes: 'TTA1\x01\0' },
  { kind: 'audio', label: 'a True Audio file', bytes: 'TTA2\x01\0' },
  { kind: 'audio', label: 'a DTS audio file', bytes: 'DTSHDHDR' },
  { kind: 'audio', label: 'a RealAudio file', bytes: '.ra\xfd' },
  { kind: 'video', label: 'a RealMedia file', bytes: '.RMF\0' },
  { kind: 'video', label: 'an MXF video', bytes: '\x06\x0e\x2b\x34\x02\x05\x01\x01\x0d\x01\x02' },
  { kind: 'video', label: 'a DV video', bytes: '\x1f\x07\0\x3f' },
  { kind: 'video', label: 'a DV video', bytes: '\x1f\x07\0\xbf' },
  { kind: 'video', label: 'a NUT video', bytes: 'nut/multimedia container\0' },
  { kind: 'archive', label: 'a 7-Zip archive', bytes: '7z\xbc\xaf\x27\x1c' },
  { kind: 'archive', label: 'a RAR archive', bytes: 'Rar!\x1a\x07' },
  { kind: 'archive', label: 'a gzip archive', bytes: '\x1f\x8b\x08' },
  { kind: 'archive', label: 'an XZ archive', bytes: '\xfd7zXZ\0' },
  { kind: 'archive', label: 'a Zstandard archive', bytes: '\x28\xb5\x2f\xfd' },
  { kind: 'archive', label: 'a bzip2 archive', bytes: '1AY&SY', offset: 4 },
  { kind: 'archive', label: 'a tar archive', bytes: 'ustar', offset: 257 },
  { kind: 'unknown', label: 'a program', bytes: '\x7fELF' },
  { kind: 'unknown', label: 'a database', bytes: 'SQLite format 3\0' },
  { kind: 'unknown', label: 'a WordPerfect document', bytes: '\xffWPC' },
  { kind: 'unknown', label: 'a OneNote section', bytes: '\xe4R\\{\x8c\xd8\xa7M\xae\xb1Sx\xd0)\x96\xd3' },
  { kind: 'tnef', label: 'an Outlook container (winmail.dat)', bytes: 'x\x9f>"' },
  { kind: 'unknown', label: 'an Outlook mailbox (.pst)', bytes: '!BDN' },
  { kind: 'unknown', label: 'an Access database', bytes: '\0\x01\0\0Standard ' },
  { kind: 'unknown', label: 'a DjVu document', bytes: 'AT&TFORM' },
  { kind: 'unknown', label: 'a Kindle book', bytes: 'BOOKMOBI', offset: 60 },
  { kind: 'unknown', label: 'a Windows help file', bytes: 'ITSF' },
  { kind: 'unknown', label: 'a font', bytes: 'wOF2' },
  { kind: 'unknown', label: 'a font', bytes: 'OTTO\0' },
];

const SIGNATURE_BYTES_MAX = 16;

/** Signatures that no text starts with. `BM` or `ID3` may start a sentence. */
const FOREIGN_SIGNATURES = SIGNATURES.filter(
  ({ bytes, offset }) => offset === undefined && !isUtf8(Buffer.from(bytes, 'latin1')),
);

/** RIFF and IFF name their content in the third word. */
const RIFF_FORMS: Readonly<Record<string, SniffedFile>> = byName({
  WEBP: { kind: 'image', label: 'a WebP image' },
  WAVE: { kind: 'audio', label: 'a WAV audio file' },
  'AVI ': { kind: 'video', label: 'an AVI video' },
  AIFF: { kind: 'audio', label: 'an AIFF audio file' },
  AIFC: { kind: 'audio', label: 'an AIFF audio file' },
});

const HEIF_BRANDS = new Set(['heic', 'heix', 'heim', 'heis', 'mif1', 'msf1']);

const AVIF_BRANDS = new Set(['avif', 'avis']);

const AUDIO_BRANDS = new Set(['M4A ', 'M4B ', 'M4P ', 'F4A ', 'F4B ']);

/** First atoms of QuickTime files from before the brand atom. */
const QUICKTIME_ATOMS = new Set(['moov', 'mdat', 'wide', 'pnot', 'skip', 'free']);

const BITMAP_HEADER_SIZES = new Set([12, 40, 52, 56, 64, 108, 124]);

const TRANSPORT_SYNC = 0x47;

/** Transport packets have 188 bytes, or 192 with a leading timestamp. */
const TRANSPORT_PACKETS: readonly [start: number, step: number][] = [
  [0, 188],
  [4, 192],
];

const TRANSPORT_PACKETS_SEEN = 4;

/**
 * Detects images, sound, video and archives by their first bytes; null without a match. Zip and OLE are handled
 * elsewhere.
 */
function matchMagic(head: Buffer): SniffedFile | null {
  const text = head.subarray(0, 512).toString('latin1');
  const signature = SIGNATURES.find(({ bytes, offset }) => text.startsWith(bytes, offset ?? 0));
  if (signature !== undefined) return { kind: signature.kind, label: signature.label };
  const raw = rawSoundLabel(head);
  return (
    matchRiff(text) ??
    matchAtoms(text) ??
    matchStreams(head, text) ??
    matchBitmap(head) ??
    matchAudioFrames(head) ??
    (raw === null ? null : { kind: 'audio', label: raw })
  );
}

/** Detects by signature alone, for a file too short for the binary check. */
function matchForeignSignature(head: Buffer): SniffedFile | null {
  const text = head.toString('latin1', 0, SIGNATURE_BYTES_MAX);
  const signature = FOREIGN_SIGNATURES.find(({ bytes }) => text.startsWith(bytes));
  return signature === undefined ? null : { kind: signature.kind, label: signature.label };
}

function matchRiff(text: string): SniffedFile | null {
  const chunk = text.slice(0, 4);
  if (chunk !== 'RIFF' && chunk !== 'RF64' && chunk !== 'FORM') return null;
  return RIFF_FORMS[text.slice(8, 12)] ?? null;
}

function matchAtoms(text: string): SniffedFile | null {
  const atom = text.slice(4, 8);
  if (atom === 'ftyp') {
    const brand = text.slice(8, 12);
    if (AVIF_BRANDS.has(brand)) return { kind: 'other-image', label: 'an AVIF image' };
    if (HEIF_BRANDS.has(brand)) return { kind: 'image', label: 'a HEIC image' };
    if (AUDIO_BRANDS.has(brand)) return { kind: 'audio', label: 'an MPEG-4 audio file' };
    return { kind: 'video', label: brand === 'qt  ' ? 'a QuickTime video' : 'an MP4 video' };
  }
  // A size before the atom's name excludes text with "free" at its fifth letter.
  const sized = text.charCodeAt(0) < 0x20;
  return sized && QUICKTIME_ATOMS.has(atom) ? { kind: 'video', label: 'a QuickTime video' } : null;
}

function matchStreams(head: Buffer, text: string): SniffedFile | null {
  if (text.startsWith('\x1aE\xdf\xa3')) {
    return { kind: 'video', label: text.includes('webm') ? 'a WebM video' : 'a Matroska video' };
  }
  if (text.startsWith('OggS')) {
    const video = text.includes('theora') || text.includes('\x01video');
    return video ? { kind: 'video', label: 'an Ogg video' } : { kind: 'audio', label: 'an Ogg audio file' };
  }
  return TRANSPORT_PACKETS.some((packets) => isTransportStream(head, ...packets))
    ? { kind: 'video', label: 'an MPEG transport stream' }
    : null;
}

function isTransportStream(head: Buffer, start: number, step: number): boolean {
  for (let packet = 0; packet < TRANSPORT_PACKETS_SEEN; packet += 1) {
    if (head[start + packet * step] !== TRANSPORT_SYNC) return false;
  }
  return true;
}

function matchBitmap(head: Buffer): SniffedFile | null {
  if (head.length < 18 || head.toString('latin1', 0, 2) !== 'BM' || head.readUInt32LE(6) !== 0) return null;
  return BITMAP_HEADER_SIZES.has(head.readUInt32LE(14)) ? { kind: 'image', label: 'a BMP image' } : null;
}

/** MP3 and AAC streams start with a frame. Every field of its header must be valid. */
function matchAudioFrames(head: Buffer): SniffedFile | null {
  const [sync = 0, flags = 0, rates = 0] = head;
  if (sync !== 0xff || head.length < 8) return null;
  if ((flags & 0xf6) === 0xf0 && ((rates >> 2) & 0x0f) < 13) return { kind: 'audio', label: 'an AAC audio file' };
  const version = (flags >> 3) & 3;
  const layer = (flags >> 1) & 3;
  const possible = (flags & 0xe0) === 0xe0 && version !== 1 && (layer === 1 || layer === 2);
  const rated = rates >> 4 !== 15 && rates >> 4 !== 0 && ((rates >> 2) & 3) !== 3;
  return possible && rated ? { kind: 'audio', label: 'an MP3 audio file' } : null;
}

// Threat: containers made to mislead or to exhaust. Only names are read, from bounded windows at both ends. Only an
// OpenDocument `mimetype` is decompressed, with bounded output. A cyclic sector chain ends at the sector limit.

/** A zip's end record with the longest possible comment. */
const ZIP_TAIL_BYTES = 64 * KIB + 22;

const ZIP_DIRECTORY_BYTES = MIB;

const ZIP_NAMES = 5000;

const DIRECTORY_MARK = 0x02014b50;

const MIMETYPE_BYTES = 256;

/** Local header, name, optional extra field, and the content of the entry. */
const MIMETYPE_ENTRY_BYTES = 38 + KIB + MIMETYPE_BYTES;

/** Of the manifest of an OpenDocument file, whose first line is of the file itself. */
const MANIFEST_BYTES = 16 * KIB;

const OLE_SECTORS = 256;

const OLE_END = 0xfffffffa;

const OLE_ENTRY_BYTES = 128;

/** Type of the root storage. */
const OLE_ROOT = 5;

/** Streams below this size are in the mini stream, which is not read. */
const OLE_MINI_BYTES = 4096;

/** Kinds of zip files by a name they contain. The first match decides. */
const ZIP_NAMES_KNOWN: readonly [prefix: string, file: SniffedFile][] = [
  ['word/', { kind: 'docx', label: 'a Word document' }],
  ['xl/workbook.bin', labelledSniffedFile('xlsb')],
  ['xl/', labelledSniffedFile('xlsx')],
  ['ppt/', labelledSniffedFile('pptx')],
  ['visio/', { kind: 'archive', label: 'a Visio drawing' }],
  ['Index/Document.iwa', { kind: 'archive', label: 'an Apple iWork document' }],
  ['Index.zip', { kind: 'archive', label: 'an Apple iWork document' }],
  // Of 2009.
  ['index.apxl', { kind: 'archive', label: 'an Apple iWork document' }],
  ['buildVersionHistory.plist', { kind: 'archive', label: 'an Apple iWork document' }],
  ['META-INF/MANIFEST.MF', { kind: 'archive', label: 'a Java archive' }],
];

const OFFICE_PART = /\.(?:xml|rels|bin)$/i;

const MIMETYPES_KNOWN: readonly [prefix: string, file: SniffedFile][] = [
  ['application/vnd.oasis.opendocument.text', { kind: 'odt', label: 'an OpenDocument text' }],
  ['application/vnd.oasis.opendocument.spreadsheet', labelledSniffedFile('ods')],
  ['application/vnd.oasis.opendocument.presentation', labelledSniffedFile('odp')],
  ['application/vnd.oasis.opendocument', { kind: 'archive', label: 'an OpenDocument file' }],
  ['application/epub+zip', { kind: 'epub', label: 'an EPUB book' }],
];

const OLE_STREAMS_KNOWN: readonly [name: string, file: SniffedFile][] = [
  ['encryptedpackage', labelledSniffedFile('encrypted')],
  ['worddocument', labelledSniffedFile('doc')],
  ['workbook', labelledSniffedFile('xls')],
  ['book', { kind: 'xls', label: 'an Excel 5 or 95 workbook' }],
  ['powerpoint document', labelledSniffedFile('ppt')],
  ['__properties_version1.0', { kind: 'msg', label: 'an Outlook message' }],
  ['visiodocument', { kind: 'ole', label: 'a Visio drawing' }],
  ['quill', { kind: 'ole', label: 'a Publisher document' }],
  ['matost', { kind: 'ole', label: 'a Microsoft Works document' }],
];

/** Reads bytes from a position; fewer at the end of the file. */
type ReadAt = (position: number, length: number) => Promise<Buffer>;

function readFrom(file: FileHandle): ReadAt {
  return async (position, length) => {
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await file.read(buffer, 0, length, position);
    return buffer.subarray(0, bytesRead);
  };
}

/** Reads from a file in memory. */
function readWithin(whole: Buffer): ReadAt {
  return async (position, length) => whole.subarray(position, position + length);
}

/** Detects the content of a zip by the names in its directory or, when it is truncated, by those at the start. */
async function sniffZip(readAt: ReadAt, sizeBytes: number, head: Buffer): Promise<SniffedFile> {
  const first = knownMimetype(head);
  if (first !== null) return first;
  const entries = (await directoryEntries(readAt, sizeBytes)) ?? localEntries(head);
  // A repacked document has its type at any position.
  const typed = entries.find(({ name }) => name === 'mimetype');
  const later = typed === undefined ? null : knownMimetype(await readAt(typed.position, MIMETYPE_ENTRY_BYTES));
  if (later !== null) return later;
  const listed = await manifestType(entries, readAt);
  if (listed !== null) return listed;
  const known = ZIP_NAMES_KNOWN.find(([prefix]) => {
    // A folder of a document has XML in it. One of these names with other files in it is a folder like any other.
    const isPart = (name: string) => !prefix.endsWith('/') || OFFICE_PART.test(name);
    return entries.some(
      ({ name }) => name.toLowerCase().replaceAll('\\', '/').startsWith(prefix.toLowerCase()) && isPart(name),
    );
  });
  return known?.[1] ?? labelledSniffedFile('zip');
}

/** The manifest of an OpenDocument file states its type too; a book names its package in a container. */
async function manifestType(entries: readonly ZipEntry[], readAt: ReadAt): Promise<SniffedFile | null> {
  if (
    entries.some(({ name }) => name === 'META-INF/container.xml') &&
    entries.some(({ name }) => /\.opf$/i.test(name))
  ) {
    return knownType('application/epub+zip');
  }
  const manifest = entries.find(({ name }) => name === 'META-INF/manifest.xml');
  if (manifest === undefined || !entries.some(({ name }) => name === 'content.xml')) return null;
  const head = await readAt(manifest.position, MANIFEST_BYTES);
  if (head.length < 30) return null;
  const data = head.subarray(30 + head.readUInt16LE(26) + head.readUInt16LE(28));
  const text = head.readUInt16LE(8) === 0 ? data : inflatedHead(data);
  const types = text
    .toString('latin1')
    .matchAll(/media-type\s*=\s*["'](application\/vnd\.oasis\.opendocument[\w.-]*)["']/g);
  for (const [, type = ''] of types) {
    const known = knownType(type);
    if (known !== null) return known;
  }
  return null;
}

/** Inflates what there is of data without its end; empty if it is damaged or grows too much. */
function inflatedHead(data: Buffer): Buffer {
  try {
    return inflateRawSync(data, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MIB });
  } catch {
    return Buffer.alloc(0);
  }
}

interface ZipEntry {
  name: string;
  /** Offset of its local header. */
  position: number;
}

function knownMimetype(entry: Buffer): SniffedFile | null {
  const mimetype = readMimetype(entry);
  return knownType(mimetype);
}

function knownType(mimetype: string): SniffedFile | null {
  return MIMETYPES_KNOWN.find(([prefix]) => mimetype.startsWith(prefix))?.[1] ?? null;
}

/** The content of a first entry named `mimetype`, which OpenDocument and EPUB require. */
function readMimetype(head: Buffer): string {
  if (head.length < 38 || head.toString('latin1', 30, 38) !== 'mimetype') return '';
  const start = 38 + head.readUInt16LE(28);
  const size = Math.min(head.readUInt32LE(18), MIMETYPE_BYTES);
  const data = head.subarray(start, start + (size === 0 ? MIMETYPE_BYTES : size));
  if (head.readUInt16LE(8) === 0) return data.toString('latin1');
  try {
    return inflateRawSync(data, { maxOutputLength: MIMETYPE_BYTES }).toString('latin1');
  } catch {
    // Invalid compressed data. The names in the directory decide instead.
    return '';
  }
}

/** Null when the end record is missing or points outside the file. */
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

/** Names in the local headers within the head, for truncated documents. */
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

/** Detects the content of an OLE file (compound file binary) by the names of its streams, not of embedded objects. */
async function sniffOle(readAt: ReadAt, head: Buffer): Promise<SniffedFile> {
  const streams = rootEntries(await readOleDirectory(readAt, head));
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

interface OleEntry {
  name: string;
  sizeBytes: number;
  /** Offset of the stream, unless it is in the mini stream. */
  position: number;
  isRoot: boolean;
  /** Indexes of the entries before and after it in its storage. */
  siblings: [left: number, right: number];
  /** Index of an entry in this storage. */
  child: number;
}

/** The entries of the root storage, a binary tree; all entries if the tree is damaged. */
function rootEntries(entries: readonly OleEntry[]): OleEntry[] {
  const root = entries.find(({ isRoot }) => isRoot);
  const found = new Set<OleEntry>();
  const open = [root?.child ?? OLE_END];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const entry = entries[index];
    if (entry === undefined || found.has(entry)) continue;
    found.add(entry);
    open.push(...entry.siblings);
  }
  return found.size > 0 ? [...found] : [...entries];
}

async function readOleDirectory(readAt: ReadAt, head: Buffer): Promise<OleEntry[]> {
  if (head.length < 512) return [];
  const sectorBytes = head.readUInt16LE(30) === 12 ? 4096 : 512;
  const found: OleEntry[] = [];
  let sector = head.readUInt32LE(48);
  for (let count = 0; count < OLE_SECTORS && sector < OLE_END; count += 1) {
    const entries = await readAt((sector + 1) * sectorBytes, sectorBytes);
    for (let at = 0; at + OLE_ENTRY_BYTES <= entries.length; at += OLE_ENTRY_BYTES) {
      const nameBytes = Math.min(Math.max(entries.readUInt16LE(at + 64) - 2, 0), 62);
      found.push({
        name: decodeUtf16(entries.subarray(at, at + nameBytes)).toLowerCase(),
        position: (entries.readUInt32LE(at + 116) + 1) * sectorBytes,
        sizeBytes: entries.readUInt32LE(at + 120),
        isRoot: entries[at + 66] === OLE_ROOT,
        siblings: [entries.readUInt32LE(at + 68), entries.readUInt32LE(at + 72)],
        child: entries.readUInt32LE(at + 76),
      });
    }
    sector = await nextOleSector(readAt, head, sector, sectorBytes);
  }
  return found;
}

/** The next sector in a chain. Only the 109 allocation sectors in the header are followed. */
async function nextOleSector(readAt: ReadAt, head: Buffer, sector: number, sectorBytes: number): Promise<number> {
  const perSector = sectorBytes / 4;
  const listed = Math.floor(sector / perSector);
  if (listed >= 109) return OLE_END;
  const tableSector = head.readUInt32LE(76 + listed * 4);
  if (tableSector >= OLE_END) return OLE_END;
  const next = await readAt((tableSector + 1) * sectorBytes + (sector % perSector) * 4, 4);
  return next.length === 4 ? next.readUInt32LE(0) : OLE_END;
}
