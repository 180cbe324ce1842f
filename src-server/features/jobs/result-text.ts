/**
 * A result with many chunks is stored without them: they stand in the job's file chunks.jsonl already. Here the two
 * are made one text again, a piece at a time, so that megabytes never stop the server's thread.
 */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { KIB } from '../../platform/units.ts';

/** What is read and handed on at once. */
const PIECE_BYTES = 64 * KIB;
/** How a result begins whose chunks stand elsewhere: the schema puts them first. */
const WITHOUT_CHUNKS = '{"chunks":[]';
const LINE_END = 0x0a;
const COMMA = 0x2c;

/** The text before and after the chunks. */
export function aroundChunks(body: string): { before: string; after: string } {
  if (!body.startsWith(WITHOUT_CHUNKS)) throw new Error('A result whose chunks stand in a file has some itself.');
  return { before: WITHOUT_CHUNKS.slice(0, -1), after: body.slice(WITHOUT_CHUNKS.length - 1) };
}

/** The chunks as the entries of a JSON list, without its brackets. */
export async function* chunkPieces(path: string): AsyncGenerator<Buffer> {
  let ended = false;
  for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>) {
    if (ended) yield Buffer.of(COMMA);
    ended = piece.at(-1) === LINE_END;
    separate(piece);
    yield ended ? piece.subarray(0, -1) : piece;
  }
}

/** The whole text as UTF-8, in memory that threads share. */
export async function joinedBytes(body: string, path: string): Promise<Uint8Array> {
  const { before, after } = aroundChunks(body);
  const lines = await readFile(path);
  const chunks = lines.at(-1) === LINE_END ? lines.subarray(0, -1) : lines;
  separate(chunks);
  const parts = [Buffer.from(before), chunks, Buffer.from(after)];
  const joined = new Uint8Array(new SharedArrayBuffer(parts.reduce((sum, part) => sum + part.length, 0)));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** The ends of lines become commas, in place: JSON text has no line ends of its own within a line. */
function separate(lines: Buffer): void {
  for (let at = lines.indexOf(LINE_END); at !== -1; at = lines.indexOf(LINE_END, at + 1)) lines[at] = COMMA;
}
