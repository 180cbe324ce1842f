/** Two chunks of a document together come before one that is as good by itself. */
import { expect, test } from 'vitest';
import { type Ranked, rankWithDocuments } from '../../src-server/features/search/rank.ts';
import { insertChunk } from '../../src-server/features/search/store.ts';
import { indexedWordsOf } from '../../src-server/features/search/words.ts';
import { temporaryIndex } from './chunks.ts';

const PLACES = [
  { job_id: 'lease', url: null },
  { job_id: 'report', url: null },
  { job_id: 'report', url: null },
  { job_id: 'site', url: 'http://harbour.example/a' },
  { job_id: 'site', url: 'http://harbour.example/b' },
];

test('the best other chunk of a document counts, one of another page of its site does not', async () => {
  await using index = await temporaryIndex();
  const { storage } = index;
  const seqs = PLACES.map((place, number) => {
    const row = {
      ...{ account_id: 'account', job_type: 'crawl', contribution_id: null, chunk_id: String(number), kind: 'text' },
      ...{ language: null, page: 1, heading: null, source_name: null, start_seconds: null, original_text: null },
      ...{ text: `Chunk ${number}.`, ...place },
    };
    return storage.transaction((tx) => insertChunk(tx, row, indexedWordsOf(row)));
  });
  const [lease = 0, first = 0, second = 0, one = 0, other = 0] = seqs;
  const ranked: Ranked[] = [
    [lease, 0.5],
    [one, 0.49],
    [other, 0.48],
    [first, 0.45],
    [second, 0.4],
  ];
  const order = rankWithDocuments(storage.db, ranked, 10).map(([seq]) => seq);
  expect(order).toEqual([first, second, lease, one, other]);
  expect(rankWithDocuments(storage.db, [[lease, 1]], 10)).toEqual([[lease, 1]]);
  expect(rankWithDocuments(storage.db, ranked, 1)).toHaveLength(1);
  const scores = rankWithDocuments(
    storage.db,
    [
      [first, 1],
      [second, 0.9],
    ],
    10,
  ).map(([, score]) => score);
  expect(Math.max(...scores)).toBe(1);
});
