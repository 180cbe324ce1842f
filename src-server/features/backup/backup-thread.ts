/** A thread that makes scheduled backups: copying and checking a database would block the server's thread. */

import { ownerLine } from '../../platform/rpc/lines.ts';
import { serveMethods } from '../../platform/rpc/rpc.ts';
import { type BackupRequest, createBackup } from './create.ts';
import { backupFailureOf } from './failure.ts';

export interface BackupApi {
  /** Why the backup failed; null when it is complete. */
  create(request: BackupRequest): Promise<string | null>;
}

serveMethods<BackupApi>(
  {
    create: async (request) => {
      try {
        await createBackup(request);
        return null;
      } catch (error) {
        const reason = backupFailureOf(error);
        if (reason === null) throw error;
        return reason;
      }
    },
  },
  ownerLine,
);
