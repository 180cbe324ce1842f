import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { KeptNote } from '../../src-server/features/media/tool-release.ts';

const CHANGES = 100;
const Facts = z.object({ count: z.number(), name: z.string().nullable() });

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry note '));
  path = join(folder, 'tools', 'note.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = () => new KeptNote(path, Facts, { count: 0, name: null });
const countUp = (facts: z.infer<typeof Facts>) => ({ ...facts, count: facts.count + 1 });

describe('a note that many write at once', () => {
  test('loses none of their changes, and leaves nothing beside it', async () => {
    const note = open();
    const changes = Array.from({ length: CHANGES }, () => note.changeNote(countUp));
    await Promise.all([...changes, note.changeNote((facts) => ({ ...facts, name: 'installed' }))]);
    expect(await note.readKeptNote()).toEqual({ count: CHANGES, name: 'installed' });
    expect(await open().readKeptNote()).toEqual({ count: CHANGES, name: 'installed' });
    expect(await readdir(join(folder, 'tools'))).toEqual(['note.json']);
  });

  test('fails the change that could not be written and no other', async () => {
    const note = open();
    // A folder in its place can be neither read nor replaced by a file.
    await mkdir(path, { recursive: true });
    await expect(note.changeNote(countUp)).rejects.toMatchObject({ code: 'EISDIR' });
    await rm(path, { recursive: true });
    await note.changeNote(countUp);
    expect(await note.readKeptNote()).toEqual({ count: 1, name: null });
  });

  test('that somebody wrote over by hand is begun anew', async () => {
    await mkdir(join(folder, 'tools'));
    await writeFile(path, '{"count": "many"');
    const note = open();
    await note.changeNote(countUp);
    expect(await note.readKeptNote()).toEqual({ count: 1, name: null });
  });
});
