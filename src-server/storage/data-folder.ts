import { randomBytes } from 'node:crypto';
import { constants, existsSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { makeOwnerFolder } from '../lib/owner-folder.ts';
import { SecretFile } from './secret-file.ts';

/** Bytes of the owner's token and of the key that makes text job ids: more than anyone can guess. */
const SECRET_BYTES = 32;
const OWNER_ONLY_FILE = 0o600;
const ID_KEY = new RegExp(`^[0-9a-f]{${2 * SECRET_BYTES}}$`, 'i');
/** What a server holds for as long as it runs. */
const LOCK = 'lock.db';

export interface DataFolder {
  root: string;
  ownerToken: string;
  /** Key of the HMAC behind deterministic ids. */
  idKey: Buffer;
  /** Gives the folder free for another process. */
  release(): void;
}

/** Another process serves this data folder. */
export class DataFolderInUseError extends Error {
  constructor(root: string) {
    super(`Another Quarry is already using the data folder ${root}. Stop it, or give another folder with --data-dir.`);
    this.name = 'DataFolderInUseError';
  }
}

/** A secret was changed by hand, or by a disk: what it holds is none. */
export class DamagedSecretError extends Error {
  constructor(path: string) {
    super(
      `The file ${path} is damaged: ${2 * SECRET_BYTES} hexadecimal digits belong into it. Put back a copy of it, or ` +
        'remove it and start Quarry again: then a text that was asked for before gets a new jobId.',
    );
    this.name = 'DamagedSecretError';
  }
}

/**
 * Opens the data folder for this process alone. The lock is an exclusive SQLite transaction: the operating system gives
 * it up when the process ends, however it ends, so a killed server never leaves a stale lock behind.
 */
export function openDataFolder(root: string): DataFolder {
  makeOwnerFolder(root);
  const lock = takeLock(root);
  try {
    const ownerToken = secretOf(join(root, 'owner-token'), 'base64url');
    return { root, ownerToken, idKey: idKeyOf(join(root, 'id-key')), release: () => lock.close() };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** Threat: of a damaged key only the beginning would be read, or nothing, and ids made with that can be guessed. */
function idKeyOf(path: string): Buffer {
  const text = secretOf(path, 'hex');
  if (!ID_KEY.test(text)) throw new DamagedSecretError(path);
  return Buffer.from(text, 'hex');
}

/** Throws a public sentence where the folder of a running server has been taken away, or may not be written. */
export async function checkDataFolder(root: string): Promise<void> {
  try {
    // The lock is held all the while: where it is missing, this is another folder, made since.
    for (const path of [root, join(root, LOCK)]) await access(path, constants.W_OK);
  } catch {
    throw new Error('The data folder is gone or cannot be written: stop Quarry, put it right, and start it again.');
  }
}

/** Whether a server has ever held this data folder. */
export function wasServed(root: string): boolean {
  return existsSync(join(root, LOCK));
}

/** The owner's token of a data folder, made if the folder is new. Works beside a running server. */
export function readOwnerToken(root: string): string {
  makeOwnerFolder(root);
  return secretOf(join(root, 'owner-token'), 'base64url');
}

function takeLock(root: string): SqliteDatabase.Database {
  const lock = new SqliteDatabase(join(root, LOCK), { timeout: 0 });
  try {
    lock.pragma('journal_mode = DELETE');
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) throw new DataFolderInUseError(root);
    throw error;
  }
}

/**
 * Reads a secret, or makes it at the first start; only the owner of the machine's account may read it. The threat is
 * one that anybody could know: an empty file, as a disk that was full or a kill may have left it, holds none.
 */
function secretOf(path: string, encoding: 'base64url' | 'hex'): string {
  const file = new SecretFile(path);
  const known = file.read();
  if (known) return known;
  makeSecret(path, encoding, known === '');
  const made = file.read();
  if (!made) throw new Error(`The file ${path} is empty. Remove it, and start Quarry again.`);
  return made;
}

function makeSecret(path: string, encoding: 'base64url' | 'hex', replaces: boolean): void {
  const beside = `${path}.${process.pid}`;
  rmSync(beside, { force: true });
  try {
    const secret = randomBytes(SECRET_BYTES).toString(encoding);
    writeFileSync(beside, secret, { mode: OWNER_ONLY_FILE, flag: 'wx', flush: true });
    if (replaces) renameSync(beside, path);
    else giveName(beside, path);
  } finally {
    rmSync(beside, { force: true });
  }
}

/** The first to make it wins: a server and a command may start at the same moment. */
function giveName(beside: string, path: string): void {
  try {
    linkSync(beside, path);
  } catch (error) {
    // Where the disk's format knows no second names, the last to make it wins.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') renameSync(beside, path);
  }
}
