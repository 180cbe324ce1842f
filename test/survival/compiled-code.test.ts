/** The built server keeps what V8 compiled in its data folder, where nobody else can put code for it to run. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ensureBuilt } from '../../scripts/build.ts';
import { startApplianceProcess } from '../harness/appliance-process.ts';

const entry = join(import.meta.dirname, '../../out/main/cli.mjs');
let folder: string;
beforeAll(async () => {
  // The tests' own choice, which the server would heed.
  vi.stubEnv('NODE_COMPILE_CACHE', undefined);
  await ensureBuilt();
});
afterAll(() => void vi.unstubAllEnvs());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quarry compiled '));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const filesBelow = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true }).filter((f) => f.isFile());

test('a start keeps compiled code for the next one, for the account alone, and removes that of another build', async () => {
  const dataDir = join(folder, 'data');
  const compiled = join(dataDir, 'compiled');
  mkdirSync(join(compiled, 'older'), { recursive: true });
  const server = await startApplianceProcess({ entry, dataDir });
  expect((await server.kill('SIGTERM')).code).toBe(0);
  const [build = '', ...others] = readdirSync(compiled);
  expect(others).toEqual([]);
  expect(existsSync(join(compiled, 'older'))).toBe(false);
  expect(statSync(join(compiled, build)).mode & 0o077).toBe(0);
  const kept = filesBelow(compiled).length;
  expect(kept).toBeGreaterThan(50);

  await server.restart();
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
  await server.kill('SIGTERM');
  expect(filesBelow(compiled).length).toBeGreaterThanOrEqual(kept);
  await server[Symbol.asyncDispose]();
});

test('a server whose compiled code cannot be kept starts all the same', async () => {
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'compiled'), 'in the way');
  await using server = await startApplianceProcess({ entry, dataDir });
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
});
