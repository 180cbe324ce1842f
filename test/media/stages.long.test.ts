import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { LiveSegment } from '../../src-server/features/media/schema.ts';
import type { Appliance } from '../harness/appliance.ts';
import { childrenLike, niceOf } from '../harness/child-processes.ts';
import { eventsOf } from '../harness/events.ts';
import { finished } from '../harness/jobs.ts';
import { type MediaMaker, openMediaMaker } from '../harness/make-media.ts';
import { CLIPS, ONNX_MODEL, startWithSpeech, submit, type TranscriptJob } from '../harness/speech.ts';
import { until } from '../harness/until.ts';

const ON_LINUX = process.platform === 'linux';
const CHILD = 'media/speech-program';
const BACK_OFF_MS = 60_000;

let appliance: Appliance;
let maker: MediaMaker;
/** Two and a half minutes of speech in several windows: long enough that something can happen to it on the way. */
let long: Buffer;
beforeAll(async () => {
  [appliance, maker] = await Promise.all([startWithSpeech(), openMediaMaker()]);
  long = await maker.make('long.flac', ['-stream_loop', '2', '-i', join(CLIPS, '08-long.mp3'), '-ar', '16000']);
});
afterAll(async () => {
  await appliance.close();
  await maker[Symbol.asyncDispose]();
});

async function begin(): Promise<string> {
  const answer = await submit(appliance, long, 'long.flac');
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { jobId: string }).jobId;
}

async function read(jobId: string): Promise<Job> {
  return (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as Job;
}

/** The words of a window, as an unfinished job keeps them. */
function partOf(jobId: string, index: number): string {
  const folder = join(appliance.dataDir, 'production/jobs', jobId.slice(4, 6).toLowerCase(), jobId, 'work');
  return join(folder, `heard-${ONNX_MODEL}-en`, `${index}.json`);
}

const exists = (path: string) =>
  readFile(path).then(
    () => true,
    () => false,
  );

/** Follows a job to its end, or until `isEnough`: the ids of its events, and the segments as they were heard. */
async function followed(jobId: string, { after = '', isEnough = (_count: number): boolean => false } = {}) {
  const aborter = new AbortController();
  const headers = after === '' ? {} : { 'last-event-id': after };
  const answer = await appliance.anonymous(`/v1/jobs/${jobId}/events`, { headers, signal: aborter.signal });
  expect(answer.status).toBe(200);
  const segments: LiveSegment[] = [];
  let lastId = '';
  for await (const { event, id, data } of eventsOf(answer)) {
    lastId = id;
    if (event === 'segments') segments.push(...(JSON.parse(data) as { segments: LiveSegment[] }).segments);
    if (isEnough(segments.length)) break;
  }
  aborter.abort();
  return { segments, lastId };
}

/** The words of a client that reconnects after the first ones. */
async function heardInTwoStreams(jobId: string) {
  const first = await followed(jobId, { isEnough: (count) => count > 0 });
  expect(first.lastId).toMatch(/^\d+\.\d+$/);
  const rest = await followed(jobId, { after: first.lastId });
  return [...first.segments, ...rest.segments].map(({ index, text }) => ({ index, text }));
}

describe('a long transcription', () => {
  test('shows its stages, a percentage that only grows, and its words as they are heard', async () => {
    const jobId = await begin();
    const words = heardInTwoStreams(jobId);
    const seen: { percent: number }[] = [];
    await until(async () => {
      const job = await read(jobId);
      seen.push(job.progress);
      // How long it will still take is said from when enough is done to tell until the end.
      if (job.status === 'processing' && job.progress.percent >= 5) expect(job.etaSeconds).toBeTypeOf('number');
      return job.status === 'completed' || job.status === 'failed';
    });
    const percents = seen.map(({ percent }) => percent);
    expect(percents).toEqual([...percents].sort((a, b) => a - b));
    const { createdAt, updatedAt } = await read(jobId);
    const seconds = (Date.parse(updatedAt) - Date.parse(createdAt)) / 1000;
    // Three are written down in a second, and a quick machine needs no more for all of it.
    expect(new Set(percents).size).toBeGreaterThan(Math.min(4, 2 * seconds));
    const { stages } = (await (await appliance.owner(`/admin/jobs/${jobId}`)).json()) as {
      stages: { stage: string }[];
    };
    expect(stages.map(({ stage }) => stage)).toContain('transcribing');
    const { result } = (await read(jobId)) as TranscriptJob;
    expect(await words).toEqual(result?.segments.map(({ text }, index) => ({ index, text })));
  });

  test('goes on after a stop where it was: what was heard before is not heard again', async () => {
    const jobId = await begin();
    await until(() => exists(partOf(jobId, 1)));
    // A mark in what the first run left behind, which a second hearing would write over.
    const kept = { segments: [{ start: 0, end: 1, text: 'Kept from before.' }], language: null };
    await writeFile(partOf(jobId, 0), JSON.stringify(kept));
    await appliance.restart();
    const { segments } = await followed(jobId);
    expect(segments[0]).toMatchObject({ index: 0, text: 'Kept from before.' });
    const job = (await finished(appliance.owner, jobId)) as TranscriptJob;
    expect(job.status).toBe('completed');
    expect(job.result?.segments[0]?.text).toBe('Kept from before.');
    expect(job.result?.segments.length).toBeGreaterThan(10);
  });

  test.skipIf(!ON_LINUX)('is cancelled with its process ended, which stood back for the server', async () => {
    const jobId = await begin();
    await until(() => childrenLike(CHILD).length > 0);
    const [listener] = childrenLike(CHILD);
    await until(() => niceOf(listener ?? 0) === 10);
    expect((await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status).toBe(204);
    await until(() => childrenLike(CHILD).length === 0);
    expect((await finished(appliance.owner, jobId)).error).toMatchObject({ code: 'cancelled' });
  });

  test.skipIf(!ON_LINUX)('whose process dies is begun again, and the server never noticed', async () => {
    const jobId = await begin();
    await until(() => childrenLike(CHILD).length > 0 && exists(partOf(jobId, 0)));
    for (const pid of childrenLike(CHILD)) process.kill(pid, 'SIGKILL');
    await until(async () => {
      const { status } = await read(jobId);
      // Not while it listens, which takes a slow machine so many looks that they came to days.
      if (status === 'queued') appliance.clock.advance(BACK_OFF_MS);
      return status === 'completed';
    });
    expect((await fetch(`${appliance.url}/health`)).status).toBe(200);
  });
});
