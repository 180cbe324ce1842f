/** Joins single sounds to what fills a canvas: events in a rhythm, beds, and several at once. */

import type { SceneLayer } from '../tasks.ts';
import { bandOf, curveAt, type Making, mixInto, pulses, resonate, toPeak } from './bodies.ts';
import { addStereoSounds, type Canvas, noiseOf, placeSoundOnCanvas, randomWanderCurve } from './noise.ts';

export type Source = (canvas: Canvas, layer: SceneLayer) => void;

export type Maker = (making: Making) => Float32Array;

export interface Rhythm {
  /** Seconds between the beginnings of two sounds, or of two groups. */
  every: number;
  /** 0 as a clock, 1 at random. */
  loose?: number;
  /** Sounds that follow each other, as barks do: fewest, most, seconds between them. */
  group?: readonly [least: number, most: number, apart: number];
  /** Different sounds that are made; the others repeat them. */
  variants?: number;
  /** How far to the sides they lie, 0 to 1. */
  wide?: number;
}

const FIRST_SECONDS = 0.1;

const VARIANTS = 6;

const MOST_EVENTS = 4000;

/** Sounds in a rhythm. `layer.count` of them, where it says so. */
export function events(make: Maker, { every, loose = 0.5, group, variants = VARIANTS, wide = 0.25 }: Rhythm): Source {
  return (canvas, layer) => {
    const { sampleRate } = canvas;
    const random = canvas.random('events');
    const making: Making = { random, sampleRate, intensity: layer.intensity, ground: layer.ground };
    const made: Float32Array[] = [];
    const base = (random.next() * 2 - 1) * wide;
    const place = () => Math.max(-1, Math.min(1, base + (random.next() * 2 - 1) * wide * 0.4));
    const play = (seconds: number) => {
      if (made.length < variants) made.push(make(making));
      const sound = random.pick(made);
      placeSoundOnCanvas(canvas, sound, Math.round(seconds * sampleRate), 0.75 + 0.25 * random.next(), place());
    };
    for (const seconds of timesOf(canvas, layer, { every, loose, group }, random)) play(seconds);
  };
}

function* timesOf(
  { left, sampleRate }: Canvas,
  { count, gapSeconds, rate }: SceneLayer,
  { every, loose, group }: { every: number; loose: number; group: Rhythm['group'] },
  random: Making['random'],
): Generator<number> {
  const length = left.length / sampleRate;
  if (count !== null) {
    for (let index = 0; index < count; index += 1) yield FIRST_SECONDS + (index * gapSeconds) / rate;
    return;
  }
  const [least, most, apart] = group ?? [1, 1, 0];
  let at = FIRST_SECONDS + (loose * every * random.next()) / 4;
  for (let event = 0; at < length && event < MOST_EVENTS; event += 1) {
    const size = least + Math.floor(random.next() * (most - least + 1));
    let inside = at;
    for (let one = 0; one < size && inside < length; one += 1) {
      yield inside;
      inside += (apart / rate) * (1 + 0.3 * loose * (random.next() - 0.5));
    }
    const pause = (every / rate) * (1 - loose + loose * (0.4 + 1.2 * random.next()));
    at = Math.max(at + pause, inside + 0.05);
  }
}

/** Several sources at once, each at its level. */
export function mixed(...parts: readonly (readonly [source: Source, level: number])[]): Source {
  return (canvas, layer) => {
    for (const [index, [source, level]] of parts.entries()) {
      const own = innerCanvas(canvas, `part ${index}`);
      source(own, layer);
      levelOf([own.left, own.right], canvas.sampleRate);
      addStereoSounds(canvas, own.left, own.right, level);
    }
  };
}

/** An empty canvas of the same size with random numbers of its own. */
export function innerCanvas(canvas: Canvas, name: string): Canvas {
  const { left, right, sampleRate } = canvas;
  return {
    left: new Float32Array(left.length),
    right: new Float32Array(right.length),
    sampleRate,
    random: (inner) => canvas.random(`${name} ${inner}`),
  };
}

const WINDOW_SECONDS = 0.05;

const LEVEL = 0.12;

