import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqlite, type Sqlite } from '../db/sqlite.ts';
import { makeOwnerFolder, SecretFile } from './private-files.ts';

/** Bytes of the owner's token and of the key that makes text job ids: more than anyone can guess. */
const SECRET_BYTES = 32;

const OWNER_TOKEN = 'owner-token';

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

/** There is no owner token: no server has started on this data folder. */
export class UnusedDataFolderError extends Error {
  constructor(root: string) {
    super(
      `No server has used the data folder ${root} yet: start one there, or, where yours was started with --data-dir ` +
        'or QUARRY_DATA_DIR, give this command the same.',
    );
    this.name = 'UnusedDataFolderError';
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
    const ownerToken = secretOf(join(root, OWNER_TOKEN), 'base64url');
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

/** The owner's token of a data folder. Works beside a running server. Errors: UnusedDataFolderError. */
export function readOwnerToken(root: string): string {
  const token = new SecretFile(join(root, OWNER_TOKEN)).read();
  if (!token) throw new UnusedDataFolderError(root);
  return token;
}

function takeLock(root: string): Sqlite {
  const lock = openSqlite(join(root, LOCK), { timeout: 0 });
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
 * Reads a secret, or makes it at the first start, under the lock. Threat: a secret that anybody could know. An empty
 * file, which a full disk or a kill can leave, holds none.
 */
function secretOf(path: string, encoding: 'base64url' | 'hex'): string {
  const file = new SecretFile(path);
  if (!file.read()) file.write(randomBytes(SECRET_BYTES).toString(encoding));
  const secret = file.read();
  if (!secret) throw new Error(`The file ${path} is empty. Remove it, and start Quarry again.`);
  return secret;
}
