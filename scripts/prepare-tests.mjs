/**
 * Runs before the tests: installs the packages of the lockfile (setup.mjs) and those of Debian (debian-packages.mjs)
 * concurrently, because on a fresh machine each takes a minute or two. Plain JavaScript, because the Node that runs it
 * may be as old as 18.
 */
import { spawn } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const codes = await Promise.all([run('setup.mjs', '--development'), run('debian-packages.mjs')]);
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;

function run(name, ...flags) {
  const file = fileURLToPath(new URL(name, import.meta.url));
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [file, ...flags], { stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
}
