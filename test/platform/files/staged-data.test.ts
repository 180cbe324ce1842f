/** Staged data takes its place whole, wherever a process is killed on the way. */
import fs, {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  commitStagedData,
  dropStagedData,
  replacedDataFolders,
  STAGE,
  stagedDataFrom,
  takeStagedData,
} from '../../../src-server/platform/files/staged-data.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'quarry staged '));
  for (const [name, text] of [
    ['production/quarry.db', 'old'],
    ['owner-token', 'old token'],
    ['models/base.bin', 'model'],
    ['only-before', 'old'],
    ['lock.db', 'lock'],
    [`${STAGE}/production/quarry.db`, 'new'],
    [`${STAGE}/owner-token`, 'new token'],
    [`${STAGE}/id-key`, 'new key'],
  ] as const) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), text);
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(root, { recursive: true, force: true });
});

const staged = { from: 'quarry-2026', stays: ['models'], now: Date.UTC(2026, 10, 29) };

const text = (...path: string[]) => readFileSync(join(root, ...path), 'utf8');

function expectReplaced(): void {
  expect(text('production', 'quarry.db')).toBe('new');
  expect([text('owner-token'), text('id-key'), text('models', 'base.bin')]).toEqual(['new token', 'new key', 'model']);
  expect(existsSync(join(root, 'only-before'))).toBe(false);
  const [aside = ''] = replacedDataFolders(root);
  expect(readdirSync(aside).sort()).toEqual(['only-before', 'owner-token', 'production']);
  expect(readFileSync(join(aside, 'production/quarry.db'), 'utf8')).toBe('old');
  expect(readdirSync(root).filter((name) => name.startsWith('.'))).toEqual([]);
  expect(stagedDataFrom(root)).toBeNull();
}

test('without a journal nothing is touched: a copy that was killed is no restore', () => {
  expect(takeStagedData(root)).toBeNull();
  expect(text('owner-token')).toBe('old token');
});

test('what waits can be dropped', () => {
  commitStagedData(root, staged);
  expect(stagedDataFrom(root)).toBe('quarry-2026');
  dropStagedData(root);
  expect(takeStagedData(root)).toBeNull();
  expect(text('owner-token')).toBe('old token');
  expect(existsSync(join(root, STAGE))).toBe(false);
});

test('killed before any rename, the next process finishes it', () => {
  commitStagedData(root, staged);
  const pristine = `${root} pristine`;
  cpSync(root, pristine, { recursive: true });
  const real = fs.renameSync;
  try {
    for (let until = 0; ; until += 1) {
      rmSync(root, { recursive: true });
      cpSync(pristine, root, { recursive: true });
      let renames = 0;
      vi.spyOn(fs, 'renameSync').mockImplementation((...names) => {
        if (renames === until) throw new Error('killed');
        renames += 1;
        real(...names);
      });
      syncBuiltinESMExports();
      let isKilled = false;
      try {
        takeStagedData(root);
      } catch {
        isKilled = true;
      }
      vi.restoreAllMocks();
      syncBuiltinESMExports();
      takeStagedData(root);
      expectReplaced();
      if (!isKilled) {
        expect(until).toBeGreaterThan(5);
        return;
      }
    }
  } finally {
    rmSync(pristine, { recursive: true, force: true });
  }
});
