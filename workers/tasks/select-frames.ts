import { readFile } from 'node:fs/promises';
import type { SelectFramesInput, SelectFramesOutput } from '../media/media-tasks.ts';

/** Mean difference of grey values from which a picture shows something new; the same slide stays below half of it. */
const NEW_DIFFERENCE = 1.5;

/** Keeps the first of pictures that look alike, compared with the one kept last. */
export async function selectFrames({
  thumbnailsPath,
  thumbnailBytes,
  seconds,
}: SelectFramesInput): Promise<SelectFramesOutput> {
  const bytes = await readFile(thumbnailsPath);
  const keep: number[] = [];
  let last: Uint8Array | null = null;
  for (const index of seconds.keys()) {
    const picture = bytes.subarray(index * thumbnailBytes, (index + 1) * thumbnailBytes);
    if (picture.length < thumbnailBytes) break;
    if (last !== null && difference(last, picture) < NEW_DIFFERENCE) continue;
    last = picture;
    keep.push(index);
  }
  return { keep };
}

function difference(a: Uint8Array, b: Uint8Array): number {
  let sum = 0;
  for (const [index, value] of a.entries()) sum += Math.abs(value - (b[index] ?? 0));
  return sum / a.length;
}
