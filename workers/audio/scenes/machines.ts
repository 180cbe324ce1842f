/** Machines of the house and the workshop, and vehicles. */

import { byName } from '../../../src-server/platform/records.ts';
import { bandOf, burst, grains, type Making, type Mode, shaped, strike, together } from './bodies.ts';
import { events, type Maker, mixed, motor, type Source, wash } from './composing.ts';
import { noiseOf, synthesizeSweep } from './noise.ts';

const key =
  (low: number, high: number, body: number): Maker =>
  (making) =>
    together(
      [
        [burst({ seconds: 0.03, decay: 0.0025, low, high }, making)],
        [
          strike(
            {
              hertz: body,
              seconds: 0.07,
              modes: [
                [1, 1, 0.012],
                [2.3, 0.5, 0.008],
              ],
            },
            making,
          ),
          0.002,
          0.7,
        ],
        [burst({ seconds: 0.03, decay: 0.002, low, high }, making), 0.07, 0.35],
      ],
      making.sampleRate,
    );

/** The push of one explosion in an engine. */
const push =
  (hertz: number, decay: number, hiss = 0.3) =>
  (making: Making): Float32Array =>
    together(
      [
        [
          strike(
            {
              hertz,
              seconds: decay * 6,
              modes: [
                [1, 1, decay],
                [2.1, 0.6, decay * 0.7],
                [3.7, 0.3, decay / 2],
              ],
            },
            making,
          ),
        ],
        [burst({ seconds: decay * 5, decay: decay * 0.8, low: 200, high: 5000 }, making), 0, hiss],
      ],
      making.sampleRate,
    );

const blow =
  (
    hertz: number,
    decay: number,
    modes: readonly Mode[] = [
      [1, 1, decay],
      [2.7, 0.7, decay * 0.6],
      [5.2, 0.4, decay * 0.4],
    ],
  ): Maker =>
  (making) =>
    together(
      [
        [strike({ hertz, seconds: decay * 7, modes }, making)],
        [burst({ seconds: 0.06, decay: 0.008, low: 300, high: 7000 }, making), 0, 0.6],
      ],
      making.sampleRate,
    );

/** A whine of an electric motor with its air. */
const electric = (hertz: number, low: number, high: number, air = 0.7): Source =>
  mixed(
    [
      motor({
        hertz,
        pulse: push(hertz * 5, 0.004, 0.1),
        rough: 0.08,
        wander: [0.006, 1.5],
        rings: [[hertz * 7, 120, 1]],
      }),
      0.6,
    ],
    [wash({ low, high, rings: [[low * 2.5, low, 1.2]] }), air],
  );

const beeps = (hertz: number, seconds: number): Maker => {
  return ({ sampleRate }) =>
    shaped(
      synthesizeSweep({ from: hertz, to: hertz, seconds, decay: 9, partials: [1, 0, 0.25] }, sampleRate),
      [1, 1, 1, 0.6],
    );
};

const chuff: Maker = (making) =>
  shaped(burst({ seconds: 0.3, decay: 0.14, low: 180, high: 3800, attack: 0.03 }, making), [0.8, 1, 0.5, 0]);

const engine = (hertz: number, pitch: number, rough = 0.35): Source =>
  mixed(
    [
      motor({
        hertz,
        pulse: push(pitch, 0.012),
        rough,
        wander: [0.04, 2.5],
        rings: [
          [pitch * 1.6, 70, 1],
          [pitch * 4, 200, 0.6],
        ],
      }),
      1,
    ],
    [wash({ low: 60, high: 900, wander: [0.2, 3] }), 0.35],
  );

