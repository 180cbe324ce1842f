import { KIB, MIB } from '../../src-server/platform/units.ts';

const FIRST_BYTES = 64 * KIB;
/** What something large made longer than this is given back. */
const KEPT_BYTES = 2 * MIB;
/** Bytes that a unit of UTF-16 takes at most in UTF-8. */
const BYTES_PER_UNIT = 3;

/** Puts bytes together in one buffer that grows as it must, and is used again. */
export class ByteWriter {
  size = 0;
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);

  /** Appends a text as UTF-8 and gives its bytes. */
  text(text: string): number {
    this.#reserve(text.length * BYTES_PER_UNIT);
    const bytes = this.#buffer.write(text, this.size, 'utf8');
    this.size += bytes;
    return bytes;
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.size);
    this.size += bytes.length;
  }

  /** The memory of a view as it lies there; what follows begins at a multiple of four again. */
  view({ buffer, byteOffset, byteLength }: ArrayBufferView): void {
    this.bytes(new Uint8Array(buffer, byteOffset, byteLength));
    this.align();
  }

  align(): void {
    const rest = -this.size & 3;
    this.#reserve(rest);
    this.#buffer.fill(0, this.size, this.size + rest);
    this.size += rest;
  }

  /** All that was put together. Valid until something is added. */
  get written(): Buffer {
    return this.#buffer.subarray(0, this.size);
  }

  clear(): void {
    this.size = 0;
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  }

  #reserve(bytes: number): void {
    const needed = this.size + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length));
    this.#buffer.copy(larger, 0, 0, this.size);
    this.#buffer = larger;
  }
}
