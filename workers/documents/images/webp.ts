import { readFile } from 'node:fs/promises';
import decode, { init } from '@jsquash/webp/decode.js';
import { type BoundedModule, boundedModule } from '../wasm-memory.ts';
import {
  checkSize,
  DECODER_MEMORY_MAX_BYTES,
  damagedImage,
  type Frame,
  greyFile,
  runBoundedDecoder,
} from './pixels.ts';

const BINARY = 'codec/dec/webp_dec.wasm';

let loaded: Promise<BoundedModule> | null = null;

/** The first frame of a WebP. Errors: `source_too_large`, `corrupt_input`. */
export function webpFrames(bytes: Buffer): Frame[] {
  const size = readWebpSize(bytes);
  checkSize(size.width, size.height);
  return [() => decodeFrame(bytes)];
}

async function decodeFrame(bytes: Buffer): Promise<Uint8Array> {
  loaded ??= loadWebpDecoder();
  const bounded = await loaded;
  try {
    return await runBoundedDecoder(bounded, async () => {
      const { width, height, data } = await decode(new Uint8Array(bytes).buffer);
      return greyFile({ width, height, data });
    });
  } catch (error) {
    // The state of a failed decoder is undefined.
    loaded = null;
    throw error;
  }
}

async function loadWebpDecoder(): Promise<BoundedModule> {
  const binary = await readFile(new URL(BINARY, import.meta.resolve('@jsquash/webp/package.json')));
  const bounded = boundedModule(binary, DECODER_MEMORY_MAX_BYTES);
  await init(bounded);
  return bounded;
}

/** From the header of the first chunk: extended, lossless or lossy. */
function readWebpSize(bytes: Buffer): { width: number; height: number } {
  if (bytes.length < 30) throw damagedImage('no header');
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const packed = bytes.readUInt32LE(21);
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    default:
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  }
}
