/**
 * The thread that carries what was committed from the log into the database's file. A checkpoint writes thousands of
 * pages and waits for the disk twice; on the server's thread every request would wait along.
 */
import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import type { CheckpointAnswer, CheckpointRequest, CheckpointThreadData } from './checkpoints.ts';

/** The log begins anew only once all of it is carried over, and others commit meanwhile: so it is asked again. */
const PASSES_MAX = 3;

const { databasePath } = workerData as CheckpointThreadData;
const sqlite = new SqliteDatabase(databasePath, { fileMustExist: true });

parentPort?.on('message', (request: CheckpointRequest) => {
  if (request === 'close') {
    sqlite.close();
    parentPort?.close();
    return;
  }
  checkpoint();
  parentPort?.postMessage('done' satisfies CheckpointAnswer);
});

function checkpoint(): void {
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    try {
      // PASSIVE holds up nobody, neither readers nor the writer.
      const [state] = sqlite.pragma('wal_checkpoint(PASSIVE)') as { log: number; checkpointed: number }[];
      if (state === undefined || state.checkpointed >= state.log) return;
    } catch {
      // A full disk, most of all. Nothing is lost: it stays in the log, and the writer meets the disk itself.
      return;
    }
  }
}
