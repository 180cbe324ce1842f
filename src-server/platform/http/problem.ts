import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import { storageError } from '../db/database.ts';
import { type ErrorCode, QuarryError } from '../errors.ts';
import { InstallChoice } from '../install-choice.ts';
import type { HttpEnv } from './env.ts';

/** The only place that sets HTTP statuses: each code with status and title. */
export const PROBLEMS: Record<ErrorCode, { status: ContentfulStatusCode; title: string }> = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  unauthorized: { status: 401, title: 'A credential is missing or wrong' },
  forbidden: { status: 403, title: 'Not allowed' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  conflict: { status: 409, title: 'Conflict' },
  idempotency_key_reused: { status: 422, title: 'The key belongs to another request' },
  job_expired: { status: 410, title: 'The job has expired' },
  body_too_large: { status: 413, title: 'The body is too large' },
  unsupported_content_type: { status: 415, title: 'Content type not taken' },
  range_not_satisfiable: { status: 416, title: 'The range is outside the file' },
  rate_limited: { status: 429, title: 'Too many requests' },
  header_too_large: { status: 431, title: 'The header is too large' },
  storage_full: { status: 507, title: 'The disk is full' },
  storage_unavailable: { status: 503, title: 'The storage cannot be used now' },
  settlement_unavailable: { status: 503, title: 'Payments cannot be settled now' },
  shutting_down: { status: 503, title: 'Shutting down' },
  // Codes of sources and engines, for failures before a job exists.
  source_unreachable: { status: 422, title: 'The source cannot be reached' },
  source_forbidden: { status: 422, title: 'The source may not be fetched' },
  source_too_large: { status: 422, title: 'The source is too large' },
  unsupported_media: { status: 422, title: 'The source is of a kind that is not taken' },
  corrupt_input: { status: 422, title: 'The source is damaged' },
  encrypted_input: { status: 422, title: 'The source is encrypted' },
  robots_disallowed: { status: 422, title: 'robots.txt forbids it' },
  model_not_installed: { status: 503, title: 'A model is not installed' },
  engine_unavailable: { status: 503, title: 'An engine is not available' },
  engine_failed: { status: 500, title: 'An engine failed' },
  timeout: { status: 503, title: 'It took too long' },
  out_of_memory: { status: 503, title: 'It needed too much memory' },
  cancelled: { status: 409, title: 'Cancelled' },
  interrupted: { status: 503, title: 'Interrupted' },
  internal: { status: 500, title: 'Internal error' },
};

/** Default Retry-After: the fault is temporary, or lasts until disk space is freed. */
const RETRY_AFTER_SECONDS: Partial<Record<number, number>> = { 503: 30, 507: 60 };

export function problemOf(error: QuarryError): Problem {
  const { status, title } = PROBLEMS[error.code];
  return {
    type: `/problems/${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    ...(error.fields ? { errors: error.fields.map((field) => ({ ...field })) } : {}),
    ...(error.choices ? { choices: [...error.choices] } : {}),
  };
}

/** Maps any thrown value to a public error. Unknown errors become `internal`, with the cause in the log. */
export function publicError(error: unknown): QuarryError {
  if (error instanceof QuarryError) return error;
  const trouble = storageError(error);
  if (trouble) return trouble;
  return new QuarryError('internal', 'Something went wrong inside Quarry. Report it with the request id.', {
    cause: error,
  });
}

/** Errors that the owner should see. */
const LOGGED: ReadonlySet<ErrorCode> = new Set(['internal', 'engine_failed', 'storage_full', 'storage_unavailable']);

export function logFailure(context: Context<HttpEnv>, error: QuarryError): void {
  if (!LOGGED.has(error.code)) return;
  context.get('log').error({ err: error.cause ?? error, requestId: context.get('requestId') }, 'A request failed.');
}

/** Sets the headers of an error response in any format. */
export function setErrorHeaders(context: Context<HttpEnv>, error: QuarryError): void {
  const { status } = PROBLEMS[error.code];
  const retryAfter = error.retryAfterSeconds ?? RETRY_AFTER_SECONDS[status];
  if (retryAfter !== undefined) context.header('Retry-After', String(retryAfter));
  // Names the scheme for credentials (RFC 9110, section 11.6.1).
  if (status === 401) context.header('WWW-Authenticate', 'Bearer');
  context.header('Cache-Control', 'no-store');
}

export function problemResponse(context: Context<HttpEnv>, error: QuarryError): Response {
  const problem = problemOf(error);
  setErrorHeaders(context, error);
  context.header('Content-Type', 'application/problem+json');
  return context.body(JSON.stringify(problem), problem.status as ContentfulStatusCode);
}

/** RFC 9457 problem details: the body of every error except 402. */
export const Problem = z
  .object({
    type: z.string().describe('A stable path under /problems/.'),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('What to do, in one sentence.'),
    code: z.string(),
    errors: z
      .array(z.object({ path: z.string().describe('JSON path of the field; $ is the body.'), message: z.string() }))
      .optional(),
    choices: z
      .array(InstallChoice)
      .optional()
      .describe('Where a model or program is missing: what the owner can install, the recommended one first.'),
  })
  .meta({ id: 'Problem' });

export type Problem = z.infer<typeof Problem>;
