import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { releaseFileFor } from '../../src-server/features/media/tool-release.ts';
import { runtimeOptions } from '../../src-server/features/media/yt-dlp.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

interface Release {
  fetchedVersion: string | null;
  fetchedAt: string | null;
  lastSuccessAt: string | null;
  download: { status: string; receivedBytes: number; error: { code: string; message: string } | null } | null;
}

interface Media {
  tools: { name: string; state: string; version: string | null; from: string | null; advice: string | null }[];
  ytDlp: Release;
  ffmpeg: Release;
}

type Key = 'ytDlp' | 'ffmpeg';
const NAMES = { ytDlp: 'yt-dlp', ffmpeg: 'ffmpeg' } as const;

const FILE = releaseFileFor(process.platform, process.arch);
const program = (says: string, filling = 4000) => `#!/bin/sh\n# ${'x'.repeat(filling)}\necho ${says}\n`;
const sumOf = (content: string) => createHash('sha256').update(content).digest('hex');

/** A gzip file large enough not to pass for an error page. */
const ffmpeg = (version: string) =>
  gzipSync(`#!/bin/sh\necho "ffmpeg version ${version}"\nexit 0\n${randomBytes(4_000_000).toString('hex')}`);

/** What the mirror holds now, and how it misbehaves. */
let offered: { content: string | Buffer; sums: string; breakOnceAfter?: number };
let requests: { url: string; range: string | undefined }[];
let mirror: Server;
let appliance: Appliance;

function offer(content: string, sum = sumOf(content)): void {
  offered = { content, sums: `${sumOf('another')}  another-file\n${sum}  ${FILE}\n` };
}

