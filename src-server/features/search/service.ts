import { extname } from 'node:path';
import { checkOperationId, type Operation } from '../../operation.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { JobFolders } from '../../platform/files/job-folders.ts';
import type { Logger } from '../../platform/log.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { afterMachineTime } from '../../platform/process/work-limit.ts';
import { threadLine } from '../../platform/rpc/lines.ts';
import { OnDemand } from '../../platform/rpc/rpc.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { Answerer, type AnswererDeps } from './ask.ts';
import { Embedder, type EmbeddingFigures } from './embedder.ts';
import type { Found } from './found.ts';
import { Indexer, type RebuildFigures } from './indexer.ts';
import {
  countQueuedJobs,
  isJobQueued,
  type QueuedContribution,
  queueContribution,
  queueCorrection,
  searchedJobs,
  TAGGED_JOBS_MAX,
  taggedJobs,
  visibleJobs,
} from './queue.ts';
import {
  fuseRankings,
  fusionDepth,
  type JobCounts,
  type Ranked,
  type RankedLeg,
  type SearchLeg,
  type SearchRequest,
} from './rank.ts';
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
import type { SearchApi, SearchThreadData } from './search-thread.ts';
import { chunksById, type SearchChunkRow } from './store.ts';
import { TopicLearner } from './topic-learner.ts';
import { VOTERS } from './topic-search.ts';
import { mayNeedTopics, topicsReady } from './topic-store.ts';
import { countToEmbed, embedderOf, NO_EMBEDDER, storedForms } from './vectors.ts';
import { PUBLIC_ACCOUNT } from './words.ts';

interface SearchFeatureDeps extends AnswererDeps {
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
  /** Runs the tasks that learn topics. */
  runTask: RunTask;
  log: Logger;
}

/** What search asks of contributions. */
export interface ShownContributions {
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
  /** Finds the best places in some jobs of an account, with the number of places in each. Errors: as `find`. */
  findAmongJobs(accountId: string, query: SearchQuery, jobIds: readonly string[]): Promise<FoundAmong>;
  answerQuestion: Answerer['answerQuestion'];
  /** Shows contributions too. Call it before `prepare`. */
  show(contributions: ShownContributions): void;
  figures(): Promise<EmbeddingFigures & RebuildFigures>;
  /** Before the first request: queues everything where the index is missing. */
  prepare(): void;
  start(): void;
  close(): Promise<void>;
}

