import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli, startApplianceProcess } from '../harness/appliance-process.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry test '));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const tokenOf = (dataDir: string) => runCli(['token', '--data-dir', dataDir]);

test('the token of a data folder that no server has used is an error that says what to do, and makes nothing', async () => {
  const [missing, empty] = [join(folder, 'missing'), join(folder, 'empty')];
  await mkdir(empty);
  for (const dataDir of [missing, empty]) {
    const refused = await tokenOf(dataDir);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^No server has used the data folder [^\n]* yet: start one [^\n]*--data-dir[^\n]*\.\n$/,
    );
    expect(refused.stderr).toContain(dataDir);
  }
  expect(existsSync(missing)).toBe(false);
  expect(await readdir(empty)).toEqual([]);
});

test('the token of a data folder in use is printed alone, and opens its server', async () => {
  await using server = await startApplianceProcess();
  const { code, stdout, stderr } = await tokenOf(server.dataDir);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const headers = { authorization: `Bearer ${stdout.trim()}` };
  expect((await fetch(`${server.url}/admin/overview`, { headers })).status).toBe(200);
});
