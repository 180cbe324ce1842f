import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AudioResult } from '../../src-server/features/audio/schema.ts';
import { genderOfSpeaker } from '../../src-server/features/audio/speaker-gender.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { postJson } from '../harness/text-models.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

async function speak(body: object): Promise<AudioResult> {
  const answer = await appliance.owner('/v1/generate/audio', postJson({ includeCaptions: true, ...body }));
  expect(answer.status).toBe(202);
  const job = await finished(appliance.owner, ((await answer.json()) as { jobId: string }).jobId);
  expect(job.error).toBeUndefined();
  return job.result as AudioResult;
}

const textAt = async (url: string | undefined) => (await fetch(url ?? '')).text();

test('the voices of a script fit the names, and captions say who speaks', async () => {
  const prompt = 'ANNA: Who is <that>?\nBEN: Me.\nBEN: Open the door, etc. Then sit down.';
  const result = await speak({ prompt });
  const voices = (await (await appliance.anonymous('/v1/voices')).json()) as { slug: string; gender: string }[];
  expect(result.speakers?.map(({ name }) => name)).toEqual(['ANNA', 'BEN']);
  const genders = result.speakers?.map(({ voice }) => voices.find(({ slug }) => slug === voice)?.gender);
  expect(genders).toEqual(['female', 'male']);
  const vtt = (await textAt(result.captions?.vtt)).replace(/<\d\d:[^>]*>/g, '');
  expect(vtt.match(/^<v [^\n]*/gm)).toEqual([
    '<v ANNA>Who is &lt;that&gt;?',
    '<v BEN>Me.',
    '<v BEN>Open the door, etc.',
    '<v BEN>Then sit down.',
  ]);
  const srt = await textAt(result.captions?.srt);
  expect(srt.match(/^(?:ANNA|BEN|Open|Then).*/gm)).toEqual([
    'ANNA: Who is <that>?',
    'BEN: Me.',
    'Open the door, etc.',
    'Then sit down.',
  ]);
});

test('captions of one voice name nobody, and directions are named', async () => {
  const result = await speak({ prompt: '[whispers] The tide is low today.', voice: 'clara' });
  expect(await textAt(result.captions?.vtt)).not.toContain('<v');
  expect(result.warnings.join()).toContain('left out: [whispers]');
});

test.each([
  ['MARÍA', 'female'],
  ['Mrs. Martin', 'female'],
  ['OLD KING', 'male'],
  ['Jürgen', 'male'],
  ['NARRATOR', null],
  ['ANNA AND BEN', null],
  [null, null],
])('%s speaks as %s', (name, gender) => {
  expect(genderOfSpeaker(name)).toBe(gender);
});
