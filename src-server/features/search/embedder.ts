import type { Db } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { EmbeddedChunk } from './index-writer.ts';
import type { EmbeddingModel, Embeddings } from './schema.ts';
import {
  type ChunkToEmbed,
  chunksToEmbed,
  countToEmbed,
  embedderOf,
  NO_EMBEDDER,
  type StoredVector,
  storedForms,
} from './vectors.ts';

/** Chunks per transaction. A process that dies loses at most these. */
const BATCH = 8;

/** Bound on the count, because it reads as many rows of the index. */
const WAITING_COUNTED_MAX = 20_000;

/** A model may be installed at any time. */
const LOOK_EVERY_MS = 30_000;

/** Progress of the vectors, for the owner. */
export interface EmbeddingFigures {
  /** Name of the model in use; null while none is installed. */
  model: string | null;
  /** Chunks without a vector of this model, counted up to a bound. */
  waitingChunks: number;
}

interface EmbedderDeps {
  index: {
    /** Returns `missing` while there is no index. */
    read<Result>(work: (db: Db) => Result, missing: Result): Result;
    writeVectors(model: string, vectors: readonly EmbeddedChunk[]): Promise<void>;
  };
  embeddings: Embeddings;
  log: { error(fields: object, message: string): void };
}

/**
 * Computes the vector of every chunk in the background while an embedding model is installed. One transaction stores
 * the vector and sets its model in the chunk: a process that dies loses one batch, and a new model replaces all
 * vectors.
 */
export class Embedder {
  readonly #deps: EmbedderDeps;
  #working: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  readonly #closing = new AbortController();

  constructor(deps: EmbedderDeps) {
    this.#deps = deps;
  }

  startEmbedder(): void {
    this.#timer = setInterval(() => this.kickEmbedder(), LOOK_EVERY_MS).unref();
    this.kickEmbedder();
  }

  /** Starts if there is work. */
  kickEmbedder(): void {
    if (this.#closing.signal.aborted) return;
    this.#working ??= this.#drainUnembedded()
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) this.#deps.log.error({ err: error }, 'Vectors of chunks wait.');
      })
      .finally(() => {
        this.#working = null;
      });
  }

  async embeddingFigures(): Promise<EmbeddingFigures> {
    const { index, embeddings } = this.#deps;
    const model = await embeddings.current();
    if (model === null) return { model: null, waitingChunks: 0 };
    const waitingChunks = index.read((db) => countToEmbed(db, embedderNumber(db, model), WAITING_COUNTED_MAX), 0);
    return { model: model.name, waitingChunks };
  }

  async closeEmbedder(): Promise<void> {
    this.#closing.abort();
    if (this.#timer) clearInterval(this.#timer);
    await this.#working;
  }

  async #drainUnembedded(): Promise<void> {
    const { index, embeddings } = this.#deps;
    for (;;) {
      const model = this.#closing.signal.aborted ? null : await embeddings.current();
      if (model === null) return;
      const chunks = index.read((db) => chunksToEmbed(db, embedderNumber(db, model), BATCH), []);
      if (chunks.length === 0) return;
      const vectors: EmbeddedChunk[] = [];
      for (const chunk of chunks) {
        vectors.push({ chunk, vector: await this.#vectorOf(model, chunk) });
      }
      await index.writeVectors(model.key, vectors);
    }
  }

  /**
   * Null for a text without a vector: it is found by its words and not tried again. If the model's process ended, which
   * may have another cause, the text is tried once more.
   */
  async #vectorOf(model: EmbeddingModel, chunk: ChunkToEmbed, mayAskAgain = true): Promise<StoredVector | null> {
    const { heading, text, seq } = chunk;
    try {
      const whole = heading === null ? text : `${heading}\n${text}`;
      return storedForms(await this.#deps.embeddings.embedForPurpose(model, whole, 'document', this.#closing.signal));
    } catch (error) {
      if (!(error instanceof QuarryError) || error.code !== 'engine_failed') throw error;
      if (error.retryable && mayAskAgain) return this.#vectorOf(model, chunk, false);
      this.#deps.log.error({ err: error, seq }, 'A chunk got no vector.');
      return null;
    }
  }
}

function embedderNumber(db: Db, model: EmbeddingModel): number {
  return embedderOf(db, model.key)?.id ?? NO_EMBEDDER;
}
