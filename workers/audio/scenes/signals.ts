/** Bells, telephones, alarms, and sounds of games and films. */

import { byName } from '../../../src-server/platform/records.ts';
import { bandOf, between, burst, type Making, type Mode, shaped, strike, together } from './bodies.ts';
import { events, type Maker, mixed, motor, type Source, wash } from './composing.ts';
import { noiseOf, synthesizeSweep } from './noise.ts';

/** Partials of a church bell: hum, prime, tierce, quint, nominal and above. */
const BELL: readonly Mode[] = [
  [0.5, 0.6, 3.2],
  [1, 0.8, 2.2],
  [1.19, 0.75, 1.6],
  [1.5, 0.4, 1.1],
  [2, 1, 1],
  [2.51, 0.5, 0.6],
  [3.01, 0.4, 0.45],
  [4.17, 0.3, 0.3],
];

const small: readonly Mode[] = [
  [1, 1, 0.7],
  [2.04, 0.5, 0.4],
  [2.76, 0.6, 0.3],
  [5.4, 0.35, 0.12],
];

const bell =
  (hertz: readonly number[], modes: readonly Mode[], seconds: number): Maker =>
  (making) =>
    strike(
      {
        hertz: making.random.pick(hertz),
        modes,
        seconds,
        wander: 0.004,
        click: { level: 0.12, low: 1200, high: 9000, decay: 0.004 },
      },
      making,
    );

/** A tone that stays, of several frequencies. */
const tones =
  (hertz: readonly number[], seconds: number, partials: readonly number[] = [1]): Maker =>
  ({ sampleRate }) => {
    const all = hertz.map(
      (one) => [synthesizeSweep({ from: one, to: one, seconds, decay: 60, partials }, sampleRate)] as const,
    );
    const sound = together(all, sampleRate);
    const edge = Math.min(0.01 * sampleRate, sound.length / 4);
    for (let index = 0; index < edge; index += 1) {
      const at = sound.length - 1 - index;
      sound[at] = (sound[at] ?? 0) * (index / edge);
    }
    return sound;
  };

/** Tones one after another: frequency, beginning, length. */
const melody =
  (
    notes: readonly (readonly [hertz: number, at: number, seconds: number])[],
    partials: readonly number[],
    decay = 9,
  ): Maker =>
  ({ sampleRate }) =>
    together(
      notes.map(
        ([hertz, at, seconds]) =>
          [synthesizeSweep({ from: hertz, to: hertz, seconds, decay, partials }, sampleRate), at, 0.8] as const,
      ),
      sampleRate,
    );

/** A hammer that strikes a bell many times a second, as of old telephones. */
const rung = (hertz: number, seconds: number, rate: number): Maker => {
  return (making) => {
    const count = Math.round(seconds * rate);
    const parts = Array.from({ length: count }, (_, index) => {
      const one = strike(
        { hertz: index % 2 === 0 ? hertz : hertz * 1.19, modes: small, seconds: 0.5, wander: 0.004 },
        making,
      );
      return [one, index / rate, 0.5] as const;
    });
    return together(parts, making.sampleRate);
  };
};

const gliss = (from: number, to: number, seconds: number, partials: readonly number[] = [1, 0.4, 0.2]): Maker => {
  return ({ random, sampleRate }) =>
    synthesizeSweep(
      { from: from * between(random, 0.94, 1.06), to, seconds, decay: seconds / 1.5, partials },
      sampleRate,
    );
};

const sparkle: Maker = (making) =>
  together(
    Array.from({ length: 18 }, (_, index) => {
      const hertz = 1400 * 2 ** (index / 7) * between(making.random, 0.96, 1.05);
      return [
        strike(
          {
            hertz: Math.min(hertz, 12_000),
            seconds: 0.6,
            modes: [
              [1, 1, 0.14],
              [2.76, 0.3, 0.05],
            ],
          },
          making,
        ),
        index * 0.045,
        0.4 + 0.6 * making.random.next(),
      ] as const;
    }),
    making.sampleRate,
  );

