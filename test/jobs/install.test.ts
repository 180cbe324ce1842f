import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import { releaseFileFor } from '../../src-server/features/media/tool-release.ts';
import { OPERATIONS } from '../../src-server/features.ts';
import { defineOperation } from '../../src-server/operation.ts';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { GIB } from '../../src-server/platform/units.ts';
import { scanPdf, text, writePdf } from '../documents/pdf-writer.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { type CatalogueBed, openCatalogue, realEntries } from '../harness/catalogue.ts';
import { openEvents } from '../harness/events.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { CLIPS } from '../harness/speech.ts';
import { postJson, TINY_MODEL_PATH } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';
import { TEST_WORDS } from '../harness/words.ts';

/** Needs a text model, and is not content with the one that is installed. */
const stubborn = defineOperation({
  id: 'test/stubborn',
  summary: 'Is never content',
  description: 'For tests.',
  words: TEST_WORDS,
  mode: 'job',
  price: null,
  idPrefix: 'job',
  queueClass: 'light',
  request: z.strictObject({}),
  result: z.object({}),
  example: { request: {} },
  uses: ['text'],
  retry: { attempts: 1, baseDelaySeconds: 1 },
  timeLimitSeconds: 60,
  firstRun: { seconds: 1, secondsPerMegabyte: 0 },
  run: async () => {
    const missing = { need: 'text', language: null } as const;
    throw new QuarryError('model_not_installed', say`No text model is installed.`, { missing });
  },
});

/** Needs yt-dlp, and says which one it found. */
const downloader = defineOperation({
  ...{ ...stubborn, id: 'test/downloader', summary: 'Runs a program' },
  request: z.strictObject({}),
  result: z.object({ found: z.string() }),
  example: { request: {} },
  uses: [],
  run: async () => {
    const found = await readFile(join(appliance.dataDir, 'tools', 'yt-dlp'), 'utf8').catch(() => null);
    if (found !== null) return { found };
    const missing = { need: 'yt-dlp', language: null } as const;
    throw new QuarryError('engine_unavailable', say`yt-dlp is not installed.`, { missing });
  },
});

let bed: CatalogueBed;
let appliance: Appliance;
let guards: string;
let freeBytes = 100 * GIB;
let clip: Buffer;
beforeAll(async () => {
  // The machine of the test may have yt-dlp, in the folder of the programs that guard it. A program found is remembered.
  guards = await mkdtemp(join(tmpdir(), 'quarry-guards-'));
  if (process.platform !== 'win32') {
    for (const name of ['setpriv', 'nice', 'timeout']) await symlink(join('/usr/bin', name), join(guards, name));
    vi.stubEnv('PATH', guards);
  }
  bed = await openCatalogue(await realEntries());
  clip = await readFile(join(CLIPS, '02-fox.wav'));
  appliance = await startAppliance({
    resourcesFolder: bed.resourcesFolder,
    // What is missing here is missing everywhere.
    sharesModels: false,
    knownTextServers: [],
    operations: [...OPERATIONS, stubborn, downloader],
    freeDisk: async () => ({ freeBytes, totalBytes: 200 * GIB }),
    gpu: async () => 'Test GPU 9',
  });
});
afterAll(async () => {
  await appliance.close();
  await bed[Symbol.asyncDispose]();
  vi.unstubAllEnvs();
  await rm(guards, { recursive: true });
});
afterEach(async () => {
  bed.host.behave({});
  bed.host.requests.length = 0;
  freeBytes = 100 * GIB;
  const { jobs } = (await (await appliance.owner('/v1/jobs?status=queued')).json()) as { jobs: Job[] };
  for (const { jobId } of jobs) await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' });
  for (const name of ['tiny-writer', 'tiny-embed', 'tiny.en', 'tones', 'ocr-deu', 'mine']) {
    await appliance.owner(`/admin/models/${name}`, { method: 'DELETE' });
  }
});

const prefer = (init: RequestInit, preference?: string): RequestInit => ({
  ...init,
  headers: { ...(init.headers as object), ...(preference === undefined ? {} : { prefer: preference }) },
});
const write = (preference?: string, prompt = 'Once upon a time') =>
  appliance.owner('/v1/generate/text', prefer(postJson({ prompt, maxTokens: 8 }), preference));
