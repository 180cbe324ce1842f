/** A browser fetched on consent, from a mirror on loopback: a program that starts the Chromium of this machine. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser } from '../../src-server/features/crawl/browser.ts';
import { browserPlatform } from '../../src-server/features/crawl/browser-install.ts';
import { chromiumFile } from '../harness/chromium.ts';
import { finished } from '../harness/jobs.ts';
import { type LocalSite, serveWith } from '../harness/local-site.ts';
import { HOST, type RenderedSite, startRenderedSite } from '../harness/rendered-site.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const VERSION = '131.0.6778.85';
const PLATFORM = browserPlatform(process.platform, process.arch);
const TOP = `chrome-headless-shell-${PLATFORM}`;
const LIST = '/mirror/browser/last-known-good-versions-with-downloads.json';
const ARCHIVE = `/mirror/browser/${VERSION}/${PLATFORM}/${TOP}.zip`;

type View = {
  from: string | null;
  offered: { source: string; sizeBytes: number } | null;
  fetched: { version: string; sha256: string; sizeBytes: number; md5Compared: boolean } | null;
  download: { status: string; receivedBytes: number; error: { code: string; message: string } | null } | null;
};

/** @param unixMode of the program */
function archiveOf(script: string, name = `${TOP}/chrome-headless-shell`, unixMode = 0o100755): Buffer {
  // Data that does not compress, so that the archive is sent in several pieces.
  const filling = Buffer.from(Array.from({ length: 3_000_000 }, () => Math.floor(Math.random() * 256)));
  return Buffer.from(
    zipSync({
      [`${TOP}/`]: [new Uint8Array(), { os: 3, attrs: (0o040755 << 16) | 0x10 }],
      [name]: [strToU8(script), { os: 3, attrs: unixMode * 65_536 }],
      [`${TOP}/locales/filling.pak`]: [filling, { level: 0 }],
    }),
  );
}