const blades = (hertz: number): Source =>
  mixed(
    [
      motor({
        hertz,
        pulse: (making) =>
          shaped(
            bandOf(noiseOf('white', Math.round(making.sampleRate * 0.07), making.random), 40, 750, making.sampleRate),
            [0, 1, 0.5, 0.1, 0],
          ),
        rough: 0.12,
        wander: [0.01, 3],
        rings: [[82, 40, 1.5]],
      }),
      1,
    ],
    [wash({ low: 300, high: 2600, beat: [hertz, 0.6] }), 0.3],
    [motor({ hertz: 96, pulse: push(420, 0.004), rough: 0.1 }), 0.15],
  );

const washer = (drum: number): Source =>
  mixed(
    [
      motor({
        hertz: drum,
        pulse: (making) =>
          together(
            [
              [burst({ seconds: 0.4, decay: 0.09, low: 120, high: 1500, attack: 0.05 }, making)],
              [burst({ seconds: 0.3, decay: 0.06, low: 50, high: 180 }, making), 0.05, 1],
            ],
            making.sampleRate,
          ),
        rough: 0.4,
        wander: [0.02, 4],
      }),
      0.9,
    ],
    [electric(49, 150, 1400), 0.6],
  );

const modemCourse: Source = (canvas, { rate }) => {
  const { sampleRate } = canvas;
  const random = canvas.random('modem');
  const parts: [Float32Array, number, number][] = [];
  const dial = [
    [941, 1336],
    [697, 1209],
    [770, 1477],
    [852, 1209],
    [697, 1336],
    [770, 1336],
    [852, 1477],
  ] as const;
  let at = 0.4;
  for (const [low, high] of dial) {
    for (const hertz of [low, high])
      parts.push([beeps(hertz, 0.11)({ random, sampleRate, intensity: 0.5, ground: null }), at, 0.5]);
    at += 0.18;
  }
  at += 0.7;
  for (const [from, seconds] of [
    [2100, 1.1],
    [1300, 0.5],
    [980, 0.6],
    [1650, 0.9],
  ] as const) {
    parts.push([synthesizeSweep({ from, to: from, seconds, decay: 20, partials: [1, 0.1] }, sampleRate), at, 0.6]);
    at += seconds + 0.12;
  }
  for (let stage = 0; stage < 5; stage += 1) {
    const seconds = 0.5 + 1.6 * random.next();
    const noise = bandOf(
      noiseOf('white', Math.round(seconds * sampleRate), random),
      700 + 500 * random.next(),
      1900 + 1200 * random.next(),
      sampleRate,
    );
    parts.push(
      [shaped(noise, [1, 1, 0.9, 1]), at, 2.2],
      [synthesizeSweep({ from: 1800, to: 1800, seconds, decay: 20 }, sampleRate), at, 0.25],
    );
    at += seconds + (stage % 2) * 0.25;
  }
  const whole = together(parts, sampleRate);
  const period = Math.round((whole.length + sampleRate * 1.5) / rate);
  for (let start = 0; start < canvas.left.length; start += period) {
    for (const channel of [canvas.left, canvas.right]) {
      for (let index = 0; index < whole.length && start + index < channel.length; index += 1)
        channel[start + index] = whole[index] ?? 0;
    }
  }
};

const hammerBlows: Source = events(blow(720, 0.08), { every: 0.62, loose: 0.15, group: [3, 6, 0.55], wide: 0.7 });

const powerDrill: Source = mixed(
  [
    motor({
      hertz: 210,
      pulse: push(1150, 0.003, 0.4),
      rough: 0.12,
      course: { seconds: 4.2, speeds: [0.2, 0.9, 1, 0.98, 0.85, 0.9, 0.15, 0.15] },
      rings: [
        [1700, 200, 1],
        [3300, 400, 0.7],
      ],
    }),
    1,
  ],
  [wash({ low: 900, high: 7000, wander: [0.5, 1.5] }), 0.35],
);

const jackhammer: Source = motor({
  hertz: 17,
  pulse: (making) =>
    together(
      [[blow(170, 0.018)(making)], [burst({ seconds: 0.05, decay: 0.01, low: 700, high: 6000 }, making), 0, 0.8]],
      making.sampleRate,
    ),
  rough: 0.2,
  course: { seconds: 6, speeds: [1, 1.03, 0.98, 1, 1, 0.97] },
});

