/** Animals and people: throats, wings and hooves. */

import { byName } from '../../../src-server/platform/records.ts';
import {
  between,
  burst,
  type Cry,
  cry,
  type Formant,
  grains,
  type Making,
  mixInto,
  shaped,
  strike,
  together,
} from './bodies.ts';
import { events, type Maker, mixed, motor, type Source, wash } from './composing.ts';
import { synthesizeSweep } from './noise.ts';

const call =
  (one: Cry): Maker =>
  (making) =>
    cry({ ...one, seconds: one.seconds * between(making.random, 0.85, 1.18) }, making);

/** Cries one after another: each with the seconds of its beginning. */
const phrase =
  (...parts: readonly (readonly [one: Cry, seconds: number, level?: number])[]): Maker =>
  (making) =>
    together(
      parts.map(([one, seconds, level = 1]) => [cry(one, making), seconds, level] as const),
      making.sampleRate,
    );

const OPEN: readonly Formant[] = [
  [700, 110, 1],
  [1150, 130, 0.7],
  [2700, 220, 0.3],
];
const ROUND: readonly Formant[] = [
  [380, 90, 1],
  [820, 120, 0.5],
  [2300, 250, 0.15],
];
const BRIGHT: readonly Formant[] = [
  [520, 110, 0.8],
  [1900, 180, 1],
  [2900, 260, 0.5],
];

