import { isErrorCode } from '../error-codes.ts';
import { isDiskFull, QuarryError, type SerializedError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';

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
  if (!isPlainRecord(serialized)) return null;
  const { code, message, retryable, cause, fields } = serialized as Partial<SerializedError>;
  if (typeof code !== 'string' || !isErrorCode(code) || typeof message !== 'string') return null;
  return new QuarryError(code, message, {
    retryable: retryable === true,
    ...omitUndefined({ cause, fields }),
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
  return error instanceof Error && isPlainRecord(error.cause) ? reviveError(error.cause[MARK]) : null;
}

function unexpectedError(error: unknown): QuarryError {
  if (isDiskFull(error)) return new QuarryError('storage_full', 'The disk is full: free some space.', { cause: error });
  return new QuarryError('internal', 'Something went wrong inside the service. Please report it.', { cause: error });
}

function describeCause(cause: unknown): string {
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return text.slice(0, MAX_CAUSE_CHARS);
}

function isPlainRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
