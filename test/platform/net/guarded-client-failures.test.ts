import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src-server/platform/clock.ts';
import { createGuardedClient } from '../../../src-server/platform/net/guarded-client.ts';
import { BOUNDS, failure, GUARDED, type Harness, OWNER, startHarness } from './client-harness.ts';

let harness: Harness;
afterEach(() => harness.close());

const URL = 'https://site.example/report.docx';
const fetchFile = () =>
  harness.client.fetchToFile(URL, { policy: GUARDED, totalTimeoutMs: 20_000, path: harness.path, maxBytes: 1000 });

describe('a failure says whether the same request may succeed later:', () => {
  test.each([
    [401, 'source_forbidden', false],
    [403, 'source_forbidden', false],
    [404, 'source_unreachable', false],
    [410, 'source_unreachable', false],
    [400, 'source_unreachable', false],
    [304, 'source_unreachable', false],
    [408, 'source_unreachable', true],
    [429, 'source_unreachable', true],
    [500, 'source_unreachable', true],
    [503, 'source_unreachable', true],
  ])('status %i', async (status, code, retryable) => {
    harness = await startHarness((_request, response) => response.writeHead(status).end());
    const error = await failure(fetchFile());
    expect([error.code, error.retryable]).toEqual([code, retryable]);
    if (code === 'source_unreachable') expect(error.message).toContain(String(status));
  });

  test('Retry-After is handed on, as seconds or as a date, and bounded', async () => {
    const answers = ['7', new Date(systemClock.now() + 3_600_000).toUTCString(), '999999999', 'soon'];
    harness = await startHarness((_request, response) => {
      response.writeHead(503, { 'retry-after': answers.shift() ?? '' }).end();
    });
    expect((await failure(fetchFile())).retryAfterSeconds).toBe(7);
    const untilDate = (await failure(fetchFile())).retryAfterSeconds ?? 0;
    expect(untilDate).toBeGreaterThan(3000);
    expect(untilDate).toBeLessThanOrEqual(3600);
    expect((await failure(fetchFile())).retryAfterSeconds).toBe(86_400);
    expect((await failure(fetchFile())).retryAfterSeconds).toBeUndefined();
  });

  test('a name that is not there', async () => {
    harness = await startHarness((_request, response) => response.end());
    const error = await failure(harness.client.request('https://nowhere.example/', BOUNDS));
    expect([error.code, error.retryable]).toEqual(['source_unreachable', true]);
    expect(error.message).toContain('nowhere.example was not found');
  });

  test('a host that takes no connection', async () => {
    harness = await startHarness((_request, response) => response.end());
    await new Promise((resolve) => harness.server.close(resolve));
    const error = await failure(harness.client.request(URL, BOUNDS));
    expect([error.code, error.retryable]).toEqual(['source_unreachable', true]);
    expect(error.message).toContain('refused the connection');
  });

  test('a host that hangs up without an answer', async () => {
    harness = await startHarness((request) => request.socket.destroy());
    const error = await failure(harness.client.request(URL, BOUNDS));
    expect([error.code, error.retryable]).toEqual(['source_unreachable', true]);
  });

  test('a host that does not speak HTTP', async () => {
    harness = await startHarness((request) => request.socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    const error = await failure(harness.client.request(URL, BOUNDS));
    expect([error.code, error.retryable]).toEqual(['source_unreachable', false]);
  });

  test('a host that cannot speak TLS', async () => {
    harness = await startHarness((_request, response) => response.end());
    const client = createGuardedClient({ userAgent: 'QuarryTest/1' });
    const url = `https://localhost:${harness.port}/`;
    const error = await failure(client.request(url, { ...BOUNDS, policy: OWNER }));
    expect([error.code, error.retryable]).toEqual(['source_unreachable', false]);
    expect(error.message).toContain('TLS');
    await client.close();
  });

  test('a host that never answers', async () => {
    harness = await startHarness(() => undefined);
    const error = await failure(harness.client.request(URL, { ...BOUNDS, headersTimeoutMs: 100 }));
    expect([error.code, error.retryable]).toEqual(['timeout', true]);
  });

  test('a host that falls silent within its body', async () => {
    harness = await startHarness((_request, response) => response.write('x'));
    const error = await failure(harness.client.request(URL, { ...BOUNDS, idleTimeoutMs: 100 }));
    expect([error.code, error.retryable]).toEqual(['timeout', true]);
  });

  test('a service that is stopping', async () => {
    harness = await startHarness(() => void harness.client.close());
    const error = await failure(harness.client.request(URL, BOUNDS));
    expect([error.code, error.retryable]).toEqual(['interrupted', true]);
  });
});
