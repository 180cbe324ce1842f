/**
 * What it costs to watch a folder with 10,000 small files: to find them at the start, to wait for changes, and to find
 * 10,000 more that another process writes in one go, which is more than the system reports.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FolderEye } from '../src-server/features/folders/folder-eye.ts';
import { expectTarget, printTable } from './figures.ts';

const FILES = 10_000;
const FOLDERS = 100;
const SETTLE_MS = 2000;
const TICK_MS = 250;
const IDLE_MS = 10_000;
const FOUND_CPU_MAX = 4;
const IDLE_CPU_MAX = 0.1;
const MEMORY_MB_MAX = 120;

const WRITER = `
  const { mkdirSync, writeFileSync } = require('node:fs');
  const [root, prefix] = process.argv.slice(1);
  for (let d = 0; d < ${FOLDERS}; d++) {
    mkdirSync(root + '/' + d, { recursive: true });
    for (let f = 0; f < ${FILES / FOLDERS}; f++) writeFileSync(root + '/' + d + '/' + prefix + f + '.txt', prefix + d + f);
  }`;

const root = realpathSync(mkdtempSync(join(tmpdir(), 'quarry-folders-')));
const write = (prefix: string) => spawnSync(process.execPath, ['-e', WRITER, root, prefix]);

interface Figures {
  cpuSeconds: number;
  seconds: number;
  memoryMb: number;
}

const known = new Map<string, string>();
const eye = new FolderEye({
  root,
  device: null,
  now: () => Date.now(),
  settleMs: () => SETTLE_MS,
  extensions: null,
  isKnown: (path, facts) => known.get(path) === facts.modifiedNs,
  hasKnown: () => known.size > 0,
  onLooked: async () => {},
  onChanged: () => {},
});

async function measured(work: () => Promise<void>): Promise<Figures> {
  const [cpu, begun] = [process.cpuUsage(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - begun) / 1000;
  global.gc?.();
  return { cpuSeconds: (user + system) / 1e6, seconds, memoryMb: process.memoryUsage().rss / 2 ** 20 - memoryBefore };
}

const isAny = () => false;

async function find(total: number): Promise<void> {
  while (known.size < total) {
    await eye.tickFolderEye();
    for (let file = eye.nextSettledFile(isAny); file !== undefined; file = eye.nextSettledFile(isAny)) {
      known.set(file.path, file.facts.modifiedNs);
      eye.forgetSettledFile(file);
    }
    await sleep(TICK_MS);
  }
}

async function wait(milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    await eye.tickFolderEye();
    await sleep(TICK_MS);
  }
}

write('a');
global.gc?.();
const memoryBefore = process.memoryUsage().rss / 2 ** 20;
const first = await measured(() => find(FILES));
await wait(2 * SETTLE_MS);
const idle = await measured(() => wait(IDLE_MS));
write('b');
const more = await measured(() => find(2 * FILES));
await eye.closeFolderEye();
rmSync(root, { recursive: true });

const row = (step: string, { cpuSeconds, seconds, memoryMb }: Figures) => {
  return { step, 'CPU s': cpuSeconds, s: seconds, 'memory MB': memoryMb };
};
printTable([
  row('10,000 files found and settled', first),
  row('10 s without changes', idle),
  row('10,000 more at once', more),
]);
expectTarget(`CPU seconds to find 10,000 files ≤ ${FOUND_CPU_MAX}`, first.cpuSeconds <= FOUND_CPU_MAX);
expectTarget(`CPU seconds in 10 s without changes ≤ ${IDLE_CPU_MAX}`, idle.cpuSeconds <= IDLE_CPU_MAX);
expectTarget(`Memory of the process more by ≤ ${MEMORY_MB_MAX} MB`, first.memoryMb <= MEMORY_MB_MAX);
