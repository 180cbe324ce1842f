import type { Context } from 'hono';
import { z } from 'zod';
import { storageError } from '../db/database.ts';
import { ERRORS, type ErrorStatus } from '../error-codes.ts';
import { QuarryError } from '../errors.ts';
import { InstallChoice } from '../install-choice.ts';
import { tell } from '../text/say.ts';
import type { HttpEnv } from './env.ts';

/** Default Retry-After: the fault is temporary, or lasts until disk space is freed. */
const RETRY_AFTER_SECONDS: Partial<Record<number, number>> = { 503: 30, 507: 60 };

export function problemOf(error: QuarryError): Problem & { status: ErrorStatus } {
  const { status, title } = ERRORS[error.code];
  return {
    type: `/problems/${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    errors: error.fields ? error.fields.map((field) => ({ ...field })) : undefined,
    choices: error.choices ? [...error.choices] : undefined,
  };
}

/** Maps any thrown value to a public error. Unknown errors become `internal`, with the cause in the log. */
export function publicError(error: unknown): QuarryError {
  if (error instanceof QuarryError) return error;
  const trouble = storageError(error);
  if (trouble) return trouble;
  return new QuarryError('internal', tell`Something went wrong inside Quarry. Report it with the request id.`, {
    cause: error,
  });
}

/** Logs an error that the owner should see. */
export function logFailure(context: Context<HttpEnv>, error: QuarryError): void {
  if (ERRORS[error.code].logged !== true) return;
  context.get('log').error({ err: error.cause ?? error, requestId: context.get('requestId') }, 'A request failed.');
}

/** Sets the headers of an error response in any format. */
export function setErrorHeaders(context: Context<HttpEnv>, error: QuarryError): void {
  const { status } = ERRORS[error.code];
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
  return context.body(JSON.stringify(problem), problem.status);
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
