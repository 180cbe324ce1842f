/** Icon files hold the same picture in several sizes, each as a PNG or as a bitmap without its file header. */

const HEADER_BYTES = 6;

const ENTRY_BYTES = 16;

const ENTRIES_MAX = 64;

const PNG = Buffer.from('\x89PNG', 'latin1');

const BITMAP_HEADER_BYTES = 14;

const PALETTE_ENTRY_BYTES = 4;

/** The largest picture of an icon file as a PNG or BMP; other bytes as they are. */
export function pictureOfIcon(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isIcon = file.length > HEADER_BYTES + ENTRY_BYTES && file.readUInt32LE(0) === 0x00_01_00_00;
  if (!isIcon) return bytes;
  const count = Math.min(ENTRIES_MAX, file.readUInt16LE(4));
  const pictures = Array.from({ length: count }, (_, index) => entryOf(file, HEADER_BYTES + index * ENTRY_BYTES));
  const largest = pictures
    .filter((picture) => picture !== null)
    .reduce<Entry | null>((best, one) => (best === null || one.pixels > best.pixels ? one : best), null);
  if (largest === null) return bytes;
  const { data } = largest;
  return data.subarray(0, PNG.length).equals(PNG) ? data : bitmapFile(data);
}

interface Entry {
  pixels: number;
  data: Buffer;
}

/** Null where it names bytes outside of the file. */
function entryOf(file: Buffer, at: number): Entry | null {
  if (at + ENTRY_BYTES > file.length) return null;
  const [size, from] = [file.readUInt32LE(at + 8), file.readUInt32LE(at + 12)];
  if (size < 40 || from + size > file.length) return null;
  // 0 stands for 256.
  return { pixels: file.readUInt8(at) || 256, data: file.subarray(from, from + size) };
}

/** Adds the header of a file. The height of the bitmap counts its mask too, which is left out. */
function bitmapFile(bitmap: Buffer): Buffer {
  const [headerBytes, bits, stated] = [bitmap.readUInt32LE(0), bitmap.readUInt16LE(14), bitmap.readUInt32LE(32)];
  const colours = bits > 8 ? 0 : stated || 2 ** bits;
  const header = Buffer.alloc(BITMAP_HEADER_BYTES);
  header.write('BM', 'latin1');
  header.writeUInt32LE(BITMAP_HEADER_BYTES + bitmap.length, 2);
  header.writeUInt32LE(BITMAP_HEADER_BYTES + headerBytes + colours * PALETTE_ENTRY_BYTES, 10);
  const body = Buffer.from(bitmap);
  body.writeInt32LE(Math.floor(bitmap.readInt32LE(8) / 2), 8);
  return Buffer.concat([header, body]);
}
