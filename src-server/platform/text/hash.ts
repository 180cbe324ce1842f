/** 32-bit hashes of text for counting and looking up, never for telling a stranger's texts apart for sure. */

export const HASH_SEED = 0x811c9dc5 | 0;
const PRIME = 0x01000193;
/** Longer texts are copied out of the engine's strings first: reading those unit by unit takes three times as long. */
const SHORT_CHARS = 64;
const FIRST_SCRATCH_UNITS = 1 << 16;

let scratch = Buffer.alloc(FIRST_SCRATCH_UNITS * Uint16Array.BYTES_PER_ELEMENT);
let scratchUnits = new Uint16Array(scratch.buffer, scratch.byteOffset);

/** The text's UTF-16 code units, to be read before the next call: they lie in memory that is used again. */
export function codeUnits(text: string): Uint16Array {
  if (text.length > scratchUnits.length) {
    scratch = Buffer.alloc(text.length * Uint16Array.BYTES_PER_ELEMENT);
    scratchUnits = new Uint16Array(scratch.buffer, scratch.byteOffset, text.length);
  }
  scratch.write(text, 'utf16le');
  return scratchUnits;
}

/**
 * FNV-1a over UTF-16 code units, its bits mixed; of a long text over every other unit and over those between, which the
 * processor does at once. A signed 32-bit integer; another `salt` gives another hash.
 */
export function hashText(text: string, salt = 0): number {
  const { length } = text;
  let hash = HASH_SEED ^ salt;
  if (length <= SHORT_CHARS) {
    for (let index = 0; index < length; index += 1) hash = hashStep(hash, text.charCodeAt(index));
    return mixBits(hash);
  }
  const units = codeUnits(text);
  let other = hash;
  for (let index = 1; index < length; index += 2) {
    hash = hashStep(hash, units[index - 1] ?? 0);
    other = hashStep(other, units[index] ?? 0);
  }
  if (length % 2 === 1) hash = hashStep(hash, units[length - 1] ?? 0);
  return mixBits(hash ^ mixBits(other));
}

/** For those who read a text anyway: takes one more code unit in. Begin with HASH_SEED, end with `mixBits`. */
export function hashStep(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, PRIME);
}

/** Every bit of the result depends on every bit of the number. */
export function mixBits(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
