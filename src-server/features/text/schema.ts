import { z } from 'zod';
import type { ModelFacts } from '../../platform/model-facts.ts';
import { say } from '../../platform/text/say.ts';
import { KIB } from '../../platform/units.ts';
import { grammarSchema } from './answer-schema.ts';

/**
 * Maximum number of prompt characters. The context of each model is smaller and is checked against the model. This
 * bounds the cost of that check.
 */
const PROMPT_CHARS_MAX = 200_000;

const MAX_TOKENS_DEFAULT = 800;

export const MAX_TOKENS_MAX = 32_768;

/** A middle value that most model authors recommend. */
const TEMPERATURE_DEFAULT = 0.7;

const TokenUsage = z
  .object({
    promptTokens: z.int().min(0),
    completionTokens: z.int().min(0),
    totalTokens: z.int().min(0),
    estimated: z
      .literal(true)
      .optional()
      .describe('Present if the text server does not count: estimated from its pieces and the prompt.'),
  })
  .meta({ id: 'TokenUsage', description: 'Counted by the model’s own tokenizer, unless `estimated` says otherwise.' });

const STOPS_MAX = 4;

const STOP_CHARS_MAX = 200;

export const SEED_MAX = 2 ** 32 - 1;

const FORMAT_BYTES_MAX = 32 * KIB;

/** A JSON Schema that a grammar can hold. */
export const AnswerSchema = z.record(z.string(), z.unknown()).superRefine((schema, context) => {
  const isLarge = Buffer.byteLength(JSON.stringify(schema)) > FORMAT_BYTES_MAX;
  const read = isLarge
    ? { path: [], message: `The schema is larger than ${FORMAT_BYTES_MAX / KIB} KB. Send a smaller one.` }
    : grammarSchema(schema);
  if ('message' in read) context.addIssue({ code: 'custom', ...read });
});

const AnswerFormat = z.union([z.literal('json'), AnswerSchema]);

export const TextRequest = z.strictObject({
  prompt: z
    .string()
    .max(PROMPT_CHARS_MAX)
    .regex(/\S/, say`Give a prompt with at least one visible character.`)
    .refine((prompt) => !prompt.includes('\0'), say`A prompt is text and has no NUL character.`)
    .describe('Instructions or seed text.'),
  model: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Name of an installed text model; by default the workspace text model.'),
  maxTokens: z
    .int()
    .min(1)
    .max(MAX_TOKENS_MAX)
    .default(MAX_TOKENS_DEFAULT)
    .describe('Upper bound on the length of the completion, in tokens of the model.'),
  temperature: z.number().min(0).max(1).default(TEMPERATURE_DEFAULT).describe('0 to 1; higher is more creative.'),
  topP: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe('Chooses only among the likeliest tokens, which together have this probability.'),
  seed: z.int().min(0).max(SEED_MAX).optional().describe('The same request with the same seed gets the same text.'),
  stop: z
    .array(z.string().min(1).max(STOP_CHARS_MAX))
    .min(1)
    .max(STOPS_MAX)
    .optional()
    .describe('Texts that end the answer, which does not contain them.'),
  format: AnswerFormat.optional().describe(
    'The answer is JSON: `json` for any object, or a JSON Schema that it follows. Say in the prompt what it holds.',
  ),
  raw: z.boolean().optional().describe('Continues the prompt as it is, without the chat template of the model.'),
});

export type TextRequest = z.output<typeof TextRequest>;

export const TextAnswer = z.object({
  content: z.string().describe('The generated text.'),
  model: z.string().describe('The model that generated it.'),
  finishReason: z
    .enum(['stop', 'length'])
    .describe('`stop`: the model ended the text; `length`: maxTokens or the model’s context did.'),
  usage: TokenUsage,
});

export type TextAnswer = z.output<typeof TextAnswer>;

/** A question whose answer is JSON. The same question gets the same answer. */
export interface JsonQuestion {
  prompt: string;
  /** JSON Schema of the answer: objects, lists, single types or a type with null, `enum`, `oneOf`, lengths. */
  schema: object;
  maxTokens: number;
}

/** A text model that other features ask. */
export interface TextReader {
  model: string;
  /** Tokens of a prompt and its answer together. */
  contextTokens: number;
  /** Counts the prompt with what the model's template adds. Errors: `engine_failed`. */
  countTokens(prompt: string): Promise<number>;
  /**
   * JSON text; it ends in the middle if `maxTokens` ended it, and a text server may answer in another shape. Errors:
   * `engine_failed`, `engine_unavailable`, and the signal's reason.
   *
   * @param onText called with each piece as it is written
   */
  ask(question: JsonQuestion, signal: AbortSignal, onText?: (piece: string) => void): Promise<string>;
}

export interface TextService {
  /** Whether a model is available. Errors: `model_not_installed`, `engine_unavailable`. */
  check(): Promise<void>;
  /** The named model, else the workspace text model. Errors: those of `check`, `engine_failed`. */
  reader(name?: string): Promise<TextReader>;
  /**
   * The model that would answer. Errors: `model_not_installed`, `engine_unavailable`, `invalid_request` for an unknown
   * name.
   *
   * @param models null: those of this machine
   */
  choose(
    asked: string | undefined,
    models: readonly ModelFacts[] | null,
  ): Promise<{ name: string; from: 'file' | 'server' | 'node' }>;
  /**
   * Reserves a place in the model's queue and returns a function that frees it. Errors: `invalid_request` for an
   * unknown model or a prompt beyond its context, `model_not_installed`, `rate_limited` when the queue is full,
   * `engine_failed`.
   */
  admit(request: TextRequest): Promise<() => void>;
  /** Errors: `engine_failed`, `engine_unavailable`, and the signal's reason. */
  generate(request: TextRequest, onText: (text: string) => void, signal: AbortSignal): Promise<TextAnswer>;
}

declare module '../../operation.ts' {
  interface Services {
    text: TextService;
  }
}
