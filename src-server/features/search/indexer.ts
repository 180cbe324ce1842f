import { Worker } from 'node:worker_threads';
import type { Chunk } from '../../operation.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { IndexNotice, IndexOrder, IndexThreadData } from './index-protocol.ts';
import { insertJobChunk, mergeIndex } from './index-writer.ts';
import { awaitRemoval, beginIndexing, deleteChunksOfJob, type IndexedJob, indexingOf, nextToIndex } from './store.ts';

/** A result up to here is indexed by the transaction that ends its job: that is less work than to come back to it. */
const SMALL_RESULT_CHARS = 32_768;

/** So many chunks are deleted by the transaction that removes their job: that takes two milliseconds. */
const DELETED_AT_ONCE_MAX = 256;

/** What the index takes from a result that it parses itself. */
interface SmallResult {
  chunks?: Chunk[];
  document?: { title: string | null; language: string | null };
  pages?: { url: string; language: string | null }[];
}

/** What the index must know of a job that ended. */
export interface EndedJob extends IndexedJob {
  status: string;
}

/** The result of a job that completed. */
export interface IndexedResult {
  /** JSON text. */
  body: string;
  /** Size of the file that has the chunks; null where `body` has them. */
  chunksBytes: number | null;
}

interface IndexerDeps {
  /** Writes the index of the jobs that wait for it (`IndexWorker`). */
  worker: { kick(): void };
  /** All chunks of a job are in the index. */
  onIndexed(): void;
}

/**
 * Puts the chunks of completed jobs into the index: those of a small result with the job's completion; that the others
 * wait for the thread that writes the index is written with their completion.
 */
export class Indexer {
  readonly #deps: IndexerDeps;
  /** Whether a job was let wait that the thread was not told of. */
  #waits = false;
  /** Whether something was indexed that nobody was told of. */
  #untold = false;

  constructor(deps: IndexerDeps) {
    this.#deps = deps;
  }

  /** At start: takes up what the process before left. */
  start(db: Db): void {
    if (nextToIndex(db) !== undefined) this.#deps.worker.kick();
  }

  /** In the transaction that ends a job, with its result, checked by the operation's schema. */
  onTerminal(tx: Tx, job: EndedJob, result: IndexedResult | null): void {
    // A job that ran again is indexed anew.
    if (indexingOf(tx, job.id)) deleteChunksOfJob(tx, job.id);
    if (job.status !== 'completed') return;
    if (result === null || result.chunksBytes !== null || result.body.length > SMALL_RESULT_CHARS) {
      beginIndexing(tx, job.id, { indexedChunks: 0, state: 'waiting' });
      this.#waits = true;
      return;
    }
    const { chunks = [], document, pages = [] } = JSON.parse(result.body) as SmallResult;
    const languages = new Map(pages.map(({ url, language }) => [url, language]));
    const sourceName = job.source_name ?? document?.title ?? null;
    for (const chunk of chunks) {
      const language = languages.get(chunk.url ?? '') ?? document?.language ?? null;
      insertJobChunk(tx, job, chunk, sourceName, language);
    }
    mergeIndex(tx, chunks.length);
    beginIndexing(tx, job.id, { indexedChunks: chunks.length, state: 'indexed' });
    this.#untold = true;
  }

  /** In the transaction that removes a job's result. */
  onRemoved(tx: Tx, jobId: string): void {
    const indexing = indexingOf(tx, jobId);
    if (indexing === undefined) return;
    if (indexing.indexed_chunks <= DELETED_AT_ONCE_MAX) {
      deleteChunksOfJob(tx, jobId);
      return;
    }
    awaitRemoval(tx, jobId);
    this.#waits = true;
  }

  /** A transaction is over: what it indexed, or let wait, is there now. */
  kick(): void {
    if (this.#untold) this.#deps.onIndexed();
    this.#untold = false;
    if (this.#waits) this.#deps.worker.kick();
    this.#waits = false;
  }
}

/** How soon a thread that died is started again. */
const RESTART_AFTER_MS = 1000;

interface IndexWorkerDeps extends IndexThreadData {
  /** The thread's file: `index-thread`. */
  entry: URL;
  /** All chunks of a job are in the index. */
  onIndexed(): void;
  log: { error(fields: object, message: string): void };
}

/** The server's side of the thread that writes the index. It is started by the first job that waits for it. */
export class IndexWorker {
  readonly #deps: IndexWorkerDeps;
  #worker: Worker | null = null;
  #restart: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(deps: IndexWorkerDeps) {
    this.#deps = deps;
  }

  /** There is something to index. */
  kick(): void {
    if (this.#closed || this.#restart !== null) return;
    try {
      this.#worker ??= this.#start();
      order(this.#worker, 'kick');
    } catch (error) {
      // The system gives no more threads.
      this.#deps.log.error({ err: error }, 'The thread that writes the index could not be started; tried again soon.');
      this.#kickLater();
    }
  }

  /** Asked rather than ended: ending a thread inside native code takes the whole process down. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#restart) clearTimeout(this.#restart);
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    order(worker, 'close');
    await ended;
  }

  #start(): Worker {
    const { databasePath, jobsRoot, entry, log } = this.#deps;
    const workerData: IndexThreadData = { databasePath, jobsRoot };
    const worker = new Worker(entry, { name: 'index', workerData });
    let cause: unknown = null;
    worker.on('message', (notice: IndexNotice) => this.#hear(notice));
    worker.once('error', (error) => {
      cause = error;
    });
    worker.once('exit', () => {
      this.#worker = null;
      if (this.#closed) return;
      log.error({ err: cause }, 'The thread that writes the index ended; it will be started again.');
      this.#kickLater();
    });
    return worker;
  }

  #kickLater(): void {
    this.#restart = setTimeout(() => {
      this.#restart = null;
      this.kick();
    }, RESTART_AFTER_MS).unref();
  }

  #hear(notice: IndexNotice): void {
    if (notice.kind === 'indexed') this.#deps.onIndexed();
    else this.#deps.log.error({ err: notice.error, jobId: notice.jobId }, notice.message);
  }
}

function order(worker: Worker, what: IndexOrder): void {
  worker.postMessage(what);
}
