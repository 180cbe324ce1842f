import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { MIB } from '../../../src-server/platform/units.ts';
import { BOUNDS, failure, GUARDED, type Harness, startHarness } from './client-harness.ts';

let harness: Harness;
afterEach(() => harness.close());

const URL = 'https://site.example/folder/report.docx?v=1';
const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest('hex');
const fetchFile = (options: object = {}) =>
  harness.client.fetchToFile(URL, {
    policy: GUARDED,
    totalTimeoutMs: 20_000,
    path: harness.path,
    maxBytes: MIB,
    ...options,
  });

/** Writes the chunk again and again for as long as the client reads. */
function flood(response: ServerResponse, chunk: Buffer): void {
  const send = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', send);
  send();
}

describe('a fetched file', () => {
  const content = Buffer.from('sphinx of black quartz '.repeat(5000));

  test('is on disk as it was sent, with what was said of it', async () => {
    harness = await startHarness((_request, response) => {
      response
        .writeHead(200, { 'content-type': 'Application/PDF; x=y', 'content-length': content.length })
        .end(content);
    });
    const seen: { receivedBytes: number; totalBytes: number | null }[] = [];
    const file = await fetchFile({ onProgress: (progress: (typeof seen)[number]) => seen.push(progress) });
    expect(file).toEqual({
      sizeBytes: content.length,
      sha256: sha256(content),
      mediaType: 'application/pdf',
      fileName: 'report.docx',
      finalUrl: URL,
    });
    expect(await readFile(harness.path)).toEqual(content);
    expect(await harness.files()).toEqual(['source']);
    expect(seen.at(-1)).toEqual({ receivedBytes: content.length, totalBytes: content.length });
  });

  test.each([
    ['gzip', gzipSync(content)],
    ['x-gzip', gzipSync(content)],
    ['br', brotliCompressSync(content)],
    ['deflate', deflateSync(content)],
    ['deflate', deflateRawSync(content)],
    ['identity', content],
  ])('is decoded from %s', async (encoding, encoded) => {
    harness = await startHarness((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(encoded);
    });
    expect(await fetchFile()).toMatchObject({ sha256: sha256(content), mediaType: null });
  });

  test('may be empty, in any coding', async () => {
    harness = await startHarness((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end());
    expect(await fetchFile()).toMatchObject({ sizeBytes: 0 });
  });

  test.each([
    ['attachment; filename="a b.docx"', 'a b.docx'],
    ['attachment; filename="plain.doc"; filename*=UTF-8\'\'gr%C3%BC%C3%9Fe.docx', 'grüße.docx'],
    ['attachment; filename=../../etc/passwd', 'passwd'],
    ['attachment; filename="C:\\\\temp\\\\a.rtf"', 'a.rtf'],
    ['attachment; filename=".."', 'report.docx'],
    ['inline', 'report.docx'],
  ])('has the name that %s gives it', async (disposition, name) => {
    harness = await startHarness((_request, response) => {
      response.writeHead(200, { 'content-disposition': disposition }).end('x');
    });
    expect((await fetchFile()).fileName).toBe(name);
  });
});

describe('a file that is not taken leaves nothing behind:', () => {
  test('one whose stated length is over the limit, before its body is read', async () => {
    harness = await startHarness((_request, response) => {
      response.writeHead(200, { 'content-length': 5 * MIB }).write('x');
    });
    const error = await failure(fetchFile());
    expect([error.code, error.retryable]).toEqual(['source_too_large', false]);
    expect(error.message).toContain('1 MB');
    expect(await harness.files()).toEqual([]);
  });

  test('an endless one', async () => {
    harness = await startHarness((_request, response) => flood(response, Buffer.alloc(65_536)));
    expect((await failure(fetchFile())).code).toBe('source_too_large');
    expect(await harness.files()).toEqual([]);
  });

  test.each([
    ['gzip', gzipSync(Buffer.alloc(256 * MIB))],
    ['br', brotliCompressSync(Buffer.alloc(256 * MIB))],
  ])('a bomb in %s', async (encoding, bomb) => {
    expect(bomb.length).toBeLessThan(MIB);
    harness = await startHarness((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(bomb);
    });
    expect((await failure(fetchFile())).code).toBe('source_too_large');
    expect(await harness.files()).toEqual([]);
  });

  test('endless compressed bytes that hold no content', async () => {
    const nothing = Buffer.concat(Array(1000).fill(gzipSync('')));
    harness = await startHarness((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      flood(response, nothing);
    });
    expect((await failure(fetchFile())).code).toBe('source_too_large');
    expect(await harness.files()).toEqual([]);
  });

  test.each([
    ['cut off', 'gzip', gzipSync('x'.repeat(9000)).subarray(0, 20)],
    ['damaged', 'gzip', Buffer.from('this is no gzip')],
    ['damaged', 'br', Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff])],
    ['in a coding nobody asked for', 'zstd', Buffer.from('x')],
    ['in two codings', 'gzip, br', Buffer.from('x')],
  ])('one %s (%s)', async (_title, encoding, body) => {
    harness = await startHarness((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(body);
    });
    expect((await failure(fetchFile())).code).toBe('source_unreachable');
    expect(await harness.files()).toEqual([]);
  });

  test('one whose connection breaks off', async () => {
    harness = await startHarness((_request, response) => {
      response.writeHead(200, { 'content-length': 1000 });
      response.write('half', () => response.destroy());
    });
    const error = await failure(fetchFile());
    expect([error.code, error.retryable]).toEqual(['source_unreachable', true]);
    expect(error.message).toContain('site.example');
    expect(await harness.files()).toEqual([]);
  });

  test('one that drips, when its whole time is over', async () => {
    harness = await startHarness((_request, response) => {
      const timer = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(timer));
    });
    const error = await failure(fetchFile({ totalTimeoutMs: 300 }));
    expect([error.code, error.retryable]).toEqual(['timeout', true]);
    expect(await harness.files()).toEqual([]);
  });

  test('one that is cancelled', async () => {
    const stop = new AbortController();
    harness = await startHarness((_request, response) => {
      response.write('x');
      stop.abort();
    });
    expect((await failure(fetchFile({ signal: stop.signal }))).code).toBe('cancelled');
    expect((await failure(fetchFile({ signal: stop.signal }))).code).toBe('cancelled');
    expect(await harness.files()).toEqual([]);
  });

  test('one that cannot be put in its place', async () => {
    harness = await startHarness((_request, response) => response.end('x'));
    await mkdir(`${harness.path}/taken`, { recursive: true });
    await expect(fetchFile()).rejects.toThrow();
    expect(await harness.files()).toEqual(['source']);
  });
});

