/**
 * `node --expose-gc bench/crawl-subject.ts <quarry|bare> <root> <pages>`: crawls the site once, in a process of its own,
 * and prints pages, seconds, CPU seconds, peak memory and what the heaps hold at the end (of this thread after a
 * collection, of the others as they are) as JSON. `bare` is a loop of undici and htmlparser2 that keeps nothing.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Parser } from 'htmlparser2';
import { Agent, request } from 'undici';
import { crawlPort } from '../src-server/engines/crawl/crawl-engine.ts';
import { createWorkerPool } from '../src-server/engines/worker-pool.ts';
import { systemClock } from '../src-server/lib/clock.ts';
import { GIB, HOUR_MS, MIB } from '../src-server/lib/units.ts';
import { createGuardedClient } from '../src-server/sources/guarded-client.ts';
import { openCrawlLedger } from '../src-server/storage/crawl-ledger.ts';

const CONCURRENCY = 16;
const [, , subject, root = '', pages = '2000'] = process.argv;

async function quarry(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry-crawl-'));
  const filesFolder = join(folder, 'files');
  await mkdir(filesFolder);
  const pool = createWorkerPool({ entry: new URL('../workers/entry.ts', import.meta.url), memoryLimitBytes: 4 * GIB });
  const client = createGuardedClient({ userAgent: 'Quarry/bench' });
  try {
    const port = crawlPort({
      client,
      runTask: pool.run,
      clock: systemClock,
      accountId: 'owner',
      policy: { allowHttp: true, allowPrivateNetworks: true },
      limits: { maxPages: Number(pages), timeLimitMs: HOUR_MS, delayMs: 0 },
      workFolder: join(folder, 'work'),
      filesFolder,
      urlOf: (name) => name,
      progress: () => {},
      openLedger: openCrawlLedger,
      earlierFolder: async () => null,
    });
    const result = await port.crawl({ rootUrl: root, depth: 3 }, new AbortController().signal);
    readHeaps();
    return result.stats.pages;
  } finally {
    await client.close();
    await pool.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** While the result and the threads are still there. */
let heapMib = 0;
function readHeaps(): void {
  globalThis.gc?.();
  const { workers = [] } = process.report.getReport() as { workers?: { javascriptHeap: { usedMemory: number } }[] };
  const ofThreads = workers.reduce((sum, { javascriptHeap }) => sum + javascriptHeap.usedMemory, 0);
  heapMib = (process.memoryUsage().heapUsed + ofThreads) / MIB;
}

async function bare(): Promise<number> {
  const agent = new Agent({ connections: CONCURRENCY });
  const seen = new Set([root]);
  const queue: [string, number][] = [[root, 0]];
  let read = 0;
  let next = 0;
  const visit = async ([url, depth]: [string, number]): Promise<void> => {
    const { body, statusCode } = await request(url, { dispatcher: agent });
    const html = await body.text();
    if (statusCode !== 200) return;
    read += 1;
    const parser = new Parser({
      onopentag(tag, { href }) {
        if (tag !== 'a' || href === undefined || depth >= 3) return;
        const link = new URL(href, url).href;
        if (seen.has(link)) return;
        seen.add(link);
        queue.push([link, depth + 1]);
      },
    });
    parser.end(html);
  };
  const lane = async (waiting: Set<Promise<void>>): Promise<void> => {
    while (next < queue.length || waiting.size > 0) {
      while (next < queue.length && waiting.size < CONCURRENCY) {
        const work: Promise<void> = visit(queue[next] as [string, number]).finally(() => waiting.delete(work));
        next += 1;
        waiting.add(work);
      }
      await Promise.race(waiting);
    }
  };
  await lane(new Set());
  readHeaps();
  await agent.close();
  return read;
}

const subjects: Record<string, () => Promise<number>> = { quarry, bare };
const begun = performance.now();
const count = await (subjects[subject ?? ''] ?? quarry)();
const seconds = (performance.now() - begun) / 1000;
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
process.stdout.write(`${JSON.stringify({ pages: count, seconds, cpuSeconds, peakMib: maxRSS / 1024, heapMib })}\n`);
process.exit(0);
