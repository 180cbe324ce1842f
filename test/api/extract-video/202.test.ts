import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { Problem } from '../../../src-server/platform/http/problem.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { CLIPS, clips, ONNX_MODEL, startWithSpeech, submit, transcribed, wordErrorRate } from '../../harness/speech.ts';

/** Only ends a test that would hang: eight clips, one after the other, on a machine that may be busy with others. */
const CLIPS_MS = 900_000;

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startWithSpeech();
});
afterAll(() => appliance.close());

const clip = (name: string) => readFile(join(CLIPS, name));
const served = async (url: string) => (await appliance.anonymous(new URL(url).pathname)).text();

describe('POST /extract/video', () => {
  test('says when it will be done, though this machine has never done one', async () => {
    await using fresh = await startWithSpeech();
    const answer = await submit(fresh, await clip('02-fox.wav'), 'fox.wav');
    const { jobId, etaSeconds } = (await answer.json()) as Job;
    expect({ status: answer.status, etaSeconds }).toEqual({ status: 202, etaSeconds: expect.any(Number) });
    expect(etaSeconds).toBeGreaterThan(0);
    await fresh.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' });
  });

  test('writes down every held-out clip without a wrong word, as the bare engine does', {
    timeout: CLIPS_MS,
    tags: ['long'],
  }, async () => {
    for (const { file, text } of await clips()) {
      const job = await transcribed(appliance, await clip(file), file);
      expect(job.status, JSON.stringify(job.error)).toBe('completed');
      const heard = job.result?.segments.map((segment) => segment.text).join(' ') ?? '';
      expect(wordErrorRate(text, heard), `${file}: ${heard}`).toBe(0);
    }
  });

  test('says when each sentence was said, in segments, chunks and captions alike', async () => {
    const truth = (await clips()).find(({ file }) => file === '06-class.wav');
    const job = await transcribed(appliance, await clip('06-class.wav'), 'class.wav', { segmentLength: 60 });
    const { result } = job;
    expect(job.error).toBeUndefined();
    expect(result?.segments.length).toBe(truth?.segments.length);
    for (const [index, { start, end }] of (truth?.segments ?? []).entries()) {
      expect(Math.abs((result?.segments[index]?.start ?? 0) - start)).toBeLessThan(0.5);
      expect(Math.abs((result?.segments[index]?.end ?? 0) - end)).toBeLessThan(0.8);
    }
    expect(result?.chunks.map(({ text }) => text).join(' ')).toBe(truth?.text);
    expect(result?.chunks.length).toBeGreaterThan(1);
    for (const chunk of result?.chunks ?? []) {
      expect(chunk).toMatchObject({ page: 1, kind: 'text' });
      expect(chunk.endSeconds).toBeGreaterThan(chunk.startSeconds);
    }
    const srt = await served(result?.captions.srt.url ?? '');
    expect(srt).toMatch(/^1\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\n/);
    const vtt = await served(result?.captions.vtt.url ?? '');
    expect(vtt).toMatch(/^WEBVTT\n\n00:00:00\.\d{3} --> /);
    expect(result?.transcript).toMatchObject({ model: ONNX_MODEL, engine: 'sherpa-onnx', language: 'en' });
    // This model times no words: the times are estimates, which is said, and no certainty is made up.
    expect(result?.transcript).toMatchObject({ wordTimes: true, wordTimesEstimated: true, confidence: null });
    for (const { start, end, text, words = [] } of result?.segments ?? []) {
      expect(words.map((word) => word.text).join(' ')).toBe(text);
      expect(words.every((word) => word.confidence === undefined && word.end > word.start)).toBe(true);
      const times = words.flatMap((word) => [word.start, word.end]);
      expect([...times].sort((one, other) => one - other)).toEqual(times);
      expect([(times[0] ?? -1) >= start, (times.at(-1) ?? Infinity) <= end]).toEqual([true, true]);
    }
    expect(result?.media).toMatchObject({
      speechFoundBy: 'silero-vad',
      audioTrack: { number: 1, of: 1, chosenBy: 'only' },
    });
  });
});

describe('POST /extract/video refuses before anything is charged', () => {
  test('a model of the catalogue that is not installed: 503, and how to install it', async () => {
    const answer = await submit(appliance, await clip('02-fox.wav'), 'fox.wav', {
      transcriptionModel: 'whisper-large-v3',
    });
    expect(answer.status).toBe(503);
    const problem = (await answer.json()) as Problem;
    expect(problem.code).toBe('model_not_installed');
    expect(problem.detail).toContain('/admin/models/whisper-large-v3/install');
  });

  test('any request where no speech model is installed', async () => {
    await using bare = await startAppliance();
    for (const [options, missing] of [
      [{}, 'No speech model is installed.'],
      [{ language: 'de-AT' }, 'No speech model for German is installed.'],
    ] as const) {
      const answer = await submit(bare, await clip('02-fox.wav'), 'fox.wav', options);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).not.toBeNull();
      expect((await answer.json()) as Problem).toMatchObject({
        code: 'model_not_installed',
        detail:
          `${missing} Install Whisper base (161 MB) to continue: on the Models page, ` +
          'or with POST /admin/models/whisper-base/install.',
      });
    }
  });

  test.for([
    ['a model nobody has', { transcriptionModel: 'whisper-9000' }, 'options.transcriptionModel'],
    [
      'a language the model does not know',
      { transcriptionModel: ONNX_MODEL, language: 'de' },
      'options.transcriptionModel',
    ],
    ['an interval of nothing', { frameIntervalSeconds: 0 }, 'options.frameIntervalSeconds'],
  ] as const)('%s: 400', async ([, options, path]) => {
    const answer = await submit(appliance, await clip('02-fox.wav'), 'fox.wav', options);
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as Problem).errors?.map((error) => error.path)).toContain(path);
  });

  test('a web page that is called .mp4: 422', async () => {
    const answer = await submit(appliance, Buffer.from('<!doctype html><title>no</title>'), 'talk.mp4');
    expect(answer.status).toBe(422);
  });
});
