/** Makes the digest of a finished job from its chunks, and adds it to the result and the files. */

import { join } from 'node:path';
import { OWNER } from '../../context.ts';
import type { UseService } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import { Mutex } from '../../platform/concurrency.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import type { Said } from '../../platform/text/say.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import { DIGEST_FILE, DIGEST_WARNING, type Digest } from '../fields/schema.ts';
import { fileReference, replaceResult, storedResult } from '../jobs/service.ts';
import { extractHostedVideo, extractVideo } from './operation.ts';

const CHUNKS_FILE = 'chunks.jsonl';

const WRITE_LIMIT_MS = 2 * MINUTE_MS;

const TALKS = [extractVideo.id, extractHostedVideo.id];

export interface LateDigestsDeps {
  storage: Storage;
  clock: Clock;
  runTask: RunTask;
  /** Folder of a job's served files. */
  filesOf(jobId: string): string;
  /** Held by whatever writes the files of finished jobs. */
  writing: Mutex;
  use: UseService<'fields'>;
  jobChanged(jobId: string): void;
}

/** What a digest depends on of its job. */
export interface TalkJob {
  id: string;
  operation_id: string;
}

export class LateDigests {
  readonly #deps: LateDigestsDeps;
  /** The text model answers one question at a time. */
  readonly #mutex = new Mutex();

  constructor(deps: LateDigestsDeps) {
    this.#deps = deps;
  }

  /**
   * Replaces an earlier digest. Errors: `conflict` for a job without a transcript, `model_not_installed`,
   * `engine_failed`, `engine_unavailable`, `job_expired`.
   */
  async makeLateDigest({ id, operation_id }: TalkJob, signal: AbortSignal): Promise<Digest> {
    const { use, storage, filesOf, jobChanged } = this.#deps;
    if (!TALKS.includes(operation_id) || storedResult(storage.db, id) === null) {
      throw new QuarryError('conflict', 'The job has no transcript. Summarise a completed job of a recording.');
    }
    const fields = await use('fields');
    await fields.admit();
    return this.#mutex.runExclusive(async () => {
      signal.throwIfAborted();
      const source = { chunksPath: join(filesOf(id), CHUNKS_FILE), accountId: OWNER.accountId, progress: () => {} };
      const { digest, warnings } = await fields.digest(source, signal);
      // Again when a correction changed the result meanwhile.
      const tryAddDigest = () => this.#addDigestToJob(id, digest, warnings, signal);
      while (!(await this.#deps.writing.runExclusive(tryAddDigest)));
      jobChanged(id);
      return digest;
    });
  }

  async #addDigestToJob(jobId: string, digest: Digest, warnings: Said[], signal: AbortSignal): Promise<boolean> {
    const { storage, clock, runTask, filesOf } = this.#deps;
    const before = storedResult(storage.db, jobId);
    if (before === null) throw new QuarryError('job_expired', 'The job expired before its digest was made.');
    const { result } = await runTask(
      'add-digest',
      {
        folder: filesOf(jobId),
        result: before.body,
        digest,
        warnings,
        warningPrefix: DIGEST_WARNING,
        file: { name: DIGEST_FILE, url: fileReference(jobId, DIGEST_FILE) },
      },
      { signal, accountId: OWNER.accountId, timeLimitMs: WRITE_LIMIT_MS },
    );
    return storage.transaction((tx) => replaceResult(tx, jobId, before, { body: result }, clock.now()) !== null);
  }
}