describe('a request', () => {
  test('gives status, headers, decoded body and timing of any answer', async () => {
    harness = await startHarness((request, response) => {
      const seen = `${request.method} ${request.headers['user-agent']} ${request.headers['x-a']}`;
      response.writeHead(418, { 'content-encoding': 'gzip', 'x-b': 'c' }).end(gzipSync(seen));
    });
    const response = await harness.client.request(URL, { ...BOUNDS, headers: { 'x-a': 'b' } });
    expect(response).toMatchObject({ status: 418, truncated: false, finalUrl: URL });
    expect(response.headers['x-b']).toBe('c');
    expect(response.body.toString()).toBe('GET QuarryTest/1 b');
    expect(response.timing.totalMs).toBeGreaterThanOrEqual(response.timing.firstByteMs);
  });

  test.each(['identity', 'gzip'])('keeps as much of an endless body as asked for (%s)', async (encoding) => {
    const chunk = Buffer.alloc(65_536, 'x');
    harness = await startHarness((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding });
      flood(response, encoding === 'gzip' ? gzipSync(chunk) : chunk);
    });
    const response = await harness.client.request(URL, { ...BOUNDS, maxResponseBytes: 4096 });
    expect([response.truncated, response.body.toString()]).toEqual([true, 'x'.repeat(4096)]);
  });

  test('says of a body that fits exactly that nothing is missing', async () => {
    harness = await startHarness((_request, response) => response.end('x'.repeat(4096)));
    const response = await harness.client.request(URL, { ...BOUNDS, maxResponseBytes: 4096 });
    expect([response.truncated, response.body.length]).toEqual([false, 4096]);
  });

  test('leaves a body unread that is not wanted', async () => {
    harness = await startHarness((_request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4' });
      flood(response, Buffer.alloc(65_536));
    });
    const wantsBody = ({ headers }: { headers: object }) => !JSON.stringify(headers).includes('video/');
    const response = await harness.client.request(URL, { ...BOUNDS, wantsBody });
    expect([response.status, response.body.length, response.truncated]).toEqual([200, 0, false]);
  });

  test('uses connections again', async () => {
    harness = await startHarness((_request, response) => response.end('x'));
    for (let count = 0; count < 20; count++) await harness.client.request(URL, BOUNDS);
    expect(harness.connects.length).toBeLessThan(5);
  });
});
