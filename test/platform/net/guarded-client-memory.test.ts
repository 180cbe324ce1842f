import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { MIB } from '../../../src-server/platform/units.ts';

/** 4,000 pages of 6 KiB are 23 MiB; those of the six lanes, and what the server beside them holds, are below 1. */
const MOST_BYTES = 12 * MIB;
const WAIT_MS = 900_000;

test(
  'the body of a fetch that is over is given back with the young objects, and does not wait for a full collection',
  async () => {
    const program = join(import.meta.dirname, 'fetch-many.ts');
    // The server's own bound on the space for new objects; without one a collection comes later.
    const args = ['--max-semi-space-size=8', '--expose-gc', program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: WAIT_MS });
    expect(Number(stdout)).toBeGreaterThan(0);
    expect(Number(stdout)).toBeLessThan(MOST_BYTES);
  },
  WAIT_MS,
);
