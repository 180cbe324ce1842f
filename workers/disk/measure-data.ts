/** Which job, or which part of a data folder, takes how much of the disk. */

import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemCodeOf } from '../../src-server/platform/errors.ts';
import type { TaskFunction } from '../../src-server/platform/pool/worker-pool.ts';
import type { MeasureDataOutput } from './tasks.ts';

const ENVIRONMENTS = new Set(['production', 'staging']);

/** A job's folder, below two characters of its id, or its cover. */
const OF_JOB = /^(?:jobs\/[a-z0-9_-]{2}\/([\w-]+)\/|covers\/([\w-]+)\.webp$)/;

export const measureData: TaskFunction<'measure-data'> = async ({ folder }, { signal }) => {
  const measured: MeasureDataOutput = { bytes: 0, jobs: new Map(), others: new Map() };
  const add = (path: string, size: number) => {
    measured.bytes += size;
    const [top = '', ...below] = path.split('/');
    const [, ofFiles, ofCover] = (ENVIRONMENTS.has(top) && OF_JOB.exec(below.join('/'))) || [];
    const jobId = ofFiles ?? ofCover;
    const [sums, key] =
      jobId === undefined
        ? [measured.others, ENVIRONMENTS.has(top) ? `${top}/${below[0]}` : top]
        : [measured.jobs, `${top}/${jobId}`];
    sums.set(key, (sums.get(key) ?? 0) + size);
  };
  const visit = (path: string) => {
    signal.throwIfAborted();
    for (const entry of entriesOf(join(folder, path))) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) visit(inner);
      else add(inner, sizeOf(join(folder, inner)));
    }
  };
  visit('');
  return measured;
};

/** What goes away meanwhile, or may not be read, counts nothing. */
const UNCOUNTED = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM']);

function entriesOf(path: string): Dirent[] {
  return uncountedAs([], () => readdirSync(path, { withFileTypes: true }));
}

function sizeOf(path: string): number {
  return uncountedAs(0, () => lstatSync(path).size);
}

function uncountedAs<Value>(none: Value, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (UNCOUNTED.has(systemCodeOf(error))) return none;
    throw error;
  }
}
