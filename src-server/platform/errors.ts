/**
 * One error shape for the whole service: a stable code, one public sentence that says what to do, a private cause that
 * goes to the log only. Which HTTP status a code gets is chosen in `http/problem.ts` and nowhere else.
 */

/** Codes a job's `error.code` can hold (decisions 2): a closed, documented list. */
export const JOB_ERROR_CODES = [
  'source_unreachable',
  'source_forbidden',
  'source_too_large',
  'unsupported_media',
  'corrupt_input',
  'encrypted_input',
  'robots_disallowed',
  'model_not_installed',
  'engine_unavailable',
  'engine_failed',
  'timeout',
  'out_of_memory',
  'cancelled',
  'interrupted',
  'internal',
] as const;

export type JobErrorCode = (typeof JOB_ERROR_CODES)[number];

/** Codes only an HTTP answer can hold. */
export const REQUEST_ERROR_CODES = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'conflict',
  'job_expired',
  'body_too_large',
  'header_too_large',
  'unsupported_content_type',
  'range_not_satisfiable',
  'rate_limited',
  'storage_full',
  'storage_unavailable',
  'settlement_unavailable',
  'shutting_down',
] as const;

type RequestErrorCode = (typeof REQUEST_ERROR_CODES)[number];

export type ErrorCode = JobErrorCode | RequestErrorCode;

/** One offending field: its JSON path (`options.segmentLength`; `$` is the body itself) and what is wrong with it. */
export interface FieldError {
  path: string;
  message: string;
}

interface QuarryErrorOptions {
  /** For the log; never shown. */
  cause?: unknown;
  fields?: readonly FieldError[];
  retryAfterSeconds?: number;
  /** Whether the same work may succeed later without anyone changing anything. */
  retryable?: boolean;
}

/** The error every layer throws on purpose. `message` is public: no stack, no path of the machine. */
export class QuarryError extends Error {
  readonly code: ErrorCode;
  readonly fields: readonly FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options: QuarryErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'QuarryError';
    this.code = code;
    this.fields = options.fields;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.retryable = options.retryable ?? false;
  }
}

/** For a data folder that is gone or may not be written, and a database that somebody else holds. */
export function storageUnavailable(cause: unknown): QuarryError {
  const message =
    'The storage of this appliance cannot be used now: its owner must see to the data folder, and to what else uses ' +
    'it. Then send the request again.';
  return new QuarryError('storage_unavailable', message, { cause, retryAfterSeconds: 60, retryable: true });
}

export function isJobErrorCode(code: string): code is JobErrorCode {
  return (JOB_ERROR_CODES as readonly string[]).includes(code);
}

export function isErrorCode(code: string): code is ErrorCode {
  return isJobErrorCode(code) || (REQUEST_ERROR_CODES as readonly string[]).includes(code);
}

/** An error as it crosses a thread or process boundary, where class identity is lost. */
export interface SerializedError {
  code: ErrorCode;
  message: string;
  retryable: boolean;
  cause?: string;
  fields?: readonly FieldError[];
}

/** What the system and SQLite call it when there is no room to write. */
const FULL_DISK_CODES = new Set<unknown>(['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL', 'SQLITE_IOERR_WRITE']);

/** Whether something failed because the disk is full: it will work again once somebody has made room. */
export function isDiskFull(error: unknown): boolean {
  return FULL_DISK_CODES.has((error as { code?: unknown } | null)?.code);
}

/**
 * What SQLite says where nothing is wrong with the statement: somebody else holds the database (a backup, a program
 * that shows it), or the disk under it does not answer. Longer codes begin with these.
 */
const PASSING = /^SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|READONLY|NOMEM|PROTOCOL)/;

/** Whether the database could not be used for a reason that lies outside and can pass: the same will work again. */
export function isStorageTrouble(error: unknown): boolean {
  return isDiskFull(error) || PASSING.test(String((error as { code?: unknown } | null)?.code));
}
