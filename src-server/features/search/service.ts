import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { checkOperationId, type Operation } from '../../operation.ts';
import type { Db, Storage, Tx } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { JobFolders } from '../../platform/files/job-folders.ts';
import type { Logger } from '../../platform/log.ts';
import { reviveTaskError } from '../../platform/rpc/errors.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { Embedder, type EmbeddingFigures } from './embedder.ts';
import { Indexer, IndexWorker } from './indexer.ts';
import { fuse, type SearchLeg, type SearchRequest } from './rank.ts';
import type {
  EmbeddingModel,
  Embeddings,
  SearchAnswer,
  SearchFilter,
  SearchHit,
  SearchMode,
  SearchService,
} from './schema.ts';
import type { ThreadAnswers, ThreadData, ThreadMessage, ThreadQuestion, ThreadReply } from './search-protocol.ts';
import { chunksById, countToIndex, deleteChunksOfContribution, indexingOf, insertChunk, replaceText } from './store.ts';
import { countToEmbed, embedderOf, NO_EMBEDDER, storedForms, type VectorQuery } from './vectors.ts';
import { PUBLIC_ACCOUNT, wordsOf } from './words.ts';

interface SearchRoomDeps {
  storage: Storage;
  /** File of the storage, for the connections of threads. */
  databasePath: string;
  /** The threads of search lie beside the workers: as source files, or their build. */
  workerEntry: URL;
  folders: JobFolders;
  embeddings: Embeddings;
  operations: readonly Operation[];
  log: Logger;
}

/** Everything of search in one environment. */
export interface SearchFeature {
  /** In the transaction that ends a job. */
  onTerminal: Indexer['onTerminal'];
  /** In the transaction that removes a job's result. */
  onRemoved(tx: Tx, jobId: string): void;
  /** There may be something to index, or to embed. */
  kick(): void;
  service: SearchService;
  figures(): Promise<EmbeddingFigures>;
  start(): void;
  close(): Promise<void>;
}

export function openSearch(deps: SearchRoomDeps): SearchFeature {
  const { storage, databasePath, workerEntry, folders, embeddings, operations, log } = deps;
  const embedder = new Embedder({ storage, embeddings, log });
  const onIndexed = () => embedder.kick();
  const index = new IndexWorker({
    databasePath,
    jobsRoot: folders.root,
    entry: threadEntry('index-thread', workerEntry),
    onIndexed,
    log,
  });
  const indexer = new Indexer({ worker: index, onIndexed });
  const client = new SearchClient({ entry: threadEntry('search-thread', workerEntry), databasePath });
  const finder = new Finder({ storage, client, embeddings, onSemantic: () => embedder.kick() });
  return {
    onTerminal: (tx, job, result) => indexer.onTerminal(tx, job, result),
    onRemoved: (tx, jobId) => indexer.onRemoved(tx, jobId),
    kick: () => indexer.kick(),
    service: {
      admit: async (mode, { jobType }) => {
        checkOperationId(operations, 'filter.jobType', jobType);
        await finder.admit(mode);
      },
      find: (accountId, query) => finder.find(accountId, query),
    },
    figures: () => embedder.figures(),
    start: () => {
      indexer.start(storage.db);
      embedder.start();
    },
    close: async () => {
      await index.close();
      await embedder.close();
      await client.close();
    },
  };
}

function threadEntry(name: string, workerEntry: URL): URL {
  return new URL(`../src-server/features/search/${name}${extname(workerEntry.pathname)}`, workerEntry);
}

/** More chunks than these are said to be "more than". */
const COUNTED_MAX = 10_000;

const JOBS_COUNTED_MAX = 100;

/** A text that every model has a vector for. */
const PROBE = 'search';

/** How long a search waits for the query's vector; one by words too has something to answer with. */
const QUESTION_LIMIT_MS = { semantic: 20 * SECOND_MS, hybrid: 5 * SECOND_MS };

const RETRY_AFTER_SECONDS = 5;

