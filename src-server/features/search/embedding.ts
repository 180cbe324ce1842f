/** Vectors of text: what search asks of whoever holds an embedding model. */

export interface EmbeddingModel {
  name: string;
  /** Tells the model's file from another one that had the same name: vectors of the two cannot be compared. */
  key: string;
}

/** Models are taught to take a question and what answers it differently. */
export type EmbeddingPurpose = 'query' | 'document';

export interface Embeddings {
  /** The model in use; null while none is installed. */
  current(): Promise<EmbeddingModel | null>;
  /**
   * The vector of a text; one that is too long for the model is cut. Questions come before documents.
   * Errors: `engine_failed`, `engine_unavailable` for a model that cannot be loaded, `model_not_installed` where it was
   * removed, `rate_limited` where too many questions wait, and the signal's reason.
   */
  embed(
    model: EmbeddingModel,
    text: string,
    purpose: EmbeddingPurpose,
    signal: AbortSignal,
  ): Promise<readonly number[]>;
}
