import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const ROOT = dirname(dirname(import.meta.dirname));

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quarry reporter '));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const reporter = JSON.stringify(join(ROOT, 'test/reporter.ts'));
  writeFileSync(join(folder, 'vitest.config.mjs'), `export default { test: { reporters: [${reporter}] } };`);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Run {
  lastLine: string | undefined;
  exitCode: number | null;
}

/** The last line and the exit code of a run of one test file. */
function run(source: string): Run {
  const { lastLine, exitCode } = runWith(source, process.env.PATH);
  return { lastLine, exitCode };
}

/** As above, and everything that was said, where programs are looked for in a folder. */
function runWith(source: string, path: string | undefined): Run & { said: string } {
  writeFileSync(join(folder, 'a.test.mjs'), `import { beforeAll, describe, test } from 'vitest';\n${source}`);
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const options = { cwd: folder, encoding: 'utf8', env: { ...process.env, PATH: path } } as const;
  const { stdout, status } = spawnSync(process.execPath, [vitest, 'run'], options);
  return { said: stdout, lastLine: stdout.trimEnd().split('\n').at(-1), exitCode: status };
}

test('a run ends with one line that counts passed, failed and skipped tests', () => {
  const source = `
    test('a', () => {});
    test('b', () => { throw new Error('no'); });
    test.skip('c', () => {});`;
  expect(run(source)).toEqual({ lastLine: '1 passed, 1 failed, 1 skipped', exitCode: 1 });
});

test('a file that does not load is a failure', () => {
  expect(run("throw new Error('no');")).toEqual({ lastLine: '0 passed, 1 failed, 0 skipped', exitCode: 1 });
});

test('tests that never ran because their set-up failed are failures, not skipped', () => {
  const source = `describe('a', () => {
    beforeAll(() => { throw new Error('no'); });
    test('b', () => {});
  });`;
  expect(run(source)).toEqual({ lastLine: '0 passed, 2 failed, 0 skipped', exitCode: 1 });
});

test('an error outside every test is a failure', () => {
  const source =
    "test('a', () => { setTimeout(() => { throw new Error('later'); }); return new Promise((r) => setTimeout(r, 50)); });";
  expect(run(source)).toEqual({ lastLine: '1 passed, 1 failed, 0 skipped', exitCode: 1 });
});

test('a run names its slowest files, slowest first', () => {
  const others = Array.from({ length: 11 }, (_, index) => `${index}.test.mjs`);
  for (const name of others) writeFileSync(join(folder, name), "import { test } from 'vitest'; test('a', () => {});");
  const { said } = runWith("test('a', () => new Promise((r) => setTimeout(r, 50)));", process.env.PATH);
  const named = [...said.matchAll(/^slowest: (\d+\.\d) s (\S+)$/gm)].map(([, seconds, name]) => ({ seconds, name }));
  expect(named.length).toBe(10);
  expect([...others, 'a.test.mjs']).toEqual(expect.arrayContaining(named.map(({ name }) => name)));
  const seconds = named.map((one) => Number(one.seconds));
  expect(seconds).toEqual(seconds.toSorted((one, other) => other - one));
});

test('a run that left tests out on a machine without a browser says so loudly before it ends', () => {
  const skipping = "test.skip('a', () => {});";
  const without = runWith(skipping, folder);
  expect(without.said).toContain('THERE IS NO CHROMIUM ON THIS MACHINE');
  expect(without).toMatchObject({ lastLine: '0 passed, 0 failed, 1 skipped', exitCode: 0 });
  writeFileSync(join(folder, 'chromium'), '', { mode: 0o755 });
  expect(runWith(skipping, folder).said).not.toContain('CHROMIUM');
});
