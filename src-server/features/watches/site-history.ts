/**
 * The files of watched sites: `<root>/<watchId>/<run>/`. The folder of the last completed run holds what the next crawl
 * needs (ledger, page records, texts); those of earlier runs only their diffs. They do not expire with the jobs.
 */

import { createReadStream, existsSync } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import type { Db, Storage } from '../../platform/db/database.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { jsonLines } from '../../platform/text/json.ts';
import type { SiteChange } from '../crawl/schema.ts';
import {
  countVersions,
  deleteFollowedVersions,
  deleteRun,
  deleteVersions,
  insertVersions,
  type PageVersionRow,
  type RunRow,
  SITE_WATCHES,
  type WatchRow,
} from './store.ts';

const DIFFS = 'diffs.txt';

const VERSIONS = 'versions.jsonl';

/** The last version of every page. */
const PAGES = 'pages.jsonl';

/** Rows per transaction: a few milliseconds. */
const ROWS_AT_ONCE = 200;

/** Rows of a watch. Above it the oldest runs go, except for the last version of each page. */
const MAX_VERSIONS = 400_000;

/** More than the setting allows. */
const ALL_RUNS = 20_000;

/** A line of versions.jsonl (workers/pages/compare-site.ts). */
interface VersionLine extends Omit<SiteChange, 'change' | 'diff'> {
  change: SiteChange['change'] | 'first';
  diffAt: number;
  diffBytes: number;
}

export interface HistoryLimits {
  runs: number;
  diffBytes: number;
}

export class SiteHistory {
  readonly #root: string;
  readonly #storage: Storage;

  constructor(root: string, storage: Storage) {
    this.#root = root;
    this.#storage = storage;
  }