interface SearchQuery {
  query: string;
  limit: number;
  mode: SearchMode;
  filter: SearchFilter;
}

interface FinderDeps {
  storage: Storage;
  client: SearchClient;
  embeddings: Embeddings;
  /** Somebody asks by meaning: what has no vector yet should get one. */
  onSemantic(): void;
}

/** Answers searches: makes the query's vector where meaning is asked for, and says why where it takes no part. */
class Finder {
  readonly #deps: FinderDeps;
  /** Key of the model that was seen to work. */
  #proven: string | null = null;

  constructor(deps: FinderDeps) {
    this.#deps = deps;
  }

  /**
   * Before anything is charged. Errors, for a search by meaning alone that cannot be: `model_not_installed`,
   * `engine_unavailable`, `engine_failed`.
   */
  async admit(mode: SearchMode): Promise<void> {
    if (mode !== 'semantic') return;
    const { client, embeddings } = this.#deps;
    const model = await embeddings.current();
    if (model === null) throw noModel();
    if (this.#proven === model.key) return;
    const { bits, bytes } = storedForms(await questionOf(embeddings, model, PROBE, QUESTION_LIMIT_MS.semantic));
    const vector = { embedder: NO_EMBEDDER, bits, bytes };
    await client.search({ accountId: '', query: PROBE, limit: 1, filter: {}, lexical: false, vector });
    this.#proven = model.key;
  }

  /** Errors: `model_not_installed`, `engine_unavailable`, `engine_failed`; with mode `hybrid` they are warnings. */
  async find(accountId: string, query: SearchQuery): Promise<SearchAnswer> {
    const { mode, ...rest } = query;
    const warnings: string[] = [];
    // Before it is searched: what is indexed meanwhile is then warned of in vain, and never left out without a word.
    const waiting = countToIndex(this.#deps.storage.db, accountId, query.filter, JOBS_COUNTED_MAX);
    if (waiting > 0) warnings.push(unindexed(waiting));
    const vector = mode === 'lexical' ? null : await this.#vectorOf(query, mode, warnings);
    const request = { accountId, ...rest, lexical: mode !== 'semantic', vector };
    try {
      return { ...(await this.#deps.client.search(request)), warnings };
    } catch (error) {
      if (vector === null || !(error instanceof QuarryError) || error.code !== 'engine_unavailable') throw error;
      orWarn(mode, error, warnings);
      return { ...(await this.#deps.client.search({ ...request, vector: null })), warnings };
    }
  }

  async #vectorOf(
    { query }: SearchQuery,
    mode: Exclude<SearchMode, 'lexical'>,
    warnings: string[],
  ): Promise<VectorQuery | null> {
    const { storage, embeddings, onSemantic } = this.#deps;
    try {
      const model = await embeddings.current();
      if (model === null) throw noModel();
      onSemantic();
      const { bits, bytes } = storedForms(await questionOf(embeddings, model, query, QUESTION_LIMIT_MS[mode]));
      const embedder = embedderOf(storage.db, model.key);
      const id = embedder?.id ?? NO_EMBEDDER;
      const waiting = countToEmbed(storage.db, id, COUNTED_MAX);
      if (waiting > 0) warnings.push(backlog(waiting));
      return { embedder: id, bits, bytes };
    } catch (error) {
      orWarn(mode, error, warnings);
      return null;
    }
  }
}

/** A model that is being loaded, or is damaged, may take minutes; nobody who searches waits for that. */
async function questionOf(
  embeddings: Embeddings,
  model: EmbeddingModel,
  query: string,
  limitMs: number,
): Promise<readonly number[]> {
  const signal = AbortSignal.timeout(limitMs);
  try {
    return await embeddings.embed(model, query, 'query', signal);
  } catch (error) {
    if (error !== signal.reason) throw error;
    const message = `The embedding model ${model.name} is not ready yet. Search again in a moment.`;
    throw new QuarryError('engine_unavailable', message, { retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
}

/** Whoever asks for meaning alone gets the error; whoever takes words too is told what is missing. */
function orWarn(mode: SearchMode, error: unknown, warnings: string[]): void {
  if (mode === 'semantic' || !(error instanceof QuarryError)) throw error;
  warnings.push(`Meaning took no part. ${error.message}`);
}

function unindexed(jobs: number): string {
  const count = jobs < JOBS_COUNTED_MAX ? String(jobs) : `${JOBS_COUNTED_MAX} or more`;
  const which = jobs === 1 ? 'A job that was just completed is' : `${count} jobs that were just completed are`;
  return `${which} not in the index whole yet; search again in a moment.`;
}

function backlog(chunks: number): string {
  const count = chunks < COUNTED_MAX ? String(chunks) : `${COUNTED_MAX} or more`;
  return `${count} chunks of this appliance are not yet searched by meaning; they are being prepared.`;
}

function noModel(): QuarryError {
  return new QuarryError(
    'model_not_installed',
    'Search by meaning needs an embedding model. Install nomic-embed-text-v1.5 on the Models page, or put a .gguf ' +
      'file whose name says embed into the models folder.',
  );
}

/** How much further a search looks where copies of one page take places in its answer. */
const BEYOND_COPIES = 4;

/** Searches in threads: one for words and one for meaning, which so are looked for at the same time. */
export class SearchClient {
  readonly #workers: Record<SearchLeg, SearchWorker>;

  constructor(deps: SearchWorkerDeps) {
    this.#workers = { lexical: new SearchWorker(deps), semantic: new SearchWorker(deps) };
  }

  /**
   * Finds chunks an account may see, and approved contributions. `legs` are the ways of searching that took part.
   * Errors: `engine_unavailable` where vectors are asked for and cannot be compared here, `rate_limited`,
   * `engine_failed`.
   */
  async search(request: SearchRequest): Promise<Pick<SearchAnswer, 'results' | 'legs'>> {
    const legs: SearchLeg[] = request.lexical ? ['lexical'] : [];
    if (request.vector !== null) legs.push('semantic');
    const { limit } = request;
    const found = await this.#find(request, legs);
    const results = withoutCopies(found);
    if (results.length === found.length || found.length < limit) return { results, legs };
    const more = await this.#find({ ...request, limit: limit * BEYOND_COPIES }, legs);
    return { results: withoutCopies(more).slice(0, limit), legs };
  }

  async #find(request: SearchRequest, legs: readonly SearchLeg[]): Promise<SearchHit[]> {
    const lists = await Promise.all(legs.map((leg) => this.#workers[leg].ask({ kind: 'rank', leg, request })));
    const ranked = fuse(lists, request.limit);
    return this.#workers[legs[0] ?? 'lexical'].ask({ kind: 'show', query: request.query, ranked });
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#workers).map((worker) => worker.close()));
  }
}

/** A page that several crawls have read, with the same text, is one result: the best, and so the newest, of them. */
function withoutCopies(hits: readonly SearchHit[]): SearchHit[] {
  const seen = new Set<string>();
  return hits.filter(({ url, text, kind }) => {
    if (url === null) return true;
    const copy = JSON.stringify([url, kind, text]);
    const isNew = !seen.has(copy);
    seen.add(copy);
    return isNew;
  });
}

/** Questions that may wait for a thread; one takes tens of milliseconds at most. */
const WAITING_MAX = 256;

const BUSY_RETRY_AFTER_SECONDS = 1;

interface Waiting {
  resolve(answer: ThreadAnswers[keyof ThreadAnswers]): void;
  reject(error: Error): void;
}

interface SearchWorkerDeps {
  /** The thread's file: `search-thread`. */
  entry: URL;
  databasePath: string;
}

/** The server's side of one thread that searches. It is started by the first question, and again should it end. */
class SearchWorker {
  readonly #deps: SearchWorkerDeps;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #lastId = 0;

  constructor(deps: SearchWorkerDeps) {
    this.#deps = deps;
  }

  /** Errors: the question's own, `rate_limited` where too many wait, `engine_failed` where the thread ended. */
  ask<Question extends ThreadQuestion>(question: Question): Promise<ThreadAnswers[Question['kind']]> {
    if (this.#waiting.size >= WAITING_MAX) {
      const message = `${WAITING_MAX} searches wait already. Come back in a moment.`;
      return Promise.reject(new QuarryError('rate_limited', message, { retryAfterSeconds: BUSY_RETRY_AFTER_SECONDS }));
    }
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswers[keyof ThreadAnswers]>();
    this.#waiting.set(id, { resolve, reject });
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage({ id, question } satisfies ThreadMessage);
    } catch (error) {
      // The system gives no more threads.
      this.#waiting.delete(id);
      reject(stopped(error));
    }
    // The thread answers a question by its kind.
    return promise as Promise<ThreadAnswers[Question['kind']]>;
  }

  /** Asked rather than ended: ending a thread inside native code takes the whole process down. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage('close' satisfies ThreadMessage);
    await ended;
  }

  #start(): Worker {
    const workerData: ThreadData = { databasePath: this.#deps.databasePath };
    const worker = new Worker(this.#deps.entry, { name: 'search', workerData });
    let cause: unknown;
    worker.on('message', (reply: ThreadReply) => this.#hear(reply));
    worker.once('error', (error) => {
      cause = error;
    });
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
      const error = stopped(cause);
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    });
    return worker;
  }

  #hear(reply: ThreadReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('answer' in reply) waiting?.resolve(reply.answer);
    else waiting?.reject(reviveTaskError(reply.error) ?? reply.error);
  }
}

function stopped(cause: unknown): QuarryError {
  const message = 'The search stopped unexpectedly. Send the request again.';
  return new QuarryError('engine_failed', message, { cause, retryable: true });
}

/** A chunk as the index has it. */
export interface IndexedChunk {
  text: string;
  /** Before a correction; null where there is none. */
  originalText: string | null;
  heading: string | null;
  page: number;
  url: string | null;
  jobType: string;
}

/** Null where the index has no such chunk. */
export function findChunk(db: Db, jobId: string, chunkId: string): IndexedChunk | null {
  const [row] = chunksById(db, jobId, chunkId);
  if (row === undefined) return null;
  const { text, heading, page, url } = row;
  return { text, originalText: row.original_text, heading, page, url, jobType: row.job_type };
}

/** Whether chunks of the job still wait for the index. */
export function isIndexing(tx: Tx, jobId: string): boolean {
  return indexingOf(tx, jobId)?.state === 'waiting';
}

/** The index shows `text` instead of the chunk's own; null restores its own. */
export function correctChunk(tx: Tx, jobId: string, chunkId: string, text: string | null): void {
  for (const row of chunksById(tx, jobId, chunkId)) {
    const original = row.original_text ?? row.text;
    const shown = text ?? original;
    const change = { text: shown, originalText: text === null ? null : original };
    replaceText(tx, row.seq, change, wordsOf({ ...row, text: shown }));
  }
}

interface PublishedContribution {
  id: string;
  kind: string;
  url: string | null;
  author: string | null;
  text: string;
}

/** Every account finds a contribution that is published. It names no job. */
export function publishContribution(tx: Tx, contribution: PublishedContribution): void {
  const row = {
    account_id: PUBLIC_ACCOUNT,
    job_id: null,
    job_type: 'contribution',
    contribution_id: contribution.id,
    chunk_id: contribution.id,
    kind: contribution.kind,
    language: null,
    page: 1,
    heading: null,
    url: contribution.url,
    source_name: contribution.author,
    start_seconds: null,
    text: contribution.text,
    original_text: null,
  };
  insertChunk(tx, row, wordsOf(row));
}

export function withdrawContribution(tx: Tx, contributionId: string): void {
  deleteChunksOfContribution(tx, contributionId);
}
