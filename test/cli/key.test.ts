import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startAppliance } from '../harness/appliance.ts';
import { runCli } from '../harness/appliance-process.ts';

test('the command key makes a key that works, lists it, and revokes it', async () => {
  await using appliance = await startAppliance();
  const folder = ['--data-dir', appliance.dataDir];
  const key = (...args: string[]) => runCli(['key', ...args, ...folder]);
  const ask = (secret: string) =>
    appliance.anonymous('/openai/v1/models', { headers: { authorization: `Bearer ${secret}` } });
  const create = ['create', '--name', 'Night crawl', '--scope', 'read', '--scope', 'run:crawl'];
  const made = await key(...create, '--expires-days', '7');
  expect(made).toEqual({ code: 0, stdout: expect.stringMatching(/^qk_\S+\n$/), stderr: '' });
  const secret = made.stdout.trim();
  expect((await ask(secret)).status).toBe(200);

  const again = await key(...create);
  expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('named Night crawl') });
  const replaced = await key(...create, '--replace');
  expect(replaced).toEqual({ code: 0, stdout: expect.stringMatching(/^qk_\S+\n$/), stderr: '' });
  expect([(await ask(secret)).status, (await ask(replaced.stdout.trim())).status]).toEqual([401, 200]);
  const unknown = await key('create', '--name', 'Other', '--scope', 'run:fly');
  expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^--scope: Give one of /) });
  expect(await key('create', '--name', 'Other')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Give --name and at least one --scope\.\n\nUsage:/),
  });

  const { stdout } = await key('list');
  expect(stdout).toMatch(
    /^NAME +KEY +SCOPES +LAST USED +EXPIRES\nNight crawl {2}qk_\S{6}\.{3} {2}read run:crawl {2}20.* never\n$/,
  );
  expect(stdout).not.toContain(secret);

  expect(await key('revoke', 'Nobody')).toMatchObject({ code: 1, stderr: expect.stringMatching(/^No key is named/) });
  expect(await key('revoke', 'Night crawl')).toMatchObject({ code: 0, stdout: 'The key Night crawl is revoked.\n' });
  expect((await ask(replaced.stdout.trim())).status).toBe(401);
  expect((await key('list')).stdout.trim().split('\n')).toHaveLength(1);
});

test('the command key says when no server answers, and when none has used the folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quarry key '));
  const list = () => runCli(['key', 'list', '--data-dir', folder]);
  try {
    expect(await list()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^No server has used the data folder /),
    });
    await writeFile(join(folder, 'owner-token'), 'x', { mode: 0o600 });
    expect(await list()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^No server answers for the data folder /),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
