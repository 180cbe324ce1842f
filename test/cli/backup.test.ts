import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startServer } from '../../src-server/app.ts';
import { checkDatabase, copyDatabase } from '../../src-server/features/backup/databases.ts';
import type { BackupsView } from '../../src-server/features/backup/schema.ts';
import { openSqlite } from '../../src-server/platform/db/sqlite.ts';
import { HOUR_MS } from '../../src-server/platform/units.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { until } from '../harness/until.ts';

const CLI = join(import.meta.dirname, '../../src-server/cli.ts');

const JSON_TYPE = { 'content-type': 'application/json' };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry backup '));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `quarry` as a shell does. */
function quarry(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

async function readDocument({ owner }: Appliance, text: string): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([text]), 'note.txt');
  const answer = await owner('/v1/extract/doc', { method: 'POST', headers: { prefer: 'wait=60' }, body: form });
  const job = (await answer.json()) as { jobId: string; status: string };
  expect(job.status).toBe('completed');
  return job.jobId;
}

/** A stranger buys a search with play money. */
async function paySearch({ anonymous }: Appliance): Promise<void> {
  const ask = (headers: Record<string, string>) =>
    anonymous('/v1/search', {
      method: 'POST',
      headers: { ...JSON_TYPE, ...headers },
      body: JSON.stringify({ query: 'tide' }),
    });
  const { accepts } = (await (await ask({})).json()) as { accepts: object[] };
  const signed = await anonymous('/facilitator/pay', {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify(accepts[0]),
  });
  const { payload } = (await signed.json()) as { payload: string };
  const bought = await ask({ 'x-payment': payload });
  expect(bought.status, await bought.text()).toBe(200);
}

async function paymentsOf(owner: Appliance['owner']): Promise<number> {
  const { payments } = (await (await owner('/admin/payments')).json()) as { payments: unknown[] };
  return payments.length;
}

async function foundBy(owner: Appliance['owner'], query: string): Promise<string[]> {
  const body = JSON.stringify({ query, mode: 'lexical' });
  const answer = await owner('/v1/search', { method: 'POST', headers: JSON_TYPE, body });
  const { results } = (await answer.json()) as { results: { jobId: string }[] };
  return results.map(({ jobId }) => jobId);
}

