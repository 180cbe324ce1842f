/** Items of the library, read aloud into parts and a whole. */
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { Item } from '../../src-server/features/library/schema.ts';
import type { Reading, SpokenPart } from '../../src-server/features/listen/schema.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const run = promisify(execFile);

const BOOK = `# The winter

At four the bell was heard from the bar. We put the boat out with six men.[^1]

\`\`\`js
const secret = 'never spoken';
\`\`\`

## The spring

| Year | Boats |
|---|---|
| 1871 | 12 |
| 1872 | 14 |

The sea was **white** as far as the [point](https://harbour.example/point?x=1).

[^1]: A footnote that nobody hears.
`;

async function addItem(appliance: Appliance, text: string, name: string): Promise<Item> {
  const send = { method: 'POST', body: fileForm(text, name) };
  const { jobId } = (await (await appliance.owner('/v1/extract/doc', send)).json()) as Job;
  await finished(appliance.owner, jobId);
  const found = async () => {
    const answer = await appliance.owner(`/v1/library/lookup?job=${jobId}`);
    return ((await answer.json()) as { items: Item[] }).items[0];
  };
  await until(async () => (await found())?.state === 'ready');
  return (await found()) as Item;
}

const readingAt = (item: Item) => `/v1/library/items/${item.itemId}/reading`;

async function read(appliance: Appliance, path: string): Promise<Reading> {
  const answer = await appliance.owner(path);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Reading;
}

async function begin(appliance: Appliance, item: Item, body: object = {}): Promise<Reading> {
  const answer = await appliance.owner(readingAt(item), postJson(body));
  expect(answer.status, await answer.clone().text()).toBe(200);
  return (await answer.json()) as Reading;
}

async function readToEnd(appliance: Appliance, item: Item): Promise<Reading> {
  await until(async () => (await read(appliance, readingAt(item))).state !== 'reading');
  const reading = await read(appliance, readingAt(item));
  expect(reading).toMatchObject({ state: 'ready', error: null });
  return reading;
}

/** What ffprobe says of a file. */
async function probed(bytes: ArrayBuffer, ending: string) {
  const path = join(tmpdir(), `quarry-listen-${process.pid}.${ending}`);
  await writeFile(path, Buffer.from(bytes));
  const args = ['-v', 'error', '-show_chapters', '-show_format', '-show_streams', '-of', 'json', path];
  const { stdout } = await run('ffprobe', args);
  const facts = JSON.parse(stdout) as { chapters: { start_time: string; tags: { title: string } }[] };
  const decode = ['-v', 'error', '-i', path, '-ac', '1', '-ar', '8000', '-f', 's16le', '-'];
  const { stdout: pcm } = await run('ffmpeg', decode, { encoding: 'buffer', maxBuffer: 50_000_000 });
  return { chapters: facts.chapters, seconds: pcm.length / 16_000 };
}

