/**
 * What a thread still holds when its task has ended. V8 looks for garbage while a thread works, and this one may rest
 * now for hours with all that a large or hostile source left behind: so past a bound garbage is collected on the spot,
 * and a thread that holds too much even then asks to be replaced.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MIB } from '../src-server/platform/units.ts';
import { wasmBytesHeld } from './documents/wasm-memory.ts';

/** Engines in WASM never shrink. */
const WASM_MAX_BYTES = 320 * MIB;
/** Documents of 300 pages, one after the other, stay below 100 MB of objects, garbage included. */
const HEAP_MAX_BYTES = 128 * MIB;
/** Files and what they inflate to; a heap's own bounds do not count them. */
const BUFFERS_MAX_BYTES = 64 * MIB;

/** Whether the thread holds more than it should rest with. Collects garbage before it says so. */
export function holdsTooMuch(): boolean {
  if (isPastBounds()) collectGarbage();
  return wasmBytesHeld() > WASM_MAX_BYTES || isPastBounds();
}

function isPastBounds(): boolean {
  return getHeapStatistics().used_heap_size > HEAP_MAX_BYTES || process.memoryUsage().arrayBuffers > BUFFERS_MAX_BYTES;
}

/**
 * V8's own collector, which a program gets to call by a flag only. The flag is taken back at once: code that V8 keeps
 * compiled is good for one set of flags. Where it does nothing, the thread is replaced instead.
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect !== 'function') return;
  collect();
  // Buffers that were found to be garbage are freed beside the thread; the next collection begins when that is done.
  collect();
}
