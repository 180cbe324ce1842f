import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { makeOwnerFolder } from '../lib/owner-folder.ts';

/** Bytes of the owner's token and of the key that makes text job ids: more than anyone can guess. */
const SECRET_BYTES = 32;
const OWNER_ONLY_FILE = 0o600;

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

/**
 * Opens the data folder for this process alone. The lock is an exclusive SQLite transaction: the operating system gives
 * it up when the process ends, however it ends, so a killed server never leaves a stale lock behind.
 */
export function openDataFolder(root: string): DataFolder {
  makeOwnerFolder(root);
  const lock = takeLock(root);
  return {
    root,
    ownerToken: secretFile(join(root, 'owner-token'), 'base64url').toString(),
    idKey: Buffer.from(secretFile(join(root, 'id-key'), 'hex').toString(), 'hex'),
    release: () => lock.close(),
  };
}

/** The owner's token of a data folder, made if the folder is new. Works beside a running server. */
export function readOwnerToken(root: string): string {
  makeOwnerFolder(root);
  return secretFile(join(root, 'owner-token'), 'base64url').toString();
}

function takeLock(root: string): SqliteDatabase.Database {
  const lock = new SqliteDatabase(join(root, 'lock.db'), { timeout: 0 });
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

/** Reads a secret, or makes it at the first start; only the owner of the machine's account may read it. */
function secretFile(path: string, encoding: 'base64url' | 'hex'): Buffer {
  if (!existsSync(path)) {
    writeFileSync(path, randomBytes(SECRET_BYTES).toString(encoding), { mode: OWNER_ONLY_FILE, flag: 'wx' });
  }
  chmodSync(path, OWNER_ONLY_FILE);
  return Buffer.from(readFileSync(path, 'utf8').trim());
}
