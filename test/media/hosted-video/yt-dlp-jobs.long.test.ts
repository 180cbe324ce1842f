/** Jobs that yt-dlp finds and fetches for, with a stand-in of it that is done at once. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { Appliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import { type LocalSite, serveWith } from '../../harness/local-site.ts';
import { CLIPS, startWithSpeech } from '../../harness/speech.ts';
import { installStandInYtDlp } from '../../harness/stand-in-yt-dlp.ts';
import { postJson } from '../../harness/text-models.ts';

const AT_ONCE = 4;

let appliance: Appliance;
let site: LocalSite;
beforeAll(async () => {
  appliance = await startWithSpeech();
  await installStandInYtDlp(appliance.dataDir, join(CLIPS, '02-fox.wav'));
  site = await serveWith((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>A page that names no video</title>');
  });
});
afterAll(async () => {
  await appliance.close();
  await site[Symbol.asyncDispose]();
});

async function extracted(name: string): Promise<Job> {
  const answer = await appliance.owner('/v1/extract/hosted-video', postJson({ sourceUrl: `${site.url}/${name}` }));
  expect(answer.status).toBe(202);
  return finished(appliance.owner, ((await answer.json()) as { jobId: string }).jobId);
}

async function lastSuccessAt(): Promise<string | null> {
  const media = (await (await appliance.owner('/admin/media')).json()) as { ytDlp: { lastSuccessAt: string | null } };
  return media.ytDlp.lastSuccessAt;
}

describe.skipIf(process.platform === 'win32')('that yt-dlp found a video is noted', () => {
  test('and where it cannot be, no job fails for it', async () => {
    // A folder in the note's place can be neither read nor replaced.
    const inTheWay = join(appliance.dataDir, 'tools', 'yt-dlp.json');
    await mkdir(inTheWay);
    expect(await extracted('one')).toMatchObject({ status: 'completed', result: { video: { foundBy: 'yt-dlp' } } });
    expect(await lastSuccessAt()).toBeNull();
    await rm(inTheWay, { recursive: true });
  });

  test('by jobs that end at the same time, all of which complete', async () => {
    const jobs = await Promise.all(Array.from({ length: AT_ONCE }, (_, number) => extracted(`at-once-${number}`)));
    expect(jobs.map(({ status, error }) => error ?? status)).toEqual(Array(AT_ONCE).fill('completed'));
    expect(await lastSuccessAt()).toEqual(expect.any(String));
  });
});

test.skipIf(process.platform === 'win32')(
  'a description as long as those of large sites, half a megabyte in one line, is read whole',
  async () => {
    expect(await extracted('long')).toMatchObject({
      status: 'completed',
      result: { video: { title: 'Stand-in', foundBy: 'yt-dlp' } },
    });
  },
);
