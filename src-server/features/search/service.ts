import { extname } from 'node:path';
import { checkOperationId, type Operation } from '../../operation.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { JobFolders } from '../../platform/files/job-folders.ts';
import type { Logger } from '../../platform/log.ts';
import { threadLine } from '../../platform/rpc/lines.ts';
import { OnDemand } from '../../platform/rpc/rpc.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { Embedder, type EmbeddingFigures } from './embedder.ts';
import { Indexer, type RebuildFigures } from './indexer.ts';
import {
  countQueuedJobs,
  isJobQueued,
  type QueuedContribution,
  queueContribution,
  queueCorrection,
  searchedJobs,
  visibleJobs,
} from './queue.ts';
import { fuse, type Ranked, type SearchLeg, type SearchRequest } from './rank.ts';
import type {
  EmbeddingModel,
  Embeddings,
  SearchAnswer,
  SearchFilter,
  SearchHit,
  SearchMode,
  SearchQuery,
  SearchService,
} from './schema.ts';
import type { Found, SearchApi, SearchThreadData } from './search-thread.ts';
import { chunksById, type SearchChunkRow } from './store.ts';
import { countToEmbed, embedderOf, NO_EMBEDDER, storedForms, type VectorQuery } from './vectors.ts';

interface SearchFeatureDeps {
  storage: Storage;
  /** File of the storage, for the thread that reads results. */
  databasePath: string;
  /** File of the search index. */
  indexPath: string;
  /** The threads of search lie beside the workers: as source files, or their build. */
  workerEntry: URL;
  folders: JobFolders;
  embeddings: Embeddings;
  operations: readonly Operation[];
  /** A function, because contributions call search to correct and publish. */
  contributions(): ShownContributions;
  log: Logger;
}

interface ShownContributions {
  /** Calls `publishContribution` and `correctChunk` for all approved contributions, because the index is empty. */
  republish(tx: Tx): void;
  /** Those that are shown to every account. */
  published(ids: readonly string[]): ReadonlySet<string>;
}

/** Search in one environment. */
export interface SearchFeature {
  /** In the transaction that ends a job. */
  onTerminal: Indexer['onTerminal'];
  /** In the transaction that removes a job's result. */
  onRemoved(tx: Tx, jobId: string): void;
  /** Called after such a transaction, or one that corrects or publishes. */
  kick(): void;
  /** Resolves when searches find what was decided before, at most after some seconds. */
  settled(): Promise<void>;
  /** Null where the index has no such chunk. */
  findChunk(jobId: string, chunkId: string): IndexedChunk | null;
  service: SearchService;
  figures(): Promise<EmbeddingFigures & RebuildFigures>;
  /** Before the first request: queues everything where the index is missing. */
  prepare(): void;
  start(): void;
  close(): Promise<void>;
}

export async function openSearch(deps: SearchFeatureDeps): Promise<SearchFeature> {
  const { storage, indexPath, workerEntry, embeddings, operations, contributions, log } = deps;
  const client = new SearchClient({ entry: threadEntry('search-thread', workerEntry), indexPath });
  const indexer = await Indexer.open({
    ...deps,
    jobsRoot: deps.folders.root,
    entry: threadEntry('index-thread', workerEntry),
    onIndexed: () => embedder.kick(),
    republish: (tx) => contributions().republish(tx),
    closeReaders: () => client.close(),
  });
  const embedder = new Embedder({ index: indexer, embeddings, log });
  const published = (ids: readonly string[]) => contributions().published(ids);
  const finder = new Finder({ storage, indexer, client, embeddings, published, onSemantic: () => embedder.kick() });
  return {
    onTerminal: (tx, job, result) => indexer.onTerminal(tx, job, result),
    onRemoved: (tx, jobId) => indexer.onRemoved(tx, jobId),
    kick: () => indexer.kick(),
    settled: () => indexer.settled(),
    findChunk: (jobId, chunkId) => indexer.read((db) => indexedChunk(chunksById(db, jobId, chunkId)[0]), null),
    service: {
      admit: async (mode, { jobType }) => {
        checkOperationId(operations, 'filter.jobType', jobType);
        await finder.admit(mode);
      },
      find: (accountId, query) => finder.find(accountId, query),
    },
    figures: async () => ({ ...(await embedder.figures()), ...indexer.figures() }),
    prepare: () => indexer.prepare(),
    start: () => {
      indexer.start();
      embedder.start();
    },
    close: async () => {
      await embedder.close();
      await indexer.close();
      await client.close();
    },
  };
}

