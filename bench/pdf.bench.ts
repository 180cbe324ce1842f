/**
 * PDF text beside pdftotext and mutool: pages per second on all cores (the peers run one process for each core, each on
 * its share of the pages), and the peak memory of a 1,000-page PDF. What is found is measured by extract-quality.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIB } from '../src-server/platform/units.ts';
import { shown } from './figures.ts';
import { bookPdf } from './pdf-inputs.ts';
import { openPdfSubject, THREADS } from './pdf-subject.ts';

const PAGES = 1000;
const ROUNDS = 5;
const MEMORY_FLAG = '--memory-of';

/** Seconds of the peer, one process for each core, each on its share of the pages, and as low in rank as our threads. */
async function peerSeconds(command: string, argsOf: (first: number, last: number) => string[]): Promise<number> {
  const started = performance.now();
  const share = Math.ceil(PAGES / THREADS);
  await Promise.all(
    Array.from({ length: THREADS }, (_, index) => {
      const args = argsOf(index * share + 1, Math.min(PAGES, (index + 1) * share));
      return new Promise<void>((resolve, reject) => {
        spawn('nice', ['-n', '10', command, ...args], { stdio: 'ignore' })
          .on('error', reject)
          .on('exit', () => resolve());
      });
    }),
  );
  return (performance.now() - started) / 1000;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function measureSpeed(folder: string, path: string): Promise<void> {
  const engine = openPdfSubject(folder);
  await engine.extract(path);
  const times: Record<string, number[]> = { quarry: [], pdftotext: [], mutool: [] };
  // In turns, so that whatever else the machine does meets all of them alike.
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    await engine.extract(path);
    times.quarry?.push((performance.now() - started) / 1000);
    times.pdftotext?.push(
      await peerSeconds('pdftotext', (first, last) => ['-f', `${first}`, '-l', `${last}`, path, '/dev/null']),
    );
    times.mutool?.push(
      await peerSeconds('mutool', (first, last) => [
        'draw',
        '-q',
        '-F',
        'txt',
        '-o',
        '/dev/null',
        path,
        `${first}-${last}`,
      ]),
    );
  }
  await engine.close();
  for (const [name, values] of Object.entries(times)) {
    print(`${name.padEnd(12)} ${Math.round(PAGES / median(values))} pages/s on ${THREADS} cores`);
  }
  print(`load ${loadavg().map(shown).join(' ')}`);
}

/** Runs in a process of its own, so that only the one document counts. */
async function reportMemory(path: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'quarry bench '));
  const engine = openPdfSubject(folder);
  await engine.extract(path);
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
  print(
    `quarry       ${Math.round((process.resourceUsage().maxRSS * 1024) / MIB)} MB at most, ${PAGES} pages, all threads`,
  );
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const [first, second] = process.argv.slice(2);
if (first === MEMORY_FLAG && second !== undefined) await reportMemory(second);
else {
  const folder = mkdtempSync(join(tmpdir(), 'quarry bench '));
  const path = join(folder, 'book.pdf');
  writeFileSync(path, bookPdf(PAGES));
  await measureSpeed(folder, path);
  spawnSync(process.execPath, [import.meta.filename, MEMORY_FLAG, path], { stdio: 'inherit' });
  rmSync(folder, { recursive: true, force: true });
}
