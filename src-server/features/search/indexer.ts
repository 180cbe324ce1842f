import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { FitTopicsInput, FitTopicsOutput } from '../../../workers/text/tasks.ts';
import { type Db, openReader, openStorage, type Reader, type Storage, type Tx } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { threadLine } from '../../platform/rpc/lines.ts';
import { OnDemand } from '../../platform/rpc/rpc.ts';
import { tell } from '../../platform/text/say.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { Found } from './found.ts';
import type { IndexThreadData } from './index-thread.ts';
import type { EmbeddedChunk, IndexApi } from './index-writer.ts';
import { INDEX_MIGRATIONS } from './migrations.ts';
import { dropOldTables, hasOldTables } from './old-index.ts';
import {
  deleteQueueEntries,
  INDEX_QUEUES,
  type IndexQueue,
  lastSmallEntry,
  nextEntries,
  queuedIndex,
  queueJob,
  queueRebuild,
  queueRemoval,
  rebuildProgress,
} from './queue.ts';
import { indexIdentity, isDamaged } from './store.ts';
import type { TopicStep } from './topic-writer.ts';

/** A result up to here is indexed before large ones that wait, whatever their number. */
const SMALL_RESULT_CHARS = 32_768;

/** How JSON begins the chunks of a result. */
const CHUNKS_KEY = /"chunks"\s*:/;

/** Entries of a queue that are applied together. What is applied when the process dies is applied again. */
const ENTRIES_TOGETHER: Record<IndexQueue, number> = { small: 50, background: 8 };

/**
 * How long entries gather before they are applied: one transaction for many. Nobody waits for it, since a search
 * applies at once what is queued when it is asked.
 */
const GATHER_MS = 250;

/** How soon the index is tried again after it could not be written. */
const RETRY_MS = SECOND_MS;

/** A thread that has written nothing for this long ends, with its heap and its cache. The next entry starts another. */
const THREAD_REST_MS = 30 * SECOND_MS;

const NOT_WRITTEN = 'The search index cannot be written; it will be tried again.';

/** How long a caller waits for the index to have what is known when it asks. */
const SETTLED_LIMIT_MS = 10 * SECOND_MS;

interface EndedJob {
  id: string;
  status: string;
}

/** The result of a job that completed. */
export interface IndexedResult {
  /** JSON text. */
  body: string;
  /** Size of the file that has the chunks; null where `body` has them. */
  chunksBytes: number | null;
}

/** What the owner sees of a rebuild. */
export interface RebuildFigures {
  /** Share of a rebuild that is done; null where the index is whole. */
  rebuiltPercent: number | null;
}

interface IndexerDeps extends IndexThreadData {
  /** The main database. */
  storage: Storage;
  /** The thread's file: `index-thread`. */
  entry: URL;
  /** Chunks without vectors may be in the index now. */
  onIndexed(): void;
  /** Queues all contributions and corrections that are shown. */
  republish(tx: Tx): void;
  /** How long the thread waits for the next entry before it ends. */
  threadRestMs?: number;
  /** Ends the threads that read the index; the next search starts others. */
  closeReaders(): Promise<void>;
  log: { error(fields: object, message: string): void };
}

/** Keeps search.db up with the main database, and rebuilds it where it is missing or damaged. */
export class Indexer {
  readonly #deps: IndexerDeps;
  readonly #thread: OnDemand<IndexApi>;
  readonly #draining: Record<IndexQueue, Promise<void> | null> = { small: null, background: null };
  readonly #closing = new AbortController();
  #reader: Reader;
  /** Wakes callers of `settled`. */
  readonly #waiting = new Set<() => void>();
  /** Whether a transaction since the last kick queued something. */
  #isQueued = false;
  #rebuilding: Promise<void> | null = null;
  #dropping: Promise<void> | null = null;
  /** Whether the main database may have the tables of an earlier version. It never gets them again. */
  #mayHaveOldTables = true;
  #retry: NodeJS.Timeout | null = null;
  #gathering: NodeJS.Timeout | null = null;
  #rest: NodeJS.Timeout | null = null;
  /** While the thread ends because nothing was to do: a second one would wait for its lock. */
  #resting: Promise<void> | null = null;

  static async openIndexer(deps: IndexerDeps): Promise<Indexer> {
    return new Indexer(deps, await openIndex(deps.indexPath));
  }

