/** Data and models move to another folder at a start: nothing is lost by a kill, and what cannot be moved stays. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Places } from '../../src-server/features/disk/schema.ts';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { Item } from '../../src-server/features/library/schema.ts';
import { MIB } from '../../src-server/platform/units.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { runCli, startApplianceProcess } from '../harness/appliance-process.ts';
import { fileForm, finished, okJson } from '../harness/jobs.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const CLI = join(import.meta.dirname, '../../src-server/cli.ts');

/** A file system beside that of temporary folders; null where there is none. */
const OTHER_DISK = '/dev/shm';

async function isOtherDisk(): Promise<boolean> {
  const there = await stat(OTHER_DISK).catch(() => null);
  return there !== null && there.dev !== (await stat(tmpdir())).dev;
}

const HAS_OTHER_DISK = await isOtherDisk();

let appliance: Appliance;
let folder: string;
beforeEach(async () => {
  appliance = await startAppliance({ joined: false });
  folder = await mkdtemp(join(tmpdir(), 'quarry moved '));
});
afterEach(async () => {
  await appliance.close();
  await rm(folder, { recursive: true, force: true });
});

const json = <Value>(path: string, init?: RequestInit) => okJson<Value>(appliance.owner, path, init);

const places = () => json<Places>('/admin/places');
const ask = (to: string, what = 'data') => appliance.owner('/admin/places/move', postJson({ what, to }));
const problemOf = async (answer: Response) =>
  ((await answer.json()) as { errors?: { message: string }[] }).errors?.[0]?.message;

async function read(name: string): Promise<string> {
  const body = fileForm(`# ${name}\n\nHigh water at noon.`, `${name}.md`);
  const { jobId } = await json<Job>('/v1/extract/doc', { method: 'POST', body });
  await finished(appliance.owner, jobId);
  return jobId;
}

async function expectKept(jobId: string, name: string): Promise<void> {
  const text = await (await appliance.owner(`/v1/jobs/${jobId}/files/document.md`)).text();
  expect(text).toContain('High water at noon.');
  await until(async () => {
    const { items } = await json<{ items: Item[] }>(`/v1/library/lookup?job=${jobId}`);
    return items[0]?.title === name;
  });
}

