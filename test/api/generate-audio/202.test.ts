import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AudioPreviews, AudioResult } from '../../../src-server/features/audio/schema.ts';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import { postJson } from '../../harness/text-models.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

interface Accepted {
  jobId: string;
  statusUrl: string;
  previews: AudioPreviews;
}

async function make(body: object): Promise<{ accepted: Accepted; job: Job; result: AudioResult }> {
  const answer = await appliance.owner('/v1/generate/audio', postJson(body));
  expect(answer.status).toBe(202);
  const accepted = (await answer.json()) as Accepted;
  const job = await finished(appliance.owner, accepted.jobId);
  expect(job.error).toBeUndefined();
  return { accepted, job, result: job.result as AudioResult };
}

async function bytesAt(url: string): Promise<Buffer> {
  const answer = await fetch(url);
  expect([url, answer.status]).toEqual([url, 200]);
  return Buffer.from(await answer.arrayBuffer());
}

describe('POST /generate/audio for speech', () => {
  const prompt = 'Hello and welcome. The quick brown fox jumps over the lazy dog. It does so every day.';

  test('shows clips of the opening seconds with the 202, in both formats', async () => {
    const { accepted } = await make({ prompt });
    const { wav, mp3 } = accepted.previews;
    const clip = await bytesAt(wav.url);
    expect(clip.subarray(0, 4).toString('latin1')).toBe('RIFF');
    expect(clip.length).toBe(wav.sizeBytes);
    expect((await bytesAt(mp3.url)).subarray(0, 3).toString('latin1')).toBe('ID3');
    expect(accepted.previews.durationSeconds).toBeGreaterThan(3);
    expect(accepted.previews.durationSeconds).toBeLessThanOrEqual(6);
  });

  test('delivers both formats, captions of both kinds, and what was measured', async () => {
    const { result } = await make({ prompt, voice: 'angus', includeCaptions: true });
    expect(result).toMatchObject({ kind: 'speech', voice: { slug: 'angus', chosenBy: 'request' }, omitted: null });
    expect((await bytesAt(result.audio.wav.url)).length).toBe(result.audio.wav.sizeBytes);
    expect((await bytesAt(result.audio.mp3.url)).length).toBe(result.audio.mp3.sizeBytes);
    expect((await bytesAt(result.captions?.vtt ?? '')).toString()).toMatch(/^WEBVTT\n\n00:00:00\.\d{3} --> /);
    expect((await bytesAt(result.captions?.srt ?? '')).toString()).toMatch(/^1\n00:00:00,\d{3} --> /);
    expect(result.analysis.integratedLufs).toBeCloseTo(-16, 0);
    expect(result.analysis.truePeakDbtp).toBeLessThanOrEqual(-1);
    expect(result.analysis.clippedSamples).toBe(0);
    expect(result.analysis.peaks.length).toBe(400);
    expect(result.files.map(({ name }) => name)).toEqual(['audio.wav', 'audio.mp3', 'audio.vtt', 'audio.srt']);
  });

  test('chooses the voice by the tone of the prompt, and says so', async () => {
    const { result } = await make({ prompt: 'Breathe in, calm and gentle. It is bedtime.' });
    expect(result.voice).toMatchObject({ slug: 'clara', chosenBy: 'tone' });
  });

  test('ends at a sentence where durationSeconds ends it, and says what was left out', { tags: ['long'] }, async () => {
    const { result } = await make({ prompt, durationSeconds: 5 });
    expect(result.durationSeconds).toBeLessThanOrEqual(5);
    expect(result.omitted?.text).toMatch(/^It does so every day|^The quick/);
    expect(result.warnings.join()).toContain('left out');
  });

  test.each([
    ['Welcome to the harbour. The tide turns at noon.', 90],
    ['Hello', 174],
  ])('speaks "%s" although it comes with a tempo, and says that the tempo was ignored', async (text, tempo) => {
    const { result } = await make({ prompt: text, tempo, durationSeconds: 10 });
    expect(result).toMatchObject({ kind: 'speech', music: null, voice: { chosenBy: 'tone' } });
    expect(result.warnings).toEqual([expect.stringContaining('tempo was ignored')]);
  });

  test('leaves out letters that the voice cannot say, and says so', async () => {
    const { result } = await make({ prompt: 'Hello Привет 世界 and\u0000 goodbye\u0007, café.', durationSeconds: 10 });
    expect(result.durationSeconds).toBeGreaterThan(1);
    expect(result.warnings.join()).toContain('scripts');
  });
});

describe('POST /generate/audio for music', () => {
  const request = { prompt: 'An upbeat electronic tune in D minor', tempo: 118, durationSeconds: 12 };

  test('has exactly the length and tempo that were asked for, in stereo, at the loudness of its preset', async () => {
    const { result, accepted } = await make(request);
    expect(result).toMatchObject({ kind: 'music', durationSeconds: 12, sampleRate: 44100, channels: 2, voice: null });
    expect(result.music).toMatchObject({ tempo: 118, key: 'D minor' });
    const listed = await appliance.owner('/admin/jobs?jobType=generate/audio');
    const { jobs } = (await listed.json()) as { jobs: { variant: string }[] };
    expect(new Set(jobs.map(({ variant }) => variant))).toEqual(new Set(['music', 'speech']));
    expect(result.analysis).toMatchObject({ preset: 'stream', targetLufs: -14 });
    expect(accepted.previews.durationSeconds).toBe(6);
  });

  test('gives the same bytes for the same request', { tags: ['long'] }, async () => {
    const first = await bytesAt((await make(request)).result.audio.wav.url);
    const second = await bytesAt((await make(request)).result.audio.wav.url);
    expect(first.equals(second)).toBe(true);
  });

  test('is brought to the preset that was named, and says that captions are for speech', {
    tags: ['long'],
  }, async () => {
    const { result } = await make({ ...request, loudness: 'broadcast', includeCaptions: true });
    expect(result.analysis.integratedLufs).toBeCloseTo(-23, 0);
    expect(result.captions).toBeNull();
    expect(result.warnings.join()).toContain('speech only');
  });
});

test('a clip that cannot be made in time is left out of the 202, and the job goes on', async () => {
  await using busy = await startAppliance({ previewLimitMs: 1 });
  const answer = await busy.owner('/v1/generate/audio', postJson({ prompt: 'A quiet tune.', durationSeconds: 10 }));
  const accepted = (await answer.json()) as { jobId: string; previews: AudioPreviews | null };
  expect([answer.status, accepted.previews]).toEqual([202, null]);
  expect((await finished(busy.owner, accepted.jobId)).status).toBe('completed');
});

describe('GET /voices', () => {
  test('lists voices, each with a sample that can be played', async () => {
    const voices = (await (await appliance.anonymous('/v1/voices')).json()) as { slug: string; sampleUrl: string }[];
    expect(voices.length).toBeGreaterThanOrEqual(4);
    const sample = await fetch(voices[1]?.sampleUrl ?? '');
    expect([sample.status, sample.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    expect((await sample.arrayBuffer()).byteLength).toBeGreaterThan(20_000);
    expect((await appliance.anonymous('/v1/voices/samples/nobody.wav')).status).toBe(404);
  });
});
