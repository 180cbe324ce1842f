import { isJobErrorCode, type JobErrorCode } from '../../contract/index.ts';
import { isDiskFull } from '../../platform/disk-full.ts';
import { isStorageTrouble } from '../../platform/storage-trouble.ts';

/** How a job ended badly, as its `error` will say it. */
export interface JobFailure {
  code: JobErrorCode;
  message: string;
  retryable: boolean;
}

export const CANCELLED: JobFailure = { code: 'cancelled', message: 'The job was cancelled.', retryable: false };
const TIMED_OUT: JobFailure = {
  code: 'timeout',
  message: 'The job took longer than its time limit. Try a smaller or simpler source.',
  retryable: true,
};
/** Not retryable: a client that retries without being asked would take the server down again (decisions/002). */
export const INTERRUPTED: JobFailure = {
  code: 'interrupted',
  message:
    'The server ended while nothing but this job ran, and its attempts are used up. The source is the likely cause: ' +
    'send another one.',
  retryable: false,
};

/** The job's own codes name no disk: to a client it is a fault of ours that passes. */
const DISK_FULL: JobFailure = {
  code: 'internal',
  message: 'The disk is full: the owner of this appliance must free some space. Then send the request again.',
  retryable: true,
};

/** As above: its folder is gone or may not be written, or somebody else holds its database. */
const STORAGE_UNAVAILABLE: JobFailure = {
  code: 'internal',
  message:
    'The storage of this appliance could not be used: its owner must see to the data folder. Then send the request ' +
    'again.',
  retryable: true,
};

/** Why a run was told to stop. `left`: whoever waited for it has gone away. */
export type StopReason = 'cancelled' | 'left' | 'timeout' | 'stopping';

/** What a run that threw comes to: the reason it was stopped for, else what it threw. */
export function failureFor(reason: StopReason | null, error: unknown): JobFailure {
  if (reason === 'cancelled' || reason === 'left') return CANCELLED;
  if (reason === 'timeout') return TIMED_OUT;
  return failureOf(error);
}

/** Any thrown thing as a failure with a public message; what is not ours is `internal`. */
function failureOf(error: unknown): JobFailure {
  const known = error as { code?: unknown; message?: unknown; retryable?: unknown; name?: unknown };
  if (known?.name === 'QuarryError' && typeof known.code === 'string' && isJobErrorCode(known.code)) {
    return { code: known.code, message: String(known.message), retryable: known.retryable === true };
  }
  if (known?.code === 'storage_full' || isDiskFull(error)) return DISK_FULL;
  if (known?.code === 'storage_unavailable' || isStorageTrouble(error)) return STORAGE_UNAVAILABLE;
  return {
    code: 'internal',
    message: 'Something went wrong inside Quarry. Try again; if it happens again, report it with the job id.',
    retryable: true,
  };
}
