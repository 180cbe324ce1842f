/**
 * The thread that searches, over a connection of its own that can only read: a search among a million chunks takes
 * tens of milliseconds, which the server's thread has for nobody.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { toTaskError } from '../contract/task-error.ts';
import { openSearchConnection } from '../storage/search-connection.ts';
import { search } from './search.ts';
import type { ThreadAnswer, ThreadData, ThreadRequest } from './search-protocol.ts';

const connection = openSearchConnection((workerData as ThreadData).databasePath);

parentPort?.on('message', (message: ThreadRequest) => void hear(message));

async function hear(message: ThreadRequest): Promise<void> {
  if (message.kind === 'close') {
    await connection.close();
    parentPort?.close();
    return;
  }
  say(await answer(message));
}

async function answer({ id, request }: Extract<ThreadRequest, { kind: 'search' }>): Promise<ThreadAnswer> {
  try {
    const { vectorsMissing } = connection;
    const usable = vectorsMissing === null ? request : { ...request, vector: null };
    return { id, answer: await search(connection.db, usable), vectorsMissing };
  } catch (error) {
    return { id, error: toTaskError(error) };
  }
}

function say(message: ThreadAnswer): void {
  parentPort?.postMessage(message);
}
