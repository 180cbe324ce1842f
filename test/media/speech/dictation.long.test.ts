/** The words of a short recording without a job: for dictation, and while somebody speaks. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Appliance } from '../../harness/appliance.ts';
import { openMediaMaker } from '../../harness/make-media.ts';
import { CLIPS, clips, startWithSpeech, wordErrorRate } from '../../harness/speech.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startWithSpeech();
});
afterAll(() => appliance.close());

const hear = (body: Uint8Array, type = 'audio/wav') =>
  appliance.owner('/admin/dictation', { method: 'POST', headers: { 'content-type': type }, body: Buffer.from(body) });

test('a clip gives its words, and leaves no job and no item', async () => {
  const truth = (await clips()).find(({ file }) => file === '01-meeting.wav')?.text ?? '';
  const answer = await hear(await readFile(join(CLIPS, '01-meeting.wav')));
  expect(answer.status).toBe(200);
  const { text } = (await answer.json()) as { text: string };
  expect(wordErrorRate(truth, text), text).toBe(0);
  const { jobs } = (await (await appliance.owner('/admin/jobs')).json()) as { jobs: unknown[] };
  const { items } = (await (await appliance.owner('/v1/library/items')).json()) as { items: unknown[] };
  expect([jobs, items]).toEqual([[], []]);
});

test('a piece as browsers record it gives its words', async () => {
  await using maker = await openMediaMaker();
  const piece = ['-i', join(CLIPS, '01-meeting.wav'), '-ar', '48000', '-c:a', 'libopus', '-f', 'webm'];
  const answer = await hear(await maker.make('piece.webm', piece), 'audio/webm');
  expect(answer.status).toBe(200);
  expect(((await answer.json()) as { text: string }).text).toMatch(/meeting/i);
});

test('silence gives no words, and what is no recording is refused', async () => {
  const wave = await readFile(join(CLIPS, '01-meeting.wav'));
  const silence = await hear(Buffer.concat([wave.subarray(0, 44), Buffer.alloc(wave.length - 44)]));
  expect(await silence.json()).toMatchObject({ text: '' });
  const page = await hear(Buffer.from('<!doctype html><title>No sound</title><p>Words.'), 'text/html');
  expect(page.status).toBe(422);
  expect((await hear(Buffer.alloc(17 * 1024 * 1024))).status).toBe(413);
  expect((await appliance.anonymous('/admin/dictation', { method: 'POST', body: 'x' })).status).toBe(401);
});

test('two pieces are heard at a time', async () => {
  const wave = await readFile(join(CLIPS, '02-fox.wav'));
  const statuses = (await Promise.all(Array.from({ length: 5 }, () => hear(wave)))).map(({ status }) => status);
  expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
});
