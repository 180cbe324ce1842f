import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { HttpEnv } from '../../src-server/http/context.ts';
import { type AdminJobParts, adminJobRoutes } from '../../src-server/http/routes/admin-jobs.ts';

test('nothing is measured of a recording for whoever has left before its job was found', async () => {
  const leave = new AbortController();
  const signals: AbortSignal[] = [];
  const jobs = {
    row: async () => {
      leave.abort();
      return { id: 'job_1', source: JSON.stringify({ fileName: 'a.wav', sizeBytes: 1, kind: 'audio' }) };
    },
  };
  const soundPeaks = async (_jobId: string, signal: AbortSignal) => {
    signals.push(signal);
    return { peaks: [] };
  };
  const room = { service: { jobs, soundPeaks, operations: [] }, payments: {} };
  const app = new Hono<HttpEnv>();
  app.route('/', adminJobRoutes({ production: room, staging: room } as unknown as AdminJobParts));
  await app.request(new Request('http://127.0.0.1/jobs/job_1/peaks', { signal: leave.signal }));
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});
