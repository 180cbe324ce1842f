import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SetUpProject } from '../harness/set-up-project.ts';

let project: SetUpProject;
beforeEach(() => {
  project = new SetUpProject();
});
afterEach(() => project[Symbol.dispose]());

const setUp = (variables: Record<string, string> = {}) => project.run('setup.mjs', [], variables);
const setUpForDevelopment = () => project.run('setup.mjs', ['--development']);
const putFiles = (...paths: string[]) => {
  for (const path of paths) {
    mkdirSync(join(project.folder, 'node_modules', dirname(path)), { recursive: true });
    writeFileSync(join(project.folder, 'node_modules', path), '');
  }
};

test('a fresh copy is installed as the lockfile says, without running any package’s scripts', async () => {
  expect((await setUp()).status).toBe(0);
  expect(project.asked()).toHaveLength(1);
  expect(project.asked()[0]).toMatch(/^install --no-save --ignore-scripts --omit=dev /);
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

test('a copy that only runs is without declarations, source maps, and builds for other machines', async () => {
  const prebuilds = ['darwin-arm64.node', `${process.platform}-${process.arch}.node`];
  putFiles('a/dist/index.js', 'a/dist/index.d.ts', 'a/dist/index.js.map', 'electron/electron.d.ts');
  putFiles('typescript/lib/tsc.js', ...prebuilds.map((name) => `better-sqlite3/prebuilds/${name}`));
  await setUp();
  const left = readdirSync(join(project.folder, 'node_modules'), { recursive: true, withFileTypes: true });
  expect(left.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['index.js', 'electron.d.ts', prebuilds[1], '.setup-stamp']),
  );
  expect(left.map(({ name }) => name)).not.toContain('index.d.ts');
  expect(left.map(({ name }) => name)).not.toContain('index.js.map');
  expect(left.map(({ name }) => name)).not.toContain('typescript');
});

test('a copy that only runs gets its packages whole when it is tested, and keeps downloaded programs', async () => {
  await setUp();
  putFiles('a/index.js', 'electron/dist/electron');
  await setUpForDevelopment();
  expect(project.asked()[1]).toMatch(/^install --no-save --ignore-scripts --loglevel/);
  expect(existsSync(join(project.folder, 'node_modules/a'))).toBe(false);
  expect(existsSync(join(project.folder, 'node_modules/electron/dist/electron'))).toBe(true);
});

test('development packages that are installed stay', async () => {
  putFiles('vitest/package.json', 'a/index.d.ts');
  await setUp();
  expect(project.asked()[0]).not.toContain('--omit');
  expect(existsSync(join(project.folder, 'node_modules/a/index.d.ts'))).toBe(true);
});
