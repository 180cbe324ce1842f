import type { JobProgress } from '../../contract/index.ts';
import type { StoredResult } from './store.ts';

/** What one attempt gets to work with. */
export interface RunControl {
  signal: AbortSignal;
  progress(progress: JobProgress): void;
  /** To the client that waits for this very run, if one does. */
  emit(event: string, data: Record<string, unknown>): void;
  /** The source turned out to belong to another operation: the job becomes one of that type. */
  become(operationId: string): Promise<void>;
}

/** What an attempt that succeeded comes to. */
export interface RunOutcome {
  result: StoredResult;
  sourceBytes: number;
}
