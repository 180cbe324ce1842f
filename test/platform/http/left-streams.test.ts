/** Streams of events whose client leaves while nothing waits for a change: they must end all the same. */
import { Hono } from 'hono';
import { expect, test, vi } from 'vitest';
import { streamJob } from '../../../src-server/features/jobs/routes.ts';
import type { Jobs } from '../../../src-server/features/jobs/service.ts';
import type { JobRow } from '../../../src-server/features/jobs/store.ts';
import { unreadBody } from '../../../src-server/platform/http/app.ts';
import type { HttpEnv } from '../../../src-server/platform/http/env.ts';
import { streamProgress } from '../../../src-server/platform/http/event-stream.ts';
import { until } from '../../harness/until.ts';

/** Opens a stream and leaves it after its first bytes. */
async function openAndLeave(app: Hono<HttpEnv>): Promise<void> {
  const reader = (await app.request('/')).body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  await reader?.cancel();
}

/** A stream of a download's progress, and how many listen to it. */
function downloadStream(): { app: Hono<HttpEnv>; listeners(): number } {
  let listeners = 0;
  const watch = () => {
    listeners += 1;
    return () => {
      listeners -= 1;
    };
  };
  const progress = { name: 'a', status: 'downloading' as const, receivedBytes: 1, totalBytes: 2, error: null };
  const app = new Hono<HttpEnv>();
  app.use(unreadBody);
  app.get('/', (context) => streamProgress(context, { progress: () => progress as never, watch }));
  return { app, listeners: () => listeners };
}

test('who leaves the progress of a download between two events is listened for no more', async () => {
  const { app, listeners } = downloadStream();
  await openAndLeave(app);
  expect(listeners()).toBe(1);
  await until(() => listeners() === 0);
});

test('a HEAD of a stream of events listens for nothing once it is answered', async () => {
  const { app, listeners } = downloadStream();
  const answer = await app.request('/', { method: 'HEAD' });
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  expect(answer.body).toBeNull();
  await until(() => listeners() === 0);
});

test('who leaves the events of a job while one is put together is listened for no more', async () => {
  let listeners = 0;
  let asked = 0;
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  const row = { id: 'job_1', status: 'queued', revision: 1 } as JobRow;
  const told: (() => void)[] = [];
  async function* unfinished() {
    await left;
    yield '{}';
  }
  const jobs = {
    watchJob: (_id: string, listener: () => void) => {
      listeners += 1;
      told.push(listener);
      const stop = () => {
        listeners -= 1;
      };
      return { newest: () => ({ ...row, revision: 2 }), stop };
    },
    liveAfter: () => [],
    jobBodyText: () => {
      asked += 1;
      return asked === 1 ? '{}' : unfinished();
    },
  } as unknown as Jobs;
  const app = new Hono<HttpEnv>();
  app.get('/', (context) => streamJob(context, jobs, row));
  const reader = (await app.request('/')).body?.getReader();
  await reader?.read();
  for (const tell of told) tell();
  await until(() => asked > 1);
  await reader?.cancel();
  leave();
  await until(() => listeners === 0);
});

test('what fails while events are sent is for the log, and not for the terminal beside it', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const logged: unknown[] = [];
  const failure = new Error('The database does not answer.');
  const jobs = {
    watchJob: () => ({ newest: () => undefined, stop: () => undefined }),
    jobBodyText: () => {
      throw failure;
    },
  } as unknown as Jobs;
  const app = new Hono<HttpEnv>();
  app.use((context, next) => {
    context.set('log', { error: (fields: object) => void logged.push(fields) });
    return next();
  });
  app.get('/', (context) => streamJob(context, jobs, { id: 'job_1', status: 'queued', revision: 1 } as JobRow));
  expect(await (await app.request('/')).text()).toBe('');
  expect(logged).toMatchObject([{ err: failure }]);
  expect(printed).not.toHaveBeenCalled();
  printed.mockRestore();
});