const boom: Maker = (making) =>
  together(
    [
      [synthesizeSweep({ from: 88, to: 30, seconds: 2.6, decay: 0.8, partials: [1, 0.3] }, making.sampleRate)],
      [burst({ seconds: 0.5, decay: 0.06, low: 60, high: 3800 }, making), 0, 0.7],
      [burst({ seconds: 2.4, decay: 0.6, low: 120, high: 1100, attack: 0.02 }, making), 0, 0.35],
    ],
    making.sampleRate,
  );

const riser: Maker = ({ random, sampleRate }) => {
  const seconds = 3.2;
  const noise = noiseOf('white', Math.round(seconds * sampleRate), random);
  let [one, two] = [0, 0];
  for (let index = 0; index < noise.length; index += 1) {
    const centre = 200 * 30 ** (index / noise.length);
    const tuning = 2 * Math.sin((Math.PI * Math.min(centre, sampleRate / 7)) / sampleRate);
    one += tuning * two;
    two += tuning * ((noise[index] ?? 0) - one - two / 2.5);
    noise[index] = two;
  }
  const tone = synthesizeSweep(
    { from: 110, to: 880, seconds, decay: 60, partials: [1, 0.6, 0.4, 0.3, 0.2] },
    sampleRate,
  );
  return shaped(together([[noise], [tone, 0, 0.5]], sampleRate), [0.02, 0.1, 0.3, 0.6, 1, 0]);
};

const glitch: Maker = (making) => {
  const { random, sampleRate } = making;
  const parts = Array.from({ length: 9 }, () => {
    const hertz = between(random, 150, 5000);
    const part = random.chance(0.5)
      ? tones([hertz], between(random, 0.01, 0.06), [1, 0, 0.33, 0, 0.2])(making)
      : burst({ seconds: 0.05, decay: 0.03, low: hertz, high: hertz * 4 }, making);
    return [part, random.next() * 0.45, 0.4 + 0.6 * random.next()] as const;
  });
  return together(parts, sampleRate);
};

const buzzer = (hertz: number, seconds: number): Maker =>
  tones([hertz, hertz * 1.5], seconds, [1, 0.9, 0.7, 0.6, 0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.2]);

const vibrating: Maker = (making) => {
  const sound = bandOf(
    noiseOf('white', Math.round(0.8 * making.sampleRate), making.random),
    120,
    900,
    making.sampleRate,
  );
  for (let index = 0; index < sound.length; index += 1) {
    sound[index] =
      (0.15 * (sound[index] ?? 0) + Math.sin((2 * Math.PI * 165 * index) / making.sampleRate)) *
      (0.7 + 0.3 * Math.sign(Math.sin((2 * Math.PI * 82 * index) / making.sampleRate)));
  }
  return shaped(sound, [0, 1, 1, 1, 0]);
};

const whistleBlown = ({ random, sampleRate }: Making): Float32Array => {
  const sound = synthesizeSweep(
    { from: 2750, to: 2820, seconds: 0.75, decay: 20, partials: [1, 0.2], vibrato: [38, 0.03] },
    sampleRate,
  );
  const breath = bandOf(noiseOf('white', sound.length, random), 1500, 7000, sampleRate);
  return shaped(together([[sound], [breath, 0, 0.15]], sampleRate), [0.2, 1, 0.9, 1, 0.8, 0]);
};

const CHIME = [523, 587, 659, 784, 880];

const RING = [1, 0, 0.35, 0, 0.15];

