import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AudioResult } from '../../src-server/features/audio/schema.ts';
import type { Appliance } from '../harness/appliance.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { startWithSpeech, type TranscriptJob } from '../harness/speech.ts';
import { postJson } from '../harness/text-models.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startWithSpeech();
});
afterAll(() => appliance.close());

async function accepted(path: string, init: RequestInit): Promise<string> {
  const answer = await appliance.owner(path, { ...init, method: 'POST' });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { jobId: string }).jobId;
}

/** Of the vocabulary of the small recogniser. It learned other voices than these, so it is asked for the nearest. */
const SENTENCES = [
  'The quick brown fox jumps over the lazy dog.',
  'The meeting starts on Monday at nine.',
  'The weather is cold today in the morning.',
];

const wordsOf = (text: string) => text.toLowerCase().match(/[a-z']+/g) ?? [];

/** Share of the words of `text` that were heard, in order. */
function recall(text: string, heard: string): number {
  const [spoken, found] = [wordsOf(text), wordsOf(heard)];
  let row = new Array<number>(found.length + 1).fill(0);
  for (const word of spoken) {
    const next = [0];
    for (const [index, other] of found.entries()) {
      next.push(word === other ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0));
    }
    row = next;
  }
  return (row.at(-1) ?? 0) / spoken.length;
}

async function heardFrom(prompt: string): Promise<string> {
  const spoken = await accepted('/v1/generate/audio', postJson({ prompt, voice: 'rowan' }));
  const result = (await finished(appliance.owner, spoken)).result as unknown as AudioResult;
  const wave = new Uint8Array(await (await fetch(result.audio.wav.url)).arrayBuffer());
  const job = await accepted('/v1/extract/video', { body: fileForm(wave, 'speech.wav') });
  const { result: transcript } = (await finished(appliance.owner, job)) as TranscriptJob;
  return transcript?.segments.map((segment) => segment.text).join(' ') ?? '';
}

test.each(SENTENCES)('the recogniser hears in "%s" that sentence rather than any other', async (sentence) => {
  const heard = await heardFrom(sentence);
  const nearest = SENTENCES.toSorted((one, other) => recall(other, heard) - recall(one, heard))[0];
  expect(nearest).toBe(sentence);
  expect(recall(sentence, heard)).toBeGreaterThanOrEqual(0.5);
});
