/** Beds: weather, water, places, noise and tones. Their levels are set so that they are about equally loud. */

import { byName } from '../../../src-server/platform/records.ts';
import type { SceneLayer } from '../tasks.ts';
import type { Source } from './composing.ts';
import {
  addStereoSounds,
  type Canvas,
  highPass,
  lowPass,
  movingBand,
  type NoiseColour,
  noiseOf,
  placeSoundOnCanvas,
  randomWanderCurve,
  scatterInTime,
  synthesizeNoiseBurst,
  synthesizeSweep,
  TURN,
} from './noise.ts';

/** Two independent noises, shaped alike. */
function addNoiseWash(
  canvas: Canvas,
  name: string,
  colour: NoiseColour,
  gain: number,
  shape: (sound: Float32Array) => void,
): void {
  const one = noiseOf(colour, canvas.left.length, canvas.random(`${name} left`));
  const other = noiseOf(colour, canvas.left.length, canvas.random(`${name} right`));
  shape(one);
  shape(other);
  addStereoSounds(canvas, one, other, gain);
}

const panFromRandom = (value: number) => value * 1.8 - 0.9;

interface Drops {
  perSecond: number;
  from: number;
  to: number;
  decay: number;
  level: number;
}

const DROPS: Readonly<Record<SceneLayer['surface'], Drops>> = {
  open: { perSecond: 60, from: 2500, to: 7000, decay: 0.002, level: 0.18 },
  tin: { perSecond: 120, from: 900, to: 3800, decay: 0.014, level: 0.3 },
  window: { perSecond: 70, from: 1400, to: 4200, decay: 0.006, level: 0.3 },
  leaves: { perSecond: 90, from: 1200, to: 5000, decay: 0.004, level: 0.2 },
  tent: { perSecond: 90, from: 250, to: 900, decay: 0.012, level: 0.45 },
};

const renderRain: Source = (canvas, { intensity, surface }) => {
  const { sampleRate } = canvas;
  addNoiseWash(canvas, 'rain', 'white', 0.12 + 0.22 * intensity, (sound) => {
    highPass(sound, surface === 'tent' ? 250 : 700, sampleRate);
    lowPass(sound, surface === 'open' ? 9000 : surface === 'tent' ? 2500 : 6000, sampleRate);
  });
  const { perSecond, from, to, decay, level } = DROPS[surface];
  const random = canvas.random('drops');
  const drops = Array.from({ length: 48 }, () => {
    const hertz = from * (to / from) ** random.next();
    return synthesizeSweep({ from: hertz, to: hertz * 0.96, seconds: decay * 6, decay }, sampleRate);
  });
  scatterInTime(canvas, random, perSecond * (0.3 + 1.7 * intensity), (start) => {
    placeSoundOnCanvas(
      canvas,
      random.pick(drops),
      start,
      level * (0.3 + 0.7 * random.next() ** 2),
      panFromRandom(random.next()),
    );
  });
};

const renderWind: Source = (canvas, { intensity }) => {
  const { sampleRate } = canvas;
  for (const side of ['left', 'right'] as const) {
    const random = canvas.random(`wind ${side}`);
    const sound = noiseOf('pink', canvas.left.length, random);
    const gust = randomWanderCurve(canvas.random('gusts'), 2.6, sampleRate);
    const whistle = randomWanderCurve(random, 1.1, sampleRate);
    movingBand(sound, (index) => 160 + 520 * intensity * gust(index) + 260 * whistle(index), 1.6, sampleRate);
    const channel = canvas[side];
    for (let index = 0; index < channel.length; index += 1) {
      const force = 0.25 + 0.75 * gust(index) ** 1.5;
      channel[index] = (channel[index] ?? 0) + (sound[index] ?? 0) * force * (0.5 + 0.6 * intensity);
    }
  }
};