function threadEntry(name: string, workerEntry: URL): URL {
  return new URL(`../src-server/features/search/${name}${extname(workerEntry.pathname)}`, workerEntry);
}

/** Above this count, messages say "or more". */
const COUNTED_MAX = 10_000;

const JOBS_COUNTED_MAX = 100;

/** A text for which every model has a vector. */
const PROBE = 'search';

/** How long a search waits for the query's vector. A hybrid search can answer by words alone. */
const QUESTION_LIMIT_MS = { semantic: 20 * SECOND_MS, hybrid: 5 * SECOND_MS };

const RETRY_AFTER_SECONDS = 5;

interface FinderDeps {
  /** The main database, which decides what an account may see. */
  storage: Storage;
  indexer: Indexer;
  client: SearchClient;
  embeddings: Embeddings;
  published: ShownContributions['published'];
  /** Called for a search by meaning: chunks without a vector should get one. */
  onSemantic(): void;
}

/** Answers searches. Computes the query's vector for a search by meaning; a warning states why meaning was not used. */
class Finder {
  readonly #deps: FinderDeps;
  /** Key of the model that has worked. */
  #proven: string | null = null;

  constructor(deps: FinderDeps) {
    this.#deps = deps;
  }

  /**
   * Called before payment. Errors, if a search by meaning alone is not possible: `model_not_installed`,
   * `engine_unavailable`, `engine_failed`.
   */
  async admit(mode: SearchMode): Promise<void> {
    if (mode !== 'semantic') return;
    const { embeddings } = this.#deps;
    const model = await embeddings.current();
    if (model === null) throw noModel();
    if (this.#proven === model.key) return;
    const { bits, bytes } = storedForms(await questionOf(embeddings, model, PROBE, QUESTION_LIMIT_MS.semantic));
    const vector = { embedder: NO_EMBEDDER, bits, bytes };
    const jobs = { shared: [], removed: [] };
    await this.#search({ accountId: '', jobs, query: PROBE, limit: 1, filter: {}, lexical: false, vector });
    this.#proven = model.key;
  }

  /** Errors: `model_not_installed`, `engine_unavailable`, `engine_failed`; with mode `hybrid` they are warnings. */
  async find(accountId: string, query: SearchQuery): Promise<SearchAnswer> {
    const { mode, ...rest } = query;
    const { storage, indexer } = this.#deps;
    await indexer.settled();
    // Before the search: what is indexed meanwhile gets a needless warning, and nothing is left out without one.
    const warnings = this.#warningsOf(accountId, query.filter);
    const vector = mode === 'lexical' ? null : await this.#vectorOf(query, mode, warnings);
    const jobs = searchedJobs(storage.db, accountId);
    const request = { accountId, jobs, ...rest, lexical: mode !== 'semantic', vector };
    try {
      return { ...(await this.#search(request)), warnings };
    } catch (error) {
      if (vector === null || !(error instanceof QuarryError) || error.code !== 'engine_unavailable') throw error;
      orWarn(mode, error, warnings);
      return { ...(await this.#search({ ...request, vector: null })), warnings };
    }
  }

  #warningsOf(accountId: string, filter: SearchFilter): string[] {
    const { storage, indexer } = this.#deps;
    const { rebuiltPercent } = indexer.figures();
    if (rebuiltPercent !== null) return [rebuilding(rebuiltPercent)];
    const waiting = countQueuedJobs(storage.db, accountId, filter, JOBS_COUNTED_MAX);
    return waiting > 0 ? [unindexed(waiting)] : [];
  }

  /** The index may lag behind: of what it finds, only what the account may see now is shown. */
  async #search(request: SearchRequest): Promise<FoundChunks> {
    const { client, indexer, storage, published } = this.#deps;
    if (indexer.isReplaced) throw indexReplaced();
    const found = await client.search(request).catch((error: unknown) => {
      if (!(error instanceof DamagedIndexError)) throw error;
      indexer.rebuild(error.damage);
      throw indexReplaced();
    });
    const jobIds = found.results.flatMap(({ jobId }) => jobId ?? []);
    const contributionIds = found.results.flatMap(({ jobId, chunkId }) => (jobId === null ? chunkId : []));
    const jobs = visibleJobs(storage.db, request.accountId, jobIds);
    const contributions = published(contributionIds);
    const isShown = ({ jobId, chunkId }: SearchHit) => (jobId === null ? contributions.has(chunkId) : jobs.has(jobId));
    return { ...found, results: found.results.filter(isShown) };
  }

  async #vectorOf(
    { query }: SearchQuery,
    mode: Exclude<SearchMode, 'lexical'>,
    warnings: string[],
  ): Promise<VectorQuery | null> {
    const { indexer, embeddings, onSemantic } = this.#deps;
    try {
      const model = await embeddings.current();
      if (model === null) throw noModel();
      onSemantic();
      const { bits, bytes } = storedForms(await questionOf(embeddings, model, query, QUESTION_LIMIT_MS[mode]));
      const id = indexer.read((db) => embedderOf(db, model.key)?.id ?? NO_EMBEDDER, NO_EMBEDDER);
      const waiting = indexer.read((db) => countToEmbed(db, id, COUNTED_MAX), 0);
      if (waiting > 0) warnings.push(backlog(waiting));
      return { embedder: id, bits, bytes };
    } catch (error) {
      orWarn(mode, error, warnings);
      return null;
    }
  }
}

/** Loading a model may take minutes; a search does not wait for that. */
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

/** Throws the error for a search by meaning alone; adds a warning to a hybrid one. */
function orWarn(mode: SearchMode, error: unknown, warnings: string[]): void {
  if (mode === 'semantic' || !(error instanceof QuarryError)) throw error;
  warnings.push(`Meaning was not used. ${error.message}`);
}

function indexReplaced(): QuarryError {
  return new QuarryError(
    'engine_unavailable',
    'The search index was damaged and is rebuilt. Search again in a moment.',
    {
      retryable: true,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );
}

function rebuilding(percent: number): string {
  return `The search index is being rebuilt (${percent} %): results are incomplete until then.`;
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
    { missing: { need: 'embedding', language: null } },
  );
}

type FoundChunks = Pick<SearchAnswer, 'results' | 'corrected' | 'legs'>;

/** Factor by which a search is repeated when copies of one page fill its answer. */
const BEYOND_COPIES = 4;

/** Searches in two threads, one for words and one for meaning, so that both work at the same time. */
export class SearchClient {
  readonly #threads: Record<SearchLeg, OnDemand<SearchApi>>;

  constructor({ entry, indexPath }: SearchClientDeps) {
    const workerData: SearchThreadData = { indexPath };
    const thread = () => new OnDemand<SearchApi>(threadLine(entry, { name: 'search', workerData }), { ended: stopped });
    this.#threads = { lexical: thread(), semantic: thread() };
  }

  /**
   * Finds chunks of an account, and approved contributions. `legs` are the ways of searching that took part.
   * Errors: `engine_unavailable` where vectors are asked for and cannot be compared here, `rate_limited`,
   * `engine_failed`, and DamagedIndexError.
   */
  async search(given: SearchRequest): Promise<FoundChunks> {
    const legs: SearchLeg[] = given.lexical ? ['lexical'] : [];
    if (given.vector !== null) legs.push('semantic');
    const { offset = 0 } = given;
    const limit = given.limit + offset;
    const understood = given.lexical ? sound(await this.#free('lexical').remote.understand(given)) : null;
    const { query, corrected } = understood ?? { query: given.query, corrected: [] };
    const request = { ...given, query, limit };
    const found = await this.#find(request, legs);
    const results = withoutCopies(found);
    if (results.length === found.length || found.length < limit) {
      return { results: results.slice(offset), corrected, legs };
    }
    const more = await this.#find({ ...request, limit: limit * BEYOND_COPIES }, legs);
    return { results: withoutCopies(more).slice(offset, limit), corrected, legs };
  }

  /** The next search starts other threads. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.#threads).map((thread) => thread.close()));
  }

  async #find(request: SearchRequest, legs: readonly SearchLeg[]): Promise<SearchHit[]> {
    const lists = await Promise.all(legs.map((leg) => this.#rank(leg, request)));
    return this.#show(legs[0] ?? 'lexical', request.query, fuse(lists, request.limit));
  }

  async #rank(leg: SearchLeg, request: SearchRequest): Promise<number[]> {
    return sound(await this.#free(leg).remote.rank(leg, request));
  }

  async #show(leg: SearchLeg, query: string, ranked: readonly Ranked[]): Promise<SearchHit[]> {
    return sound(await this.#free(leg).remote.show(query, ranked));
  }

  #free(leg: SearchLeg): OnDemand<SearchApi> {
    const thread = this.#threads[leg];
    if (thread.open < WAITING_MAX) return thread;
    const message = `${WAITING_MAX} searches are waiting. Retry in a moment.`;
    throw new QuarryError('rate_limited', message, { retryAfterSeconds: BUSY_RETRY_AFTER_SECONDS });
  }
}

interface SearchClientDeps {
  /** The threads' file: `search-thread`. */
  entry: URL;
  indexPath: string;
}

/** The index must be rebuilt. */
class DamagedIndexError extends Error {
  readonly damage: string;

  constructor(damage: string) {
    super('The search index is damaged.');
    this.damage = damage;
  }
}

function sound<Value>(found: Found<Value>): Value {
  if ('damage' in found) throw new DamagedIndexError(found.damage);
  return found.value;
}

/** A page that several crawls have read with the same text is one result: the best, which is the newest. */
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

/** Bound on the calls that wait for a thread; each takes tens of milliseconds at most. */
const WAITING_MAX = 256;

const BUSY_RETRY_AFTER_SECONDS = 1;

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
  /** In a recording; null elsewhere. */
  startSeconds: number | null;
  sourceName: string | null;
  url: string | null;
  jobType: string;
}

function indexedChunk(row: SearchChunkRow | undefined): IndexedChunk | null {
  if (row === undefined) return null;
  const { text, heading, page, url } = row;
  const { start_seconds: startSeconds, source_name: sourceName } = row;
  return { text, originalText: row.original_text, heading, page, startSeconds, sourceName, url, jobType: row.job_type };
}

/** Whether the index does not have the job's result yet. */
export function isIndexing(tx: Tx, jobId: string): boolean {
  return isJobQueued(tx, jobId);
}

/** Replaces the text of a chunk in the index; null restores the original. */
export function correctChunk(tx: Tx, jobId: string, chunkId: string, text: string | null): void {
  queueCorrection(tx, jobId, { chunkId, text });
}

/** Makes a contribution visible to every account, without a job. */
export function publishContribution(tx: Tx, { id, kind, url, author, text }: QueuedContribution): void {
  queueContribution(tx, id, { id, kind, url, author, text });
}

export function withdrawContribution(tx: Tx, contributionId: string): void {
  queueContribution(tx, contributionId, null);
}
