/**
 * `npm run bench [name…]`: the benchmarks one after another, never together, because they would measure each other.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ENDING = '.bench.ts';

const folder = join(dirname(import.meta.dirname), 'bench');
const names = readdirSync(folder)
  .filter((file) => file.endsWith(ENDING))
  .map((file) => file.slice(0, -ENDING.length))
  .sort();
/** They take the rest of the line, files, folders or a commit, and run only by name. */
const WITH_ARGUMENTS = new Set(['account', 'boxes', 'gate', 'outline', 'tables']);

const line = process.argv.slice(2);
const last = line.findIndex((name) => WITH_ARGUMENTS.has(name)) + 1;
const asked = last === 0 ? line : line.slice(0, last);
const rest = last === 0 ? [] : line.slice(last);
const unknown = asked.filter((name) => !names.includes(name));

if (unknown.length > 0) {
  process.stderr.write(`No such benchmark: ${unknown.join(', ')}. There are: ${names.join(', ')}.\n`);
  process.exitCode = 1;
} else {
  for (const name of asked.length > 0 ? asked : names.filter((name) => !WITH_ARGUMENTS.has(name))) run(name);
}

function run(name: string): void {
  process.stdout.write(`\n# ${name}\n`);
  const program = join(folder, `${name}${ENDING}`);
  const { status } = spawnSync(process.execPath, ['--expose-gc', program, ...(WITH_ARGUMENTS.has(name) ? rest : [])], {
    stdio: 'inherit',
  });
  if (status !== 0) {
    process.stderr.write(`The benchmark ${name} failed.\n`);
    process.exitCode = status ?? 1;
  }
}
