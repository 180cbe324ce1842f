import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Checkpoints } from '../../../src-server/platform/db/checkpoints.ts';
import { openStorage, type Storage } from '../../../src-server/platform/db/database.ts';
import { MIB } from '../../../src-server/platform/units.ts';
import { MIGRATIONS } from '../../../src-server/registry.ts';
import { queueJob } from '../../harness/queue.ts';
import { until } from '../../harness/until.ts';

const ENTRY = new URL('../../../src-server/platform/db/checkpoint-thread.ts', import.meta.url);
/** By then a commit's checkpoint was tried. */
const BEYOND_CHECKPOINT_MS = 300;

let folder: string;
let storage: Storage;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quarry test '));
  storage = await openStorage(join(folder, 'quarry.db'), { migrations: MIGRATIONS, checkpointEntry: ENTRY });
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

test('a stream of commits is held up for a moment so that the log can begin anew', async () => {
  const path = join(folder, 'busy.db');
  const writer = new SqliteDatabase(path);
  writer.pragma('journal_mode = WAL');
  writer.pragma('wal_autocheckpoint = 0');
  writer.exec('create table pieces (bytes blob); insert into pieces values (null)');
  const write = writer.prepare('update pieces set bytes = randomblob(?)');
  let held: (() => Promise<void>) | null = null;
  const { promise: over, resolve: finish } = Promise.withResolvers<void>();
  const checkpoints = new Checkpoints(ENTRY, path, async (work) => {
    held = work;
    await over;
  });
  try {
    while (held === null) {
      write.run(4 * MIB);
      checkpoints.due();
      await new Promise(setImmediate);
    }
    const before = checkpointNumber(path);
    await (held as (() => Promise<void>) | null)?.();
    write.run(1);
    expect(checkpointNumber(path)).toBe(before + 1);
  } finally {
    finish();
    await checkpoints.close();
    writer.close();
  }
});

/** Stands in for the thread: says that the log is long, then does `then` with whatever it is asked next. */
function threadThat(then: string): URL {
  const code = `import { parentPort } from 'node:worker_threads';
    let asked = 0;
    parentPort.on('message', (request) => {
      if (request === 'close') parentPort.close();
      else if (asked++ === 0) parentPort.postMessage({ logPages: 1e6 });
      else { ${then} }
    });`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

/** Has writers held up, and gives back how that ends. */
async function holdWith(thread: URL): Promise<{ checkpoints: Checkpoints; over: Promise<void> }> {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const { promise: began, resolve: begin } = Promise.withResolvers<void>();
  const checkpoints = new Checkpoints(thread, join(folder, 'quarry.db'), async (work) => {
    const working = work();
    begin();
    await working;
    end();
  });
  const commits = setInterval(() => checkpoints.due(), 1);
  await began;
  clearInterval(commits);
  return { checkpoints, over };
}

test('writers that wait for a checkpoint go on when its thread dies', async () => {
  const { checkpoints, over } = await holdWith(threadThat("throw new Error('The disk is gone.');"));
  await over;
  await checkpoints.close();
});

test('writers that wait for a checkpoint go on when the storage is closed', async () => {
  const { checkpoints, over } = await holdWith(threadThat(''));
  await checkpoints.close();
  await over;
});

test('a thread that cannot be started ends nothing: what is committed stays in the log', async () => {
  const path = join(folder, 'alone.db');
  const alone = await openStorage(path, {
    migrations: MIGRATIONS,
    checkpointEntry: new URL('http://127.0.0.1/no-thread'),
  });
  for (let n = 1; n <= 3; n++) {
    await queueJob(alone);
    await new Promise((resolve) => setTimeout(resolve, BEYOND_CHECKPOINT_MS));
  }
  expect(await alone.db.selectFrom('jobs').select('id').execute()).toHaveLength(3);
  await alone.close();
});

/** How often a log has begun anew: the fourth number of its head (sqlite.org/walformat.html). */
function checkpointNumber(path: string): number {
  return readFileSync(`${path}-wal`).readUInt32BE(12);
}
