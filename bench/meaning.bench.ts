/**
 * How well searches rank: nDCG@10 and recall@50 of documents on test collections, by words, by topics, and by both, as
 * the product searches, in chunks as the product cuts them. First each collection alone, then, where several are given,
 * all in one account. Topics are learned from the account's own chunks.
 *
 * `QUARRY_BENCH_COLLECTIONS` names folders (separated by `:`), each with one collection; `collections.ts` says in which
 * formats. They come from https://ir.dcs.gla.ac.uk/resources/test_collections/. A document that is judged is relevant.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INDEX_MIGRATIONS } from '../src-server/features/search/migrations.ts';
import { SearchClient } from '../src-server/features/search/service.ts';
import { insertChunk } from '../src-server/features/search/store.ts';
import { indexedWordsOf } from '../src-server/features/search/words.ts';
import { openStorage, type Storage } from '../src-server/platform/db/database.ts';
import { splitText } from '../src-server/platform/text/split-text.ts';
import { type Collection, readCollection } from './collections.ts';
import { expectTarget, printTable } from './figures.ts';
import { learnAll } from './search-index.ts';

const OWNER = 'owner';
const DEPTH = 50;
const FIRST = 10;
const CHUNK_CHARS = 1000;

/** Alone and together, by the first word of a folder's name. */
const TARGETS: Readonly<Record<string, number>> = { cran: 0.56, cisi: 0.42, med: 0.75, time: 0.68, npl: 0.45 };

const WAYS = [
  ['words', true, false],
  ['topics', false, true],
  ['words and topics', true, true],
] as const;

/** Chunks of about the length that documents are cut to by default. */
function* chunksOf(text: string): Generator<string> {
  const split = { targetLength: CHUNK_CHARS, maxLength: 1.25 * CHUNK_CHARS, maxWordLength: 4 * CHUNK_CHARS };
  let chunk = '';
  for (const { start, end } of splitText(text, { start: 0, end: text.length }, { ...split, language: 'en' })) {
    const sentence = text.slice(start, end);
    if (chunk !== '' && chunk.length + sentence.length >= CHUNK_CHARS) {
      yield chunk;
      chunk = '';
    }
    chunk = chunk === '' ? sentence : `${chunk} ${sentence}`;
  }
  if (chunk !== '') yield chunk;
}

function addDocuments(storage: Storage, { name, documents }: Collection): number {
  let chunks = 0;
  storage.transaction((tx) => {
    for (const { id, title, text } of documents) {
      for (const part of chunksOf(text)) {
        const chunk = {
          ...{
            account_id: OWNER,
            job_id: `${name} ${id}`,
            job_type: 'extract/doc',
            contribution_id: null,
            kind: 'text',
          },
          ...{ chunk_id: `chunk ${chunks}`, language: 'en', page: 1, heading: title, url: null, source_name: null },
          ...{ start_seconds: null, text: part, original_text: null },
        };
        insertChunk(tx, chunk, indexedWordsOf(chunk));
        chunks += 1;
      }
    }
  });
  return chunks;
}

function gained(found: readonly string[], relevant: ReadonlySet<string>): number {
  const gain = (places: Iterable<number>) => [...places].reduce((sum, place) => sum + 1 / Math.log2(place + 2), 0);
  const hits = found.slice(0, FIRST).flatMap((id, place) => (relevant.has(id) ? [place] : []));
  return gain(hits) / gain(Array.from({ length: Math.min(FIRST, relevant.size) }).keys());
}

interface Row extends Record<string, string | number> {
  collection: string;
  search: string;
}

async function rankQueries(client: SearchClient, { name, queries }: Collection): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [search, lexical, topics] of WAYS) {
    let [ndcg, recall] = [0, 0];
    for (const { text, relevant } of queries) {
      const { results } = await client.searchIndex({
        ...{ accountId: OWNER, jobs: { shared: [], removed: [] }, filter: {}, vector: null },
        ...{ query: text, limit: DEPTH, lexical, topics },
      });
      const found = [...new Set(results.map(({ jobId }) => jobId ?? ''))];
      const wanted = new Set([...relevant].map((id) => `${name} ${id}`));
      ndcg += gained(found, wanted) / queries.length;
      recall += found.filter((id) => wanted.has(id)).length / wanted.size / queries.length;
    }
    rows.push({ collection: name, search, 'nDCG@10': ndcg, 'recall@50': recall });
  }
  return rows;
}

async function measure(collections: readonly Collection[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-meaning-'));
  const path = join(folder, 'search.db');
  const storage = await openStorage(path, { migrations: INDEX_MIGRATIONS });
  const entry = new URL('../src-server/features/search/search-thread.ts', import.meta.url);
  const client = new SearchClient({ entry, indexPath: path });
  try {
    let chunks = 0;
    for (const collection of collections) chunks += addDocuments(storage, collection);
    const seconds = await learnAll(storage);
    const names = collections.map(({ name }) => name).join(', ');
    process.stdout.write(`\n${names}: ${chunks} chunks, learned in ${seconds.toFixed(1)} s of CPU\n`);
    const rows: Row[] = [];
    for (const collection of collections) rows.push(...(await rankQueries(client, collection)));
    printTable(rows);
    expectTargets(rows, names);
  } finally {
    await client.closeSearchClient();
    storage.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function expectTargets(rows: readonly Row[], among: string): void {
  for (const { collection, search, 'nDCG@10': ndcg } of rows) {
    if (search !== 'words and topics' || typeof ndcg !== 'number') continue;
    const words = rows.find((row) => row.collection === collection && row.search === 'words')?.['nDCG@10'];
    const claim = `${collection} among ${among}`;
    expectTarget(`${claim}: both are not below words alone`, ndcg >= Number(words));
    const target = TARGETS[collection.split(/\W/, 1)[0]?.toLowerCase() ?? ''];
    if (target !== undefined) expectTarget(`${claim}: nDCG@10 is at least ${target}`, ndcg >= target);
  }
}

const folders = (process.env.QUARRY_BENCH_COLLECTIONS ?? '').split(':').filter((folder) => folder !== '');
if (folders.length === 0) process.stdout.write('Name folders with collections in QUARRY_BENCH_COLLECTIONS.\n');
const collections = folders.map(readCollection);
for (const collection of collections) await measure([collection]);
if (collections.length > 1) await measure(collections);
