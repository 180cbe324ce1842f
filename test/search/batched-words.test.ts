/** The words of many chunks are kept with a few statements: the same words as those of each chunk by itself. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { writeWithWords } from '../../src-server/features/search/word-store.ts';
import type { Storage, Tx } from '../../src-server/platform/db/database.ts';
import { addChunks, temporaryIndex } from './chunks.ts';

const TEXTS = [
  'The harbour office of the port was open, and the JavaScript of it was not; see deepStrictEqual.',
  'javascript and deepstrictequal in small letters, for the reader of the harbour.',
  'Die Haftpflichtversicherung der Schiffe ist nicht die des Hafens, und das Dampfschiff fährt auf dem Fluss.',
  'Les chevaux de la ville sont dans les prés, et le cheval est au port.',
  'Прилив и отлив: приливы высоки. الميناء مفتوح. Το λιμάνι είναι ανοιχτό. 潮汐表を見る。',
  'Version 2.1.3, code AB-1234, é and e\u0301, ﬁle and file, ＦＵＬＬ width, Straße, łódź, x'.repeat(2),
];

/** Writes in a transaction that is open, as the index is written. */
function within(storage: Storage, tx: Tx): Storage {
  return { ...storage, transaction: (work) => work(tx) };
}

function kept({ db }: Storage): unknown[] {
  return [
    db.queryAll(sql`select term, humps, is_compound from search_words order by term`),
    db.queryAll(sql`select language, stem, term from search_stems order by language, stem, term`),
    db.queryAll(sql`select w.term from search_compounds as c join search_words as w on w.id = c.rowid order by w.term`),
  ];
}

test('the words of chunks written together are those of chunks written one by one', async () => {
  await using alone = await temporaryIndex();
  for (const text of TEXTS) addChunks(alone.storage, [text]);
  await using together = await temporaryIndex();
  writeWithWords(together.storage, (tx) => addChunks(within(together.storage, tx), TEXTS));
  expect(kept(together.storage)).toEqual(kept(alone.storage));
  const [terms, stems, compounds] = kept(together.storage) as [unknown[], unknown[], unknown[]];
  expect([terms.length > 60, stems.length > 30, compounds.length > 1]).toEqual([true, true, true]);
  expect(terms).toContainEqual({ term: 'javascript', humps: '', is_compound: 0 });
});

test('words of a transaction that fails are not taken as known', async () => {
  await using index = await temporaryIndex();
  const { storage } = index;
  expect(() =>
    writeWithWords(storage, (tx) => {
      addChunks(within(storage, tx), ['The quay was lit.']);
      throw new Error('The disk is full.');
    }),
  ).toThrow('The disk is full.');
  expect(kept(storage)[0]).toEqual([]);
  addChunks(storage, ['The quay was lit.']);
  expect(kept(storage)[0]).toHaveLength(4);
});
