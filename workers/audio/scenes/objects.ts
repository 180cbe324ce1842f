/** Things that are stepped on, struck, broken, moved and handled. */

import { byName } from '../../../src-server/platform/records.ts';
import {
  type Body,
  bandOf,
  between,
  burst,
  curveAt,
  grains,
  type Making,
  type Mode,
  mixInto,
  shaped,
  strike,
  together,
  toPeak,
} from './bodies.ts';
import { events, type Maker, mixed, type Source, wash } from './composing.ts';
import { noiseOf, synthesizeSweep } from './noise.ts';

const RINGING: readonly Mode[] = [
  [1, 1, 0.35],
  [2.32, 0.7, 0.3],
  [4.25, 0.5, 0.2],
  [6.63, 0.35, 0.12],
  [9.4, 0.2, 0.08],
];

const WOODEN: readonly Mode[] = [
  [1, 1, 0.035],
  [1.7, 0.6, 0.025],
  [2.9, 0.4, 0.018],
  [4.3, 0.2, 0.01],
];

const body = (hertz: number, modes: readonly Mode[], seconds: number, click = 0.3): Body => ({
  hertz,
  modes,
  seconds,
  click: { level: click, low: 800, high: 7000, decay: 0.004 },
});

const wood = (hertz: number) => (making: Making) => strike(body(hertz, WOODEN, 0.25), making);

const metal =
  (hertz: number, seconds = 1) =>
  (making: Making) =>
    strike(body(hertz * between(making.random, 0.9, 1.1), RINGING, seconds), making);

/** A dull blow: what is heavy falls on what gives way. */
const thud =
  (hertz: number, seconds = 0.3): Maker =>
  (making) =>
    together(
      [
        [synthesizeSweep({ from: hertz * 1.4, to: hertz * 0.7, seconds, decay: seconds / 4 }, making.sampleRate)],
        [burst({ seconds: 0.12, decay: 0.02, low: 60, high: 1400 }, making), 0, 0.5],
      ],
      making.sampleRate,
    );

const hardStep: Maker = (making) =>
  together(
    [
      [burst({ seconds: 0.09, decay: 0.012, low: 180, high: 3200 }, making)],
      [burst({ seconds: 0.1, decay: 0.02, low: 900, high: 6000, attack: 0.01 }, making), 0.07, 0.35],
    ],
    making.sampleRate,
  );

const STEPS: Readonly<Record<string, Maker>> = byName({
  concrete: hardStep,
  wood: (making) =>
    together(
      [
        [
          strike(
            body(
              95,
              WOODEN.map(([ratio, level, decay]) => [ratio, level, decay * 1.8] as const),
              0.3,
            ),
            making,
          ),
        ],
        [wood(210)(making), 0.08, 0.5],
      ],
      making.sampleRate,
    ),
  gravel: (making) => grains({ count: 55, over: 0.26, seconds: 0.02, decay: 0.004, low: 1300, high: 6500 }, making),
  snow: (making) =>
    together(
      [
        [grains({ count: 260, over: 0.28, seconds: 0.012, decay: 0.003, low: 900, high: 4200, peak: 0.6 }, making)],
        [shaped(squeak(making, 700, 900, 0.22), [0, 0.2, 1, 0]), 0.04, 0.12],
      ],
      making.sampleRate,
    ),
  grass: (making) => grains({ count: 120, over: 0.22, seconds: 0.03, decay: 0.008, low: 500, high: 3800 }, making),
  leaves: (making) => grains({ count: 45, over: 0.3, seconds: 0.02, decay: 0.003, low: 2200, high: 9000 }, making),
  sand: (making) => grains({ count: 400, over: 0.25, seconds: 0.02, decay: 0.006, low: 350, high: 2600 }, making),
  mud: (making) =>
    together(
      [
        [grains({ count: 14, over: 0.2, seconds: 0.05, decay: 0.012, low: 180, high: 1100 }, making)],
        [synthesizeSweep({ from: 260, to: 520, seconds: 0.12, decay: 0.05 }, making.sampleRate), 0.16, 0.5],
      ],
      making.sampleRate,
    ),
  metal: (making) => together([[metal(310, 0.7)(making)], [thud(110)(making), 0, 0.7]], making.sampleRate),
  carpet: (making) => burst({ seconds: 0.14, decay: 0.03, low: 50, high: 420, attack: 0.006 }, making),
  water: (making) => splash(0.35)(making),
  tile: (making) => together([[wood(900)(making)], [hardStep(making), 0, 0.7]], making.sampleRate),
});

