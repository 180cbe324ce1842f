/** Covers of pages, pictures, recordings and sites: small, made after the job, bounded against bombs. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { Item } from '../../../src-server/features/library/schema.ts';
import { drawCover } from '../../../workers/documents/draw-cover.ts';
import { mupdf } from '../../../workers/documents/pdf/open-pdf.ts';
import { sketchMedia } from '../../../workers/media/sketch.ts';
import { readPageIcon } from '../../../workers/pages/page-icon.ts';
import { writePdf } from '../../documents/pdf-writer.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { chromiumFile } from '../../harness/chromium.ts';
import { fileForm, finished, okJson } from '../../harness/jobs.ts';
import { serveWith } from '../../harness/local-site.ts';
import { openMediaMaker } from '../../harness/make-media.ts';
import { seededRandom } from '../../harness/seeded-random.ts';
import { postJson } from '../../harness/text-models.ts';
import { until } from '../../harness/until.ts';

let appliance: Appliance;
let folder: string;
beforeAll(async () => {
  appliance = await startAppliance();
  folder = await mkdtemp(join(tmpdir(), 'covers '));
});
afterAll(async () => {
  await appliance.close();
  await rm(folder, { recursive: true, force: true });
});

const json = <Value>(path: string, init?: RequestInit) => okJson<Value>(appliance.owner, path, init);

/** Sends a request and waits until all of its item is taken over. */
async function itemOf(path: string, init: RequestInit, isDone: (item: Item) => boolean): Promise<Item> {
  const { jobId } = await json<Job>(path, init);
  await finished(appliance.owner, jobId);
  let item: Item | undefined;
  await until(async () => {
    item = (await json<{ items: Item[] }>('/v1/library/items')).items.find((one) => one.jobId === jobId);
    return item !== undefined && isDone(item);
  });
  return item as Item;
}

