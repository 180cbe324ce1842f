import { isUtf8 } from 'node:buffer';
import type { FileKind } from '../../contract/index.ts';

/** What a file is: the kind that decides, and a label with its article for sentences (`a PNG image`). */
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

/** Signatures long enough to be trusted alone. The first that fits decides. */
const SIGNATURES: readonly Signature[] = [
  { kind: 'image', label: 'a PNG image', bytes: '\x89PNG\r\n\x1a\n' },
  { kind: 'image', label: 'a JPEG image', bytes: '\xff\xd8\xff' },
  { kind: 'image', label: 'a GIF image', bytes: 'GIF87a' },
  { kind: 'image', label: 'a GIF image', bytes: 'GIF89a' },
  { kind: 'image', label: 'a TIFF image', bytes: 'II*\0' },
  { kind: 'image', label: 'a TIFF image', bytes: 'MM\0*' },
  { kind: 'image', label: 'a Photoshop image', bytes: '8BPS\0' },
  { kind: 'image', label: 'a JPEG XL image', bytes: '\0\0\0\x0cJXL ' },
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
  { kind: 'unknown', label: 'a font', bytes: 'wOF2' },
  { kind: 'unknown', label: 'a font', bytes: 'OTTO\0' },
];

const SIGNATURE_BYTES_MAX = 16;
/** Those that no text begins with in any encoding; `BM` or `ID3` may be how a sentence begins. */
const FOREIGN_SIGNATURES = SIGNATURES.filter(
  ({ bytes, offset }) => offset === undefined && !isUtf8(Buffer.from(bytes, 'latin1')),
);

/** RIFF and IFF say in their third word what they hold. */
const RIFF_FORMS: Readonly<Record<string, SniffedFile>> = {
  WEBP: { kind: 'image', label: 'a WebP image' },
  WAVE: { kind: 'audio', label: 'a WAV audio file' },
  'AVI ': { kind: 'video', label: 'an AVI video' },
  AIFF: { kind: 'audio', label: 'an AIFF audio file' },
  AIFC: { kind: 'audio', label: 'an AIFF audio file' },
};

const IMAGE_BRANDS = new Set(['avif', 'avis', 'heic', 'heix', 'heim', 'heis', 'mif1', 'msf1']);
const AUDIO_BRANDS = new Set(['M4A ', 'M4B ', 'M4P ', 'F4A ', 'F4B ']);
/** First atoms of QuickTime files older than the brand atom. */
const QUICKTIME_ATOMS = new Set(['moov', 'mdat', 'wide', 'pnot', 'skip', 'free']);

const BITMAP_HEADER_SIZES = new Set([12, 40, 52, 56, 64, 108, 124]);

const TRANSPORT_SYNC = 0x47;
/** Transport packets are 188 bytes, or 192 with a time stamp before each. */
const TRANSPORT_PACKETS: readonly [start: number, step: number][] = [
  [0, 188],
  [4, 192],
];
const TRANSPORT_PACKETS_SEEN = 4;

/** Pictures, sound, video and archives by their first bytes; null when none fits. Zip and OLE are read elsewhere. */
export function matchMagic(head: Buffer): SniffedFile | null {
  const text = head.subarray(0, 512).toString('latin1');
  const signature = SIGNATURES.find(({ bytes, offset }) => text.startsWith(bytes, offset ?? 0));
  if (signature !== undefined) return { kind: signature.kind, label: signature.label };
  return matchRiff(text) ?? matchAtoms(text) ?? matchStreams(head, text) ?? matchBitmap(head) ?? matchAudioFrames(head);
}

/** What a file is that is too short to hold what tells binary files from texts: by a signature alone. */
export function matchForeignSignature(head: Buffer): SniffedFile | null {
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
    if (IMAGE_BRANDS.has(brand)) return { kind: 'image', label: 'a HEIF or AVIF image' };
    if (AUDIO_BRANDS.has(brand)) return { kind: 'audio', label: 'an MPEG-4 audio file' };
    return { kind: 'video', label: brand === 'qt  ' ? 'a QuickTime video' : 'an MP4 video' };
  }
  // The size before the atom's name keeps a text that happens to say "free" at its fifth letter out.
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

/** MP3 and AAC streams begin with a frame at once: its header must be possible in each of its fields. */
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