const renderSea: Source = (canvas, { intensity }) => {
  const { sampleRate } = canvas;
  const random = canvas.random('waves');
  addNoiseWash(canvas, 'swell', 'brown', 0.05 + 0.08 * intensity, (sound) => lowPass(sound, 380, sampleRate));
  let at = -2;
  while (at * sampleRate < canvas.left.length) {
    const seconds = 6 + random.next() * 3;
    const wave = noiseOf('pink', Math.round(seconds * sampleRate), random);
    let level = 0;
    for (let index = 0; index < wave.length; index += 1) {
      const share = index / wave.length;
      const crash = share < 0.35 ? (share / 0.35) ** 3 : Math.exp(-(share - 0.35) * 4.5) * (1 - share);
      const open = 1 - Math.exp((-TURN * (350 + 5200 * crash)) / sampleRate);
      level += open * ((wave[index] ?? 0) - level);
      wave[index] = level * crash;
    }
    placeSoundOnCanvas(canvas, wave, Math.round(at * sampleRate), 1 + 0.8 * intensity, (random.next() - 0.5) * 1.2);
    at += 3.2 + random.next() * 2.6 - intensity;
  }
};

const renderThunder: Source = (canvas, { intensity, distance }) => {
  const { sampleRate } = canvas;
  const random = canvas.random('thunder');
  let at = 0.4 + random.next() * 0.8;
  while (at * sampleRate < canvas.left.length) {
    const seconds = 4 + random.next() * 3;
    const roll = noiseOf('brown', Math.round(seconds * sampleRate), random);
    lowPass(roll, 90 + 160 * (1 - distance), sampleRate);
    lowPass(roll, 260, sampleRate);
    const peaks = Array.from({ length: 5 }, () => ({ at: random.next() * seconds * 0.55, level: 0.4 + random.next() }));
    peaks.push({ at: 0.05, level: 1.2 });
    for (let index = 0; index < roll.length; index += 1) {
      const time = index / sampleRate;
      let level = 0;
      for (const peak of peaks) {
        const since = time - peak.at;
        level += since < 0 ? 0 : peak.level * Math.min(1, since / 0.05) * Math.exp(-since / 1.1);
      }
      roll[index] = (roll[index] ?? 0) * level * Math.min(1, (seconds - time) / 0.8);
    }
    const place = (random.next() - 0.5) * 1.2;
    const start = Math.round(at * sampleRate);
    placeSoundOnCanvas(canvas, roll, start, 2.2, place);
    if (distance < 0.5) {
      const crack = synthesizeNoiseBurst({ seconds: 0.5, decay: 0.09, low: 300, high: 5000 }, random, sampleRate);
      placeSoundOnCanvas(canvas, crack, start, 0.5 + 0.5 * intensity, place);
    }
    at += 7 + random.next() * 9 - 4 * intensity;
  }
};

const renderFire: Source = (canvas, { intensity }) => {
  const { sampleRate } = canvas;
  addNoiseWash(canvas, 'flames', 'brown', 0.25 + 0.25 * intensity, (sound) => lowPass(sound, 220, sampleRate));
  const random = canvas.random('crackle');
  const cracks = Array.from({ length: 40 }, () => {
    const decay = 0.0006 + 0.004 * random.next() ** 3;
    return synthesizeNoiseBurst({ seconds: decay * 8, decay, low: 900 + 2500 * random.next() }, random, sampleRate);
  });
  scatterInTime(canvas, random, 8 + 22 * intensity, (start) => {
    placeSoundOnCanvas(
      canvas,
      random.pick(cracks),
      start,
      0.15 + 1.5 * random.next() ** 5,
      (random.next() - 0.5) * 0.9,
    );
  });
};

const renderStreamSound: Source = (canvas, { intensity }) => {
  const { sampleRate } = canvas;
  addNoiseWash(canvas, 'flow', 'pink', 0.1 + 0.25 * intensity, (sound) => {
    highPass(sound, 350, sampleRate);
    lowPass(sound, 2600, sampleRate);
  });
  const random = canvas.random('bubbles');
  const bubbles = Array.from({ length: 64 }, () => {
    const from = 380 * 6 ** random.next();
    const decay = 0.008 + 0.03 * random.next();
    return synthesizeSweep({ from, to: from * (1.15 + 0.5 * random.next()), seconds: decay * 5, decay }, sampleRate);
  });
  scatterInTime(canvas, random, 40 + 70 * intensity, (start) => {
    placeSoundOnCanvas(
      canvas,
      random.pick(bubbles),
      start,
      0.05 + 0.22 * random.next() ** 2,
      panFromRandom(random.next()),
    );
  });
};

