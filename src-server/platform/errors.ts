/**
 * The one error type of the server: a stable code, a public sentence that says what to do, and a private cause for the
 * log. `error-codes.ts` has what follows from a code.
 */

import { ERRORS, type ErrorCode, type JobErrorCode } from './error-codes.ts';
import type { InstallChoice, Missing } from './install-choice.ts';
import type { Said } from './text/say.ts';

/** An invalid field: its JSON path (`options.segmentLength`; `$` is the body itself) and the reason. */
export interface FieldError {
  path: string;
  /** Forms of the window show it beside the field. */
  message: Said;
}

interface QuarryErrorOptions {
  /** For the log. Never shown. */
  cause?: unknown;
  fields?: readonly FieldError[];
  retryAfterSeconds?: number;
  /** Whether a later attempt may succeed without any change. Default: that of the code. */
  retryable?: boolean;
  /** Set when something must be installed first. */
  missing?: Missing;
  /** What can be installed for it. */
  choices?: readonly InstallChoice[];
}

/** Codes that no job ends with. The window shows their titles in the reader's language where a message is not said. */
type UnsaidCode = Exclude<ErrorCode, JobErrorCode>;

/** The error that all layers throw on purpose. `message` is public: no stack, no local path. */
export class QuarryError extends Error {
  readonly code: ErrorCode;
  readonly fields: readonly FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly retryable: boolean;
  readonly missing: Missing | undefined;
  readonly choices: readonly InstallChoice[] | undefined;

  /** @param message said: pages of the window show it, for a job that fails may end with it */
  constructor(code: ErrorCode, message: Said, options?: QuarryErrorOptions);
  constructor(code: UnsaidCode, message: string, options?: QuarryErrorOptions);
  constructor(code: ErrorCode, message: string, options: QuarryErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'QuarryError';
    this.code = code;
    this.fields = options.fields;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.retryable = options.retryable ?? ERRORS[code].retryable ?? false;
    this.missing = options.missing;
    this.choices = options.choices;
  }
}

/** The data folder is missing or read-only, or another program locks the database. */
export function storageUnavailable(cause: unknown): QuarryError {
  const message =
    'The storage of this appliance cannot be used now: its owner must see to the data folder, and to what else uses ' +
    'it. Then send the request again.';
  return new QuarryError('storage_unavailable', message, { cause, retryAfterSeconds: 60 });
}

/** An error in transit between threads or processes, where its class is lost. */
export interface SerializedError {
  code: ErrorCode;
  message: string;
  retryable: boolean;
  cause?: string;
  fields?: readonly FieldError[];
}

/** Error codes of the system and of SQLite for a full disk. */
const FULL_DISK_CODES = new Set<unknown>(['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL', 'SQLITE_IOERR_WRITE']);

/** Whether an operation failed because the disk is full. It succeeds again once there is space. */
export function isDiskFull(error: unknown): boolean {
  return FULL_DISK_CODES.has((error as { code?: unknown } | null)?.code);
}

/**
 * SQLite codes that do not blame the statement: another program locks the database (a backup, a database viewer), or
 * the disk does not respond. Extended codes start with these.
 */
const PASSING = /^SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|READONLY|NOMEM|PROTOCOL)/;

/** Whether the database is unavailable for an external reason that may pass. A retry may succeed. */
export function isStorageTrouble(error: unknown): boolean {
  return isDiskFull(error) || PASSING.test(String((error as { code?: unknown } | null)?.code));
}

/** What was thrown, as an error. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of a system error, such as `ENOENT`; empty where it has none. */
export function systemCodeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  return typeof code === 'string' ? code : '';
}