describe('quarry backup and restore', () => {
  test('a running server is copied twice, and the restored one has jobs, files, search and payments', async () => {
    await using appliance = await startAppliance({ joined: false });
    const backup = join(folder, 'copy');
    const first = await readDocument(appliance, 'The tide turned at noon.');
    await paySearch(appliance);
    const once = await quarry('backup', backup, '--data-dir', appliance.dataDir);
    expect(once, once.stderr).toMatchObject({ code: 0 });
    const second = await readDocument(appliance, 'The lighthouse keeper slept.');
    await until(async () => (await foundBy(appliance.owner, 'lighthouse')).includes(second));
    const twice = await quarry('backup', backup, '--data-dir', appliance.dataDir);
    expect(twice, twice.stderr).toMatchObject({ code: 0 });
    expect(twice.stdout).toMatch(/^Backed up \d+ jobs/);
    expect((await readdir(folder)).sort()).toEqual(['copy']);
    expect((await stat(join(backup, 'owner-token'))).mode & 0o777).toBe(0o600);
    expect((await stat(backup)).mode & 0o777).toBe(0o700);

    const dataDir = join(folder, 'restored');
    const restored = await quarry('restore', backup, '--data-dir', dataDir);
    expect(restored, restored.stderr).toMatchObject({ code: 0 });
    const server = await startServer({
      dataDir,
      workerEntry: new URL('../../workers/entry.ts', import.meta.url),
      rendererFolder: null,
      resourcesFolder: new URL('../../resources/', import.meta.url),
      logLevel: 'fatal',
    });
    try {
      expect(server.ownerToken).toBe(appliance.ownerToken);
      expect(server.url).not.toBe(appliance.url);
      const owner: Appliance['owner'] = (path, init = {}) => {
        const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${server.ownerToken}` };
        return fetch(server.url + path, { ...init, headers });
      };
      for (const jobId of [first, second]) {
        expect(await (await owner(`/v1/jobs/${jobId}`)).json()).toMatchObject({ status: 'completed' });
      }
      const file = await owner(`/v1/jobs/${second}/files/document.md`);
      expect(await file.text()).toContain('The lighthouse keeper slept.');
      const source = await owner(`/admin/jobs/${second}/source`);
      expect(await source.text()).toBe('The lighthouse keeper slept.');
      await until(async () => (await foundBy(owner, 'lighthouse')).includes(second));
      expect(await paymentsOf(owner)).toBe(await paymentsOf(appliance.owner));
      expect(await paymentsOf(owner)).toBeGreaterThan(0);
    } finally {
      await server.close();
    }
  });

  test('a data folder in use before is replaced only with --force, and kept', { tags: ['long'] }, async () => {
    await using appliance = await startAppliance({ joined: false });
    const backup = join(folder, 'copy');
    await quarry('backup', backup, '--data-dir', appliance.dataDir);
    const running = await quarry('restore', backup, '--force', '--data-dir', appliance.dataDir);
    expect(running.code).toBe(1);
    expect(running.stderr).toContain('Another Quarry is already using the data folder');
    const later = await readDocument(appliance, 'Written after the backup.');
    let answers: Ended[] = [];
    await appliance.restart(async () => {
      answers = [
        await quarry('restore', backup, '--data-dir', appliance.dataDir),
        await quarry('restore', backup, '--force', '--data-dir', appliance.dataDir),
      ];
    });
    expect(answers.map(({ code }) => code)).toEqual([1, 0]);
    expect(answers[0]?.stderr).toContain('--force');
    expect((await appliance.owner(`/v1/jobs/${later}`)).status).toBe(404);
    const [kept] = (await readdir(appliance.dataDir)).filter((name) => name.startsWith('before-restore-'));
    const jobs = await readdir(join(appliance.dataDir, kept ?? '', 'production/jobs'), { recursive: true });
    expect(jobs.some((path) => path.endsWith(later))).toBe(true);
  });

  test('a failure ends with 1, says why, and leaves the earlier backup as it was', async () => {
    await using appliance = await startAppliance({ joined: false });
    const backup = join(folder, 'copy');
    const data = ['--data-dir', appliance.dataDir];
    await quarry('backup', backup, ...data);
    const before = await readFile(join(backup, 'backup.json'), 'utf8');
    await writeFile(join(folder, 'file'), 'x');
    await writeFile(join(appliance.dataDir, 'not-empty'), 'x');
    const refused: [args: string[], why: string][] = [
      [['backup', join(folder, 'file', 'below'), ...data], 'cannot be used'],
      [['backup', join(appliance.dataDir, 'inside'), ...data], 'lies in the data folder'],
      [['backup', folder, ...data], 'holds other files'],
      [['backup', backup, '--data-dir', join(folder, 'nothing')], 'There is no data folder'],
      [['backup', ...data], 'Give one folder'],
      [['backup', backup, '--compress', ...data], '--compress'],
      [['restore', join(folder, 'nowhere'), ...data], 'cannot be used'],
    ];
    for (const [args, why] of refused) {
      const { code, stdout, stderr } = await quarry(...args);
      expect({ code, stdout }, args.join(' ')).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(why);
    }
    // A link to nothing is no file, one to a folder that cannot be read is an error.
    await symlink(join(folder, 'file', 'below'), join(appliance.dataDir, 'production', 'broken'));
    const broken = await quarry('backup', backup, ...data);
    expect(broken.code).toBe(1);
    expect(await readFile(join(backup, 'backup.json'), 'utf8')).toBe(before);
    expect((await readdir(folder)).sort()).toEqual(['copy', 'file']);
  });

  test('an earlier backup that a killed process left under its other name is put back', {
    tags: ['long'],
  }, async () => {
    await using appliance = await startAppliance({ joined: false });
    const backup = join(folder, 'copy');
    await quarry('backup', backup, '--data-dir', appliance.dataDir);
    await rename(backup, `${backup}.old`);
    await symlink(join(appliance.dataDir, 'owner-token', 'x'), join(appliance.dataDir, 'production', 'broken'));
    expect((await quarry('backup', backup, '--data-dir', appliance.dataDir)).code).toBe(1);
    expect(await readdir(folder)).toEqual(['copy']);
    expect((await quarry('restore', backup, '--data-dir', join(folder, 'restored'))).code).toBe(0);
  });

  test('a database is copied at one moment while another connection writes at every step', {
    tags: ['long'],
  }, async () => {
    const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')];
    const writer = openSqlite(from);
    writer.pragma('journal_mode = wal');
    writer.exec('create table one (text text); create table two (text text)');
    const add = writer.transaction((count: number) => {
      for (const table of ['one', 'two']) {
        const insert = writer.prepare(`insert into ${table} values (?)`);
        for (let at = 0; at < count; at += 1) insert.run('x'.repeat(3000));
      }
    });
    add(10_000);
    let isCopying = true;
    const write = async () => {
      let written = 0;
      while (isCopying) {
        add(1);
        written += 1;
        await setImmediate();
      }
      return written;
    };
    const writing = write();
    const rows = await copyDatabase(from, to);
    isCopying = false;
    expect(await writing).toBeGreaterThan(5);
    writer.close();
    expect(rows.one).toBe(rows.two);
    checkDatabase(to, rows);
    expect(() => checkDatabase(to, { ...rows, one: 1 })).toThrow('lacks rows');
    expect(await readdir(folder)).not.toContain('to.db-wal');
  });

  test.each([
    ['a file that changed', (at: string) => writeFile(join(at, 'id-key'), '0'.repeat(64)), 'id-key has changed'],
    ['a short database', (at: string) => truncate(join(at, 'production/quarry.db'), 8192), 'quarry.db has changed'],
    ['a missing file', (at: string) => rm(join(at, 'owner-token')), 'owner-token is missing'],
    ['no manifest', (at: string) => rm(join(at, 'backup.json')), 'no complete backup'],
    ['a manifest that leads outside', leadOutside, 'outside'],
  ])('a backup with %s is not restored', async (_what, damage, why) => {
    await using appliance = await startAppliance({ joined: false });
    const backup = join(folder, 'copy');
    await quarry('backup', backup, '--data-dir', appliance.dataDir);
    await damage(backup);
    const dataDir = join(folder, 'restored');
    const { code, stderr } = await quarry('restore', backup, '--data-dir', dataDir);
    expect(code).toBe(1);
    expect(stderr).toContain(why);
    expect(await readdir(dataDir).catch(() => [])).toEqual([]);
  });
});

async function leadOutside(backup: string): Promise<void> {
  const path = join(backup, 'backup.json');
  const manifest = JSON.parse(await readFile(path, 'utf8')) as { files: { path: string }[] };
  const [file] = manifest.files;
  if (file !== undefined) file.path = '../copy/owner-token';
  await writeFile(path, JSON.stringify(manifest));
}

test('a scheduled backup is made when it is due, old ones go, and a failure raises an alert', async () => {
  await using appliance = await startAppliance({ joined: false });
  const backupFolder = join(folder, 'scheduled');
  const change = (settings: object) =>
    appliance.owner('/admin/settings', { method: 'PATCH', headers: JSON_TYPE, body: JSON.stringify(settings) });
  const alerts = async () => {
    const { open } = (await (await appliance.owner('/admin/alerts')).json()) as { open: { kind: string }[] };
    return open.map(({ kind }) => kind);
  };
  const backups = async () => (await readdir(backupFolder).catch(() => [])).filter((name) => !name.includes('.'));
  expect((await change({ backupFolder: 'relative' })).status).toBe(400);
  // The service looks once at its start.
  await change({ backupFolder: join(folder, 'missing', 'below'), backupsKept: 2 });
  await appliance.restart();
  await until(async () => (await alerts()).includes('backup-failed'));
  await change({ backupFolder });
  for (const made of [1, 2, 2]) {
    const before = await backups();
    await appliance.restart();
    await until(async () => {
      const now = await backups();
      return now.length === made && now.some((name) => !before.includes(name));
    });
    appliance.clock.advance(25 * HOUR_MS);
  }
  expect(await alerts()).not.toContain('backup-failed');
  const [newest = ''] = (await backups()).sort().reverse();
  const dataDir = join(folder, 'restored');
  expect((await quarry('restore', join(backupFolder, newest), '--data-dir', dataDir)).code).toBe(0);
});

test('a backup is brought back from the window: checked at once, in place after the start, what was there kept', async () => {
  await using appliance = await startAppliance({ joined: false });
  const { owner } = appliance;
  const backupFolder = join(folder, 'from the window');
  const send = (method: string, path: string, body?: object) =>
    owner(path, { method, ...(body && { headers: JSON_TYPE, body: JSON.stringify(body) }) });
  const view = async () => (await (await owner('/admin/backups')).json()) as BackupsView;
  const settled = async (state: string | undefined) => until(async () => (await view()).restore?.state === state);
  expect((await send('PATCH', '/admin/settings', { backupFolder })).status).toBe(200);
  const kept = await readDocument(appliance, 'Written before the backup.');
  const bytesBefore = await readFile(join(appliance.dataDir, 'id-key'), 'utf8');
  await send('POST', '/admin/backups', {});
  await until(async () => (await view()).backups.length === 1);
  const [{ name } = { name: '' }] = (await view()).backups;
  const later = await readDocument(appliance, 'Written after the backup.');

  for (const wrong of ['../outside', 'quarry-2026-01-01T00-00-00-000Z']) {
    expect((await send('POST', '/admin/backups/restore', { name: wrong })).status, wrong).toBe(404);
  }
  expect((await send('POST', '/admin/backups/restore', { name })).status).toBe(202);
  await settled('ready');
  // Taken back: a start changes nothing.
  expect((await send('DELETE', '/admin/backups/restore')).status).toBe(200);
  await appliance.restart();
  expect((await owner(`/v1/jobs/${later}`)).status).toBe(200);
  expect((await view()).replaced).toEqual([]);

  // A damaged one is found before anything is touched.
  const manifest = join(backupFolder, name, 'backup.json');
  const stated = await readFile(manifest, 'utf8');
  await writeFile(manifest, stated.replace(/"sha256": "\w{4}/, '"sha256": "0000'));
  await send('POST', '/admin/backups/restore', { name });
  await settled('failed');
  await appliance.restart();
  expect((await owner(`/v1/jobs/${later}`)).status).toBe(200);
  await writeFile(manifest, stated);

  await send('POST', '/admin/backups/restore', { name });
  await settled('ready');
  expect((await owner(`/v1/jobs/${later}`)).status, 'Nothing changes before the start.').toBe(200);
  await appliance.restart();
  expect((await owner(`/v1/jobs/${later}`)).status).toBe(404);
  expect((await owner(`/v1/jobs/${kept}`)).status).toBe(200);
  expect(await readFile(join(appliance.dataDir, 'id-key'), 'utf8')).toBe(bytesBefore);
  const { replaced, restore } = await view();
  expect([replaced.length, restore]).toEqual([1, null]);
  const jobs = await readdir(join(replaced[0] ?? '', 'production/jobs'), { recursive: true });
  expect(jobs.some((path) => path.endsWith(later))).toBe(true);
});
