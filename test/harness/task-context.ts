import type { PartContext } from '../../src-server/platform/pool/worker-pool.ts';
import { forkChildPrograms } from '../../src-server/platform/rpc/child-process.ts';

/** For a task that a test calls by itself: nobody listens to its progress and parts, and nobody cancels it. */
export const UNWATCHED: PartContext<unknown> = {
  signal: new AbortController().signal,
  progress: () => undefined,
  part: () => undefined,
  startChild: forkChildPrograms(new URL('../../workers/entry.ts', import.meta.url)),
};
