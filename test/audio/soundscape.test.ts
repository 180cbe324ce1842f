import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { musicOf, soundscapeOf } from '../../src-server/features/audio/sounds.ts';
import { renderScene, sceneOf } from '../../workers/audio/scenes/render-scene.ts';
import { features, spectrumOf } from '../harness/sound-analysis.ts';
import { readWave, soundFolder } from '../harness/sounds.ts';
import { UNWATCHED } from '../harness/task-context.ts';

const SAMPLE_RATE = 22_050;

function scene(prompt: string, seed = 'one', seconds = 6) {
  const { layers } = soundscapeOf(prompt);
  return sceneOf(layers, {
    seed,
    seconds,
    sampleRate: SAMPLE_RATE,
    before: 0,
    blends: false,
    progress: () => undefined,
  });
}

const PROMPTS = [
  'rain on a tin roof',
  'wind',
  'waves on a beach',
  'thunder',
  'crackling fire',
  'a babbling brook',
  'birds singing',
  'crickets',
  'crowd',
  'traffic',
  'café',
  'train on rails',
  'white noise',
  'brown noise',
  'sine wave 440 Hz',
];

describe('a soundscape', () => {
  test('of each scene sounds like itself with another seed, and unlike the others', () => {
    const ones = PROMPTS.map((prompt) => features(scene(prompt, 'one')));
    const others = PROMPTS.map((prompt) => features(scene(prompt, 'two')));
    const distance = (a: readonly number[], b: readonly number[]) =>
      Math.hypot(...a.map((value, at) => value - (b[at] ?? 0)));
    const nearest = others.map((other) => {
      const distances = ones.map((one) => distance(one, other));
      return PROMPTS[distances.indexOf(Math.min(...distances))];
    });
    const right = nearest.filter((name, at) => name === PROMPTS[at]).length;
    expect([right >= PROMPTS.length - 1, nearest]).toEqual([true, nearest]);
  });

  test('is the same with the same seed, stereo, and never silent or out of range', () => {
    for (const prompt of PROMPTS) {
      const one = scene(prompt, 'one', 3);
      const again = scene(prompt, 'one', 3);
      expect(one.channels).toEqual(again.channels);
      const [left = new Float32Array(), right = new Float32Array()] = one.channels;
      const level = Math.sqrt(left.reduce((sum, sample) => sum + sample * sample, 0) / left.length);
      expect([prompt, level > 0.003, left.every(Number.isFinite)]).toEqual([prompt, true, true]);
      if (!/sine/.test(prompt))
        expect([prompt, left.every((sample, at) => sample === right[at])]).toEqual([prompt, false]);
    }
  });

  test('is duller at a distance and louder when heavy', () => {
    const centre = (prompt: string) => spectrumOf(scene(prompt)).centroid;
    expect(centre('distant rain')).toBeLessThan(centre('rain') / 1.5);
    expect(soundscapeOf('heavy rain with a gentle breeze').layers).toMatchObject([
      { scene: 'rain', intensity: 0.9 },
      { scene: 'wind', intensity: 0.25 },
    ]);
    expect(soundscapeOf('distant thunder over the sea').layers).toMatchObject([
      { scene: 'thunder', distance: 0.8 },
      { scene: 'sea', distance: 0.3 },
    ]);
    expect(soundscapeOf('rain on a tin roof, no wind').layers).toMatchObject([{ scene: 'rain', surface: 'tin' }]);
  });

  test('of a tone has its frequency, and of two tones their beat', () => {
    expect(spectrumOf(scene('a 1 kHz test tone')).peakHertz).toBeCloseTo(1000, -1);
    const { channels, sampleRate } = scene('binaural beats, 200 Hz, 10 Hz alpha');
    const [left, right] = channels.map((channel) => spectrumOf({ channels: [channel], sampleRate }).peakHertz);
    expect((right ?? 0) - (left ?? 0)).toBeGreaterThan(7);
    expect((right ?? 0) - (left ?? 0)).toBeLessThan(13);
    expect(soundscapeOf('sine wave 90 kHz').warnings.join()).toContain('not possible');
  });

  test('that is seamless ends where it begins', async () => {
    const outputFolder = await soundFolder();
    const common = {
      seed: 'loop',
      sampleRate: 44_100,
      durationSeconds: 3,
      renderSeconds: 3,
      outputFolder,
      title: 'Loop',
    };
    const goal = { lufs: -23, truePeakDbtp: -1 };
    const { layers } = soundscapeOf('a deep hum of a spaceship');
    await renderScene({ ...common, goal, layers, seamless: true, fileName: 'loop' }, UNWATCHED);
    const { samples } = await readWave(join(outputFolder, 'loop.wav'));
    const steps = samples.map((sample, at) => Math.abs(sample - (samples[at - 1] ?? sample)));
    const seam = Math.abs((samples[0] ?? 0) - (samples.at(-1) ?? 0));
    const largest = steps.reduce((most, step) => Math.max(most, step), 0);
    expect(seam).toBeLessThanOrEqual(largest * 1.5);
    const end = samples.subarray(-2205).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    expect(end).toBeGreaterThan(0.02);
  });

  test('of unknown sounds is refused with those that are known, and known ones are rendered with a warning', () => {
    expect(() => soundscapeOf('the sound of a traincar')).toThrow(/traincar.*nearest are: .*train/s);
    expect(soundscapeOf('rain and an abacus').warnings.join()).toContain('abacus');
  });

  test('lies under music that asks for it', () => {
    expect(musicOf('sad piano, rain in the background', null).layers).toMatchObject([{ scene: 'rain' }]);
    expect(musicOf('a song about the rain', null).layers).toEqual([]);
  });
});
