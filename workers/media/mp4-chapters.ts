/** Marks an MPEG-4 sound file as an audiobook and adds its chapters, in Nero's `chpl` form, which players read. */

import { readFileSync, writeFileSync } from 'node:fs';
import type { MediaChapter } from './tasks.ts';

/** The format counts chapters in one byte, and so the bytes of a title. */
const CHAPTERS_MAX = 255;

const TITLE_BYTES_MAX = 255;

/** Chapter times are in units of 100 ns. */
const UNITS_PER_SECOND = 10_000_000;

/** The file's `moov` box comes last, as FFmpeg writes it, so that nothing after it moves. */
export function markAudiobook(path: string, chapters: readonly MediaChapter[], durationSeconds: number): void {
  const bytes = readFileSync(path);
  bytes.write('M4B ', 8, 'latin1');
  const inside = chapters.filter(({ startSeconds }) => startSeconds < durationSeconds).slice(0, CHAPTERS_MAX);
  const moov = listMp4Boxes(bytes, 0, bytes.length).find(({ type }) => type === 'moov');
  if (inside.length === 0 || moov === undefined || moov.end !== bytes.length) {
    writeFileSync(path, bytes);
    return;
  }
  const chpl = chaptersBox(inside);
  const udta = listMp4Boxes(bytes, moov.start + 8, moov.end).find(({ type }) => type === 'udta');
  if (udta === undefined) {
    const added = createMp4Box('udta', chpl);
    growMp4Box(bytes, moov.start, added.length);
    writeFileSync(path, Buffer.concat([bytes, added]));
    return;
  }
  growMp4Box(bytes, moov.start, chpl.length);
  growMp4Box(bytes, udta.start, chpl.length);
  writeFileSync(path, Buffer.concat([bytes.subarray(0, udta.end), chpl, bytes.subarray(udta.end)]));
}

interface Box {
  type: string;
  start: number;
  end: number;
}

function listMp4Boxes(bytes: Buffer, from: number, to: number): Box[] {
  const found: Box[] = [];
  for (let start = from; start + 8 <= to; ) {
    const size = bytes.readUInt32BE(start);
    if (size < 8) break;
    found.push({ type: bytes.toString('latin1', start + 4, start + 8), start, end: start + size });
    start += size;
  }
  return found;
}

function growMp4Box(bytes: Buffer, start: number, by: number): void {
  bytes.writeUInt32BE(bytes.readUInt32BE(start) + by, start);
}

function createMp4Box(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, content]);
}

function chaptersBox(chapters: readonly MediaChapter[]): Buffer {
  // Version 1, no flags, four reserved bytes, the count.
  const parts = [Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, chapters.length])];
  for (const { title, startSeconds } of chapters) {
    const text = Buffer.from(cutChapterTitle(title), 'utf8');
    const start = Buffer.alloc(9);
    start.writeBigUInt64BE(BigInt(Math.round(startSeconds * UNITS_PER_SECOND)));
    start[8] = text.length;
    parts.push(start, text);
  }
  return createMp4Box('chpl', Buffer.concat(parts));
}

/** The longest beginning of whole characters that fits. */
function cutChapterTitle(title: string): string {
  let kept = '';
  for (const character of title) {
    if (Buffer.byteLength(kept + character) > TITLE_BYTES_MAX) break;
    kept += character;
  }
  return kept;
}
