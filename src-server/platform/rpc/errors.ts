import { isErrorCode } from '../error-codes.ts';
import { type FieldError, isDiskFull, QuarryError, type SerializedError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { recordOf } from '../records.ts';
import { saidElsewhere, say } from '../text/say.ts';

const MAX_CAUSE_CHARS = 4000;

/** An error as plain data for another thread or process. One that nobody threw on purpose becomes `internal`. */
export function serializeError(error: unknown): SerializedError {
  const known = error instanceof QuarryError ? error : unexpectedError(error);
  const serialized: SerializedError = { code: known.code, message: known.message, retryable: known.retryable };
  if (known.cause !== undefined) serialized.cause = describeCause(known.cause);
  if (known.fields !== undefined) serialized.fields = known.fields.map((field) => ({ ...field }));
  return serialized;
}

/** The error that `serializeError` described, with its code and the text of its cause. Null for anything else. */
export function reviveError(serialized: unknown): QuarryError | null {
  const { code, message, retryable, cause, fields } = recordOf(serialized);
  if (typeof code !== 'string' || !isErrorCode(code) || typeof message !== 'string') return null;
  return new QuarryError(code, saidElsewhere(message), {
    retryable: retryable === true,
    ...omitUndefined({ cause, fields: fieldErrorsOf(fields) }),
  });
}

/** A program that a hostile file has taken over may send anything. */
function fieldErrorsOf(fields: unknown): FieldError[] | undefined {
  if (!Array.isArray(fields)) return undefined;
  return fields.map((field) => {
    const { path, message } = recordOf(field);
    return { path: String(path), message: saidElsewhere(String(message)) };
  });
}

/**
 * How a task's error crosses the pool, which throws: structured clone keeps a plain Error's `cause` and nothing of a
 * subclass, so the QuarryError travels there as plain data under a name nothing else uses.
 */
const MARK = 'quarryTaskError';

/** The worker's side: what it throws. */
export function toTaskError(error: unknown): Error {
  const serialized = serializeError(error);
  return new Error(serialized.message, { cause: { [MARK]: serialized } });
}

/** The engine's side: the QuarryError a task threw, or null when the thread failed in another way (died, was ended). */
export function reviveTaskError(error: unknown): QuarryError | null {
  return error instanceof Error ? reviveError(recordOf(error.cause)[MARK]) : null;
}

function unexpectedError(error: unknown): QuarryError {
  if (isDiskFull(error)) return new QuarryError('storage_full', 'The disk is full: free some space.', { cause: error });
  return new QuarryError('internal', say`Something went wrong inside the service. Please report it.`, { cause: error });
}

function describeCause(cause: unknown): string {
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return text.slice(0, MAX_CAUSE_CHARS);
}