const renderWaterfall: Source = (canvas, { intensity }) => {
  const { sampleRate } = canvas;
  addNoiseWash(canvas, 'fall', 'pink', 0.5 + 0.3 * intensity, (sound) =>
    lowPass(highPass(sound, 120, sampleRate), 5200, sampleRate),
  );
  addNoiseWash(canvas, 'depth', 'brown', 0.25, (sound) => lowPass(sound, 300, sampleRate));
};

const renderBirds: Source = (canvas, { intensity }) => {
  const { sampleRate } = canvas;
  addNoiseWash(canvas, 'air', 'pink', 0.012, (sound) => lowPass(sound, 900, sampleRate));
  for (let bird = 0; bird < 3 + Math.round(5 * intensity); bird += 1) {
    const random = canvas.random(`bird ${bird}`);
    const centre = 2400 + 3400 * random.next();
    const place = panFromRandom(random.next());
    const syllables = Array.from({ length: 4 }, () => {
      const from = centre * (0.8 + 0.5 * random.next());
      const seconds = 0.04 + 0.12 * random.next();
      return synthesizeSweep(
        { from, to: centre * (0.8 + 0.5 * random.next()), seconds, vibrato: [25, 0.03] },
        sampleRate,
      );
    });
    scatterInTime(canvas, random, 0.32, (start) => {
      let at = start;
      const level = 0.12 + 0.14 * random.next();
      for (let count = 2 + Math.floor(random.next() * 6); count > 0; count -= 1) {
        const one = random.pick(syllables);
        placeSoundOnCanvas(canvas, one, at, level, place);
        at += one.length + Math.round((0.03 + 0.09 * random.next()) * sampleRate);
      }
    });
  }
};

/** Calls at random times, each a few repetitions of one cry. */
function scatterAnimalCalls(
  canvas: Canvas,
  name: string,
  perSecond: number,
  call: (place: number, start: number) => void,
): void {
  const random = canvas.random(name);
  call(panFromRandom(random.next()), Math.round(0.3 * canvas.sampleRate));
  scatterInTime(canvas, random, perSecond, (start) => call(panFromRandom(random.next()), start));
}

const renderSeagulls: Source = (canvas, { intensity }) => {
  const { sampleRate } = canvas;
  const random = canvas.random('gulls');
  scatterAnimalCalls(canvas, 'gull calls', 0.25 + 0.4 * intensity, (place, start) => {
    const pitch = 900 + 500 * random.next();
    for (let cry = 0; cry < 2 + Math.floor(random.next() * 4); cry += 1) {
      const partials = [1, 0.7, 0.45, 0.3, 0.15];
      const sound = synthesizeSweep({ from: pitch * 1.35, to: pitch * 0.8, seconds: 0.28, partials }, sampleRate);
      placeSoundOnCanvas(canvas, sound, start + Math.round(cry * 0.38 * sampleRate), 0.12, place);
    }
  });
};

const renderOwl: Source = (canvas) => {
  const { sampleRate } = canvas;
  scatterAnimalCalls(canvas, 'owl calls', 0.16, (place, start) => {
    for (const [after, seconds] of [
      [0, 0.5],
      [0.9, 0.18],
      [1.15, 0.7],
    ] as const) {
      const hoot = synthesizeSweep(
        { from: 390, to: 350, seconds, partials: [1, 0.12], vibrato: [6, 0.015] },
        sampleRate,
      );
      placeSoundOnCanvas(canvas, hoot, start + Math.round(after * sampleRate), 0.3, place);
    }
  });
};

const renderCrickets: Source = (canvas, { intensity }) => {
  const { sampleRate } = canvas;
  for (let cricket = 0; cricket < 3 + Math.round(6 * intensity); cricket += 1) {
    const random = canvas.random(`cricket ${cricket}`);
    const hertz = 4100 + 900 * random.next();
    const pulse = synthesizeSweep({ from: hertz, to: hertz * 0.985, seconds: 0.017, partials: [1, 0.12] }, sampleRate);
    const place = panFromRandom(random.next());
    const period = 0.38 + 0.3 * random.next();
    const level = 0.06 + 0.12 * random.next();
    for (
      let at = random.next() * period;
      at * sampleRate < canvas.left.length;
      at += period * (0.97 + 0.06 * random.next())
    ) {
      for (let pulses = 0; pulses < 3; pulses += 1) {
        placeSoundOnCanvas(canvas, pulse, Math.round((at + pulses * 0.024) * sampleRate), level, place);
      }
    }
  }
};

