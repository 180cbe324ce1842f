import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AudioResult } from '../../../src-server/features/audio/schema.ts';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import { postJson } from '../../harness/text-models.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

async function ask(body: object): Promise<Response> {
  return appliance.owner('/v1/generate/audio', postJson(body));
}

async function speak(body: object): Promise<AudioResult> {
  const answer = await ask(body);
  const { jobId } = (await answer.json()) as { jobId: string };
  const job = (await finished(appliance.owner, jobId)) as Job;
  expect(job).toMatchObject({ status: 'completed' });
  return job.result as AudioResult;
}

async function wordsOf({ captions }: AudioResult): Promise<string> {
  const vtt = await (await appliance.owner(new URL(captions?.vtt ?? '').pathname)).text();
  return vtt
    .replace(/^WEBVTT\n/, '')
    .replace(/^.* --> .*$/gm, '')
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

describe('POST /generate/audio and the language of the text', () => {
  test.each(['Bonjour, je voudrais acheter du pain et du fromage.', 'Le train arrive à midi.', 'Nous partons demain.'])(
    '“%s” is not read by an English voice',
    async (prompt) => {
      const answer = await ask({ prompt, voice: 'rowan' });
      expect(answer.status).toBe(503);
      expect(((await answer.json()) as { detail: string }).detail).toContain('French');
    },
  );

  test.each(['I ate a crêpe in Düsseldorf.', 'Zoë ordered a piña colada.', 'Beyoncé sang déjà vu.'])(
    '“%s” is read without a doubt',
    async (prompt) => {
      const result = await speak({ prompt, voice: 'rowan' });
      expect([result.voice?.language.slice(0, 2), result.doubts, result.warnings]).toEqual(['en', undefined, []]);
    },
  );

  test('a text that is too short for a language is read as English, and says so', async () => {
    const result = await speak({ prompt: 'Hi' });
    expect(result.voice?.language.slice(0, 2)).toBe('en');
    expect(result.warnings.join('\n')).toMatch(/too short to tell its language: \w+ reads it as English/);
    expect((await speak({ prompt: 'Hi', language: 'en' })).warnings).toEqual([]);
  });

  test.each(['Le train arrive à midi.', 'Die Band spielt im Park.'])(
    '“%s” names the voice to install',
    async (prompt) => {
      const answer = await ask({ prompt });
      expect(answer.status).toBe(503);
      const { code, choices } = (await answer.json()) as { code: string; choices: object[] };
      expect([code, choices.length > 0]).toEqual(['model_not_installed', true]);
    },
  );

  test('a text whose language is in doubt is read, marked and told', async () => {
    const result = await speak({ prompt: 'Han er hjemme.', voice: 'rowan' });
    expect(result.doubts).toEqual([{ reason: 'other-language', quote: 'Han er hjemme.' }]);
    expect(result.warnings.join('\n')).toMatch(/probably Norwegian, and Rowan speaks American English/);
  });

  test('a sentence in another language, and a text whose language the request denies, are marked', async () => {
    const french = 'Le train arrive à midi et repart le soir.';
    const mixed = await speak({ prompt: `The conductor came in. ${french} Nobody answered.`, voice: 'rowan' });
    expect(mixed.doubts).toEqual([{ reason: 'other-language', quote: french }]);
    const denied = await speak({ prompt: french, voice: 'rowan', language: 'en' });
    expect(denied.doubts).toEqual([{ reason: 'other-language', quote: french }]);
    expect(denied.warnings.join('\n')).toContain('French');
  });
});

describe('captions hold what is said', () => {
  test.each([
    ['Well done! 🎉👍🏽 See you.', 'Well done! See you.'],
    ['A family 👨‍👩‍👧‍👦 and a flag 🏴󠁧󠁢󠁥󠁮󠁧󠁿 arrived.', 'A family and a flag arrived.'],
    ['The key 1️⃣ opens it ✌🏿.', 'The key 1 opens it.'],
  ])('“%s” leaves no part of a picture', async (prompt, words) => {
    expect(await wordsOf(await speak({ prompt, voice: 'rowan', includeCaptions: true }))).toBe(words);
  });

  test('an address with a query stays whole', async () => {
    const prompt = 'Open https://quay.example/search?q=tide&page=2 and wait. Are you there?';
    const result = await speak({ prompt, voice: 'rowan', includeCaptions: true });
    const words = (await wordsOf(result)).replaceAll('&amp;', '&');
    expect(words).toBe(prompt);
  });
});
