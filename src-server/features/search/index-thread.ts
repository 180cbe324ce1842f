/**
 * The thread that writes the index of large results, over a connection of its own: a few chunks already take the
 * full-text index milliseconds, which the server's thread has for nobody.
 */

import { parentPort, workerData } from 'node:worker_threads';
import { openSecondStorage } from '../../platform/db/database.ts';
import { JobFolders } from '../../platform/files/job-folders.ts';
import { standBackThread } from '../../platform/process/bound-process.ts';
import type { IndexNotice, IndexOrder, IndexThreadData } from './index-protocol.ts';
import { IndexWriter } from './index-writer.ts';

// What is being parsed gets no less of the machine than its index.
standBackThread();

const { databasePath, jobsRoot } = workerData as IndexThreadData;

const folders = new JobFolders(jobsRoot);

const storage = openSecondStorage(databasePath);

const writer = new IndexWriter({
  storage,
  chunksPathOf: (jobId) => folders.chunksOf(jobId),
  onIndexed: () => say({ kind: 'indexed' }),
  onFailed: (error, jobId, message) => say({ kind: 'failed', error, jobId, message }),
});

parentPort?.on('message', (order: IndexOrder) => {
  if (order === 'kick') writer.kick();
  else void close();
});

async function close(): Promise<void> {
  await writer.close();
  storage.close();
  parentPort?.close();
}

function say(notice: IndexNotice): void {
  parentPort?.postMessage(notice);
}
