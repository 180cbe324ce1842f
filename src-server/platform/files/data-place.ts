/**
 * Where data and models live. The owner asks for a move while the server runs; the next start carries it out before a
 * database opens: it copies into the new folder, compares, and only then says that the data is there. A process that is
 * killed at any moment leaves the old folder in force or the new one whole.
 *
 * `moved-to.json` in a folder leads to the one that took its place. `place.json` in the folder in force knows those
 * that lead here, the models folder, and former copies that may go. `.move.json` is what the owner asked for;
 * `.moving.json` marks a folder that is being filled.
 */

import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemCodeOf } from '../errors.ts';
import { parseOwnJson } from '../own-json.ts';
import { replaceFile } from './replace-file.ts';

const MOVED_TO = 'moved-to.json';

const PLACE = 'place.json';

const ASKED = '.move.json';

const MOVING = '.moving.json';

/** Files that belong to one folder, not to the data in it. */
export const PLACE_FILE = /^(?:moved-to|place|\.move|\.moving)\.json(?:\.part)?$/;

/** What a folder keeps: its lock, the desktop app's profile, and code that is compiled again. */
const STAYS = /^(?:lock\.db.*|server\.json.*|desktop|compiled)$/;

/** More hops are a circle. */
const HOPS_MAX = 16;

export type Movable = 'data' | 'models';

export interface AskedMove {
  what: Movable;
  /** Absolute path of the folder. */
  to: string;
  /** Why the last start could not carry it out; null while it waits for one. */
  failure: string | null;
}

/** What a move left in the former folder. */
export interface FormerCopy {
  what: Movable;
  folder: string;
  /** Names at its top that were moved. */
  entries: string[];
  /** The files are those of the new folder under a second name: they go without being asked for. */
  isLinked: boolean;
}

export interface Place {
  /** Folders that lead here. */
  leadsHere: string[];
  /** Null: `models` in the data folder. */
  models: string | null;
  former: FormerCopy[];
}

const FIRST_PLACE: Place = { leadsHere: [], models: null, former: [] };

/** The data was moved to a folder that is not there now, or this folder is being filled by a move. */
export class MovedDataError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MovedDataError';
  }
}

/** The folder that holds the data of a given one now. Where that is not there, the last that is. */
export function followMoves(given: string): string {
  let folder = given;
  for (let hops = 0; hops < HOPS_MAX; hops += 1) {
    const next = leadsTo(folder);
    if (next === null || !existsSync(join(next, PLACE))) return folder;
    folder = next;
  }
  return folder;
}

/** @throws MovedDataError for a folder that must not be opened as a data folder */
export function checkPlace(folder: string): void {
  const to = leadsTo(folder);
  if (to !== null) {
    throw new MovedDataError(
      `The data of ${folder} was moved to ${to}, which is not there. Connect its disk and start again. ` +
        `To begin with an empty library, remove ${join(folder, MOVED_TO)}.`,
    );
  }
  const moving = readMark<{ from: string }>(folder, MOVING);
  if (moving !== null && !existsSync(join(folder, PLACE))) {
    throw new MovedDataError(
      `${folder} is half filled by a move from ${moving.from}. Start Quarry with that folder, which completes it.`,
    );
  }
}

function leadsTo(folder: string): string | null {
  return readMark<{ to: string }>(folder, MOVED_TO)?.to ?? null;
}

/** A folder that may not be read has no marks: who opens it says so. */
function readMark<Mark>(folder: string, name: string): Mark | null {
  try {
    return readJson<Mark>(folder, name);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'EACCES' || code === 'EPERM') return null;
    throw error;
  }
}

export function readPlace(root: string): Place {
  return { ...FIRST_PLACE, ...readJson<Place>(root, PLACE) };
}

export function writePlace(root: string, place: Place): void {
  replaceFile(join(root, PLACE), JSON.stringify(place));
}

export interface ModelsPlace {
  folder: string;
  /** Fixed by a flag or a variable. */
  isGiven: boolean;
  /** The folder that the owner chose, which is not there now: the one in the data folder stands in. */
  missing: string | null;
}

/** @param given by a flag or a variable */
export function modelsPlace(root: string, given: string | undefined): ModelsPlace {
  if (given !== undefined) return { folder: given, isGiven: true, missing: null };
  const own = join(root, 'models');
  const { models } = readPlace(root);
  if (models === null) return { folder: own, isGiven: false, missing: null };
  return existsSync(models)
    ? { folder: models, isGiven: false, missing: null }
    : { folder: own, isGiven: false, missing: models };
}

export function readAskedMove(root: string): AskedMove | null {
  return readJson<AskedMove>(root, ASKED);
}

export function writeAskedMove(root: string, move: AskedMove | null): void {
  if (move === null) rmSync(join(root, ASKED), { force: true });
  else replaceFile(join(root, ASKED), JSON.stringify(move));
}

/** Names at the top of a folder that a move takes along. */
export function movedEntries(folder: string, what: Movable): string[] {
  const names = readdirSync(folder);
  return what === 'models' ? names : names.filter((name) => !PLACE_FILE.test(name) && !STAYS.test(name));
}

/** Whether a move may fill a folder: it is new, empty, a former home without data, or this move was filling it. */
export function mayFill(folder: string, { what, from }: { what: Movable; from: string }): boolean {
  if (!existsSync(folder)) return true;
  if (!statSync(folder).isDirectory()) return false;
  if (readJson<{ from: string }>(folder, MOVING)?.from === from) return true;
  return movedEntries(folder, what).length === 0;
}

export function markFilling(folder: string, from: string): void {
  replaceFile(join(folder, MOVING), JSON.stringify({ from }));
}

export function unmarkFilling(folder: string): void {
  rmSync(join(folder, MOVING), { force: true });
}

/** The data is in the other folder from now on. */
export function leadTo(from: string, to: string): void {
  // A former home leads away no more. Its own data is whole by now.
  rmSync(join(to, MOVED_TO), { force: true });
  replaceFile(join(from, MOVED_TO), JSON.stringify({ to }));
}

/** At each start, in the folder in force: completes what a killed move left, and removes second names of its files. */
export function settlePlace(root: string): void {
  const place = readPlace(root);
  unmarkFilling(root);
  for (const folder of place.leadsHere) {
    // One that is gone leads nobody.
    if (!existsSync(join(folder, MOVED_TO)) && !existsSync(join(folder, ASKED))) continue;
    if (leadsTo(folder) !== root) leadTo(folder, root);
    writeAskedMove(folder, null);
  }
  const linked = place.former.filter(({ isLinked }) => isLinked);
  if (linked.length === 0) return;
  for (const { folder, entries } of linked) {
    for (const name of entries) rmSync(join(folder, name), { recursive: true, force: true });
  }
  writePlace(root, { ...place, former: place.former.filter(({ isLinked }) => !isLinked) });
}

function readJson<Value>(folder: string, name: string): Value | null {
  try {
    return parseOwnJson<Value>(readFileSync(join(folder, name), 'utf8'));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
