import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { crawlPort } from '../../src-server/engines/crawl/crawl-engine.ts';
import { createWorkerPool, type WorkerPool } from '../../src-server/engines/worker-pool.ts';
import { systemClock } from '../../src-server/lib/clock.ts';
import { GIB } from '../../src-server/lib/units.ts';
import { createGuardedClient, type GuardedClient } from '../../src-server/sources/guarded-client.ts';
import { openCrawlLedger } from '../../src-server/storage/crawl-ledger.ts';
import { type LocalSite, serveFiles } from '../harness/local-site.ts';

let pool: WorkerPool;
let client: GuardedClient;
let site: LocalSite;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry crawl '));
  pool = createWorkerPool({ entry: new URL('../../workers/entry.ts', import.meta.url), memoryLimitBytes: 4 * GIB });
  client = createGuardedClient({ userAgent: 'Quarry/test' });
  site = await serveFiles({ '/': '<p>Nobody outside may read this.</p>' });
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await client.close();
  await pool.close();
  await rm(folder, { recursive: true, force: true });
});

async function crawl(rootUrl: string, allowPrivateNetworks: boolean) {
  const jobFolder = await mkdtemp(join(folder, 'job '));
  await mkdir(join(jobFolder, 'files'));
  const port = crawlPort({
    client,
    runTask: pool.run,
    clock: systemClock,
    accountId: '0x1',
    policy: { allowHttp: true, allowPrivateNetworks },
    limits: { maxPages: 10, timeLimitMs: 60_000, delayMs: 0 },
    workFolder: join(jobFolder, 'work'),
    filesFolder: join(jobFolder, 'files'),
    urlOf: (name) => name,
    progress: () => {},
    openLedger: openCrawlLedger,
    earlierFolder: async () => null,
  });
  return port.crawl({ rootUrl, depth: 1 }, new AbortController().signal);
}

test.each(['127.0.0.1', 'localhost', '0x7f000001', '127.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0'])(
  'a crawl for others of %s is refused, and nothing is asked for',
  async (host) => {
    const asked = site.requests.length;
    const url = `http://${host}:${new URL(site.url).port}/`;
    await expect(crawl(url, false)).rejects.toMatchObject({ code: 'source_forbidden' });
    expect(site.requests.length).toBe(asked);
  },
);

test('a host that does not answer is named as the reason', async () => {
  const closed = await serveFiles({});
  await closed[Symbol.asyncDispose]();
  await expect(crawl(`${closed.url}/`, true)).rejects.toMatchObject({ code: 'source_unreachable', retryable: true });
});

test('where private networks are open, the same page is read', async () => {
  expect((await crawl(`${site.url}/`, true)).pages).toHaveLength(1);
});
