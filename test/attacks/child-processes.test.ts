/**
 * A program that reads a stranger's file may be taken over by it. No child process of the server gets the server's keys,
 * and none may fill the memory.
 */
import { readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import { type ApplianceProcess, startApplianceProcess } from '../harness/appliance-process.ts';
import { descendantsOf } from '../harness/child-processes.ts';
import { finished } from '../harness/jobs.ts';
import { type LocalSite, serveWith } from '../harness/local-site.ts';
import { type MediaMaker, openMediaMaker } from '../harness/make-media.ts';
import { CLIPS, GGML_MODEL, installSpeechModel, ONNX_MODEL, submit, type TranscriptJob } from '../harness/speech.ts';
import { installStandInYtDlp } from '../harness/stand-in-yt-dlp.ts';
import { postJson, TINY_MODEL, TINY_MODEL_PATH } from '../harness/text-models.ts';

const SECRET = `0x${'5ec7e7'.repeat(10)}5ec7`;
const SECRETS = {
  QUARRY_PRIVATE_KEY: SECRET,
  QUARRY_TEXT_SERVER_KEY: SECRET,
  QUARRY_SPEECH_SERVER_KEY: SECRET,
  SOME_CLOUD_TOKEN: SECRET,
  HTTPS_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '*',
};
const TOOL_LIMIT_KIB = 2 * 1024 * 1024;
/** Node and the libraries map 640 MiB before they read anything. */
const READER_LIMIT_KIB = TOOL_LIMIT_KIB + 640 * 1024;
const GIANT = 'color=gray:size=12000x12000:rate=1:duration=1';

let appliance: ApplianceProcess;
let maker: MediaMaker;
let site: LocalSite;
/** Programs on PATH, and what all programs that were started noted. The reader of media begins with `prlimit`. */
let shims: string;
let notes: string;

beforeAll(async () => {
  maker = await openMediaMaker();
  [shims, notes] = [join(maker.folder, 'shims'), join(maker.folder, 'notes')];
  await mkdir(shims);
  await mkdir(notes);
  for (const name of ['make', 'g++', 'cc']) await writeProgram(join(shims, name), [...noting(name), 'exit 0']);
  await limitReader();
  appliance = await startApplianceProcess({ variables: { ...SECRETS, PATH: `${shims}:${process.env.PATH}` } });
  for (const model of [ONNX_MODEL, GGML_MODEL]) await installSpeechModel(appliance, model);
  await copyFile(TINY_MODEL_PATH, join(appliance.dataDir, 'models', `${TINY_MODEL}.gguf`));
  const { path } = await installStandInYtDlp(appliance.dataDir, join(CLIPS, '02-fox.wav'));
  await rename(path, `${path}-behind`);
  await writeProgram(path, [...noting('yt-dlp'), `exec "${path}-behind" "$@"`]);
  await writeProgram(join(appliance.dataDir, 'tools/ffmpeg'), [...noting('ffmpeg'), 'exec ffmpeg "$@"']);
  site = await serveWith((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>A page that names no video</title>');
  });
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await appliance[Symbol.asyncDispose]();
  await maker[Symbol.asyncDispose]();
});

/** Lines of a shell script that note its environment and the limit of its memory. */
function noting(name: string): string[] {
  return [`note="${notes}/${name} $$"`, 'env > "$note env"', 'ulimit -d > "$note limit"'];
}

async function writeProgram(path: string, lines: readonly string[]): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  await chmod(path, 0o755);
}

/** Gives the reader of media this much memory beside what it takes at its start; by default the server's limit. */
function limitReader(besideKib?: number): Promise<void> {
  const limit =
    besideKib === undefined
      ? '"$3"'
      : `--data=$((($(sed -n 's/VmData:[^0-9]*//p' $own | tr -dc 0-9) + ${besideKib}) * 1024))`;
  return writeProgram(join(shims, 'prlimit'), [
    ...[...noting('reader').slice(0, 2), 'own="/proc/$2/status"', `/usr/bin/prlimit --pid "$2" ${limit}`],
    'echo $(($(sed -n "s/^Max data size *\\([0-9]*\\).*/\\1/p" /proc/$2/limits) / 1024)) > "$note limit"',
  ]);
}

async function noted(kind: 'env' | 'limit', name: string): Promise<string[]> {
  const files = (await readdir(notes)).filter((file) => file.startsWith(`${name} `) && file.endsWith(` ${kind}`));
  return Promise.all(files.map((file) => readFile(join(notes, file), 'utf8')));
}

async function ended(answer: Response): Promise<Job> {
  expect(answer.status, await answer.clone().text()).toBe(202);
  return finished(appliance.owner, ((await answer.json()) as { jobId: string }).jobId);
}

async function extracted(content: Uint8Array, options: object): Promise<TranscriptJob> {
  return (await ended(await submit(appliance, content, 'a.mkv', options))) as TranscriptJob;
}