const renderFrogs: Source = (canvas, { intensity }) => {
  const { sampleRate } = canvas;
  for (let frog = 0; frog < 3 + Math.round(4 * intensity); frog += 1) {
    const random = canvas.random(`frog ${frog}`);
    const hertz = 320 + 420 * random.next();
    const pulse = synthesizeSweep(
      { from: hertz, to: hertz * 1.08, seconds: 0.03, partials: [1, 0.6, 0.4, 0.2] },
      sampleRate,
    );
    const place = panFromRandom(random.next());
    scatterInTime(canvas, random, 0.5, (start) => {
      for (let pulses = 0; pulses < 9; pulses += 1) {
        placeSoundOnCanvas(canvas, pulse, start + Math.round(pulses * 0.034 * sampleRate), 0.13, place);
      }
    });
  }
};

/** Formants of five vowels, in Hz. */
const VOWELS = [
  [730, 1090],
  [530, 1840],
  [390, 1990],
  [570, 840],
  [440, 1020],
] as const;

/** Syllables of many speakers, without words. */
function addSpeakerBabble(canvas: Canvas, speakers: number, level: number): void {
  const { sampleRate } = canvas;
  const random = canvas.random('babble');
  for (let speaker = 0; speaker < speakers; speaker += 1) {
    const pitch = random.chance(0.5) ? 95 + 45 * random.next() : 170 + 70 * random.next();
    const place = panFromRandom(random.next());
    const syllables = VOWELS.map(([first, second]) => {
      const partials = Array.from({ length: Math.floor(2600 / pitch) }, (_, index) => {
        const hertz = pitch * (index + 1);
        const formantStrength = (formant: number) => Math.exp(-(((hertz - formant) / 130) ** 2));
        return 0.06 / (index + 1) + 0.5 * formantStrength(first) + 0.3 * formantStrength(second);
      });
      return synthesizeSweep(
        { from: pitch * 1.08, to: pitch * 0.95, seconds: 0.14 + 0.1 * random.next(), partials },
        sampleRate,
      );
    });
    let at = random.next() * 2;
    while (at * sampleRate < canvas.left.length) {
      const one = random.pick(syllables);
      placeSoundOnCanvas(canvas, one, Math.round(at * sampleRate), level * (0.5 + 0.5 * random.next()), place);
      at += one.length / sampleRate + 0.03 + (random.chance(0.14) ? 0.4 + random.next() * 1.4 : 0);
    }
  }
}

const renderCrowd: Source = (canvas, { intensity }) => {
  addSpeakerBabble(canvas, 10 + Math.round(16 * intensity), 0.09);
  addNoiseWash(canvas, 'hall', 'pink', 0.06, (sound) =>
    lowPass(highPass(sound, 200, canvas.sampleRate), 1200, canvas.sampleRate),
  );
};

const renderCafe: Source = (canvas, { intensity }) => {
  const { sampleRate } = canvas;
  addSpeakerBabble(canvas, 5 + Math.round(8 * intensity), 0.08);
  addNoiseWash(canvas, 'room', 'pink', 0.05, (sound) => lowPass(sound, 700, sampleRate));
  const random = canvas.random('cups');
  scatterInTime(canvas, random, 0.5 + 0.8 * intensity, (start) => {
    const hertz = 2200 + 2800 * random.next();
    const place = panFromRandom(random.next());
    const level = 0.05 + 0.1 * random.next();
    for (const ratio of [1, 1.53, 2.41]) {
      placeSoundOnCanvas(
        canvas,
        synthesizeSweep({ from: hertz * ratio, to: hertz * ratio, seconds: 0.35, decay: 0.06 / ratio }, sampleRate),
        start,
        level / ratio,
        place,
      );
    }
  });
};

