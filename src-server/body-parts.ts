import type { RunTask } from './engines/worker-pool.ts';
import type { Service } from './http/service.ts';
import { MINUTE_MS } from './lib/units.ts';
import { sniffFile } from './sources/sniff.ts';
import type { Uploads } from './sources/uploads.ts';

/** Parsing a request's body is part of answering it: it may take this long once it has a thread. */
const BODY_PARSE_LIMIT_MS = MINUTE_MS;
/** How a request's body is read: large JSON in a worker, files told by their bytes. */
export function bodyParts(runTask: RunTask, uploads: Uploads): Service['body'] {
  return {
    uploads,
    parseLargeJson: (input) =>
      runTask('read-json-body', input, { accountId: 'requests', timeLimitMs: BODY_PARSE_LIMIT_MS }),
    sniff: async (path, fileName) => (await sniffFile(path, fileName)).kind,
  };
}