beforeAll(async () => {
  mirror = createServer((request, response) => {
    const { url = '', headers } = request;
    requests.push({ url, range: headers.range });
    if (url === '/mirror/yt-dlp/SHA2-256SUMS') return response.end(offered.sums);
    const files = [`/mirror/yt-dlp/${FILE}`, `/mirror/ffmpeg/ffmpeg-${process.platform}-${process.arch}.gz`];
    if (!files.includes(url)) return response.writeHead(404).end();
    const bytes = Buffer.from(offered.content);
    const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
    const range = start > 0 ? { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` } : {};
    response.writeHead(start > 0 ? 206 : 200, { etag: '"one"', 'content-length': bytes.length - start, ...range });
    const { breakOnceAfter } = offered;
    if (breakOnceAfter === undefined) return response.end(bytes.subarray(start));
    delete offered.breakOnceAfter;
    return response.write(bytes.subarray(0, breakOnceAfter), () => response.destroy());
  });
  await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve));
});
afterAll(() => mirror.close());

beforeEach(async () => {
  requests = [];
  appliance = await startAppliance();
  const modelMirrorUrl = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}/mirror/`;
  const change = { ...postJson({ modelMirrorUrl }), method: 'PATCH' };
  expect((await appliance.owner('/admin/settings', change)).status).toBe(200);
});
afterEach(() => appliance[Symbol.asyncDispose]());

async function media(): Promise<Media> {
  return (await (await appliance.owner('/admin/media')).json()) as Media;
}

async function install(key: Key = 'ytDlp'): Promise<NonNullable<Release['download']>> {
  expect((await appliance.owner(`/admin/media/${NAMES[key]}/install`, { method: 'POST' })).status).toBe(202);
  let download: Release['download'] = null;
  await until(async () => {
    download = (await media())[key].download;
    return !['downloading', 'verifying'].includes(download?.status ?? '');
  });
  return download as unknown as NonNullable<Release['download']>;
}

async function inUse(key: Key = 'ytDlp'): Promise<Media['tools'][number] | undefined> {
  return (await media()).tools.find(({ name }) => name === NAMES[key]);
}

describe.skipIf(process.platform === 'win32')('ffmpeg kept by the appliance', () => {
  test('is fetched, resumed where the connection broke, unpacked, tried out, used before the one on PATH, and removed', async () => {
    offered = { content: ffmpeg('7.1'), sums: '', breakOnceAfter: 1_000_000 };
    expect(await install('ffmpeg')).toMatchObject({ status: 'installed', error: null });
    expect(requests.map(({ range }) => range)).toContainEqual(expect.stringMatching(/^bytes=[1-9]\d*-$/));
    expect((await media()).ffmpeg).toMatchObject({ fetchedVersion: '7.1', fetchedAt: expect.any(String) });
    expect(await inUse('ffmpeg')).toMatchObject({ state: 'ready', version: '7.1', from: 'data-folder' });
    expect((await appliance.owner('/admin/media/ffmpeg', { method: 'DELETE' })).status).toBe(204);
    expect((await inUse('ffmpeg'))?.from).not.toBe('data-folder');
  });

  test('is not replaced by damaged bytes, nor by a program that is too old', async () => {
    offered = { content: ffmpeg('7.1'), sums: '' };
    await install('ffmpeg');
    const damaged = ffmpeg('7.2');
    damaged.fill(0, 1_000_000, 1_000_100);
    offered = { content: damaged, sums: '' };
    expect(await install('ffmpeg')).toMatchObject({ status: 'failed', error: { code: 'corrupt_input' } });
    offered = { content: ffmpeg('4.2'), sums: '' };
    expect(await install('ffmpeg')).toMatchObject({ status: 'failed', error: { code: 'engine_unavailable' } });
    expect(await inUse('ffmpeg')).toMatchObject({ version: '7.1' });
  });
});

describe.skipIf(process.platform === 'win32')('yt-dlp kept by the appliance', () => {
  test('is fetched, compared with the published checksum, tried out, and then used before the one on PATH', async () => {
    offer(program('2026.01.31'));
    expect((await media()).ytDlp).toMatchObject({ fetchedVersion: null, fetchedAt: null, download: null });
    expect(await install()).toMatchObject({ status: 'installed', error: null });
    expect((await media()).ytDlp).toMatchObject({ fetchedVersion: '2026.01.31', fetchedAt: expect.any(String) });
    expect(await inUse()).toMatchObject({ state: 'ready', version: '2026.01.31', from: 'data-folder' });
  });

  test('is replaced by a newer release when asked, and taken away when asked', async () => {
    offer(program('2026.01.31'));
    await install();
    offer(program('2026.03.01'));
    await install();
    expect(await inUse()).toMatchObject({ version: '2026.03.01', from: 'data-folder' });
    expect((await appliance.owner('/admin/media/yt-dlp', { method: 'DELETE' })).status).toBe(204);
    expect((await inUse())?.from).not.toBe('data-folder');
    expect((await media()).ytDlp.fetchedVersion).toBeNull();
    expect((await appliance.owner('/admin/media/yt-dlp', { method: 'DELETE' })).status).toBe(404);
  });

  test('stays as it was when the new one has other bytes than were published', async () => {
    offer(program('2026.01.31'));
    await install();
    offer(program('2026.03.01'), sumOf('what was published'));
    expect(await install()).toMatchObject({ status: 'failed', error: { code: 'corrupt_input' } });
    expect(await inUse()).toMatchObject({ version: '2026.01.31' });
  });

  test('stays as it was when the new one does not run here', async () => {
    offer(program('2026.01.31'));
    await install();
    for (const broken of ['#!/bin/sh\nexit 3\n', program('something else'), 'no program at all']) {
      offer(broken);
      expect(await install()).toMatchObject({ status: 'failed', error: { code: 'engine_unavailable' } });
      expect(await inUse()).toMatchObject({ version: '2026.01.31' });
    }
  });

  test('is not fetched when the release states no checksum for this machine, and the answer says so', async () => {
    offered = { content: program('2026.01.31'), sums: '' };
    const { status, error } = await install();
    expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'corrupt_input' });
    expect(error?.message).toContain(FILE);
    expect(requests.map(({ url }) => url)).toEqual(['/mirror/yt-dlp/SHA2-256SUMS']);
  });

  test('goes on where a broken connection ended it', async () => {
    offer(program('2026.01.31', 3_000_000));
    offered.breakOnceAfter = 2_000_000;
    expect(await install()).toMatchObject({ status: 'installed' });
    expect(requests.map(({ range }) => range)).toContainEqual(expect.stringMatching(/^bytes=[1-9]\d*-$/));
  });

  test('is nobody’s business but the owner’s', async () => {
    expect((await fetch(`${appliance.url}/admin/media`)).status).toBe(401);
    expect((await fetch(`${appliance.url}/admin/media/yt-dlp/install`, { method: 'POST' })).status).toBe(401);
  });
});

test('a yt-dlp that knows of script runtimes is told of this Node, and an older one of nothing it does not know', () => {
  expect(runtimeOptions('2023.03.04')).toEqual([]);
  expect(runtimeOptions('2025.11.12')).toEqual(['--js-runtimes', `node:${process.execPath}`]);
});
