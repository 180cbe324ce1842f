/** Weather, water, fire and ground beyond those of `sources.ts`. */

import { byName } from '../../../src-server/platform/records.ts';
import { bandOf, between, burst, grains, shaped, together } from './bodies.ts';
import { events, type Maker, mixed, motor, type Source, wash } from './composing.ts';
import { noiseOf, synthesizeSweep } from './noise.ts';

/** A bubble: its pitch rises while it leaves. */
const bubble =
  (low: number, high: number): Maker =>
  ({ random, sampleRate }) => {
    const from = between(random, low, high);
    const decay = 0.012 + 8 / from;
    return synthesizeSweep({ from, to: from * between(random, 1.15, 1.7), seconds: decay * 4, decay }, sampleRate);
  };

/** A drop: a plink in a small hollow. */
const drop: Maker = (making) => {
  const { random, sampleRate } = making;
  const from = between(random, 900, 1700);
  return together(
    [
      [burst({ seconds: 0.02, decay: 0.002, low: 1500, high: 9000 }, making), 0, 0.35],
      [synthesizeSweep({ from, to: from * 1.35, seconds: 0.16, decay: 0.035 }, sampleRate), 0.012, 1],
      [synthesizeSweep({ from: from * 0.6, to: from * 0.7, seconds: 0.12, decay: 0.03 }, sampleRate), 0.04, 0.4],
    ],
    sampleRate,
  );
};

const gurgle = (low: number, high: number, every: number): Source =>
  events(bubble(low, high), { every, loose: 1, variants: 24, wide: 0.4 });

const flush: Maker = (making) => {
  const { random, sampleRate } = making;
  const water = bandOf(noiseOf('white', Math.round(5 * sampleRate), random), 180, 3800, sampleRate);
  const parts = Array.from({ length: 60 }, () => [bubble(180, 600)(making), 1 + 4 * random.next(), 0.3] as const);
  return together([[shaped(water, [0.3, 1, 0.9, 0.6, 0.3, 0.1, 0])], ...parts], sampleRate);
};

const fall: Maker = (making) =>
  together(
    [
      [grains({ count: 60, over: 1.6, seconds: 0.03, decay: 0.006, low: 300, high: 3500, peak: 0.9 }, making), 0, 0.6],
      [burst({ seconds: 1.2, decay: 0.5, low: 500, high: 5500, attack: 0.5 }, making), 1, 0.6],
      [burst({ seconds: 0.9, decay: 0.2, low: 30, high: 320 }, making), 2.1, 1],
    ],
    making.sampleRate,
  );

const hailstone: Maker = (making) =>
  burst({ seconds: 0.03, decay: 0.003, low: between(making.random, 900, 2600), high: 9000 }, making);

