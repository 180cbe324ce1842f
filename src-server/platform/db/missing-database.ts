import { existsSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { hasJobFolders } from '../files/job-folders.ts';

/** A database is gone whose jobs are still there: with it the ledger, and the memory of proofs that were spent. */
export class MissingDatabaseError extends Error {
  constructor(name: string) {
    super(`The database ${name}/quarry.db is missing or empty, although the folder ${name}/jobs holds jobs.`);
    this.name = 'MissingDatabaseError';
  }
}

/**
 * Called before the database of an environment is opened, which makes a new one where none is. A first start that was
 * killed leaves no jobs, so that nothing is missed.
 * @param root the data folder
 * @param name of the environment, whose folder lies in it
 */
export function assertNoneMissing(root: string, name: string): void {
  if (hasJobFolders(join(root, name, 'jobs')) && !hasJobs(join(root, name, 'quarry.db'))) {
    throw new MissingDatabaseError(name);
  }
}

function hasJobs(path: string): boolean {
  if (!existsSync(path)) return false;
  const database = new SqliteDatabase(path, { readonly: true });
  try {
    const table = database.prepare("select 1 from sqlite_master where type = 'table' and name = 'jobs'").get();
    return table !== undefined && database.prepare('select 1 from jobs limit 1').get() !== undefined;
  } finally {
    database.close();
  }
}
