import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { EmbeddingModel, Embeddings } from './schema.ts';
import {
  type ChunkToEmbed,
  chunksToEmbed,
  countToEmbed,
  embedderOf,
  insertEmbedder,
  NO_EMBEDDER,
  type StoredVector,
  storedForms,
  writeVector,
} from './vectors.ts';
import { baseLanguage } from './words.ts';

/** Chunks per transaction: what is lost, and made again, when the process dies. */
const BATCH = 8;

/** More are not counted: each look at the figures would read as many rows of the index. */
const WAITING_COUNTED_MAX = 20_000;

/** A model may be installed at any time, and nobody says so. */
const LOOK_EVERY_MS = 30_000;

/** How far the vectors are, for the owner. */
export interface EmbeddingFigures {
  /** Name of the model in use; null while none is installed. */
  model: string | null;
  /** Chunks without a vector of it, counted up to a bound. */
  waitingChunks: number;
}

export interface EmbedderDeps {
  storage: Storage;
  embeddings: Embeddings;
  log: { error(fields: object, message: string): void };
}

/**
 * Gives every chunk its vector, in the background, as long as an embedding model is there. Which chunks have one is
 * written with the vectors, so a process that dies loses a batch, and another model makes them all anew.
 */
export class Embedder {
  readonly #deps: EmbedderDeps;
  #working: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  readonly #closing = new AbortController();

  constructor(deps: EmbedderDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = setInterval(() => this.kick(), LOOK_EVERY_MS).unref();
    this.kick();
  }

  /** There may be something to do. */
  kick(): void {
    if (this.#closing.signal.aborted) return;
    this.#working ??= this.#drain()
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) this.#deps.log.error({ err: error }, 'Vectors of chunks wait.');
      })
      .finally(() => {
        this.#working = null;
      });
  }

  async figures(): Promise<EmbeddingFigures> {
    const { storage, embeddings } = this.#deps;
    const model = await embeddings.current();
    if (model === null) return { model: null, waitingChunks: 0 };
    const known = embedderOf(storage.db, model.key);
    const waitingChunks = countToEmbed(storage.db, known?.id ?? NO_EMBEDDER, WAITING_COUNTED_MAX);
    return { model: model.name, waitingChunks };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#timer) clearInterval(this.#timer);
    await this.#working;
  }

  async #drain(): Promise<void> {
    const { storage, embeddings } = this.#deps;
    for (;;) {
      const model = this.#closing.signal.aborted ? null : await embeddings.current();
      if (model === null) return;
      const known = embedderOf(storage.db, model.key);
      const chunks = chunksToEmbed(storage.db, known?.id ?? NO_EMBEDDER, BATCH);
      if (chunks.length === 0) return;
      await this.#embed(model, known?.id, chunks);
    }
  }

  async #embed(model: EmbeddingModel, known: number | undefined, chunks: readonly ChunkToEmbed[]): Promise<void> {
    const vectors: (StoredVector | null)[] = [];
    for (const chunk of chunks) {
      vectors.push(await this.#vectorOf(model, chunk));
    }
    this.#deps.storage.transaction((tx) => {
      const embedder = known ?? insertEmbedder(tx, model.key);
      for (const [index, chunk] of chunks.entries()) {
        const language = chunk.language === null ? null : baseLanguage(chunk.language);
        writeVector(tx, { ...chunk, language }, embedder, vectors[index] ?? null);
      }
    });
  }

  /**
   * Null for a text that the model has no vector for: it is found by its words, and not tried for ever. A model that
   * stopped on it may have been ended by somebody else, and is asked once more.
   */
  async #vectorOf(model: EmbeddingModel, chunk: ChunkToEmbed, mayAskAgain = true): Promise<StoredVector | null> {
    const { heading, text, seq } = chunk;
    try {
      const whole = heading === null ? text : `${heading}\n${text}`;
      return storedForms(await this.#deps.embeddings.embed(model, whole, 'document', this.#closing.signal));
    } catch (error) {
      if (!(error instanceof QuarryError) || error.code !== 'engine_failed') throw error;
      if (error.retryable && mayAskAgain) return this.#vectorOf(model, chunk, false);
      this.#deps.log.error({ err: error, seq }, 'A chunk got no vector.');
      return null;
    }
  }
}
