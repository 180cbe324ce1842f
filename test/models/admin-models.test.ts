import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ADMIN_MODEL_ROUTES } from '../../src-server/features/models/routes.ts';
import type { ModelView } from '../../src-server/features/models/schema.ts';
import { createModels, type Models } from '../../src-server/features/models/service.ts';
import { systemClock } from '../../src-server/platform/clock.ts';
import { QuarryError } from '../../src-server/platform/errors.ts';
import type { HttpEnv } from '../../src-server/platform/http/env.ts';
import { problemResponse } from '../../src-server/platform/http/problem.ts';
import { mountRoutes } from '../../src-server/platform/http/route.ts';
import { createModelClient, type DownloadProgress } from '../../src-server/platform/net/download.ts';
import { oneModel, startModelHost } from './model-host.ts';

const CONTENT = randomBytes(300_000);

let root: string;
let host: Awaited<ReturnType<typeof startModelHost>>;
let models: Models;
let app: Hono<HttpEnv>;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'quarry models '));
  host = await startModelHost(CONTENT);
  models = createModels({
    unpack: async () => undefined,
    folder: join(root, 'models'),
    catalogue: [oneModel(host.origin, CONTENT)],
    clock: systemClock,
    mirrorUrl: () => null,
    client: createModelClient('test'),
    retryDelayMs: 1,
  });
  app = new Hono<HttpEnv>();
  app.onError((error, context) => {
    if (error instanceof QuarryError) return problemResponse(context, error);
    throw error;
  });
  app.route('/admin', mountRoutes(ADMIN_MODEL_ROUTES, { models }));
});
afterEach(async () => {
  await models.closeModels();
  await host.close();
  await rm(root, { recursive: true, force: true });
});

const send = (method: string, path: string, headers: Record<string, string> = {}) =>
  app.request(`/admin/models${path}`, { method, headers });
const listed = async () => (await (await send('GET', '')).json()) as { models: ModelView[]; diskUseBytes: number };

test('a model is listed, installed with its progress streamed to the end, and removed', async () => {
  expect((await listed()).models).toMatchObject([{ name: 'ocr-xyz', installed: false, sizeBytes: CONTENT.length }]);
  const begun = await send('POST', '/ocr-xyz/install');
  expect(begun.status).toBe(202);
  expect(await begun.json()).toMatchObject({ name: 'ocr-xyz', totalBytes: CONTENT.length });
  const stream = await (await send('GET', '/ocr-xyz/progress', { accept: 'text/event-stream' })).text();
  const events = stream.split('\n\n').filter((event) => event.startsWith('event: progress'));
  const last = JSON.parse(events.at(-1)?.split('data: ')[1] ?? '{}') as DownloadProgress;
  expect(last).toMatchObject({ status: 'installed', receivedBytes: CONTENT.length });
  expect(await listed()).toMatchObject({ models: [{ installed: true, verified: true }], diskUseBytes: CONTENT.length });
  expect((await send('POST', '/ocr-xyz/install')).status).toBe(409);
  expect((await send('DELETE', '/ocr-xyz')).status).toBe(204);
  expect(await listed()).toMatchObject({ models: [{ installed: false }], diskUseBytes: 0 });
});

test('a download is cancelled, and its progress says so', async () => {
  host.behave({ hangAfter: 1000 });
  await send('POST', '/ocr-xyz/install');
  expect((await send('POST', '/ocr-xyz/cancel')).status).toBe(204);
  expect(await (await send('GET', '/ocr-xyz/progress')).json()).toMatchObject({ status: 'cancelled' });
});

test('no answer tells where files are', async () => {
  await send('POST', '/ocr-xyz/install');
  await (await send('GET', '/ocr-xyz/progress', { accept: 'text/event-stream' })).text();
  expect(JSON.stringify(await listed())).not.toContain(root);
});

test.each([
  ['POST', '/no-such/install'],
  ['POST', '/no-such/cancel'],
  ['GET', '/no-such/progress'],
  ['DELETE', '/no-such'],
  ['DELETE', '/..%2f..%2fetc'],
])('%s %s is 404', async (method, path) => {
  expect((await send(method, path)).status).toBe(404);
});
