/**
 * Covers: what stands for an item in lists. A page, a picture, a still of a video, or icon and first screen of a site
 * are drawn once, as a small WebP; lines of a text and the shape of a sound are drawn by who shows them. Covers are
 * made one at a time, while no job runs.
 */

import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Storage } from '../../platform/db/database.ts';
import { isDiskFull, QuarryError } from '../../platform/errors.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import type { TaskMap, WorkerPool } from '../../platform/pool/worker-pool.ts';
import { tell } from '../../platform/text/say.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import { type Jobs, jobSourceOf, storedResult } from '../jobs/service.ts';
import { changeItem, type ItemRow, itemBySeq, itemWithoutCover } from './store.ts';

/** CPU time of one cover. */
const DRAW_LIMIT_MS = 10 * SECOND_MS;

/** How long a machine is quiet before covers are made. */
const QUIET_MS = 2 * SECOND_MS;

/** A machine that is never quiet makes covers all the same. */
const PATIENCE_MS = 10 * MINUTE_MS;

/** Where the talk is that frames without words show: titles and applause are before. */
const FRAME_SHARE = 0.1;

/** Letters and figures of a frame that shows a slide. */
const SLIDE = /(?:[\p{L}\p{N}]\P{L}*){12}/u;

/** Shows the first screens of sites; it holds a browser while covers are made. */
export interface Sites extends AsyncDisposable {
  showSite(jobId: string, signal: AbortSignal): Promise<{ iconPath: string | null; screenPath: string | null }>;
}

/** Looks into recordings; it holds a process while covers are made. */
export interface Sketches extends AsyncDisposable {
  /** A still as a JPEG file at `stillPath`, or the shape of the sound. */
  sketchMedia(
    place: { path: string; stillPath: string },
    signal: AbortSignal,
  ): Promise<{ hasStill: boolean; peaks: number[] }>;
}

export interface CoversDeps {
  storage: Storage;
  jobs: Jobs;
  /** Folder of this environment. */
  folder: string;
  pool: Pick<WorkerPool, 'run' | 'figures'>;
  filesOf(jobId: string): string;
  sourcePathOf(jobId: string): string;
  /** Covers are drawn, or cannot be. */
  afterMade(): void;
  openSketches(): Sketches;
  /** @param folder where its files are made */
  openSites(folder: string): Promise<Sites>;
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

export class Covers {
  readonly #deps: CoversDeps;
  #making: Promise<void> | null = null;
  readonly #closing = new AbortController();
  #sites: Sites | null = null;
  #sketches: Sketches | null = null;
  #quietMs = 0;
  #isKicked = false;
  #wake = (): void => {};

  constructor(deps: CoversDeps) {
    this.#deps = deps;
  }

  /** Items have got a result that is read: their covers are made when the machine is quiet. */
  kickCovers(): void {
    if (this.#isClosing()) return;
    this.#isKicked = true;
    this.#making ??= this.#makeAsked().finally(() => {
      this.#making = null;
    });
  }

