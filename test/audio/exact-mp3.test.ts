import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AudioResult } from '../../src-server/features/audio/schema.ts';
import { soundscapeOf } from '../../src-server/features/audio/sounds.ts';
import { finishSound } from '../../workers/audio/finish-sound.ts';
import { renderScene } from '../../workers/audio/scenes/render-scene.ts';
import type { Sound } from '../../workers/audio/sound.ts';
import { startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { ffmpegLoudness, readWave, soundFolder } from '../harness/sounds.ts';
import { UNWATCHED } from '../harness/task-context.ts';
import { postJson } from '../harness/text-models.ts';

const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await soundFolder();
});

/** Clicks over noise: their places show any delay. */
function clicks(sampleRate: number, channels: number, seconds: number): Sound {
  const random = seededRandom(7);
  const sound = Float32Array.from({ length: Math.round(seconds * sampleRate) }, (_, at) => {
    const since = at % Math.round(sampleRate * 0.37);
    return 0.02 * (random() - 0.5) + 0.8 * Math.exp(-since / 40) * Math.sin(since / 3);
  });
  return { channels: Array.from({ length: channels }, () => sound.slice()), sampleRate };
}

async function finish(name: string, sound: Sound, lufs = -16) {
  const how = { folder, name, goal: { lufs, truePeakDbtp: -1 }, title: name, tempo: null, pause: () => {} };
  return finishSound(sound, how);
}

/** What a player hears of it, mixed. */
async function decoded(name: string): Promise<Float32Array> {
  const target = join(folder, `${name}.raw`);
  await run('ffmpeg', ['-v', 'error', '-y', '-i', join(folder, `${name}.mp3`), '-ac', '1', '-f', 'f32le', target]);
  const bytes = await readFile(target);
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
}

/** The highest level between samples, by sixteen times as many of them, in decibels. */
async function peakBetweenSamples(path: string, sampleRate: number): Promise<number> {
  const finer = `aresample=${sampleRate * 16}:filter_size=256,aformat=sample_fmts=dbl`;
  const filter = `aformat=sample_fmts=dbl,${finer},astats=measure_perchannel=none`;
  const args = ['-hide_banner', '-nostats', '-i', path, '-af', filter, '-f', 'null', '-'];
  const { stderr } = await run('ffmpeg', args);
  return Number(/Peak level dB: (-?[\d.]+)/.exec(stderr)?.[1]);
}

/** Samples by which a sound is later than another. */
function lag(late: Float32Array, early: Float32Array): number {
  const most = 1500;
  let best = { shift: 0, sum: Number.NEGATIVE_INFINITY };
  for (let shift = -most; shift <= most; shift += 1) {
    let sum = 0;
    for (let at = most; at < early.length - most; at += 1) sum += (late[at + shift] ?? 0) * (early[at] ?? 0);
    if (sum > best.sum) best = { shift, sum };
  }
  return best.shift;
}

describe('an MP3', () => {
  test.each([
    [16_000, 1, 1.3],
    [22_050, 1, 1],
    [24_000, 2, 0.9],
    [44_100, 1, 0.8],
    [44_100, 2, 1.1],
    [48_000, 2, 0.7],
  ])('of %s Hz and %s channels begins and ends with its sound', async (sampleRate, channels, seconds) => {
    const name = `exact-${sampleRate}-${channels}`;
    await finish(name, clicks(sampleRate, channels, seconds));
    const wave = await readWave(join(folder, `${name}.wav`));
    const mp3 = await decoded(name);
    expect(mp3.length).toBe(wave.samples.length);
    expect(Math.abs(lag(mp3, wave.samples))).toBeLessThanOrEqual(1);
  });

  test('states a length that players believe without reading it', async () => {
    await finish('stated', clicks(44_100, 2, 3));
    const path = join(folder, 'stated.mp3');
    const { stdout, stderr } = await run('ffprobe', ['-v', 'info', '-show_entries', 'format=duration', path]);
    expect(stdout).toContain('duration=3.0');
    expect(stderr).not.toMatch(/Estimating duration/);
    // The checksum covers the frame up to itself: a changed byte would be a tag that some players pass over.
    expect((await readFile(path)).includes('LAME3.100')).toBe(true);
  });

  test.each([
    [16_000, 1],
    [44_100, 2],
  ])('of %s Hz is under the peak limit as players decode it', { tags: ['long'] }, async (sampleRate, channels) => {
    // Noise in bursts: coding moves its peaks most.
    const random = seededRandom(3);
    const channel = Float32Array.from({ length: 4 * sampleRate }, (_, at) => {
      const isBurst = at % sampleRate < sampleRate / 20;
      return (random() * 2 - 1) * (isBurst ? 1 : 0.15);
    });
    const sound = { channels: Array.from({ length: channels }, () => channel.slice()), sampleRate };
    const name = `loud-${sampleRate}`;
    await finish(name, sound, -12);
    const path = join(folder, `${name}.mp3`);
    const { peak } = await ffmpegLoudness(path);
    expect(peak).toBeLessThanOrEqual(-1);
    expect(await peakBetweenSamples(path, sampleRate)).toBeLessThanOrEqual(-0.95);
    expect(await peakBetweenSamples(join(folder, `${name}.wav`), sampleRate)).toBeLessThanOrEqual(-1);
    expect(peak).toBeGreaterThan(-2.5);
  });
});

test('a seamless sound repeats without a gap in its MP3, too', async () => {
  const { layers } = soundscapeOf('a deep hum of a spaceship');
  const goal = { lufs: -23, truePeakDbtp: -1 };
  const length = { durationSeconds: 3, renderSeconds: 3, sampleRate: 44_100 };
  const named = { outputFolder: folder, fileName: 'loop', title: 'Loop', seed: 'loop' };
  await renderScene({ ...length, ...named, goal, layers, seamless: true }, UNWATCHED);
  const samples = await decoded('loop');
  expect(samples.length).toBe(3 * 44_100);
  const level = (from: number) => Math.hypot(...samples.subarray(from, from + 441)) / 21;
  const usual = level(44_100);
  for (const from of [0, 441, samples.length - 441]) expect(level(from)).toBeGreaterThan(usual / 4);
  const steps = samples.map((sample, at) => Math.abs(sample - (samples[at - 1] ?? sample)));
  const largest = steps.reduce((most, step) => Math.max(most, step), 0);
  expect(Math.abs((samples[0] ?? 0) - (samples.at(-1) ?? 0))).toBeLessThanOrEqual(largest * 2);
});

test('an audiobook is as its shops ask', { tags: ['long'] }, async () => {
  await using appliance = await startAppliance();
  const prompt = 'The harbour lay still. A boat came in, and a man in a grey coat stood up and waved to the shore.';
  const answer = await appliance.owner(
    '/v1/generate/audio',
    postJson({ prompt, voice: 'clara', loudness: 'audiobook' }),
  );
  const { jobId } = (await answer.json()) as { jobId: string };
  const { analysis } = (await finished(appliance.owner, jobId)).result as AudioResult;
  expect(analysis.truePeakDbtp).toBeLessThanOrEqual(-3);
  expect(analysis.rmsDbfs).toBeGreaterThanOrEqual(-23);
  expect(analysis.rmsDbfs).toBeLessThanOrEqual(-18);
});
