import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { openSqlite, type Sqlite } from '../db/sqlite.ts';
import { checkPlace, followMoves, settlePlace } from './data-place.ts';
import { makeOwnerFolder, SecretFile } from './private-files.ts';
import { takeStagedData } from './staged-data.ts';

/** Length of the owner's token and of the key for text job ids. */
const SECRET_BYTES = 32;

const OWNER_TOKEN = 'owner-token';

const ID_KEY = new RegExp(`^[0-9a-f]{${2 * SECRET_BYTES}}$`, 'i');

/** The lock of a running server. */
const LOCK = 'lock.db';

export interface DataFolder {
  root: string;
  ownerToken: string;
  /** HMAC key of deterministic ids. */
  idKey: Buffer;
  /** Releases the folder for another process. */
  release(): void;
}

/** Another process serves this data folder. */
export class DataFolderInUseError extends Error {
  constructor(root: string) {
    super(`Another Quarry is already using the data folder ${root}. Stop it, or give another folder with --data-dir.`);
    this.name = 'DataFolderInUseError';
  }
}

/** The folder has no owner token: no server has ever started on it. */
export class UnusedDataFolderError extends Error {
  constructor(root: string) {
    super(
      `No server has used the data folder ${root} yet: start one there, or, where yours was started with --data-dir ` +
        'or QUARRY_DATA_DIR, give this command the same.',
    );
    this.name = 'UnusedDataFolderError';
  }
}

/** A secret file has invalid content, from an edit or a disk error. */
export class DamagedSecretError extends Error {
  constructor(path: string) {
    super(
      `The file ${path} is damaged: it must contain ${2 * SECRET_BYTES} hexadecimal digits. Restore a copy of it, or ` +
        'remove it and start Quarry again: then a text that was asked for before gets a new jobId.',
    );
    this.name = 'DamagedSecretError';
  }
}

/**
 * Opens the data folder for this process alone, where its data was moved to. The lock is an exclusive SQLite
 * transaction: the operating system releases it when the process ends in any way, so a killed server leaves no stale
 * lock. A restore that waits takes its place.
 */
export function openDataFolder(given: string): DataFolder {
  const root = followMoves(given);
  checkPlace(root);
  const lock = lockDataFolder(root);
  try {
    settlePlace(root);
    takeStagedData(root);
    const ownerToken = secretOf(join(root, OWNER_TOKEN), 'base64url');
    return { root, ownerToken, idKey: idKeyOf(join(root, 'id-key')), release: () => lock.close() };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** Threat: a damaged key may be truncated or empty, and ids made with it could be guessed. */
function idKeyOf(path: string): Buffer {
  const text = secretOf(path, 'hex');
  if (!ID_KEY.test(text)) throw new DamagedSecretError(path);
  return Buffer.from(text, 'hex');
}

/** Throws a public sentence when the data folder was removed or is read-only. */
export async function checkDataFolder(root: string): Promise<void> {
  try {
    // The lock exists while the server runs. Without it, this is a new folder with the same path.
    for (const path of [root, join(root, LOCK)]) await access(path, constants.W_OK);
  } catch {
    throw new Error('The data folder is gone or cannot be written: stop Quarry, put it right, and start it again.');
  }
}

/** Reads the owner's token. Also works while a server runs. Errors: UnusedDataFolderError. */
export function readOwnerToken(root: string): string {
  const token = new SecretFile(join(root, OWNER_TOKEN)).readSecret();
  if (!token) throw new UnusedDataFolderError(root);
  return token;
}

const Announcement = z.object({ url: z.url() });

/**
 * URL that a server wrote to `server.json`; null while the file is missing or incomplete. A killed server leaves its
 * file, so the URL may not answer.
 */
export async function announcedUrl(root: string): Promise<string | null> {
  try {
    const { url } = Announcement.parse(JSON.parse(await readFile(join(root, 'server.json'), 'utf8')));
    // A server on all interfaces is called on loopback.
    return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  } catch {
    return null;
  }
}

/** Makes a data folder where there is none, and keeps others out until `close`. Errors: DataFolderInUseError. */
export function lockDataFolder(root: string): { close(): void } {
  makeOwnerFolder(root);
  return takeLock(root);
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
 * Reads a secret, or creates it on first start, under the lock. Threat: a known secret. An empty file, which a full
 * disk or a kill can leave, counts as missing.
 */
function secretOf(path: string, encoding: 'base64url' | 'hex'): string {
  const file = new SecretFile(path);
  if (!file.readSecret()) file.writeSecret(randomBytes(SECRET_BYTES).toString(encoding));
  const secret = file.readSecret();
  if (!secret) throw new Error(`The file ${path} is empty. Remove it, and start Quarry again.`);
  return secret;
}
