/** The server is killed in the middle of a transcription: what it started ends, and what it had done is not done again. */
import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../src-server/contract/index.ts';
import { type ApplianceProcess, startApplianceProcess } from '../harness/appliance-process.ts';
import { parentOf, processesLike } from '../harness/child-processes.ts';
import { installEndless } from '../harness/endless-program.ts';
import { type MediaMaker, openMediaMaker } from '../harness/make-media.ts';
import { CLIPS, GGML_MODEL, installSpeechModel, ONNX_MODEL, submit, type TranscriptJob } from '../harness/speech.ts';
import { until } from '../harness/until.ts';

const ON_LINUX = process.platform === 'linux';
const WAIT_MS = 120_000;
const TEST_MS = 240_000;
/** Time between two looks: short, since the stages of a small file are. */
const LOOK_MS = 2;

let appliance: ApplianceProcess;
let maker: MediaMaker;
let talk: Buffer;
beforeAll(async () => {
  [appliance, maker] = await Promise.all([startApplianceProcess(), openMediaMaker()]);
  await installSpeechModel(appliance, ONNX_MODEL);
  const slides =
    "color=white:size=320x180:rate=5:duration=48,drawtext=text='%{eif\\:floor(t/2)\\:d}':fontsize=90:x=60:y=50";
  talk = await maker.make('talk.mkv', [
    ...['-f', 'lavfi', '-i', slides, '-i', join(CLIPS, '08-long.mp3')],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'libmp3lame'],
  ]);
}, TEST_MS);
afterAll(async () => {
  await appliance[Symbol.asyncDispose]();
  await maker[Symbol.asyncDispose]();
});

const folderOf = (jobId: string) =>
  join(appliance.dataDir, 'production/jobs', jobId.slice(4, 6).toLowerCase(), jobId, 'work');

async function begin(options: object = {}): Promise<string> {
  const answer = await submit(appliance, talk, 'talk.mkv', options);
  expect(answer.status, await answer.clone().text()).toBe(202);
  return ((await answer.json()) as { jobId: string }).jobId;
}

async function ended(jobId: string, onLook: () => Promise<void> = async () => undefined): Promise<TranscriptJob> {
  let job: Job | null = null;
  await until(async () => {
    await onLook();
    job = (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as Job;
    return job.status === 'completed' || job.status === 'failed';
  }, WAIT_MS);
  return job as unknown as TranscriptJob;
}

async function looked(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('What the test waits for does not happen.');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function killAndRestart(): Promise<void> {
  await appliance.kill('SIGKILL');
  await appliance.restart();
}

describe('a job whose server is killed', () => {
  const options = { captureFrames: true, frameIntervalSeconds: 16 };
  // The file whose appearance says that the stage has begun, and those of earlier stages, which must stay as they are.
  test.for([
    ['while the sound is read', 'audio.pcm.part', ['media.json']],
    [
      'while it listens',
      `heard-${ONNX_MODEL}-en/0.json`,
      ['audio.pcm', 'windows.json', `heard-${ONNX_MODEL}-en/0.json`],
    ],
    ['while pictures are taken', 'frames/frame-0001.jpg', ['windows.json', `heard-${ONNX_MODEL}-en.json`]],
    ['while pictures are read', 'frames.json', [`heard-${ONNX_MODEL}-en.json`, 'frames/frame-0001.jpg']],
  ] as const)('%s goes on from there, and the answer is whole', { timeout: TEST_MS }, async ([, sign, earlier]) => {
    const jobId = await begin(options);
    const folder = folderOf(jobId);
    await looked(() => existsSync(join(folder, sign)));
    const listeners = ON_LINUX ? processesLike('child/speech').filter((pid) => parentOf(pid) === appliance.pid) : [];
    await appliance.kill('SIGKILL');
    const made = await Promise.all(earlier.map(async (name) => (await stat(join(folder, name))).mtimeMs));
    await appliance.restart();
    const stayed: boolean[] = [];
    const job = await ended(jobId, async () => {
      for (const [index, name] of earlier.entries()) {
        // The folder goes with the end of the job: what was made is watched until then.
        const now = await stat(join(folder, name)).catch(() => null);
        if (now !== null) stayed.push(now.mtimeMs === made[index]);
      }
    });
    expect(job.error, JSON.stringify(job.error)).toBeUndefined();
    expect(new Set(stayed)).toEqual(new Set([true]));
    await until(() => !listeners.some((pid) => existsSync(`/proc/${pid}`)), WAIT_MS);
    expect(job.result?.segments.length).toBe(14);
    expect(job.result?.frames?.length).toBe(3);
  });
});

describe.skipIf(!ON_LINUX)('a program that the killed server had started ends too:', () => {
  async function endsWithServer(path: string, options: object): Promise<void> {
    const jobId = await begin(options);
    try {
      await until(() => processesLike(path).length > 0, WAIT_MS);
      await appliance.kill('SIGKILL');
      await until(() => processesLike(path).length === 0, WAIT_MS);
    } finally {
      await rm(path);
      await appliance.restart();
    }
    expect((await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status).toBe(204);
  }

  test('whisper-cli', { timeout: TEST_MS }, async () => {
    await installSpeechModel(appliance, GGML_MODEL);
    await endsWithServer(await installEndless(appliance.dataDir, 'whisper-cli'), { transcriptionModel: GGML_MODEL });
  });

  test('ffmpeg', { timeout: TEST_MS }, async () => {
    const path = await installEndless(appliance.dataDir, 'ffmpeg');
    await killAndRestart();
    await endsWithServer(path, { transcriptionModel: ONNX_MODEL });
  });
});