const bark: Cry = {
  seconds: 0.2,
  pitch: [280, 520, 430, 260],
  formants: [
    [620, 140, 1],
    [1250, 200, 0.8],
    [2600, 350, 0.35],
  ],
  rough: 0.5,
  breath: 0.35,
  rise: 0.08,
  fall: 0.5,
};
const meow: Cry = {
  seconds: 0.75,
  pitch: [480, 720, 760, 690, 470],
  formants: [
    [800, 160, 0.8],
    [1700, 200, 1],
    [3100, 300, 0.4],
  ],
  rough: 0.08,
  breath: 0.06,
  rise: 0.15,
  fall: 0.4,
};
const moo: Cry = {
  seconds: 1.6,
  pitch: [95, 125, 140, 135, 105],
  formants: [
    [300, 70, 1],
    [620, 90, 0.7],
    [1500, 200, 0.25],
  ],
  rough: 0.2,
  breath: 0.12,
  rise: 0.2,
  fall: 0.3,
};
const howl: Cry = {
  seconds: 2.8,
  pitch: [280, 430, 510, 520, 505, 480, 380, 300],
  formants: [
    [500, 90, 1],
    [1000, 130, 0.35],
    [2200, 250, 0.1],
  ],
  rough: 0.03,
  breath: 0.04,
  rise: 0.2,
  fall: 0.3,
  vibrato: [5, 0.01],
};
const growl: Cry = {
  seconds: 1.7,
  pitch: [58, 66, 72, 60],
  formants: [
    [330, 120, 1],
    [780, 180, 0.7],
    [1700, 350, 0.35],
  ],
  rough: 0.9,
  breath: 0.4,
  rise: 0.2,
  fall: 0.3,
};
const roar: Cry = {
  seconds: 2.3,
  pitch: [70, 105, 120, 95, 60],
  formants: [
    [280, 120, 1],
    [560, 160, 0.9],
    [1250, 300, 0.5],
  ],
  rough: 0.8,
  breath: 0.45,
  rise: 0.18,
  fall: 0.5,
};
const neigh: Cry = {
  seconds: 1.5,
  pitch: [600, 1150, 1250, 1100, 900, 650, 420],
  formants: [
    [900, 200, 1],
    [1900, 300, 0.8],
    [3400, 450, 0.5],
  ],
  rough: 0.4,
  breath: 0.2,
  rise: 0.05,
  fall: 0.5,
  vibrato: [11, 0.09],
};
const bleat: Cry = {
  seconds: 0.85,
  pitch: [330, 350, 340, 310],
  formants: [
    [620, 120, 1],
    [1500, 200, 0.9],
    [2600, 300, 0.4],
  ],
  rough: 0.35,
  breath: 0.12,
  rise: 0.08,
  fall: 0.3,
  vibrato: [9, 0.06],
};
const oink: Cry = {
  seconds: 0.26,
  pitch: [120, 170, 130],
  formants: [
    [480, 130, 1],
    [1300, 250, 0.8],
    [2500, 400, 0.4],
  ],
  rough: 0.9,
  breath: 0.55,
  rise: 0.15,
  fall: 0.4,
};
const caw: Cry = {
  seconds: 0.42,
  pitch: [430, 560, 540, 400],
  formants: [
    [1150, 250, 1],
    [1750, 300, 0.9],
    [3000, 500, 0.5],
  ],
  rough: 0.85,
  breath: 0.4,
  rise: 0.1,
  fall: 0.35,
};
const crow1: Cry = {
  seconds: 0.24,
  pitch: [520, 760],
  formants: BRIGHT,
  rough: 0.35,
  breath: 0.15,
  rise: 0.1,
  fall: 0.2,
};
const crow2: Cry = {
  seconds: 1.1,
  pitch: [760, 980, 930, 820, 560],
  formants: [
    [950, 160, 1],
    [1900, 220, 1],
    [3000, 350, 0.5],
  ],
  rough: 0.35,
  breath: 0.12,
  rise: 0.05,
  fall: 0.45,
};
const cluck: Cry = {
  seconds: 0.1,
  pitch: [380, 560, 420],
  formants: [
    [900, 200, 1],
    [2000, 300, 0.6],
  ],
  rough: 0.4,
  breath: 0.2,
  rise: 0.1,
  fall: 0.5,
};
const quack: Cry = {
  seconds: 0.24,
  pitch: [260, 300, 240],
  formants: [
    [1200, 200, 1],
    [2100, 250, 0.9],
    [3200, 350, 0.4],
  ],
  rough: 0.45,
  breath: 0.15,
  rise: 0.06,
  fall: 0.35,
};
const honk: Cry = {
  seconds: 0.4,
  pitch: [330, 480, 430],
  formants: [
    [900, 160, 1],
    [1700, 220, 0.8],
    [2800, 300, 0.4],
  ],
  rough: 0.35,
  breath: 0.12,
  rise: 0.06,
  fall: 0.3,
};
const coo: Cry = {
  seconds: 0.6,
  pitch: [350, 420, 400, 330],
  formants: [
    [400, 60, 1],
    [800, 120, 0.15],
  ],
  rough: 0.25,
  breath: 0.05,
  rise: 0.2,
  fall: 0.4,
  vibrato: [24, 0.04],
};
const trumpet: Cry = {
  seconds: 1.3,
  pitch: [330, 560, 640, 600, 380],
  formants: [
    [700, 160, 1],
    [1500, 250, 0.9],
    [2600, 400, 0.6],
  ],
  rough: 0.5,
  breath: 0.2,
  rise: 0.08,
  fall: 0.35,
};
const hoot: Cry = {
  seconds: 0.22,
  pitch: [330, 460, 420],
  formants: OPEN,
  rough: 0.15,
  breath: 0.15,
  rise: 0.15,
  fall: 0.3,
};
const whale: Cry = {
  seconds: 3.4,
  pitch: [180, 140, 230, 420, 380, 260, 170],
  formants: [
    [300, 90, 1],
    [700, 150, 0.5],
    [1400, 300, 0.2],
  ],
  rough: 0.05,
  breath: 0.04,
  rise: 0.25,
  fall: 0.3,
  vibrato: [3, 0.02],
};
const sealBark: Cry = {
  seconds: 0.35,
  pitch: [190, 230, 180],
  formants: [
    [480, 120, 1],
    [950, 180, 0.8],
    [2200, 300, 0.3],
  ],
  rough: 0.6,
  breath: 0.25,
  rise: 0.1,
  fall: 0.4,
};
const monster: Cry = {
  seconds: 2.4,
  pitch: [48, 80, 95, 70, 42],
  formants: [
    [210, 90, 1],
    [480, 140, 0.9],
    [1050, 300, 0.6],
  ],
  rough: 0.9,
  breath: 0.4,
  rise: 0.12,
  fall: 0.45,
};

