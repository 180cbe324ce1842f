import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { ignoreField } from '../../platform/http/ignored-fields.ts';
import { problemOf, publicError, setErrorHeaders } from '../../platform/http/problem.ts';
import { type Said, tell } from '../../platform/text/say.ts';

/** Converts an error to OpenAI's format. */
export function openaiError(error: unknown): { status: number; body: object } {
  const shown = publicError(error);
  const { status, detail, code } = problemOf(shown);
  const type = status === 401 ? 'authentication_error' : status < 500 ? 'invalid_request_error' : 'server_error';
  const path = shown.fields?.[0]?.path;
  // OpenAI's format has no name for the whole body.
  const param = path === undefined || path === '$' ? null : path;
  return { status, body: { error: { message: detail, type, param, code } } };
}

export function openaiErrorResponse(context: Context<HttpEnv>, error: QuarryError): Response {
  const { status, body } = openaiError(error);
  setErrorHeaders(context, error);
  return context.json(body, status as ContentfulStatusCode);
}

export function refuseField(path: string, message: Said): QuarryError {
  return new QuarryError('invalid_request', message, { fields: [{ path, message }] });
}

/**
 * Fields that change no promise: hints of sampling, effort, size, caching and speed, names and ids. A client that sends
 * one gets its answer, and the field in `X-Ignored-Fields`.
 */
const HINTS: ReadonlySet<string> = new Set([
  ...['frequency_penalty', 'presence_penalty', 'repetition_penalty', 'repeat_penalty', 'length_penalty'],
  ...['top_k', 'min_p', 'top_a', 'typical_p', 'tfs_z', 'mirostat', 'mirostat_eta', 'mirostat_tau', 'repeat_last_n'],
  ...['logprobs', 'top_logprobs', 'reasoning', 'reasoning_effort', 'verbosity', 'think', 'thinking', 'enable_thinking'],
  ...['num_ctx', 'num_batch', 'num_gpu', 'main_gpu', 'num_thread', 'num_keep', 'use_mmap', 'use_mlock', 'low_vram'],
  ...['numa', 'f16_kv', 'vocab_only', 'num_gqa', 'penalize_newline', 'keep_alive', 'truncate'],
  ...['shift', 'cache_control', 'cache_prompt', 'prediction', 'prompt_cache_key'],
  ...['prompt_cache_options', 'prompt_cache_retention', 'parallel_tool_calls', 'max_tool_calls', 'service_tier'],
  ...['metadata', 'store', 'user', 'name', 'id', 'status', 'index', 'safety_identifier', 'include', 'annotations'],
  ...['logits_all', 'embedding_only', 'rope_frequency_base', 'rope_frequency_scale'],
  ...['include_obfuscation', 'input_type', 'reasoning_content', 'tool_name', 'thoughts', 'defer_loading'],
]);

/**
 * Names each field that is not known and asks for something: as ignored if it is a hint, else by an error.
 *
 * @param path of the object; numbers in it are left out where fields are ignored, so that a list names a field once
 */
export function checkOthers(context: Context<HttpEnv>, body: Record<string, unknown>, known: object, path = ''): void {
  for (const [field, value] of Object.entries(body)) {
    if (Object.hasOwn(known, field) || !isAsked(value)) continue;
    if (!HINTS.has(field.replace(/\[\]$/, '')))
      throw refuseField(path + field, tell`${field} is not supported. Leave it out.`);
    ignoreField(context, path.replaceAll(/\d+\./g, '') + field);
  }
}

/** Whether a value asks for something: null, false, empty ones and `none` do not, nor do those that ask for text. */
function isAsked(value: unknown): boolean {
  if (value === undefined || value === null || ([false, 0, '', 'none'] as unknown[]).includes(value)) return false;
  if (typeof value !== 'object') return true;
  // `modalities` and `response_format` of clients that want only text.
  if (Array.isArray(value)) return value.length > 0 && !(value.length === 1 && value[0] === 'text');
  return (value as { type?: unknown }).type !== 'text' && Object.keys(value).length > 0;
}
