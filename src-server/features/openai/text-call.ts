/** A text written for another interface, by the operation generate/text. */

import type { Context } from 'hono';
import type { HttpEnv } from '../../platform/http/env.ts';
import { ignoreField } from '../../platform/http/ignored-fields.ts';
import { inTermsOf } from '../../platform/http/validate.ts';
import type { JobService } from '../jobs/service.ts';
import { acceptCall } from '../jobs/service.ts';
import { MAX_TOKENS_MAX, SEED_MAX } from '../text/schema.ts';

export interface WrittenText {
  content: string;
  model: string;
  finishReason: 'stop' | 'length';
  usage: { promptTokens: number; completionTokens: number; totalTokens: number; estimated?: true };
}

export interface TextCall {
  result(): Promise<WrittenText>;
  /** Receives the pieces of the text, which begin with `result`. */
  onText(take: (text: string) => void): void;
  /** The reader has gone. */
  leave(): void;
}

/** What clients say about sampling and length, whatever they call the fields. */
interface Sampling {
  temperature?: number | null | undefined;
  seed?: number | null | undefined;
  maxTokens?: number | null | undefined;
}

/**
 * Brings sampling and length into the ranges of generate/text. What is not followed to the letter is named as ignored:
 * a temperature above 1, and a length beyond what any answer has.
 *
 * @param names the fields as the client sent them
 */
export function samplingOf(
  context: Context<HttpEnv>,
  { temperature, seed, maxTokens }: Sampling,
  names: { temperature: string; maxTokens: string },
): Sampling {
  if (typeof temperature === 'number' && temperature > 1) ignoreField(context, names.temperature);
  if (typeof maxTokens === 'number' && maxTokens > MAX_TOKENS_MAX) ignoreField(context, names.maxTokens);
  const span = SEED_MAX + 1;
  return {
    temperature: typeof temperature === 'number' ? Math.min(1, temperature) : temperature,
    // Other tools have signed seeds and longer ones.
    seed: typeof seed === 'number' ? ((seed % span) + span) % span : seed,
    maxTokens: typeof maxTokens === 'number' ? Math.min(MAX_TOKENS_MAX, maxTokens) : maxTokens,
  };
}

/**
 * @param fields those of generate/text; undefined and null ones are left out
 * @param names the fields that the client sent instead
 */
export async function startText(
  service: JobService,
  context: Context<HttpEnv>,
  fields: Record<string, unknown>,
  names: Readonly<Record<string, string>>,
): Promise<TextCall> {
  const gone = new AbortController();
  context.req.raw.signal.addEventListener('abort', () => gone.abort(), { once: true });
  let takeWrittenText = (_text: string): void => {};
  const call = acceptCall(service, {
    operationId: 'generate/text',
    principal: context.get('principal'),
    value: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)),
    signal: gone.signal,
    emit: (_event, { text }) => takeWrittenText(String(text)),
  });
  const accepted = await inTermsOf(names, call);
  context.header('X-Quarry-Job-Id', accepted.jobId);
  return {
    result: async () => await accepted.result<WrittenText>(),
    onText: (one) => {
      takeWrittenText = one;
    },
    leave: () => gone.abort(),
  };
}