const ha: Cry = { seconds: 0.13, pitch: [230, 215], formants: OPEN, rough: 0.1, breath: 0.35, rise: 0.15, fall: 0.5 };
const wail: Cry = {
  seconds: 0.9,
  pitch: [400, 520, 540, 500, 380],
  formants: [
    [850, 160, 1],
    [1400, 200, 0.9],
    [3300, 350, 0.5],
  ],
  rough: 0.3,
  breath: 0.1,
  rise: 0.12,
  fall: 0.3,
  vibrato: [7, 0.03],
};
const scream: Cry = {
  seconds: 1.4,
  pitch: [800, 1150, 1200, 1100, 700],
  formants: [
    [1000, 200, 0.9],
    [1600, 250, 1],
    [3300, 400, 0.6],
  ],
  rough: 0.45,
  breath: 0.15,
  rise: 0.05,
  fall: 0.3,
};
const shout: Cry = {
  seconds: 0.6,
  pitch: [230, 310, 290, 220],
  formants: OPEN,
  rough: 0.25,
  breath: 0.2,
  rise: 0.1,
  fall: 0.3,
};

const breathOf = (low: number, high: number, seconds: number, levels: readonly number[]): Maker => {
  return (making) => shaped(burst({ seconds, decay: seconds * 3, low, high, attack: seconds / 6 }, making), levels);
};

/** Beats of wings. */
const wings = (hertz: number, formant: number): Source =>
  motor({
    hertz,
    rough: 0.15,
    wander: [0.12, 0.5],
    pulse: (making) =>
      strike(
        {
          hertz: formant,
          seconds: 0.012,
          modes: [
            [1, 1, 0.002],
            [2.1, 0.5, 0.0015],
          ],
        },
        making,
      ),
    rings: [
      [hertz * 2, hertz / 3, 1],
      [hertz * 4, hertz / 2, 0.5],
    ],
  });

/** Insects come and go: their level wanders. */
const swarm = (hertz: number, count: number): Source =>
  mixed(
    ...Array.from({ length: count }, (_, index) => {
      return [wings(hertz * (0.86 + (0.3 * index) / count), hertz * 5), 1] as const;
    }),
    [wash({ low: hertz, high: hertz * 5, wander: [0.5, 0.7] }), 0.12],
  );

const laughter = (pitch: number): Maker => {
  return (making) => {
    const count = 5 + Math.floor(making.random.next() * 5);
    const parts = Array.from({ length: count }, (_, index) => {
      const fall = 1.15 - (0.3 * index) / count;
      const one = {
        ...ha,
        pitch: [pitch * fall * 1.06, pitch * fall * 0.94],
        formants: making.random.chance(0.5) ? OPEN : BRIGHT,
      };
      return [cry(one, making), index * 0.19, 1 - (0.5 * index) / count] as const;
    });
    return together(parts, making.sampleRate);
  };
};

const voices = (make: Maker, every: number, count: number): Source =>
  mixed(
    ...Array.from(
      { length: count },
      (_, index) => [events(make, { every: every * (1 + index / 7), loose: 1, wide: 1, variants: 4 }), 1] as const,
    ),
  );

const clap: Maker = (making) =>
  together(
    [
      [burst({ seconds: 0.09, decay: 0.008, low: 700, high: 5200 }, making)],
      [
        strike(
          {
            hertz: between(making.random, 900, 1500),
            seconds: 0.06,
            modes: [
              [1, 1, 0.007],
              [1.8, 0.5, 0.005],
            ],
          },
          making,
        ),
        0,
        0.5,
      ],
    ],
    making.sampleRate,
  );

const hoof = (hertz: number): Maker => {
  return (making) =>
    together(
      [
        [
          strike(
            {
              hertz: hertz * between(making.random, 0.85, 1.2),
              seconds: 0.12,
              modes: [
                [1, 1, 0.016],
                [2.2, 0.7, 0.01],
                [3.9, 0.4, 0.006],
              ],
            },
            making,
          ),
        ],
        [grains({ count: 8, over: 0.08, seconds: 0.015, decay: 0.003, low: 900, high: 5000 }, making), 0.01, 0.35],
      ],
      making.sampleRate,
    );
};

const gallop = (making: Making): Float32Array => {
  const one = hoof(making.ground === 'grass' || making.ground === 'sand' || making.ground === 'snow' ? 210 : 820);
  return together(
    [
      [one(making), 0, 0.7],
      [one(making), 0.11, 0.8],
      [one(making), 0.21, 1],
    ],
    making.sampleRate,
  );
};

const chirps = (low: number, high: number, count: number): Maker => {
  return ({ random, sampleRate }) => {
    const parts = Array.from({ length: count }, (_, index) => {
      const from = between(random, low, high);
      return [
        synthesizeSweep(
          { from, to: from * between(random, 0.7, 1.4), seconds: 0.06 + 0.08 * random.next() },
          sampleRate,
        ),
        index * 0.12,
        1,
      ] as const;
    });
    return together(parts, sampleRate);
  };
};