describe.skipIf(chromiumFile() === null || PLATFORM === null)('a fetched browser (needs chromium)', () => {
  const good = archiveOf(`#!/bin/sh\nexec '${chromiumFile()}' "$@"\n`);
  const before = process.env.QUARRY_BROWSER;
  let served: { archive: Buffer; md5?: string; breakOnceAfter?: number; list?: string };
  let asked: { url: string; range: string | undefined }[];
  let mirror: LocalSite;
  let site: RenderedSite;

  beforeAll(async () => {
    process.env.QUARRY_BROWSER = 'fetched';
    mirror = await serveWith((request, response) => {
      const { url = '', headers } = request;
      asked.push({ url, range: headers.range });
      if (url === LIST) {
        const downloads = { 'chrome-headless-shell': [{ platform: PLATFORM, url: `https://files.example/x.zip` }] };
        response.end(served.list ?? JSON.stringify({ channels: { Stable: { version: VERSION, downloads } } }));
        return;
      }
      if (url !== ARCHIVE) return void response.writeHead(404).end();
      const { archive, md5 = createHash('md5').update(archive).digest('base64') } = served;
      const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
      const start = Number(from);
      const end = to === '' ? archive.length : Number(to) + 1;
      const whole = { etag: '"one"', 'x-goog-hash': `crc32c=AAAAAA==,md5=${md5}`, 'content-length': end - start };
      const range = headers.range ? { 'content-range': `bytes ${start}-${end - 1}/${archive.length}` } : {};
      response.writeHead(headers.range ? 206 : 200, { ...whole, ...range });
      const { breakOnceAfter } = served;
      if (breakOnceAfter === undefined || to !== '') return void response.end(archive.subarray(start, end));
      delete served.breakOnceAfter;
      response.write(archive.subarray(0, breakOnceAfter));
      // The client has that part, before its connection breaks.
      void until(() => partBytes() > 0).then(() => response.destroy());
    });
    site = await startRenderedSite();
    const change = { ...postJson({ modelMirrorUrl: `${mirror.url}/mirror/` }), method: 'PATCH' };
    expect((await site.appliance.owner('/admin/settings', change)).status).toBe(200);
  });
  afterAll(async () => {
    if (before === undefined) delete process.env.QUARRY_BROWSER;
    else process.env.QUARRY_BROWSER = before;
    await site?.close();
    await mirror?.[Symbol.asyncDispose]();
  });

  const view = async () => (await (await site.appliance.owner('/admin/browser')).json()) as View;
  const fetchIt = async () => {
    expect((await site.appliance.owner('/admin/browser/install', { method: 'POST' })).status).toBe(202);
    return ended();
  };
  const ended = async () => {
    await until(async () => ['installed', 'failed', 'cancelled'].includes((await view()).download?.status ?? ''));
    return (await view()).download;
  };
  const partBytes = () => {
    const path = join(site.appliance.dataDir, 'tools', '.downloads', 'browser', `${VERSION}-${PLATFORM}.zip.part`);
    return existsSync(path) ? statSync(path).size : 0;
  };
  const folder = () => join(site.appliance.dataDir, 'tools', 'browser');

  test.each([
    [
      'another checksum',
      () => ({ archive: good, md5: createHash('md5').update('x').digest('base64') }),
      'corrupt_input',
    ],
    ['no list', () => ({ archive: good, list: '<html>' }), 'corrupt_input'],
    ['no archive', () => ({ archive: Buffer.from('Not found. '.repeat(2_000_000)) }), 'corrupt_input'],
    ['a link', () => ({ archive: archiveOf('/etc', `${TOP}/chrome-headless-shell`, 0o120777) }), 'corrupt_input'],
    ['a way out', () => ({ archive: archiveOf('x', `${TOP}/../../../out`) }), 'corrupt_input'],
    ['a program that ends', () => ({ archive: archiveOf('#!/bin/sh\nexit 3\n') }), 'engine_unavailable'],
  ])('%s: nothing gets in place', async (_what, serve, code) => {
    asked = [];
    served = serve();
    const download = await fetchIt();
    expect(download).toMatchObject({ status: 'failed', error: { code } });
    expect(await view()).toMatchObject({ from: null, fetched: null, offered: { source: 'storage.googleapis.com' } });
    expect(existsSync(folder())).toBe(false);
    expect(existsSync(join(site.appliance.dataDir, 'out'))).toBe(false);
  });

  test('offered with the error; a job waits for it, an interrupted download goes on, and the page is read', async () => {
    asked = [];
    served = { archive: good, breakOnceAfter: 1_500_000 };
    const body = { url: `${HOST}/app`, depth: 0, render: 'always', maxAge: 0 };
    const refused = await site.appliance.owner('/v1/crawl', postJson(body));
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({
      code: 'engine_unavailable',
      choices: [{ name: 'browser', kind: 'tool', recommended: true, source: 'storage.googleapis.com' }],
    });
    expect(asked).toEqual([]);
    const { headers, ...rest } = postJson(body);
    const waiting = await site.appliance.owner('/v1/crawl', { ...rest, headers: { ...headers, prefer: 'install' } });
    expect(waiting.status).toBe(202);
    const { crawlId } = (await waiting.json()) as { crawlId: string };
    const job = await finished(site.appliance.owner, crawlId);
    expect(job.error ?? null).toBeNull();
    expect(job.result).toMatchObject({ pages: [{ rendered: true }] });
    const sha256 = createHash('sha256').update(good).digest('hex');
    expect(await view()).toMatchObject({
      from: 'data-folder',
      fetched: { version: VERSION, sha256, sizeBytes: good.length, md5Compared: true },
      download: { status: 'installed' },
    });
    expect(asked.map(({ range }) => range ?? '').filter((range) => /^bytes=[1-9]\d*-$/.test(range))).toHaveLength(1);
    expect(readFileSync(join(folder(), 'locales', 'filling.pak')).length).toBe(3_000_000);
    expect(existsSync(join(site.appliance.dataDir, 'tools', '.downloads', 'browser'))).toBe(false);
    expect((await site.appliance.owner('/admin/browser', { method: 'DELETE' })).status).toBe(204);
    expect(await view()).toMatchObject({ from: null, fetched: null });
    expect((await site.appliance.owner('/admin/browser', { method: 'DELETE' })).status).toBe(404);
  });
});

test('a setting comes first, then browsers of the system, then the fetched one', () => {
  const all = ['/own/chrome', '/usr/bin/chromium', join('/data', 'tools', 'browser', 'chrome-headless-shell')];
  const find = (setting: string | undefined, ...there: string[]) =>
    findBrowser('/data', setting === undefined ? {} : { QUARRY_BROWSER: setting }, 'linux', (path) =>
      there.includes(path),
    );
  expect(find('/own/chrome', ...all)).toMatchObject({ path: '/own/chrome', from: 'setting' });
  expect(find('/none', ...all)).toBeNull();
  expect(find(undefined, ...all)).toMatchObject({ path: '/usr/bin/chromium', from: 'system' });
  expect(find(undefined, all[2] ?? '')).toMatchObject({ path: all[2], from: 'data-folder' });
  expect(find('fetched', ...all)).toMatchObject({ path: all[2], from: 'data-folder' });
  expect(find('fetched', '/usr/bin/chromium')).toBeNull();
});

test('each system gets its own build, and those without one none', () => {
  expect(browserPlatform('linux', 'x64')).toBe('linux64');
  expect(browserPlatform('linux', 'arm64')).toBeNull();
  expect(browserPlatform('darwin', 'arm64')).toBe('mac-arm64');
  expect(browserPlatform('darwin', 'x64')).toBe('mac-x64');
  expect(browserPlatform('win32', 'x64')).toBe('win64');
  expect(browserPlatform('freebsd', 'x64')).toBeNull();
});
