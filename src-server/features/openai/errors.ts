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

/** Field names of an operation, and their names in OpenAI's API. */
type Names = Readonly<Record<string, string>>;

/** Awaits an operation and renames the field of its validation error to the one that the client sent. */
export async function inTermsOf<Answer>(names: Names, work: Promise<Answer>): Promise<Answer> {
  try {
    return await work;
  } catch (error) {
    const [first] = error instanceof QuarryError ? (error.fields ?? []) : [];
    const name = first !== undefined && Object.hasOwn(names, first.path) ? names[first.path] : undefined;
    if (first === undefined || name === undefined) throw error;
    const { code, message } = error as QuarryError;
    const start = `${first.path}: `;
    const renamed = message.startsWith(start) ? `${name}: ${message.slice(start.length)}` : message;
    throw new QuarryError(code, renamed, { fields: [{ ...first, path: name }], cause: error });
  }
}