const rattler: Maker = (making) =>
  shaped(
    grains({ count: 90, over: 1.5, seconds: 0.01, decay: 0.002, low: 4000, high: 12_000, peak: 0.5 }, making),
    [0.3, 1, 1, 0.9, 0],
  );

const drum: Maker = (making) => {
  const sound = new Float32Array(Math.round(0.75 * making.sampleRate));
  const peck = strike(
    {
      hertz: 900,
      seconds: 0.04,
      modes: [
        [1, 1, 0.006],
        [2.4, 0.5, 0.004],
      ],
    },
    making,
  );
  for (let beat = 0; beat < 15; beat += 1)
    mixInto(sound, peck, Math.round(beat * 0.048 * making.sampleRate), 1 - beat / 22);
  return sound;
};

export const ANIMALS: Readonly<Record<string, Source>> = byName({
  dog: events(call(bark), { every: 2.2, group: [1, 4, 0.36], wide: 0.3 }),
  growl: events(call(growl), { every: 2.4 }),
  wolf: events(call(howl), { every: 4.6, variants: 4, wide: 0.6 }),
  cat: events(call(meow), { every: 2.6, variants: 8 }),
  purr: mixed(
    [
      motor({
        hertz: 26,
        pulse: (making) => burst({ seconds: 0.03, decay: 0.008, low: 60, high: 900 }, making),
        rough: 0.3,
        course: { seconds: 1.5, speeds: [1, 1.03, 0.96, 0.94] },
        rings: [
          [110, 60, 1],
          [320, 120, 0.5],
        ],
      }),
      1,
    ],
    [wash({ low: 90, high: 700, beat: [0.67, 0.7] }), 0.25],
  ),
  crow: events(call(caw), { every: 2.8, group: [2, 4, 0.62], wide: 0.6 }),
  rooster: events(phrase([crow1, 0], [crow1, 0.32], [{ ...crow1, seconds: 0.3 }, 0.62], [crow2, 0.95]), {
    every: 5,
    variants: 4,
  }),
  chicken: events(call(cluck), { every: 1.1, group: [3, 7, 0.22], wide: 0.6, variants: 9 }),
  duck: events(call(quack), { every: 1.9, group: [2, 5, 0.34], wide: 0.5 }),
  goose: events(call(honk), { every: 1.7, group: [2, 4, 0.55], wide: 0.6 }),
  pigeon: events(phrase([coo, 0], [{ ...coo, seconds: 0.4 }, 0.72], [coo, 1.2, 0.8]), { every: 3, wide: 0.5 }),
  woodpecker: events(drum, { every: 2.8, wide: 0.6 }),
  cuckoo: events(
    phrase(
      [{ ...coo, pitch: [690, 680], vibrato: [5, 0], seconds: 0.26 }, 0],
      [{ ...coo, pitch: [545, 540], vibrato: [5, 0], seconds: 0.38 }, 0.42],
    ),
    { every: 1.8, loose: 0.2, wide: 0.3 },
  ),
  eagle: events(
    ({ sampleRate }) =>
      synthesizeSweep(
        { from: 2900, to: 1900, seconds: 1.1, partials: [1, 0.5, 0.3, 0.15], vibrato: [17, 0.02] },
        sampleRate,
      ),
    { every: 4, wide: 0.7 },
  ),
  turkey: events(call({ ...cluck, seconds: 0.9, pitch: [500, 760, 420, 620, 380, 500, 340], rough: 0.6 }), {
    every: 3,
  }),
  parrot: events(call({ ...caw, pitch: [900, 1400, 1100, 1500, 800], seconds: 0.5 }), {
    every: 1.8,
    group: [1, 3, 0.6],
  }),
  cow: events(call(moo), { every: 4, wide: 0.7 }),
  horse: events(call(neigh), { every: 4.5, wide: 0.4 }),
  hooves: events(gallop, { every: 0.48, loose: 0.03, variants: 8, wide: 0.2 }),
  donkey: events(
    phrase(
      [{ ...bleat, seconds: 0.7, pitch: [520, 760, 700], breath: 0.5 }, 0],
      [{ ...moo, seconds: 0.7, pitch: [190, 170, 150], rough: 0.7 }, 0.75],
      [{ ...bleat, seconds: 0.7, pitch: [500, 720, 690], breath: 0.5 }, 1.6],
      [{ ...moo, seconds: 0.8, pitch: [180, 160, 130], rough: 0.7 }, 2.35],
    ),
    { every: 6, variants: 3 },
  ),
  pig: events(call(oink), { every: 1, group: [1, 4, 0.3], wide: 0.5, variants: 8 }),
  sheep: events(call(bleat), { every: 2.3, wide: 0.8, variants: 8 }),
  goat: events(call({ ...bleat, pitch: [430, 470, 450, 400], vibrato: [13, 0.09], rough: 0.6 }), {
    every: 2.6,
    wide: 0.6,
  }),
  lion: events(call(roar), { every: 4.4, variants: 4 }),
  bear: events(call({ ...roar, seconds: 1.5, pitch: [85, 120, 100, 70] }), { every: 3.4 }),
  elephant: events(call(trumpet), { every: 4 }),
  monkey: events(call(hoot), { every: 1.5, group: [3, 8, 0.24], wide: 0.7, variants: 8 }),
  snake: events(breathOf(3500, 13_000, 1.2, [0, 1, 0.8, 0]), { every: 2.4 }),
  rattlesnake: events(rattler, { every: 2.2 }),
  bees: swarm(215, 5),
  fly: mixed([wings(185, 900), 1], [wash({ low: 180, high: 1100, wander: [1, 0.5] }), 0.1]),
  mosquito: wings(560, 2300),
  mouse: events(chirps(3200, 6500, 3), { every: 1.2, loose: 1, wide: 0.5 }),
  bat: events(chirps(6500, 11_000, 6), { every: 0.9, loose: 1, wide: 0.9 }),
  whale: events(call(whale), { every: 4.5, variants: 6, wide: 0.7 }),
  dolphin: mixed(
    [
      events(
        ({ random, sampleRate }) =>
          synthesizeSweep(
            { from: 4200, to: between(random, 7000, 11_000), seconds: 0.5, partials: [1, 0.2], vibrato: [6, 0.08] },
            sampleRate,
          ),
        { every: 1.6, wide: 0.7 },
      ),
      1,
    ],
    [
      events(
        (making) =>
          grains({ count: 40, over: 0.6, seconds: 0.006, decay: 0.0008, low: 2500, high: 12_000, peak: 0.6 }, making),
        { every: 1.9 },
      ),
      0.6,
    ],
  ),
  seal: events(call(sealBark), { every: 1.5, group: [2, 5, 0.5] }),
  monster: events(call(monster), { every: 4, variants: 5 }),
  wings: events(
    (making) =>
      shaped(burst({ seconds: 0.13, decay: 0.12, low: 250, high: 3200, attack: 0.03 }, making), [0, 1, 0.4, 0]),
    { every: 1.9, group: [6, 12, 0.13], wide: 0.6 },
  ),
});

