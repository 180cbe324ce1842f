/**
 * Installs stock clients that have a folder of their own, before the tests run. Without a registry it says so and goes
 * on: the tests that need them then count as skipped.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const INSTALL_TIMEOUT_MS = 5 * 60_000;
/** Each with a package that shows that it is installed. */
const FOLDERS = {
  '../test/payments/stock-v1/': 'x402-fetch',
  '../test/openai/clients/': '@ai-sdk/openai',
  '../test/api/generators/': 'orval',
};

for (const [place, name] of Object.entries(FOLDERS)) {
  const folder = new URL(place, import.meta.url);
  if (existsSync(new URL(`node_modules/${name}/package.json`, folder))) continue;
  const npm = process.env.npm_execpath;
  const args = ['ci', '--ignore-scripts', '--loglevel=error'];
  const options = { cwd: fileURLToPath(folder), stdio: ['ignore', 2, 2], timeout: INSTALL_TIMEOUT_MS };
  const { status } = npm
    ? spawnSync(process.env.npm_node_execpath ?? process.execPath, [npm, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  if (status !== 0) process.stderr.write(`${name} could not be installed; its tests are skipped.\n`);
}