describe('a move of the data', () => {
  test('on one disk: all is there after the start, the former folder leads on, and it moves back', async () => {
    const home = appliance.dataDir;
    const jobId = await read('Tides');
    const { ownerToken } = appliance;
    const to = join(folder, 'Quarry data');
    const asked = await ask(to);
    expect(asked.status).toBe(202);
    expect(((await asked.json()) as Places).move).toEqual({ what: 'data', to, failure: null });
    // Nothing happens before the start.
    expect(existsSync(to)).toBe(false);
    await appliance.restart();
    await expectKept(jobId, 'Tides');
    expect(await places()).toMatchObject({ data: { folder: to }, models: { folder: join(to, 'models') }, move: null });
    expect((await places()).former).toEqual([]);
    expect((await readdir(home)).filter((name) => !name.startsWith('lock.db'))).toEqual(['moved-to.json']);
    const token = await runCli(['token', '--data-dir', home]);
    expect(token.stdout.trim()).toBe(ownerToken);

    const second = await read('Lamps');
    expect((await ask(home)).status).toBe(202);
    await appliance.restart();
    await expectKept(jobId, 'Tides');
    await expectKept(second, 'Lamps');
    expect((await places()).data.folder).toBe(home);
  });

  test.skipIf(!HAS_OTHER_DISK)('to another disk: the former copy stays until it is deleted, others stay', async () => {
    const away = await mkdtemp(join(OTHER_DISK, 'quarry moved '));
    try {
      const home = appliance.dataDir;
      const jobId = await read('Tides');
      await mkdir(join(home, 'models', 'deep'), { recursive: true });
      await writeFile(join(home, 'models', 'deep', 'weights.bin'), Buffer.alloc(3 * MIB, 7));
      expect((await ask(away)).status).toBe(202);
      await appliance.restart();
      await expectKept(jobId, 'Tides');
      expect(await places()).toMatchObject({ data: { folder: away }, move: null, former: [home] });
      expect((await stat(join(away, 'models', 'deep', 'weights.bin'))).size).toBe(3 * MIB);
      expect(existsSync(join(home, 'production', 'quarry.db'))).toBe(true);
      await writeFile(join(home, 'of somebody else.txt'), 'Mine.');
      expect((await json<Places>('/admin/places/former', { method: 'DELETE' })).former).toEqual([]);
      expect(existsSync(join(home, 'production'))).toBe(false);
      expect(existsSync(join(home, 'of somebody else.txt'))).toBe(true);
      await appliance.restart();
      await expectKept(jobId, 'Tides');

      // Its disk is gone: no empty library takes its place.
      await appliance.close().catch(() => undefined);
    } finally {
      await rm(away, { recursive: true, force: true });
    }
  });

  test('a folder that is gone stops the start with a sentence, and is not made anew', async () => {
    const home = appliance.dataDir;
    const jobId = await read('Tides');
    const to = join(folder, 'away');
    await ask(to);
    await appliance.restart();
    const sentence = `The data of ${home} was moved to ${to}, which is not there.`;
    await expect(appliance.restart(() => rename(to, `${to} unplugged`))).rejects.toThrow(sentence);
    expect(existsSync(to)).toBe(false);
    await rename(`${to} unplugged`, to);
    await appliance.restart();
    await expectKept(jobId, 'Tides');
  });

  test('what cannot take the data is refused with a sentence', async () => {
    const file = join(folder, 'a file');
    await writeFile(file, 'Text.');
    const full = join(folder, 'full');
    await mkdir(full);
    await writeFile(join(full, 'holiday.txt'), 'Text.');
    const refusals: [to: string, message: string][] = [
      ['data', 'Give the absolute path of a folder.'],
      [join(appliance.dataDir, 'inside'), 'lies in the folder that is used now, or holds it.'],
      [join(appliance.dataDir, '..'), 'lies in the folder that is used now, or holds it.'],
      [file, 'is a file. Choose a folder.'],
      [full, 'holds other files. Choose a new folder, or an empty one.'],
      [join(folder, 'none', 'of them'), `There is no folder ${join(folder, 'none')}.`],
    ];
    for (const [to, message] of refusals) {
      const answer = await ask(to);
      expect(answer.status, to).toBe(400);
      expect(await problemOf(answer)).toContain(message);
    }
    expect((await places()).move).toBeNull();
    expect(existsSync(join(folder, 'none'))).toBe(false);
    expect((await appliance.anonymous('/admin/places')).status).toBe(401);
  });

  test('a move that fails at the start changes nothing, and says why', async () => {
    const jobId = await read('Tides');
    const to = join(folder, 'taken');
    expect((await ask(to)).status).toBe(202);
    await appliance.restart(async () => {
      await mkdir(to);
      await writeFile(join(to, 'holiday.txt'), 'Text.');
    });
    await expectKept(jobId, 'Tides');
    const failure = `${to} holds other files. Choose a new folder, or an empty one.`;
    expect(await places()).toMatchObject({ data: { folder: appliance.dataDir }, move: { what: 'data', to, failure } });
    expect(await readdir(to)).toEqual(['holiday.txt']);
    expect((await json<Places>('/admin/places/move', { method: 'DELETE' })).move).toBeNull();
    await ask(join(folder, 'other'));
    expect((await json<Places>('/admin/places/move', { method: 'DELETE' })).move).toBeNull();
    await appliance.restart();
    expect((await places()).data.folder).toBe(appliance.dataDir);
  });
});

