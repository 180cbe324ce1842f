import type { Context } from 'hono';
import type { HttpEnv } from '../../platform/http/env.ts';
import { inTermsOf } from '../../platform/http/validate.ts';
import type { JobService } from '../jobs/service.ts';
import { acceptCall } from '../jobs/service.ts';

/** A text written for another interface, by the operation generate/text. */

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
  let take = (_text: string): void => {};
  const call = acceptCall(service, {
    operationId: 'generate/text',
    principal: context.get('principal'),
    value: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)),
    signal: gone.signal,
    emit: (_event, { text }) => take(String(text)),
  });
  const accepted = await inTermsOf(names, call);
  context.header('X-Quarry-Job-Id', accepted.jobId);
  return {
    result: async () => (await accepted.result()) as unknown as WrittenText,
    onText: (one) => {
      take = one;
    },
    leave: () => gone.abort(),
  };
}
