/** An index that version 2 has made learns the words of its chunks; words of deleted chunks go. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { INDEX_MIGRATIONS } from '../../src-server/features/search/migrations.ts';
import { expandQuery } from '../../src-server/features/search/query-words.ts';
import { rankChunks } from '../../src-server/features/search/rank.ts';
import { openSearchConnection } from '../../src-server/features/search/search-connection.ts';
import { deleteChunks } from '../../src-server/features/search/store.ts';
import { TopicWriter } from '../../src-server/features/search/topic-writer.ts';
import { openStorage, type Storage } from '../../src-server/platform/db/database.ts';
import { ACCOUNT, addChunks, temporaryIndex } from './chunks.ts';

const OLD_MIGRATIONS = Object.fromEntries(Object.entries(INDEX_MIGRATIONS).slice(0, 2));

const TEXTS = ['Die Schiffe liegen im Hafen und die Häuser sind alt.', 'Written in C++ today.', 'Written in C today.'];

/** As version 2 has indexed a chunk. */
function addOldChunks(storage: Storage): void {
  storage.transaction((tx) => {
    for (const [at, text] of TEXTS.entries()) {
      tx.runStatement(sql`insert into search_chunks (account_id, job_id, job_type, chunk_id, kind, page, text)
        values (${ACCOUNT}, 'job', 'crawl', ${String(at)}, 'text', 1, ${text})`);
      tx.runStatement(
        sql`insert into search_facts (seq, job_type, kind, day) values (${at + 1}, 'crawl', 'text', null)`,
      );
      const scope = 'accountxd8d2e6e0c8d9c7a1';
      tx.runStatement(
        sql`insert into search_text (rowid, scope, heading, body) values (${at + 1}, ${scope}, '', ${text})`,
      );
    }
  });
}

function stepAll(storage: Storage): void {
  const writer = new TopicWriter(storage, storage.db);
  for (let step = writer.stepTopics(); step === 'more'; step = writer.stepTopics());
}

test('words of old chunks are kept, in steps, and names with signs are indexed anew', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quarry test '));
  try {
    const path = join(folder, 'search.db');
    const old = await openStorage(path, { migrations: OLD_MIGRATIONS });
    addOldChunks(old);
    old.close();
    const storage = await openStorage(path, { migrations: INDEX_MIGRATIONS });
    expect(expandQuery(storage.db, 'Schiffen')[0]?.phrases).toEqual(['"Schiffen"']);
    stepAll(storage);
    expect(expandQuery(storage.db, 'Schiffen')[0]?.phrases).toEqual(['"Schiffen"', '"schiffe"']);
    const matches = (phrase: string) =>
      storage.db.queryAll(sql`select 1 from search_text where search_text match ${phrase}`).length;
    expect([matches('"cplusplus"'), matches('"c"')]).toEqual([1, 1]);
    const keys = storage.db.queryAll(sql<{ text_key: number }>`select text_key from search_facts`);
    expect(new Set(keys.map(({ text_key }) => text_key)).size).toBe(TEXTS.length);
    storage.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('words that no chunk has any more go, and the others stay', async () => {
  await using index = await temporaryIndex();
  const { storage, path } = index;
  addChunks(storage, ['Die Haftpflichtversicherung und die Zahlung sind fällig.', 'Die Zahlung ist nicht fällig.']);
  const seqs = storage.db.queryAll(storage.db.selectFrom('search_chunks').select('seq').orderBy('seq'));
  const first = seqs[0]?.seq ?? -1;
  storage.transaction((tx) => deleteChunks(tx, [first]));
  stepAll(storage);
  const terms = storage.db.queryAll(sql<{ term: string }>`select term from search_words order by term`);
  expect(terms.map(({ term }) => term)).toEqual(['die', 'fallig', 'ist', 'nicht', 'zahlung']);
  expect(
    storage.db.queryAll(sql`select 1 from search_compounds where search_compounds match '"versicherung"'`),
  ).toEqual([]);
  expect(storage.db.queryAll(sql`select 1 from search_stems where term = 'haftpflichtversicherung'`)).toEqual([]);
  // A word that comes again is kept again.
  addChunks(storage, ['Die Haftpflichtversicherung ist nicht fällig.']);
  const { db, close } = openSearchConnection(path);
  const asked = { accountId: ACCOUNT, jobs: { shared: [], removed: [] }, filter: {}, limit: 10, vector: null };
  expect(rankChunks(db, { ...asked, query: 'Versicherungen', lexical: true }, 'lexical')).toHaveLength(1);
  close();
});
