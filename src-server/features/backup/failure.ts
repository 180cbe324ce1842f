import { getSystemErrorMessage } from 'node:util';
import { isDiskFull } from '../../platform/errors.ts';
import { DataFolderInUseError } from '../../platform/files/data-folder.ts';
import { BackupError } from './schema.ts';

/** Why a backup or a restore failed, as a sentence for the user; null for a fault of the program. */
export function backupFailureOf(error: unknown): string | null {
  if (error instanceof BackupError || error instanceof DataFolderInUseError) return error.message;
  if (isDiskFull(error)) return 'The disk is full. Free some space, then try again.';
  const { code, errno, path } = error as NodeJS.ErrnoException;
  if (typeof errno === 'number') return `${path ?? 'A file'} cannot be used: ${getSystemErrorMessage(errno)}.`;
  return code?.startsWith('SQLITE_') ? `A database cannot be read or written (${code}).` : null;
}
