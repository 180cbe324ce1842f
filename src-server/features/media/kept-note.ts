import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { Turnstile } from '../../platform/concurrency.ts';

/**
 * A few facts in a file that is small enough to be written anew with each change. Changes are made one after the other,
 * each to what the one before it left, and the file appears whole or not at all.
 */
export class KeptNote<Facts> {
  readonly #path: string;
  readonly #shape: z.ZodType<Facts>;
  readonly #nothing: Facts;
  readonly #turns = new Turnstile();

  /** `nothing` is what is known where the file is not there, or holds something else. */
  constructor(path: string, shape: z.ZodType<Facts>, nothing: Facts) {
    this.#path = path;
    this.#shape = shape;
    this.#nothing = nothing;
  }

  /** What the last change that is done has left. Errors: those of reading, but for a file that is not there. */
  async read(): Promise<Facts> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    return text === null ? this.#nothing : this.#understand(text);
  }

  /** Errors: those of reading and writing; then what was there before is still there. */
  change(next: (facts: Facts) => Facts): Promise<void> {
    return this.#turns.pass(async () => this.#write(next(await this.read())));
  }

  #understand(text: string): Facts {
    try {
      return this.#shape.parse(JSON.parse(text));
    } catch {
      // Written by hand: nothing is known, and the next change writes it anew.
      return this.#nothing;
    }
  }

  async #write(facts: Facts): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true });
    const part = `${this.#path}.${randomUUID()}.part`;
    try {
      await writeFile(part, JSON.stringify(facts));
      await rename(part, this.#path);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  }
}
