import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openStagePace, StagePlan } from '../../../src-server/features/media/estimate.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry pace '));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const unexpected = (error: unknown) => {
  throw error;
};
const file = { durationSeconds: 1000, model: 'small', sound: true, speakers: false, frames: false, spentSeconds: 0 };

describe('the pace of stages', () => {
  test('follows this machine’s own runs, each model by itself, and outlives the process', async () => {
    const path = join(folder, 'pace.json');
    const pace = openStagePace(path, unexpected);
    const guess = pace.of('transcribe', 'large');
    await pace.learn('transcribe', { mediaSeconds: 100, tookSeconds: 50, model: 'small' });
    expect(pace.of('transcribe', 'small')).toBeCloseTo(0.5);
    await pace.learn('transcribe', { mediaSeconds: 100, tookSeconds: 150, model: 'small' });
    expect(pace.of('transcribe', 'small')).toBeCloseTo(0.8);
    expect(pace.of('transcribe', 'large')).toBe(guess);
    expect(openStagePace(path, unexpected).of('transcribe', 'small')).toBeCloseTo(0.8);
  });

  test('is known to this process also where it cannot be written down, which is told and takes no result away', async () => {
    const told: unknown[] = [];
    const pace = openStagePace(join(folder, 'not there', 'pace.json'), (error) => told.push(error));
    await pace.learn('transcribe', { mediaSeconds: 100, tookSeconds: 50, model: 'small' });
    expect(pace.of('transcribe', 'small')).toBeCloseTo(0.5);
    expect(told).toEqual([expect.objectContaining({ code: 'ENOENT' })]);
  });

  test('is begun anew where what was kept of it cannot be read, and learns nothing from next to nothing', async () => {
    const path = join(folder, 'pace.json');
    await writeFile(path, '{"audio": "fast"');
    const pace = openStagePace(path, unexpected);
    const guess = pace.of('audio');
    await pace.learn('audio', { mediaSeconds: 0, tookSeconds: 9, model: undefined });
    await pace.learn('audio', { mediaSeconds: 1, tookSeconds: 0.001, model: undefined });
    expect(pace.of('audio')).toBe(guess);
    await pace.learn('audio', { mediaSeconds: 1000, tookSeconds: 2, model: undefined });
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ audio: 0.002 });
  });
});

describe('the percentage of a job', () => {
  test('is a share of its time: half way through listening, half of the time is over', async () => {
    const pace = openStagePace(join(folder, 'pace.json'), unexpected);
    await pace.learn('transcribe', { mediaSeconds: 1000, tookSeconds: 1000, model: 'small' });
    const plan = new StagePlan(pace, file);
    plan.knowSpeech(1000);
    expect(plan.percentAt('transcribe', 0)).toBeLessThan(1);
    expect(Math.abs(plan.percentAt('transcribe', 0.5) - 50)).toBeLessThan(1);
    expect(plan.percentAt('writing', 1)).toBe(99);
  });

  test('does not fall when less speech is found than was thought, and counts nothing that is not done', () => {
    const pace = openStagePace(join(folder, 'pace.json'), unexpected);
    const plan = new StagePlan(pace, file);
    const before = plan.percentAt('speech', 1);
    plan.knowSpeech(10);
    expect(plan.percentAt('transcribe', 0)).toBeGreaterThan(before);
    const mute = new StagePlan(pace, { ...file, sound: false, speakers: false, frames: true });
    expect(mute.percentAt('frames', 0)).toBe(0);
    expect(mute.percentAt('frames', 1)).toBeGreaterThan(95);
  });
});
