/** A thread that makes scheduled backups: copying and checking a database would block the server's thread. */

import { ownerLine } from '../../platform/rpc/lines.ts';
import { serveMethods } from '../../platform/rpc/rpc.ts';
import { type BackupRequest, createBackup } from './create.ts';
import { backupFailureOf } from './failure.ts';
import { prepareRestore, type RestoreRequest } from './restore.ts';

export interface BackupApi {
  /** Why the backup failed; null when it is complete. */
  create(request: BackupRequest): Promise<string | null>;
  /** Why a backup cannot be restored; null when it waits for the next start. */
  prepare(request: Omit<RestoreRequest, 'force'>): Promise<string | null>;
}

serveMethods<BackupApi>(
  { create: (request) => told(createBackup(request)), prepare: (request) => told(prepareRestore(request)) },
  ownerLine,
);

/** Errors: those that no user can mend. */
async function told(work: Promise<unknown>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    const reason = backupFailureOf(error);
    if (reason === null) throw error;
    return reason;
  }
}
