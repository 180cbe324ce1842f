/**
 * Original files are what takes most of the disk: they can go while text, notes and cover stay. A version is marked in
 * a transaction, and its file removed after it, so that a killed process leaves nothing half done.
 */

import type { Storage, Tx } from '../../platform/db/database.ts';
import { isStorageTrouble } from '../../platform/errors.ts';
import { type JobRow, type Jobs, madeByOwner } from '../jobs/service.ts';
import type { ItemKind } from './kind.ts';
import { itemBySeq, markedOriginals, markOriginals, markOriginalsOf, unmarkOriginal, versionOfJob } from './store.ts';

const REMOVED_TOGETHER = 100;

interface OriginalsDeps {
  storage: Storage;
  jobs: Jobs;
  settings(): { originals: 'all' | 'talks' | 'none' };
  /** Files have gone: they are measured again. */
  afterRemoved(): void;
  log: { error(fields: object, message: string): void };
}

export class Originals {
  readonly #deps: OriginalsDeps;
  #isKicked = false;
  #isClosing = false;
  #removing: Promise<void> | null = null;

  constructor(deps: OriginalsDeps) {
    this.#deps = deps;
  }

  /** In the transaction that ends a job: the settings say whether its original stays. */
  onEnded(tx: Tx, job: Pick<JobRow, 'id' | 'status'>): void {
    const { originals } = this.#deps.settings();
    if (originals === 'all' || job.status !== 'completed') return;
    const version = versionOfJob(tx, job.id);
    const kind = version === undefined ? undefined : itemBySeq(tx, version.item_seq)?.kind;
    if (kind !== undefined && !keeps(originals, kind)) markOriginals(tx, [job.id]);
  }

  /** Removes the originals of items, of all their versions. Returns of how many items, and the bytes. */
  async removeOriginals(itemSeqs: readonly number[]): Promise<{ items: number; bytes: number }> {
    const marked = this.#deps.storage.transaction((tx) => markOriginalsOf(tx, itemSeqs));
    this.kickOriginals();
    await this.#removing;
    return marked;
  }

  /** Marked originals go, each once its cover is drawn. */
  kickOriginals(): void {
    if (this.#isClosing) return;
    this.#isKicked = true;
    this.#removing ??= this.#removeAsked().finally(() => {
      this.#removing = null;
    });
  }

  async closeOriginals(): Promise<void> {
    this.#isClosing = true;
    await this.#removing;
  }

  async #removeAsked(): Promise<void> {
    while (this.#isKicked && !this.#isClosing) {
      this.#isKicked = false;
      await this.#removeMarked().catch((error: unknown) => {
        this.#deps.log.error({ err: error }, 'Original files could not be removed. The next change tries again.');
      });
    }
  }

  /** A file that cannot be removed does not stop the others. */
  async #removeMarked(): Promise<void> {
    const { storage, afterRemoved, log } = this.#deps;
    let after = '';
    let removed = 0;
    for (;;) {
      const jobIds = markedOriginals(storage.db, after, REMOVED_TOGETHER);
      for (const jobId of jobIds) {
        if (this.#isClosing) return;
        after = jobId;
        try {
          await this.#removeOne(jobId);
          removed += 1;
        } catch (error) {
          if (isStorageTrouble(error)) throw error;
          log.error({ err: error, jobId }, 'An original file could not be removed.');
        }
      }
      if (jobIds.length < REMOVED_TOGETHER) break;
    }
    if (removed > 0) afterRemoved();
  }

  /** What others asked for too, or what a key made, keeps its file. */
  async #removeOne(jobId: string): Promise<void> {
    const { storage, jobs } = this.#deps;
    const job = jobs.row(jobId);
    if (madeByOwner(job)) await jobs.removeSourceFile(job);
    storage.transaction((tx) => unmarkOriginal(tx, jobId));
  }
}

/** Recordings are played from their original. */
function keeps(originals: 'talks' | 'none', kind: ItemKind): boolean {
  return originals === 'talks' && kind === 'talk';
}
