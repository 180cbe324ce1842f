import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AudioResult } from '../../src-server/features/audio/schema.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { type CatalogueBed, type Entry, openCatalogue, realEntries } from '../harness/catalogue.ts';
import { finished } from '../harness/jobs.ts';
import { postJson } from '../harness/text-models.ts';

const GERMAN = 'Guten Morgen, heute scheint die Sonne, und wir gehen an das Meer.';

let bed: CatalogueBed;
let appliance: Appliance;
beforeAll(async () => {
  const [tones] = (await realEntries()).filter(({ name }) => name === 'tones') as [Entry];
  const words = GERMAN.toLowerCase().match(/\p{L}+/gu) ?? [];
  const lexicon = Buffer.from(words.map((word) => `${word} ${[...word].join(' ')}\n`).join(''));
  bed = await openCatalogue([
    { ...tones, languages: ['en'], recommended: true },
    { ...tones, name: 'klang', title: 'Klang', languages: ['de'], files: { ...tones.files, 'lexicon.txt': lexicon } },
    { ...tones, name: 'sons', title: 'Sons', languages: ['fr'] },
  ]);
  appliance = await startAppliance({ resourcesFolder: bed.resourcesFolder, knownTextServers: [] });
});
afterAll(async () => {
  await appliance.close();
  await bed[Symbol.asyncDispose]();
});

async function offer(text: string): Promise<[string | null, ...string[]]> {
  const answer = await appliance.owner('/admin/voices/offer', postJson({ text }));
  expect(answer.status).toBe(200);
  const { language, choices } = (await answer.json()) as { language: string | null; choices: { name: string }[] };
  return [language, ...choices.map(({ name }) => name)];
}

test('the offer follows the language of the text; without one it is English', async () => {
  expect(await offer(GERMAN)).toEqual(['de', 'klang']);
  expect(await offer('Bonjour tout le monde, il fait beau aujourd’hui.')).toEqual(['fr', 'sons']);
  for (const text of ['Welcome. The tide turns at noon.', '', '…', '<speak>half a']) {
    expect([text, ...(await offer(text))]).toEqual([text, 'en', 'tones']);
  }
  // Nothing in the catalogue speaks it.
  expect(await offer('Dzień dobry, jak się dzisiaj masz? Pogoda jest bardzo ładna.')).toEqual(['pl']);
});

test('is the owner’s alone, and refuses other bodies', async () => {
  expect((await appliance.anonymous('/admin/voices/offer', postJson({ text: 'a' }))).status).toBe(401);
  expect((await appliance.owner('/admin/voices/offer', postJson({ text: 7 }))).status).toBe(400);
});

test('a narration that prefers to install gets the voice of its language, and nothing is offered then', async () => {
  const init = postJson({ prompt: GERMAN });
  const request = { ...init, headers: { ...(init.headers as object), prefer: 'install=ask' } };
  const answer = await appliance.owner('/v1/generate/audio', request);
  expect(answer.status).toBe(202);
  const { jobId } = (await answer.json()) as { jobId: string };
  const { waitingFor } = (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as {
    waitingFor?: { choices: { name: string }[] };
  };
  expect(waitingFor).toMatchObject({ need: 'voice', language: 'de', choices: [{ name: 'klang', recommended: true }] });
  expect(waitingFor?.choices).toHaveLength(1);
  expect((await appliance.owner(`/admin/jobs/${jobId}/install`, postJson({}))).status).toBe(202);
  const job = await finished(appliance.owner, jobId);
  expect(job.error).toBeUndefined();
  const { voice, durationSeconds } = job.result as AudioResult;
  expect(voice).toMatchObject({ slug: 'voice-klang', language: 'de', chosenBy: 'language' });
  expect(durationSeconds).toBeGreaterThan(1);
  expect(await offer(GERMAN)).toEqual([null]);
  expect(await offer('Welcome. The tide turns at noon.')).toEqual(['en', 'tones']);
});
