/**
 * Searches an index of generated chunks in a temporary folder: how long a query takes, at the median and the 95th
 * percentile, beside the same query asked of plain FTS5 (any of the words, ranked over the whole table, text and all).
 * `QUARRY_BENCH_CHUNKS` sets how many chunks there are; a million by default.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { wordsOf } from '../src-server/search/scope.ts';
import { search } from '../src-server/search/search.ts';
import { openStorage } from '../src-server/storage/connection.ts';
import { insertChunk } from '../src-server/storage/search-writer.ts';

const CHUNKS = Number(process.env.QUARRY_BENCH_CHUNKS ?? 1_000_000);
const WORDS_PER_CHUNK = 60;
const VOCABULARY = 60_000;
const ACCOUNTS = 20;
const QUERIES = 200;
const BATCH = 1000;

let state = 1;
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

/** Words as often as their rank says (Zipf), as in any language. */
function word(): string {
  const rank = Math.floor(Math.exp(random() * Math.log(VOCABULARY)));
  let name = '';
  for (let rest = rank + 700; rest > 0; rest = Math.floor(rest / 20)) {
    name += 'bcdfghjklmnpqrstvwxz'.charAt(rest % 20) + 'aeiou'.charAt(rest % 5);
  }
  return name;
}

function percentile(times: number[], share: number): string {
  const sorted = times.toSorted((one, other) => one - other);
  return `${(sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)} ms`;
}

const folder = mkdtempSync(join(tmpdir(), 'quarry-search-'));
try {
  const storage = await openStorage(join(folder, 'search.db'));
  const plain = new SqliteDatabase(join(folder, 'plain.db'));
  plain.exec('create virtual table plain using fts5 (text)');
  const insertPlain = plain.prepare('insert into plain (text) values (?)');
  const begun = performance.now();
  for (let done = 0; done < CHUNKS; done += BATCH) {
    const texts = Array.from({ length: BATCH }, () => Array.from({ length: WORDS_PER_CHUNK }, word).join(' '));
    await storage.transaction(async (tx) => {
      for (const [index, text] of texts.entries()) {
        const row = {
          account_id: `account ${(done + index) % ACCOUNTS}`,
          job_id: `job ${Math.floor((done + index) / 500)}`,
          job_type: 'crawl',
          contribution_id: null,
          chunk_id: `chunk ${done + index}`,
          kind: 'text',
          language: 'en',
          page: 1,
          heading: null,
          url: null,
          source_name: null,
          start_seconds: null,
          text,
          original_text: null,
        };
        await insertChunk(tx, row, wordsOf(row));
      }
    });
    plain.transaction(() => {
      for (const text of texts) insertPlain.run(text);
    })();
  }
  process.stdout.write(`${CHUNKS} chunks indexed in ${((performance.now() - begun) / 1000).toFixed(0)} s, both\n`);
  const rank = plain.prepare('select rowid from plain where plain match ? order by rank limit 10');
  const ours: number[] = [];
  const peer: number[] = [];
  for (let query = 0; query < QUERIES; query += 1) {
    const words = Array.from({ length: 1 + (query % 4) }, word);
    const first = performance.now();
    await search(storage, `account ${query % ACCOUNTS}`, { query: words.join(' '), limit: 10, filter: {} });
    const second = performance.now();
    rank.all(words.map((one) => `"${one}"`).join(' OR '));
    ours.push(second - first);
    peer.push(performance.now() - second);
  }
  process.stdout.write(`quarry      median ${percentile(ours, 0.5)}, p95 ${percentile(ours, 0.95)}\n`);
  process.stdout.write(`plain FTS5  median ${percentile(peer, 0.5)}, p95 ${percentile(peer, 0.95)}\n`);
  plain.close();
  await storage.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