const step: Maker = (making) => (STEPS[making.ground ?? 'concrete'] ?? hardStep)(making);

/** Something that sticks and slips at a pitch that wanders: hinges, boards, brakes. */
function squeak({ random, sampleRate }: Making, from: number, to: number, seconds: number): Float32Array {
  const sound = new Float32Array(Math.round(seconds * sampleRate));
  const bends = [from, between(random, from, to), between(random, from, to), to];
  let phase = 0;
  for (let index = 0; index < sound.length; index += 1) {
    phase += curveAt(bends, index / sound.length) / sampleRate;
    const turn = phase % 1;
    sound[index] = (1 - 2 * turn) * (0.8 + 0.2 * random.next());
  }
  return toPeak(bandOf(sound, from * 0.8, 7000, sampleRate));
}

/** A slow creak: single slips, close enough for a rough tone. */
const creak =
  (low: number, high: number, ring: number): Maker =>
  ({ random, sampleRate }) => {
    const seconds = between(random, 0.7, 1.5);
    const sound = new Float32Array(Math.round(seconds * sampleRate));
    const speeds = Array.from({ length: 5 }, () => between(random, low, high));
    const slip = strike(
      {
        hertz: ring,
        seconds: 0.05,
        modes: [
          [1, 1, 0.006],
          [1.9, 0.7, 0.004],
          [3.3, 0.5, 0.003],
        ],
      },
      { random, sampleRate, intensity: 0.5, ground: null },
    );
    for (let at = 0; at < sound.length; ) {
      mixInto(sound, slip, Math.round(at), 0.6 + 0.4 * random.next());
      at += (sampleRate / curveAt(speeds, at / sound.length)) * (0.94 + 0.12 * random.next());
    }
    return shaped(toPeak(sound), [0.2, 0.8, 1, 0.7, 0.2]);
  };

const shatter: Maker = (making) => {
  const { random, sampleRate } = making;
  const shards = Array.from({ length: 26 }, (_, shard) => {
    const hertz = between(random, 2200, 8500);
    const one = strike(
      {
        hertz,
        seconds: 0.4,
        modes: [
          [1, 1, 0.06],
          [1.61, 0.7, 0.04],
          [2.43, 0.4, 0.03],
        ],
      },
      making,
    );
    return [
      one,
      shard < 6 ? 0.02 * random.next() : 0.06 + 0.9 * random.next() ** 2,
      0.15 + 0.4 * random.next(),
    ] as const;
  });
  return together([[burst({ seconds: 0.3, decay: 0.03, low: 1200, high: 14_000 }, making)], ...shards], sampleRate);
};

/** Things that fall and come to rest: each after a shorter time. */
const bounces =
  (one: Maker, least: number, apart: number, falls = 0.72): Maker =>
  (making) => {
    const count = least + Math.floor(making.random.next() * 3);
    let [at, gap, level] = [0, apart, 1];
    const parts = Array.from({ length: count }, () => {
      const part = [one(making), at, level] as const;
      at += gap;
      gap *= falls;
      level *= falls + 0.08;
      return part;
    });
    return together(parts, making.sampleRate);
  };

const jingle =
  (low: number, high: number, count: number, over: number): Maker =>
  (making) => {
    const { random, sampleRate } = making;
    const parts = Array.from({ length: count }, () => {
      const ring = strike(
        { hertz: between(random, low, high), seconds: 0.3, modes: RINGING.map(([a, b, c]) => [a, b, c * 0.3]) },
        making,
      );
      return [ring, random.next() * over, 0.3 + 0.7 * random.next()] as const;
    });
    return together(parts, sampleRate);
  };