describe.skipIf(process.platform !== 'linux')('a child process', () => {
  test('gets the variables that it needs, and no key: ffmpeg, the reader of media, yt-dlp, make, compilers, whisper-cli', async () => {
    expect((await appliance.owner('/admin/media')).status).toBe(200);
    const built = await appliance.owner('/admin/media/whisper-cli/install?from=source', { method: 'POST' });
    expect(built.status).toBe(202);
    await writeProgram(join(appliance.dataDir, 'tools/whisper-cli'), [
      ...noting('whisper-cli'),
      'case "$*" in *--help*) echo --model; exit 0;; esac',
      'for one; do case "$one" in *.wav) echo "{}" > "$one.json";; esac; done',
    ]);
    const talk = await readFile(join(CLIPS, '02-fox.wav'));
    const heard = await extracted(talk, { transcriptionModel: GGML_MODEL });
    expect(heard).toMatchObject({ status: 'completed', result: { transcript: { engine: 'whisper.cpp' } } });
    const found = await ended(
      await appliance.owner('/v1/extract/hosted-video', postJson({ sourceUrl: `${site.url}/a` })),
    );
    expect(found).toMatchObject({ status: 'completed', result: { video: { foundBy: 'yt-dlp' } } });

    for (const name of ['ffmpeg', 'reader', 'yt-dlp', 'make', 'g++', 'cc', 'whisper-cli']) {
      const environments = await noted('env', name);
      expect(environments.length, name).toBeGreaterThan(0);
      for (const environment of environments) {
        expect(environment, name).toContain(`PATH=${shims}:`);
        for (const variable of Object.keys(SECRETS)) expect(environment, name).not.toMatch(`${variable}=`);
        expect(environment, name).not.toContain(SECRET);
      }
    }
  });

  test('has a bound on its memory', async () => {
    for (const name of ['ffmpeg', 'reader', 'yt-dlp', 'make']) {
      const most = name === 'reader' ? READER_LIMIT_KIB : TOOL_LIMIT_KIB;
      const limits = await noted('limit', name);
      expect(limits.length, name).toBeGreaterThan(0);
      for (const limit of limits) expect([name, Number(limit)]).toEqual([name, most]);
    }
    // It may take the model's size more.
    const ofWhisper = (await noted('limit', 'whisper-cli')).map(Number);
    expect(Math.max(...ofWhisper)).toBeGreaterThan(TOOL_LIMIT_KIB);
    expect(Math.max(...ofWhisper)).toBeLessThan(2 * TOOL_LIMIT_KIB);
  });

  test('gets no key either where it is a program of the server: a text model', async () => {
    const request = { prompt: 'Once upon a time', maxTokens: 4, model: TINY_MODEL };
    expect((await appliance.owner('/v1/generate/text', postJson(request))).status).toBe(200);
    // It keeps its model, so it is there still.
    const [pid] = descendantsOf(appliance.pid).filter((one) =>
      readFileSync(`/proc/${one}/cmdline`, 'utf8').includes('text/text-model'),
    );
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
    expect(environment).toContain(`PATH=${shims}:`);
    expect(environment).not.toContain(SECRET);
    for (const variable of Object.keys(SECRETS)) expect(environment).not.toContain(`${variable}=`);
  });
});

describe.skipIf(process.platform !== 'linux')('a small file with giant pictures', () => {
  let giant: Buffer;
  beforeAll(async () => {
    giant = await maker.make('giant.mkv', ['-f', 'lavfi', '-i', GIANT, '-pix_fmt', 'gray', '-c:v', 'png']);
    expect(giant.length).toBeLessThan(1_000_000);
    // Less than one of the pictures takes: they are refused by their size, before there is memory for them.
    await limitReader(131_072);
  });

  test('is refused as too large where its pictures are all there is', { tags: ['long'] }, async () => {
    const job = await extracted(giant, { captureFrames: true });
    expect(job).toMatchObject({ status: 'failed', error: { code: 'source_too_large', retryable: false } });
    expect(job.error?.message).toContain('12000x12000');
    expect(job.error?.message).toContain('8192 × 4352');
  });

  test('is heard where it has sound, with a warning where its pictures were to be read', {
    tags: ['long'],
  }, async () => {
    const path = join(maker.folder, 'giant.mkv');
    const sound = ['-f', 'lavfi', '-i', 'sine=duration=1', '-map', '0:v', '-map', '1:a', '-c:v', 'copy'];
    const withSound = await maker.make('giant-with-sound.mkv', ['-i', path, ...sound, '-c:a', 'aac']);
    const job = await extracted(withSound, { captureFrames: true });
    expect(job).toMatchObject({ status: 'completed', result: { media: { audioCodec: 'aac' } } });
    expect(job.result?.warnings).toContainEqual(expect.stringContaining('12000x12000'));
    expect((await extracted(withSound, {})).status).toBe('completed');
  });

  test('that ends its reader ends its own job alone', async () => {
    await writeProgram(join(shims, 'prlimit'), ['kill -KILL "$PPID"']);
    const job = await extracted(giant, { captureFrames: true });
    expect(job).toMatchObject({ status: 'failed', error: { code: 'engine_failed' } });
    expect(job.error?.message).toContain('The program that reads media files failed on this file');
    await limitReader();
  });

  test('that takes more memory than a tool may have fails with that reason', { tags: ['long'] }, async () => {
    const large = 'color=gray:size=8000x4000:rate=1:duration=2';
    const content = await maker.make('large.mkv', ['-f', 'lavfi', '-i', large, '-pix_fmt', 'rgb24', '-c:v', 'png']);
    await limitReader(65_536);
    const job = await extracted(content, { captureFrames: true, frameIntervalSeconds: 1 });
    expect(job).toMatchObject({ status: 'failed', error: { code: 'out_of_memory' } });
    await limitReader();
    expect((await extracted(content, { captureFrames: true, frameIntervalSeconds: 1 })).status).toBe('completed');
    await rm(join(maker.folder, 'large.mkv'));
  });
});
