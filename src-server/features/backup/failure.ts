import { getSystemErrorMessage } from 'node:util';
import { isDiskFull, systemCodeOf } from '../../platform/errors.ts';
import { DataFolderInUseError } from '../../platform/files/data-folder.ts';
import { recordOf } from '../../platform/records.ts';
import { type Said, saidElsewhere, say } from '../../platform/text/say.ts';
import { BackupError } from './schema.ts';

/** Why a backup or a restore failed, as a sentence for the user; null for a fault of the program. */
export function backupFailureOf(error: unknown): Said | null {
  if (error instanceof BackupError || error instanceof DataFolderInUseError) return saidElsewhere(error.message);
  if (isDiskFull(error)) return say`The disk is full. Free some space, then try again.`;
  const { errno, path } = recordOf(error);
  const code = systemCodeOf(error);
  if (typeof errno === 'number') {
    const why = getSystemErrorMessage(errno);
    return typeof path === 'string' ? say`${path} cannot be used: ${why}.` : say`A file cannot be used: ${why}.`;
  }
  return code.startsWith('SQLITE_') ? say`A database cannot be read or written (${code}).` : null;
}
