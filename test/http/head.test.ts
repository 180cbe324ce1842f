import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { HttpEnv } from '../../src-server/http/context.ts';
import { unreadBody } from '../../src-server/http/head.ts';
import { streamProgress } from '../../src-server/http/routes/stream-progress.ts';
import { until } from '../harness/until.ts';

test('a HEAD of a stream of events listens for nothing once it is answered', async () => {
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
  const answer = await app.request('/', { method: 'HEAD' });
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  expect(answer.body).toBeNull();
  await until(() => listeners === 0);
});
