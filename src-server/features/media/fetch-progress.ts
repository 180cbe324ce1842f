import type { JobProgress } from '../../contract/index.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';

/** A download under way. */
export interface Fetched {
  receivedBytes: number;
  /** Null where nobody said it; of a stream's pieces it is a guess. */
  totalBytes: number | null;
  /** From 0 to 1; null where it is not known. */
  share: number | null;
}

/** Before this share of it the pace of a download says nothing. */
const TRUSTED_SHARE = 0.01;
/** The end is told by whoever comes after. */
const PERCENT_MAX = 99;

/**
 * Progress of a download as a share of the job's time, so that the time left follows from it: what was fetched says how
 * long the rest of it takes, and what listening will take is known from before.
 */
export class FetchProgress {
  readonly #startedAt: number;
  readonly #fetchStartedAt = performance.now();
  readonly #laterSeconds: number;
  readonly #say: (progress: JobProgress) => void;

  /** `startedAt` is when the run began, by `performance.now()`. */
  constructor(startedAt: number, laterSeconds: number, say: (progress: JobProgress) => void) {
    this.#startedAt = startedAt;
    this.#laterSeconds = laterSeconds;
    this.#say = say;
    this.at({ receivedBytes: 0, totalBytes: null, share: null });
  }

  at({ receivedBytes, totalBytes, share }: Fetched): void {
    const now = performance.now();
    const fetching = (now - this.#fetchStartedAt) / SECOND_MS;
    // Of what length nobody knows, as much again is taken to be left.
    const left = share === null || share < TRUSTED_SHARE ? fetching : fetching * (1 / Math.min(1, share) - 1);
    const spent = (now - this.#startedAt) / SECOND_MS;
    const percent = (spent / (spent + left + this.#laterSeconds)) * PERCENT_MAX;
    this.#say({ percent, stage: 'fetching', message: messageOf(receivedBytes, totalBytes) });
  }
}

function messageOf(receivedBytes: number, totalBytes: number | null): string {
  if (receivedBytes === 0) return 'Fetching the video';
  const of = totalBytes === null ? '' : ` of ${inMegabytes(Math.max(receivedBytes, totalBytes))}`;
  return `Fetching the video: ${inMegabytes(receivedBytes)}${of} MB`;
}

function inMegabytes(bytes: number): string {
  return (bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0);
}
