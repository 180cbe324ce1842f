/** Answers that come to no good end: their client leaves, or what they are made of cannot be read. */
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { ADMIN_WAVEFORM_ROUTES } from '../../../src-server/features/media/waveform-routes.ts';
import { ADMIN_PAYMENT_ROUTES } from '../../../src-server/features/payments/routes.ts';
import type { HttpEnv } from '../../../src-server/platform/http/env.ts';
import { mountRoutes } from '../../../src-server/platform/http/route.ts';

test('nothing is measured of a recording for whoever has left before its job was found', async () => {
  const leave = new AbortController();
  const signals: AbortSignal[] = [];
  const jobs = {
    row: () => {
      leave.abort();
      return { id: 'job_1', request: '{}', source: JSON.stringify({ fileName: 'a.wav', sizeBytes: 1, kind: 'audio' }) };
    },
  };
  const soundPeaks = async (_jobId: string, _language: undefined, signal: AbortSignal) => {
    signals.push(signal);
    return { peaks: [] };
  };
  const room = { service: { jobs }, soundPeaks };
  const app = new Hono<HttpEnv>();
  app.route('/', mountRoutes(ADMIN_WAVEFORM_ROUTES, { production: room, staging: room } as never));
  await app.request(new Request('http://127.0.0.1/jobs/job_1/peaks', { signal: leave.signal }));
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test('an export of payments that cannot be read to its end breaks off, so that it is not taken for all of them', async () => {
  const db = {
    selectFrom: () => {
      throw new Error('The disk cannot be read.');
    },
  };
  const room = { payments: { storage: { db } } } as never;
  const app = new Hono<HttpEnv>();
  app.route('/', mountRoutes(ADMIN_PAYMENT_ROUTES, { production: room, staging: room }));
  const answer = await app.request('/payments.csv');
  expect(answer.headers.get('content-type')).toContain('text/csv');
  await expect(answer.text()).rejects.toThrow('cannot be read');
});
