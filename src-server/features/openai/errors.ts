import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { problemOf, publicError, setErrorHeaders } from '../../platform/http/problem.ts';

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

export function refuseField(path: string, message: string): QuarryError {
  return new QuarryError('invalid_request', message, { fields: [{ path, message }] });
}

/** Fields that many clients send and that change no answer. */
const HARMLESS: ReadonlySet<string> = new Set([
  'metadata',
  'parallel_tool_calls',
  'prediction',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
  'store',
  'user',
]);

/** Refuses by name each field that is not known, asks for something and may change the answer. */
export function refuseOthers(body: Record<string, unknown>, known: object, path = ''): void {
  for (const [field, value] of Object.entries(body)) {
    if (Object.hasOwn(known, field) || (path === '' && HARMLESS.has(field)) || !isAsked(value)) continue;
    throw refuseField(path + field, `${field} is not supported. Leave it out.`);
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
