import { cp, mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import { runServe, startApplianceProcess } from '../harness/appliance-process.ts';
import { wordDocument } from '../harness/documents.ts';
import { fileForm, finished } from '../harness/jobs.ts';

/** With a database, its ledger is gone, and the memory of which proofs were spent. */
const ENVIRONMENTS = { production: '/v1', staging: '/staging/v1' } as const;

let folder: string;
let used: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry test '));
  used = join(folder, 'used');
  await using server = await startApplianceProcess({ dataDir: used });
  for (const path of Object.values(ENVIRONMENTS)) {
    const body = fileForm(wordDocument(['Some text.']), 'a.docx');
    const answer = await server.owner(`${path}/extract/doc`, { method: 'POST', body });
    const owner = (url: string) => server.owner(url.replace('/v1', path));
    expect(await finished(owner, ((await answer.json()) as Job).jobId)).toMatchObject({ status: 'completed' });
  }
  await server.kill('SIGTERM');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Takes the database away, and the files that SQLite keeps beside it. */
async function remove(path: string): Promise<void> {
  for (const ending of ['', '-wal', '-shm']) await rm(path + ending, { force: true });
}

const HARMS = [
  ['missing', remove],
  ['of no bytes', (path: string) => truncate(path)],
  [
    'one of another program',
    async (path: string) => {
      await remove(path);
      new SqliteDatabase(path).exec('create table notes (text)').close();
    },
  ],
  [
    'without any of the jobs',
    async (path: string) => void new SqliteDatabase(path).exec('delete from job_results; delete from jobs').close(),
  ],
] as const;

describe.each(Object.keys(ENVIRONMENTS))('beside jobs of %s', (environment) => {
  test.each(HARMS)('a database that is %s keeps the server from starting, and says what to do', async (name, harm) => {
    const dataDir = join(folder, `${environment} ${name}`);
    await cp(used, dataDir, { recursive: true });
    await harm(join(dataDir, environment, 'quarry.db'));
    const before = await readdir(join(dataDir, environment));
    const refused = await runServe(['--port', '0', '--data-dir', dataDir]);
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `The data folder ${dataDir} cannot be used: The database ${environment}/quarry.db is missing or empty, although ` +
        `the folder ${environment}/jobs holds jobs. Put back a copy of the folder, or give another with --data-dir.\n`,
    });
    // Nothing was made in the place of what is missing: a copy can be put back.
    expect((await readdir(join(dataDir, environment))).filter((file) => !/-(wal|shm)$/.test(file))).toEqual(
      before.filter((file) => !/-(wal|shm)$/.test(file)),
    );
  });
});

test('a first start that was killed, before its database was made or while its first job was accepted, starts again', async () => {
  const dataDir = join(folder, 'killed');
  const production = join(dataDir, 'production');
  await mkdir(join(production, 'jobs', 'ab', 'job_ab'), { recursive: true });
  await mkdir(join(production, 'jobs', 'job_ab.accepting'));
  await writeFile(join(production, 'quarry.db'), '');
  await using server = await startApplianceProcess({ dataDir });
  expect((await fetch(`${server.url}/ready`)).status).toBe(200);
});
