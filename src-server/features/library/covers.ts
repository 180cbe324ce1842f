/**
 * Covers: what stands for an item in lists. A page or a picture is drawn once, as a small WebP; lines of a text and the
 * shape of a sound are drawn by who shows them. Covers are made one at a time, while no job runs.
 */

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Storage } from '../../platform/db/database.ts';
import { isDiskFull, QuarryError } from '../../platform/errors.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import type { WorkerPool } from '../../platform/pool/worker-pool.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import { type Jobs, jobSourceOf, storedResult } from '../jobs/service.ts';
import { changeItem, type ItemRow, itemBySeq, itemWithoutCover } from './store.ts';

/** CPU time of one cover. */
const DRAW_LIMIT_MS = 10 * SECOND_MS;

/** How long a machine is quiet before covers are made. */
const QUIET_MS = 2 * SECOND_MS;

/** A machine that is never quiet makes covers all the same. */
const PATIENCE_MS = 10 * MINUTE_MS;

/** Where the talk is that the frames show: titles and applause are before. */
const FRAME_SHARE = 0.1;

export interface CoversDeps {
  storage: Storage;
  jobs: Jobs;
  /** Folder of this environment. */
  folder: string;
  pool: Pick<WorkerPool, 'run' | 'figures'>;
  filesOf(jobId: string): string;
  sourcePathOf(jobId: string): string;
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

export class Covers {
  readonly #deps: CoversDeps;
  #making: Promise<void> | null = null;
  #isClosing = false;
  #wake = (): void => {};

  constructor(deps: CoversDeps) {
    this.#deps = deps;
  }

  /** Items have got a result that is read: their covers are made when the machine is quiet. */
  kickCovers(): void {
    if (this.#isClosing) return;
    this.#making ??= this.#makeAll()
      .catch((error: unknown) =>
        this.#deps.log.error({ err: error }, 'Covers could not be drawn. The next item tries again.'),
      )
      .finally(() => {
        this.#making = null;
      });
  }

  async closeCovers(): Promise<void> {
    this.#isClosing = true;
    this.#wake();
    await this.#making;
  }

  /** Errors: `not_found` for an item without a drawn cover. One whose file is lost is drawn again. */
  async readCover({ seq, job_id: jobId, cover }: ItemRow): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = cover === 'drawn' ? await readFile(this.#pathOf(jobId)).catch(() => null) : null;
    if (bytes !== null) return new Uint8Array(bytes);
    if (cover === 'drawn') {
      this.#deps.storage.transaction((tx) => changeItem(tx, seq, { cover: null }));
      this.kickCovers();
    }
    throw new QuarryError('not_found', 'This item has no drawn cover.');
  }

  /** Never rejects: a file that is left behind shows nowhere. */
  async removeCover(jobId: string): Promise<void> {
    await rm(this.#pathOf(jobId), { force: true }).catch((error: unknown) => {
      this.#deps.log.warn({ err: error, jobId }, 'The file of a cover could not be removed.');
    });
  }

  #pathOf(jobId: string): string {
    return join(this.#deps.folder, 'covers', `${jobId}.webp`);
  }

  async #makeAll(): Promise<void> {
    const { storage, log } = this.#deps;
    for (let row = this.#next(); row !== undefined && !this.#isClosing; row = this.#next()) {
      await this.#untilQuiet();
      if (this.#isClosing) return;
      const { seq, job_id: jobId } = row;
      const isDrawn = await this.#makeCover(row).catch((error: unknown) => {
        // Nothing is wrong with the source: it is drawn once there is room.
        if (isDiskFull(error)) throw error;
        log.warn({ err: error, jobId }, 'A cover could not be drawn.');
        return false;
      });
      storage.transaction((tx) => {
        // Another version may be shown meanwhile: it gets its own.
        if (itemBySeq(tx, seq)?.job_id === jobId) changeItem(tx, seq, { cover: isDrawn ? 'drawn' : 'none' });
      });
    }
  }

  #next(): ItemRow | undefined {
    return itemWithoutCover(this.#deps.storage.db);
  }

  async #makeCover(row: ItemRow): Promise<boolean> {
    const { pool } = this.#deps;
    const from = this.#pictureOf(row);
    if (from === null) return false;
    const { webp } = await pool.run('draw-cover', from, { accountId: 'covers', timeLimitMs: DRAW_LIMIT_MS });
    if (webp === null) return false;
    await mkdir(join(this.#deps.folder, 'covers'), { recursive: true, mode: 0o700 });
    await writeFile(this.#pathOf(row.job_id), webp, { mode: 0o600 });
    return true;
  }

  /** The first page of a PDF, a picture itself, or a captured frame; null for what has none. */
  #pictureOf({ job_id: jobId }: ItemRow): { path: string; kind: 'pdf' | 'picture' } | null {
    const { jobs, storage, filesOf, sourcePathOf } = this.#deps;
    const kind = jobSourceOf(jobs.row(jobId))?.kind;
    if (kind === 'pdf') return { path: sourcePathOf(jobId), kind: 'pdf' };
    if (kind === 'image') return { path: sourcePathOf(jobId), kind: 'picture' };
    const stored = storedResult(storage.db, jobId);
    const frames = stored === null ? [] : (parseOwnJson<FramedResult>(stored.body).frames ?? []);
    const frame = frames[Math.floor(frames.length * FRAME_SHARE)];
    return frame === undefined ? null : { path: join(filesOf(jobId), frame.image.name), kind: 'picture' };
  }

  /** Jobs go first: no thread works, and none has for a while. */
  async #untilQuiet(): Promise<void> {
    const { figures } = this.#deps.pool;
    let quietMs = 0;
    for (let waitedMs = 0; quietMs < QUIET_MS && waitedMs < PATIENCE_MS && !this.#isClosing; waitedMs += SECOND_MS) {
      await this.#pause(SECOND_MS);
      const { busy, waiting } = figures();
      quietMs = busy + waiting === 0 ? quietMs + SECOND_MS : 0;
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

interface FramedResult {
  frames?: { image: { name: string } }[];
}