const transcribe = (preference?: string) => {
  const body = fileForm(clip, 'fox.wav', { options: JSON.stringify({ language: 'en' }) });
  return appliance.owner('/v1/extract/video', prefer({ method: 'POST', body }, preference));
};
const jobOf = async (jobId: string) => (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as Job;
const install = (jobId: string, body: object = {}) => appliance.owner(`/admin/jobs/${jobId}/install`, postJson(body));

async function waiting(answer: Promise<Response>): Promise<string> {
  const response = await answer;
  expect(response.status).toBe(202);
  const { jobId, status } = (await response.json()) as { jobId: string; status: string };
  expect(status).toBe('queued');
  return jobId;
}

describe('without the preference', () => {
  test('the answer is 503, and lists what the owner can install', async () => {
    const answer = await write();
    expect(answer.status).toBe(503);
    expect(answer.headers.get('preference-applied')).toBeNull();
    const problem = (await answer.json()) as { code: string; choices: unknown[] };
    expect(problem.code).toBe('model_not_installed');
    expect(problem.choices).toEqual([
      {
        ...{ name: 'tiny-writer', kind: 'model', title: 'Tiny writer', licence: 'MIT', recommended: true, fits: true },
        ...{ sizeBytes: 1_054_432, source: new URL(bed.host.origin).host, note: '' },
      },
    ]);
    expect((await write('install=perhaps')).status).toBe(503);
  });

  test('nor does it help strangers: their job fails', async () => {
    const given = prefer(postJson({}), 'install');
    const answer = await appliance.anonymous('/v1/test/downloader', given);
    expect([answer.status, answer.headers.get('preference-applied')]).toEqual([202, null]);
    const { jobId } = (await answer.json()) as { jobId: string };
    expect((await finished(appliance.owner, jobId)).error?.code).toBe('engine_unavailable');
  });

  test('every kind of model is named by its own need', async () => {
    const speak = await appliance.owner('/v1/generate/audio', postJson({ prompt: 'Hello.', voice: 'voice-tones' }));
    const search = await appliance.owner('/v1/search', postJson({ query: 'tide', mode: 'semantic' }));
    const choices = async (answer: Response) =>
      ((await answer.json()) as { choices: { name: string }[] }).choices.map(({ name }) => name);
    expect([speak.status, await choices(speak)]).toEqual([503, ['tones']]);
    // Search by meaning works without a model; the owner is offered one.
    expect(search.status).toBe(200);
    const { needs } = (await (await appliance.owner('/admin/needs')).json()) as {
      needs: { need: string; choices: { name: string }[] }[];
    };
    const embedding = needs.find(({ need }) => need === 'embedding');
    expect(embedding?.choices.map(({ name }) => name)).toEqual(['tiny-embed']);
    expect(await choices(await transcribe())).toEqual(['tiny.en']);
  });
});

describe('a job of the owner that prefers to install', () => {
  test('waits, is asked about, and runs when the download ends: its file is kept', async () => {
    const answer = await transcribe('install=ask, wait=0');
    expect(answer.headers.get('preference-applied')).toBe('wait=0, install=ask');
    const first = await waiting(Promise.resolve(answer));
    const second = await waiting(transcribe('install=ask'));
    const { status, progress, waitingFor, etaSeconds, expiresAt } = await jobOf(first);
    expect({ status, progress, etaSeconds, expiresAt }).toEqual({
      ...{ status: 'queued', etaSeconds: undefined, expiresAt: null },
      progress: { percent: 0, stage: 'waiting', message: 'Waits for Tiny English (9 MB).' },
    });
    expect(waitingFor).toMatchObject({
      ...{ need: 'speech', language: 'en', reason: 'No speech model for English is installed.' },
      ...{ kind: 'model', name: 'tiny.en', title: 'Tiny English', choices: [{ name: 'tiny.en', recommended: true }] },
      problem: {
        code: 'model_not_installed',
        message: expect.stringMatching(/^Install Tiny English on the Models page /),
      },
    });
    expect(waitingFor?.percent).toBeUndefined();
    expect(bed.host.requests).toEqual([]);

    bed.host.behave({ hangAfter: 1000 });
    using stream = await openEvents<{ jobs?: Job[] }>(appliance.owner, '/admin/events');
    expect((await install(first)).status).toBe(202);
    const shown = () => stream.heard.flatMap(({ data }) => data.jobs ?? []).filter(({ jobId }) => jobId === second);
    await until(() => shown().some((job) => job.waitingFor?.percent !== undefined));
    expect(shown().at(-1)?.waitingFor).toMatchObject({ name: 'tiny.en', sizeBytes: expect.any(Number) });
    expect(shown().at(-1)?.waitingFor?.problem).toBeUndefined();
    bed.host.behave({});
    bed.host.drop();
    for (const jobId of [first, second]) {
      const job = await finished(appliance.owner, jobId);
      expect([job.error, job.waitingFor, job.status]).toEqual([undefined, undefined, 'completed']);
    }
    // Two jobs waited, and each file was fetched once, or in parts.
    const whole = bed.host.requests.filter(({ range }) => range === undefined).map(({ url }) => url);
    expect(new Set(whole).size).toBe(whole.length);
  });

  test('downloads the recommended choice at once where it need not be asked, also for what answers at once', async () => {
    const answer = await write('install');
    expect(answer.headers.get('preference-applied')).toBe('install');
    const job = await finished(appliance.owner, await waiting(Promise.resolve(answer)));
    expect([job.status, job.jobType]).toEqual(['completed', 'generate/text']);
    expect((await write('install', 'There was a ship')).status).toBe(200);
    const speak = appliance.owner('/v1/generate/audio', {
      ...prefer(postJson({ prompt: 'Hello there.', voice: 'voice-tones' }), 'install'),
    });
    expect((await finished(appliance.owner, await waiting(speak))).status).toBe('completed');
  });

  test('goes back to the queue when its run finds out, and is read in the language it asked for', async () => {
    const pages = scanPdf(writePdf({ pages: [text(60, 100, ['The harbour was quiet in the morning'], 12)] }));
    const body = () => fileForm(pages, 'scan.pdf', { options: JSON.stringify({ language: 'de' }) });
    const send = async (preference?: string) => {
      const answer = await appliance.owner('/v1/extract/pdf', prefer({ method: 'POST', body: body() }, preference));
      return ((await answer.json()) as { jobId: string }).jobId;
    };
    const failed = await finished(appliance.owner, await send());
    expect(failed.error).toMatchObject({ code: 'model_not_installed', attempts: 1 });
    const jobId = await send('install=ask');
    await until(async () => (await jobOf(jobId)).waitingFor?.need !== undefined);
    expect((await jobOf(jobId)).waitingFor).toMatchObject({
      ...{ need: 'ocr-language', language: 'de', reason: 'Text recognition for German is not installed.' },
      choices: [{ name: 'ocr-deu' }],
    });
    await install(jobId, { name: 'ocr-deu' });
    const job = await finished(appliance.owner, jobId);
    expect([job.error, job.status]).toEqual([undefined, 'completed']);
    const { attempts, stages } = (await (await appliance.owner(`/admin/jobs/${jobId}`)).json()) as {
      attempts: number;
      stages: { stage: string }[];
    };
    expect(attempts).toBe(1);
    expect(stages.map(({ stage }) => stage)).toContain('waiting');
  });

  test.skipIf(process.platform === 'win32')('waits for a program in the same way (needs a shell)', async () => {
    const program = '#!/bin/sh\necho 2026.01.02\n';
    const file = releaseFileFor(process.platform, process.arch);
    const sum = createHash('sha256').update(program).digest('hex');
    const sums = Buffer.from(`${sum}  ${file}\n`);
    bed.host.behave({}, { '/yt-dlp/SHA2-256SUMS': sums, [`/yt-dlp/${file}`]: Buffer.from(program) });
    const setting = { ...postJson({ modelMirrorUrl: bed.host.origin }), method: 'PATCH' };
    expect((await appliance.owner('/admin/settings', setting)).status).toBe(200);
    const jobId = await waiting(appliance.owner('/v1/test/downloader', prefer(postJson({}), 'install=ask')));
    await until(async () => (await jobOf(jobId)).waitingFor?.need !== undefined);
    expect((await jobOf(jobId)).waitingFor?.choices).toMatchObject([{ name: 'yt-dlp', kind: 'tool' }]);
    await install(jobId);
    expect((await finished(appliance.owner, jobId)).result).toEqual({ found: program });
    await appliance.owner('/admin/settings', { ...postJson({ modelMirrorUrl: null }), method: 'PATCH' });
    await appliance.owner('/admin/media/yt-dlp', { method: 'DELETE' });
  });

  test('runs when its model appears in the models folder by hand', async () => {
    const jobId = await waiting(write('install=ask'));
    await mkdir(join(appliance.dataDir, 'models'), { recursive: true });
    await copyFile(TINY_MODEL_PATH, join(appliance.dataDir, 'models', 'mine.gguf'));
    expect((await finished(appliance.owner, jobId)).status).toBe('completed');
  });
});

describe('what goes wrong', () => {
  test('a download that is cut off resumes; one with a wrong checksum says so, and the job waits on', async () => {
    const jobId = await waiting(write('install=ask'));
    const wrong = Buffer.alloc(1_054_432, 1);
    bed.host.behave({}, { '/tiny-writer/tiny-writer.gguf': wrong });
    await install(jobId);
    await until(async () => (await jobOf(jobId)).waitingFor?.problem?.code === 'corrupt_input');
    const job = await jobOf(jobId);
    expect(job.waitingFor?.percent).toBeUndefined();
    expect(job.waitingFor?.problem?.message).toMatch(/^The checksum .* Install Tiny writer on the Models page /);
    expect(job.progress.message).toMatch(/^Waits for Tiny writer \(1 MB\)\. The checksum of tiny-writer\.gguf differs/);
    bed.host.behave({ breakAfter: [300_000] });
    await install(jobId);
    expect((await finished(appliance.owner, jobId)).status).toBe('completed');
    // A connection that breaks may lose bytes that were already sent.
    const resumedAt = Number(/^bytes=(\d+)-$/.exec(bed.host.requests.at(-1)?.range ?? '')?.[1]);
    expect(resumedAt).toBeGreaterThan(0);
    expect(resumedAt).toBeLessThanOrEqual(300_000);
  });

  test('a publisher that refuses is named, and the job waits on', async () => {
    bed.host.behave({ status: 404 });
    const jobId = await waiting(write('install'));
    await until(async () => (await jobOf(jobId)).waitingFor?.problem !== undefined);
    const job = await jobOf(jobId);
    expect([job.status, job.waitingFor?.problem?.code]).toEqual(['queued', 'source_unreachable']);
    // A script that looks for the status of the job finds no other.
    expect(JSON.stringify(job).match(/"status":"\w+"/g)).toEqual(['"status":"queued"']);
  });

  test('a job that joins a download hears of its failure as the first one does', async () => {
    bed.host.behave({ hangAfter: 1000 });
    const first = await waiting(write('install'));
    await until(async () => ((await jobOf(first)).waitingFor?.percent ?? 0) > 0);
    const second = await waiting(write('install', 'Once more'));
    await until(async () => ((await jobOf(second)).waitingFor?.percent ?? 0) > 0);
    bed.host.behave({ status: 404 });
    bed.host.drop();
    for (const jobId of [first, second]) {
      await until(async () => (await jobOf(jobId)).waitingFor?.problem?.code === 'source_unreachable');
    }
  });

  test.each([
    ['refuses', 'source_unreachable', () => bed.host.behave({ status: 404 })],
    [
      'sends other bytes',
      'corrupt_input',
      () => bed.host.behave({}, { '/tiny-writer/tiny-writer.gguf': Buffer.alloc(1_054_432, 1) }),
    ],
  ] as const)('a caller who waits hears at once that the publisher %s', async (_, code, misbehave) => {
    misbehave();
    const answer = await write('wait=60, install');
    expect([answer.status, answer.headers.get('preference-applied')]).toEqual([202, 'wait=60, install']);
    const job = (await answer.json()) as Job;
    expect(job).toMatchObject({ status: 'queued', waitingFor: { name: 'tiny-writer', problem: { code } } });
    await appliance.owner(`/v1/jobs/${job.jobId}`, { method: 'DELETE' });
  });

  test('a disk without room is told before the download', async () => {
    freeBytes = 257 * 1024 * 1024;
    const jobId = await waiting(write('install'));
    const message = expect.stringMatching(/^Tiny writer does not fit this machine\. Install /);
    expect((await jobOf(jobId)).waitingFor).toMatchObject({ choices: [{ fits: false }], problem: { message } });
    const refused = await install(jobId);
    expect(refused.status).toBe(507);
    expect(((await refused.json()) as { detail: string }).detail).toMatch(/Tiny writer: 257 MB are needed/);
    expect(bed.host.requests).toEqual([]);
  });

  test('a cancelled download leaves the job waiting, a cancelled job leaves nothing', async () => {
    const jobId = await waiting(write('install=ask', 'A text that was never written'));
    bed.host.behave({ hangAfter: 1000 });
    await install(jobId);
    expect((await appliance.owner('/admin/models/tiny-writer/cancel', { method: 'POST' })).status).toBe(204);
    expect((await jobOf(jobId)).waitingFor?.problem).toMatchObject({ code: 'cancelled' });
    expect((await appliance.owner(`/admin/jobs/${jobId}/cancel`, { method: 'POST' })).status).toBe(204);
    const { status, error, waitingFor } = await jobOf(jobId);
    expect([status, error?.code, waitingFor]).toEqual(['failed', 'cancelled', undefined]);
    expect((await install(jobId)).status).toBe(409);
  });

  test('a file that is no model fails the job with what to do', async () => {
    const jobId = await waiting(write('install=ask'));
    await writeFile(join(appliance.dataDir, 'models', 'mine.gguf'), 'GGUF, but for another machine');
    const { status, error } = await finished(appliance.owner, jobId);
    expect([status, error?.code]).toEqual(['failed', 'engine_failed']);
  });

  test('what is installed and does not do is not waited for again', { tags: ['long'] }, async () => {
    const jobId = await waiting(appliance.owner('/v1/test/stubborn', prefer(postJson({}), 'install')));
    const { error } = await finished(appliance.owner, jobId);
    expect(error).toMatchObject({ code: 'model_not_installed', retryable: false });
    expect(error?.message).toMatch(/^tiny-writer is installed, but it cannot be used here\. Remove it on the Models/);
  });

  test('another name than a choice is refused', async () => {
    const jobId = await waiting(write('install=ask'));
    const answer = await install(jobId, { name: 'ocr-deu' });
    expect([answer.status, ((await answer.json()) as { errors: unknown[] }).errors]).toEqual([
      400,
      [{ path: 'name', message: 'Choose one of: tiny-writer.' }],
    ]);
  });
});

test('a download for a waiting job goes on after a restart', { tags: ['long'] }, async () => {
  const jobId = await waiting(write('install=ask'));
  bed.host.behave({ hangAfter: 400_000 });
  await install(jobId);
  await until(async () => ((await jobOf(jobId)).waitingFor?.percent ?? 0) > 30);
  await appliance.restart(() => bed.host.behave({}));
  expect((await finished(appliance.owner, jobId)).status).toBe('completed');
  expect(bed.host.requests.at(-1)?.range).toBe('bytes=400000-');
});

test('the needs of the machine are listed, with the jobs that wait', async () => {
  const jobId = await waiting(write('install=ask'));
  await rm(join(appliance.dataDir, 'models', 'mine.gguf'), { force: true });
  const { machine, needs } = (await (await appliance.owner('/admin/needs')).json()) as {
    machine: Record<string, unknown>;
    needs: { need: string; choices: { name: string }[] }[];
  };
  expect(machine).toMatchObject({ freeDiskBytes: 100 * GIB, gpu: 'Test GPU 9' });
  expect(needs.map(({ need }) => need)).toEqual([
    ...[
      'speech',
      'speakers',
      'text',
      'voice',
      'soundfont',
      'embedding',
      'ocr-language',
      'ffmpeg',
      'yt-dlp',
      'whisper-cli',
      'browser',
    ],
  ]);
  expect(needs.find(({ need }) => need === 'text')).toMatchObject({
    ...{ title: 'Text model', ready: false, usedBy: 'Writing', installed: null, waitingJobs: 1 },
    choices: [{ name: 'tiny-writer' }],
  });
  expect(needs.find(({ need }) => need === 'ocr-language')).toMatchObject({ ready: true, installed: 'English' });
  expect((await appliance.anonymous('/admin/needs')).status).toBe(401);
  expect((await jobOf(jobId)).status).toBe('queued');
});
