import { readFile } from 'node:fs/promises';
import encode, { init } from '@jsquash/webp/encode.js';
import { MIB } from '../../../src-server/platform/units.ts';
import { boundedModule } from '../wasm-memory.ts';

const BINARY = 'codec/enc/webp_enc_simd.wasm';

const MEMORY_MAX_BYTES = 64 * MIB;

/** From good to barely legible. */
const QUALITIES = [60, 35, 15, 3];

let loaded: Promise<void> | null = null;

/** A WebP of at most `maxBytes`, in the best quality that it takes; null when none does. @param data RGBA */
export async function writeWebp(
  { data, width, height }: { data: Uint8ClampedArray; width: number; height: number },
  maxBytes: number,
): Promise<Uint8Array | null> {
  loaded ??= loadWebpEncoder();
  await loaded;
  for (const quality of QUALITIES) {
    const bytes = await encode({ data, width, height } as Parameters<typeof encode>[0], { quality, method: 4 });
    if (bytes.byteLength <= maxBytes) return new Uint8Array(bytes);
  }
  return null;
}

async function loadWebpEncoder(): Promise<void> {
  const binary = await readFile(new URL(BINARY, import.meta.resolve('@jsquash/webp/package.json')));
  await init(boundedModule(binary, MEMORY_MAX_BYTES));
}
