import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MIB } from '../../src-server/lib/units.ts';
import { openStorage, type Storage } from '../../src-server/storage/connection.ts';
import { queueJob } from '../harness/queue.ts';
import { until } from '../harness/until.ts';

const ENTRY = new URL('../../src-server/storage/checkpoint-thread.ts', import.meta.url);

let folder: string;
let storage: Storage;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quarry test '));
  storage = await openStorage(join(folder, 'quarry.db'), { checkpointEntry: ENTRY });
});
afterEach(async () => {
  await storage.close();
  rmSync(folder, { recursive: true });
});

/** How many rows the database's file has without its log. */
function rowsInFile(table: 'jobs' | 'settings'): number {
  const copy = join(folder, 'copy.db');
  copyFileSync(join(folder, 'quarry.db'), copy);
  const database = new SqliteDatabase(copy);
  try {
    return database.prepare(`select count(*) from ${table}`).pluck().get() as number;
  } catch {
    // The copy was taken while pages were being written.
    return -1;
  } finally {
    database.close();
  }
}

test('what is committed is carried into the file beside the writer, and can be read all the while', async () => {
  for (let n = 1; n <= 20; n++) await queueJob(storage);
  await until(() => rowsInFile('jobs') === 20);
  expect(await storage.db.selectFrom('jobs').select('id').execute()).toHaveLength(20);
});

test('the log begins anew instead of growing with everything that was ever written', async () => {
  const text = 'x'.repeat(MIB);
  for (let n = 0; n < 12; n++) {
    await storage.transaction((tx) =>
      tx
        .insertInto('settings')
        .values({ name: `n${n}`, value: text, updated_at: n })
        .execute(),
    );
    await until(() => rowsInFile('settings') === n + 1);
  }
  expect(statSync(join(folder, 'quarry.db-wal')).size).toBeLessThan(6 * MIB);
});
