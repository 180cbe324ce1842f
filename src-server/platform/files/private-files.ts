import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { systemCodeOf } from '../errors.ts';
import { makeFolder } from './make-folder.ts';

const OWNER_ONLY = 0o600;

/**
 * A secret in its own file. Threat: a secret in the database leaks when people copy it, open it in viewers or attach it
 * to a question. Only the system account of the server can read the file. On file systems without such permissions
 * (Windows), the user's own folder protects it.
 */
export class SecretFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Null when there is none. Widened permissions are restricted again. */
  readSecret(): string | null {
    try {
      chmodSync(this.#path, OWNER_ONLY);
      return readFileSync(this.#path, 'utf8').trim();
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return null;
      throw error;
    }
  }

  /** Replaces the secret atomically. Null removes it. */
  writeSecret(secret: string | null): void {
    if (secret === null) rmSync(this.#path, { force: true });
    else this.#replaceSecret(secret);
  }

  #replaceSecret(secret: string): void {
    const beside = `${this.#path}.new`;
    rmSync(beside, { force: true });
    const file = openSync(beside, 'wx', OWNER_ONLY);
    try {
      writeSync(file, secret);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, this.#path);
  }
}

const OWNER_ONLY_FOLDER = 0o700;

/** Creates a folder and its parents, for this account only. */
export function makeOwnerFolder(path: string): void {
  makeFolder(path, OWNER_ONLY_FOLDER);
}
