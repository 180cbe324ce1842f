import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStorage, type Storage } from '../../../src-server/platform/db/database.ts';
import { MIGRATIONS } from '../../../src-server/registry.ts';
import { queueJob } from '../../harness/queue.ts';

let folder: string;
let storage: Storage;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quarry test '));
  storage = await openStorage(join(folder, 'quarry.db'), { migrations: MIGRATIONS });
});
afterEach(async () => {
  await storage.close();
  rmSync(folder, { recursive: true });
});

test('values stand where SQLite does not look at them, since it would prepare the statement anew each time', () => {
  const { sql: text } = storage.db
    .selectFrom('jobs')
    .select('id')
    .where('account_id', '=', 'a')
    .where('seq', '<', sql<number>`${9}`)
    .where('status', '=', sql.lit('queued' as const))
    .where('purged_at', 'is', null)
    .where('lane', 'in', ['light', 'heavy'])
    .orderBy('seq', 'desc')
    .limit(5)
    .compile();
  expect(text).toBe(
    'select "id" from "jobs" where "account_id" = +? and "seq" < +? and "status" = \'queued\'' +
      ' and "purged_at" is null and "lane" in (?, ?) order by "seq" desc limit ? + 0',
  );
});

test('they are compared as they are, be they text that looks like a number or the other way round', async () => {
  await queueJob(storage);
  await storage.transaction((tx) => tx.updateTable('jobs').set({ source_name: '0042' }).execute());
  const found = (name: string) =>
    storage.db.selectFrom('jobs').select('seq').where('source_name', '=', name).orderBy('seq').limit(1).execute();
  expect(await found('0042')).toHaveLength(1);
  expect(await found('42')).toHaveLength(0);
  const text = sql<number>`${'1'}`;
  expect(await storage.db.selectFrom('jobs').select('seq').where('seq', '=', text).execute()).toHaveLength(1);
});
