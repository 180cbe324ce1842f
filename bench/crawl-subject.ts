/**
 * `node --expose-gc bench/crawl-subject.ts <quarry|bare> <root> <pages> [again]`: crawls the site once, in a process of
 * its own, and prints pages, seconds, CPU seconds, peak memory and what the heaps hold at the end (of this thread after a
 * collection, of the others as they are) as JSON. With `again` it crawls twice, and the times are those of the second
 * crawl: threads run, and code is compiled. `bare` is a loop of undici and htmlparser2 that keeps nothing.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Parser } from 'htmlparser2';
import { Agent, request } from 'undici';
import { crawlPort } from '../src-server/engines/crawl/crawl-engine.ts';
import { createWorkerPool, type RunTask } from '../src-server/engines/worker-pool.ts';
import { systemClock } from '../src-server/lib/clock.ts';
import { GIB, HOUR_MS, MIB } from '../src-server/lib/units.ts';
import { createGuardedClient, type GuardedClient } from '../src-server/sources/guarded-client.ts';
import { openCrawlLedger } from '../src-server/storage/crawl-ledger.ts';

const CONCURRENCY = 16;
const [, , subject, root = '', pages = '2000', again = ''] = process.argv;

/** Starts what an appliance has running before a crawl. */
function startQuarry(): () => Promise<number> {
  const pool = createWorkerPool({ entry: new URL('../workers/entry.ts', import.meta.url), memoryLimitBytes: 4 * GIB });
  const client = createGuardedClient({ userAgent: 'Quarry/bench' });
  return () => quarry(pool.run, client);
}

async function quarry(runTask: RunTask, client: GuardedClient): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry-crawl-'));
  const filesFolder = join(folder, 'files');
  await mkdir(filesFolder);
  try {
    const port = crawlPort({
      client,
      runTask,
      clock: systemClock,
      accountId: 'owner',
      policy: { allowHttp: true, allowPrivateNetworks: true },
      limits: { maxPages: Number(pages), timeLimitMs: HOUR_MS, pageLimitMs: HOUR_MS, delayMs: 0 },
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

const begunCold = performance.now();
const crawl = subject === 'bare' ? bare : startQuarry();
if (again === 'again') await crawl();
const begun = again === 'again' ? performance.now() : begunCold;
const before = again === 'again' ? process.cpuUsage() : { user: 0, system: 0 };
const count = await crawl();
const seconds = (performance.now() - begun) / 1000;
const { user, system } = process.cpuUsage(before);
const cpuSeconds = (user + system) / 1e6;
const peakMib = process.resourceUsage().maxRSS / 1024;
process.stdout.write(`${JSON.stringify({ pages: count, seconds, cpuSeconds, peakMib, heapMib })}\n`);
process.exit(0);
