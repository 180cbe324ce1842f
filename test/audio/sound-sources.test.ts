import { describe, expect, test } from 'vitest';
import sceneData from '../../resources/music/scenes.json' with { type: 'json' };
import { soundscapeOf } from '../../src-server/features/audio/sounds.ts';
import { sceneOf } from '../../workers/audio/scenes/render-scene.ts';
import type { Sound } from '../../workers/audio/sound.ts';
import type { SceneLayer } from '../../workers/audio/tasks.ts';
import { framesOf, mono, spectrumOf } from '../harness/sound-analysis.ts';

const SAMPLE_RATE = 22_050;

const USUAL: Omit<SceneLayer, 'scene'> = {
  distance: 0.05,
  intensity: 0.55,
  hertz: null,
  beatHertz: null,
  wave: 'sine',
  surface: 'open',
  ground: null,
  rate: 1,
  scale: 1,
  many: 1,
  count: null,
  gapSeconds: 1,
  motion: null,
  space: null,
  startShare: 0,
};

function render(layers: readonly SceneLayer[], seconds: number): Sound {
  return sceneOf(layers, {
    seed: 'one',
    seconds,
    sampleRate: SAMPLE_RATE,
    before: 0,
    blends: false,
    progress: () => undefined,
  });
}

const named = (scene: string, seconds = 6) => render([{ ...USUAL, scene }], seconds);

const described = (prompt: string, seconds = 6) => render(soundscapeOf(prompt).layers, seconds);

/** Levels of windows of 10 ms. */
function levelsOf(sound: Sound): number[] {
  const samples = mono(sound);
  const size = Math.round(0.01 * sound.sampleRate);
  return Array.from({ length: Math.floor(samples.length / size) }, (_, at) =>
    Math.sqrt(samples.subarray(at * size, (at + 1) * size).reduce((sum, sample) => sum + sample * sample, 0) / size),
  );
}

/** How often the level rises to a third of the highest after it was below a tenth. */
function beginnings(sound: Sound): number {
  const levels = levelsOf(sound);
  const most = Math.max(...levels);
  let [count, isQuiet] = [0, true];
  for (const level of levels) {
    if (isQuiet && level > most / 3) {
      count += 1;
      isQuiet = false;
    } else if (level < most / 10) isQuiet = true;
  }
  return count;
}

/** Share of the power that lies in the strongest sixteenth of the spectrum's lines: near 1 for tones, 0.15 for noise. */
function tonality(sound: Sound): number {
  const frames = framesOf(mono(sound), 4096);
  const power = Float64Array.from({ length: 2048 }, (_, bin) =>
    frames.reduce((sum, frame) => sum + (frame[bin] ?? 0) ** 2, 0),
  );
  const total = power.reduce((sum, one) => sum + one, 0);
  return (
    power
      .toSorted()
      .slice(-128)
      .reduce((sum, one) => sum + one, 0) / total
  );
}

test('every named sound is rendered, is heard from the first half second on, and is finite', () => {
  const bad = sceneData.filter(({ name }) => {
    const levels = levelsOf(named(name, 1.5));
    const most = Math.max(...levels);
    return !(
      most > 0.005 &&
      most < 8 &&
      (name === 'thunder' || levels.slice(0, 100).some((level) => level > most / 20))
    );
  });
  expect(bad.map(({ name }) => name)).toEqual([]);
});

describe('a source has the spectrum and the course of what it stands for', () => {
  test.each([
    ['church bells', 150, 900],
    ['explosion', 20, 2500],
    ['heartbeat', 20, 200],
    ['rumble', 20, 500],
    ['purr', 60, 2600],
    ['ship horn', 60, 700],
    ['whistle', 2300, 5500],
    ['frying', 4000, 11_000],
    ['snake', 4000, 11_000],
    ['mosquito', 1500, 5500],
    ['cow', 150, 1400],
    ['mouse', 3000, 7000],
    ['bat', 4000, 11_000],
    ['keys', 3500, 9000],
    ['helicopter', 50, 2600],
  ])('%s: its middle lies between %i and %i Hz', (name, low, high) => {
    const { centroid } = spectrumOf(named(name));
    expect(centroid).toBeGreaterThan(low);
    expect(centroid).toBeLessThan(high);
  });

  test.each([
    ['footsteps', 9, 14],
    ['clock', 11, 13],
    ['drip', 4, 11],
    ['heart monitor', 6, 8],
    ['reversing beeper', 5, 7],
    ['woodpecker', 2, 45],
    ['breaking glass', 1, 6],
    ['dog', 3, 14],
    ['typing', 12, 60],
  ])('%s: begins %i to %i times in six seconds', (name, least, most) => {
    const count = beginnings(named(name));
    expect(count).toBeGreaterThanOrEqual(least);
    expect(count).toBeLessThanOrEqual(most);
  });

  test('tones are tones, and noise is not', () => {
    for (const name of ['church bells', 'telephone', 'siren', 'whistle', 'wolf', 'owl', 'car horn', 'doorbell', 'beep'])
      expect([name, tonality(named(name)) > 0.75]).toEqual([name, true]);
    for (const name of ['rain', 'shower', 'steam', 'hiss', 'applause', 'frying'])
      expect([name, tonality(named(name)) < 0.45]).toEqual([name, true]);
  });
});

describe('what a description says is heard', () => {
  test('counts, paces and grounds', () => {
    expect(beginnings(described('three gunshots'))).toBe(3);
    expect(beginnings(described('a gunshot'))).toBe(1);
    const [slow, usual, fast] = ['slow footsteps', 'footsteps', 'fast footsteps'].map((prompt) =>
      beginnings(described(prompt)),
    );
    expect([(slow ?? 0) < (usual ?? 0), (usual ?? 0) < (fast ?? 0)]).toEqual([true, true]);
    const centre = (prompt: string) => spectrumOf(described(prompt)).centroid;
    expect(centre('footsteps on carpet')).toBeLessThan(centre('footsteps on gravel') / 3);
    expect(centre('footsteps on leaves')).toBeGreaterThan(centre('footsteps on wood') * 1.5);
  });

  test('size, number, way and room', () => {
    const centre = (prompt: string) => spectrumOf(described(prompt)).centroid;
    expect(centre('a big dog barking')).toBeLessThan(centre('a small dog barking') / 1.4);
    expect(beginnings(described('many dogs barking', 9))).not.toBe(beginnings(described('a dog barking', 9)));
    const thirds = (prompt: string) => {
      const levels = levelsOf(described(prompt, 9));
      return [0, 1, 2].map((third) => Math.max(...levels.slice(third * 300 + 20, third * 300 + 280)));
    };
    const [before = 0, middle = 0, after = 0] = thirds('a truck passing by');
    expect([before < middle / 2, after < middle / 2]).toEqual([true, true]);
    const [far = 0, , near = 0] = thirds('a siren approaching');
    expect(far).toBeLessThan(near / 3);
    const rings = (prompt: string) =>
      levelsOf(described(prompt, 3))
        .slice(60, 90)
        .reduce((sum, level) => sum + level, 0);
    expect(rings('a single clap in a cave')).toBeGreaterThan(rings('a single clap') * 5);
  });

  test('one after another', () => {
    const levels = levelsOf(described('a gunshot, then a gong', 8));
    const most = (from: number, to: number) => Math.max(...levels.slice(from * 100, to * 100));
    expect(most(2, 3.9)).toBeLessThan(most(4, 6) / 5);
  });
});
