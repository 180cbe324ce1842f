/**
 * A connection that only reads, for the thread that searches. Threat: what is asked of it holds words of strangers; it
 * cannot change anything, whatever it is asked.
 */

import { parentPort, workerData } from 'node:worker_threads';
import { QuarryError } from '../../platform/errors.ts';
import { toTaskError } from '../../platform/rpc/errors.ts';
import { rank, show } from './rank.ts';
import { openSearchConnection } from './search-connection.ts';
import type { ThreadAnswers, ThreadData, ThreadMessage, ThreadQuestion, ThreadReply } from './search-protocol.ts';

/**
 * A thread that searches, over a connection of its own that can only read: a search among a million chunks takes tens
 * of milliseconds, which the server's thread has for nobody.
 */
export const { db, vectorsMissing, close } = openSearchConnection((workerData as ThreadData).databasePath);

parentPort?.on('message', (message: ThreadMessage) => void hear(message));

function hear(message: ThreadMessage): void {
  if (message === 'close') {
    close();
    parentPort?.close();
    return;
  }
  const { id, question } = message;
  try {
    say({ id, answer: answer(question) });
  } catch (error) {
    say({ id, error: toTaskError(error) });
  }
}

function answer(question: ThreadQuestion): ThreadAnswers[keyof ThreadAnswers] {
  if (question.kind === 'show') return show(db, question.query, question.ranked);
  if (question.leg === 'semantic' && vectorsMissing !== null) {
    const message = 'Vectors cannot be compared on this kind of machine. Search with mode lexical.';
    throw new QuarryError('engine_unavailable', message, { cause: vectorsMissing });
  }
  return rank(db, question.request, question.leg);
}

function say(message: ThreadReply): void {
  parentPort?.postMessage(message);
}
