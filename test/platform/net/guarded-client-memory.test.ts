import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { MIB } from '../../../src-server/platform/units.ts';

/** 20,000 pages of 6 KiB are 117 MiB. */
const MOST_BYTES = 90 * MIB;
const WAIT_MS = 900_000;

test(
  'the memory of many fetches is bounded: finished bodies are collected while others arrive',
  async () => {
    const program = join(import.meta.dirname, 'fetch-many.ts');
    // The server's own bound on the space for new objects.
    const args = ['--max-semi-space-size=8', program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: WAIT_MS });
    expect(Number(stdout)).toBeGreaterThan(0);
    expect(Number(stdout)).toBeLessThan(MOST_BYTES);
  },
  WAIT_MS,
);
