import { open } from 'node:fs/promises';
import { KIB } from '../../platform/units.ts';

/** Lines are written in pieces of about this size; between two, the thread does what else there is. */
const PIECE_CHARS = 256 * KIB;

/** Writes a line of JSON for each value. */
export async function writeLines(path: string, values: Iterable<unknown>): Promise<void> {
  const file = await open(path, 'w');
  try {
    let piece = '';
    for (const value of values) {
      piece += `${JSON.stringify(value)}\n`;
      if (piece.length < PIECE_CHARS) continue;
      await file.write(piece);
      piece = '';
    }
    await file.write(piece);
  } finally {
    await file.close();
  }
}
