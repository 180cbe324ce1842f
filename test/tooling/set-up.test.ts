import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const SCRIPTS = join(dirname(dirname(import.meta.dirname)), 'scripts');

/** Stands in for npm: notes what it was asked, and installs nothing, so that no test reaches a registry. */
const NPM_DOUBLE = `
  const { appendFileSync, mkdirSync } = require('node:fs');
  appendFileSync('asked.txt', process.argv.slice(2).join(' ') + '\\n');
  if (process.env.NPM_FAILS) process.exit(7);
  mkdirSync('node_modules', { recursive: true });
`;

let project: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'quarry set-up '));
  mkdirSync(join(project, 'scripts'));
  cpSync(join(SCRIPTS, 'setup.mjs'), join(project, 'scripts/setup.mjs'));
  writeFileSync(join(project, 'package-lock.json'), '{}');
  writeFileSync(join(project, 'npm.cjs'), NPM_DOUBLE);
});

afterEach(() => rmSync(project, { recursive: true, force: true }));

function setUp(environment: Record<string, string> = {}) {
  return spawnSync(process.execPath, ['scripts/setup.mjs'], {
    cwd: project,
    encoding: 'utf8',
    env: {
      ...process.env,
      npm_node_execpath: process.execPath,
      npm_execpath: join(project, 'npm.cjs'),
      ...environment,
    },
  });
}

function asked(): string[] {
  const file = join(project, 'asked.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

test('a fresh copy is installed as the lockfile says, without running any package’s scripts', () => {
  expect(setUp().status).toBe(0);
  expect(asked()).toHaveLength(1);
  expect(asked()[0]).toMatch(/^install --no-save --ignore-scripts /);
});

test('standard output stays empty: it belongs to the product', () => {
  expect(setUp().stdout).toBe('');
});

test('nothing is done again until the lockfile changes', () => {
  setUp();
  setUp();
  expect(asked()).toHaveLength(1);
  writeFileSync(join(project, 'package-lock.json'), '{ "changed": true }');
  setUp();
  expect(asked()).toHaveLength(2);
});

test('a failed install is said in one sentence and tried again the next time', () => {
  const failed = setUp({ NPM_FAILS: '1' });
  expect(failed.status).not.toBe(0);
  expect(failed.stderr).toContain('npm ended with 7');
  expect(failed.stderr).not.toMatch(/\n\s+at /);
  expect(setUp().status).toBe(0);
  expect(asked()).toHaveLength(2);
});
