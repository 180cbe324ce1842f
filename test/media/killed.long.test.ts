/** The server is killed in the middle of a transcription: what it started ends, and what it had done is not done again. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import { type ApplianceProcess, startApplianceProcess } from '../harness/appliance-process.ts';
import { descendantsOf, parentOf, processesLike } from '../harness/child-processes.ts';
import { installEndless } from '../harness/endless-program.ts';
import { type LocalSite, serveWith } from '../harness/local-site.ts';
import { type MediaMaker, openMediaMaker } from '../harness/make-media.ts';
import {
  CLIPS,
  clips,
  GGML_MODEL,
  installSpeechModel,
  ONNX_MODEL,
  submit,
  type TranscriptJob,
} from '../harness/speech.ts';
import { installStandInYtDlp } from '../harness/stand-in-yt-dlp.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';
import { installVadModel } from '../harness/vad-model.ts';

const ON_LINUX = process.platform === 'linux';
const WAIT_MS = 600_000;
/** Time between two looks: short, since the stages of a small file are. */
const LOOK_MS = 2;

let appliance: ApplianceProcess;
let maker: MediaMaker;
let talk: Buffer;
beforeAll(async () => {
  [appliance, maker] = await Promise.all([startApplianceProcess(), openMediaMaker()]);
  await installSpeechModel(appliance, ONNX_MODEL);
  const slides =
    "color=white:size=320x180:rate=5:duration=48,drawtext=text='%{eif\\:10+floor(t/2)\\:d}':fontsize=90:x=60:y=50";
  talk = await maker.make('talk.mkv', [
    ...['-f', 'lavfi', '-i', slides, '-i', join(CLIPS, '08-long.mp3')],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'libmp3lame'],
  ]);
});
afterAll(async () => {
  await appliance[Symbol.asyncDispose]();
  await maker[Symbol.asyncDispose]();
});

const folderOf = (jobId: string) =>
  join(appliance.dataDir, 'production/jobs', jobId.slice(4, 6).toLowerCase(), jobId, 'work');

async function begin(options: object = {}, content = talk, name = 'talk.mkv'): Promise<string> {
  const answer = await submit(appliance, content, name, options);
  expect(answer.status, await answer.clone().text()).toBe(202);
  return ((await answer.json()) as { jobId: string }).jobId;
}

