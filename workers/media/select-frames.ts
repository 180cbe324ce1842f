import { readFile } from 'node:fs/promises';
import type { SelectFramesInput, SelectFramesOutput } from './tasks.ts';

/** Side of a block in thumbnail pixels: a few letters of a slide. */
const BLOCK = 5;
/**
 * Mean grey difference from which a block counts as changed. Measured at low bit rates: compression and light grain
 * stay below 2.7; another line of small or pale text exceeds 3.6.
 */
const BLOCK_CHANGE = 3;
/** Mean grey difference of the picture from which it is another scene. */
const SCENE_CHANGE = 20;

interface Candidate {
  index: number;
  isNewScene: boolean;
  changedBlocks: number[];
}

/**
 * Selects pictures in which at least one block differs from the last selected one. Of more than `most`, keeps those
 * with the most rarely changing blocks: a video beside a slide changes in every picture.
 */
export async function selectFrames(input: SelectFramesInput): Promise<SelectFramesOutput> {
  const { thumbnail, most } = input;
  const size = thumbnail.width * thumbnail.height;
  const bytes = await readFile(input.thumbnailsPath);
  const count = Math.min(input.count, Math.floor(bytes.length / size));
  const timesChanged = new Map<number, number>();
  const candidates: Candidate[] = [];
  let last: Uint8Array | null = null;
  let scene: Uint8Array | null = null;
  for (let index = 0; index < count; index += 1) {
    const picture = bytes.subarray(index * size, (index + 1) * size);
    const changedBlocks = last === null ? [] : blocksThatDiffer(last, picture, thumbnail.width);
    if (last !== null && changedBlocks.length === 0) continue;
    for (const block of changedBlocks) timesChanged.set(block, (timesChanged.get(block) ?? 0) + 1);
    const isNewScene = scene === null || meanDifference(scene, picture) >= SCENE_CHANGE;
    candidates.push({ index, isNewScene, changedBlocks });
    last = picture;
    if (isNewScene) scene = picture;
  }
  const keep = mostInformative(candidates, timesChanged, most).map(({ index, isNewScene }) => ({ index, isNewScene }));
  return { keep, leftOut: candidates.length - keep.length };
}

/** The first picture, and those with changes in rarely changing blocks. */
function mostInformative(
  candidates: readonly Candidate[],
  timesChanged: ReadonlyMap<number, number>,
  most: number,
): Candidate[] {
  if (candidates.length <= most) return [...candidates];
  const weightOf = ({ changedBlocks }: Candidate) =>
    changedBlocks.length === 0
      ? Number.POSITIVE_INFINITY
      : changedBlocks.reduce((sum, block) => sum + 1 / (timesChanged.get(block) ?? 1), 0);
  const weighted = candidates.map((candidate) => ({ candidate, weight: weightOf(candidate) }));
  const best = weighted.sort((one, other) => other.weight - one.weight).slice(0, most);
  return best.map(({ candidate }) => candidate).sort((one, other) => one.index - other.index);
}

function blocksThatDiffer(a: Uint8Array, b: Uint8Array, width: number): number[] {
  const blocksAcross = Math.ceil(width / BLOCK);
  const sums: number[] = [];
  for (const [index, value] of a.entries()) {
    const block = Math.floor(Math.floor(index / width) / BLOCK) * blocksAcross + Math.floor((index % width) / BLOCK);
    sums[block] = (sums[block] ?? 0) + Math.abs(value - (b[index] ?? 0));
  }
  return sums.flatMap((sum, block) => (sum / (BLOCK * BLOCK) >= BLOCK_CHANGE ? [block] : []));
}

function meanDifference(a: Uint8Array, b: Uint8Array): number {
  let sum = 0;
  for (const [index, value] of a.entries()) sum += Math.abs(value - (b[index] ?? 0));
  return sum / a.length;
}
