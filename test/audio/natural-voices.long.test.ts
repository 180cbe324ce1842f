import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AudioResult, Voice } from '../../src-server/features/audio/schema.ts';
import { readCatalogue } from '../../src-server/features/models/schema.ts';
import type { Problem } from '../../src-server/platform/http/problem.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { postJson } from '../harness/text-models.ts';
import { espeakData, writeKitten, writeKokoro, writeMatcha } from '../harness/voice-families.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
  const models = join(appliance.dataDir, 'models');
  await writeKokoro(join(models, 'kokoro'));
  await writeKitten(join(models, 'kitten'));
  // The publisher's vocoder lies beside the folder.
  await writeMatcha(join(models, 'matcha'), models);
});
afterAll(() => appliance.close());

async function result(request: object): Promise<AudioResult> {
  const answer = await appliance.owner('/v1/generate/audio', postJson(request));
  const body = (await answer.json()) as { jobId: string } & Problem;
  expect(answer.status, body.detail).toBe(202);
  const job = await finished(appliance.owner, body.jobId);
  expect(job.error).toBeUndefined();
  return job.result as unknown as AudioResult;
}

async function refusal(request: object): Promise<Problem> {
  return (await (await appliance.owner('/v1/generate/audio', postJson(request))).json()) as Problem;
}

test('are listed before the built-in ones, each with its speaker, gender and language', async () => {
  const voices = (await (await appliance.anonymous('/v1/voices')).json()) as Voice[];
  const shown = voices.map(({ slug, kind, gender, language }) => [slug, kind, gender, language].join(' '));
  expect(shown).toEqual([
    'voice-kitten-expr-voice-2-m natural male en',
    'voice-kitten-expr-voice-2-f natural female en',
    'voice-kokoro-af-heart natural female en-US',
    'voice-kokoro-am-adam natural male en-US',
    // The engine has no pronunciation for the Japanese speaker.
    'voice-kokoro-ff-siwis natural female fr',
    'voice-matcha natural  en',
    'rowan built-in male en-US',
    'clara built-in female en-US',
    'angus built-in male en-GB',
    'pixel built-in male en-US',
  ]);
});

test.skipIf(espeakData === null).each(['voice-kitten-expr-voice-2-f', 'voice-kokoro-am-adam', 'voice-matcha'])(
  '%s speaks through the real engine',
  async (voice) => {
    const { voice: spoke, durationSeconds, sampleRate } = await result({ prompt: 'Hello there, my friend.', voice });
    expect(spoke).toMatchObject({ slug: voice, chosenBy: 'request' });
    expect(durationSeconds).toBeGreaterThan(0.3);
    expect(sampleRate).toBe(voice === 'voice-matcha' ? 22_050 : 24_000);
  },
);

test.skipIf(espeakData === null)('speak faster and slower', async () => {
  const prompt = 'The tide turns at noon, and the boats come home again.';
  const voice = 'voice-kokoro-af-heart';
  const [slow, plain, fast] = [0.5, 1, 2].map((speed) => result({ prompt, voice, speed }));
  const seconds = await Promise.all([slow, plain, fast].map(async (one) => (await one)?.durationSeconds ?? 0));
  // Half the pace of this tiny model is its full length.
  expect(seconds[1]).toBeCloseTo((seconds[2] ?? 0) * 2, 1);
});

test.skipIf(espeakData === null)('are chosen first, by the language of the text', async () => {
  expect((await result({ prompt: 'Welcome. The tide turns at noon.' })).voice).toMatchObject({
    ...{ slug: 'voice-kitten-expr-voice-2-m', chosenBy: 'language' },
  });
  expect((await result({ prompt: 'Bonjour tout le monde, il fait beau aujourd’hui.' })).voice).toMatchObject({
    ...{ slug: 'voice-kokoro-ff-siwis', chosenBy: 'language' },
  });
});

test.skipIf(espeakData === null)('and built-in ones read a script together, each speaker by another', async () => {
  const prompt = 'ANNA: Hello there.\nBEN: And you?\nCARL: Yes.\nANNA: Good.';
  const { speakers, sampleRate } = await result({ prompt, voices: { anna: 'clara' } });
  expect(speakers).toEqual([
    { name: 'ANNA', voice: 'clara' },
    { name: 'BEN', voice: 'voice-kitten-expr-voice-2-m' },
    { name: 'CARL', voice: 'voice-kokoro-am-adam' },
  ]);
  expect(sampleRate).toBe(24_000);
});

test('of no language that fits: the refusal says what to install', async () => {
  const german = await refusal({ prompt: 'Guten Morgen, wie geht es dir heute?' });
  expect(german).toMatchObject({ status: 503, code: 'model_not_installed' });
  expect(german.detail).toContain('No voice for German');
  const named = await refusal({ prompt: 'Guten Morgen, wie geht es dir heute?', voice: 'clara' });
  expect(named.detail).toContain('German');
  const french = await refusal({ prompt: 'Bonjour tout le monde, il fait beau.', voice: 'rowan' });
  expect(french).toMatchObject({ status: 400, detail: expect.stringContaining('Rowan speaks American English') });
});

test('under former names are the voices that they always were, and the answer says so', async () => {
  const { voice, warnings } = await result({ prompt: 'Hello there.', voice: 'marcus' });
  expect(voice?.slug).toBe('rowan');
  expect(warnings).toEqual([expect.stringContaining('marcus is a former name of Rowan')]);
});

test('in the catalogue state their languages, licence and size, one of them recommended', async () => {
  const catalogue = await readCatalogue(new URL('../../resources/models/', import.meta.url));
  const voices = catalogue.filter(({ kind }) => kind === 'voice');
  expect(voices.filter(({ recommended }) => recommended).map(({ name }) => name)).toEqual(['kokoro-en']);
  for (const { languages, licence, note, files } of voices) {
    expect({ hasLanguages: (languages?.length ?? 0) > 0, licence: licence !== '', note: note !== undefined }).toEqual({
      ...{ hasLanguages: true, licence: true, note: true },
    });
    expect(files.every(({ aboutBytes }) => aboutBytes > 0)).toBe(true);
  }
});
