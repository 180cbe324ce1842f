/**
 * Threat: zip bombs and damaged archives. What a directory says about sizes is the attacker's word, so bytes are
 * counted while they are inflated; entries nobody asked for are never inflated.
 */
import type { Readable } from 'node:stream';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { QuarryError } from '../../../src-server/contract/index.ts';
import { MIB } from '../../../src-server/lib/units.ts';

const MAX_ENTRIES = 5000;
const MAX_INFLATED_BYTES = 200 * MIB;

/**
 * The entries of a zip that `wanted` names, inflated. Throws `corrupt_input`, `encrypted_input` (zip encryption) or
 * `source_too_large`.
 */
export async function readZipParts(bytes: Buffer, wanted: (name: string) => boolean): Promise<Map<string, Buffer>> {
  const parts = new Map<string, Buffer>();
  let budget = MAX_INFLATED_BYTES;
  let entries = 0;
  try {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true });
    for await (const entry of zip.eachEntry()) {
      entries += 1;
      if (entries > MAX_ENTRIES) throw tooLarge();
      if (!wanted(entry.fileName) || parts.has(entry.fileName)) continue;
      const part = await inflate(zip, entry, budget);
      budget -= part.length;
      parts.set(entry.fileName, part);
    }
  } catch (cause) {
    if (cause instanceof QuarryError) throw cause;
    throw new QuarryError('corrupt_input', 'The document is damaged: save it again and send the new file.', { cause });
  }
  return parts;
}

async function inflate(zip: ZipFile, entry: Entry, budget: number): Promise<Buffer> {
  if (entry.isEncrypted()) {
    throw new QuarryError('encrypted_input', 'The document is password-protected: save it without a password.');
  }
  const stream: Readable = await zip.openReadStreamPromise(entry);
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > budget) {
      stream.destroy();
      throw tooLarge();
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function tooLarge(): QuarryError {
  return new QuarryError('source_too_large', 'The document is too large once unpacked: split it in parts.');
}