  private constructor(deps: IndexerDeps, reader: Reader) {
    this.#deps = deps;
    this.#reader = reader;
    const { databasePath, indexPath, jobsRoot, entry } = deps;
    const workerData: IndexThreadData = { databasePath, indexPath, jobsRoot };
    const indexThreadStopped = (cause: unknown) =>
      new QuarryError('engine_failed', tell`The thread that writes the index ended.`, { cause, retryable: true });
    this.#thread = new OnDemand<IndexApi>(threadLine(entry, { name: 'index', workerData }), {
      ended: indexThreadStopped,
    });
  }

  /** Before the first request: an index that is new gets everything queued. */
  prepareIndexer(): void {
    const { storage, republish } = this.#deps;
    const identity = indexIdentity(this.#reader.db);
    if (queuedIndex(storage.db) === identity) return;
    storage.transaction((tx) => queueRebuild(tx, identity, republish));
  }

  /** Takes up what the process before left. */
  startIndexer(): void {
    const { db } = this.#deps.storage;
    if (INDEX_QUEUES.some((queue) => nextEntries(db, queue, 1).length > 0)) this.#workAll();
    else this.#dropOldTables();
  }

  /** In the transaction that ends a job, with its result, checked by the operation's schema. */
  onTerminal(tx: Tx, job: EndedJob, result: IndexedResult | null): void {
    if (job.status !== 'completed' || (result !== null && !mayHaveChunks(result))) return;
    const isSmall = result !== null && result.chunksBytes === null && result.body.length <= SMALL_RESULT_CHARS;
    queueJob(tx, job.id, isSmall ? 'small' : 'large');
    this.#isQueued = true;
  }

  /** In the transaction that removes a job's result. */
  onRemoved(tx: Tx, jobId: string): void {
    this.#isQueued = true;
    queueRemoval(tx, jobId);
  }

  /** Such a transaction is over. */
  kick(): void {
    if (this.#isQueued) this.#gathering ??= setTimeout(() => this.#workAll(), GATHER_MS);
    this.#isQueued = false;
  }

  #workAll(): void {
    this.#stopGathering();
    if (this.#closing.signal.aborted || this.#rebuilding !== null || this.#retry !== null) return;
    for (const queue of INDEX_QUEUES) this.#workThroughQueue(queue);
  }

  #stopGathering(): void {
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    this.#gathering = null;
  }

  /**
   * Resolves when the index has the small entries of now, at most after a limit: a search finds what was decided before
   * it was asked for. It does not wait while the index cannot be written.
   */
  async whenSmallEntriesIndexed(): Promise<void> {
    const last = lastSmallEntry(this.#deps.storage.db);
    if (last === null) return;
    this.#workAll();
    const limit = AbortSignal.timeout(SETTLED_LIMIT_MS);
    while (this.#draining.small !== null && !limit.aborted) {
      await new Promise<void>((resolve) => {
        const wakeWaiter = () => {
          this.#waiting.delete(wakeWaiter);
          limit.removeEventListener('abort', wakeWaiter);
          resolve();
        };
        this.#waiting.add(wakeWaiter);
        limit.addEventListener('abort', wakeWaiter, { once: true });
      });
      const [next] = nextEntries(this.#deps.storage.db, 'small', 1);
      if (next === undefined || next.seq > last) return;
    }
  }

  /** Reads the index; `missing` where it is being rebuilt, or has to be. */
  read<Result>(work: (db: Db) => Result, missing: Result): Result {
    if (this.#rebuilding !== null) return missing;
    try {
      return work(this.#reader.db);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      this.rebuildIndex(String(error));
      return missing;
    }
  }

  /** Null while the index is being replaced. */
  async topicStep(): Promise<TopicStep | null> {
    if (this.isReplaced) return null;
    await this.#whenAwake();
    return this.#soundOrRebuild(await this.#thread.remoteMethods.topicStep());
  }

  async sampleTerms(accountId: string): Promise<FitTopicsInput> {
    await this.#whenAwake();
    return this.#thread.remoteMethods.sampleTerms(accountId);
  }

  async keepTopics(learned: FitTopicsOutput): Promise<void> {
    if (this.isReplaced) return;
    await this.#whenAwake();
    this.#soundOrRebuild(await this.#thread.remoteMethods.keepTopics(learned));
  }

  #soundOrRebuild<Value>(found: Found<Value>): Value | null {
    if ('value' in found) return found.value;
    this.rebuildIndex(found.damage);
    return null;
  }

  /** While the index is being replaced there are no chunks for vectors. */
  async writeVectors(model: string, vectors: readonly EmbeddedChunk[]): Promise<void> {
    if (this.#rebuilding !== null) return;
    await this.#whenAwake();
    const damage = await this.#thread.remoteMethods.writeVectors(model, vectors);
    if (damage !== null) this.rebuildIndex(damage);
  }

  /** Before each call of the thread. A thread that goes to rest ends first; the call starts another. */
  async #whenAwake(): Promise<void> {
    this.#restLater();
    await this.#resting;
  }

  #restLater(): void {
    if (this.#rest !== null) clearTimeout(this.#rest);
    if (this.#closing.signal.aborted) return;
    this.#rest = setTimeout(() => {
      this.#rest = null;
      if (this.#thread.unansweredCallCount > 0) this.#restLater();
      else {
        this.#resting ??= this.#thread.closePeer().finally(() => {
          this.#resting = null;
        });
      }
    }, this.#deps.threadRestMs ?? THREAD_REST_MS).unref();
  }

  rebuildFigures(): RebuildFigures {
    const done = rebuildProgress(this.#deps.storage.db);
    return { rebuiltPercent: done === null ? null : Math.floor(done * 100) };
  }

  /** Whether a damaged index is being replaced: it can neither be read nor written. */
  get isReplaced(): boolean {
    return this.#rebuilding !== null;
  }

  /** Replaces a damaged index by an empty one, which everything is queued for. */
  rebuildIndex(damage: string): void {
    this.#rebuilding ??= this.#replaceIndex(damage).finally(() => {
      this.#rebuilding = null;
      this.#workAll();
    });
  }

  async closeIndexer(): Promise<void> {
    this.#closing.abort();
    this.#stopGathering();
    if (this.#retry) clearTimeout(this.#retry);
    if (this.#rest !== null) clearTimeout(this.#rest);
    await this.#rebuilding;
    await this.#thread.closePeer();
    await Promise.all(INDEX_QUEUES.map((queue) => this.#draining[queue]));
    await this.#dropping;
    this.#reader.close();
  }

  async #replaceIndex(damage: string): Promise<void> {
    const { indexPath, closeReaders, log } = this.#deps;
    log.error({ cause: damage }, 'The search index is damaged; it is rebuilt.');
    await this.#thread.closePeer();
    await Promise.all(INDEX_QUEUES.map((queue) => this.#draining[queue]));
    await closeReaders();
    this.#reader.close();
    while (!this.#closing.signal.aborted) {
      try {
        removeIndex(indexPath);
        this.#reader = await openIndex(indexPath);
        this.prepareIndexer();
        return;
      } catch (error) {
        log.error({ err: error }, NOT_WRITTEN);
        await delay(RETRY_MS);
      }
    }
  }

  #workThroughQueue(queue: IndexQueue): void {
    if (this.#draining[queue] !== null) return;
    const work = this.#drainIndexQueue(queue)
      .catch((error: unknown) => this.#tryLater(error))
      .finally(() => {
        if (this.#draining[queue] === work) this.#draining[queue] = null;
        this.#wakeWaiters();
      });
    this.#draining[queue] = work;
  }

  #tryLater(error: unknown): void {
    if (this.#closing.signal.aborted || this.#rebuilding !== null) return;
    this.#deps.log.error({ err: error }, NOT_WRITTEN);
    this.#retry ??= setTimeout(() => {
      this.#retry = null;
      this.#workAll();
    }, RETRY_MS);
  }

  async #drainIndexQueue(queue: IndexQueue): Promise<void> {
    const { storage, onIndexed, log } = this.#deps;
    // A kick within a transaction begins after it.
    await null;
    for (;;) {
      if (this.#closing.signal.aborted || this.#rebuilding !== null) return;
      const entries = nextEntries(storage.db, queue, ENTRIES_TOGETHER[queue]);
      if (entries.length === 0) {
        // At once: a kick from now on starts another.
        this.#draining[queue] = null;
        break;
      }
      await this.#whenAwake();
      const { failed, damage } = await this.#thread.remoteMethods.apply(entries);
      for (const { subject, cause } of failed) log.error({ subject, cause }, 'It could not be put into the index.');
      if (damage !== null) {
        this.rebuildIndex(damage);
        return;
      }
      storage.transaction((tx) => deleteQueueEntries(tx, entries));
      this.#wakeWaiters();
      onIndexed();
      // A correction may have waited for a result.
      if (queue === 'background') this.#workThroughQueue('small');
    }
    if (queue === 'background') this.#dropOldTables();
  }

  #wakeWaiters(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Once the new index has what the old tables held. */
  #dropOldTables(): void {
    const { storage, databasePath, log } = this.#deps;
    this.#mayHaveOldTables &&= hasOldTables(storage.db);
    if (!this.#mayHaveOldTables) return;
    this.#dropping ??= dropOldTables(databasePath, this.#closing.signal)
      .catch((error: unknown) => log.error({ err: error }, 'Old tables of the search index could not be dropped.'))
      .finally(() => {
        this.#dropping = null;
      });
  }
}

/** Results of searches and generated texts have none; the thread that indexes parses the others. */
function mayHaveChunks({ body, chunksBytes }: IndexedResult): boolean {
  return chunksBytes !== null || CHUNKS_KEY.test(body);
}

/** Opens the index for reading; makes it where it is missing, and again where it is damaged. */
async function openIndex(path: string): Promise<Reader> {
  try {
    await makeIndex(path);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    removeIndex(path);
    await makeIndex(path);
  }
  return openReader(path);
}

async function makeIndex(path: string): Promise<void> {
  (await openStorage(path, { migrations: INDEX_MIGRATIONS })).close();
}

function removeIndex(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}