const splash =
  (seconds: number): Maker =>
  (making) => {
    const { random, sampleRate } = making;
    const drops = Array.from({ length: 16 }, () => {
      const from = between(random, 500, 2200);
      const drop = synthesizeSweep({ from, to: from * 1.5, seconds: 0.08, decay: 0.015 }, sampleRate);
      return [drop, seconds * (0.1 + 0.9 * random.next()), 0.12] as const;
    });
    const water = burst({ seconds, decay: seconds / 3, low: 300, high: 5500, attack: 0.012 }, making);
    return together([[water], [thud(90)(making), 0, 0.5], ...drops], sampleRate);
  };

/** A blast: a crack, a low push, and a rumble that rolls away. */
const blast =
  ({ crack, low, seconds }: { crack: number; low: number; seconds: number }): Maker =>
  (making) => {
    const { random, sampleRate } = making;
    const rumble = bandOf(noiseOf('brown', Math.round(seconds * sampleRate), random), 25, low * 4, sampleRate);
    for (let index = 0; index < rumble.length; index += 1) {
      rumble[index] = (rumble[index] ?? 0) * Math.exp((-4.5 * index) / rumble.length);
    }
    return together(
      [
        [burst({ seconds: 0.4, decay: 0.035, low: 120, high: 9000 }, making), 0, crack],
        [
          synthesizeSweep({ from: low * 2, to: low * 0.5, seconds: seconds / 2, decay: seconds / 7 }, sampleRate),
          0.004,
          1,
        ],
        [toPeak(rumble), 0.01, 0.8],
      ],
      sampleRate,
    );
  };

/** Air that something cuts: a band that rises and falls. */
const swish =
  (low: number, high: number, seconds: number): Maker =>
  ({ random, sampleRate }) => {
    const sound = noiseOf('white', Math.round(seconds * between(random, 0.85, 1.15) * sampleRate), random);
    let [one, two] = [0, 0];
    for (let index = 0; index < sound.length; index += 1) {
      const share = index / sound.length;
      const centre = low + (high - low) * Math.sin(Math.PI * share) ** 2;
      const tuning = 2 * Math.sin((Math.PI * Math.min(centre, sampleRate / 7)) / sampleRate);
      one += tuning * two;
      two += tuning * ((sound[index] ?? 0) - one - two / 1.6);
      sound[index] = two * Math.sin(Math.PI * share) ** 2.2;
    }
    return toPeak(sound);
  };

const scrape =
  (low: number, high: number, seconds: number): Maker =>
  (making) =>
    shaped(
      grains(
        { count: Math.round(260 * seconds), over: seconds, seconds: 0.02, decay: 0.006, low, high, peak: 0.5 },
        making,
      ),
      [0.3, 1, 0.8, 1, 0.2],
    );

const rustle = (low: number, high: number, count: number, over: number): Maker => {
  return (making) => grains({ count, over, seconds: 0.02, decay: 0.003, low, high, peak: 0.4 }, making);
};

const tick =
  (low: number, high: number): Maker =>
  (making) =>
    burst({ seconds: 0.03, decay: 0.002, low, high }, making);

const clash: Maker = (making) =>
  together(
    [[metal(1150, 1.2)(making)], [metal(1730, 1)(making), 0.004, 0.8], [swish(1500, 6000, 0.25)(making), 0, 0.25]],
    making.sampleRate,
  );

const doorSlam: Maker = (making) =>
  together(
    [
      [thud(85, 0.45)(making)],
      [wood(160)(making), 0.004, 0.9],
      [burst({ seconds: 0.25, decay: 0.04, low: 120, high: 2400 }, making), 0, 0.8],
      [jingle(1300, 2600, 3, 0.1)(making), 0.03, 0.12],
    ],
    making.sampleRate,
  );

const doorOpens: Maker = (making) =>
  together(
    [
      [tick(900, 6000)(making), 0, 0.8],
      [wood(520)(making), 0.05, 0.5],
      [creak(70, 160, 620)(making), 0.2, 0.35],
      [wood(180)(making), 1.9, 0.9],
      [tick(1200, 5000)(making), 1.96, 0.6],
    ],
    making.sampleRate,
  );