async function fileOf(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

/** Width and height of a lossy WebP. */
function sizeOf(webp: Uint8Array): [number, number] {
  const bytes = Buffer.from(webp);
  expect(bytes.toString('latin1', 0, 4) + bytes.toString('latin1', 8, 16)).toBe('RIFFWEBPVP8 ');
  return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
}

const LINES = 'BT /F1 24 Tf 72 700 Td (Tide tables) Tj ET 0 0 1 rg 72 500 300 120 re f';

test('a PDF gets its first page, once, and loses it with the item', async () => {
  const pdf = writePdf({ pages: [LINES, LINES] });
  const init = { method: 'POST', body: fileForm(pdf, 'tides.pdf') };
  const item = await itemOf('/v1/extract/pdf', init, ({ cover }) => cover !== null);
  const answer = await appliance.owner(`/v1${item.cover}`);
  expect(answer.headers.get('content-type')).toBe('image/webp');
  const webp = new Uint8Array(await answer.arrayBuffer());
  expect(sizeOf(webp)).toEqual([320, 240]);
  expect(webp.length).toBeLessThanOrEqual(20 * 1024);
  expect((await appliance.anonymous(`/v1${item.cover}`)).status).toBe(401);
  await appliance.owner(`/v1/library/items/${item.itemId}?now=true`, { method: 'DELETE' });
  expect((await appliance.owner(`/v1${item.cover}`)).status).toBe(404);
});

test('texts have their first lines, sounds their shape, and neither a drawn cover', async () => {
  const body = fileForm('# Mussels\n\nThey **filter** the water.\n\nAll day.', 'mussels.md');
  const text = await itemOf('/v1/extract/doc', { method: 'POST', body }, ({ excerpt }) => excerpt !== null);
  expect(text.excerpt).toBe('Mussels\nThey filter the water.\nAll day.');
  expect(text.cover).toBeNull();
  expect((await appliance.owner(`/v1/library/items/${text.itemId}/cover`)).status).toBe(404);
  const sound = postJson({ prompt: 'The tide turns at noon.', voice: 'clara', durationSeconds: 2 });
  const { peaks } = await itemOf('/v1/generate/audio', { ...sound, method: 'POST' }, (item) => item.peaks !== null);
  expect(peaks?.length).toBeLessThanOrEqual(64);
  expect(Math.max(...(peaks ?? []))).toBeGreaterThan(0);
});

/** A sound that is silent in its second half, as a .wav of 8-bit samples. */
function halfSilent(seconds: number): Buffer {
  const samples = Buffer.alloc(8000 * seconds, 128);
  for (let at = 0; at < samples.length / 2; at += 1) samples[at] = 128 + Math.round(100 * Math.sin(at / 3));
  const header = Buffer.alloc(44);
  header.write('RIFF....WAVEfmt ', 'latin1');
  header.writeUInt32LE(36 + samples.length, 4);
  for (const [at, value] of [
    [16, 16],
    [24, 8000],
    [28, 8000],
    [40, samples.length],
  ] as const) {
    header.writeUInt32LE(value, at);
  }
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    header.writeUInt16LE(value, at);
  header.write('data', 36, 'latin1');
  return Buffer.concat([header, samples]);
}

/** Black for the first third. */
async function darkThenBright(): Promise<Buffer> {
  await using maker = await openMediaMaker();
  const [dark, bright] = ['color=black:size=320x180:rate=10:duration=4', 'testsrc=size=320x180:rate=10:duration=8'];
  const inputs = ['-f', 'lavfi', '-i', dark, '-f', 'lavfi', '-i', bright];
  return await maker.make('dark.mp4', [...inputs, '-filter_complex', 'concat=n=2:v=1', '-g', '10', '-c:v', 'libx264']);
}

const HEAD = '<title>Tide mill</title><link rel="icon" href="/icon.ico">';

const FRONT = `${HEAD}<link rel="stylesheet" href="/style.css"><script src="/script.js"></script>
<img src="http://127.0.0.1:9/elsewhere.png"><h1>Tide mill</h1><p>The mill turns with the tide, twice a day.</p>`;

async function coverOfSite(url: string): Promise<Uint8Array> {
  const init = { method: 'POST', ...postJson({ url, depth: 0 }) };
  const { cover } = await itemOf('/v1/crawl', init, (item) => item.cover !== null);
  return new Uint8Array(await (await appliance.owner(`/v1${cover}`)).arrayBuffer());
}

test.skipIf(chromiumFile() === null)(
  'a site has its icon and first screen, fetched once and without its scripts',
  async () => {
    const asked: string[] = [];
    await using site = await serveWith((request, answer) => {
      const path = request.url ?? '';
      asked.push(path);
      if (path === '/icon.ico') answer.writeHead(200, { 'content-type': 'image/x-icon' }).end(iconFile(4, 4));
      else if (path === '/style.css') answer.writeHead(200, { 'content-type': 'text/css' }).end('h1 { color: green }');
      else if (path.startsWith('/page')) answer.writeHead(200, { 'content-type': 'text/html' }).end(FRONT);
      else answer.writeHead(404).end();
    });
    const whole = await coverOfSite(`${site.url}/page`);
    expect(sizeOf(whole)).toEqual([320, 240]);
    expect(asked.filter((path) => path === '/page')).toHaveLength(1);
    expect(asked).toContain('/style.css');
    expect(asked).not.toContain('/script.js');

    // Without a browser: the icon alone.
    const browser = process.env.QUARRY_BROWSER;
    process.env.QUARRY_BROWSER = '/nowhere/chromium';
    try {
      const icon = await coverOfSite(`${site.url}/page2`);
      expect(sizeOf(icon)).toEqual([320, 240]);
      expect(icon).not.toEqual(whole);
    } finally {
      if (browser === undefined) delete process.env.QUARRY_BROWSER;
      else process.env.QUARRY_BROWSER = browser;
    }
  },
);

test('icons of sites: the nearest size, old icon files, what the page holds itself; bombs and nonsense are left out', async () => {
  const at = async (html: string) =>
    readPageIcon({ path: await fileOf('page.html', Buffer.from(html)), url: 'https://a.b/c/' });
  const link = (href: string, sizes = '') => `<link rel="shortcut icon" href="${href}" sizes="${sizes}">`;
  expect(
    await at(
      link('/16.png', '16x16') + link('any.svg', '64x64') + link('72.png', '72x72') + link('512.png', '512x512'),
    ),
  ).toEqual({
    url: 'https://a.b/c/72.png',
    bytes: null,
  });
  expect((await at(link('data:image/gif;base64,R0lGODlhAQ==')))?.bytes).toEqual(
    new Uint8Array(Buffer.from('R0lGODlhAQ==', 'base64')),
  );
  expect(await at('<p>none</p>')).toEqual({ url: null, bytes: null });
  const site = async (icon: Uint8Array) =>
    ({ kind: 'site', screenPath: null, iconPath: await fileOf('icon', icon) }) as const;
  const { webp } = await drawCover(await site(iconFile(4, 4)));
  expect(sizeOf(webp as Uint8Array)).toEqual([320, 240]);
  for (const bytes of [bombPng(30_000), iconFile(4, 4).subarray(0, 30), Buffer.from('no icon')]) {
    expect(await drawCover(await site(bytes))).toEqual({ webp: null });
  }
});

/** An icon file with one bitmap of 32 bits. */
function iconFile(width: number, height: number): Buffer {
  const bitmap = Buffer.alloc(40 + width * height * 4 + height * 4, 200);
  for (const [at, value] of [
    [0, 40],
    [4, width],
    [8, height * 2],
    [12, 1 + (32 << 16)],
    [16, 0],
    [20, 0],
    [32, 0],
  ] as const) {
    bitmap.writeUInt32LE(value, at);
  }
  const header = Buffer.alloc(22);
  header.writeUInt32LE(0x00_01_00_00, 0);
  header.writeUInt16LE(1, 4);
  header.writeUInt8(width, 6);
  header.writeUInt8(height, 7);
  header.writeUInt32LE(bitmap.length, 14);
  header.writeUInt32LE(22, 18);
  return Buffer.concat([header, bitmap]);
}

test('a recording has the shape of its sound, wherever it is loud, and a video the first picture that shows something', async () => {
  const stillPath = join(folder, 'still.jpg');
  const sound = await fileOf('half.wav', halfSilent(20));
  const { hasStill, peaks } = await sketchMedia({ path: sound, stillPath });
  expect(hasStill).toBe(false);
  expect(peaks.map((peak) => peak > 0.5)).toEqual(Array.from({ length: 48 }, (_, part) => part < 24));
  await expect(sketchMedia({ path: await fileOf('no.wav', Buffer.from('RIFF')), stillPath })).rejects.toMatchObject({
    code: 'corrupt_input',
  });
  const video = await fileOf('dark.mp4', await darkThenBright());
  expect(await sketchMedia({ path: video, stillPath })).toEqual({ hasStill: true, peaks: [] });
  const { webp } = await drawCover({ kind: 'picture', path: stillPath });
  expect(sizeOf(webp as Uint8Array)).toEqual([320, 240]);
});

test('pages and pictures of any shape become 320 by 240', { tags: ['long'] }, async () => {
  const tall = writePdf({ pages: [LINES] })
    .toString('latin1')
    .replace('[0 0 612 792]', '[0 0 9 99999]');
  const noise = new mupdf.Pixmap(mupdf.ColorSpace.DeviceRGB, [0, 0, 900, 100], false);
  const random = seededRandom(7);
  const pixels = noise.getPixels();
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = random() * 256;
  for (const [name, bytes, kind] of [
    ['tall.pdf', Buffer.from(tall, 'latin1'), 'pdf'],
    ['noise.png', noise.asPNG(), 'picture'],
  ] as const) {
    const { webp } = await drawCover({ path: await fileOf(name, bytes), kind });
    expect(sizeOf(webp as Uint8Array), name).toEqual([320, 240]);
    expect(webp?.length, name).toBeLessThanOrEqual(20 * 1024);
  }
});

test('a bomb and what is no picture are refused, not drawn', async () => {
  const bomb = bombPng(30_000);
  expect(bomb.length).toBeLessThan(1_000_000);
  await expect(drawCover({ path: await fileOf('bomb.png', bomb), kind: 'picture' })).rejects.toMatchObject({
    code: 'source_too_large',
  });
  for (const [name, bytes] of [
    ['text.png', Buffer.from('no picture at all')],
    ['empty.png', Buffer.alloc(0)],
  ] as const) {
    await expect(drawCover({ path: await fileOf(name, bytes), kind: 'picture' }), name).rejects.toMatchObject({
      code: 'corrupt_input',
    });
  }
});

/** A grey PNG of this many pixels a side, in 1 bit each. */
function bombPng(side: number): Buffer {
  const piece = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
  header.writeUInt32BE(side);
  header.writeUInt32BE(side, 4);
  const rows = deflateSync(Buffer.alloc(side * (side / 8 + 1)));
  const parts = [piece('IHDR', header), piece('IDAT', rows), piece('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
}
