/** What the system and SQLite call it when there is no room to write. */
const FULL_DISK_CODES = new Set<unknown>(['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL', 'SQLITE_IOERR_WRITE']);

/** Whether something failed because the disk is full: it will work again once somebody has made room. */
export function isDiskFull(error: unknown): boolean {
  return FULL_DISK_CODES.has((error as { code?: unknown } | null)?.code);
}
