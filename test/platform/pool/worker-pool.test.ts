import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { QuarryError } from '../../../src-server/platform/errors.ts';
import {
  createWorkerPool,
  type RunTaskOptions,
  type WorkerPool,
} from '../../../src-server/platform/pool/worker-pool.ts';
import { GIB, MIB, MINUTE_MS } from '../../../src-server/platform/units.ts';
import { wordDocument } from '../../harness/documents.ts';
import { until } from '../../harness/until.ts';

const ENTRY = new URL('./hostile-worker.ts', import.meta.url);
const PLENTY_BYTES = 64 * GIB;
const THREADS = 2;

let folder: string;
let pool: WorkerPool;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry test '));
  await writeFile(join(folder, 'source'), wordDocument(['The text of a document.']));
  pool = createWorkerPool({ entry: ENTRY, threads: THREADS, memoryLimitBytes: PLENTY_BYTES });
});
afterAll(async () => {
  await pool.close();
  await rm(folder, { recursive: true, force: true });
});

function extract(fileName: string, options: Partial<RunTaskOptions> = {}, of = pool) {
  const input = {
    sourcePath: join(folder, 'source'),
    kind: 'docx' as const,
    fileName,
    outputFolder: folder,
    segmentLength: 1000,
    language: null,
    includeComments: false,
  };
  return of.run('extract-document', input, { accountId: 'owner', timeLimitMs: MINUTE_MS, ...options });
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable(),
    (error: QuarryError) => error,
  );

async function expectHealthy(of = pool): Promise<void> {
  const both = await Promise.all(Array.from({ length: THREADS * 2 }, () => extract('good.docx', {}, of)));
  for (const { chunks } of both) expect(chunks[0]?.text).toBe('The text of a document.');
  expect(of.figures()).toEqual({ threads: THREADS, busy: 0, waiting: 0 });
}

describe('a thread that', () => {
  test.each([
    ['ends itself', 'exit.docx', 'engine_failed'],
    ['dies of an error nobody catches', 'uncaught.docx', 'engine_failed'],
    ['runs out of heap', 'heap.docx', 'out_of_memory'],
  ])('%s fails its own task only, and the pool has all its threads again', async (_what, fileName, code) => {
    const [error, ...others] = await Promise.all([
      failure(extract(fileName)),
      ...Array.from({ length: 4 }, () => extract('good.docx')),
    ]);
    expect(error).toMatchObject({ name: 'QuarryError', code });
    expect((error as Error).message).not.toMatch(/secret|\/home|exit|heap/i);
    expect(others).toHaveLength(4);
    await expectHealthy();
  });

  test('throws what is no error of ours fails its task, and its word is not taken for one of our codes', async () => {
    expect(await failure(extract('strange.docx'))).toMatchObject({ name: 'QuarryError', code: 'engine_failed' });
    await expectHealthy();
  });

  test('spins is ended when its CPU time is used up, while the other thread works on', async () => {
    const stuck = failure(extract('spin.docx', { timeLimitMs: 1000 }));
    await extract('good.docx');
    const message =
      'Reading the source was stopped: it used more than 1 s of processor time. Try a smaller or simpler one.';
    expect(await stuck).toMatchObject({ code: 'timeout', message, retryable: false });
    await expectHealthy();
  });

  test('stands still is ended, and the message says so', async () => {
    const stuck = failure(extract('deaf.docx', { standstillMs: 100 }));
    await extract('good.docx');
    const message = 'Reading the source was stopped: it made no progress for 0.1 s. Send it again.';
    expect(await stuck).toMatchObject({ code: 'timeout', message, retryable: true });
    await expectHealthy();
  });

  test('gets no core for longer than its limit is not ended', async () => {
    const { chunks } = await extract('patient.docx', { timeLimitMs: 2000 });
    expect(chunks[0]?.text).toBe('The text of a document.');
    await expectHealthy();
  });

  test('never listens is ended when it is cancelled, and the one who cancelled gets the reason', async () => {
    const abort = new AbortController();
    const stuck = failure(extract('deaf.docx', { signal: abort.signal }));
    await until(() => pool.figures().busy === 1);
    const reason = new Error('stop');
    abort.abort(reason);
    expect(await stuck).toBe(reason);
    await expectHealthy();
  });

  test('holds too much memory after its task is replaced, and its result is kept', { tags: ['long'] }, async () => {
    const ids = new Set<number>();
    for (let n = 0; n < 4; n++) {
      const { threadId } = (await extract('retiring.docx')) as unknown as { threadId: number };
      ids.add(threadId);
      await expectHealthy();
    }
    expect(ids.size).toBe(4);
  });

  test('is called off before it has a thread never gets one', async () => {
    const deaf = new AbortController();
    const stuck = [1, 2].map(() => failure(extract('deaf.docx', { signal: deaf.signal })));
    await until(() => pool.figures().busy === THREADS);
    const abort = new AbortController();
    const waiting = failure(extract('exit.docx', { signal: abort.signal }));
    expect(pool.figures().waiting).toBe(1);
    abort.abort(new Error('changed my mind'));
    expect(await waiting).toMatchObject({ message: 'changed my mind' });
    deaf.abort(new Error('stop'));
    await Promise.all(stuck);
    await expectHealthy();
  });
});

test('memory that no heap limit sees ends the task that has run longest', async () => {
  const limited = createWorkerPool({
    entry: ENTRY,
    threads: THREADS,
    memoryLimitBytes: process.memoryUsage.rss() + 512 * MIB,
  });
  try {
    expect(await failure(extract('buffers.docx', {}, limited))).toMatchObject({ code: 'out_of_memory' });
    await until(() => limited.figures().busy === 0);
  } finally {
    await limited.close();
  }
});

