import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createUploads } from '../../../src-server/platform/files/uploads.ts';
import { MIB } from '../../../src-server/platform/units.ts';
import { plentyOfDisk } from '../../harness/disk.ts';
import { failure } from '../net/client-harness.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry uploads '));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function* chunks(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

const openUploads = (options: object = {}) => createUploads({ folder, freeDisk: plentyOfDisk, ...options });

describe('a received file', () => {
  test('is on disk under a name of its own, with its size and hash', async () => {
    const uploads = await openUploads();
    const one = await uploads.receive(chunks('hel', '', 'lo'), { maxBytes: 5 });
    const other = await uploads.receive(chunks(), { maxBytes: 5 });
    expect(await readFile(one.path, 'utf8')).toBe('hello');
    expect(one).toMatchObject({ sizeBytes: 5, sha256: createHash('sha256').update('hello').digest('hex') });
    expect(other.sizeBytes).toBe(0);
    expect(new Set(await readdir(folder))).toEqual(new Set([basename(one.path), basename(other.path)]));
  });

  test('over its limit is body_too_large and leaves nothing', async () => {
    const uploads = await openUploads();
    const error = await failure(uploads.receive(chunks('x'.repeat(MIB), 'x'), { maxBytes: MIB }));
    expect([error.code, error.fields?.[0]?.path]).toEqual(['body_too_large', 'file']);
    expect(await readdir(folder)).toEqual([]);
  });

  test('whose sender fails leaves nothing', async () => {
    const uploads = await openUploads();
    async function* broken(): AsyncGenerator<Buffer> {
      yield Buffer.from('half');
      throw new Error('The sender went away.');
    }
    await expect(uploads.receive(broken(), { maxBytes: 5 })).rejects.toThrow('The sender went away.');
    expect(await readdir(folder)).toEqual([]);
  });

  test('is asked for no faster than the disk takes it', async () => {
    let produced = 0;
    let written = 0;
    let mostAhead = 0;
    async function* counted(): AsyncGenerator<Buffer> {
      for (; produced < 50; produced++) {
        mostAhead = Math.max(mostAhead, produced - written);
        yield Buffer.alloc(1000);
      }
    }
    const openFile = async (path: string) => {
      const file = await open(path, 'wx');
      const write = file.writeFile.bind(file);
      file.writeFile = async (...parts: Parameters<typeof write>) => {
        await sleep(1);
        await write(...parts);
        written += 1;
      };
      return file;
    };
    await (await openUploads({ openFile })).receive(counted(), { maxBytes: MIB });
    expect([written, mostAhead]).toEqual([50, 0]);
  });

  test.skipIf(process.platform !== 'linux')('on a full disk is storage_full (needs /dev/full, so Linux)', async () => {
    const uploads = await openUploads({ openFile: () => open('/dev/full', 'w') });
    const error = await failure(uploads.receive(chunks('hello'), { maxBytes: 5 }));
    expect([error.code, error.retryable]).toEqual(['storage_full', true]);
    expect(error.message).not.toContain(folder);
  });
});

describe('a file that arrived', () => {
  test('is gone once it is discarded, twice too', async () => {
    const uploads = await openUploads();
    const file = await uploads.receive(chunks('x'), { maxBytes: 5 });
    await uploads.discard(file);
    await uploads.discard(file);
    expect(await readdir(folder)).toEqual([]);
  });
});

test('what a process left behind when it died is gone once the next one opens the folder', async () => {
  const uploads = await openUploads();
  await uploads.receive(chunks('x'), { maxBytes: 5 });
  await mkdir(join(folder, 'left behind'));
  await writeFile(join(folder, 'left behind', 'inside'), 'x');
  await openUploads();
  expect(await readdir(folder)).toEqual([]);
});
