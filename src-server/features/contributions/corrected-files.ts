/**
 * Writes approved corrections and annotations into the result and all files of a job, in a worker. The transaction of a
 * decision records that this is due, so a process that died in between catches up.
 */

import type { CorrectResultInput, NotCorrected } from '../../../workers/contributions/tasks.ts';
import { OWNER } from '../../context.ts';
import { type Clock, toIsoTime } from '../../platform/clock.ts';
import type { Mutex } from '../../platform/concurrency.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { HOUR_MS } from '../../platform/units.ts';
import { isKept, replaceResult, storedResult } from '../jobs/service.ts';
import { correctChunk } from '../search/service.ts';
import {
  awaitCorrectedFile,
  type ContributionRow,
  filesToCorrect,
  isCorrectionDue,
  noteCorrectedFile,
  shownAnnotations,
  shownCorrections,
} from './store.ts';

const WRITE_LIMIT_MS = HOUR_MS;

/** Jobs whose last outcome is remembered. */
const OUTCOMES_MAX = 1000;

export interface CorrectedFilesDeps {
  storage: Storage;
  clock: Clock;
  runTask: RunTask;
  /** Held by whatever writes the files of finished jobs. */
  writing: Mutex;
  /** Folder of a job's served files. */
  filesOf(jobId: string): string;
  log: { error(fields: object, message: string): void };
}

/** Where the corrections and annotations of a job are. */
export interface CorrectionReach {
  /** False while the files wait for the next attempt, because they could not be written. */
  isWritten: boolean;
  notCorrected: NotCorrected[];
}

export class CorrectedFiles {
  readonly #deps: CorrectedFilesDeps;
  readonly #outcomes = new Map<string, NotCorrected[]>();
  readonly #stop = new AbortController();
  #working: Promise<void> = Promise.resolve();

  constructor(deps: CorrectedFilesDeps) {
    this.#deps = deps;
  }

  /** In the transaction that decides about a correction or an annotation. */
  awaitCorrectedFiles(tx: Tx, jobId: string): void {
    awaitCorrectedFile(tx, jobId);
  }

  /** Writes what waits, one decision after the other; what fails waits for the next one, or for the next start. */
  writeDueCorrections(): Promise<void> {
    // A failure rejects its own call only, not later ones.
    this.#working = this.#working.catch(() => undefined).then(() => this.#drainDueCorrections());
    return this.#working;
  }

  /** Writes what came before the result, once the transaction that completes the job is committed. */
  writeOnJobEnded(tx: Tx, jobId: string): void {
    if (!isCorrectionDue(tx, jobId)) return;
    setImmediate(() => void this.writeDueCorrections().catch((error: unknown) => this.#logFailure(error, jobId)));
  }

  correctionReachOf(jobId: string): CorrectionReach {
    const isWritten = !isCorrectionDue(this.#deps.storage.db, jobId);
    return { isWritten, notCorrected: this.#outcomes.get(jobId) ?? [] };
  }

  /** Stops what is being written. The next start writes it. */
  async closeCorrectedFiles(): Promise<void> {
    this.#stop.abort();
    await this.#working.catch(() => undefined);
  }

  async #drainDueCorrections(): Promise<void> {
    const { storage, writing } = this.#deps;
    for (const { job_id: jobId, revision } of filesToCorrect(storage.db)) {
      if (this.#stop.signal.aborted) return;
      try {
        this.#rememberUncorrected(jobId, await writing.runExclusive(() => this.#writeCorrectedFile(jobId, revision)));
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        this.#logFailure(error, jobId);
      }
    }
  }

  #logFailure(error: unknown, jobId: string): void {
    this.#deps.log.error({ err: error, jobId }, 'The files of a corrected job could not be written.');
  }

  async #writeCorrectedFile(jobId: string, revision: number): Promise<NotCorrected[]> {
    const { storage, clock, runTask, filesOf } = this.#deps;
    const changed = new Map<string, string | null>();
    for (;;) {
      const before = storedResult(storage.db, jobId);
      // A job without a result may get one: `writeOnJobEnded` writes then.
      if (before === null && isKept(storage.db, jobId)) return [];
      const corrections = [...shownCorrections(storage.db, jobId)];
      const annotations = shownAnnotations(storage.db, jobId).map(givenAnnotation);
      const input = { folder: filesOf(jobId), result: before?.body ?? '{}', corrections, annotations };
      const watch = { signal: this.#stop.signal, accountId: OWNER.accountId, timeLimitMs: WRITE_LIMIT_MS };
      const output = before === null ? null : await runTask('correct-result', input, watch);
      for (const [chunkId, text] of output?.changed ?? []) changed.set(chunkId, text);
      const isDone = storage.transaction((tx) => {
        if (before !== null && output !== null) {
          const after = { body: output.result, chunksBytes: before.chunksBytes && output.chunksBytes };
          if (replaceResult(tx, jobId, before, after, clock.now()) === null) return storedResult(tx, jobId) === null;
        }
        for (const [chunkId, text] of changed) correctChunk(tx, jobId, chunkId, text);
        noteCorrectedFile(tx, jobId, revision);
        return true;
      });
      if (isDone) return output?.notCorrected ?? [];
    }
  }

  #rememberUncorrected(jobId: string, outcome: NotCorrected[]): void {
    this.#outcomes.delete(jobId);
    this.#outcomes.set(jobId, outcome);
    const [oldest] = this.#outcomes.keys();
    if (this.#outcomes.size > OUTCOMES_MAX && oldest !== undefined) this.#outcomes.delete(oldest);
  }
}

function givenAnnotation(row: ContributionRow): CorrectResultInput['annotations'][number] {
  const { id: annotationId, text, url, author, license, chunk_id: chunkId, quote, quote_start: start } = row;
  const kind = row.kind === 'source' ? 'source' : 'annotation';
  return {
    annotationId,
    kind,
    text,
    url,
    author,
    license,
    createdAt: toIsoTime(row.created_at),
    chunkId,
    quote,
    start,
  };
}
