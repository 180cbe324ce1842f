import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

interface Locked {
  resolved?: string;
  link?: boolean;
  hasInstallScript?: boolean;
}

const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};

/**
 * Packages whose install script runs with `npm ci`, where npm runs scripts. Each ends with 0 without a compiler and
 * without another host than the registry; a new one has to be tried with `npx npm@10 ci` on a fresh clone.
 */
const TRIED = [
  '@foundry-rs/anvil',
  'better-sqlite3',
  'electron-winstaller',
  'ffmpeg-static',
  'node',
  'node-av',
  'node-llama-cpp',
];

test('no package of the lockfile has an install script that was not tried on a fresh clone', () => {
  const scripted = Object.entries(packages).flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [path] : []));
  const names = scripted.map((path) => path.replace(/^.*node_modules\//, ''));
  expect([...new Set(names)].filter((name) => !TRIED.includes(name))).toEqual([]);
  expect(TRIED.filter((name) => !names.includes(name))).toEqual([]);
});

test('the install script of node-av finds the stand-in for unzipper, and ends well', () => {
  expect(packages['node_modules/unzipper']).toEqual({ resolved: 'scripts/unzipper', link: true });
  expect(packages).not.toHaveProperty(['node_modules/node-av/node_modules/unzipper']);
  const entry = join(ROOT, 'scripts/unzipper/index.js');
  const imports = `import { Open } from ${JSON.stringify(entry)}; process.stdout.write(String(Open)); process.exit(3);`;
  const ran = spawnSync(process.execPath, ['--input-type=module', '-e', imports], { encoding: 'utf8' });
  expect([ran.status, ran.stdout]).toEqual([0, '']);
});
