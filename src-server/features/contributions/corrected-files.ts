/**
 * Writes the file of a job's chunks with the approved corrections, and keeps the extracted file beside it. The
 * transaction of a decision records that the file has to be written, so a process that died in between catches up.
 */

import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { copyFile, rename } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { Chunk } from '../../operation.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { jsonLines } from '../../platform/text/json.ts';
import { correctedChunk } from './schema.ts';
import { awaitCorrectedFile, filesToCorrect, noteCorrectedFile, shownCorrections } from './store.ts';

const CHUNKS = 'chunks.jsonl';

const ORIGINAL = 'chunks.original.jsonl';

/** Not a name that is served. */
const UNFINISHED = '.chunks.jsonl.part';

export interface CorrectedFilesDeps {
  storage: Storage;
  /** Folder of a job's served files. */
  filesOf(jobId: string): string;
  log: { error(fields: object, message: string): void };
}

export class CorrectedFiles {
  readonly #deps: CorrectedFilesDeps;
  #working: Promise<void> = Promise.resolve();

  constructor(deps: CorrectedFilesDeps) {
    this.#deps = deps;
  }

  /** In the transaction that decides about a correction. */
  await(tx: Tx, jobId: string): void {
    awaitCorrectedFile(tx, jobId);
  }

  /** Writes what waits, one decision after the other; what fails waits for the next one, or for the next start. */
  settle(): Promise<void> {
    // A failure rejects its own call only, not later ones.
    this.#working = this.#working.catch(() => undefined).then(() => this.#drain());
    return this.#working;
  }

  async #drain(): Promise<void> {
    const { storage, log } = this.#deps;
    for (const { job_id: jobId, revision } of filesToCorrect(storage.db)) {
      try {
        await this.#write(jobId);
        storage.transaction((tx) => noteCorrectedFile(tx, jobId, revision));
      } catch (error) {
        log.error({ err: error, jobId }, 'The file of corrected chunks could not be written.');
      }
    }
  }

  async #write(jobId: string): Promise<void> {
    const folder = this.#deps.filesOf(jobId);
    const [chunks, original] = [`${folder}/${CHUNKS}`, `${folder}/${ORIGINAL}`];
    const corrections = shownCorrections(this.#deps.storage.db, jobId);
    if (corrections.size === 0) {
      if (existsSync(original)) await rename(original, chunks);
      return;
    }
    // A result without a file of chunks has all of them in itself.
    if (!existsSync(chunks)) return;
    const unfinished = `${folder}/${UNFINISHED}`;
    if (!existsSync(original)) {
      await copyFile(chunks, unfinished);
      await rename(unfinished, original);
    }
    await writeCorrected(original, unfinished, corrections);
    await rename(unfinished, chunks);
  }
}

async function writeCorrected(from: string, to: string, corrections: ReadonlyMap<string, string>): Promise<void> {
  const output = createWriteStream(to);
  // Errors such as a full disk arrive here, not as an unhandled event.
  const over = finished(output);
  over.catch(() => undefined);
  for await (const line of jsonLines(createReadStream(from, 'utf8'))) {
    if (!output.write(`${correctedLine(line, corrections)}\n`)) await Promise.race([once(output, 'drain'), over]);
  }
  output.end();
  await over;
}

function correctedLine(line: string, corrections: ReadonlyMap<string, string>): string {
  const written: unknown = JSON.parse(line);
  const text = corrections.get(Chunk.parse(written).id);
  // What an operation writes beside a chunk's own members, such as tokens, stays; parsing would leave it out.
  return text === undefined ? line : JSON.stringify(correctedChunk(written as Chunk, text));
}
