/** Files of jobs, and what becomes of an answer whose file is changed while it is sent. */
import { mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HttpEnv } from '../../../src-server/platform/http/env.ts';
import { sendFile } from '../../../src-server/platform/http/file-response.ts';
import { KIB, MIB } from '../../../src-server/platform/units.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry files '));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function answerWith(name: string, bytes: Uint8Array, headers: Record<string, string> = {}, method = 'GET') {
  const path = join(folder, name);
  await writeFile(path, bytes);
  const app = new Hono<HttpEnv>();
  app.on(['GET', 'HEAD'], '/', (context) => sendFile(context, path, name));
  return { path, answer: await app.request('/', { headers, method }) };
}

test('a file comes byte for byte, whole and in part', async () => {
  const bytes = Uint8Array.from({ length: 300 * KIB }, (_, index) => (index * 7) % 251);
  const { answer } = await answerWith('whole.bin', bytes);
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  // The name of the unit is written in any case (RFC 9110, section 14.1).
  const { answer: part } = await answerWith('part.bin', bytes, { range: 'Bytes=65530-200000' });
  expect(part.headers.get('content-length')).toBe('134471');
  expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(65_530, 200_001))).toBe(true);
});

test.each(['bytes=0-9', 'bytes=5000-'])(
  'a HEAD is told of the whole file: a range is for GET alone (%s)',
  async (range) => {
    const { answer } = await answerWith('head.bin', new Uint8Array(KIB), { range }, 'HEAD');
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(KIB)]);
    expect(answer.headers.has('content-range')).toBe(false);
  },
);

test('a file that gets shorter while it is sent breaks the answer off, so that nobody waits for its rest', async () => {
  const { path, answer } = await answerWith('shrinks.bin', new Uint8Array(4 * MIB));
  const reader = answer.body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  await truncate(path, 0);
  const rest = async () => {
    while ((await reader?.read())?.done === false);
  };
  await expect(rest()).rejects.toThrow('changed');
});

test('a file that another has replaced before its first byte is sent is not taken for the one announced', async () => {
  const { path, answer } = await answerWith('replaced.bin', new Uint8Array(KIB));
  await writeFile(`${path}.new`, new Uint8Array(2 * KIB));
  await rename(`${path}.new`, path);
  await expect(answer.arrayBuffer()).rejects.toThrow('changed');
});
