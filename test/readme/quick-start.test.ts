import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startAppliance } from '../harness/appliance.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SECTIONS = [
  '### Your first document',
  '### Paying, in the sandbox',
  '### A webhook, seen in a minute',
  '### Speech and music',
];

/** The shell blocks of a section, and the output shown right below each. */
function examplesIn(readme: string, heading: string): { command: string; output: string }[] {
  const section = readme.slice(readme.indexOf(heading) + heading.length).split(/\n#{2,3} /)[0] ?? '';
  const pairs = section.matchAll(/```sh\n([\s\S]*?)```\n\n```\n([\s\S]*?)```/g);
  return [...pairs].map(([, command = '', output = '']) => ({ command, output }));
}

test('the README’s quick start, pasted, prints what the README shows', async () => {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const examples = SECTIONS.flatMap((heading) => examplesIn(readme, heading));
  expect(examples).toHaveLength(SECTIONS.length);
  await using appliance = await startAppliance();
  const folder = await mkdtemp(join(tmpdir(), 'quarry readme '));
  try {
    await symlink(join(ROOT, 'resources'), join(folder, 'resources'));
    // The two things that differ here: the address, and where the token is read from.
    const script = examples
      .map(({ command }) => command)
      .join('\n')
      .replace('http://127.0.0.1:8402', appliance.url)
      .replace('$(npm run --silent token)', appliance.ownerToken);
    const path = `${dirname(process.execPath)}:${process.env.PATH}`;
    const { stdout } = await run('bash', ['-e', '-c', script], { cwd: folder, env: { ...process.env, PATH: path } });
    // A header line of HTTP ends in a carriage return, which nobody sees.
    expect(stdout.replaceAll('\r', '')).toBe(examples.map(({ output }) => output).join(''));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