export const NATURE: Readonly<Record<string, Source>> = byName({
  hail: mixed(
    [events(hailstone, { every: 0.022, loose: 1, variants: 24, wide: 1 }), 1],
    [wash({ low: 900, high: 7000, wander: [0.3, 1] }), 0.2],
  ),
  earthquake: mixed(
    [wash({ low: 18, high: 110, wander: [0.7, 0.5] }), 1],
    [
      events((making) => grains({ count: 30, over: 0.8, seconds: 0.05, decay: 0.01, low: 150, high: 2500 }, making), {
        every: 0.7,
        loose: 0.8,
        wide: 0.9,
      }),
      0.35,
    ],
  ),
  rumble: wash({ low: 22, high: 130, wander: [0.5, 1.4] }),
  'rustling leaves': mixed(
    [
      events(
        (making) => grains({ count: 60, over: 0.7, seconds: 0.015, decay: 0.002, low: 2200, high: 10_000 }, making),
        { every: 0.35, loose: 1, wide: 0.9, variants: 10 },
      ),
      1,
    ],
    [wash({ low: 1500, high: 8000, wander: [0.9, 1.4] }), 0.35],
  ),
  'falling tree': events(fall, { every: 6, variants: 3 }),
  avalanche: mixed(
    [wash({ low: 30, high: 400, wander: [0.4, 1] }), 1],
    [
      events((making) => grains({ count: 30, over: 0.4, seconds: 0.05, decay: 0.012, low: 120, high: 2200 }, making), {
        every: 0.16,
        loose: 1,
        wide: 1,
        variants: 12,
      }),
      0.7,
    ],
  ),
  drip: events(drop, { every: 0.85, loose: 0.4, wide: 0.4, variants: 10 }),
  pouring: mixed([gurgle(450, 1500, 0.018), 1], [wash({ low: 700, high: 5000, wander: [0.3, 0.3] }), 0.3]),
  bubbles: gurgle(260, 1300, 0.07),
  underwater: mixed([wash({ low: 30, high: 320, wander: [0.5, 1.8] }), 1], [gurgle(160, 700, 0.16), 0.7]),
  boiling: mixed(
    [gurgle(160, 620, 0.022), 1],
    [wash({ low: 150, high: 1600, wander: [0.3, 0.4] }), 0.35],
    [wash({ low: 2500, high: 9000 }), 0.06],
  ),
  kettle: mixed(
    [gurgle(180, 620, 0.03), 0.6],
    [wash({ low: 200, high: 1800 }), 0.4],
    [
      motor({
        hertz: 1870,
        pulse: (making) => burst({ seconds: 0.001, decay: 0.0004, low: 1200, high: 4000 }, making),
        rough: 0.2,
        wander: [0.006, 0.7],
        rings: [
          [1870, 30, 3],
          [3740, 80, 0.5],
        ],
      }),
      0.5,
    ],
    [wash({ low: 2500, high: 9000 }), 0.2],
  ),
  shower: mixed(
    [wash({ low: 900, high: 9500 }), 1],
    [
      events((making) => burst({ seconds: 0.02, decay: 0.003, low: 700, high: 6000 }, making), {
        every: 0.012,
        loose: 1,
        variants: 20,
        wide: 0.8,
      }),
      0.7,
    ],
  ),
  tap: mixed([wash({ low: 700, high: 7000, wander: [0.15, 0.3] }), 1], [gurgle(500, 1600, 0.03), 0.4]),
  toilet: events(flush, { every: 8, variants: 2 }),
  swimming: mixed(
    [
      events(
        (making) =>
          shaped(burst({ seconds: 0.7, decay: 0.4, low: 250, high: 4500, attack: 0.1 }, making), [0, 1, 0.5, 0.2, 0]),
        { every: 1.1, loose: 0.15, wide: 0.5 },
      ),
      1,
    ],
    [gurgle(220, 1100, 0.09), 0.5],
  ),
  sprinkler: mixed(
    [
      events((making) => burst({ seconds: 0.09, decay: 0.025, low: 1800, high: 10_000 }, making), {
        every: 0.3,
        loose: 0.02,
      }),
      1,
    ],
    [wash({ low: 2200, high: 9000 }), 0.2],
  ),
  frying: mixed(
    [wash({ low: 2500, high: 13_000, wander: [0.35, 0.25] }), 1],
    [
      events((making) => burst({ seconds: 0.02, decay: 0.0025, low: 1800, high: 12_000 }, making), {
        every: 0.03,
        loose: 1,
        variants: 20,
        wide: 0.4,
      }),
      0.9,
    ],
  ),
  hiss: wash({ low: 2800, high: 14_000, wander: [0.15, 0.7] }),
  torch: mixed(
    [wash({ low: 60, high: 700, wander: [0.8, 0.12] }), 1],
    [
      events((making) => burst({ seconds: 0.02, decay: 0.002, low: 900, high: 8000 }, making), {
        every: 0.25,
        loose: 1,
      }),
      0.4,
    ],
  ),
  lava: mixed([gurgle(60, 190, 0.12), 1], [wash({ low: 30, high: 350, wander: [0.5, 1] }), 0.5]),
  electricity: mixed(
    [
      motor({
        hertz: 50,
        pulse: (making) => burst({ seconds: 0.012, decay: 0.003, low: 400, high: 7000 }, making),
        rough: 0.8,
        wander: [0.01, 1],
      }),
      0.6,
    ],
    [
      events(
        (making) => grains({ count: 30, over: 0.18, seconds: 0.008, decay: 0.001, low: 1500, high: 13_000 }, making),
        { every: 0.45, loose: 1, variants: 10 },
      ),
      1,
    ],
  ),
});
