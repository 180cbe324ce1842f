import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SetUpProject } from '../harness/set-up-project.ts';

let project: SetUpProject;
beforeEach(() => {
  project = new SetUpProject();
});
afterEach(() => project[Symbol.dispose]());

const setUp = (variables: Record<string, string> = {}) => project.run('setup.mjs', [], variables);

test('a fresh copy is installed as the lockfile says, without running any package’s scripts', async () => {
  expect((await setUp()).status).toBe(0);
  expect(project.asked()).toHaveLength(1);
  expect(project.asked()[0]).toMatch(/^install --no-save --ignore-scripts /);
});

test('standard output stays empty: it belongs to the product', async () => {
  expect((await setUp()).stdout).toBe('');
});

test('nothing is done again until the lockfile changes', async () => {
  await setUp();
  await setUp();
  expect(project.asked()).toHaveLength(1);
  writeFileSync(join(project.folder, 'package-lock.json'), '{ "changed": true }');
  await setUp();
  expect(project.asked()).toHaveLength(2);
});

test('a failed install is said in one sentence and tried again the next time', async () => {
  const failed = await setUp({ NPM_FAILS: '1' });
  expect(failed.status).not.toBe(0);
  expect(failed.stderr).toContain('npm ended with 7');
  expect(failed.stderr).not.toMatch(/\n\s+at /);
  expect((await setUp()).status).toBe(0);
  expect(project.asked()).toHaveLength(2);
});