const renderTraffic: Source = (canvas, { intensity }) => {
  const { sampleRate } = canvas;
  addNoiseWash(canvas, 'road', 'brown', 0.35, (sound) => lowPass(sound, 170, sampleRate));
  const random = canvas.random('cars');
  let at = -1.5;
  while (at * sampleRate < canvas.left.length) {
    const seconds = 3 + 2.5 * random.next();
    const car = noiseOf('pink', Math.round(seconds * sampleRate), random);
    lowPass(car, 700 + 900 * random.next(), sampleRate);
    const engine = 55 + 50 * random.next();
    const direction = random.chance(0.5) ? 1 : -1;
    const side = { left: new Float32Array(car.length), right: new Float32Array(car.length) };
    let phase = 0;
    for (let index = 0; index < car.length; index += 1) {
      const share = index / car.length - 0.5;
      const near = Math.exp(-((share * 5) ** 2));
      phase += (engine * (1.06 - 0.12 * (share + 0.5))) / sampleRate;
      const sample = ((car[index] ?? 0) + 0.16 * Math.sin(TURN * phase) + 0.1 * Math.sin(TURN * 2 * phase)) * near;
      const angle = ((direction * share * 1.6 + 1) * Math.PI) / 4;
      side.left[index] = sample * Math.cos(angle);
      side.right[index] = sample * Math.sin(angle);
    }
    placeSoundOnCanvas(canvas, side.left, Math.round(at * sampleRate), 0.8, -1);
    placeSoundOnCanvas(canvas, side.right, Math.round(at * sampleRate), 0.8, 1);
    at += 0.8 + (3.6 - 2.6 * intensity) * random.next();
  }
};

const renderTrain: Source = (canvas, { intensity }) => {
  const { sampleRate } = canvas;
  addNoiseWash(canvas, 'rumble', 'brown', 0.45, (sound) => lowPass(sound, 320, sampleRate));
  const random = canvas.random('joints');
  const thud = synthesizeNoiseBurst({ seconds: 0.12, decay: 0.022, high: 1100 }, random, sampleRate);
  const ring = synthesizeSweep({ from: 1250, to: 1230, seconds: 0.12, decay: 0.02, partials: [1, 0, 0.4] }, sampleRate);
  const period = 1.5 - 0.7 * intensity;
  for (let at = 0.2; at * sampleRate < canvas.left.length; at += period) {
    for (const after of [0, 0.11, 0.42, 0.53]) {
      const start = Math.round((at + after * period) * sampleRate);
      placeSoundOnCanvas(canvas, thud, start, 1.6, after < 0.3 ? -0.25 : 0.25);
      placeSoundOnCanvas(canvas, ring, start, 0.12, after < 0.3 ? -0.25 : 0.25);
    }
  }
};

const renderClock: Source = (canvas) => {
  const { sampleRate } = canvas;
  const random = canvas.random('clock');
  const click = synthesizeNoiseBurst({ seconds: 0.03, decay: 0.003, low: 1200 }, random, sampleRate);
  for (let beat = 0; beat * 0.5 * sampleRate < canvas.left.length; beat += 1) {
    const start = Math.round(beat * 0.5 * sampleRate);
    const hertz = beat % 2 === 0 ? 2400 : 1900;
    placeSoundOnCanvas(canvas, click, start, 0.5, 0);
    placeSoundOnCanvas(
      canvas,
      synthesizeSweep({ from: hertz, to: hertz, seconds: 0.06, decay: 0.008 }, sampleRate),
      start,
      0.3,
      0,
    );
  }
};

const renderHeartbeat: Source = (canvas, { intensity }) => {
  const { sampleRate } = canvas;
  const thump = synthesizeSweep({ from: 62, to: 38, seconds: 0.22, decay: 0.07, partials: [1, 0.3] }, sampleRate);
  const period = 60 / (52 + 40 * intensity);
  for (let at = 0; at * sampleRate < canvas.left.length; at += period) {
    placeSoundOnCanvas(canvas, thump, Math.round(at * sampleRate), 0.9, 0);
    placeSoundOnCanvas(canvas, thump, Math.round((at + 0.3 * period) * sampleRate), 0.6, 0);
  }
};

const windChimes: Source = (canvas, { intensity }) => {
  const { sampleRate } = canvas;
  const random = canvas.random('chimes');
  const bars = [1046, 1175, 1397, 1568, 1760, 2093].map((hertz) =>
    [1, 2.76, 5.4].map((ratio) => {
      return synthesizeSweep({ from: hertz * ratio, to: hertz * ratio, seconds: 2.2, decay: 0.7 / ratio }, sampleRate);
    }),
  );
  scatterInTime(canvas, random, 0.8 + 2 * intensity, (start) => {
    const place = panFromRandom(random.next());
    for (const [index, partial] of random.pick(bars).entries())
      placeSoundOnCanvas(canvas, partial, start, 0.16 / (index + 1), place);
  });
};

