/**
 * What a listener waits for, in CPU seconds of the whole server, which other work on the machine spares more than wall
 * time: the sample of a voice, the preview of a narration, the first sound of speech over OpenAI's interface, and of a
 * book of 300 pages.
 *
 *     npm run bench first-sound
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { AudioRequest } from '../src-server/features/audio/schema.ts';
import { createAudioEngine } from '../src-server/features/audio/service.ts';
import { withAudioDefaults } from '../src-server/features/audio/sounds.ts';
import { readVoices } from '../src-server/features/audio/voices.ts';
import { createWorkerPool } from '../src-server/platform/pool/worker-pool.ts';
import { GIB } from '../src-server/platform/units.ts';
import { startAppliance } from '../test/harness/appliance.ts';
import { fileForm, finished } from '../test/harness/jobs.ts';
import { postJson } from '../test/harness/text-models.ts';
import { expectTarget, median, printTable } from './figures.ts';

const ROUNDS = 7;
const TARGET_SECONDS = 0.5;
/** Eight sentences, 24 seconds. */
const TEXT = 'The tide turns at noon, and the boats in the mud begin to move. Nobody gives a sign. '.repeat(4);

interface Cost {
  wall: number;
  cpu: number;
}

/** The first run of `work` in this process is cold. */
async function cost(work: () => Promise<void>): Promise<Cost> {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wall: (performance.now() - startedAt) / 1000, cpu: (user + system) / 1_000_000 };
}

const appliance = await startAppliance();
const samples = join(appliance.dataDir, 'voices');
const pool = createWorkerPool({ entry: new URL('../workers/entry.ts', import.meta.url), memoryLimitBytes: 4 * GIB });
const server = { speechServerUrl: null, speechServerModel: '', speechServerVoices: [] };
const engine = createAudioEngine({
  runTask: pool.run,
  voices: {
    presets: await readVoices(new URL('../resources/voices.json', import.meta.url)),
    installed: async () => [],
    offered: () => [],
    server: () => server,
    serverKey: () => undefined,
  },
  pronunciations: () => [],
  samplesFolder: samples,
  soundFont: { path: async () => null, offer: null },
  encode: () => Promise.reject(new Error('A preview has no other formats.')),
});

async function sample(): Promise<Cost> {
  for (const file of await readdir(samples).catch(() => [])) await rm(join(samples, file));
  return cost(async () => {
    const answer = await appliance.anonymous('/v1/voices/samples/clara.wav');
    if (answer.status !== 200) throw new Error(`The sample answers ${answer.status}.`);
    await answer.arrayBuffer();
  });
}

/** The preview alone. */
async function preview(): Promise<Cost> {
  const files = {
    folder: await mkdtemp(join(tmpdir(), 'quarry bench ')),
    pathOf: (name: string) => name,
    urlOf: (name: string) => name,
  };
  const signal = new AbortController().signal;
  const request = withAudioDefaults(AudioRequest.parse({ prompt: TEXT }));
  const spent = await cost(async () => {
    await engine.preview('speech', request, { accountId: 'bench', files }, signal);
  });
  await rm(files.folder, { recursive: true });
  return spent;
}

/** Until the 202. The job starts at once too, so a part of its work is in the figures. */
async function accepted(): Promise<Cost> {
  let jobId = '';
  const spent = await cost(async () => {
    const answer = await appliance.owner('/v1/generate/audio', postJson({ prompt: TEXT }));
    const { jobId: id, previews } = (await answer.json()) as { jobId: string; previews: object | null };
    if (previews === null) throw new Error('There is no preview.');
    jobId = id;
  });
  await finished(appliance.owner, jobId);
  return spent;
}

async function streamed(): Promise<Cost> {
  const body = { model: 'tts-1', voice: 'alloy', input: TEXT, response_format: 'pcm' };
  let rest: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const spent = await cost(async () => {
    const answer = await appliance.owner('/openai/v1/audio/speech', postJson(body));
    rest = answer.body?.getReader();
    await rest?.read();
  });
  while (rest !== undefined && !(await rest.read()).done);
  return spent;
}

/** A book of 300 pages in the library. */
async function addBook(): Promise<string> {
  const page = `${'The boats came home before the evening, and nobody on the pier gave a sign. '.repeat(25)}\n\n`;
  const chapters = Array.from({ length: 30 }, (_, index) => `# Chapter ${index + 1}\n\n${page.repeat(10)}`);
  const body = fileForm(Buffer.from(chapters.join('')), 'book.md');
  const { jobId } = (await (await appliance.owner('/v1/extract/doc', { method: 'POST', body })).json()) as {
    jobId: string;
  };
  await finished(appliance.owner, jobId);
  for (;;) {
    const answer = await appliance.owner(`/v1/library/lookup?job=${jobId}`);
    const { items } = (await answer.json()) as { items: { itemId: string; state: string }[] };
    const [item] = items;
    if (item?.state === 'ready') return item.itemId;
    await wait(LOOK_MS);
  }
}

const LOOK_MS = 100;

const bookId = await addBook();

/** From the wish to listen to the first part of the book. */
async function book(): Promise<Cost> {
  const path = `/v1/library/items/${bookId}/reading`;
  const spent = await cost(async () => {
    const begun = await appliance.owner(path, postJson({ voice: 'rowan' }));
    if (begun.status !== 200) throw new Error(`The reading answers ${begun.status}: ${await begun.text()}`);
    const sound = await appliance.owner(`${path}/parts/0/sound`);
    if ((await sound.arrayBuffer()).byteLength === 0) throw new Error('The first part is empty.');
  });
  await appliance.owner(path, { method: 'DELETE' });
  return spent;
}

const TARGETS: Readonly<Record<string, number>> = { book: 3 };

const rows: Record<string, string | number>[] = [];
for (const [name, work] of Object.entries({ sample, preview, accepted, streamed, book })) {
  const cold = await work();
  const warm: Cost[] = [];
  for (let round = 0; round < ROUNDS; round += 1) warm.push(await work());
  const of = (what: keyof Cost) => median(warm.map((one) => one[what]));
  rows.push({ of: name, 'CPU, s': of('cpu'), 'wall, s': of('wall'), 'first, CPU s': cold.cpu, 'first, s': cold.wall });
}
printTable(rows);
for (const row of rows.filter(({ of }) => of !== 'accepted')) {
  const most = TARGETS[String(row.of)] ?? TARGET_SECONDS;
  expectTarget(`${row.of}: at most ${most} s of CPU`, Number(row['CPU, s']) <= most);
}
await pool.close();
await appliance.close();