test.skipIf(!HAS_OTHER_DISK)('a disk without room is refused with both sizes', async () => {
  const away = await mkdtemp(join(OTHER_DISK, 'quarry moved '));
  await using small = await startAppliance({
    joined: false,
    freeDisk: async () => ({ freeBytes: 1000, totalBytes: 10_000 }),
  });
  const answer = await small.owner('/admin/places/move', postJson({ what: 'data', to: join(away, 'data') }));
  expect(answer.status).toBe(400);
  expect(await problemOf(answer)).toMatch(/ has no room: 1000 bytes are free, and [\d.]+ MB are to move\.$/);
  await rm(away, { recursive: true });
});

test('models move alone; where their disk is gone, the server starts and says so', async () => {
  const models = join(appliance.dataDir, 'models');
  await writeFile(join(models, 'small.gguf'), Buffer.alloc(1000, 1));
  const to = join(folder, 'models');
  expect((await ask(to, 'models')).status).toBe(202);
  await appliance.restart();
  expect(await places()).toMatchObject({ models: { folder: to, isGiven: false, missing: null }, move: null });
  expect(await readdir(to)).toEqual(['small.gguf']);
  expect(existsSync(join(models, 'small.gguf'))).toBe(false);
  await appliance.restart(() => rename(to, `${to} unplugged`));
  expect((await places()).models).toMatchObject({ folder: models, missing: to });
  await appliance.restart(() => rename(`${to} unplugged`, to));
  expect((await ask(models, 'models')).status).toBe(202);
  await appliance.restart();
  expect(await places()).toMatchObject({ models: { folder: models, missing: null } });
  expect(await readdir(models)).toEqual(['small.gguf']);
});

test('models that a flag names are not moved', async () => {
  await using fixed = await startAppliance({ joined: false, modelsDir: join(folder, 'given') });
  const answer = await fixed.owner('/admin/places/move', postJson({ what: 'models', to: join(folder, 'other') }));
  expect(answer.status).toBe(409);
  expect(await answer.text()).toContain('--models-dir');
});

test.skipIf(!HAS_OTHER_DISK)(
  'kill -9 in the middle of copying, again and again, loses nothing',
  { tags: ['long'] },
  async () => {
    const away = await mkdtemp(join(OTHER_DISK, 'quarry moved '));
    await using killed = await startApplianceProcess();
    const files = join(killed.dataDir, 'models');
    for (let number = 0; number < 12; number += 1) {
      await writeFile(join(files, `part-${number}.bin`), Buffer.alloc(24 * MIB, number));
    }
    const body = fileForm('# Tides\n\nHigh water at noon.', 'tides.md');
    const { jobId } = (await (await killed.owner('/v1/extract/doc', { method: 'POST', body })).json()) as Job;
    await finished(killed.owner, jobId);
    const to = join(away, 'data');
    const asked = await killed.owner('/admin/places/move', postJson({ what: 'data', to }));
    expect(asked.status).toBe(202);
    await killed.kill('SIGKILL');
    const copied = async () => (await readdir(join(to, 'models')).catch(() => [])).length;
    for (const most of [0, 3, 6, 9]) {
      const starting = spawn(process.execPath, [CLI, 'serve', '--port', '0', '--data-dir', killed.dataDir]);
      const ended = once(starting, 'exit');
      await until(async () => (await copied()) > most || starting.exitCode !== null);
      starting.kill('SIGKILL');
      await ended;
      expect(existsSync(join(killed.dataDir, 'moved-to.json')), 'killed in the middle').toBe(false);
    }
    await killed.restart();
    const text = await (await killed.owner(`/v1/jobs/${jobId}/files/document.md`)).text();
    expect(text).toContain('High water at noon.');
    expect(((await (await killed.owner('/admin/places')).json()) as Places).data.folder).toBe(to);
    expect(await copied()).toBe(12);
    for (let number = 0; number < 12; number += 1) {
      expect((await stat(join(to, 'models', `part-${number}.bin`))).size).toBe(24 * MIB);
    }
    await killed.kill('SIGKILL');
    await rm(away, { recursive: true, force: true });
  },
);
