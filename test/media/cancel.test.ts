/**
 * A cancelled job ends at once in whatever stage it is, and so does everything that it had started. Each stage is held
 * where it is: by a program that works for ever, by a process that is stopped, or by an address that never ends.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canBuildWhisperCli } from '../../src-server/engines/speech/build-whisper-cli.ts';
import { type ApplianceProcess, startApplianceProcess } from '../harness/appliance-process.ts';
import { descendantsOf, isAtWork, niceOf, processesLike } from '../harness/child-processes.ts';
import { installEndless } from '../harness/endless-program.ts';
import { finished } from '../harness/jobs.ts';
import { type LocalSite, serveWith } from '../harness/local-site.ts';
import { type MediaMaker, openMediaMaker } from '../harness/make-media.ts';
import { CLIPS, GGML_MODEL, installSpeechModel, ONNX_MODEL, submit } from '../harness/speech.ts';
import { installStandInYtDlp } from '../harness/stand-in-yt-dlp.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';
import { installVadModel } from '../harness/vad-model.ts';

const WAIT_MS = 120_000;
const DRIP_MS = 50;
const CHILD = 'child/speech';
/** Arguments of ffmpeg: for sound, for pictures, and some that it never gets. */
const SOUND = 's16le';
const PICTURES = 'filter_complex';
const NOTHING = 'nothing of that name';

