import { GIB } from '../units.ts';

/** Larger archives need a form that not all programs read. */
export const ZIP_MAX_BYTES = 4 * GIB - 1;

export interface ZipEntry {
  /** Path in the archive. */
  name: string;
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/**
 * A ZIP that is written while it is read, its entries stored as they are. A chunk of an entry is read once the former
 * one has been taken.
 */
export async function* streamZip(entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const { Zip, ZipPassThrough } = await import('fflate');
  const ready: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error !== null) throw error;
    ready.push(chunk);
  });
  for await (const { name, content } of entries) {
    const entry = new ZipPassThrough(name);
    zip.add(entry);
    for await (const chunk of content) {
      entry.push(chunk);
      yield* ready.splice(0);
    }
    entry.push(new Uint8Array(), true);
    yield* ready.splice(0);
  }
  zip.end();
  yield* ready.splice(0);
}
