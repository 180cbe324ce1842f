import { strToU8, zipSync } from 'fflate';

/** An archive of texts, by the names of its files. */
export function zipTexts(files: Record<string, string>): Uint8Array<ArrayBuffer> {
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
}
