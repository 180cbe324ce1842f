import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';

const OWNER_ONLY = 0o600;

/**
 * A secret in a file of its own. Threat: it leaks with the database, which people copy, open in viewers and send along
 * with a question. Only the system account that runs the server may read the file. Where a file system knows no such
 * rights (Windows), the user's own folder is what protects it.
 */
export class SecretFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Null where none was kept. Rights that somebody has widened are narrowed again. */
  read(): string | null {
    try {
      chmodSync(this.#path, OWNER_ONLY);
      return readFileSync(this.#path, 'utf8').trim();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  /** Replaces it whole, so that a process that dies in between leaves the old one or the new one. Null removes it. */
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
