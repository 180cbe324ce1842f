/**
 * CPU time of covers by kind: drawn as the server draws them, by tasks on a thread and programs in child processes, one
 * after the other. A library of 1,000 items has a sixth of each kind; texts have no drawn cover. Children count when
 * they have ended. One browser shows all sites, and a process looks into up to 20 recordings.
 *
 *     npm run bench covers
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeptFirstPage } from '../src-server/features/crawl/first-page.ts';
import { FirstScreens } from '../src-server/features/crawl/first-screen.ts';
import { Settings } from '../src-server/features/dashboard/schema.ts';
import { createMediaReader } from '../src-server/features/media/media-reader.ts';
import { Sketches } from '../src-server/features/media/sketches.ts';
import { createGuardedClient } from '../src-server/platform/net/guarded-client.ts';
import { createWorkerPool } from '../src-server/platform/pool/worker-pool.ts';
import { forkChildPrograms } from '../src-server/platform/rpc/child-process.ts';
import { GIB } from '../src-server/platform/units.ts';
import { writePdf } from '../test/documents/pdf-writer.ts';
import { serveWith } from '../test/harness/local-site.ts';
import { openMediaMaker } from '../test/harness/make-media.ts';
import type { DrawCoverInput } from '../workers/documents/tasks.ts';
import { expectTarget, measured, printTable } from './figures.ts';

const ROUNDS = 20;
const ITEMS = 1000;
const KINDS = 6;
const TARGET_SECONDS = 60;

const entry = new URL('../workers/entry.ts', import.meta.url);
const folder = await mkdtemp(join(tmpdir(), 'quarry bench '));
const pool = createWorkerPool({ entry, memoryLimitBytes: 4 * GIB });
const startChild = forkChildPrograms(entry);
const sketches = new Sketches(createMediaReader(startChild));
const { signal } = new AbortController();

const draw = async (input: DrawCoverInput) => {
  const { webp } = await pool.run('draw-cover', input, { accountId: 'covers', timeLimitMs: 60_000 });
  if (webp === null) throw new Error(`Nothing was drawn of ${JSON.stringify(input)}.`);
};

async function sketch(path: string): Promise<void> {
  const stillPath = join(folder, 'still.jpg');
  const { hasStill } = await sketches.sketchMedia({ path, stillPath }, signal);
  if (hasStill) await draw({ kind: 'picture', path: stillPath });
}

async function fileOf(name: string, bytes: Uint8Array): Promise<string> {
  await writeFile(join(folder, name), bytes);
  return join(folder, name);
}

const LINES = Array.from({ length: 40 }, (_, line) => `BT /F1 11 Tf 60 ${740 - line * 16} Td (The tide turns) Tj ET`);
const STYLE = `body { font: 16px sans-serif; max-width: 900px; margin: auto } header { background: #175; color: white }`;
const PARAGRAPHS = Array.from({ length: 60 }, (_, at) => `<h2>Part ${at}</h2><p>${'The mill turns. '.repeat(20)}</p>`);

await using maker = await openMediaMaker();
const talk = ['-f', 'lavfi', '-i', 'sine=frequency=220:duration=1800', '-c:a', 'libmp3lame', '-b:a', '64k'];
const film = [
  '-f',
  'lavfi',
  '-i',
  'testsrc2=size=1280x720:rate=25:duration=20',
  '-c:v',
  'libx264',
  '-preset',
  'ultrafast',
  '-g',
  '125',
];
await using site = await serveWith((request, answer) => {
  if (request.url === '/style.css') answer.writeHead(200, { 'content-type': 'text/css' }).end(STYLE);
  else answer.writeHead(404).end();
});

try {
  const pdf = await fileOf('page.pdf', writePdf({ pages: [LINES.join('\n')] }));
  const [sound, video] = await Promise.all([maker.make('talk.mp3', talk), maker.make('film.mp4', film)]);
  const paths = { sound: await fileOf('talk.mp3', sound), video: await fileOf('film.mp4', video) };
  const picture = await fileOf('photo.jpg', await maker.make('photo.jpg', ['-i', paths.video, '-frames:v', '1']));
  const workFolder = join(folder, 'work');
  await mkdir(workFolder);
  const url = `${site.url}/`;
  const html = `<link rel="stylesheet" href="/style.css"><header><h1>Mill</h1></header>${PARAGRAPHS.join('')}`;
  const kept = new KeptFirstPage(workFolder, null);
  kept.keepFirstPage({ url, headers: [['content-type', 'text/html; charset=utf-8']], body: Buffer.from(html) });
  await kept.written;
  const sites = new FirstScreens(
    {
      context: {
        client: createGuardedClient({ userAgent: 'bench' }),
        dataDir: folder,
        startChild,
        pool,
        options: {},
        settings: () => Settings.parse({}),
      },
      log: { info: () => undefined, warn: () => undefined },
      folders: { workFolderPath: () => workFolder },
      policyOf: () => ({ allowHttp: true, privateHost: 'any' }),
    },
    folder,
  );
  const showSite = async () => draw({ kind: 'site', ...(await sites.showSite('', signal)) });
  const subjects: Record<string, () => Promise<void>> = {
    'document, PDF': () => draw({ kind: 'pdf', path: pdf }),
    'picture of 1280 by 720': () => draw({ kind: 'picture', path: picture }),
    'talk, half an hour of MP3': () => sketch(paths.sound),
    'video, 20 seconds of 720p': () => sketch(paths.video),
  };
  const cpu = new Map<string, number>();
  for (const [name, work] of Object.entries(subjects)) {
    await work();
    await sketches[Symbol.asyncDispose]();
    const { cpuSeconds } = await measured(async () => {
      for (let round = 0; round < ROUNDS; round += 1) await work();
      // A process counts when it has ended. It starts once for the recordings of a round.
      await sketches[Symbol.asyncDispose]();
    });
    cpu.set(name, cpuSeconds / ROUNDS);
  }
  // The browser counts when it has ended; its start is shared by all sites.
  const { cpuSeconds: all } = await measured(async () => {
    for (let round = 0; round < ROUNDS; round += 1) await showSite();
    await sites[Symbol.asyncDispose]();
  });
  const { cpuSeconds: one } = await measured(async () => {
    await showSite();
    await sites[Symbol.asyncDispose]();
  });
  cpu.set('site', (all - one) / (ROUNDS - 1));
  printTable([...cpu].map(([cover, seconds]) => ({ cover, 'CPU, ms': seconds * 1000 })));
  const share = ITEMS / KINDS;
  const total = [...cpu.values()].reduce((sum, seconds) => sum + seconds * share, one);
  process.stdout.write(`the first site with the start of its browser: ${one.toFixed(2)} s\n`);
  expectTarget(
    `${ITEMS} covers of ${KINDS} kinds take ${total.toFixed(1)} s of CPU (at most ${TARGET_SECONDS})`,
    total <= TARGET_SECONDS,
  );
} finally {
  await pool.close();
  await rm(folder, { recursive: true, force: true });
}