test('a pool that closes ends threads that never listen', async () => {
  const closing = createWorkerPool({ entry: ENTRY, threads: THREADS, memoryLimitBytes: PLENTY_BYTES });
  const stuck = failure(extract('deaf.docx', {}, closing));
  await until(() => closing.figures().busy === 1);
  await closing.close();
  expect(await stuck).toMatchObject({ name: 'QuarryError' });
});

test('a pool that closes gives no thread to tasks that wait, nor to later ones', async () => {
  const closing = createWorkerPool({ entry: ENTRY, threads: 1, memoryLimitBytes: PLENTY_BYTES });
  const begun: string[] = [];
  const task = (name: string) => failure(extract(name, { onStart: () => begun.push(name) }, closing));
  const [stuck, waiting] = [task('deaf.docx'), task('good.docx')];
  await until(() => closing.figures().busy === 1 && closing.figures().waiting === 1);
  await closing.close();
  for (const one of [stuck, waiting, task('late.docx')]) {
    expect(await one).toMatchObject({ code: 'engine_failed', retryable: true });
  }
  expect(begun).toEqual(['deaf.docx']);
});

test('a thread that cannot be replaced ends neither the process nor the pool', async () => {
  const entry = join(folder, 'entry.mjs');
  const program = 'export default async ({ input }) => (input.fileName === "exit.docx" ? process.exit(7) : "done");';
  await writeFile(entry, program);
  const lost: unknown[] = [];
  const alone = createWorkerPool({
    entry: pathToFileURL(entry),
    threads: 1,
    memoryLimitBytes: PLENTY_BYTES,
    onThreadLost: (error) => lost.push(error),
  });
  expect(await extract('good.docx', {}, alone)).toBe('done');
  // As when the program is replaced by a newer one while it runs.
  await rm(entry);
  expect(await failure(extract('exit.docx', {}, alone))).toMatchObject({ code: 'engine_failed' });
  expect(await failure(extract('good.docx', {}, alone))).toMatchObject({ code: 'engine_failed', retryable: true });
  await until(() => lost.length > 0);
  await writeFile(entry, program);
  expect(await extract('good.docx', {}, alone)).toBe('done');
  await alone.close();
});

test('a thread without work ends, and the next task has a new one', async () => {
  const entry = join(folder, 'thread.mjs');
  await writeFile(entry, `import { threadId } from 'node:worker_threads';\nexport default () => threadId;`);
  const idle = createWorkerPool({ entry: pathToFileURL(entry), idleMs: 1, memoryLimitBytes: PLENTY_BYTES });
  const first: unknown = await extract('good.docx', {}, idle);
  await until(async () => ((await extract('good.docx', {}, idle)) as unknown) !== first);
  await idle.close();
});

/** Whether the system has a thread more. */
let threadsLeft = true;

test('threads load to their end before a pool that is closed at once ends them: Node aborts the process otherwise', async () => {
  const loaded = await mkdtemp(join(folder, 'loaded '));
  const code = `import { writeFileSync } from 'node:fs';
    import { threadId } from 'node:worker_threads';
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    writeFileSync(${JSON.stringify(loaded)} + '/' + threadId, '');
    export default () => {};`;
  await writeFile(join(loaded, 'slow.mjs'), code);
  const entry = pathToFileURL(join(loaded, 'slow.mjs'));
  const closing = createWorkerPool({ entry, threads: THREADS, memoryLimitBytes: PLENTY_BYTES });
  const ended = Array.from({ length: THREADS }, () => extract('good.docx', {}, closing).catch(() => null));
  await closing.close();
  await Promise.all(ended);
  expect(await readdir(loaded)).toHaveLength(1 + THREADS);
});

describe('a system that has no thread more', () => {
  let short: WorkerPool;
  const lost: unknown[] = [];
  beforeAll(() => {
    const shared = createRequire(import.meta.url)('node:worker_threads') as { Worker: typeof Worker };
    const Real = shared.Worker;
    shared.Worker = class extends Real {
      constructor(...given: ConstructorParameters<typeof Worker>) {
        // As Node throws it where no thread can be begun.
        if (!threadsLeft) throw Object.assign(new Error('No thread.'), { code: 'ERR_WORKER_INIT_FAILED' });
        super(...given);
      }
    };
    const onThreadLost = (error: unknown) => lost.push(error);
    short = createWorkerPool({ entry: ENTRY, threads: THREADS, memoryLimitBytes: PLENTY_BYTES, onThreadLost });
  });
  afterEach(() => {
    threadsLeft = true;
  });
  afterAll(() => short.close());

  test('ends neither the process nor the pool when a thread dies or is called off, and tasks wait for another', async () => {
    await expectHealthy(short);
    threadsLeft = false;
    const abort = new AbortController();
    const stuck = failure(extract('deaf.docx', { signal: abort.signal }, short));
    await until(() => short.figures().busy === 1);
    abort.abort(new Error('stop'));
    expect(await stuck).toMatchObject({ message: 'stop' });
    const good = Array.from({ length: 4 }, () => extract('good.docx', {}, short));
    for (const { chunks } of await Promise.all(good)) expect(chunks[0]?.text).toBe('The text of a document.');
    expect(lost).not.toEqual([]);
  });

  test('fails what no thread is left for, for a retry, and works again once it has one', {
    tags: ['long'],
  }, async () => {
    threadsLeft = false;
    for (let thread = 0; thread < THREADS; thread += 1) {
      expect(await failure(extract('exit.docx', {}, short))).toMatchObject({ code: 'engine_failed' });
    }
    expect(await failure(extract('good.docx', {}, short))).toMatchObject({ code: 'engine_failed', retryable: true });
    threadsLeft = true;
    await expectHealthy(short);
  });
});
