import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LogFile } from '../../src-main/log.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quarry log '));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the log file of the desktop app', () => {
  test('keeps the newest lines in three files of bounded size, across starts', () => {
    const file = join(folder, 'logs/quarry.log');
    for (let start = 0; start < 10; start += 1) {
      const log = new LogFile(file, 100);
      for (let line = 0; line < 10; line += 1) log.writeLogText(`start ${start}, line ${line}\n`);
    }
    const names = readdirSync(join(folder, 'logs')).sort();
    expect(names).toEqual(['quarry.log', 'quarry.log.1', 'quarry.log.2']);
    for (const name of names) expect(statSync(join(folder, 'logs', name)).size).toBeLessThanOrEqual(100);
    const kept = ['quarry.log.2', 'quarry.log.1', 'quarry.log'].map((name) =>
      readFileSync(join(folder, 'logs', name), 'utf8'),
    );
    expect(kept.join('').trim().split('\n').at(-1)).toBe('start 9, line 9');
    const lines = kept.join('').trim().split('\n');
    expect(lines).toEqual([...lines].sort());
  });

  test('cuts what is longer than a file, and keeps its end', () => {
    const log = new LogFile(join(folder, 'quarry.log'), 10);
    log.writeLogText(`${'x'.repeat(50)}the end\n`);
    expect(readFileSync(log.path, 'utf8')).toBe('xxthe end\n');
  });

  test('cannot be written: the app goes on, and so does the log when it can again', () => {
    const file = join(folder, 'quarry.log');
    mkdirSync(file);
    const log = new LogFile(file);
    log.writeLogText('lost\n');
    rmSync(file, { recursive: true });
    log.writeLogText('kept\n');
    expect(readFileSync(file, 'utf8')).toBe('kept\n');
  });

  test.skipIf(process.platform === 'win32')('is readable by the user alone', () => {
    const log = new LogFile(join(folder, 'quarry.log'));
    log.writeLogText('line\n');
    expect(statSync(log.path).mode & 0o777).toBe(0o600);
  });
});
