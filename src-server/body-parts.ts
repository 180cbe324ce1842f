import { BodiesInFlight } from './features/jobs/bodies-in-flight.ts';
import type { Service } from './features/jobs/service-ports.ts';
import { sniffFile } from './platform/files/sniff.ts';
import { createUploads, type FreeDisk } from './platform/files/uploads.ts';
import type { RunTask } from './platform/pool/worker-pool.ts';
import { MINUTE_MS } from './platform/units.ts';

/** Parsing a request's body is part of answering it: it may take this long once it has a thread. */
const BODY_PARSE_LIMIT_MS = MINUTE_MS;

export interface BodyPartsInput {
  /** Of the environment; uploads get a folder in it. */
  folder: string;
  freeDisk: FreeDisk;
  engines: { pool: { run: RunTask } };
}

/** How a request's body is read: files to disk, large JSON in a worker, kinds of files by their bytes. */
export async function bodyParts({ folder, freeDisk, engines }: BodyPartsInput): Promise<Service['body']> {
  return {
    uploads: await createUploads({ folder: `${folder}/uploads`, freeDisk }),
    inFlight: new BodiesInFlight(),
    parseLargeJson: (input) =>
      engines.pool.run('read-json-body', input, { accountId: 'requests', timeLimitMs: BODY_PARSE_LIMIT_MS }),
    sniff: async (path, fileName) => (await sniffFile(path, fileName)).kind,
  };
}
