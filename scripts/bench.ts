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
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !names.includes(name));

if (unknown.length > 0) {
  process.stderr.write(`No such benchmark: ${unknown.join(', ')}. There are: ${names.join(', ')}.\n`);
  process.exitCode = 1;
} else {
  for (const name of asked.length > 0 ? asked : names) run(name);
}

function run(name: string): void {
  process.stdout.write(`\n# ${name}\n`);
  const { status } = spawnSync(process.execPath, ['--expose-gc', join(folder, `${name}${ENDING}`)], {
    stdio: 'inherit',
  });
  if (status !== 0) {
    process.stderr.write(`The benchmark ${name} failed.\n`);
    process.exitCode = 1;
  }
}