export const SIGNALS: Readonly<Record<string, Source>> = byName({
  'church bells': mixed(
    [events(bell([294, 330, 392, 247], BELL, 5), { every: 1.15, loose: 0.15, variants: 8, wide: 0.3 }), 1],
    [events(bell([196], BELL, 6), { every: 2.3, loose: 0.1, variants: 2 }), 0.7],
  ),
  bell: events(bell([1050], small, 2.4), { every: 2.6 }),
  'bicycle bell': events(
    (making) => together([[rung(2250, 0.2, 16)(making)], [rung(2250, 0.2, 16)(making), 0.32, 0.9]], making.sampleRate),
    { every: 2.4 },
  ),
  'school bell': events(rung(1250, 2.6, 21), { every: 4.5, variants: 2 }),
  'sleigh bells': events(
    (making) =>
      together(
        Array.from(
          { length: 10 },
          () =>
            [
              strike({ hertz: between(making.random, 2900, 5600), modes: small, seconds: 0.4 }, making),
              making.random.next() * 0.08,
              0.6,
            ] as const,
        ),
        making.sampleRate,
      ),
    { every: 0.36, loose: 0.08, wide: 0.3 },
  ),
  gong: events(
    (making) =>
      shaped(
        strike(
          {
            hertz: 92,
            seconds: 6,
            modes: [
              [1, 1, 2.6],
              [1.48, 0.7, 2.2],
              [2.1, 0.8, 1.8],
              [2.74, 0.7, 1.5],
              [3.6, 0.7, 1.2],
              [4.9, 0.5, 0.9],
              [7.2, 0.4, 0.7],
              [11, 0.3, 0.4],
            ],
            wander: 0.05,
          },
          making,
        ),
        [0.75, 1, 0.6, 0.3, 0.1, 0],
      ),
    { every: 6.5, variants: 2 },
  ),
  doorbell: events(
    (making) =>
      together([[bell([659], small, 1.6)(making)], [bell([523], small, 2)(making), 0.65, 1]], making.sampleRate),
    { every: 4.5, loose: 0.2 },
  ),
  telephone: events(rung(1150, 1.9, 20), { every: 4, loose: 0, variants: 2 }),
  'mobile phone': events(
    melody(
      [
        [880, 0, 0.14],
        [1109, 0.15, 0.14],
        [1319, 0.3, 0.14],
        [1109, 0.45, 0.14],
        [1480, 0.6, 0.3],
        [1319, 1, 0.3],
      ],
      [1, 0.3, 0.3, 0.1],
    ),
    { every: 2.2, loose: 0, variants: 1 },
  ),
  'dial tone': events(tones([350, 440], 1, [1, 0.1]), { every: 1, loose: 0, variants: 1 }),
  'busy tone': events(tones([425], 0.5, [1, 0.1]), { every: 1, loose: 0, variants: 1 }),
  vibration: events(vibrating, { every: 2.2, loose: 0.05 }),
  'alarm clock': events(
    melody(
      [
        [2000, 0, 0.07],
        [2000, 0.12, 0.07],
        [2000, 0.24, 0.07],
        [2000, 0.36, 0.07],
      ],
      RING,
    ),
    { every: 1, loose: 0, variants: 1 },
  ),
  alarm: events(tones([3100], 0.5, RING), { every: 1.6, loose: 0, group: [3, 3, 1], variants: 1 }),
  'car alarm': events(
    ({ sampleRate }) =>
      together(
        Array.from(
          { length: 6 },
          (_, index) =>
            [
              synthesizeSweep(
                { from: 700, to: 1600, seconds: 0.3, decay: 9, partials: [1, 0.5, 0.4, 0.3] },
                sampleRate,
              ),
              index * 0.32,
              1,
            ] as const,
        ),
        sampleRate,
      ),
    { every: 2, loose: 0, variants: 1 },
  ),
  buzzer: events(buzzer(105, 0.9), { every: 2.4 }),
  whistle: events(whistleBlown, { every: 3, group: [1, 2, 0.9] }),
  notification: events(
    melody(
      [
        [1319, 0, 0.3],
        [1760, 0.12, 0.7],
      ],
      [1, 0.25, 0.1],
      0.16,
    ),
    { every: 3, variants: 1 },
  ),
  'cash register': events(
    (making) =>
      together(
        [
          [burst({ seconds: 0.04, decay: 0.004, low: 900, high: 7000 }, making), 0, 0.8],
          [
            strike(
              {
                hertz: 210,
                seconds: 0.2,
                modes: [
                  [1, 1, 0.03],
                  [2.4, 0.6, 0.02],
                ],
              },
              making,
            ),
            0.1,
            0.8,
          ],
          [bell([2100], small, 1.6)(making), 0.16, 1],
          [burst({ seconds: 0.5, decay: 0.2, low: 300, high: 3500, attack: 0.05 }, making), 0.35, 0.25],
        ],
        making.sampleRate,
      ),
    { every: 3.4 },
  ),
  beep: events(tones([1000], 0.2, [1, 0, 0.2]), { every: 1, loose: 0, variants: 1 }),
  'air raid siren': motor({
    hertz: 330,
    pulse: (making) => strike({ hertz: 900, seconds: 0.006, modes: [[1, 1, 0.001]] }, making),
    rough: 0.02,
    wander: [0.004, 1],
    course: { seconds: 9, speeds: [0.4, 0.9, 1.25, 1.3, 1.3, 0.9, 0.45] },
    rings: [
      [800, 400, 1],
      [1700, 700, 0.5],
    ],
  }),
  'grandfather clock': mixed(
    [
      events(
        (making) =>
          strike(
            {
              hertz: 520,
              seconds: 0.12,
              modes: [
                [1, 1, 0.02],
                [2.6, 0.5, 0.01],
              ],
              click: { level: 0.6, low: 900, high: 6000, decay: 0.003 },
            },
            making,
          ),
        { every: 1, loose: 0 },
      ),
      0.35,
    ],
    [events(bell([262], BELL, 5), { every: 3, loose: 0, variants: 2 }), 1],
  ),
  impact: events(boom, { every: 5, variants: 3 }),
  riser: events(riser, { every: 4, loose: 0.1, variants: 2 }),
  laser: events(gliss(3800, 260, 0.32), { every: 0.9, loose: 0.7 }),
  magic: events(sparkle, { every: 2.6, wide: 0.5 }),
  glitch: events(glitch, { every: 0.8, loose: 0.8, variants: 12, wide: 0.7 }),
  error: events(
    melody(
      [
        [220, 0, 0.16],
        [175, 0.2, 0.4],
      ],
      [1, 0.6, 0.5, 0.4, 0.3, 0.2],
    ),
    { every: 2.6, variants: 1 },
  ),
  success: events(
    melody(
      [
        [523, 0, 0.5],
        [659, 0.1, 0.5],
        [784, 0.2, 0.5],
        [1047, 0.3, 0.9],
      ],
      [1, 0.4, 0.2, 0.1],
      0.3,
    ),
    { every: 3, variants: 1 },
  ),
  'game coin': events(
    melody(
      [
        [988, 0, 0.08],
        [1319, 0.08, 0.5],
      ],
      [1, 0, 0.4, 0, 0.25, 0, 0.15],
      0.2,
    ),
    { every: 1.4, variants: 1 },
  ),
  jump: events(gliss(260, 900, 0.25, RING), { every: 1.2 }),
  teleport: events(
    ({ sampleRate }) =>
      shaped(
        synthesizeSweep(
          { from: 200, to: 2600, seconds: 1.2, decay: 9, partials: [1, 0.5, 0.3, 0.2], vibrato: [26, 0.12] },
          sampleRate,
        ),
        [0, 0.6, 1, 0],
      ),
    { every: 2.6 },
  ),
  chimes: events(
    (making) => strike({ hertz: making.random.pick(CHIME) * 2, modes: small, seconds: 2, wander: 0.003 }, making),
    { every: 0.7, loose: 0.6, wide: 0.5, variants: 10 },
  ),
  suspense: mixed(
    [wash({ low: 40, high: 220, wander: [0.4, 3] }), 0.7],
    [
      events(
        ({ sampleRate }) =>
          synthesizeSweep(
            { from: 62, to: 58, seconds: 4, partials: [1, 0.7, 0.5, 0.4, 0.2], vibrato: [4, 0.01] },
            sampleRate,
          ),
        { every: 3, loose: 0.2, variants: 2 },
      ),
      1,
    ],
  ),
});
