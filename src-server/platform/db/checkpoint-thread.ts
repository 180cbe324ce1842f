/**
 * The thread that carries what was committed from the log into the database's file. A checkpoint writes thousands of
 * pages and waits for the disk twice; on the server's thread every request would wait along.
 */
import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import type { CheckpointAnswer, CheckpointRequest, CheckpointThreadData } from './checkpoints.ts';

const { databasePath } = workerData as CheckpointThreadData;
const sqlite = new SqliteDatabase(databasePath, { fileMustExist: true });

parentPort?.on('message', (request: CheckpointRequest) => {
  if (request === 'close') {
    sqlite.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage({ logPages: checkpoint() } satisfies CheckpointAnswer);
});

function checkpoint(): number {
  try {
    // PASSIVE holds up nobody, neither readers nor the writer.
    const [state] = sqlite.pragma('wal_checkpoint(PASSIVE)') as { log: number }[];
    return state?.log ?? 0;
  } catch {
    // A full disk, most of all. Nothing is lost: it stays in the log, and the writer meets the disk itself.
    return 0;
  }
}
