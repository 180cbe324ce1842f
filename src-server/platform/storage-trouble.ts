import { isDiskFull } from './disk-full.ts';

/**
 * What SQLite says where nothing is wrong with the statement: somebody else holds the database (a backup, a program
 * that shows it), or the disk under it does not answer. Longer codes begin with these.
 */
const PASSING = /^SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|READONLY|NOMEM|PROTOCOL)/;

/** Whether the database could not be used for a reason that lies outside and can pass: the same will work again. */
export function isStorageTrouble(error: unknown): boolean {
  return isDiskFull(error) || PASSING.test(String((error as { code?: unknown } | null)?.code));
}
