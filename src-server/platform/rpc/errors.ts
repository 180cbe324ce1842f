import { isDiskFull, isErrorCode, QuarryError, type SerializedError } from '../errors.ts';

/**
 * How a task's error crosses the thread boundary: structured clone keeps a plain Error's `cause` and nothing of a
 * subclass, so the QuarryError travels there as plain data under a name nothing else uses.
 */
const MARK = 'quarryTaskError';

const MAX_CAUSE_CHARS = 4000;

/** The worker's side: what it throws. An error that nobody threw on purpose becomes `internal`, its stack the cause. */
export function toTaskError(error: unknown): Error {
  const known = error instanceof QuarryError ? error : unexpected(error);
  const serialized: SerializedError = { code: known.code, message: known.message, retryable: known.retryable };
  if (known.cause !== undefined) serialized.cause = describeCause(known.cause);
  if (known.fields !== undefined) serialized.fields = known.fields.map((field) => ({ ...field }));
  return new Error(known.message, { cause: { [MARK]: serialized } });
}

/** The engine's side: the QuarryError a task threw, or null when the thread failed in another way (died, was ended). */
export function reviveTaskError(error: unknown): QuarryError | null {
  if (!(error instanceof Error) || !isRecord(error.cause)) return null;
  const serialized = error.cause[MARK];
  if (!isRecord(serialized)) return null;
  const { code, message, retryable, cause, fields } = serialized as Partial<SerializedError>;
  if (typeof code !== 'string' || !isErrorCode(code) || typeof message !== 'string') return null;
  return new QuarryError(code, message, {
    retryable: retryable === true,
    ...(cause === undefined ? {} : { cause }),
    ...(fields === undefined ? {} : { fields }),
  });
}

function unexpected(error: unknown): QuarryError {
  if (isDiskFull(error)) return new QuarryError('storage_full', 'The disk is full: free some space.', { cause: error });
  return new QuarryError('internal', 'Something went wrong inside the service. Please report it.', { cause: error });
}

function describeCause(cause: unknown): string {
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return text.slice(0, MAX_CAUSE_CHARS);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