let appliance: ApplianceProcess;
let maker: MediaMaker;
let site: LocalSite;
let talk: Buffer;
let slides: Buffer;
/** Connections on which the site drips. */
let dripping = 0;
beforeAll(async () => {
  [appliance, maker] = await Promise.all([startApplianceProcess(), openMediaMaker()]);
  // There from the start: a server looks for it once.
  await installEndless(appliance.dataDir, 'ffmpeg', NOTHING);
  for (const model of [ONNX_MODEL, GGML_MODEL]) await installSpeechModel(appliance, model);
  talk = await maker.make('talk.flac', ['-i', join(CLIPS, '08-long.mp3'), '-ar', '16000']);
  const pictures = "color=white:size=640x360:rate=1:duration=90,drawtext=text='%{eif\\:t\\:d}':fontsize=200:x=60:y=50";
  slides = await maker.make('slides.mkv', ['-f', 'lavfi', '-i', pictures, '-c:v', 'libx264', '-pix_fmt', 'yuv420p']);
  site = await serveWith((request, response) => {
    const isPage = request.url === '/page';
    response.writeHead(200, { 'content-type': isPage ? 'text/html' : 'video/mp4' });
    if (isPage) {
      response.end('<title>A page that names no video</title>');
      return;
    }
    dripping += 1;
    const timer = setInterval(() => response.write('x'), DRIP_MS);
    response.on('close', () => {
      clearInterval(timer);
      dripping -= 1;
    });
  });
}, WAIT_MS);
afterAll(async () => {
  await appliance[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
  await maker[Symbol.asyncDispose]();
});

async function accepted(answer: Response): Promise<string> {
  expect(answer.status, await answer.clone().text()).toBe(202);
  return ((await answer.json()) as { jobId: string }).jobId;
}

async function progressOf(jobId: string): Promise<{ stage: string; message: string }> {
  const job = (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as { progress: never; error?: unknown };
  expect(job.error, JSON.stringify(job.error)).toBeUndefined();
  return job.progress;
}

/** Waits until the job is in the stage, and cancels it there: nothing that the server had started is left. */
async function cancelledAt(jobId: string, stage: string, isThere: () => Promise<boolean> | boolean): Promise<void> {
  await until(async () => (await progressOf(jobId)).stage === stage && (await isThere()), WAIT_MS);
  const started = descendantsOf(appliance.pid);
  expect((await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status).toBe(204);
  const job = await finished(appliance.owner, jobId, WAIT_MS);
  expect(job).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
  await until(() => !started.some(isAtWork) && descendantsOf(appliance.pid).length === 0, WAIT_MS);
  await until(async () => {
    const { pool } = (await (await appliance.owner('/admin/overview')).json()) as { pool: { busy: number } };
    return pool.busy === 0;
  }, WAIT_MS);
}

const hasChild = (path: string) => descendantsOf(appliance.pid).some((pid) => processesLike(path).includes(pid));

/** Holds the recogniser's process where it is. */
function stopped(): boolean {
  const [listener] = descendantsOf(appliance.pid).filter((pid) => processesLike(CHILD).includes(pid));
  if (listener !== undefined) process.kill(listener, 'SIGSTOP');
  return listener !== undefined;
}

describe('a job that is cancelled while an address drips a byte at a time: the connection is closed,', () => {
  test.for([
    ['for a file', '/v1/extract/video'],
    ['for a hosted video', '/v1/extract/hosted-video'],
  ] as const)('%s', { timeout: WAIT_MS }, async ([, path]) => {
    const jobId = await accepted(await appliance.owner(path, postJson({ sourceUrl: `${site.url}/talk.mp4` })));
    await cancelledAt(jobId, 'fetching', () => dripping > 0);
    await until(() => dripping === 0, WAIT_MS);
  });
});

describe.skipIf(process.platform !== 'linux')('a job that is cancelled leaves no process behind', () => {
  const listen = (transcriptionModel: string) => submit(appliance, talk, 'talk.flac', { transcriptionModel });

  test('while the sound is read: ffmpeg, which stood back for the server', { timeout: WAIT_MS }, async () => {
    const path = await installEndless(appliance.dataDir, 'ffmpeg', SOUND);
    const jobId = await accepted(await listen(ONNX_MODEL));
    await cancelledAt(jobId, 'extracting-audio', async () => {
      const [pid] = processesLike(path);
      return pid !== undefined && niceOf(pid) === 10;
    });
  });

  test('while speech is looked for: the process of the detector', { timeout: WAIT_MS }, async () => {
    await installEndless(appliance.dataDir, 'ffmpeg', NOTHING);
    await installVadModel(appliance);
    await cancelledAt(await accepted(await listen(ONNX_MODEL)), 'listening', stopped);
    expect((await appliance.owner('/admin/models/silero-vad', { method: 'DELETE' })).status).toBe(204);
  });

  test('while it listens: the process of the recogniser', { timeout: WAIT_MS }, async () => {
    await cancelledAt(await accepted(await listen(ONNX_MODEL)), 'transcribing', stopped);
  });

  test('while whisper-cli is built: make, and the compilers that it started', { timeout: WAIT_MS }, async ({
    skip,
  }) => {
    skip(!(await canBuildWhisperCli()), 'There is no compiler here.');
    const jobId = await accepted(await listen(GGML_MODEL));
    await cancelledAt(jobId, 'building', () => hasChild('ggml.c') || hasChild('whisper.cpp'));
    expect(existsSync(join(appliance.dataDir, 'tools', 'whisper-cli'))).toBe(false);
  });

  test('while it listens: whisper-cli', { timeout: WAIT_MS }, async () => {
    const path = await installEndless(appliance.dataDir, 'whisper-cli');
    await cancelledAt(await accepted(await listen(GGML_MODEL)), 'transcribing', () => hasChild(path));
  });

  test('while pictures are taken: ffmpeg', { timeout: WAIT_MS }, async () => {
    const path = await installEndless(appliance.dataDir, 'ffmpeg', PICTURES);
    const jobId = await accepted(await submit(appliance, slides, 'slides.mkv', { captureFrames: true }));
    await cancelledAt(jobId, 'reading-frames', () => hasChild(path));
  });

  test('while the text of pictures is read', { timeout: WAIT_MS }, async () => {
    await installEndless(appliance.dataDir, 'ffmpeg', NOTHING);
    const options = { captureFrames: true, frameIntervalSeconds: 1 };
    const jobId = await accepted(await submit(appliance, slides, 'slides.mkv', options));
    await cancelledAt(jobId, 'reading-frames', async () => (await progressOf(jobId)).message.startsWith('Read '));
  });

  test.for([
    ['looks for the video', 'describing', 'looking'],
    ['fetches the video', 'fetching', 'fetching'],
  ] as const)(
    'while yt-dlp %s: yt-dlp, and what that had started and nothing but a kill ends',
    { timeout: WAIT_MS },
    async ([, step, stage]) => {
      const { path, helperPath } = await installStandInYtDlp(appliance.dataDir, join(CLIPS, '02-fox.wav'), step);
      const sent = await appliance.owner('/v1/extract/hosted-video', postJson({ sourceUrl: `${site.url}/page` }));
      await cancelledAt(await accepted(sent), stage, () => {
        return hasChild(helperPath) && processesLike(path).every((pid) => niceOf(pid) === 10);
      });
      expect(processesLike(helperPath)).toEqual([]);
    },
  );
});
