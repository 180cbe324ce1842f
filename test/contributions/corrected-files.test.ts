/** The file of a job's chunks follows decisions, also those whose process died before it was written. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { CorrectedFiles } from '../../src-server/features/contributions/corrected-files.ts';
import { decideContribution, insertContribution } from '../../src-server/features/contributions/store.ts';
import type { Storage } from '../../src-server/platform/db/database.ts';
import { newId } from '../../src-server/platform/ids.ts';
import { temporaryStorage } from '../harness/queue.ts';

const JOB = 'job_one';
const LINES = ['first', 'second', 'third'].map((text, segmentIndex) => ({
  id: `c${segmentIndex}`,
  text,
  page: 1,
  segmentIndex,
  // What only the file says of a chunk.
  tokens: 1,
}));

async function opened() {
  const database = await temporaryStorage();
  const folder = join(dirname(database.path), 'files');
  await mkdir(folder);
  await writeFile(join(folder, 'chunks.jsonl'), LINES.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const errors: object[] = [];
  const log = { error: (fields: object) => errors.push(fields) };
  const open = () => new CorrectedFiles({ storage: database.storage, filesOf: () => folder, log });
  return { database, folder, errors, open };
}

/** A correction, decided about as the moderator does, and nothing else of it done. */
function correct(storage: Storage, files: CorrectedFiles, chunkId: string, text: string): string {
  const id = newId('ctb');
  const fields = { kind: 'correction', status: 'pending', job_id: JOB, chunk_id: chunkId, account_id: 'a' } as const;
  const none = { url: null, author: null, license: null, reason: null, decided_at: null };
  storage.transaction((tx) => {
    insertContribution(tx, { ...fields, ...none, id, text, created_at: 1, updated_at: 1 });
    decideContribution(tx, id, { status: 'approved', reason: null, now: 2 });
    files.await(tx, JOB);
  });
  return id;
}

async function chunksIn(folder: string): Promise<unknown[]> {
  const text = await readFile(join(folder, 'chunks.jsonl'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

test('a decision whose process died is caught up with, and the other lines stay as they were', async () => {
  const { database, folder, open } = await opened();
  await using _ = database;
  correct(database.storage, open(), 'c1', 'SECOND');
  expect(await chunksIn(folder)).toEqual(LINES);
  await open().settle();
  expect(await chunksIn(folder)).toEqual([LINES[0], { ...LINES[1], text: 'SECOND', originalText: 'second' }, LINES[2]]);
  expect((await readdir(folder)).sort()).toEqual(['chunks.jsonl', 'chunks.original.jsonl']);
});

test('a second correction is made on the original, and the end of all of them gives the file back', async () => {
  const { database, folder, open } = await opened();
  await using _ = database;
  const files = open();
  const first = correct(database.storage, files, 'c1', 'SECOND');
  await files.settle();
  const second = correct(database.storage, files, 'c2', 'THIRD');
  await files.settle();
  expect(await chunksIn(folder)).toMatchObject([{ text: 'first' }, { text: 'SECOND' }, { text: 'THIRD' }]);
  for (const id of [first, second]) {
    database.storage.transaction((tx) => {
      decideContribution(tx, id, { status: 'rejected', reason: 'No.', now: 3 });
      files.await(tx, JOB);
    });
  }
  await files.settle();
  expect(await chunksIn(folder)).toEqual(LINES);
  expect(await readdir(folder)).toEqual(['chunks.jsonl']);
});

test('a file that cannot be written is told, and written with the next decision', async () => {
  const { database, folder, errors, open } = await opened();
  await using _ = database;
  const files = open();
  const whole = await readFile(join(folder, 'chunks.jsonl'), 'utf8');
  await writeFile(join(folder, 'chunks.jsonl'), 'not a line of chunks\n');
  correct(database.storage, files, 'c1', 'SECOND');
  await files.settle();
  expect(errors).toMatchObject([{ jobId: JOB }]);
  for (const name of ['chunks.jsonl', 'chunks.original.jsonl']) await writeFile(join(folder, name), whole);
  await files.settle();
  expect(await chunksIn(folder)).toMatchObject([{ text: 'first' }, { text: 'SECOND' }, { text: 'third' }]);
});

test('a database that could not be read once stands before no later correction', async () => {
  await using database = await temporaryStorage();
  let asked = 0;
  const storage = Object.create(database.storage, {
    db: {
      get: () => {
        asked += 1;
        if (asked === 1) throw new Error('disk I/O error');
        return database.storage.db;
      },
    },
  }) as Storage;
  const files = new CorrectedFiles({ storage, filesOf: () => 'none', log: { error: () => {} } });
  await expect(files.settle()).rejects.toThrow('disk I/O error');
  await files.settle();
  expect(asked).toBe(2);
});
