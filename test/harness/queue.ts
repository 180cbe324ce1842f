import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobRow } from '../../src-server/features/jobs/store.ts';
import { enqueueJob } from '../../src-server/features/jobs/transition.ts';
import { MIGRATIONS } from '../../src-server/features.ts';
import type { QueueClass } from '../../src-server/operation.ts';
import { openStorage, type Storage } from '../../src-server/platform/db/database.ts';
import { newId } from '../../src-server/platform/ids.ts';

/** A database of its own in a temporary folder. */
export async function temporaryStorage(): Promise<{ storage: Storage; path: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry test '));
  const path = join(folder, 'quarry.db');
  const storage = await openStorage(path, { migrations: MIGRATIONS });
  return {
    storage,
    path,
    [Symbol.asyncDispose]: async () => {
      storage.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface JobToQueue {
  accountId?: string;
  priority?: number;
  queueClass?: QueueClass;
  createdAt?: number;
}

export function queueJob(storage: Storage, job: JobToQueue = {}): JobRow {
  return storage.transaction((tx) =>
    enqueueJob(
      tx,
      {
        id: newId('job'),
        account_id: job.accountId ?? 'owner',
        operation_id: 'extract/doc',
        priority: job.priority ?? 1,
        queue_class: job.queueClass ?? 'light',
        request: '{}',
        source_name: null,
        source: null,
        dedupe_key: null,
        events: '[]',
        estimated_ms: null,
        payment_id: null,
      },
      job.createdAt ?? 1_000_000,
    ),
  );
}
