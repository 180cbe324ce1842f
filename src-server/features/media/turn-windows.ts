/**
 * Recognition windows that end where the speaker changes. A recogniser of long windows misses sentences among short
 * turns, and a window that ends within a sentence breaks it.
 */

import type { SampleRange, SpeakerTurn, SpeechWindow } from '../../../workers/media/tasks.ts';
import { itemAt } from '../../platform/item-at.ts';

/** Each window costs a step of the model, and longer ones miss more sentences. */
const WINDOW_SECONDS = 20;

/** The same sound in other windows. A turn that is longer than a window is cut as it was before. */
export function windowsByTurns(
  windows: readonly SpeechWindow[],
  turns: readonly SpeakerTurn[],
  sampleRate: number,
): SpeechWindow[] {
  const most = WINDOW_SECONDS * sampleRate;
  const changes = changesIn(turns).map((seconds) => Math.round(seconds * sampleRate));
  const pieces = windows.flatMap((window) => window.pieces.map((range) => ({ range, window })));
  const parts = pieces.flatMap(({ range, window }) => cutAt(range, changes).map((part) => ({ ...part, window })));
  const packed: SampleRange[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const turn of groupNeighboursByKey(parts, ({ turn }) => turn)) {
    const whole = turn.map(({ range }) => range);
    const units =
      countRangeSamples(whole) <= most ? [whole] : groupNeighboursByKey(turn, ({ window }) => window).map(rangesOf);
    for (const unit of units) {
      const samples = countRangeSamples(unit);
      if (length + samples > most) {
        packed.push([]);
        length = 0;
      }
      for (const range of unit) appendSampleRange(itemAt(packed, -1), range);
      length += samples;
    }
  }
  return packed.map((ranges) => ({ pieces: ranges }));
}

/** Seconds in the silence between turns of two speakers, in order. */
function changesIn(turns: readonly SpeakerTurn[]): number[] {
  const changes: number[] = [];
  let before: SpeakerTurn | null = null;
  for (const turn of turns) {
    if (before !== null && turn.speaker !== before.speaker && turn.start >= before.end) {
      changes.push((before.end + turn.start) / 2);
    }
    if (before === null || turn.end > before.end) before = turn;
  }
  return changes;
}

/** The parts of a range between changes, with the number of changes before each. `changes` are in order. */
function cutAt([from, to]: SampleRange, changes: readonly number[]): { range: SampleRange; turn: number }[] {
  let turn = firstIndexAbove(changes, from);
  const parts: { range: SampleRange; turn: number }[] = [];
  let start = from;
  for (let change = changes[turn]; change !== undefined && change < to; change = changes[turn]) {
    parts.push({ range: [start, change], turn });
    start = change;
    turn += 1;
  }
  parts.push({ range: [start, to], turn });
  return parts;
}

/** Index of the first number that is greater. */
function firstIndexAbove(numbers: readonly number[], value: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Neighbours with the same key together. */
function groupNeighboursByKey<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): Item[][] {
  const groups: Item[][] = [];
  let key: unknown;
  for (const item of items) {
    if (groups.length > 0 && keyOf(item) === key) groups.at(-1)?.push(item);
    else groups.push([item]);
    key = keyOf(item);
  }
  return groups;
}

function rangesOf(parts: readonly { range: SampleRange }[]): SampleRange[] {
  return parts.map(({ range }) => range);
}

function countRangeSamples(ranges: readonly SampleRange[]): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from, 0);
}

function appendSampleRange(ranges: SampleRange[], range: SampleRange): void {
  const last = ranges.at(-1);
  if (last !== undefined && last[1] === range[0]) last[1] = range[1];
  else ranges.push([...range]);
}
