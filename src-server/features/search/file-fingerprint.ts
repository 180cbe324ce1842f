import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { KIB, MIB } from '../../platform/units.ts';

/** The ends of a file of weights name what it is and how it is laid out; they are read whole. */
const END_BYTES = 1 * MIB;
/** Between them lie the weights, which any other training changes everywhere. */
const SAMPLES = 64;
const SAMPLE_BYTES = 16 * KIB;

/**
 * Tells a file from others by its bytes, in some milliseconds also where it has gigabytes: by its size, its ends and
 * samples of what lies between. It stays the same when the file is copied or touched.
 */
export async function fingerprintOf(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const hash = createHash('sha256').update(`${size}\n`);
    const buffer = Buffer.allocUnsafe(END_BYTES);
    const add = async (from: number, bytes: number) => {
      const { bytesRead } = await file.read(buffer, 0, bytes, Math.max(0, from));
      hash.update(buffer.subarray(0, bytesRead));
    };
    await add(0, END_BYTES);
    for (let sample = 1; sample <= SAMPLES; sample += 1) {
      await add(Math.floor((size / (SAMPLES + 1)) * sample), SAMPLE_BYTES);
    }
    await add(size - END_BYTES, END_BYTES);
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}
