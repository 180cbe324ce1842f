/**
 * `node --expose-gc out/bench/crawl-subject.mjs <quarry|bare> <root> <pages> [again]`, which build-crawl-subject.ts
 * makes: crawls the site once, in a process of its own, and prints pages, seconds, CPU seconds (also by kind of thread),
 * peak memory and what the heaps hold at the end (of this thread after a collection, of the others as they are) as JSON.
 * With `again` it crawls twice, and the times are those of the second crawl: code is compiled. `bare` is a loop of undici
 * and htmlparser2 that keeps nothing.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Parser } from 'htmlparser2';
import { Agent, request } from 'undici';
import { openCrawlLedger } from '../src-server/features/crawl/frontier.ts';
import { PLAIN_CHOICE } from '../src-server/features/crawl/schema.ts';
import { crawlSite } from '../src-server/features/crawl/service.ts';
import { systemClock } from '../src-server/platform/clock.ts';
import { createGuardedClient, type GuardedClient } from '../src-server/platform/net/guarded-client.ts';
import { createWorkerPool, type RunTask } from '../src-server/platform/pool/worker-pool.ts';
import { GIB, HOUR_MS, MIB } from '../src-server/platform/units.ts';

const CONCURRENCY = 16;
const THREADS_START_MS = 1000;
const [, , subject, root = '', pages = '2000', again = ''] = process.argv;

interface Crawled {
  pages: number;
  /** What is still held when the time is taken, and given back then. */
  end(): Promise<void>;
}

/** Starts what an appliance has running before a crawl. */
function startQuarry(): () => Promise<Crawled> {
  const entry = new URL('../main/workers/entry.mjs', import.meta.url);
  const pool = createWorkerPool({ entry, memoryLimitBytes: 4 * GIB });
  const client = createGuardedClient({ userAgent: 'Quarry/bench' });
  return () => quarry(pool.run, client);
}

async function quarry(runTask: RunTask, client: GuardedClient): Promise<Crawled> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry-crawl-'));
  const filesFolder = join(folder, 'files');
  await mkdir(filesFolder);
  const job = {
    client,
    runTask,
    clock: systemClock,
    accountId: 'owner',
    policy: { allowHttp: true, privateHost: 'any' as const },
    limits: { maxPages: Number(pages), timeLimitMs: HOUR_MS, pageLimitMs: HOUR_MS, delayMs: 0 },
    workFolder: join(folder, 'work'),
    filesFolder,
    urlOf: (name: string) => name,
    progress: () => {},
    readDocument: () => Promise.reject(new Error('This crawl reads no documents.')),
    openLedger: openCrawlLedger,
    baseline: null,
    earlierFolder: () => null,
    onEarlierLost: () => {},
  };
  const result = await crawlSite(job, { rootUrl: root, depth: 3, choice: PLAIN_CHOICE }, new AbortController().signal);
  return {
    get pages() {
      return result.stats.pages;
    },
    end: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Of all threads, while the result is still there. */
function readHeaps(): number {
  globalThis.gc?.();
  const { workers = [] } = process.report.getReport() as { workers?: { javascriptHeap: { usedMemory: number } }[] };
  const ofThreads = workers.reduce((sum, { javascriptHeap }) => sum + javascriptHeap.usedMemory, 0);
  return (process.memoryUsage().heapUsed + ofThreads) / MIB;
}

/** CPU seconds of the threads so far, by what they are: Linux tells, elsewhere it is empty. */
function readThreads(): Record<string, number> {
  const seconds: Record<string, number> = {};
  if (process.platform !== 'linux') return seconds;
  for (const thread of readdirSync('/proc/self/task')) {
    const folder = `/proc/self/task/${thread}`;
    const name = Number(thread) === process.pid ? 'server' : readFileSync(`${folder}/comm`, 'utf8').trim();
    const nanoseconds = Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]);
    seconds[name] = (seconds[name] ?? 0) + nanoseconds / 1e9;
  }
  return seconds;
}

async function bare(): Promise<Crawled> {
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
  return { pages: read, end: () => agent.close() };
}

const crawl = subject === 'bare' ? bare : startQuarry();
const isAgain = again === 'again';
if (isAgain) await (await crawl()).end();
// Whoever asks for a crawl asks a server that listens: its threads have started. What that took of the CPU counts.
else await sleep(THREADS_START_MS);
const begun = performance.now();
const before = isAgain ? process.cpuUsage() : { user: 0, system: 0 };
const threadsBefore = isAgain ? readThreads() : {};
const crawled = await crawl();
const seconds = (performance.now() - begun) / 1000;
const { user, system } = process.cpuUsage(before);
const threads = Object.fromEntries(
  Object.entries(readThreads()).map(([name, at]) => [name, at - (threadsBefore[name] ?? 0)]),
);
const peakMib = process.resourceUsage().maxRSS / 1024;
const figures = { seconds, cpuSeconds: (user + system) / 1e6, threads, peakMib, heapMib: readHeaps() };
process.stdout.write(`${JSON.stringify({ pages: crawled.pages, ...figures })}\n`);
await crawled.end();
process.exit(0);
