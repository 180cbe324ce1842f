/** Gives the speakers of a finished job their names: in its files, its result and the search index. */

import { OWNER } from '../../context.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Mutex } from '../../platform/concurrency.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { invalidRequest } from '../../platform/http/validate.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { say } from '../../platform/text/say.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import { replaceResult, storedResult } from '../jobs/service.ts';
import type { SearchFeature } from '../search/service.ts';
import type { Speaker } from './schema.ts';

const WRITE_LIMIT_MS = 2 * MINUTE_MS;

export interface SpeakerNamesDeps {
  storage: Storage;
  clock: Clock;
  runTask: RunTask;
  /** Folder of a job's served files. */
  filesOf(jobId: string): string;
  /** Held by whatever writes the files of finished jobs. */
  writing: Mutex;
  search: Pick<SearchFeature, 'onTerminal' | 'kick'>;
  jobChanged(jobId: string): void;
}

export class SpeakerNames {
  readonly #deps: SpeakerNamesDeps;

  constructor(deps: SpeakerNamesDeps) {
    this.#deps = deps;
  }

  /**
   * Renames speakers, from present names to new ones. A name that another speaker has makes one speaker of both.
   * Errors: `not_found`, `job_expired`, `conflict` for a job without speakers, `invalid_request` for a name that no
   * speaker has.
   */
  renameSpeakers(jobId: string, names: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Speaker[]> {
    return this.#deps.writing.runExclusive(async () => {
      const { search, jobChanged } = this.#deps;
      let speakers: Speaker[] | null = null;
      // Again when a correction changed the result meanwhile.
      while (speakers === null) speakers = await this.#tryRenameSpeakers(jobId, Object.entries(names), signal);
      search.kick();
      jobChanged(jobId);
      return speakers;
    });
  }

  async #tryRenameSpeakers(jobId: string, names: readonly [from: string, to: string][], signal: AbortSignal) {
    const { storage, clock, runTask, filesOf, search } = this.#deps;
    const before = storedResult(storage.db, jobId);
    if (before === null) throw noSpeakers();
    const watch = { signal, accountId: OWNER.accountId, timeLimitMs: WRITE_LIMIT_MS };
    const { result, speakers, unknown } = await runTask(
      'name-speakers',
      { folder: filesOf(jobId), result: before.body, names },
      watch,
    );
    if (speakers.length === 0) throw noSpeakers();
    if (unknown.length > 0) throw noSuchSpeaker(unknown, speakers);
    return storage.transaction((tx) => {
      const changed = replaceResult(tx, jobId, before, { body: result }, clock.now());
      if (changed === null) return null;
      search.onTerminal(tx, changed.job, changed.stored);
      return speakers;
    });
  }
}

function noSuchSpeaker(unknown: readonly string[], speakers: readonly Speaker[]): QuarryError {
  const message = say`No speaker has this name. The speakers are: ${speakers.map(({ name }) => name).join(', ')}.`;
  return invalidRequest(unknown.map((name) => ({ path: `names.${name}`, message })));
}

function noSpeakers(): QuarryError {
  return new QuarryError('conflict', 'The job has no speakers. Run it again with the option speakers.');
}