export async function openSearch(deps: SearchFeatureDeps): Promise<SearchFeature> {
  const { storage, indexPath, workerEntry, embeddings, operations, runTask, log } = deps;
  let contributions: ShownContributions = { republish: () => undefined, published: () => new Set() };
  const client = new SearchClient({ entry: threadEntry('search-thread', workerEntry), indexPath });
  const indexer = await Indexer.openIndexer({
    ...deps,
    jobsRoot: deps.folders.root,
    entry: threadEntry('index-thread', workerEntry),
    onIndexed: () => {
      embedder.kickEmbedder();
      learner.noteChangedChunks();
    },
    republish: (tx) => contributions.republish(tx),
    closeReaders: () => client.closeSearchClient(),
  });
  const embedder = new Embedder({ index: indexer, embeddings, log });
  const learner = new TopicLearner({ index: indexer, runTask, log });
  const answerer = new Answerer(deps);
  const publishedContributions = (ids: readonly string[]) => contributions.published(ids);
  const finder = new Finder({
    storage,
    indexer,
    client,
    embeddings,
    published: publishedContributions,
    onTopics: () => learner.followChanges(),
    onSemantic: () => embedder.kickEmbedder(),
  });
  return {
    onTerminal: (tx, job, result) => indexer.onTerminal(tx, job, result),
    onRemoved: (tx, jobId) => indexer.onRemoved(tx, jobId),
    kick: () => indexer.kick(),
    settled: () => indexer.whenSmallEntriesIndexed(),
    findChunk: (jobId, chunkId) => indexer.read((db) => indexedChunk(chunksById(db, jobId, chunkId)[0]), null),
    service: {
      admit: async (mode, { jobType }) => {
        checkOperationId(operations, 'filter.jobType', jobType);
        await finder.admitSearchMode(mode);
      },
      find: async (accountId, query, signal, onCitation = () => undefined) => {
        const found = await finder.findForAccount(accountId, query);
        if (!query.answer) return found;
        const of = answerer.answerQuestion(query.query, found.results, signal, onCitation);
        const { warning, ...answered } = await of;
        return { ...found, ...answered, warnings: [...found.warnings, ...(warning === undefined ? [] : [warning])] };
      },
    },
    findAmongJobs: (...of) => finder.findAmongJobs(...of),
    answerQuestion: (...of) => answerer.answerQuestion(...of),
    show: (shown) => {
      contributions = shown;
    },
    figures: async () => ({ ...(await embedder.embeddingFigures()), ...indexer.rebuildFigures() }),
    prepare: () => indexer.prepareIndexer(),
    start: () => {
      indexer.startIndexer();
      embedder.startEmbedder();
      // An empty index starts no thread.
      if (indexer.read(mayNeedTopics, false)) learner.noteChangedChunks();
    },
    close: async () => {
      await Promise.all([embedder.closeEmbedder(), learner.closeTopicLearner()]);
      await indexer.closeIndexer();
      await client.closeSearchClient();
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
  /** Called for a search by topics: they should follow the index. */
  onTopics(): void;
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
   * Called before payment. Errors, if the installed embedding model cannot be used by a search by meaning alone:
   * `engine_unavailable`, `engine_failed`. Without a model topics are searched.
   */
  async admitSearchMode(mode: SearchMode): Promise<void> {
    if (mode !== 'semantic') return;
    const { embeddings } = this.#deps;
    const model = await embeddings.current();
    if (model === null || this.#proven === model.key) return;
    const { bits, bytes } = storedForms(await questionOf(embeddings, model, PROBE, QUESTION_LIMIT_MS.semantic));
    const vector = { embedder: NO_EMBEDDER, bits, bytes };
    const request = { accountId: '', jobs: { shared: [], removed: [] }, query: PROBE, limit: 1, filter: {} };
    await this.#searchVisibleChunks({ ...request, lexical: false, vector, topics: false });
    this.#proven = model.key;
  }

  /** Errors: `engine_unavailable`, `engine_failed`; with mode `hybrid` they are warnings. */
  async findForAccount(accountId: string, query: SearchQuery): Promise<SearchAnswer> {
    const warnings: Said[] = [];
    const only = this.#taggedOf(accountId, query.filter, warnings);
    const { jobCounts: _, ...found } = await this.#find(accountId, query, only, query.facets ? 'facets' : 'none');
    return { ...found, warnings: [...found.warnings, ...warnings] };
  }

  /** The same among these jobs alone, at most `TAGGED_JOBS_MAX`, with the number of matches in each. */
  async findAmongJobs(accountId: string, query: SearchQuery, jobIds: readonly string[]): Promise<FoundAmong> {
    const { jobCounts = { jobs: [], isComplete: true }, ...found } = await this.#find(
      accountId,
      query,
      { tagged: jobIds },
      'jobs',
      { keepCopies: true },
    );
    return { ...found, jobCounts };
  }

  async #find(
    accountId: string,
    query: SearchQuery,
    only: { tagged?: readonly string[] },
    counts: Counts,
    copies: Pick<SearchRequest, 'keepCopies'> = {},
  ): Promise<SearchAnswer & Pick<FoundChunks, 'jobCounts'>> {
    const { mode, facets: _, answer: __, ...rest } = query;
    const { storage, indexer } = this.#deps;
    await indexer.whenSmallEntriesIndexed();
    // Before the search: what is indexed meanwhile gets a needless warning, and nothing is left out without one.
    const warnings = this.#indexLagWarnings(accountId, query.filter);
    const meant = mode === 'lexical' ? BY_WORDS : await this.#meaningOf(accountId, query, mode, warnings);
    const jobs = { ...searchedJobs(storage.db, accountId), ...only };
    const { meaning, ...legs } = meant;
    const request = { accountId, jobs, ...rest, lexical: mode !== 'semantic', ...legs, ...copies };
    try {
      return { ...(await this.#searchVisibleChunks(request, counts)), meaning, warnings };
    } catch (error) {
      const isByMeaning = request.vector !== null || request.topics === true;
      if (!isByMeaning || !(error instanceof QuarryError) || error.code !== 'engine_unavailable') throw error;
      orWarn(mode, error, warnings);
      return { ...(await this.#searchVisibleChunks({ ...request, ...BY_WORDS }, counts)), meaning: null, warnings };
    }
  }

  #taggedOf(accountId: string, { tags }: SearchFilter, warnings: Said[]): { tagged?: readonly string[] } {
    if (tags === undefined) return {};
    const tagged = taggedJobs(this.#deps.storage.db, accountId, tags, TAGGED_JOBS_MAX + 1);
    if (tagged.length > TAGGED_JOBS_MAX) warnings.push(manyTagged(TAGGED_JOBS_MAX));
    return { tagged: tagged.slice(0, TAGGED_JOBS_MAX) };
  }

  #indexLagWarnings(accountId: string, filter: SearchFilter): Said[] {
    const { storage, indexer } = this.#deps;
    const { rebuiltPercent } = indexer.rebuildFigures();
    if (rebuiltPercent !== null) return [rebuildingWarning(rebuiltPercent)];
    const waiting = countQueuedJobs(storage.db, accountId, filter, JOBS_COUNTED_MAX);
    return waiting > 0 ? [unindexedWarning(waiting)] : [];
  }

  /** The index may lag behind: of what it finds, only what the account may see now is shown. */
  async #searchVisibleChunks(request: SearchRequest, counts: Counts = 'none'): Promise<FoundChunks> {
    const { client, indexer, storage, published } = this.#deps;
    if (indexer.isReplaced) throw indexReplaced();
    const found = await client.searchIndex(request, counts).catch((error: unknown) => {
      if (!(error instanceof DamagedIndexError)) throw error;
      indexer.rebuildIndex(error.damage);
      throw indexReplaced();
    });
    const jobIds = found.results.flatMap(({ jobId }) => jobId ?? []);
    const contributionIds = found.results.flatMap(({ jobId, chunkId }) => (jobId === null ? chunkId : []));
    const jobs = visibleJobs(storage.db, request.accountId, jobIds);
    const contributions = published(contributionIds);
    const isShown = ({ jobId, chunkId }: SearchHit) => (jobId === null ? contributions.has(chunkId) : jobs.has(jobId));
    return { ...found, results: found.results.filter(isShown) };
  }

  /** How the search finds by meaning: with the installed model, and by the topics of the account. */
  async #meaningOf(
    accountId: string,
    { query }: SearchQuery,
    mode: Exclude<SearchMode, 'lexical'>,
    warnings: Said[],
  ): Promise<ByMeaning> {
    const { indexer, embeddings, onTopics, onSemantic } = this.#deps;
    onTopics();
    const { isLearned, waiting } = indexer.read((db) => topicsReady(db, [accountId, PUBLIC_ACCOUNT], COUNTED_MAX), {
      isLearned: false,
      waiting: 0,
    });
    const topics = isLearned ? { vector: null, topics: true, meaning: 'lsi' } : BY_WORDS;
    try {
      const model = await embeddings.current();
      if (model === null) {
        if (waiting > 0) warnings.push(backlogWarning(waiting));
        return topics;
      }
      onSemantic();
      const { bits, bytes } = storedForms(await questionOf(embeddings, model, query, QUESTION_LIMIT_MS[mode]));
      const id = indexer.read((db) => embedderOf(db, model.key)?.id ?? NO_EMBEDDER, NO_EMBEDDER);
      const toEmbed = indexer.read((db) => countToEmbed(db, id, COUNTED_MAX), 0);
      if (toEmbed > 0) warnings.push(backlogWarning(toEmbed));
      return {
        vector: { embedder: id, bits, bytes },
        topics: isLearned && mode === 'hybrid',
        meaning: model.name,
      };
    } catch (error) {
      orWarn(mode, error, warnings);
      return topics;
    }
  }
}

/** The part of a request that searches by meaning. */
type ByMeaning = Pick<SearchRequest, 'vector' | 'topics'> & Pick<SearchAnswer, 'meaning'>;

const BY_WORDS: ByMeaning = { vector: null, topics: false, meaning: null };

/** Loading a model may take minutes; a search does not wait for that. */
async function questionOf(
  embeddings: Embeddings,
  model: EmbeddingModel,
  query: string,
  limitMs: number,
): Promise<readonly number[]> {
  const limit = new AbortController();
  const stopLimit = afterMachineTime(limitMs, () => limit.abort());
  try {
    return await embeddings.embedForPurpose(model, query, 'query', limit.signal);
  } catch (error) {
    if (error !== limit.signal.reason) throw error;
    const message = say`The embedding model ${model.name} is not ready yet. Search again in a moment.`;
    throw new QuarryError('engine_unavailable', message, { retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS });
  } finally {
    stopLimit();
  }
}

/** Throws the error for a search by meaning alone; adds a warning to a hybrid one. */
function orWarn(mode: SearchMode, error: unknown, warnings: Said[]): void {
  if (mode === 'semantic' || !(error instanceof QuarryError)) throw error;
  warnings.push(say`The embedding model was not used. ${error.message}`);
}

function indexReplaced(): QuarryError {
  return new QuarryError(
    'engine_unavailable',
    say`The search index was damaged and is rebuilt. Search again in a moment.`,
    {
      retryable: true,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );
}

function rebuildingWarning(percent: number): Said {
  return say`The search index is being rebuilt (${percent} %): results are incomplete until then.`;
}

function unindexedWarning(jobs: number): Said {
  const count = jobs < JOBS_COUNTED_MAX ? String(jobs) : say`${JOBS_COUNTED_MAX} or more`;
  return jobs === 1
    ? say`A job that was just completed is not in the index whole yet; search again in a moment.`
    : say`${count} jobs that were just completed are not in the index whole yet; search again in a moment.`;
}

function manyTagged(jobs: number): Said {
  return say`More than ${jobs} jobs have these tags; the newest ${jobs} were searched.`;
}

function backlogWarning(chunks: number): Said {
  const count = chunks < COUNTED_MAX ? String(chunks) : say`${COUNTED_MAX} or more`;
  return chunks === 1
    ? say`1 passage is still being prepared for search by meaning. Words find all already.`
    : say`${count} passages are still being prepared for search by meaning. Words find all already.`;
}

type FoundChunks = Pick<SearchAnswer, 'results' | 'corrected' | 'legs' | 'facets'> & { jobCounts?: JobCounts };

export type FoundAmong = SearchAnswer & { jobCounts: JobCounts };

/** What is counted beside the best results. */
type Counts = 'none' | 'facets' | 'jobs';

/** Two legs may find a text at two of its places: so many times as many results are read. */
const FOLDED_BEYOND = 2;

/** Searches in three threads, one for each leg, so that they work at the same time. */
export class SearchClient {
  readonly #threads: Record<SearchLeg, OnDemand<SearchApi>>;

  constructor({ entry, indexPath }: SearchClientDeps) {
    const workerData: SearchThreadData = { indexPath };
    const openSearchThread = () =>
      new OnDemand<SearchApi>(threadLine(entry, { name: 'search', workerData }), { ended: searchStopped });
    this.#threads = { lexical: openSearchThread(), semantic: openSearchThread(), topics: openSearchThread() };
  }

  /**
   * Finds chunks of an account, and approved contributions. `legs` are the ways of searching that took part.
   * Errors: `engine_unavailable` where vectors are asked for and cannot be compared here, `rate_limited`,
   * `engine_failed`, and DamagedIndexError.
   */
  async searchIndex(given: SearchRequest, counts: Counts = 'none'): Promise<FoundChunks> {
    const legs = legsOf(given);
    const { offset = 0 } = given;
    const limit = given.limit + offset;
    const understood = given.lexical
      ? requireSound(await this.#threadWithRoom('lexical').remoteMethods.understand(given))
      : null;
    const { query, corrected } = understood ?? { query: given.query, corrected: [] };
    const request = { ...given, query, limit };
    const ranked = await this.#rankAllLegs({ ...request, limit: limit * FOLDED_BEYOND }, legs);
    const found = await this.#showRankedHits(request, legs, ranked);
    const results = given.keepCopies === true ? found : withoutCopies(found);
    const counted = await this.#countRanked(counts, request, legs, ranked);
    return { results: results.slice(offset, limit), corrected, legs, ...counted };
  }

  /** The next search starts other threads. */
  async closeSearchClient(): Promise<void> {
    await Promise.all(Object.values(this.#threads).map((thread) => thread.closePeer()));
  }

  /** The best of all legs together. Words come first: they say which topics to ask. */
  async #rankAllLegs(request: SearchRequest, legs: readonly SearchLeg[]): Promise<Ranked[]> {
    const depth = fusionDepth(request);
    const fuseToDepth = (found: readonly RankedLeg[], limit = request.limit) =>
      fuseRankings(
        found.map(({ seqs, weight }) => ({ seqs: seqs.slice(0, depth), weight })),
        limit,
      );
    const rankLeg = async (leg: 'lexical' | 'semantic') =>
      requireSound(await this.#threadWithRoom(leg).remoteMethods.rank(leg, request));
    const [words, vectors] = await Promise.all([
      legs.includes('lexical') ? rankLeg('lexical') : null,
      legs.includes('semantic') ? rankLeg('semantic') : null,
    ]);
    const found = [words, vectors].flatMap((seqs): RankedLeg[] => (seqs === null ? [] : [{ seqs, weight: 1 }]));
    if (!legs.includes('topics')) return fuseToDepth(found);
    const voters = await this.#votersOf(request, words);
    const { remoteMethods } = this.#threadWithRoom('topics');
    const candidates = requireSound(await remoteMethods.rankByTopics(request, voters));
    const nearest = { seqs: candidates, weight: 1 };
    if (found.length === 0) return fuseToDepth([nearest]);
    const first = fuseToDepth([...found, nearest]).map(([seq]) => seq);
    const refined = requireSound(await remoteMethods.refine(request, candidates, { first, voters }));
    const fused = fuseToDepth([...found, refined], Number.POSITIVE_INFINITY);
    return requireSound(await remoteMethods.rankWithDocuments(fused, request.limit));
  }

  /** The best chunks by words, whether or not they are results; without the filter if it leaves none. */
  async #votersOf(request: SearchRequest, words: readonly number[] | null): Promise<readonly number[]> {
    if (words !== null && words.length > 0) return words;
    const { remoteMethods } = this.#threadWithRoom('lexical');
    const asked = { ...request, limit: VOTERS, lexical: true, vector: null, topics: false };
    const within = words ?? requireSound(await remoteMethods.rank('lexical', asked));
    return within.length > 0 ? within : requireSound(await remoteMethods.rank('lexical', { ...asked, filter: {} }));
  }

  async #showRankedHits({ query }: SearchRequest, [leg = 'lexical']: readonly SearchLeg[], ranked: readonly Ranked[]) {
    return requireSound(await this.#threadWithRoom(leg).remoteMethods.show(query, ranked));
  }

  async #countRanked(
    counts: Counts,
    request: SearchRequest,
    [leg = 'lexical']: readonly SearchLeg[],
    ranked: readonly Ranked[],
  ): Promise<Pick<FoundChunks, 'facets' | 'jobCounts'>> {
    const seqs = ranked.map(([seq]) => seq);
    if (counts === 'none') return {};
    const { remoteMethods } = this.#threadWithRoom(leg);
    if (counts === 'jobs') return { jobCounts: requireSound(await remoteMethods.jobCounts(request, seqs)) };
    return { facets: requireSound(await remoteMethods.facets(request, seqs)) };
  }

  #threadWithRoom(leg: SearchLeg): OnDemand<SearchApi> {
    const thread = this.#threads[leg];
    if (thread.unansweredCallCount < WAITING_MAX) return thread;
    const message = `${WAITING_MAX} searches are waiting. Retry in a moment.`;
    throw new QuarryError('rate_limited', message, { retryAfterSeconds: BUSY_RETRY_AFTER_SECONDS });
  }
}

function legsOf({ lexical, vector, topics }: SearchRequest): SearchLeg[] {
  return [
    ...(lexical ? (['lexical'] as const) : []),
    ...(vector === null ? [] : (['semantic'] as const)),
    ...(topics === true ? (['topics'] as const) : []),
  ];
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

function requireSound<Value>(found: Found<Value>): Value {
  if ('damage' in found) throw new DamagedIndexError(found.damage);
  return found.value;
}

/** A text that several places have is one result: the best, which is the newest. */
function withoutCopies(hits: readonly SearchHit[]): SearchHit[] {
  const seen = new Set<string>();
  return hits.filter(({ text, kind }) => {
    const copy = `${kind} ${text.trim().replace(/\s+/g, ' ')}`;
    const isNew = !seen.has(copy);
    seen.add(copy);
    return isNew;
  });
}

/** Bound on the calls that wait for a thread; each takes tens of milliseconds at most. */
const WAITING_MAX = 256;

const BUSY_RETRY_AFTER_SECONDS = 1;

function searchStopped(cause: unknown): QuarryError {
  const message = say`The search stopped unexpectedly. Send the request again.`;
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