export const PEOPLE: Readonly<Record<string, Source>> = byName({
  applause: mixed(
    [voices(clap, 0.31, 8), 1],
    [
      events(
        (making) =>
          together(
            Array.from(
              { length: 16 },
              () => [clap(making), making.random.next() * 0.3, 0.4 + 0.6 * making.random.next()] as const,
            ),
            making.sampleRate,
          ),
        { every: 0.13, loose: 1, wide: 1, variants: 10 },
      ),
      1,
    ],
  ),
  cheering: mixed(
    [voices(call(shout), 0.9, 9), 1],
    [voices(call({ ...shout, pitch: [340, 520, 480, 380], formants: BRIGHT }), 1.3, 5), 0.6],
    [wash({ low: 400, high: 2600, wander: [0.4, 1.5] }), 0.45],
  ),
  laughter: mixed(
    [events(laughter(150), { every: 2.4, wide: 0.6, variants: 4 }), 1],
    [events(laughter(255), { every: 2.9, wide: 0.8, variants: 4 }), 0.8],
  ),
  children: mixed(
    [voices(call({ ...shout, seconds: 0.4, pitch: [420, 620, 560, 430], formants: BRIGHT }), 1.1, 6), 1],
    [voices(laughter(360), 3.2, 3), 0.8],
    [voices(call({ ...scream, seconds: 0.6 }), 5, 2), 0.25],
  ),
  baby: events(call(wail), { every: 1.5, loose: 0.3, group: [1, 3, 1.15], variants: 8 }),
  scream: events(call(scream), { every: 4, variants: 4 }),
  cough: events(
    (making) =>
      together(
        [
          [cry({ ...bark, pitch: [140, 190, 130], breath: 0.75, formants: OPEN, seconds: 0.2 }, making)],
          [cry({ ...bark, pitch: [130, 170, 120], breath: 0.8, formants: OPEN, seconds: 0.25 }, making), 0.34, 0.7],
        ],
        making.sampleRate,
      ),
    { every: 2.8 },
  ),
  sneeze: events(
    (making) =>
      together(
        [
          [breathOf(900, 5000, 0.5, [0, 0.3, 1, 0.2])(making), 0, 0.4],
          [cry({ ...ha, seconds: 0.3, pitch: [330, 240], breath: 0.75 }, making), 0.55, 1],
          [burst({ seconds: 0.35, decay: 0.09, low: 1800, high: 10_000 }, making), 0.6, 0.8],
        ],
        making.sampleRate,
      ),
    { every: 4 },
  ),
  snoring: events(
    (making) =>
      together(
        [
          [cry({ ...growl, seconds: 1.3, pitch: [38, 46, 52, 44], breath: 0.45 }, making)],
          [breathOf(300, 2400, 1.2, [0, 0.7, 1, 0])(making), 1.7, 0.22],
        ],
        making.sampleRate,
      ),
    { every: 3.8, loose: 0.08, variants: 4 },
  ),
  breathing: events(
    (making) =>
      together(
        [
          [breathOf(700, 4200, 0.95, [0, 0.6, 1, 0.1])(making), 0, 0.8],
          [breathOf(350, 2600, 1.2, [0, 1, 0.5, 0])(making), 1.15, 1],
        ],
        making.sampleRate,
      ),
    { every: 2.9, loose: 0.08 },
  ),
  whispering: mixed(
    [
      events(
        (making) => {
          const formants = making.random.pick([OPEN, ROUND, BRIGHT]);
          return cry(
            {
              seconds: between(making.random, 0.09, 0.24),
              pitch: [100, 100],
              formants,
              breath: 1,
              rise: 0.25,
              fall: 0.4,
            },
            making,
          );
        },
        { every: 0.34, loose: 1, group: [2, 6, 0.17], variants: 14 },
      ),
      1,
    ],
    [events(breathOf(3800, 9500, 0.11, [0, 1, 0]), { every: 0.7, loose: 1 }), 0.4],
  ),
  sigh: events(breathOf(400, 2400, 1.3, [0, 1, 0.5, 0.2, 0]), { every: 4 }),
  gasp: events(breathOf(900, 5200, 0.42, [0, 0.4, 1, 0]), { every: 3 }),
  kiss: events(
    (making) =>
      together(
        [
          [burst({ seconds: 0.12, decay: 0.03, low: 1500, high: 6000, attack: 0.03 }, making), 0, 0.5],
          [burst({ seconds: 0.05, decay: 0.006, low: 900, high: 7000 }, making), 0.1, 1],
        ],
        making.sampleRate,
      ),
    { every: 2 },
  ),
  clap: events(clap, { every: 0.7, loose: 0.1 }),
  'finger snap': events(
    (making) =>
      strike(
        {
          hertz: 1900,
          seconds: 0.09,
          modes: [
            [1, 1, 0.008],
            [1.7, 0.6, 0.005],
          ],
          click: { level: 0.6, low: 1500, high: 9000, decay: 0.003 },
        },
        making,
      ),
    { every: 0.8, loose: 0.1 },
  ),
  sobbing: events(
    (making) =>
      together(
        Array.from(
          { length: 4 },
          (_, index) =>
            [
              cry({ ...wail, seconds: 0.28, pitch: [330, 290, 250], breath: 0.35 }, making),
              index * 0.36,
              1 - index / 7,
            ] as const,
        ),
        making.sampleRate,
      ),
    { every: 2.8 },
  ),
  drinking: events(
    (making) =>
      together(
        [
          [synthesizeSweep({ from: 190, to: 420, seconds: 0.16, decay: 0.05 }, making.sampleRate)],
          [burst({ seconds: 0.1, decay: 0.02, low: 300, high: 1800 }, making), 0.03, 0.5],
        ],
        making.sampleRate,
      ),
    { every: 1.9, group: [2, 5, 0.6] },
  ),
});