test('a document is read aloud into parts, and into one file with chapters, captions and text', async () => {
  await using appliance = await startAppliance();
  const item = await addItem(appliance, BOOK, 'winter.md');
  const first = await begin(appliance, item);
  expect(first.chapters.map(({ title }) => title)).toEqual(['The winter', 'The spring']);
  expect(first.leftUnread).toMatchObject({ code: 1, tables: 1, footnotes: 1 });
  const words = (await (await appliance.owner(`${readingAt(item)}/parts/0`)).json()) as SpokenPart;
  expect(words.cues.map(({ text }) => text).join(' ')).toContain('The winter');
  const sound = await appliance.owner(`${readingAt(item)}/parts/0/sound`);
  expect([sound.status, sound.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
  const whole = await readToEnd(appliance, item);
  expect(whole.files.map(({ form }) => form)).toEqual(['mp3', 'm4b', 'vtt', 'txt']);
  const text = await (await appliance.owner(`${readingAt(item)}/files/txt`)).text();
  const line = text.replaceAll(/\s+/g, ' ');
  expect(line).toMatch(/Code of one line is left out.*A table of 2 rows is left out: Year, Boats/);
  expect(text).toContain('white');
  expect(text).not.toMatch(/secret|footnote|https|\*|\[/);
  for (const form of ['mp3', 'm4b'] as const) {
    const bytes = await (await appliance.owner(`${readingAt(item)}/files/${form}`)).arrayBuffer();
    const facts = await probed(bytes, form);
    expect(facts.chapters.map(({ tags }) => tags.title)).toEqual(['The winter', 'The spring']);
    // An AAC file ends with a whole frame.
    expect(Math.abs(facts.seconds - (whole.seconds ?? 0))).toBeLessThan(form === 'mp3' ? 0.002 : 0.07);
    for (const [index, { startSeconds }] of whole.chapters.entries()) {
      expect(Number(facts.chapters[index]?.start_time)).toBeCloseTo(startSeconds ?? -1, 1);
    }
  }
  const vtt = await (await appliance.owner(`${readingAt(item)}/files/vtt`)).text();
  expect(vtt).toMatch(/^WEBVTT\n\n00:00:0\d/);
});

test('a reading is resumed where its owner stopped, also after a restart', { tags: ['long'] }, async () => {
  const chapter = (_: unknown, at: number) =>
    `# Part ${at + 1}\n\n${'The lamp was out and the sea was loud. '.repeat(30)}`;
  const text = Array.from({ length: 4 }, chapter).join('\n\n');
  await using appliance = await startAppliance();
  const item = await addItem(appliance, text, 'long.md');
  const begun = await begin(appliance, item, { speed: 1.5 });
  expect(begun.spokenParts).toBeLessThan(begun.parts.length);
  const last = begun.parts.length - 1;
  expect((await appliance.owner(`${readingAt(item)}/parts/${last}`)).status).toBe(200);
  const put = { ...postJson({ seconds: 42.5 }), method: 'PUT' };
  expect((await appliance.owner(`${readingAt(item)}/position`, put)).status).toBe(204);
  await appliance.restart();
  const after = await read(appliance, readingAt(item));
  expect(after).toMatchObject({ position: 42.5, speed: 1.5 });
  expect(after.parts[last]?.seconds).toBeGreaterThan(0);
  const whole = await readToEnd(appliance, item);
  const sum = whole.parts.reduce((all, { seconds }) => all + (seconds ?? 0), 0);
  expect(whole.seconds).toBeCloseTo(sum, 2);
  const again = await begin(appliance, item, { speed: 1.5 });
  expect([again.state, again.position]).toEqual(['ready', 42.5]);
  expect((await appliance.owner(readingAt(item), { method: 'DELETE' })).status).toBe(204);
  expect((await appliance.owner(readingAt(item))).status).toBe(404);
});

test('a reading whose files are gone, as after a backup was put back, can begin anew', { tags: ['long'] }, async () => {
  await using appliance = await startAppliance();
  const item = await addItem(appliance, BOOK, 'winter.md');
  await begin(appliance, item);
  await readToEnd(appliance, item);
  await appliance.restart(() => rm(join(appliance.dataDir, 'production', 'readings'), { recursive: true }));
  expect((await appliance.owner(readingAt(item))).status).toBe(404);
  expect((await begin(appliance, item)).parts.length).toBeGreaterThan(0);
});

test('what cannot be read aloud is refused by name', async () => {
  await using appliance = await startAppliance();
  const item = await addItem(appliance, '```\nx\n```\n', 'code.md');
  const unknown = await appliance.owner(readingAt(item), postJson({ voice: 'nobody' }));
  expect([unknown.status, await unknown.text()]).toEqual([400, expect.stringContaining('nobody')]);
  expect((await appliance.owner('/v1/library/items/itm_none/reading', postJson({}))).status).toBe(404);
  expect((await appliance.owner(readingAt(item))).status).toBe(404);
  const stranger = await appliance.anonymous(readingAt(item));
  expect([401, 403]).toContain(stranger.status);
});
