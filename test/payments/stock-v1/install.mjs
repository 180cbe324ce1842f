/**
 * Installs the stock version 1 client into this folder before the tests run. Without a registry it says so and goes on:
 * the test that needs the client then counts as skipped.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const INSTALL_TIMEOUT_MS = 5 * 60_000;
const folder = import.meta.dirname;

if (!existsSync(join(folder, 'node_modules', 'x402-fetch', 'package.json'))) {
  const npm = process.env.npm_execpath;
  const args = ['ci', '--ignore-scripts', '--loglevel=error'];
  const options = { cwd: folder, stdio: ['ignore', 2, 2], timeout: INSTALL_TIMEOUT_MS };
  const { status } = npm
    ? spawnSync(process.env.npm_node_execpath ?? process.execPath, [npm, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  if (status !== 0) process.stderr.write('The stock version 1 client could not be installed; its test is skipped.\n');
}
