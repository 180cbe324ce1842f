import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';

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
  read(): string | null {
    try {
      chmodSync(this.#path, OWNER_ONLY);
      return readFileSync(this.#path, 'utf8').trim();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  /** Replaces the secret atomically. Null removes it. */
  write(secret: string | null): void {
    if (secret === null) rmSync(this.#path, { force: true });
    else this.#replace(secret);
  }

  #replace(secret: string): void {
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

/**
 * Creates a folder and its parents, for this account only. One by one: Node's recursive mode loops forever when the
 * system reports an existing folder as missing (below /proc).
 */
export function makeOwnerFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) {
    // Another process may have created it meanwhile.
    if (!existsSync(folder)) mkdirSync(folder, { mode: OWNER_ONLY_FOLDER });
  }
  // All folders exist now. This refuses a path that is not a folder.
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY_FOLDER });
}
