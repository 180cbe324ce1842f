import type { SampleRange, SpeechWindow } from './tasks.ts';

/** A stretch that is too long for a window is cut at its quietest place within its last part. */
const CUT_SHARE = 0.6;

/** Packs stretches of speech into as few windows as hold them. No window is longer than `maxSamples`. */
export function packWindows(
  ranges: readonly SampleRange[],
  maxSamples: number,
  quietestBetween: (from: number, to: number) => number,
): SpeechWindow[] {
  const windows: SpeechWindow[] = [];
  let open: SampleRange[] = [];
  let length = 0;
  const close = () => {
    if (open.length > 0) windows.push({ pieces: open });
    open = [];
    length = 0;
  };
  for (const range of ranges) {
    for (const [from, to] of cut(range, maxSamples, quietestBetween)) {
      if (length + to - from > maxSamples) close();
      open.push([from, to]);
      length += to - from;
    }
  }
  close();
  return windows;
}

function* cut(
  [from, to]: SampleRange,
  maxSamples: number,
  quietestBetween: (from: number, to: number) => number,
): Generator<SampleRange> {
  let start = from;
  while (to - start > maxSamples) {
    const end = Math.max(start + 1, quietestBetween(start + Math.floor(maxSamples * CUT_SHARE), start + maxSamples));
    yield [start, end];
    start = end;
  }
  yield [start, to];
}

export function windowSamples({ pieces }: SpeechWindow): number {
  return pieces.reduce((sum, [from, to]) => sum + to - from, 0);
}

/**
 * The place in the file of a place in the window. Where two stretches meet, a beginning belongs to the later one and an
 * end to the earlier one.
 */
export function placeInFile({ pieces }: SpeechWindow, sample: number, edge: 'start' | 'end'): number {
  let passed = 0;
  let place = pieces[0]?.[0] ?? 0;
  for (const [from, to] of pieces) {
    const inside = sample - passed;
    if (edge === 'start' ? inside < 0 : inside <= 0) break;
    place = Math.min(to, from + inside);
    passed += to - from;
    if (edge === 'end' && sample <= passed) break;
  }
  return place;
}