export const MACHINES: Readonly<Record<string, Source>> = byName({
  typing: events(key(1600, 8000, 1150), { every: 0.42, loose: 0.8, group: [2, 8, 0.115], variants: 8, wide: 0.1 }),
  typewriter: mixed(
    [events(key(1200, 9000, 620), { every: 0.5, loose: 0.8, group: [3, 9, 0.15], variants: 8 }), 1],
    [
      events(
        (making) =>
          strike(
            {
              hertz: 2900,
              seconds: 1,
              modes: [
                [1, 1, 0.3],
                [2.7, 0.4, 0.15],
              ],
            },
            making,
          ),
        { every: 6.5, loose: 0.2 },
      ),
      0.5,
    ],
    [
      events(
        (making) =>
          grains({ count: 30, over: 0.5, seconds: 0.015, decay: 0.002, low: 900, high: 6000, peak: 0.5 }, making),
        { every: 6.5, loose: 0.2 },
      ),
      0.4,
    ],
  ),
  'mouse click': events(key(2500, 9000, 2400), { every: 1, loose: 0.8, group: [1, 2, 0.16] }),
  'washing machine': washer(0.9),
  dishwasher: mixed([washer(1.6), 0.6], [wash({ low: 700, high: 5200, wander: [0.6, 0.4], beat: [1.6, 0.7] }), 0.7]),
  'vacuum cleaner': electric(205, 350, 6500, 1.2),
  'hair dryer': electric(150, 500, 8000, 1.5),
  fridge: mixed(
    [
      motor({
        hertz: 50,
        pulse: push(100, 0.01, 0.05),
        rough: 0.05,
        wander: [0, 2],
        rings: [
          [100, 12, 2],
          [150, 15, 0.8],
        ],
      }),
      1,
    ],
    [wash({ low: 60, high: 400 }), 0.2],
  ),
  microwave: mixed(
    [
      motor({
        hertz: 100,
        pulse: push(300, 0.004, 0.1),
        rough: 0.04,
        wander: [0, 1],
        rings: [
          [100, 10, 2],
          [300, 20, 1],
        ],
      }),
      0.5,
    ],
    [wash({ low: 200, high: 1800 }), 0.3],
    [events(beeps(2050, 0.35), { every: 5, loose: 0, group: [3, 3, 0.75] }), 0.7],
  ),
  'coffee machine': mixed(
    [motor({ hertz: 50, pulse: push(240, 0.006), rough: 0.3, rings: [[310, 60, 1]] }), 0.6],
    [wash({ low: 1800, high: 9000, wander: [0.9, 1.3] }), 0.8],
    [
      events((making) => burst({ seconds: 0.2, decay: 0.05, low: 250, high: 900, attack: 0.02 }, making), {
        every: 0.2,
        loose: 1,
      }),
      0.5,
    ],
  ),
  blender: mixed(
    [electric(290, 500, 7000, 0.8), 1],
    [
      events((making) => grains({ count: 20, over: 0.2, seconds: 0.03, decay: 0.006, low: 300, high: 4000 }, making), {
        every: 0.14,
        loose: 1,
      }),
      0.5,
    ],
  ),
  'sewing machine': mixed(
    [motor({ hertz: 13, pulse: blow(420, 0.012), rough: 0.15, wander: [0.3, 2] }), 1],
    [electric(95, 300, 2500, 0.2), 0.4],
  ),
  printer: mixed(
    [
      events(
        (making) =>
          shaped(
            grains({ count: 70, over: 0.45, seconds: 0.012, decay: 0.002, low: 700, high: 4500, peak: 0.5 }, making),
            [0.6, 1, 1, 0.4],
          ),
        { every: 0.62, loose: 0.05 },
      ),
      1,
    ],
    [electric(180, 400, 3000, 0.3), 0.35],
  ),
  'film projector': mixed(
    [
      motor({
        hertz: 24,
        pulse: (making) =>
          together([[blow(650, 0.005)(making)], [blow(1100, 0.004)(making), 0.013, 0.5]], making.sampleRate),
        rough: 0.18,
        wander: [0.015, 2],
      }),
      1,
    ],
    [electric(60, 300, 2600, 0.5), 0.4],
  ),
  'lawn mower': engine(46, 150),
  chainsaw: mixed(
    [
      motor({
        hertz: 105,
        pulse: push(480, 0.005, 0.6),
        rough: 0.4,
        course: { seconds: 5, speeds: [0.45, 0.5, 1, 1.05, 0.95, 1, 0.5] },
        rings: [
          [900, 200, 1],
          [2100, 400, 0.7],
        ],
      }),
      1,
    ],
    [wash({ low: 800, high: 6000, wander: [0.7, 1] }), 0.3],
  ),
  drill: powerDrill,
  jackhammer,
  'circular saw': mixed(
    [
      motor({
        hertz: 330,
        pulse: push(1700, 0.002, 0.5),
        rough: 0.15,
        course: { seconds: 5, speeds: [0.4, 1, 1, 0.85, 0.84, 1, 0.5] },
        rings: [
          [2600, 150, 1.2],
          [5200, 500, 0.8],
        ],
      }),
      1,
    ],
    [wash({ low: 1500, high: 9000 }), 0.3],
  ),
  'construction site': mixed([hammerBlows, 0.8], [jackhammer, 0.7], [powerDrill, 0.5], [engine(30, 74, 0.4), 0.4]),
  factory: mixed(
    [events(blow(95, 0.12), { every: 1.6, loose: 0.02 }), 1],
    [motor({ hertz: 4.5, pulse: blow(300, 0.03), rough: 0.25 }), 0.5],
    [wash({ low: 60, high: 900, beat: [1.25, 0.3] }), 0.5],
    [events(blow(740, 0.15), { every: 2.9, loose: 0.5, wide: 0.8 }), 0.3],
  ),
  pump: mixed(
    [
      motor({
        hertz: 1.7,
        pulse: (making) =>
          together(
            [
              [burst({ seconds: 0.3, decay: 0.1, low: 120, high: 900, attack: 0.04 }, making)],
              [burst({ seconds: 0.22, decay: 0.1, low: 900, high: 5000, attack: 0.05 }, making), 0.26, 0.5],
            ],
            making.sampleRate,
          ),
        rough: 0.15,
      }),
      1,
    ],
    [electric(50, 100, 800, 0.3), 0.3],
  ),
  elevator: mixed(
    [electric(65, 120, 1000, 0.5), 0.6],
    [
      events(
        (making) =>
          strike(
            {
              hertz: 1320,
              seconds: 1.6,
              modes: [
                [1, 1, 0.5],
                [2.01, 0.3, 0.3],
              ],
            },
            making,
          ),
        { every: 6, loose: 0.1 },
      ),
      0.6,
    ],
  ),
  'steam engine': mixed(
    [motor({ hertz: 2.2, pulse: chuff, rough: 0.2, wander: [0.02, 5] }), 1],
    [wash({ low: 1800, high: 8000, wander: [0.5, 2] }), 0.15],
    [motor({ hertz: 1.1, pulse: blow(260, 0.05), rough: 0.2 }), 0.35],
  ),
  steam: wash({ low: 1500, high: 12_000, wander: [0.35, 0.8] }),
  modem: modemCourse,
  robot: events(
    ({ random, sampleRate }) =>
      shaped(
        synthesizeSweep(
          {
            from: 120 + 500 * random.next(),
            to: 120 + 700 * random.next(),
            seconds: 0.2 + 0.5 * random.next(),
            decay: 9,
            partials: [1, 0.6, 0.5, 0.4, 0.3, 0.25, 0.2],
          },
          sampleRate,
        ),
        [0.2, 1, 1, 0.1],
      ),
    { every: 0.8, loose: 0.6, variants: 9 },
  ),
  computer: mixed(
    [
      events(
        ({ random, sampleRate }) =>
          beeps(
            700 * 2 ** (Math.floor(random.next() * 14) / 6),
            0.06,
          )({ random, sampleRate, intensity: 0.5, ground: null }),
        { every: 0.5, loose: 0.9, group: [1, 5, 0.09], variants: 10 },
      ),
      1,
    ],
    [wash({ low: 150, high: 1600 }), 0.2],
  ),
  radio: mixed(
    [wash({ low: 350, high: 5000, wander: [0.6, 0.7] }), 1],
    [
      events(
        ({ random, sampleRate }) =>
          synthesizeSweep(
            {
              from: 400 + 2500 * random.next(),
              to: 400 + 2500 * random.next(),
              seconds: 0.4 + random.next(),
              partials: [1, 0.3],
            },
            sampleRate,
          ),
        { every: 1.3, loose: 0.8, variants: 8 },
      ),
      0.5,
    ],
  ),
  'geiger counter': events((making) => burst({ seconds: 0.012, decay: 0.0012, low: 900, high: 9000 }, making), {
    every: 0.09,
    loose: 1,
    group: [1, 2, 0.04],
  }),
  'heart monitor': events(beeps(960, 0.14), { every: 0.92, loose: 0 }),
  vinyl: mixed(
    [
      events((making) => burst({ seconds: 0.01, decay: 0.0008, low: 700, high: 12_000 }, making), {
        every: 0.11,
        loose: 1,
        wide: 0.5,
        variants: 12,
      }),
      1,
    ],
    [wash({ low: 400, high: 6000 }), 0.1],
    [
      events((making) => burst({ seconds: 0.02, decay: 0.002, low: 200, high: 4000 }, making), {
        every: 1.8,
        loose: 0,
      }),
      0.6,
    ],
  ),
  'record scratch': events(
    ({ random, sampleRate }) =>
      shaped(
        synthesizeSweep(
          {
            from: 500 + 300 * random.next(),
            to: 1900,
            seconds: 0.22,
            decay: 3,
            partials: [1, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2],
            vibrato: [9, 0.4],
          },
          sampleRate,
        ),
        [0.6, 1, 0.7, 1, 0],
      ),
    { every: 0.9, group: [2, 3, 0.24] },
  ),
  'electric motor': electric(120, 250, 3500, 0.5),
  buzz: motor({
    hertz: 100,
    pulse: push(600, 0.003, 0.2),
    rough: 0.15,
    wander: [0.005, 1],
    rings: [
      [200, 30, 1],
      [1200, 200, 0.7],
    ],
  }),
  click: events(key(1500, 9000, 1500), { every: 1 }),
  'winding up': events(
    (making) =>
      grains({ count: 12, over: 0.5, seconds: 0.012, decay: 0.002, low: 1400, high: 8000, peak: 0.5 }, making),
    { every: 0.85, loose: 0.1 },
  ),

  car: engine(42, 92),
  'car horn': events(
    ({ sampleRate }) =>
      shaped(
        together(
          [
            [
              synthesizeSweep(
                { from: 415, to: 415, seconds: 0.6, decay: 30, partials: [1, 0.9, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2] },
                sampleRate,
              ),
            ],
            [
              synthesizeSweep(
                { from: 523, to: 523, seconds: 0.6, decay: 30, partials: [1, 0.9, 0.8, 0.6, 0.4, 0.3, 0.2] },
                sampleRate,
              ),
            ],
          ],
          sampleRate,
        ),
        [0.5, 1, 1, 1, 1, 1, 0.7],
      ),
    { every: 2.6, group: [1, 3, 0.75] },
  ),
  motorcycle: mixed(
    [
      motor({
        hertz: 34,
        pulse: push(135, 0.012, 0.7),
        rough: 0.45,
        course: { seconds: 6, speeds: [0.6, 1.2, 2, 1.5, 2.2, 1.2, 0.6] },
        rings: [
          [260, 80, 1],
          [900, 300, 0.6],
        ],
      }),
      1,
    ],
    [wash({ low: 200, high: 2500 }), 0.2],
  ),
  truck: mixed(
    [engine(26, 62, 0.4), 1],
    [wash({ low: 70, high: 700 }), 0.4],
    [
      events((making) => burst({ seconds: 0.6, decay: 0.2, low: 1200, high: 9000, attack: 0.01 }, making), {
        every: 7,
      }),
      0.25,
    ],
  ),
  bicycle: mixed(
    [
      motor({
        hertz: 21,
        pulse: (making) => burst({ seconds: 0.012, decay: 0.0015, low: 2000, high: 9000 }, making),
        rough: 0.2,
        course: { seconds: 7, speeds: [1, 1.1, 1.2, 1, 0.8, 0.9, 1] },
      }),
      1,
    ],
    [wash({ low: 300, high: 2500, wander: [0.4, 2] }), 0.25],
  ),
  plane: mixed(
    [wash({ low: 90, high: 2600, wander: [0.3, 3] }), 1],
    [wash({ low: 30, high: 220, wander: [0.3, 2] }), 0.7],
    [
      motor({ hertz: 640, pulse: push(1900, 0.002, 0.1), rough: 0.05, wander: [0.004, 3], rings: [[1920, 60, 1]] }),
      0.08,
    ],
  ),
  'propeller plane': mixed(
    [
      motor({
        hertz: 78,
        pulse: push(190, 0.009, 0.5),
        rough: 0.12,
        wander: [0.015, 2],
        rings: [
          [160, 50, 1],
          [480, 150, 0.5],
        ],
      }),
      1,
    ],
    [wash({ low: 150, high: 1800 }), 0.25],
  ),
  helicopter: blades(11.5),
  drone: mixed(
    [motor({ hertz: 175, pulse: push(520, 0.003, 0.2), rough: 0.1, wander: [0.05, 0.6], rings: [[700, 120, 1]] }), 1],
    [motor({ hertz: 183, pulse: push(540, 0.003, 0.2), rough: 0.1, wander: [0.05, 0.4] }), 0.8],
    [wash({ low: 600, high: 5000 }), 0.3],
  ),
  boat: mixed([engine(19, 78, 0.3), 1], [wash({ low: 300, high: 2400, wander: [0.8, 1.6] }), 0.5]),
  rowing: mixed(
    [
      events(
        (making) =>
          shaped(burst({ seconds: 0.9, decay: 0.5, low: 200, high: 2600, attack: 0.2 }, making), [0, 1, 0.6, 0.1]),
        { every: 2.3, loose: 0.08 },
      ),
      1,
    ],
    [events(blow(330, 0.03), { every: 2.3, loose: 0.08 }), 0.4],
    [wash({ low: 200, high: 1400, wander: [0.8, 1.8] }), 0.25],
  ),
  tractor: engine(15, 84, 0.5),
  'race car': motor({
    hertz: 190,
    pulse: push(640, 0.004, 0.5),
    rough: 0.25,
    course: { seconds: 7, speeds: [0.5, 0.8, 1.1, 0.75, 1.05, 1.4, 1.1, 1.45, 0.6] },
    rings: [
      [800, 150, 1],
      [1700, 300, 0.8],
    ],
  }),
  rocket: mixed(
    [wash({ low: 25, high: 300, wander: [0.5, 0.3] }), 1],
    [wash({ low: 300, high: 5000, wander: [0.6, 0.15] }), 0.7],
    [
      events((making) => burst({ seconds: 0.05, decay: 0.008, low: 400, high: 7000 }, making), {
        every: 0.06,
        loose: 1,
      }),
      0.4,
    ],
  ),
  screech: events(
    ({ random, sampleRate }) => {
      const sound = synthesizeSweep(
        {
          from: 900 + 250 * random.next(),
          to: 780,
          seconds: 1.1,
          decay: 4,
          partials: [1, 0.7, 0.5, 0.5, 0.3, 0.2],
          vibrato: [31, 0.02],
        },
        sampleRate,
      );
      return shaped(sound, [0.2, 1, 0.9, 1, 0]);
    },
    { every: 3 },
  ),
  skateboard: mixed(
    [
      motor({
        hertz: 38,
        pulse: (making) => burst({ seconds: 0.05, decay: 0.01, low: 250, high: 3800 }, making),
        rough: 0.8,
        wander: [0.3, 1.2],
      }),
      1,
    ],
    [wash({ low: 250, high: 3500, wander: [0.3, 1] }), 0.5],
    [
      events(
        (making) => together([[blow(230, 0.02)(making)], [blow(260, 0.02)(making), 0.09, 0.8]], making.sampleRate),
        { every: 1.9, loose: 0.6 },
      ),
      0.6,
    ],
  ),
  siren: motor({
    hertz: 780,
    pulse: ({ sampleRate, random }) =>
      strike(
        { hertz: 1500, seconds: 0.004, modes: [[1, 1, 0.0008]] },
        { random, sampleRate, intensity: 0.5, ground: null },
      ),
    rough: 0,
    wander: [0, 1],
    course: { seconds: 3.4, speeds: [0.7, 1.25, 1.75, 1.3, 0.7] },
    rings: [
      [1300, 500, 1],
      [2600, 900, 0.6],
    ],
  }),
  'reversing beeper': events(beeps(1250, 0.5), { every: 1, loose: 0 }),
  'train whistle': events(
    ({ random, sampleRate }) => {
      const tones = [311, 370, 440, 554].map(
        (hertz) =>
          [
            synthesizeSweep(
              { from: hertz * 0.97, to: hertz, seconds: 1.7, decay: 30, partials: [1, 0.5, 0.35, 0.25, 0.15] },
              sampleRate,
            ),
            0,
            0.5,
          ] as const,
      );
      const breath = bandOf(noiseOf('white', Math.round(1.7 * sampleRate), random), 600, 3500, sampleRate);
      return shaped(together([...tones, [breath, 0, 0.35]], sampleRate), [0, 1, 1, 0.95, 1, 0]);
    },
    { every: 5, group: [1, 3, 2], loose: 0.4, variants: 2 },
  ),
  'ship horn': events(
    ({ random, sampleRate }) => {
      const partials = [1, 0.9, 0.8, 0.65, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1];
      const tone = synthesizeSweep({ from: 98, to: 98, seconds: 3.2, decay: 60, partials }, sampleRate);
      const breath = bandOf(noiseOf('white', tone.length, random), 80, 500, sampleRate);
      return shaped(together([[tone], [breath, 0, 0.2]], sampleRate), [0, 1, 1, 1, 1, 0.9, 0]);
    },
    { every: 7, variants: 2 },
  ),
  cart: mixed(
    [motor({ hertz: 9, pulse: blow(210, 0.025), rough: 0.6, wander: [0.1, 1] }), 1],
    [wash({ low: 150, high: 1800, wander: [0.4, 0.8] }), 0.4],
    [
      events(
        (making) =>
          shaped(
            synthesizeSweep(
              { from: 640, to: 760, seconds: 0.35, decay: 2, partials: [1, 0.5, 0.5, 0.3] },
              making.sampleRate,
            ),
            [0, 1, 0.5, 0],
          ),
        { every: 1.1, loose: 0.1 },
      ),
      0.15,
    ],
  ),
});
