/** The two forms in which a vector of text is kept: compared by sqlite-vec, made here. */
import { QuarryError } from '../../platform/errors.ts';

const BITS_PER_BYTE = 8;
const INT8_MAX = 127;

export interface StoredVector {
  /** One bit for each dimension, set where it is positive. */
  bits: Uint8Array;
  /** A signed byte for each dimension of the vector at length 1. */
  bytes: Uint8Array;
}

/** Errors: `engine_failed` for a vector that says nothing (all zeros, or not numbers). */
export function storedForms(vector: readonly number[]): StoredVector {
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length) || length === 0) {
    throw new QuarryError('engine_failed', 'The embedding model has no vector for this text. Search with other words.');
  }
  const bits = new Uint8Array(Math.ceil(vector.length / BITS_PER_BYTE));
  const bytes = new Int8Array(vector.length);
  for (const [index, value] of vector.entries()) {
    const at = Math.floor(index / BITS_PER_BYTE);
    if (value > 0) bits[at] = (bits[at] ?? 0) | (1 << (index % BITS_PER_BYTE));
    bytes[index] = Math.round((value / length) * INT8_MAX);
  }
  return { bits, bytes: new Uint8Array(bytes.buffer) };
}
