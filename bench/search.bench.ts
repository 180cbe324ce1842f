/**
 * Searches an index of generated chunks in a temporary folder, through the thread that the server searches with: how
 * long an answer takes, beside plain FTS5 asked the same over the same texts (all of the words, and any of them, ranked
 * over the whole table by bm25). Half of the chunks are one account's, the rest is shared by twenty.
 * `QUARRY_BENCH_CHUNKS` sets how many chunks there are; a million by default, which takes some minutes to build.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import SqliteDatabase from 'better-sqlite3';
import type { SearchRequest } from '../src-server/features/search/rank.ts';
import { SearchClient } from '../src-server/features/search/service.ts';
import { storedForms } from '../src-server/features/search/vectors.ts';
import { expectTarget, median, percentile, printTable } from './figures.ts';
import { buildIndexes, cpuSeconds, EMBEDDER, OWNER, randomVector, SMALL_ACCOUNTS, word } from './search-index.ts';

const CHUNKS = Number(process.env.QUARRY_BENCH_CHUNKS ?? 1_000_000);
const QUERIES = 200;
const WORDS_MAX = 4;
const P95 = 0.95;
const TARGET_MS = 100;
const NANOSECONDS_PER_MS = 1e6;
const DAYS = { from: '2026-03-01', to: '2026-06-30' };
const SOURCE = { source: 'site-1.example' };

const rows: { search: string; 'median ms': number; 'p95 ms': number; 'p95 CPU ms': number }[] = [];

interface Times {
  passed: number[];
  /** Of all threads. */
  cpu: number[];
}

function keep(search: string, { passed, cpu }: Times): void {
  rows.push({
    search,
    'median ms': median(passed),
    'p95 ms': percentile(passed, P95),
    'p95 CPU ms': percentile(cpu, P95),
  });
}

async function timesOf(work: (query: number, words: string[]) => unknown): Promise<Times> {
  const times: Times = { passed: [], cpu: [] };
  for (let query = 0; query < QUERIES; query += 1) {
    const words = Array.from({ length: 1 + (query % WORDS_MAX) }, word);
    const [begun, cpu] = [performance.now(), cpuSeconds()];
    await work(query, words);
    times.passed.push(performance.now() - begun);
    times.cpu.push((cpuSeconds() - cpu) * 1000);
  }
  return times;
}

const folder = mkdtempSync(join(tmpdir(), 'quarry-search-'));
try {
  const built = await buildIndexes(folder, CHUNKS);
  const seconds = Object.entries(built).map(([name, took]) => `${name} ${took.toFixed(1)} s`);
  process.stdout.write(`${CHUNKS} chunks indexed, in CPU seconds: ${seconds.join(', ')}\n`);
  const client = new SearchClient({
    entry: new URL('../src-server/features/search/search-thread.ts', import.meta.url),
    indexPath: join(folder, 'search.db'),
  });
  const ask = (words: string[], more: Partial<SearchRequest>, facets = false) =>
    client.searchIndex(
      {
        accountId: OWNER,
        jobs: { shared: [], removed: [] },
        query: words.join(' '),
        limit: 10,
        filter: {},
        lexical: true,
        vector: null,
        ...more,
      },
      facets ? 'facets' : 'none',
    );
  const small = (query: number) => ({ accountId: `account ${1 + 2 * (query % (SMALL_ACCOUNTS / 2))}` });
  const vector = () => ({ embedder: EMBEDDER, ...storedForms(randomVector()) });
  await ask(['first'], {});
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  keep(`quarry, ${CHUNKS / 2} chunks of one account`, await timesOf((_, words) => ask(words, {})));
  keep('quarry, the same of one type', await timesOf((_, words) => ask(words, { filter: { jobType: 'crawl' } })));
  keep('quarry, a small account', await timesOf((query, words) => ask(words, small(query))));
  keep('quarry, words and meaning, one account', await timesOf((_, words) => ask(words, { vector: vector() })));
  const topics = { topics: true };
  keep('quarry, words and topics, one account', await timesOf((_, words) => ask(words, topics)));
  keep('quarry, topics alone', await timesOf((_, words) => ask(words, { ...topics, lexical: false })));
  keep('quarry, words and topics, of some days', await timesOf((_, words) => ask(words, { ...topics, filter: DAYS })));
  keep('quarry, words and topics, of a source', await timesOf((_, words) => ask(words, { ...topics, filter: SOURCE })));
  keep('quarry, words and topics with facets', await timesOf((_, words) => ask(words, topics, true)));
  keep(
    'quarry, words, meaning and topics, one account',
    await timesOf((_, words) => ask(words, { ...topics, vector: vector() })),
  );
  keep(
    'quarry, words and meaning, a small account',
    await timesOf((query, words) => ask(words, { ...small(query), vector: vector() })),
  );
  delays.disable();
  const held = (delays.percentile(99) / NANOSECONDS_PER_MS).toFixed(1);
  process.stdout.write(`the server's thread beside these searches: p99 of its turns ${held} ms\n`);
  await client.closeSearchClient();
  const plain = new SqliteDatabase(join(folder, 'plain.db'), { readonly: true });
  const rank = plain.prepare('select rowid from plain where plain match ? order by rank limit 10');
  for (const [name, joint] of [
    ['all of the words', ' AND '],
    ['any of the words', ' OR '],
  ] as const) {
    keep(`plain FTS5, ${name}`, await timesOf((_, words) => rank.all(words.map((one) => `"${one}"`).join(joint))));
  }
  plain.close();
  printTable(rows);
  const ours = rows.filter(({ search }) => search.startsWith('quarry'));
  const slowest = Math.max(...ours.map((row) => row['p95 ms']));
  expectTarget(`p95 of every kind of search among ${CHUNKS} chunks is under ${TARGET_MS} ms`, slowest < TARGET_MS);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
