/**
 * Carries out a move of data or models, before a database opens. Files of one disk get a second name, others are copied
 * and compared. Until the last of them is right the old folder stays in force.
 */

import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import {
  chmod,
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  rm,
  statfs,
  symlink,
  utimes,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isDiskFull, systemCodeOf } from '../errors.ts';
import { type Said, say } from '../text/say.ts';
import { describeBytes, SECOND_MS } from '../units.ts';
import {
  type AskedMove,
  leadTo,
  markFilling,
  mayFill,
  modelsPlace,
  movedEntries,
  readAskedMove,
  readPlace,
  settlePlace,
  unmarkFilling,
  writeAskedMove,
  writePlace,
} from './data-place.ts';
import { makeOwnerFolder } from './private-files.ts';
import { syncFolder } from './replace-file.ts';
import { streamBytes } from './stream-bytes.ts';

const TOLD_EVERY_MS = 5 * SECOND_MS;

interface Moving {
  /** The data folder, whose lock this process holds. */
  root: string;
  /** Models fixed by a flag or a variable. */
  modelsDir: string | undefined;
  log: {
    info(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
}

/** A move that ended with a sentence for the owner. */
class MoveError extends Error {
  readonly said: Said;

  constructor(said: Said) {
    super(said);
    this.name = 'MoveError';
    this.said = said;
  }
}

/**
 * Carries out the move that the owner asked for. Returns whether the data lies in another folder now. A move that
 * fails changes nothing: its reason is kept for the owner, and what was copied is removed.
 */
export async function carryOutMove({ root, modelsDir, log }: Moving): Promise<boolean> {
  const asked = readAskedMove(root);
  if (asked === null || asked.failure !== null) return false;
  const models = modelsPlace(root, modelsDir);
  const from = asked.what === 'data' ? root : models.folder;
  if (from === asked.to) {
    unmarkFilling(asked.to);
    writeAskedMove(root, null);
    return false;
  }
  const filling = new Filling(from, asked, log);
  try {
    if (asked.what === 'models' && models.isGiven) throw new MoveError(modelsGiven());
    await filling.fillFolder();
  } catch (error) {
    log.error({ err: error, to: asked.to }, 'The move failed. Nothing has changed.');
    await filling.emptyFolder().catch((cause: unknown) => {
      log.error({ err: cause, to: asked.to }, 'What was copied could not be removed.');
    });
    writeAskedMove(root, { ...asked, failure: moveFailure(error, asked.to) });
    return false;
  }
  if (asked.what === 'models') settleModels(root, asked, filling);
  else settleData(root, asked, filling);
  log.info({ from, to: asked.to }, 'moved');
  return asked.what === 'data';
}

/** One write makes the models folder the one in force. */
function settleModels(root: string, { to }: AskedMove, { from, entries, isLinked }: Filling): void {
  const place = readPlace(root);
  // The one in the data folder is the default, and moves with it.
  const models = to === join(root, 'models') ? null : to;
  writePlace(root, {
    ...place,
    models,
    former: [...place.former, { what: 'models', folder: from, entries, isLinked }],
  });
  unmarkFilling(to);
  writeAskedMove(root, null);
  settlePlace(root);
}

function settleData(root: string, { to }: AskedMove, { entries, isLinked }: Filling): void {
  const place = readPlace(root);
  const former = [...place.former, { what: 'data' as const, folder: root, entries, isLinked }];
  const leadsHere = [...new Set([...place.leadsHere, root])].filter((folder) => folder !== to);
  writePlace(to, { ...place, leadsHere, former: former.filter(({ folder }) => folder !== to) });
  leadTo(root, to);
  writeAskedMove(root, null);
}

export function modelsGiven(): Said {
  return say`The models folder is given by --models-dir or QUARRY_MODELS_DIR. Change it there.`;
}

/** What keeps a folder from being used, as a sentence for the owner. */
export function moveFailure(error: unknown, to: string): Said {
  if (error instanceof MoveError) return error.said;
  if (isDiskFull(error)) return say`The disk of ${to} is full. Choose another folder, or free some space.`;
  switch (systemCodeOf(error)) {
    case 'EROFS':
      return say`The disk of ${to} can only be read. Choose another folder.`;
    case 'EACCES':
    case 'EPERM':
      return say`Quarry may not write to ${to}. Choose another folder, or change its permissions.`;
    case 'ENOTDIR':
    case 'EEXIST':
      return say`${to} is a file. Choose a folder.`;
    case 'ENOENT':
      return say`There is no folder ${dirname(to)}. Create it first, or choose another.`;
    default:
      return say`The move failed, and nothing has changed. The log says why.`;
  }
}

export function holdsOthers(to: string): Said {
  return say`${to} holds other files. Choose a new folder, or an empty one.`;
}

export function noRoom(to: string, free: number, needed: number): Said {
  return say`The disk of ${to} has no room: ${describeBytes(free)} are free, and ${describeBytes(needed)} are to move.`;
}

class Filling {
  readonly from: string;
  readonly #asked: AskedMove;
  readonly #log: Moving['log'];
  /** At the top. */
  entries: string[] = [];
  /** Whether all files are second names. */
  isLinked = true;
  #mayEmpty = false;
  #done = 0;
  #toldAt = 0;

  constructor(from: string, asked: AskedMove, log: Moving['log']) {
    this.from = from;
    this.#asked = asked;
    this.#log = log;
  }

  async fillFolder(): Promise<void> {
    const { what, to } = this.#asked;
    await lstat(dirname(to));
    if (!mayFill(to, { what, from: this.from })) throw new MoveError(holdsOthers(to));
    makeOwnerFolder(to);
    this.#mayEmpty = true;
    markFilling(to, this.from);
    this.entries = movedEntries(this.from, what);
    await this.#checkRoom();
    await this.#removeOthers();
    for (const name of this.entries) await this.#take(name);
    syncFolder(to);
  }

  /** After a failure: what was filled in goes. */
  async emptyFolder(): Promise<void> {
    if (!this.#mayEmpty) return;
    const { to } = this.#asked;
    for (const name of this.entries) await rm(join(to, name), { recursive: true, force: true });
    unmarkFilling(to);
    if ((await readdir(to)).length === 0) await rm(to, { recursive: true });
  }

  /** A killed move may have left what is gone by now. */
  async #removeOthers(): Promise<void> {
    const { what, to } = this.#asked;
    const wanted = new Set(this.entries);
    // `.moving.json` is none of the models either.
    for (const name of movedEntries(to, what).filter((one) => !wanted.has(one) && one !== '.moving.json')) {
      await rm(join(to, name), { recursive: true, force: true });
    }
  }

  async #checkRoom(): Promise<void> {
    const { to } = this.#asked;
    const [here, there] = [await lstat(this.from), await lstat(to)];
    if (here.dev === there.dev) return;
    let needed = 0;
    for (const name of this.entries) needed += await bytesBelow(join(this.from, name));
    for (const name of this.entries) needed -= await bytesBelow(join(to, name));
    const { bavail, bsize } = await statfs(to);
    if (needed > bavail * bsize) throw new MoveError(noRoom(to, bavail * bsize, needed));
  }

  async #take(path: string): Promise<void> {
    const source = join(this.from, path);
    const target = join(this.#asked.to, path);
    const stats = await lstat(source);
    if (stats.isDirectory()) {
      await mkdir(target, { recursive: true, mode: 0o700 });
      const names = await readdir(source);
      const wanted = new Set(names);
      for (const name of (await readdir(target)).filter((one) => !wanted.has(one))) {
        await rm(join(target, name), { recursive: true, force: true });
      }
      for (const name of names) await this.#take(join(path, name));
      await chmod(target, stats.mode & 0o777);
      syncFolder(target);
    } else if (stats.isSymbolicLink()) {
      await rm(target, { recursive: true, force: true });
      await symlink(resolve(dirname(source), await readlink(source)), target);
    } else if (stats.isFile()) await this.#takeFile(source, target, stats);
    // What else there is, such as a socket, holds no data.
  }

  async #takeFile(source: string, target: string, stats: Stats): Promise<void> {
    const there = await lstat(target).catch(() => null);
    if (there?.ino !== stats.ino || there.dev !== stats.dev) {
      const isThere = there?.size === stats.size && (await isSame(source, target));
      if (!isThere) {
        await rm(target, { recursive: true, force: true });
        if (!(await linked(source, target))) await this.#copy(source, target, stats);
      } else this.isLinked = false;
    }
    this.#done += stats.size;
    const now = performance.now();
    if (now - this.#toldAt < TOLD_EVERY_MS) return;
    this.#toldAt = now;
    this.#log.info({ to: this.#asked.to, done: describeBytes(this.#done) }, 'moving');
  }

  async #copy(source: string, target: string, { mode, atime, mtime }: Stats): Promise<void> {
    this.isLinked = false;
    await copyFile(source, target);
    // A copy that may not be written could not be synced.
    await chmod(target, 0o600);
    const file = await open(target, 'r+');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    await chmod(target, mode & 0o777);
    await utimes(target, atime, mtime);
    if (!(await isSame(source, target))) {
      throw new MoveError(say`A copied file differs from the original: ${source}. Nothing has changed.`);
    }
  }
}

/** Second names need the same disk, and a file system that has them. */
const NO_LINKS = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK']);

async function linked(source: string, target: string): Promise<boolean> {
  try {
    await link(source, target);
    return true;
  } catch (error) {
    if (NO_LINKS.has(systemCodeOf(error))) return false;
    throw error;
  }
}

async function isSame(one: string, other: string): Promise<boolean> {
  return (await hashOf(one)) === (await hashOf(other));
}

async function hashOf(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const hash = createHash('sha256');
    for await (const piece of streamBytes(file.createReadStream({ autoClose: false }))) hash.update(piece);
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}

async function bytesBelow(path: string): Promise<number> {
  const stats = await lstat(path).catch(() => null);
  if (stats === null) return 0;
  if (!stats.isDirectory()) return stats.size;
  let bytes = 0;
  for (const name of await readdir(path)) bytes += await bytesBelow(join(path, name));
  return bytes;
}
