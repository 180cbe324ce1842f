/**
 * A connection that only reads, for the thread that searches. Threat: what is asked of it holds words of strangers; it
 * cannot change anything, whatever it is asked.
 */

import { parentPort, workerData } from 'node:worker_threads';
import { Kysely } from 'kysely';
import { CarefulSqliteDialect, type Database, type Db, keepStatements } from '../../platform/db/database.ts';
import { loadVectors, openSqlite } from '../../platform/db/sqlite.ts';
import { QuarryError } from '../../platform/errors.ts';
import { toTaskError } from '../../platform/rpc/errors.ts';
import { rank, show } from './rank.ts';
import type { ThreadAnswers, ThreadData, ThreadMessage, ThreadQuestion, ThreadReply } from './search-protocol.ts';

/** How long a statement waits for the writer, who holds a reader up only while the log is being reset. */
const BUSY_TIMEOUT_MS = 5000;

/** Lists of the words that are asked for again and again; what is more the system's own cache holds. */
const CACHE_KB = 32_768;

/**
 * A thread that searches, over a connection of its own that can only read: a search among a million chunks takes tens
 * of milliseconds, which the server's thread has for nobody.
 */

const { db, vectorsMissing, close } = openSearchConnection((workerData as ThreadData).databasePath);

parentPort?.on('message', (message: ThreadMessage) => void hear(message));

async function hear(message: ThreadMessage): Promise<void> {
  if (message === 'close') {
    await close();
    parentPort?.close();
    return;
  }
  const { id, question } = message;
  try {
    say({ id, answer: await answer(question) });
  } catch (error) {
    say({ id, error: toTaskError(error) });
  }
}

async function answer(question: ThreadQuestion): Promise<ThreadAnswers[keyof ThreadAnswers]> {
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

interface SearchConnection {
  db: Db;
  /** Why vectors cannot be compared on this machine; null where they can. */
  vectorsMissing: string | null;
  close(): Promise<void>;
}

/** @param path of a database that is migrated and held by the server */
export function openSearchConnection(path: string): SearchConnection {
  const sqlite = openSqlite(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  sqlite.pragma(`cache_size = -${CACHE_KB}`);
  const vectorsMissing = loadVectors(sqlite);
  const db = new Kysely<Database>({ dialect: new CarefulSqliteDialect(sqlite, keepStatements(sqlite)) });
  return { db, vectorsMissing, close: () => db.destroy() };
}