const renderFan: Source = (canvas) => {
  const { sampleRate } = canvas;
  addNoiseWash(canvas, 'fan', 'pink', 0.5, (sound) => lowPass(sound, 1100, sampleRate));
  placeSoundOnCanvas(
    canvas,
    sumSteadyTones(canvas, [
      [118, 0.05],
      [236, 0.03],
    ]),
    0,
    1,
    0,
  );
};

const renderHum: Source = (canvas) => {
  placeSoundOnCanvas(
    canvas,
    sumSteadyTones(canvas, [
      [55, 0.3],
      [110, 0.18],
      [110.4, 0.18],
      [165, 0.08],
      [220.5, 0.05],
    ]),
    0,
    1,
    0,
  );
  addNoiseWash(canvas, 'hull', 'brown', 0.15, (sound) => lowPass(sound, 240, canvas.sampleRate));
};

function sumSteadyTones(
  { left, sampleRate }: Canvas,
  parts: readonly (readonly [hertz: number, level: number])[],
): Float32Array {
  const sound = new Float32Array(left.length);
  for (const [hertz, level] of parts) {
    const step = (TURN * hertz) / sampleRate;
    for (let index = 0; index < sound.length; index += 1) {
      sound[index] = (sound[index] ?? 0) + level * Math.sin(step * index);
    }
  }
  return sound;
}

const colouredNoiseSource =
  (colour: NoiseColour): Source =>
  (canvas) =>
    addNoiseWash(canvas, colour, colour, 0.4, () => undefined);

const TONE_LEVEL = 0.4;

/** Partials of the wave below this share of the sample rate. */
const PARTIALS_BELOW = 0.45;

const PARTIALS_MAX = 40;

const renderSteadyTone: Source = (canvas, { hertz, wave }) => {
  const base = hertz ?? 440;
  const most = Math.min(PARTIALS_MAX, Math.floor((canvas.sampleRate * PARTIALS_BELOW) / base));
  const parts = Array.from({ length: wave === 'sine' ? 1 : most }, (_, index): [number, number] => {
    const number = index + 1;
    const odd = number % 2 === 1;
    const level = {
      sine: 1,
      square: odd ? 1 / number : 0,
      sawtooth: 1 / number,
      triangle: odd ? (index % 4 === 0 ? 1 : -1) / number ** 2 : 0,
    }[wave];
    return [base * number, level * TONE_LEVEL];
  }).filter(([, level]) => level !== 0);
  placeSoundOnCanvas(canvas, sumSteadyTones(canvas, parts), 0, Math.SQRT2, 0);
};

const renderBinauralBeat: Source = (canvas, { hertz, beatHertz }) => {
  const carrier = hertz ?? 200;
  addStereoSounds(
    canvas,
    sumSteadyTones(canvas, [[carrier, TONE_LEVEL]]),
    sumSteadyTones(canvas, [[carrier + (beatHertz ?? 10), TONE_LEVEL]]),
    1,
  );
};

/** By the names of `resources/music/scenes.json`. */
export const BEDS: Readonly<Record<string, Source>> = byName({
  rain: renderRain,
  wind: renderWind,
  sea: renderSea,
  thunder: renderThunder,
  fire: renderFire,
  stream: renderStreamSound,
  waterfall: renderWaterfall,
  birds: renderBirds,
  seagulls: renderSeagulls,
  owl: renderOwl,
  crickets: renderCrickets,
  frogs: renderFrogs,
  crowd: renderCrowd,
  café: renderCafe,
  traffic: renderTraffic,
  train: renderTrain,
  clock: renderClock,
  heartbeat: renderHeartbeat,
  'wind chimes': windChimes,
  fan: renderFan,
  hum: renderHum,
  'white noise': colouredNoiseSource('white'),
  'pink noise': colouredNoiseSource('pink'),
  'brown noise': colouredNoiseSource('brown'),
  tone: renderSteadyTone,
  'binaural beat': renderBinauralBeat,
});
