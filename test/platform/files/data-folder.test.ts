import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDataFolder, readOwnerToken } from '../../../src-server/platform/files/data-folder.ts';

const SECRET_BYTES = 32;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'quarry data '));
});
afterEach(() => rmSync(root, { recursive: true }));

test('secrets are made once, are for the owner of the account alone, and leave nothing beside them', () => {
  const folder = openDataFolder(root);
  folder.release();
  const again = openDataFolder(root);
  again.release();
  expect([again.ownerToken, readOwnerToken(root)]).toEqual([folder.ownerToken, folder.ownerToken]);
  expect(again.idKey).toEqual(folder.idKey);
  expect(folder.idKey).toHaveLength(SECRET_BYTES);
  expect(readdirSync(root).sort()).toEqual(['id-key', 'lock.db', 'owner-token']);
  for (const name of ['owner-token', 'id-key']) expect(statSync(join(root, name)).mode & 0o777).toBe(0o600);
});

test('a secret that a full disk or a kill left empty is made anew: everybody knows the empty one', () => {
  for (const name of ['owner-token', 'id-key']) writeFileSync(join(root, name), '');
  const folder = openDataFolder(root);
  folder.release();
  expect(Buffer.from(folder.ownerToken, 'base64url')).toHaveLength(SECRET_BYTES);
  expect(folder.idKey).toHaveLength(SECRET_BYTES);
  // As it is sent: whoever reads the file has nothing to take off.
  expect(readFileSync(join(root, 'owner-token'), 'utf8')).toBe(folder.ownerToken);
});

test.each(['not hexadecimal', 'abcdef', `${'ab'.repeat(SECRET_BYTES)}zz`])(
  'a key of ids that is damaged keeps the server from starting: with what is left of it anybody could make ids (%s)',
  (damaged) => {
    writeFileSync(join(root, 'id-key'), damaged);
    expect(() => openDataFolder(root)).toThrow(/id-key.*damaged/);
    // What was opened before is given free again.
    writeFileSync(join(root, 'id-key'), 'ab'.repeat(SECRET_BYTES));
    openDataFolder(root).release();
  },
);
