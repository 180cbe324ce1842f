/**
 * The thread that writes the index of large results, over a connection of its own: a few chunks already take the
 * full-text index milliseconds, which the server's thread has for nobody.
 */

import { parentPort, workerData } from 'node:worker_threads';
import { openLentStorage } from '../../platform/db/lent-connection.ts';
import { JobFolders } from '../../platform/files/job-folders.ts';
import { standBackThread } from '../../platform/process/bound-process.ts';
import type { IndexNotice, IndexOrder, IndexThreadData } from './index-protocol.ts';
import { IndexWriter } from './index-writer.ts';

// What is being parsed gets no less of the machine than its index.
standBackThread();

const { databasePath, jobsRoot } = workerData as IndexThreadData;

const folders = new JobFolders(jobsRoot);

/** There is one at most: the writer has one transaction at a time. */
let granted: (() => void) | null = null;

const storage = openLentStorage(databasePath, {
  borrow: () =>
    new Promise((resolve) => {
      granted = resolve;
      say({ kind: 'borrow' });
    }),
  giveBack: () => say({ kind: 'give-back' }),
});

const writer = new IndexWriter({
  storage,
  chunksPathOf: (jobId) => folders.chunksOf(jobId),
  onIndexed: () => say({ kind: 'indexed' }),
  onFailed: (error, jobId, message) => say({ kind: 'failed', error, jobId, message }),
});

parentPort?.on('message', (order: IndexOrder) => {
  if (order === 'kick') writer.kick();
  else if (order === 'granted') granted?.();
  else void close();
});

async function close(): Promise<void> {
  await writer.close();
  await storage.close();
  parentPort?.close();
}

function say(notice: IndexNotice): void {
  parentPort?.postMessage(notice);
}
