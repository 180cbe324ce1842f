/** Where data and models live, and the move that the next start carries out. */

import { existsSync } from 'node:fs';
import { lstat, mkdir, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { QuarryError } from '../../platform/errors.ts';
import { holdsOthers, modelsGiven, moveFailure, noRoom } from '../../platform/files/carry-out-move.ts';
import {
  mayFill,
  modelsPlace,
  readAskedMove,
  readPlace,
  writeAskedMove,
  writePlace,
} from '../../platform/files/data-place.ts';
import { stagedDataFrom } from '../../platform/files/staged-data.ts';
import type { FreeDisk } from '../../platform/files/uploads.ts';
import { invalidRequest } from '../../platform/http/validate.ts';
import { type Said, say } from '../../platform/text/say.ts';
import type { MoveRequest, Places as PlacesView } from './schema.ts';

interface PlacesDeps {
  dataDir: string;
  /** Fixed by a flag or a variable. */
  modelsDir: string | undefined;
  freeDiskOf(folder: string): FreeDisk;
  /** Bytes of all files below a folder. */
  bytesOf(folder: string): Promise<number>;
}

export class Places {
  readonly #deps: PlacesDeps;

  constructor(deps: PlacesDeps) {
    this.#deps = deps;
  }

  async placesView(): Promise<PlacesView> {
    const { dataDir, modelsDir, freeDiskOf } = this.#deps;
    const models = modelsPlace(dataDir, modelsDir);
    const { freeBytes, totalBytes } = await freeDiskOf(dataDir)();
    return {
      data: { folder: dataDir, freeBytes, totalBytes },
      models: { ...models, freeBytes: (await freeDiskOf(models.folder)()).freeBytes },
      move: readAskedMove(dataDir),
      former: readPlace(dataDir).former.map(({ folder }) => folder),
    };
  }

  /**
   * Asks for a move at the next start, in place of one that was asked for before. Errors: `invalid_request` for a
   * folder that cannot take it, `conflict` while a backup waits for the next start or the models folder is fixed.
   */
  async askForMove({ what, to: given }: MoveRequest): Promise<void> {
    const { dataDir, modelsDir } = this.#deps;
    if (!isAbsolute(given)) throw refused(say`Give the absolute path of a folder.`);
    const to = resolve(given);
    const models = modelsPlace(dataDir, modelsDir);
    if (what === 'models' && models.isGiven) throw new QuarryError('conflict', modelsGiven());
    if (stagedDataFrom(dataDir) !== null) {
      throw new QuarryError('conflict', say`A backup is brought back at the next start. Start Quarry again first.`);
    }
    const from = what === 'data' ? dataDir : models.folder;
    this.#checkApart(what, from, to);
    await this.#checkTarget(what, from, to);
    await this.#checkRoom(from, to);
    writeAskedMove(dataDir, { what, to, failure: null });
  }

  /** Nothing moves at the next start; why the last move failed is forgotten. */
  cancelMove(): void {
    writeAskedMove(this.#deps.dataDir, null);
  }

  /** Removes what moves left in former folders. Errors: those of the file system. */
  async removeFormerCopies(): Promise<void> {
    const { dataDir } = this.#deps;
    const place = readPlace(dataDir);
    for (const { folder, entries } of place.former) {
      for (const name of entries) await rm(join(folder, name), { recursive: true, force: true });
    }
    writePlace(dataDir, { ...place, former: [] });
  }

  #checkApart(what: MoveRequest['what'], from: string, to: string): void {
    const { dataDir } = this.#deps;
    // The models folder of the data folder is their default.
    const isHome = what === 'models' && to === join(dataDir, 'models') && from !== to;
    const others = what === 'models' ? [from, dataDir] : [from];
    if (isHome || !others.some((one) => isWithin(to, one) || isWithin(from, to))) return;
    throw refused(say`${to} lies in the folder that is used now, or holds it. Choose another.`);
  }

  /** Tries to write, so that the owner hears at once what the next start would meet. */
  async #checkTarget(what: MoveRequest['what'], from: string, to: string): Promise<void> {
    const isThere = existsSync(to);
    try {
      if (!(await stat(isThere ? to : dirname(to))).isDirectory())
        throw refused(say`${to} is a file. Choose a folder.`);
      if (!mayFill(to, { what, from })) throw refused(holdsOthers(to));
      if (!isThere) await mkdir(to, { mode: 0o700 });
      const trial = join(to, '.quarry-trial');
      await writeFile(trial, 'A trial.', { flush: true, flag: 'w' }).finally(() => rm(trial, { force: true }));
    } catch (error) {
      throw error instanceof QuarryError ? error : refused(moveFailure(error, to));
    } finally {
      if (!isThere) await rmdir(to).catch(() => undefined);
    }
  }

  async #checkRoom(from: string, to: string): Promise<void> {
    const { freeDiskOf, bytesOf } = this.#deps;
    const near = existsSync(to) ? to : dirname(to);
    // On one disk, files get a second name.
    if ((await lstat(from)).dev === (await lstat(near)).dev) return;
    const { freeBytes } = await freeDiskOf(near)();
    const needed = await bytesOf(from);
    if (needed > freeBytes) throw refused(noRoom(to, freeBytes, needed));
  }
}

function refused(message: Said): QuarryError {
  return invalidRequest([{ path: 'to', message }]);
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way.split(sep)[0] !== '..' && !isAbsolute(way);
}
