/**
 * Replaces all data of a data folder by data that was staged in it, in steps that a killed process leaves for the next
 * one: what was there is moved aside, never deleted, then what was staged takes its place. A journal says how far it
 * is.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { PLACE_FILE } from './data-place.ts';
import { replaceFile } from './replace-file.ts';

/** Below the data folder. */
export const STAGE = '.restoring';

const JOURNAL = '.restore.json';

/** What a folder holds while a process has its lock, and what models and earlier replacements leave there. */
const NOT_DATA = /^(?:lock\.db.*|server\.json|compiled|before-restore-.*|\.restoring|\.restore\.json.*)$/;

const Journal = z.object({
  /** Where the data came from, for people. */
  from: z.string(),
  /** Folder for what is replaced. */
  aside: z.string().regex(/^before-restore-[\w-]+$/),
  /** Entries that stay. */
  stays: z.array(z.string()),
  /** Whether all that is replaced lies there. */
  isCleared: z.boolean(),
});

type Journal = z.infer<typeof Journal>;

/** Entries of a data folder that staged data replaces. */
export function replacedEntries(root: string, stays: readonly string[]): string[] {
  return readdirSync(root).filter((name) => !NOT_DATA.test(name) && !PLACE_FILE.test(name) && !stays.includes(name));
}

/** What is staged takes its place at the next `takeStagedData`. */
export function commitStagedData(root: string, { from, stays, now }: StagedData): void {
  const aside = `before-restore-${new Date(now).toISOString().replace(/[:.]/g, '-')}`;
  writeJournal(root, { from, aside, stays: [...stays], isCleared: false });
}

export interface StagedData {
  from: string;
  stays: readonly string[];
  now: number;
}

/** Where data was staged from that waits for its place; null where none does. */
export function stagedDataFrom(root: string): string | null {
  return readJournal(root)?.from ?? null;
}

/** Forgets data that waits. What is half in its place stays, and is finished by the next start. */
export function dropStagedData(root: string): void {
  if (readJournal(root)?.isCleared === true) return;
  rmSync(join(root, JOURNAL), { force: true });
  rmSync(join(root, STAGE), { recursive: true, force: true });
}

/**
 * Puts staged data into its place, or goes on where a killed process stopped. No other process may use the folder.
 * Returns the folder with what was replaced; null where nothing was. Errors: those of the file system; a later call
 * goes on then.
 */
export function takeStagedData(root: string): string | null {
  const journal = readJournal(root);
  if (journal === null) return null;
  const aside = join(root, journal.aside);
  if (!journal.isCleared) {
    mkdirSync(aside, { recursive: true, mode: 0o700 });
    for (const name of replacedEntries(root, journal.stays)) renameSync(join(root, name), join(aside, name));
    writeJournal(root, { ...journal, isCleared: true });
  }
  const stage = join(root, STAGE);
  if (existsSync(stage)) {
    for (const name of readdirSync(stage)) renameSync(join(stage, name), join(root, name));
    rmSync(stage, { recursive: true });
  }
  const wasEmpty = readdirSync(aside).length === 0;
  if (wasEmpty) rmdirSync(aside);
  rmSync(join(root, JOURNAL));
  return wasEmpty ? null : aside;
}

/** Folders with data from before restores, the newest first. */
export function replacedDataFolders(root: string): string[] {
  const names = readdirSync(root).filter((name) => name.startsWith('before-restore-'));
  return names
    .toSorted()
    .toReversed()
    .map((name) => join(root, name));
}

/** A damaged journal names nothing that could be done. */
function readJournal(root: string): Journal | null {
  const path = join(root, JOURNAL);
  return existsSync(path) ? Journal.parse(JSON.parse(readFileSync(path, 'utf8'))) : null;
}

function writeJournal(root: string, journal: Journal): void {
  replaceFile(join(root, JOURNAL), JSON.stringify(journal));
}
