import { open, readFile } from 'node:fs/promises';
import { type Script, SHAPE, type Weight, weights } from './weights.ts';

const NUMBER_BYTES = 4;
const HEADER_NUMBERS = 12;
/** Matrices in half precision, as the published models have them. */
const HALF = 1;
const FULL = 0;
const WIDE = 'positional_embedding';

/** Writes the model as whisper.cpp reads it. Filters and vocabulary are those of `likePath`, of the same vocabulary. */
export async function writeGgml(path: string, likePath: string, script: Script): Promise<void> {
  const { vocabulary, melBands, audioPlaces, textPlaces, width, heads, layers } = SHAPE;
  const like = await readFile(likePath);
  const header = [vocabulary, audioPlaces, width, heads, layers, textPlaces, width, heads, layers, melBands, HALF];
  const file = await open(path, 'w');
  try {
    await file.write(like.subarray(0, NUMBER_BYTES));
    await file.write(Buffer.from(Int32Array.from(header).buffer));
    await file.write(like.subarray(HEADER_NUMBERS * NUMBER_BYTES, endOfVocabulary(like)));
    for (const weight of weights(script)) await file.write(asTensor(weight));
  } finally {
    await file.close();
  }
}

/** After the filters and the words, each with its length before it. */
function endOfVocabulary(like: Buffer): number {
  let at = HEADER_NUMBERS * NUMBER_BYTES;
  const [bands, bins] = [like.readInt32LE(at), like.readInt32LE(at + NUMBER_BYTES)];
  at += (2 + bands * bins) * NUMBER_BYTES;
  const words = like.readInt32LE(at);
  at += NUMBER_BYTES;
  for (let word = 0; word < words; word += 1) at += NUMBER_BYTES + like.readInt32LE(at);
  return at;
}

function asTensor({ name, shape, values }: Weight): Buffer {
  const isHalf = shape.length > 1 && !name.endsWith('.bias') && !name.endsWith(WIDE);
  const content = isHalf ? Float16Array.from(values) : values;
  const numbers = [shape.length, Buffer.byteLength(name), isHalf ? HALF : FULL, ...shape.toReversed()];
  return Buffer.concat([
    Buffer.from(Int32Array.from(numbers).buffer),
    Buffer.from(name),
    Buffer.from(content.buffer, content.byteOffset, content.byteLength),
  ]);
}
