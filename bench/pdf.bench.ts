/**
 * PDF text beside pdftotext and mutool: `pdf.bench.ts [folder…]`. Pages per second on all cores (the peers run one
 * process for each core, each on its share of the pages), the peak memory of a 1,000-page PDF, and, for the PDFs of the
 * folders, the share of pdftotext's words that is found. Words are runs of letters and digits without regard to case.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPdfExtractor } from '../src-server/engines/pdf-engine.ts';
import { createWorkerPool } from '../src-server/engines/worker-pool.ts';
import { GIB, MIB } from '../src-server/lib/units.ts';
import { bookPdf } from './pdf-inputs.ts';

const PAGES = 1000;
const ROUNDS = 5;
const MEMORY_FLAG = '--memory-of';
const ENGLISH_DATA = fileURLToPath(new URL('../resources/ocr/eng.traineddata', import.meta.url));
const threads = availableParallelism();

function openEngine(folder: string) {
  const entry = new URL('../workers/entry.ts', import.meta.url);
  const pool = createWorkerPool({ entry, threads, memoryLimitBytes: 16 * GIB });
  const ocr = { modelFor: async () => ({ name: 'eng', path: ENGLISH_DATA }) };
  const extract = createPdfExtractor({ runTask: pool.run, threads, ocr });
  let count = 0;
  return {
    close: () => pool.close(),
    async extract(path: string) {
      count += 1;
      const filesFolder = join(folder, `job ${count}`, 'files');
      mkdirSync(filesFolder, { recursive: true });
      const source = { path, fileName: null, sizeBytes: statSync(path).size, kind: 'pdf' as const };
      const job = {
        accountId: 'owner',
        filesFolder,
        workFolder: join(folder, `job ${count}`, 'work'),
        urlOf: (name: string) => name,
        progress() {},
      };
      const options = { segmentLength: 1000, includeComments: false };
      const { document } = await extract(source, options, job, new AbortController().signal);
      return { document, textPath: join(filesFolder, 'document.txt') };
    },
  };
}

/** Seconds of the peer, one process for each core, each on its share of the pages. */
async function peerSeconds(command: string, argsOf: (first: number, last: number) => string[]): Promise<number> {
  const started = performance.now();
  const share = Math.ceil(PAGES / threads);
  await Promise.all(
    Array.from({ length: threads }, (_, index) => {
      const args = argsOf(index * share + 1, Math.min(PAGES, (index + 1) * share));
      return new Promise<void>((resolve, reject) => {
        spawn(command, args, { stdio: 'ignore' })
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
  const engine = openEngine(folder);
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
    print(`${name.padEnd(12)} ${Math.round(PAGES / median(values))} pages/s on ${threads} cores`);
  }
}

/** Runs in a process of its own, so that only the one document counts. */
async function reportMemory(path: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'quarry bench '));
  const engine = openEngine(folder);
  await engine.extract(path);
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
  print(
    `quarry       ${Math.round((process.resourceUsage().maxRSS * 1024) / MIB)} MB at most, ${PAGES} pages, all threads`,
  );
}

async function measureWords(folder: string, sources: string[]): Promise<void> {
  const engine = openEngine(folder);
  let found = 0;
  let all = 0;
  for (const path of sources) {
    try {
      const peer = wordsOf(execFileSync('pdftotext', ['-q', path, '-'], { maxBuffer: GIB, encoding: 'utf8' }));
      const own = wordsOf(readFileSync((await engine.extract(path)).textPath, 'utf8'));
      const hits = countShared(peer, own);
      found += hits;
      all += peer.length;
      print(`${(peer.length === 0 ? 1 : hits / peer.length).toFixed(4)} ${path}`);
    } catch (error) {
      print(`failed ${path}: ${(error as Error).message.split('\n')[0]}`);
    }
  }
  await engine.close();
  print(`${(found / Math.max(1, all)).toFixed(4)} of pdftotext's words in ${sources.length} files`);
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .replaceAll('\u00AD', '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

function countShared(expected: string[], found: string[]): number {
  const left = new Map<string, number>();
  for (const word of found) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of expected) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    shared += 1;
    left.set(word, count - 1);
  }
  return shared;
}

function pdfsIn(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.toLowerCase().endsWith('.pdf'))
    .map((name) => join(path, name));
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
  await measureWords(folder, process.argv.length > 2 ? process.argv.slice(2).flatMap(pdfsIn) : [path]);
  rmSync(folder, { recursive: true, force: true });
}
