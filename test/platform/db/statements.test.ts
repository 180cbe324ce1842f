import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MIGRATIONS } from '../../../src-server/features.ts';
import { openStorage, type Storage } from '../../../src-server/platform/db/database.ts';
import { queueJob } from '../../harness/queue.ts';

let folder: string;
let storage: Storage;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quarry test '));
  storage = await openStorage(join(folder, 'quarry.db'), { migrations: MIGRATIONS });
});
afterEach(async () => {
  storage.close();
  rmSync(folder, { recursive: true });
});

test('values are written where the planner does not look at them, since it would compile the statement again each time', () => {
  const { sql: text } = storage.db
    .selectFrom('jobs')
    .select('id')
    .where('account_id', '=', 'a')
    .where('seq', '<', sql<number>`${9}`)
    .where('status', '=', sql.lit('queued' as const))
    .where('purged_at', 'is', null)
    .where('queue_class', 'in', ['light', 'heavy'])
    .orderBy('seq', 'desc')
    .limit(5)
    .compile();
  expect(text).toBe(
    'select "id" from "jobs" where "account_id" = +? and "seq" < +? and "status" = \'queued\'' +
      ' and "purged_at" is null and "queue_class" in (?, ?) order by "seq" desc limit ? + 0',
  );
});

test('they are compared as they are, be they text that looks like a number or the other way round', () => {
  queueJob(storage);
  const { db } = storage;
  storage.transaction((tx) => tx.runStatement(tx.updateTable('jobs').set({ source_name: '0042' })));
  const found = (name: string) =>
    db.queryAll(db.selectFrom('jobs').select('seq').where('source_name', '=', name).orderBy('seq').limit(1));
  expect(found('0042')).toHaveLength(1);
  expect(found('42')).toHaveLength(0);
  const text = sql<number>`${'1'}`;
  expect(db.queryAll(db.selectFrom('jobs').select('seq').where('seq', '=', text))).toHaveLength(1);
});
