/** Covers of pages and pictures: small, made after the job, bounded against bombs. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { Item } from '../../../src-server/features/library/schema.ts';
import { drawCover } from '../../../workers/documents/draw-cover.ts';
import { mupdf } from '../../../workers/documents/pdf/open-pdf.ts';
import { writePdf } from '../../documents/pdf-writer.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { fileForm, finished } from '../../harness/jobs.ts';
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

const json = async <Value>(path: string, init?: RequestInit): Promise<Value> => {
  const answer = await appliance.owner(path, init);
  expect(answer.ok, `${path}: ${await answer.clone().text()}`).toBe(true);
  return (await answer.json()) as Value;
};

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

test('pages and pictures of any shape become 320 by 240', async () => {
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
