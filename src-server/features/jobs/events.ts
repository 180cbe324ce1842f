/** What happens to jobs, for other features. Jobs do not know who listens. */

import { EventEmitter } from 'node:events';
import type { Tx } from '../../platform/db/database.ts';
import type { Missing } from '../../platform/install-choice.ts';
import type { JobDraft } from './schema.ts';
import type { JobRow, StoredResult } from './store.ts';

interface JobEventMap {
  /**
   * A request became a job, or joined one. Listeners add the names of events that the request subscribes to. Runs in
   * the transaction of the acceptance, as all events with a `tx` do: an error of a listener undoes it.
   */
  accepted: [tx: Tx, jobId: string, draft: JobDraft, subscribed: string[]];
  /** The stored answer of an inline request is computed again for a repeated one. */
  repeated: [tx: Tx, jobId: string, draft: JobDraft];
  /** A job has completed or failed, with its result if it has one, and what it lacked. */
  ended: [tx: Tx, job: JobRow, result: StoredResult | null, missing: Missing | null];
  /** The result and files of a job go. */
  removed: [tx: Tx, jobId: string];
  /** A failed job runs again. */
  retried: [tx: Tx, jobId: string];
  /** Such a transaction is committed. */
  committed: [];
  /** The result or files of a finished job have changed. */
  changed: [jobId: string];
}

export class JobEvents extends EventEmitter<JobEventMap> {
  constructor() {
    super();
    this.setMaxListeners(0);
  }
}