async function beginAt(path: string, sourceUrl: string, options: object = {}): Promise<string> {
  const answer = await appliance.owner(path, postJson({ sourceUrl, options }));
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
    ['while the sound is read', 'audio.pcm.part', ['probed.json']],
    [
      'while it listens',
      `heard-${ONNX_MODEL}-en/0.json`,
      ['audio.pcm', 'speech-found.json', `heard-${ONNX_MODEL}-en/0.json`],
    ],
    ['while pictures are taken', 'frames/frame-0001.jpg', ['speech-found.json', `heard-${ONNX_MODEL}-en/0.json`]],
    ['while pictures are read', 'pictures.json', [`heard-${ONNX_MODEL}-en/0.json`, 'frames/frame-0001.jpg']],
  ] as const)('%s goes on from there, and the answer is whole', async ([, sign, earlier]) => {
    const jobId = await begin(options);
    const folder = folderOf(jobId);
    await looked(() => existsSync(join(folder, sign)));
    const listeners = ON_LINUX
      ? processesLike('media/speech-program').filter((pid) => parentOf(pid) === appliance.pid)
      : [];
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

describe('a job whose server is killed where nothing of the stage is kept', () => {
  let clip: Buffer;
  let sentences: string[];
  beforeAll(async () => {
    const [name, truth] = ['06-class.wav', await clips()];
    clip = await readFile(join(CLIPS, name));
    sentences = truth.find(({ file }) => file === name)?.segments.map(({ text }) => text) ?? [];
  });
  const said = (job: TranscriptJob) => job.result?.segments.map(({ text }) => text) ?? job.error;

  /** Gives half of the file when it is asked for that time, and says no more; the whole file at all others. */
  const haltingAt = (time: number): Promise<LocalSite> => {
    let asked = 0;
    return serveWith((_request, response) => {
      asked += 1;
      response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': clip.length });
      if (asked === time) response.write(clip.subarray(0, clip.length / 2));
      else response.end(clip);
    });
  };

  test.for([
    ['a file', '/v1/extract/video', 'source.part', 1],
    // Its address is looked at before it is fetched, which is not done again.
    ['a hosted video', '/v1/extract/hosted-video', 'work/media.part', 2],
  ] as const)(
    'while it fetches %s begins the fetch again, once, and leaves no half of it',
    async ([, path, part, halts]) => {
      await using site = await haltingAt(halts);
      const jobId = await beginAt(path, `${site.url}/class.wav`);
      const folder = join(folderOf(jobId), '..');
      await until(async () => ((await stat(join(folder, part)).catch(() => null))?.size ?? 0) > 0, WAIT_MS);
      expect(site.requests.length).toBe(halts);
      await killAndRestart();
      const job = await ended(jobId);
      expect(said(job)).toEqual(sentences);
      expect(site.requests.length).toBe(halts + 1);
      expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([]);
    },
  );

  test.skipIf(!ON_LINUX)('while it looks for speech looks again, and hears each sentence once', async () => {
    await installVadModel(appliance);
    const jobId = await begin({}, clip, 'class.wav');
    let detector: number | undefined;
    await looked(() => {
      [detector] = descendantsOf(appliance.pid).filter((pid) => processesLike('media/speech-program').includes(pid));
      // Held, so that the server dies before the process has an answer.
      if (detector !== undefined) process.kill(detector, 'SIGSTOP');
      return detector !== undefined;
    });
    expect(existsSync(join(folderOf(jobId), 'speech-found.json'))).toBe(false);
    await appliance.kill('SIGKILL');
    process.kill(detector ?? 0, 'SIGCONT');
    await appliance.restart();
    const job = await ended(jobId);
    expect(job.result?.media.speechFoundBy, JSON.stringify(job.error)).toBe('silero-vad');
    expect(said(job)).toEqual(sentences);
    await until(() => !existsSync(`/proc/${detector}`), WAIT_MS);
    expect((await appliance.owner('/admin/models/silero-vad', { method: 'DELETE' })).status).toBe(204);
  });

  test.skipIf(!ON_LINUX)('while it writes its files writes them whole', async () => {
    const jobId = await begin({}, clip, 'class.wav');
    const files = join(folderOf(jobId), '../files');
    await mkdir(files, { recursive: true });
    // A pipe that nobody reads from: who opens it to write waits.
    await promisify(execFile)('mkfifo', [join(files, 'transcript.txt')]);
    await until(async () => {
      const { progress } = (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as Job;
      return progress.stage === 'writing' && existsSync(join(files, 'transcript.vtt'));
    }, WAIT_MS);
    await appliance.kill('SIGKILL');
    await rm(join(files, 'transcript.txt'));
    const heard = (await stat(join(folderOf(jobId), `heard-${ONNX_MODEL}-en/0.json`))).mtimeMs;
    await appliance.restart();
    const job = await ended(jobId, async () => {
      const now = await stat(join(folderOf(jobId), `heard-${ONNX_MODEL}-en/0.json`)).catch(() => null);
      if (now !== null) expect(now.mtimeMs).toBe(heard);
    });
    const { segments = [], files: named = [] } = job.result ?? {};
    expect(said(job)).toEqual(sentences);
    const read = async (name: string) => {
      const { url = '' } = named.find((file) => file.name === name) ?? {};
      return (await appliance.owner(new URL(url).pathname)).text();
    };
    expect((await read('transcript.txt')).trim().split('\n')).toEqual(sentences);
    expect((await read('transcript.srt')).match(/ --> /g)).toHaveLength(sentences.length);
    expect((JSON.parse(await read('transcript.json')) as { segments: unknown[] }).segments).toEqual(segments);
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

  test('whisper-cli', async () => {
    await installSpeechModel(appliance, GGML_MODEL);
    await endsWithServer(await installEndless(appliance.dataDir), { transcriptionModel: GGML_MODEL });
  });

  test('the one that reads media', async () => {
    const jobId = await begin({ transcriptionModel: ONNX_MODEL });
    let reader: number | undefined;
    await looked(() => {
      [reader] = descendantsOf(appliance.pid).filter((pid) => processesLike('media/media-program').includes(pid));
      // Held, so that it is in the middle of its work.
      if (reader !== undefined) process.kill(reader, 'SIGSTOP');
      return reader !== undefined;
    });
    await appliance.kill('SIGKILL');
    process.kill(reader ?? 0, 'SIGCONT');
    await until(() => !existsSync(`/proc/${reader}`), WAIT_MS);
    await appliance.restart();
    expect((await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status).toBe(204);
  });

  test('yt-dlp, and what that had started in its turn; the next server fetches the video', async () => {
    await using site = await serveWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>A page that names no video</title>');
    });
    const clip = join(CLIPS, '02-fox.wav');
    const { path, helperPath } = await installStandInYtDlp(appliance.dataDir, clip, 'fetching');
    const jobId = await beginAt('/v1/extract/hosted-video', `${site.url}/page`);
    await until(() => processesLike(helperPath).length > 0, WAIT_MS);
    await appliance.kill('SIGKILL');
    await until(() => processesLike(path).length === 0 && processesLike(helperPath).length === 0, WAIT_MS);
    await installStandInYtDlp(appliance.dataDir, clip);
    await appliance.restart();
    const job = await ended(jobId);
    expect(job.result?.segments.length, JSON.stringify(job.error)).toBe(1);
    expect(site.requests).toEqual(['/page']);
  });
});
