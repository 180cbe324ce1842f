/** How far a hosted video's download is, and how long the job still takes. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FetchProgress, fetchedOf } from '../../../src-server/features/media/yt-dlp.ts';
import type { Appliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import { serveWith } from '../../harness/local-site.ts';
import { openMediaMaker } from '../../harness/make-media.ts';
import { CLIPS, startWithSpeech } from '../../harness/speech.ts';
import { postJson } from '../../harness/text-models.ts';
import { until } from '../../harness/until.ts';

const PIECES = 4;

interface Shown {
  status: string;
  progress: { percent: number; stage: string; message: string };
  etaSeconds?: number;
}

describe('what yt-dlp says of a download', () => {
  test.for([
    ['a file', 'PROG 500 2000 NA NA NA', { receivedBytes: 500, totalBytes: 2000, share: 0.25 }],
    ['a guessed length', 'PROG 500 NA 1999.6 NA NA', { receivedBytes: 500, totalBytes: 2000, share: 0.25 }],
    ['pieces of a stream', 'PROG 500 NA 600.5 3 4', { receivedBytes: 500, totalBytes: 601, share: 0.75 }],
    ['no known length', 'PROG 500 NA NA NA NA', { receivedBytes: 500, totalBytes: null, share: null }],
    ['nothing yet', 'PROG NA NA NA NA NA', null],
    ['something else', '[download] Destination: PROG 500 2000 NA NA NA', null],
  ] as const)('%s', ([, line, fetched]) => {
    expect(fetchedOf(line)).toEqual(fetched);
  });
});

test('the percentage of a download is its share of the whole job’s time', async () => {
  const percentAt = async (laterSeconds: number, share: number | null) => {
    let percent = Number.NaN;
    const progress = new FetchProgress(performance.now(), laterSeconds, (shown) => {
      percent = shown.percent;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    progress.reportFetchProgress({ receivedBytes: 1, totalBytes: null, share });
    return percent;
  };
  // Half of it is there and nothing follows; a quarter; as much again is taken to be left; and hours follow.
  expect(await percentAt(0, 0.5)).toBeCloseTo(49.5, -1);
  expect(await percentAt(0, 0.25)).toBeCloseTo(24.75, -1);
  expect(await percentAt(0, null)).toBeCloseTo(49.5, -1);
  expect(await percentAt(36_000, 0.5)).toBeLessThan(1);
});

async function begin(appliance: Appliance, sourceUrl: string): Promise<string> {
  const answer = await appliance.owner('/v1/extract/hosted-video', postJson({ sourceUrl }));
  expect(answer.status, await answer.clone().text()).toBe(202);
  return ((await answer.json()) as { jobId: string }).jobId;
}

async function shownUntil(appliance: Appliance, jobId: string, isIt: (job: Shown) => boolean): Promise<Shown> {
  let job: Shown | null = null;
  await until(async () => {
    job = (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as Shown;
    return isIt(job);
  });
  return job as unknown as Shown;
}

describe('a job that fetches a hosted video says how much of it is there, and how long it will still take', () => {
  test('where the page names the file', async () => {
    await using appliance = await startWithSpeech();
    const size = 8 * 1024 * 1024;
    await using site = await serveWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': size }).write(Buffer.alloc(size / 2));
    });
    const jobId = await begin(appliance, `${site.url}/talk.mp4`);
    const { progress, etaSeconds } = await shownUntil(appliance, jobId, (job) => / of /.test(job.progress.message));
    expect(progress).toMatchObject({ stage: 'fetching', message: expect.stringMatching(/: [\d.]+ of 8\.0 MB$/) });
    expect(etaSeconds).toEqual(expect.any(Number));
  });

  test('where the page names the playlist of a stream', async () => {
    await using appliance = await startWithSpeech();
    await using maker = await openMediaMaker();
    const sound = ['-i', join(CLIPS, '02-fox.wav'), '-c:a', 'aac', '-f', 'mpegts'];
    const piece = await maker.make('piece.ts', sound);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await using site = await serveWith(async (request, response) => {
      const path = request.url ?? '';
      if (path === '/page') {
        const body = `<video><source src="http://${request.headers.host}/list.m3u8" type="application/x-mpegURL"></video>`;
        response.writeHead(200, { 'content-type': 'text/html' }).end(body);
        return;
      }
      if (path === '/list.m3u8') {
        const list = Array.from({ length: PIECES }, (_, number) => `#EXTINF:3.5,\npiece-${number}.ts\n`).join('');
        const type = { 'content-type': 'application/vnd.apple.mpegurl' };
        response.writeHead(200, type).end(`#EXTM3U\n#EXT-X-TARGETDURATION:4\n${list}#EXT-X-ENDLIST\n`);
        return;
      }
      if (path === `/piece-${PIECES - 1}.ts`) await released;
      response.writeHead(200, { 'content-type': 'video/mp2t', 'content-length': piece.length }).end(piece);
    });
    const jobId = await begin(appliance, `${site.url}/page`);
    const { progress, etaSeconds } = await shownUntil(appliance, jobId, (job) => / of /.test(job.progress.message));
    expect(progress.stage).toBe('fetching');
    expect(etaSeconds).toEqual(expect.any(Number));
    release();
    expect((await finished(appliance.owner, jobId)).error).toBeUndefined();
  });
});
