/** The same voice in several jobs: remembered when the owner says so, and only for the owner. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RememberedVoice } from '../../../src-server/features/media/schema.ts';
import type { Problem } from '../../../src-server/platform/http/problem.ts';
import type { Appliance } from '../../harness/appliance.ts';
import { fileForm, finished } from '../../harness/jobs.ts';
import { installSpeakerModel, startWithSpeech, type TranscriptJob, transcribed } from '../../harness/speech.ts';
import { entryOf, newCustomer } from '../../harness/wallets.ts';

const CONVERSATIONS = join(import.meta.dirname, '../../fixtures/media/conversations');
// Anna speaks in both, Ben only in the first.
const ANNA_AND_BEN = '01-two-speakers.wav';
const ANNA_AND_OTHERS = '02-three-speakers.flac';
let appliance: Appliance;

beforeAll(async () => {
  appliance = await startWithSpeech();
  await installSpeakerModel(appliance);
});
afterAll(() => appliance.close());

const sendJson = (method: string, value: object) => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});
const heard = async (file: string) =>
  transcribed(appliance, await readFile(join(CONVERSATIONS, file)), file, { speakers: true });
const remember = (jobId: string, speaker: string) =>
  appliance.owner(`/admin/jobs/${jobId}/remembered-voices`, sendJson('POST', { speaker }));
const list = async (query = '') =>
  ((await (await appliance.owner(`/admin/remembered-voices${query}`)).json()) as { voices: RememberedVoice[] }).voices;
const problemOf = async (answer: Response) => (await answer.json()) as Problem;

test('a remembered voice is recognised in another recording, until it is forgotten', async () => {
  const first = await heard(ANNA_AND_BEN);
  expect(first.result?.speakers?.map(({ voice }) => voice)).toEqual([undefined, undefined]);
  expect(await list()).toEqual([]);
  expect(await problemOf(await remember(first.jobId, 'Speaker 1'))).toMatchObject({ status: 400 });
  const names = { 'Speaker 1': 'Anna', 'Speaker 2': 'Ben' };
  await appliance.owner(`/admin/jobs/${first.jobId}/speakers`, sendJson('PATCH', { names }));
  expect(await list()).toEqual([]);
  const answers = [await remember(first.jobId, 'Anna'), await remember(first.jobId, 'Ben')];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const [anna, ben] = (await Promise.all(answers.map((answer) => answer.json()))) as RememberedVoice[];
  expect(anna).toMatchObject({ name: 'Anna', model: 'tiny-speakers', samples: 1 });
  expect(await list()).toEqual([anna, ben]);

  const { result, jobId } = await heard(ANNA_AND_OTHERS);
  const [recognised, ...others] = [...(result?.speakers ?? [])].sort((one, other) =>
    one.name.localeCompare(other.name),
  );
  expect(recognised).toMatchObject({ name: 'Anna', voice: { name: 'Anna', recognised: true } });
  expect(recognised?.voice?.similarity).toBeGreaterThan(0.9);
  expect(others.map(({ name, voice }) => [name, voice])).toEqual([
    ['Speaker 1', undefined],
    ['Speaker 2', undefined],
  ]);
  const files = await (await appliance.owner(`/v1/jobs/${jobId}/files/transcript.txt`)).text();
  expect(files).toMatch(/^Anna: /m);
  // The same name in another recording refines the voice.
  expect((await remember(jobId, 'Anna')).status).toBe(200);
  expect(await list()).toMatchObject([
    { name: 'Anna', samples: 2 },
    { name: 'Ben', samples: 1 },
  ]);

  for (const { id } of await list()) {
    expect((await appliance.owner(`/admin/remembered-voices/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await appliance.owner(`/admin/remembered-voices/${id}`, { method: 'DELETE' })).status).toBe(404);
  }
  const after = await heard(ANNA_AND_OTHERS);
  expect(after.result?.speakers?.map(({ name }) => name)).toEqual(['Speaker 1', 'Speaker 2', 'Speaker 3']);
});

const customerSends = (body: FormData, proof: string) =>
  appliance.anonymous('/v1/extract/video', { method: 'POST', body, headers: { 'X-PAYMENT': proof } });

test('voices stay in their environment and account, and no two people have one name', async () => {
  const first = await heard(ANNA_AND_BEN);
  await appliance.owner(
    `/admin/jobs/${first.jobId}/speakers`,
    sendJson('PATCH', { names: { 'Speaker 1': 'Anna', 'Speaker 2': 'Ben' } }),
  );
  await remember(first.jobId, 'Anna');
  const sound = await readFile(join(CONVERSATIONS, ANNA_AND_BEN));
  const body = () => fileForm(sound, ANNA_AND_BEN, { options: JSON.stringify({ speakers: 2 }) });
  const staging: typeof appliance.owner = (path, init) => appliance.owner(`/staging${path}`, init);
  const proof = await (await newCustomer(appliance)).proofOf(await entryOf(appliance, 'extract/video'));
  const sent = [
    [staging, await staging('/v1/extract/video', { method: 'POST', body: body() })],
    [appliance.owner, await customerSends(body(), proof)],
  ] as const;
  for (const [client, answer] of sent) {
    const { jobId } = (await answer.json()) as { jobId: string };
    const { result } = (await finished(client, jobId)) as TranscriptJob;
    expect(result?.speakers?.map(({ name }) => name)).toEqual(['Speaker 1', 'Speaker 2']);
    expect(result?.speakers?.map(({ voice }) => voice)).toEqual([undefined, undefined]);
  }
  expect(await list('?environment=staging')).toEqual([]);

  await appliance.owner(
    `/admin/jobs/${first.jobId}/speakers`,
    sendJson('PATCH', { names: { Anna: 'Clara', Ben: 'Anna' } }),
  );
  const other = await problemOf(await remember(first.jobId, 'Anna'));
  expect(other).toMatchObject({ status: 409, detail: expect.stringContaining('Another voice is remembered as Anna') });
  const unknown = await problemOf(await remember(first.jobId, 'Nobody'));
  expect([unknown.status, unknown.errors?.[0]?.path]).toEqual([400, 'speaker']);
});