export const OBJECTS: Readonly<Record<string, Source>> = byName({
  footsteps: events(step, { every: 0.56, loose: 0.08, variants: 8, wide: 0.15 }),
  marching: mixed(
    [events(step, { every: 0.5, loose: 0.02, variants: 8, wide: 0.9 }), 1],
    [
      events((making) => grains({ count: 40, over: 0.09, seconds: 0.05, decay: 0.012, low: 150, high: 3000 }, making), {
        every: 0.5,
        loose: 0.02,
      }),
      1,
    ],
  ),
  creak: events(creak(40, 220, 780), { every: 2.4 }),
  'door slam': events(doorSlam, { every: 4 }),
  door: events(doorOpens, { every: 4.5 }),
  knock: events((making) => together([[wood(240)(making)], [thud(130, 0.2)(making), 0, 0.6]], making.sampleRate), {
    every: 2.6,
    group: [3, 4, 0.26],
    loose: 0.2,
  }),
  keys: events(jingle(2600, 6500, 14, 0.7), { every: 1.5 }),
  'breaking glass': events(shatter, { every: 4.5 }),
  glasses: events(metal(2350, 1.1), { every: 1.8, group: [1, 2, 0.25] }),
  dishes: events(jingle(900, 3200, 4, 0.35), { every: 0.9, wide: 0.5 }),
  chopping: events(
    (making) => together([[wood(150)(making)], [rustle(700, 5000, 20, 0.2)(making), 0.01, 0.4]], making.sampleRate),
    { every: 1.3, loose: 0.15 },
  ),
  wood: events(wood(330), { every: 1.1 }),
  clang: events(metal(430, 1.6), { every: 1.9 }),
  hammer: events(
    (making) => together([[metal(720, 0.5)(making)], [thud(190, 0.15)(making), 0, 0.8]], making.sampleRate),
    { every: 0.62, loose: 0.15, group: [3, 6, 0.55] },
  ),
  chain: events(jingle(900, 3800, 30, 1.1), { every: 1.7 }),
  ball: events(bounces(thud(150, 0.18), 5, 0.5), { every: 3.6 }),
  basketball: mixed(
    [events(thud(120, 0.22), { every: 0.62, loose: 0.25, wide: 0.6 }), 1],
    [events((making) => shaped(squeak(making, 1900, 2800, 0.16), [0, 1, 0.6, 0]), { every: 2.1, wide: 0.8 }), 0.4],
  ),
  explosion: events(blast({ crack: 0.7, low: 48, seconds: 3.4 }), { every: 6, variants: 3 }),
  gunshot: events(blast({ crack: 1, low: 110, seconds: 1.1 }), { every: 2.2, variants: 4 }),
  'machine gun': events(blast({ crack: 1, low: 130, seconds: 0.35 }), {
    every: 2.4,
    group: [8, 16, 0.09],
    loose: 0.1,
    variants: 4,
  }),
  fireworks: mixed(
    [events(blast({ crack: 0.8, low: 70, seconds: 1.6 }), { every: 1.5, wide: 0.9, variants: 4 }), 1],
    [
      events(
        (making) =>
          grains({ count: 70, over: 1.3, seconds: 0.02, decay: 0.003, low: 1500, high: 9000, peak: 0.3 }, making),
        { every: 2.1, wide: 0.9, variants: 4 },
      ),
      0.5,
    ],
    [
      events(({ sampleRate }) => synthesizeSweep({ from: 700, to: 2600, seconds: 1.2 }, sampleRate), {
        every: 3.4,
        wide: 0.8,
      }),
      0.15,
    ],
  ),
  punch: events(
    (making) =>
      together(
        [[thud(105, 0.25)(making)], [burst({ seconds: 0.1, decay: 0.014, low: 500, high: 4000 }, making), 0, 0.7]],
        making.sampleRate,
      ),
    { every: 1.4 },
  ),
  thud: events(thud(70, 0.5), { every: 2.4 }),
  crash: events(
    (making) =>
      together(
        [
          [thud(75, 0.5)(making)],
          [
            grains({ count: 120, over: 0.9, seconds: 0.08, decay: 0.02, low: 200, high: 5000, peak: 0.1 }, making),
            0,
            1,
          ],
          [jingle(500, 3000, 22, 0.9)(making), 0.02, 0.6],
          [shatter(making), 0.08, 0.5],
        ],
        making.sampleRate,
      ),
    { every: 5, variants: 3 },
  ),
  coins: events(bounces(metal(4200, 0.5), 6, 0.22, 0.78), { every: 2 }),
  paper: events(rustle(1500, 9000, 90, 0.8), { every: 1.2 }),
  zipper: events(
    (making) =>
      shaped(
        grains({ count: 110, over: 0.7, seconds: 0.012, decay: 0.0015, low: 1800, high: 9000, peak: 0.5 }, making),
        [0.4, 0.8, 1, 0.5],
      ),
    { every: 1.9 },
  ),
  cloth: events(
    (making) =>
      shaped(burst({ seconds: 0.5, decay: 0.6, low: 350, high: 4200, attack: 0.12 }, making), [0, 1, 0.4, 0.8, 0]),
    { every: 0.9 },
  ),
  whip: events(
    (making) =>
      together(
        [
          [swish(500, 5000, 0.28)(making), 0, 0.4],
          [burst({ seconds: 0.12, decay: 0.006, low: 1500, high: 14_000 }, making), 0.26, 1],
        ],
        making.sampleRate,
      ),
    { every: 2 },
  ),
  whoosh: events(swish(150, 2600, 0.8), { every: 1.9, wide: 0.8 }),
  sword: mixed(
    [events(clash, { every: 1.2, wide: 0.4 }), 1],
    [events(swish(700, 4200, 0.3), { every: 1.5, wide: 0.6 }), 0.3],
  ),
  arrow: events(
    (making) =>
      together(
        [
          [strike(body(140, WOODEN, 0.2), making), 0, 0.6],
          [swish(900, 5200, 0.35)(making), 0.02, 0.7],
          [wood(280)(making), 0.42, 1],
        ],
        making.sampleRate,
      ),
    { every: 2.6 },
  ),
  switch: events(
    (making) =>
      together(
        [[tick(1400, 8000)(making)], [wood(1200)(making), 0.002, 0.5], [tick(2000, 9000)(making), 0.05, 0.5]],
        making.sampleRate,
      ),
    { every: 1.6 },
  ),
  camera: events(
    (making) =>
      together(
        [
          [tick(1500, 9000)(making)],
          [rustle(2000, 7000, 20, 0.06)(making), 0.03, 0.4],
          [tick(1200, 7000)(making), 0.11, 0.8],
        ],
        making.sampleRate,
      ),
    { every: 2 },
  ),
  writing: events(scrape(2200, 7000, 0.22), { every: 0.34, loose: 0.6, group: [3, 7, 0.26] }),
  scissors: events(
    (making) =>
      together(
        [
          [scrape(3000, 9000, 0.16)(making), 0, 0.7],
          [metal(3600, 0.2)(making), 0.17, 0.7],
        ],
        making.sampleRate,
      ),
    { every: 0.7, loose: 0.2 },
  ),
  dice: events(bounces(wood(1100), 6, 0.11, 0.9), { every: 2.4 }),
  cards: events(
    (making) =>
      grains({ count: 44, over: 0.65, seconds: 0.012, decay: 0.002, low: 1500, high: 8000, peak: 0.5 }, making),
    { every: 1.8 },
  ),
  splash: events(splash(0.9), { every: 2.8, wide: 0.4 }),
  pop: events(
    (making) =>
      together(
        [
          [synthesizeSweep({ from: 420, to: 900, seconds: 0.06, decay: 0.014 }, making.sampleRate)],
          [burst({ seconds: 0.05, decay: 0.004, low: 500, high: 8000 }, making), 0, 0.8],
        ],
        making.sampleRate,
      ),
    { every: 1.3 },
  ),
  can: events(
    (making) =>
      together(
        [
          [tick(1500, 9000)(making)],
          [burst({ seconds: 0.7, decay: 0.18, low: 2500, high: 14_000 }, making), 0.02, 0.8],
          [metal(1500, 0.2)(making), 0.05, 0.4],
        ],
        making.sampleRate,
      ),
    { every: 3 },
  ),
  rocks: events(
    bounces(
      (making) => together([[thud(110, 0.2)(making)], [wood(420)(making), 0, 0.8]], making.sampleRate),
      7,
      0.26,
      0.93,
    ),
    { every: 1.4, wide: 0.7 },
  ),
  ice: events(
    (making) =>
      together(
        [
          [
            strike(
              {
                hertz: 900,
                seconds: 0.8,
                modes: [
                  [1, 1, 0.12],
                  [1.43, 0.8, 0.09],
                  [2.9, 0.6, 0.05],
                  [5.1, 0.4, 0.03],
                ],
              },
              making,
            ),
          ],
          [rustle(1500, 8000, 14, 0.25)(making), 0.01, 0.7],
        ],
        making.sampleRate,
      ),
    { every: 1.9 },
  ),
  crunch: events(
    (making) => grains({ count: 36, over: 0.22, seconds: 0.015, decay: 0.003, low: 900, high: 6000 }, making),
    { every: 0.62, loose: 0.3 },
  ),
  match: events(
    (making) =>
      together(
        [
          [scrape(1800, 8000, 0.28)(making), 0, 0.6],
          [burst({ seconds: 1, decay: 0.25, low: 600, high: 9000, attack: 0.06 }, making), 0.26, 1],
        ],
        making.sampleRate,
      ),
    { every: 3.4 },
  ),
  saw: events(
    (making) =>
      shaped(
        grains({ count: 75, over: 0.36, seconds: 0.015, decay: 0.003, low: 700, high: 4800, peak: 0.5 }, making),
        [0.3, 1, 0.8, 0.2],
      ),
    { every: 0.5, loose: 0.08 },
  ),
  scrape: events(scrape(500, 4500, 0.9), { every: 1.6 }),
  digging: events(
    (making) =>
      together(
        [
          [scrape(900, 5200, 0.35)(making), 0, 0.9],
          [metal(880, 0.35)(making), 0.02, 0.25],
          [grains({ count: 50, over: 0.4, seconds: 0.03, decay: 0.006, low: 400, high: 3500 }, making), 0.95, 0.8],
        ],
        making.sampleRate,
      ),
    { every: 2.1, loose: 0.2 },
  ),
  sweeping: events(
    (making) => shaped(burst({ seconds: 0.55, decay: 0.8, low: 900, high: 6000, attack: 0.1 }, making), [0, 0.6, 1, 0]),
    { every: 0.85, loose: 0.12 },
  ),
  squeak: events(
    (making) => shaped(squeak(making, 900, 1900, between(making.random, 0.25, 0.6)), [0, 1, 0.7, 0.9, 0]),
    { every: 1.2, loose: 0.4 },
  ),
  rattle: events(
    (making) => grains({ count: 26, over: 0.5, seconds: 0.05, decay: 0.008, low: 700, high: 5000, peak: 0.5 }, making),
    { every: 0.65 },
  ),
  drawer: events(
    (making) =>
      together(
        [
          [scrape(250, 2600, 0.6)(making), 0, 0.8],
          [wood(190)(making), 0.6, 1],
        ],
        making.sampleRate,
      ),
    { every: 2.4 },
  ),
  bottle: events(metal(1250, 0.6), { every: 1.6, group: [1, 3, 0.2] }),
  flag: events(
    (making) =>
      shaped(burst({ seconds: 0.22, decay: 0.3, low: 120, high: 2200, attack: 0.03 }, making), [0, 1, 0.3, 0]),
    { every: 0.3, loose: 0.8, wide: 0.4 },
  ),
  'creaking ship': mixed(
    [events(creak(25, 90, 340), { every: 1.9, wide: 0.7 }), 1],
    [wash({ low: 120, high: 1100, wander: [0.9, 2.4] }), 0.45],
  ),
});
