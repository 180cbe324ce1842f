/**
 * How well searches rank: nDCG@10 and recall@50 on test collections, by words, by topics, and by both, as the product
 * searches. Topics are learned from the collection itself.
 *
 * `QUARRY_BENCH_COLLECTIONS` names folders (separated by `:`), each with one collection in the format of the classic
 * ones: a file of documents and one of queries with the marks `.I`, `.T` and `.W` (names that contain `all` and `qry`),
 * and one of judgements (`rel`) with a query and a document in a line. A document that is judged there is relevant.
 * Judgements name queries by their ids; where they name ids that no query has, by their places.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { INDEX_MIGRATIONS } from '../src-server/features/search/migrations.ts';
import { SearchClient } from '../src-server/features/search/service.ts';
import { insertChunk } from '../src-server/features/search/store.ts';
import { indexedWordsOf } from '../src-server/features/search/words.ts';
import { openStorage, type Storage } from '../src-server/platform/db/database.ts';
import { expectTarget, printTable } from './figures.ts';
import { learnAll } from './search-index.ts';

const OWNER = 'owner';
const DEPTH = 50;
const FIRST = 10;
/** By the first word of a folder's name. */
const TARGETS: Readonly<Record<string, number>> = { cran: 0.56, cisi: 0.42 };

interface Entry {
  id: number;
  title: string;
  text: string;
}

interface Collection {
  name: string;
  documents: Entry[];
  /** With the ids of relevant documents. */
  queries: { text: string; relevant: ReadonlySet<number> }[];
}

function entriesOf(path: string): Entry[] {
  const entries: Entry[] = [];
  let mark = '';
  for (const line of readFileSync(path, 'latin1').split(/\r?\n/)) {
    const id = /^\.I\s+(\d+)/.exec(line)?.[1];
    const begun = /^\.([A-Z])\s*$/.exec(line)?.[1];
    const entry = entries.at(-1);
    if (id !== undefined) entries.push({ id: Number(id), title: '', text: '' });
    if (id !== undefined || begun !== undefined) mark = begun ?? '';
    else if (entry !== undefined && mark === 'T') entry.title += `${line} `;
    else if (entry !== undefined && mark === 'W') entry.text += `${line} `;
  }
  return entries;
}

function readCollection(folder: string): Collection {
  const names = readdirSync(folder);
  const fileOf = (part: RegExp) => join(folder, names.find((name) => part.test(name)) ?? 'missing');
  const judged = new Map<number, Set<number>>();
  for (const line of readFileSync(fileOf(/rel/i), 'latin1').split('\n')) {
    const [query, document] = line.trim().split(/\s+/).map(Number);
    if (query === undefined || document === undefined) continue;
    judged.set(query, (judged.get(query) ?? new Set()).add(document));
  }
  const queries = entriesOf(fileOf(/qry/i));
  const ids = new Set(queries.map(({ id }) => id));
  const isById = [...judged.keys()].every((id) => ids.has(id)) && Math.max(...judged.keys()) > queries.length / 2;
  const isByPlace = queries.length === judged.size || !isById;
  return {
    name: basename(folder),
    documents: entriesOf(fileOf(/all/i)),
    queries: queries.flatMap(({ id, title, text }, at) => {
      const relevant = judged.get(isByPlace ? at + 1 : id);
      return relevant === undefined ? [] : [{ text: `${title} ${text}`.replace(/\s+/g, ' ').trim(), relevant }];
    }),
  };
}

function addDocuments(storage: Storage, documents: readonly Entry[]): void {
  storage.transaction((tx) => {
    for (const { id, title, text } of documents) {
      const chunk = {
        ...{ account_id: OWNER, job_id: 'job', job_type: 'extract/doc', contribution_id: null, kind: 'text' },
        ...{ chunk_id: String(id), language: 'en', page: 1, heading: title, url: null, source_name: null },
        ...{ start_seconds: null, text, original_text: null },
      };
      insertChunk(tx, chunk, indexedWordsOf(chunk));
    }
  });
}

function gained(found: readonly number[], relevant: ReadonlySet<number>): number {
  const gain = (places: Iterable<number>) => [...places].reduce((sum, place) => sum + 1 / Math.log2(place + 2), 0);
  const hits = found.slice(0, FIRST).flatMap((id, place) => (relevant.has(id) ? [place] : []));
  return gain(hits) / gain(Array.from({ length: Math.min(FIRST, relevant.size) }).keys());
}

async function measure(collection: Collection): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-meaning-'));
  const path = join(folder, 'search.db');
  const storage = await openStorage(path, { migrations: INDEX_MIGRATIONS });
  const entry = new URL('../src-server/features/search/search-thread.ts', import.meta.url);
  const client = new SearchClient({ entry, indexPath: path });
  try {
    addDocuments(storage, collection.documents);
    const seconds = await learnAll(storage);
    const rows = [];
    for (const [name, lexical, topics] of [
      ['words', true, false],
      ['topics', false, true],
      ['words and topics', true, true],
    ] as const) {
      let [ndcg, recall] = [0, 0];
      for (const { text, relevant } of collection.queries) {
        const { results } = await client.searchIndex({
          ...{ accountId: OWNER, jobs: { shared: [], removed: [] }, filter: {}, vector: null },
          ...{ query: text, limit: DEPTH, lexical, topics },
        });
        const found = results.map(({ chunkId }) => Number(chunkId));
        ndcg += gained(found, relevant) / collection.queries.length;
        recall += found.filter((id) => relevant.has(id)).length / relevant.size / collection.queries.length;
      }
      rows.push({ collection: collection.name, search: name, 'nDCG@10': ndcg, 'recall@50': recall });
    }
    const { documents, queries } = collection;
    process.stdout.write(
      `${documents.length} documents, ${queries.length} queries, learned in ${seconds.toFixed(1)} s\n`,
    );
    printTable(rows);
    const target = TARGETS[collection.name.split(/\W/, 1)[0]?.toLowerCase() ?? ''];
    const best = rows.at(-1)?.['nDCG@10'] ?? 0;
    if (target !== undefined) expectTarget(`${collection.name}: nDCG@10 is at least ${target}`, best >= target);
  } finally {
    await client.closeSearchClient();
    storage.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const folders = (process.env.QUARRY_BENCH_COLLECTIONS ?? '').split(':').filter((folder) => folder !== '');
if (folders.length === 0) process.stdout.write('Name folders with collections in QUARRY_BENCH_COLLECTIONS.\n');
for (const folder of folders) await measure(readCollection(folder));
