/**
 * The files of a job as they were extracted, kept beside those that are served once corrections change them. A kept
 * file is a hard link at first: served files are only ever replaced, never written in place.
 */

import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Beside the folder of the served files, and removed with it. */
const FOLDER = 'original';

/** The extracted chunks are served too, under this name. */
const CHUNKS = { served: 'chunks.jsonl', kept: 'chunks.original.jsonl' };

export class KeptFiles {
  readonly #served: string;
  readonly #kept: string;

  /** @param served folder of the served files */
  constructor(served: string) {
    this.#served = served;
    this.#kept = join(dirname(served), FOLDER);
  }

  /** Path of the served file. */
  pathOfServedFile(name: string): string {
    return join(this.#served, name);
  }

  /** Path of the file without corrections. */
  pathOfExtractedFile(name: string): string {
    const kept = this.#keptPath(name);
    return existsSync(kept) ? kept : this.pathOfServedFile(name);
  }

  hasExtractedFile(name: string): boolean {
    return existsSync(this.pathOfExtractedFile(name));
  }

  /** Keeps a served file before its first correction. */
  keepExtractedFile(name: string): void {
    const [kept, served] = [this.#keptPath(name), this.pathOfServedFile(name)];
    if (existsSync(kept) || !existsSync(served)) return;
    mkdirSync(dirname(kept), { recursive: true });
    const part = `${kept}.part`;
    linkOrCopy(served, part);
    renameSync(part, kept);
  }

  /** Serves a kept file again, and keeps it. */
  serveExtracted(name: string): void {
    const [kept, part] = [this.#keptPath(name), `${this.pathOfServedFile(name)}.part`];
    if (!existsSync(kept)) return;
    linkOrCopy(kept, part);
    renameSync(part, this.pathOfServedFile(name));
    // Of two links to the same file, renaming removes none.
    rmSync(part, { force: true });
  }

  /** Serves the extracted files again. */
  restoreExtractedFiles(): void {
    const chunks = this.#keptPath(CHUNKS.served);
    if (existsSync(chunks)) renameSync(chunks, this.pathOfServedFile(CHUNKS.served));
    if (!existsSync(this.#kept)) return;
    for (const name of readdirSync(this.#kept)) {
      if (!name.endsWith('.part')) renameSync(join(this.#kept, name), this.pathOfServedFile(name));
    }
    rmSync(this.#kept, { recursive: true, force: true });
  }

  #keptPath(name: string): string {
    return name === CHUNKS.served ? join(this.#served, CHUNKS.kept) : join(this.#kept, name);
  }
}

function linkOrCopy(from: string, to: string): void {
  rmSync(to, { force: true });
  try {
    linkSync(from, to);
  } catch {
    // Some file systems have no hard links.
    copyFileSync(from, to);
  }
}