/** Scales channels so that their loud moments have one level, in place. */
export function levelOf(channels: readonly Float32Array[], sampleRate: number): void {
  const size = Math.round(WINDOW_SECONDS * sampleRate);
  const levels: number[] = [];
  for (const channel of channels) {
    for (let start = 0; start < channel.length; start += size) {
      const end = Math.min(channel.length, start + size);
      let sum = 0;
      for (let index = start; index < end; index += 1) sum += (channel[index] ?? 0) ** 2;
      levels.push(Math.sqrt(sum / size));
    }
  }
  levels.sort((one, other) => other - one);
  const loud = levels[Math.floor(levels.length * 0.02)] ?? 0;
  const gain = LEVEL / Math.max(1e-6, loud);
  for (const channel of channels) {
    for (let index = 0; index < channel.length; index += 1) channel[index] = (channel[index] ?? 0) * gain;
  }
}

export interface Wash {
  low: number;
  high: number;
  /** Bands that ring: their frequency and width. */
  rings?: readonly (readonly [hertz: number, width: number, level: number])[];
  /** How much the level wanders, 0 to 1, and in how many seconds. */
  wander?: readonly [depth: number, seconds: number];
  /** A beat of the level: in Hz, its depth. */
  beat?: readonly [hertz: number, depth: number];
}

/** Steady noise in a band. */
export function wash({ low, high, rings = [], wander = [0, 1], beat = [1, 0] }: Wash): Source {
  return (canvas, { rate }) => {
    const { sampleRate } = canvas;
    const curve = randomWanderCurve(canvas.random('wander'), wander[1], sampleRate);
    const sides = ['left', 'right'].map((side) => {
      const noise = bandOf(noiseOf('white', canvas.left.length, canvas.random(`wash ${side}`)), low, high, sampleRate);
      const whole = rings.length === 0 ? noise : noise.map((sample) => sample * 0.3);
      for (const [hertz, width, level] of rings) mixInto(whole, resonate(noise, hertz, width, sampleRate), 0, level);
      for (let index = 0; index < whole.length; index += 1) {
        const turn = Math.sin((2 * Math.PI * beat[0] * rate * index) / sampleRate);
        const level = (1 - wander[0] + wander[0] * curve(index)) * (1 - beat[1] * (0.5 + 0.5 * turn));
        whole[index] = (whole[index] ?? 0) * level;
      }
      return whole;
    });
    addStereoSounds(canvas, sides[0] ?? canvas.left, sides[1] ?? canvas.right, 1);
  };
}

export interface Motor {
  /** Pulses a second. */
  hertz: number;
  pulse: (making: Making) => Float32Array;
  /** 0 even, 1 every pulse another. */
  rough: number;
  /** How far its speed wanders, and in how many seconds. */
  wander?: readonly [share: number, seconds: number];
  /** A course of the speed that repeats: multiples at equal distances over seconds. */
  course?: { seconds: number; speeds: readonly number[] };
  /** Bands of its body that ring. */
  rings?: readonly (readonly [hertz: number, width: number, level: number])[];
}

/** A motor: pulses that wander a little, through what they shake. */
export function motor({ hertz, pulse, rough, wander = [0.03, 2], course, rings = [] }: Motor): Source {
  return (canvas, layer) => {
    const { sampleRate } = canvas;
    const random = canvas.random('motor');
    const curve = randomWanderCurve(canvas.random('speed'), wander[1], sampleRate);
    const one = pulse({ random, sampleRate, intensity: layer.intensity, ground: null });
    const speed = (index: number) => {
      const share = course === undefined ? 0 : ((index / sampleRate) % course.seconds) / course.seconds;
      const stage = course === undefined ? 1 : curveAt(course.speeds, share);
      return hertz * layer.rate * stage * (1 + wander[0] * (curve(index) - 0.5) * 2);
    };
    const train = pulses(canvas.left.length, speed, one, { random, sampleRate, rough });
    const whole = rings.length === 0 ? train : train.map((sample) => sample * 0.4);
    for (const [ring, width, level] of rings) mixInto(whole, resonate(train, ring, width, sampleRate), 0, level);
    placeSoundOnCanvas(canvas, toPeak(whole), 0, 1, 0);
  };
}