  runFolderOf(watchId: string, runSeq: number): string {
    return join(this.#root, watchId, String(runSeq));
  }

  /** Null when the run left nothing, or it is gone. */
  existingFolderOf(watchId: string, runSeq: number): string | null {
    const folder = this.runFolderOf(watchId, runSeq);
    return existsSync(join(folder, PAGES)) ? folder : null;
  }

  /** Enters the versions that a crawl found. They count once the run is completed. */
  async enterPageVersions(watch: WatchRow, run: RunRow): Promise<void> {
    const folder = this.runFolderOf(watch.id, run.seq);
    await this.#deleteVersions(watch.seq, run.seq);
    let rows: PageVersionRow[] = [];
    const flushVersionRows = async () => {
      const some = rows;
      rows = [];
      this.#storage.transaction((tx) => insertVersions(tx, some));
      await yieldToEventLoop();
    };
    for await (const line of jsonLines(createReadStream(join(folder, VERSIONS), 'utf8'))) {
      rows.push(pageVersionRow(watch, run, parseOwnJson<VersionLine>(line)));
      if (rows.length >= ROWS_AT_ONCE) await flushVersionRows();
    }
    await flushVersionRows();
    const { size } = await stat(join(folder, DIFFS));
    this.#storage.transaction((tx) => SITE_WATCHES.changeEntry(tx, run, { diff_bytes: size }));
  }

  /** The diffs of versions in their order; null for those that have none or whose diff was removed. */
  async diffsOf(watchId: string, versions: readonly PageVersionRow[]): Promise<(string | null)[]> {
    return Promise.all(versions.map((version) => this.#diffOf(watchId, version)));
  }

  async #diffOf(watchId: string, { run_seq, diff_at, diff_bytes }: PageVersionRow): Promise<string | null> {
    if (diff_bytes === 0) return null;
    const file = await open(join(this.runFolderOf(watchId, run_seq), DIFFS)).catch(() => null);
    if (file === null) return null;
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(diff_bytes), 0, diff_bytes, diff_at);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  }

  /** Removes what no watch and no next run needs. */
  async tidyRuns(watch: WatchRow, limits: HistoryLimits): Promise<void> {
    const runs = new Map(
      SITE_WATCHES.listEntryRows(this.#storage.db, watch.seq, { before: null, limit: ALL_RUNS }).map((run) => [
        run.seq,
        run,
      ]),
    );
    for (const name of await readdir(join(this.#root, watch.id)).catch(() => [])) {
      const run = runs.get(Number(name));
      if (run?.status === 'running' || Number(name) === watch.baseline_run) continue;
      const folder = join(this.#root, watch.id, name);
      if (run?.status !== 'completed') await rm(folder, { recursive: true, force: true });
      else await keepOnly(folder, run.diff_bytes > 0 ? DIFFS : null);
    }
    for (const run of runs.values()) {
      if (run.status === 'failed' && run.counts !== null) await this.#forgetFailedRun(watch, run);
    }
    await this.#limitDiffBytes(watch, [...runs.values()], limits);
  }

  /** Versions of a run that failed after its comparison are no history. */
  async #forgetFailedRun(watch: WatchRow, run: RunRow): Promise<void> {
    await this.#deleteVersions(watch.seq, run.seq);
    this.#storage.transaction((tx) => SITE_WATCHES.changeEntry(tx, run, { counts: null, diff_bytes: 0 }));
  }

  /** @param runs newest first */
  async #limitDiffBytes(watch: WatchRow, runs: readonly RunRow[], limits: HistoryLimits): Promise<void> {
    let bytes = 0;
    for (const run of runs) {
      bytes += run.diff_bytes;
      if (bytes <= limits.diffBytes || run.diff_bytes === 0 || run.seq === watch.baseline_run) continue;
      await rm(join(this.runFolderOf(watch.id, run.seq), DIFFS), { force: true });
      this.#storage.transaction((tx) => SITE_WATCHES.changeEntry(tx, run, { diff_bytes: 0 }));
    }
    const ended = runs.filter(({ seq, status }) => status !== 'running' && seq !== watch.baseline_run);
    const others = runs.length - ended.length;
    const oldestFirst = ended.toReversed();
    let versions = countVersions(this.#storage.db, watch.seq);
    for (let kept = ended.length; kept > 0 && (kept + others > limits.runs || versions > MAX_VERSIONS); kept -= 1) {
      const run = oldestFirst[ended.length - kept];
      if (run === undefined) return;
      versions -= await this.#pruneRun(watch, run);
    }
  }

  /** Removes a run. The last version of each page stays. */
  async #pruneRun(watch: WatchRow, run: RunRow): Promise<number> {
    let total = 0;
    for (let some = ROWS_AT_ONCE; some === ROWS_AT_ONCE; total += some) {
      some = this.#storage.transaction((tx) => deleteFollowedVersions(tx, run, ROWS_AT_ONCE));
      await yieldToEventLoop();
    }
    await rm(this.runFolderOf(watch.id, run.seq), { recursive: true, force: true });
    this.#storage.transaction((tx) => deleteRun(tx, run.seq));
    return total;
  }

  /** Removes the history of a watch that was deleted. */
  async removeWatchHistory(watchSeq: number, watchId: string): Promise<void> {
    await this.#deleteVersions(watchSeq, null);
    await rm(join(this.#root, watchId), { recursive: true, force: true });
  }

  /** Removes the folders and versions of watches that no longer exist. */
  async removeOthers(): Promise<void> {
    const watches = SITE_WATCHES.listSources(this.#storage.db);
    const ids = new Set(watches.map(({ id }) => id));
    for (const name of await readdir(this.#root).catch(() => [])) {
      if (!ids.has(name)) await rm(join(this.#root, name), { recursive: true, force: true });
    }
    for (const seq of strayWatches(this.#storage.db, watches)) await this.#deleteVersions(seq, null);
  }

  async #deleteVersions(watchSeq: number, runSeq: number | null): Promise<void> {
    const deleteVersionSlice = () =>
      this.#storage.transaction((tx) => deleteVersions(tx, watchSeq, runSeq, ROWS_AT_ONCE));
    while (deleteVersionSlice() === ROWS_AT_ONCE) await yieldToEventLoop();
  }
}

/** Watches that have versions but are gone. Skips from one to the next by the primary key. */
function strayWatches(db: Db, watches: readonly WatchRow[]): number[] {
  const known = new Set(watches.map(({ seq }) => seq));
  const stray: number[] = [];
  const nextWatchAfter = (after: number) =>
    db.queryFirst(
      db
        .selectFrom('site_page_versions')
        .select('watch_seq')
        .where('watch_seq', '>', after)
        .orderBy('watch_seq')
        .limit(1),
    );
  for (let row = nextWatchAfter(0); row !== undefined; row = nextWatchAfter(row.watch_seq)) {
    if (!known.has(row.watch_seq)) stray.push(row.watch_seq);
  }
  return stray;
}

async function keepOnly(folder: string, kept: string | null): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (name !== kept) await rm(join(folder, name), { recursive: true, force: true });
  }
}

function pageVersionRow(watch: WatchRow, run: RunRow, line: VersionLine): PageVersionRow {
  return {
    watch_seq: watch.seq,
    url: line.url,
    run_seq: run.seq,
    change: line.change,
    title: line.title,
    moved_to: line.movedTo,
    before: line.before === null ? null : JSON.stringify(line.before),
    after: line.after === null ? null : JSON.stringify(line.after),
    added_lines: line.addedLines,
    removed_lines: line.removedLines,
    changed_share: line.changedShare,
    diff_at: line.diffAt,
    diff_bytes: line.diffBytes,
    diff_truncated: line.diffTruncated ? 1 : 0,
  };
}
