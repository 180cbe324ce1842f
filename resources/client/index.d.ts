import type { Client } from 'openapi-fetch';
import type { Job, paths } from './api.js';

export type * from './api.js';

/** `queued`, `running` and so on, with its percentage from 0 to 100. */
export type Progress = Job['progress'];

export interface QuarryOptions {
  /** Address of the server. Default: `http://127.0.0.1:8402`. */
  url?: string;
  /** A named key, or the owner's token. Without it the client is a stranger, who pays. */
  key?: string;
  /** Another `fetch`, for example one that pays by x402. */
  fetch?: typeof globalThis.fetch;
}

export interface WaitOptions {
  /** Ends the waiting. The job runs on: cancel it with `api.DELETE('/jobs/{jobId}')`. */
  signal?: AbortSignal;
  onProgress?(progress: Progress): void;
}

/** What an operation answers when it has ended. */
type Operation = {
  [Path in keyof paths]: paths[Path] extends { post: { requestBody: unknown } } ? Path : never;
}[keyof paths];
type Body<Path extends Operation> = paths[Path] extends {
  post: { requestBody: { content: { 'application/json': infer Json } } };
}
  ? Json
  : never;
type Answer<Path extends Operation> = paths[Path] extends {
  post: { responses: { 200: { content: { 'application/json': infer Json } } } };
}
  ? Json
  : NonNullable<Job['result']>;

export interface Quarry {
  /** Every address of the API, with the types of its parameters and answers. See openapi-fetch. */
  api: Client<paths>;
  /**
   * Runs an operation and resolves with its result. A file goes into a FormData as `file`, its options as JSON in
   * `options`. Rejects with QuarryError.
   */
  run<Path extends Operation>(path: Path, body: Body<Path> | FormData, options?: WaitOptions): Promise<Answer<Path>>;
  /** Resolves with the job when it is completed. Rejects with QuarryError when it failed or was cancelled. */
  finished(jobId: string, options?: WaitOptions): Promise<Job>;
}

/** A refused request or a failed job. `code` is stable: see the page of errors in the reference. */
export class QuarryError extends Error {
  code: string;
  /** Status of the response; null when a job failed. */
  status: number | null;
  retryable: boolean;
  problem: unknown;
}

export function createQuarry(options?: QuarryOptions): Quarry;