  /** Items that come while the last covers are finished are not left to the next one. */
  async #makeAsked(): Promise<void> {
    while (this.#isKicked && !this.#isClosing()) {
      this.#isKicked = false;
      await this.#makeAll().catch((error: unknown) => {
        if (!this.#isClosing()) {
          this.#deps.log.error({ err: error }, 'Covers could not be drawn. The next item tries again.');
        }
      });
      this.#deps.afterMade();
    }
  }

  async closeCovers(): Promise<void> {
    this.#closing.abort(new QuarryError('interrupted', tell`The server stops.`));
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
    const making = this.#makingFolder();
    this.#quietMs = 0;
    try {
      for (let row = this.#next(); row !== undefined && !this.#isClosing(); row = this.#next()) {
        await this.#untilQuiet();
        if (this.#isClosing()) return;
        await mkdir(making, { recursive: true, mode: 0o700 });
        await this.#makeOne(row);
      }
    } finally {
      await this.#sites?.[Symbol.asyncDispose]();
      await this.#sketches?.[Symbol.asyncDispose]();
      this.#sites = null;
      this.#sketches = null;
      await rm(making, { recursive: true, force: true });
    }
  }

  async #makeOne(row: ItemRow): Promise<void> {
    const { storage, log } = this.#deps;
    const { seq, job_id: jobId } = row;
    const made = await this.#makeCover(row).catch((error: unknown) => {
      // Nothing is wrong with the source: it is drawn once there is room, or after the start.
      if (isDiskFull(error) || this.#isClosing()) throw error;
      log.warn({ err: error, jobId }, 'A cover could not be drawn.');
      return { cover: 'none' as const };
    });
    storage.transaction((tx) => {
      // Another version may be shown meanwhile: it gets its own.
      if (itemBySeq(tx, seq)?.job_id === jobId) changeItem(tx, seq, made);
    });
  }

  #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  #makingFolder(): string {
    return join(this.#deps.folder, 'covers', '.making');
  }

  #next(): ItemRow | undefined {
    return itemWithoutCover(this.#deps.storage.db);
  }

  async #makeCover(row: ItemRow): Promise<Pick<ItemRow, 'cover'> & { peaks?: string }> {
    const { pool } = this.#deps;
    const from = await this.#pictureOf(row);
    if (from === null) return { cover: 'none' };
    if (from.kind === 'shape') return { cover: 'none', peaks: JSON.stringify(from.peaks) };
    const limits = { accountId: 'covers', timeLimitMs: DRAW_LIMIT_MS, signal: this.#closing.signal };
    const { webp } = await pool.run('draw-cover', from, limits);
    if (webp === null) return { cover: 'none' };
    await writeFile(this.#pathOf(row.job_id), webp, { mode: 0o600 });
    return { cover: 'drawn' };
  }

  /** What a cover is drawn from; null for what has none. */
  async #pictureOf({ job_id: jobId, kind: itemKind }: ItemRow): Promise<Drawing | null> {
    const { jobs, sourcePathOf, openSites } = this.#deps;
    if (itemKind === 'site' || itemKind === 'page') {
      this.#sites ??= await openSites(this.#makingFolder());
      return { kind: 'site', ...(await this.#sites.showSite(jobId, this.#closing.signal)) };
    }
    const kind = jobSourceOf(jobs.row(jobId))?.kind;
    if (kind === 'pdf') return { path: sourcePathOf(jobId), kind: 'pdf' };
    if (kind === 'image') return { path: sourcePathOf(jobId), kind: 'picture' };
    return this.#slideOf(jobId) ?? (kind === 'video' || kind === 'audio' ? this.#sketchOf(jobId) : null);
  }

  /** The first captured frame with words. */
  #slideOf(jobId: string): Drawing | null {
    const { storage, filesOf } = this.#deps;
    const stored = storedResult(storage.db, jobId);
    const frames = stored === null ? [] : (parseOwnJson<FramedResult>(stored.body).frames ?? []);
    const frame = frames.find(({ text = '' }) => SLIDE.test(text)) ?? frames[Math.floor(frames.length * FRAME_SHARE)];
    return frame === undefined ? null : { path: join(filesOf(jobId), frame.image.name), kind: 'picture' };
  }

  /** A still of the recording, or the shape of its sound; null where it is not kept. */
  async #sketchOf(jobId: string): Promise<Drawing | null> {
    const path = this.#deps.sourcePathOf(jobId);
    if ((await stat(path).catch(() => null)) === null) return null;
    const stillPath = join(this.#makingFolder(), 'still.jpg');
    this.#sketches ??= this.#deps.openSketches();
    const { hasStill, peaks } = await this.#sketches.sketchMedia({ path, stillPath }, this.#closing.signal);
    if (hasStill) return { path: stillPath, kind: 'picture' };
    return peaks.length === 0 ? null : { kind: 'shape', peaks };
  }

  /** Jobs go first: no thread works, and none has for a while. */
  async #untilQuiet(): Promise<void> {
    const { figures } = this.#deps.pool;
    for (let waitedMs = 0; waitedMs < PATIENCE_MS && !this.#isClosing(); waitedMs += SECOND_MS) {
      const { busy, waiting } = figures();
      if (busy + waiting > 0) this.#quietMs = 0;
      else if (this.#quietMs >= QUIET_MS) return;
      await this.#pause(SECOND_MS);
      this.#quietMs += SECOND_MS;
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

type Drawing = TaskMap['draw-cover']['input'] | { kind: 'shape'; peaks: number[] };

interface FramedResult {
  frames?: { text?: string; image: { name: string } }[];
}
