import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AudioResult } from '../../../src-server/features/audio/schema.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import { postJson } from '../../harness/text-models.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

async function make(body: object): Promise<AudioResult> {
  const answer = await appliance.owner('/v1/generate/audio', postJson(body));
  expect(answer.status).toBe(202);
  const job = await finished(appliance.owner, ((await answer.json()) as { jobId: string }).jobId);
  expect(job.error).toBeUndefined();
  return job.result as AudioResult;
}

async function beginning(url: string | undefined): Promise<string> {
  const answer = await fetch(url ?? '');
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer()).toString('latin1', 0, 12);
}

test('a description of sounds is rendered, in all formats, and never spoken', async () => {
  const result = await make({
    ...{ prompt: 'heavy rain on a tin roof, distant thunder', durationSeconds: 4, seed: 7 },
    formats: ['opus', 'flac', 'm4b', 'midi'],
  });
  expect(result).toMatchObject({ kind: 'soundscape', durationSeconds: 4, channels: 2, seed: 7, voice: null });
  expect(result.sounds.map(({ name }) => name)).toEqual(['rain', 'thunder']);
  expect(await beginning(result.audio.opus?.url)).toMatch(/^OggS/);
  expect(await beginning(result.audio.flac?.url)).toMatch(/^fLaC/);
  expect(await beginning(result.audio.m4b?.url)).toContain('ftypM4B');
  expect(result.warnings.join()).toContain('midi was ignored');
  expect(result.analysis.truePeakDbtp).toBeLessThanOrEqual(-1);
});

test('speech over a background keeps its kind, and its headings are chapters', async () => {
  const prompt = '# Tides\n\nThe tide turns at noon.\n\n# Boats\n\nThe boats begin to move.';
  const result = await make({ prompt, background: 'soft piano with rain', durationSeconds: 20, formats: ['m4b'] });
  expect(result).toMatchObject({ kind: 'speech', channels: 2, sampleRate: 44_100 });
  expect(result.music?.instruments).toContain('piano');
  expect(result.sounds.map(({ name }) => name)).toEqual(['rain']);
  expect(result.chapters.map(({ title }) => title)).toEqual(['Tides', 'Boats']);
});

test('music has stems and a score where they are asked for, and says that the synthesiser played', async () => {
  const prompt = '9 seconds of techno at 130 bpm or 90 bpm';
  const result = await make({ prompt, durationSeconds: 4, stems: true, formats: ['midi'] });
  expect(result).toMatchObject({ kind: 'music', music: { tempo: 130, genre: 'techno' }, instruments: 'synthesised' });
  expect(await beginning(result.audio.midi?.url)).toMatch(/^MThd/);
  expect(result.files.map(({ name }) => name)).toContain('audio-drums.wav');
  expect(result.warnings.join()).toContain('Install MuseScore General');
  expect(result.warnings.join()).toContain('The length is 4 s, not “9 seconds”');
  expect(result.warnings.join()).toContain('The tempo is 130 bpm; the prompt also names 90');
});

test.each([
  [{ prompt: 'the sound of an abacus' }, 'prompt'],
  [{ prompt: 'Hello.', background: 'Hello, I am a sentence.' }, 'background'],
  [{ prompt: 'rain', sampleRate: 22_050 }, 'sampleRate'],
  [{ prompt: 'rain', seed: -1 }, 'seed'],
])('%o is refused', async (body, path) => {
  const answer = await appliance.owner('/v1/generate/audio', postJson(body));
  const problem = (await answer.json()) as { errors: { path: string }[] };
  expect([answer.status, problem.errors.map((error) => error.path)]).toEqual([400, [path]]);
});
