import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { EmbeddingModel, Embeddings } from './embedding.ts';
import type { SearchAnswer, SearchFilter, SearchMode } from './schema.ts';
import type { SearchClient } from './search-client.ts';
import { storedForms } from './search-vectors.ts';
import { countToIndex } from './store.ts';
import { countToEmbed, embedderOf, NO_EMBEDDER, type VectorQuery } from './vectors.ts';

/** More chunks than these are said to be "more than". */
const COUNTED_MAX = 10_000;
const JOBS_COUNTED_MAX = 100;
/** A text that every model has a vector for. */
const PROBE = 'search';
/** How long a search waits for the query's vector; one by words too has something to answer with. */
const QUESTION_LIMIT_MS = { semantic: 20 * SECOND_MS, hybrid: 5 * SECOND_MS };
const RETRY_AFTER_SECONDS = 5;

export interface SearchQuery {
  query: string;
  limit: number;
  mode: SearchMode;
  filter: SearchFilter;
}

export interface FinderParts {
  storage: Storage;
  client: SearchClient;
  embeddings: Embeddings;
  /** Somebody asks by meaning: what has no vector yet should get one. */
  onSemantic(): void;
}

/** Answers searches: makes the query's vector where meaning is asked for, and says why where it takes no part. */
export class Finder {
  readonly #parts: FinderParts;
  /** Key of the model that was seen to work. */
  #proven: string | null = null;

  constructor(parts: FinderParts) {
    this.#parts = parts;
  }

  /**
   * Before anything is charged. Errors, for a search by meaning alone that cannot be: `model_not_installed`,
   * `engine_unavailable`, `engine_failed`.
   */
  async admit(mode: SearchMode): Promise<void> {
    if (mode !== 'semantic') return;
    const { client, embeddings } = this.#parts;
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
    const waiting = await countToIndex(this.#parts.storage.db, accountId, query.filter, JOBS_COUNTED_MAX);
    if (waiting > 0) warnings.push(unindexed(waiting));
    const vector = mode === 'lexical' ? null : await this.#vectorOf(query, mode, warnings);
    const request = { accountId, ...rest, lexical: mode !== 'semantic', vector };
    try {
      return { ...(await this.#parts.client.search(request)), warnings };
    } catch (error) {
      if (vector === null || !(error instanceof QuarryError) || error.code !== 'engine_unavailable') throw error;
      orWarn(mode, error, warnings);
      return { ...(await this.#parts.client.search({ ...request, vector: null })), warnings };
    }
  }

  async #vectorOf(
    { query }: SearchQuery,
    mode: Exclude<SearchMode, 'lexical'>,
    warnings: string[],
  ): Promise<VectorQuery | null> {
    const { storage, embeddings, onSemantic } = this.#parts;
    try {
      const model = await embeddings.current();
      if (model === null) throw noModel();
      onSemantic();
      const { bits, bytes } = storedForms(await questionOf(embeddings, model, query, QUESTION_LIMIT_MS[mode]));
      const embedder = await embedderOf(storage.db, model.key);
      const id = embedder?.id ?? NO_EMBEDDER;
      const waiting = await countToEmbed(storage.db, id, COUNTED_MAX);
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
