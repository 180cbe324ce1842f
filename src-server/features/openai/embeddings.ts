/** OpenAI's embeddings, by the embedding model that also prepares searches by meaning. */

import type { Context } from 'hono';
import { z } from 'zod';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { parseWithSchema } from '../../platform/http/validate.ts';
import { tell } from '../../platform/text/say.ts';
import type { EmbeddingModel, PlainEmbeddings } from '../search/schema.ts';
import { checkOthers, refuseField } from './errors.ts';

const INPUTS_MAX = 2048;

/** OpenAI's model names. Here they select the installed model, which the answer names. */
const DEFAULT_NAMES = new Set(['auto', 'text-embedding-3-small', 'text-embedding-3-large', 'text-embedding-ada-002']);

const TEXT_ONLY = 'Give a text or a list of texts. Numbers of tokens belong to the tokenizer of another model.';

const EmbeddingsRequest = z.looseObject({
  model: z.string().min(1).max(200),
  input: z.preprocess(
    (given) => (typeof given === 'string' ? [given] : given),
    z
      .array(z.string(TEXT_ONLY).min(1, tell`Give a text that is not empty.`), TEXT_ONLY)
      .min(1, tell`Give at least one text.`)
      .max(INPUTS_MAX),
  ),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).nullish(),
});

/** A vector for each text, of length 1 as OpenAI's are, and the tokens of all. */
export interface Embedding {
  model: string;
  vectors: number[][];
  tokens: number;
}

/**
 * @param field where the caller gave the texts; an array has the position behind it.
 * Errors: `invalid_request` for another model or a text beyond the model's context, `model_not_installed`, and those of
 * the model.
 */
export async function embedTexts(
  embeddings: PlainEmbeddings,
  { name, texts, field }: { name: string; texts: readonly string[]; field: string },
  signal: AbortSignal,
): Promise<Embedding> {
  const model = await modelNamed(embeddings, name);
  const vectors: number[][] = [];
  let tokens = 0;
  for (const [index, text] of texts.entries()) {
    const one = await embeddings.embedPlain(model, text, signal);
    if (one.tokens > one.tokensMax) {
      const message = tell`A text has ${one.tokens} tokens; ${model.name} takes at most ${one.tokensMax}. Shorten it.`;
      throw refuseField(`${field}.${index}`, message);
    }
    vectors.push(normalizedEmbedding(one.vector));
    tokens += one.tokens;
  }
  return { model: model.name, vectors, tokens };
}

async function modelNamed(embeddings: PlainEmbeddings, name: string): Promise<EmbeddingModel> {
  const model = await embeddings.current();
  if (model === null) {
    const message = tell`No embedding model is installed. Install one on the Models page, or put a .gguf file with
      embed in its name
        into the models folder.`;
    throw new QuarryError('model_not_installed', message, { missing: { need: 'embedding', language: null } });
  }
  if (name === model.name || DEFAULT_NAMES.has(name)) return model;
  throw refuseField('model', tell`The embedding model here is ${model.name}. Name it, or auto.`);
}

function normalizedEmbedding(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

export async function createEmbeddings(
  embeddings: PlainEmbeddings,
  context: Context<HttpEnv>,
  body: Record<string, unknown>,
): Promise<Response> {
  const request = parseWithSchema(EmbeddingsRequest, body);
  checkOthers(context, request, EmbeddingsRequest.shape);
  const asked = { name: request.model, texts: request.input, field: 'input' };
  const { model, vectors, tokens } = await embedTexts(embeddings, asked, context.req.raw.signal);
  const length = vectors[0]?.length ?? 0;
  if (request.dimensions && request.dimensions !== length) {
    throw refuseField('dimensions', tell`The vectors of ${model} have ${length} dimensions. Leave dimensions out.`);
  }
  const write = request.encoding_format === 'base64' ? vectorBase64 : (vector: number[]) => vector;
  const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: write(vector) }));
  return context.json({ object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } });
}

/** 32-bit floats, little-endian. */
function vectorBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * Float32Array.BYTES_PER_ELEMENT);
  return bytes.toString('base64');
}
