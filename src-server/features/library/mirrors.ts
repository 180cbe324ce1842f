/** Folders that Quarry keeps in step with the library, such as the vault of a notes program. */

import { createHash } from 'node:crypto';
import { lstat, readFile, realpath } from 'node:fs/promises';
import { isAbsolute, parse } from 'node:path';
import { type Clock, toIsoTime } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { isPathWithin } from '../../platform/files/safe-files.ts';
import { invalidRequest } from '../../platform/http/validate.ts';
import { newId } from '../../platform/ids.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { HOUR_MS, SECOND_MS } from '../../platform/units.ts';
import { besideFiles, type ExportedFiles, markdownWithFront, safeName } from './export.ts';
import { type MirroredItem, MirrorFolderError, mirrorItems } from './mirror-folder.ts';
import type { Item, ItemFilter, Mirror } from './schema.ts';
import { MANY_MAX } from './schema.ts';
import * as store from './store.ts';

/** Changes gather before a folder is brought in step. */
const GATHER_MS = 2 * SECOND_MS;

/** For what nobody tells: a disk that was connected again, room that was made. */
const RETRY_MS = HOUR_MS;

const KEPT_SHOWN = 100;

interface MirrorsDeps {
  storage: Storage;
  clock: Clock;
  /** The folder with all data of Quarry. */
  dataFolder: string;
  files: ExportedFiles;
  itemsOf(filter: ItemFilter, most: number): store.ItemName[];
  readItem(itemId: string): Item;
  /** When a result was last written: by its job, or by a correction. */
  resultChangedAt(jobId: string): number;
  log: { error(fields: object, message: string): void };
}

