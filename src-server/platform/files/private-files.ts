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

const OWNER_ONLY_FOLDER = 0o700;

/**
 * Makes a folder and those above it, for the owner of the account alone. One by one: where the system says that
 * something is missing although it is there (below /proc), Node's own way asks again for ever.
 */
export function makeOwnerFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) {
    // Somebody else may have made it meanwhile.
    if (!existsSync(folder)) mkdirSync(folder, { mode: OWNER_ONLY_FOLDER });
  }
  // Nothing is left to be made; what is no folder is refused.
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY_FOLDER });
}