export class Mirrors {
  readonly #deps: MirrorsDeps;
  readonly #closing = new AbortController();
  #gathering: NodeJS.Timeout | null = null;
  #retry: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(deps: MirrorsDeps) {
    this.#deps = deps;
  }

  startMirrors(): void {
    this.#retry = setInterval(() => this.kickMirrors(), RETRY_MS);
    this.kickMirrors();
  }

  async closeMirrors(): Promise<void> {
    this.#closing.abort();
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    if (this.#retry !== null) clearInterval(this.#retry);
    await this.#running;
  }

  /** The library has changed. */
  kickMirrors(): void {
    if (this.#gathering !== null || this.#closing.signal.aborted) return;
    if (store.allMirrors(this.#deps.storage.db).length === 0) return;
    this.#gathering = setTimeout(() => {
      this.#gathering = null;
      // A failure is written to the log where it happens.
      for (const { id } of store.allMirrors(this.#deps.storage.db)) void this.syncMirror(id).catch(() => undefined);
    }, GATHER_MS).unref();
  }

  mirrors(): Mirror[] {
    return store.allMirrors(this.#deps.storage.db).map(presentMirror);
  }

  /** Errors: `invalid_request` for the folder or a collection, `conflict` for a folder that another has. */
  async addMirror({ path: given, filter = {} }: { path: string; filter?: ItemFilter | undefined }): Promise<Mirror> {
    const { storage, itemsOf } = this.#deps;
    const path = await this.#checkPath(given);
    itemsOf(filter, 1);
    if (store.allMirrors(storage.db).some((row) => isPathWithin(row.path, path) || isPathWithin(path, row.path))) {
      throw new QuarryError('conflict', 'Another folder in step is there, or within it.');
    }
    const id = newId('mir');
    storage.transaction((tx) => store.insertMirror(tx, { id, path, filter: JSON.stringify(filter) }));
    return this.syncMirror(id);
  }

  /** The files in the folder stay. Errors: `not_found`. */
  removeMirror(id: string): void {
    this.#deps.storage.transaction((tx) => store.deleteMirror(tx, this.#require(id).seq));
  }

  /** Brings the folder in step, after what runs already. Errors: `not_found`. */
  async syncMirror(id: string): Promise<Mirror> {
    this.#require(id);
    const run = this.#running.then(() => this.#sync(id));
    this.#running = run.catch((error: unknown) => {
      this.#deps.log.error({ err: error, mirrorId: id }, 'A folder could not be brought in step.');
    });
    await run;
    return presentMirror(this.#require(id));
  }

  async #sync(id: string): Promise<void> {
    const { storage, clock } = this.#deps;
    const row = store.mirrorById(storage.db, id);
    const { signal } = this.#closing;
    if (row === undefined || signal.aborted) return;
    const said = await this.#bringInStep(row, signal);
    if (signal.aborted) return;
    storage.transaction((tx) => store.changeMirror(tx, row.seq, { ...said, synced_at: clock.now() }));
  }

  async #bringInStep(row: store.MirrorRow, signal: AbortSignal) {
    try {
      const { kept } = await mirrorItems(row.path, this.#mirrored(parseOwnJson<ItemFilter>(row.filter)), signal);
      const shown = JSON.stringify(kept.slice(0, KEPT_SHOWN));
      return { state: 'ok', message: null, kept: shown, kept_count: kept.length } as const;
    } catch (error) {
      if (signal.aborted) return {};
      // A filter by a collection that is gone: nothing is removed for it.
      const isKnown = error instanceof MirrorFolderError || error instanceof QuarryError;
      if (!isKnown) throw error;
      return { state: 'failed', message: error.message } as const;
    }
  }

  *#mirrored(filter: ItemFilter): Generator<MirroredItem> {
    const { itemsOf, readItem, resultChangedAt, files } = this.#deps;
    const collections = files.collections();
    for (const { itemId, state } of itemsOf(filter, MANY_MAX)) {
      if (state !== 'ready') continue;
      const item = readItem(itemId);
      const front = { ...item, position: null, updatedAt: '' };
      const stamp = createHash('sha256')
        .update(
          JSON.stringify([
            front,
            resultChangedAt(item.jobId),
            files.notesOf(itemId),
            collections.map(({ name }) => name),
          ]),
        )
        .digest('hex');
      yield { itemId, stamp, base: safeName(item.title), files: (base) => filesOfItem(item, base, files) };
    }
  }

  #require(id: string): store.MirrorRow {
    const row = store.mirrorById(this.#deps.storage.db, id);
    if (row === undefined) throw new QuarryError('not_found', 'There is no folder in step with this id.');
    return row;
  }

  /** The folder without links. Errors: `invalid_request`. */
  async #checkPath(given: string): Promise<string> {
    const refusePath = (message: Said) => invalidRequest([{ path: 'path', message }]);
    if (!isAbsolute(given)) throw refusePath(say`Give the absolute path of a folder.`);
    const path = await realpath(given).catch(() => null);
    if (path === null || !(await lstat(path)).isDirectory()) throw refusePath(say`There is no folder at this path.`);
    if (parse(path).root === path) throw refusePath(say`Give a folder, not a whole disk.`);
    const own = await realpath(this.#deps.dataFolder);
    if (isPathWithin(path, own) || isPathWithin(own, path)) {
      throw refusePath(say`Give a folder apart from Quarry's own data folder.`);
    }
    return path;
  }
}

async function* filesOfItem(item: Item, base: string, files: ExportedFiles) {
  yield { path: `${base}.md`, bytes: Buffer.from(await markdownWithFront(item, files)) };
  for (const name of await besideFiles(item, files)) {
    yield { path: `${base}/${name}`, bytes: await readFile(files.filePathOf(item.jobId, name) ?? '') };
  }
}

function presentMirror(row: store.MirrorRow): Mirror {
  return {
    mirrorId: row.id,
    path: row.path,
    filter: parseOwnJson<ItemFilter>(row.filter),
    state: row.state,
    message: row.message,
    kept: parseOwnJson<string[]>(row.kept),
    keptCount: row.kept_count,
    syncedAt: row.synced_at === null ? null : toIsoTime(row.synced_at),
  };
}
