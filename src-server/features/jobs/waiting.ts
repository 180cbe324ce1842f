/**
 * Jobs that wait for an installation, or for a node that has what this machine lacks. Nothing polls: the end of an
 * installation, a change in the models folder or of the nodes, a start and a look at the needs each compare what is
 * there with what was there when a job began to wait.
 */

import { jobNameOf, type Operation, WAITING_STAGE } from '../../operation.ts';
import { type Clock, toIsoTime } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import type { ErrorCode } from '../../platform/error-codes.ts';
import { QuarryError } from '../../platform/errors.ts';
import { invalidRequest } from '../../platform/http/validate.ts';
import type { InstallChoice, Need } from '../../platform/install-choice.ts';
import { Listeners } from '../../platform/listeners.ts';
import { type DownloadProgress, isDownloadUnderWay } from '../../platform/net/download.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { saidElsewhere, saidTogether, say, tell } from '../../platform/text/say.ts';
import { type Lack, type Needs, offerOf } from '../models/schema.ts';
import type { JobChanges } from './changes.ts';
import type { NodeAwayError, NodeStanding } from './node-standing.ts';
import { isTerminal, type WaitingFor } from './schema.ts';
import { changeJob, type JobRow, jobById, jobBySeq, waitingJobs } from './store.ts';
import { releaseWaitingJob } from './transition.ts';

/** At most one write per waiting job in this span while its download goes on. */
const SHOW_EVERY_MS = 500;

/** How the owner wants a job to deal with something missing: `Prefer: install`, or `install=ask`. */
export type InstallPreference = 'install' | 'ask';

/** Stored with a job that may wait. */
interface OnMissing {
  preference: InstallPreference;
  /** Names of what was installed for this job. It does not wait for any of them again. */
  tried: readonly string[];
}

/** Stored with a job that waits. */
interface Waiting {
  need: Need;
  language: string | null;
  reason: string;
  choices: readonly InstallChoice[];
  /** What was there, or on nodes, when the job began to wait. */
  present: readonly string[];
  /** The choice whose installation was started, also before a restart. */
  chosen: string | null;
  /** Why the installation could not be started. */
  trouble?: { code: ErrorCode; message: string };
  /** The nodes that have the models. Absent where none has. */
  away?: { nodes: readonly string[]; models: readonly string[] };
}

/** What becomes of a job that found something missing. */
export type MissingOutcome =
  | ({ kind: 'wait' } & StoredWait)
  /** It was installed meanwhile. */
  | { kind: 'again'; onMissing: string }
  /** What should do is installed, and does not. */
  | { kind: 'unusable'; error: QuarryError };

/** The columns of a job that waits. */
export interface StoredWait {
  onMissing: string | null;
  waitingFor: string;
  message: string;
}

export interface WaitingJobsDeps {
  storage: Storage;
  operations: readonly Operation[];
  clock: Clock;
  changes: JobChanges;
  needs: Needs;
  fleet: NodeStanding;
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

/** A job that waits, as an alert names it. */
export interface WaitingJob extends Omit<Waiting, 'present' | 'chosen' | 'away'>, Pick<WaitingFor, 'nodes'> {
  jobId: string;
  jobName: string;
}

export class WaitingJobs {
  /** Hears that a job began to wait, or that jobs were released. */
  readonly changed = new Listeners<void>();
  readonly #deps: WaitingJobsDeps;
  /** Called after jobs were released. */
  readonly #onReleased: () => void;
  #stopProgress: (() => void) | null = null;
  #stopFolder: (() => void) | null = null;
  #stopNodes: (() => void) | null = null;
  #look: Promise<void> | null = null;
  #lookAgain = false;
  readonly #toShow = new Set<string>();
  #showing: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(deps: WaitingJobsDeps, onReleased: () => void) {
    this.#deps = deps;
    this.#onReleased = onReleased;
  }

  /** Continues the downloads of waiting jobs, and releases those whose wait ended while the server was stopped. */
  startWaitingJobs(): void {
    this.#stopProgress = this.#deps.needs.watchProgress((progress) => this.#onInstallProgress(progress));
    this.#stopNodes = this.#deps.fleet.watchNodeStanding(() => void this.look());
    const chosen = new Set(waitingJobs(this.#deps.storage.db).flatMap((job) => waitingOf(job).chosen ?? []));
    void this.look().then(() => {
      for (const name of chosen) {
        if (this.#jobsFor(name).length > 0) void this.#beginInstallation(name);
      }
    });
  }

  async closeWaitingJobs(): Promise<void> {
    this.#closed = true;
    this.#stopProgress?.();
    this.#stopNodes?.();
    this.#watchFolder(false);
    if (this.#showing) clearTimeout(this.#showing);
    await this.#look;
  }

  /** What an error says is missing; null when it says nothing, or when nothing can be done about it. */
  async lackOfError(error: unknown): Promise<Lack | null> {
    if (!(error instanceof QuarryError) || error.missing === undefined) return null;
    return this.#deps.needs.lookAt(error.missing);
  }

  /** How a new job deals with something missing that its run finds. */
  onMissing(preference: InstallPreference): string {
    return JSON.stringify({ preference, tried: [] } satisfies OnMissing);
  }

  /** How a new job waits for what is missing already; null when it cannot. */
  newWait(lack: Lack, preference: InstallPreference): (StoredWait & { onMissing: string }) | null {
    if (lack.installed.length > 0 || lack.choices.length === 0) return null;
    return this.#storedWait(lack, { preference, tried: [] });
  }

  /** What becomes of a run that failed with this error; null when the job fails as any other. */
  async missingOutcomeOf(job: JobRow, error: unknown): Promise<MissingOutcome | null> {
    if (job.on_missing === null) return null;
    const lack = await this.lackOfError(error).catch((cause: unknown) => {
      this.#deps.log.error({ err: cause, jobId: job.id }, 'What the job lacks could not be looked up. The job fails.');
      return null;
    });
    if (lack === null) return null;
    const { preference, tried } = parseOwnJson<OnMissing>(job.on_missing);
    const [broken] = lack.installed.filter((name) => tried.includes(name));
    if (broken !== undefined) return { kind: 'unusable', error: unusableInstalledError(broken, error) };
    if (lack.installed.length > 0) {
      return { kind: 'again', onMissing: JSON.stringify({ preference, tried: [...tried, ...lack.installed] }) };
    }
    return lack.choices.length === 0 ? null : { kind: 'wait', ...this.#storedWait(lack, { preference, tried }) };
  }

  /** How a job waits for a node that is away, or for what would do instead of it. */
  async waitForNode(job: JobRow, { message, lacks, nodes, models }: NodeAwayError): Promise<StoredWait> {
    const { need, language } = lacks;
    const present = [...(await this.#deps.needs.presentForNeed(need)), ...this.#deps.fleet.presentOnNodes(need)].map(
      ({ key }) => key,
    );
    const away = { nodes, models };
    const waiting: Waiting = { need, language, reason: message, choices: [], present, chosen: null, away };
    return { onMissing: job.on_missing, waitingFor: JSON.stringify(waiting), message };
  }

  #storedWait({ missing, reason, choices, present }: Lack, onMissing: OnMissing) {
    const { need, language } = missing;
    const there = [...present, ...this.#deps.fleet.presentOnNodes(need)].map(({ key }) => key);
    const waiting: Waiting = { need, language, reason, choices: [...choices], chosen: null, present: there };
    return {
      onMissing: JSON.stringify(onMissing),
      waitingFor: JSON.stringify(waiting),
      message: waitingMessageOf(waiting),
    };
  }

  /** Called after the commit of a job that waits. Never rejects: without an installation the job keeps waiting. */
  async onJobBeganWaiting(jobId: string): Promise<void> {
    this.changed.notifyListeners();
    try {
      if (!this.#closed) await this.#startInstallFor(jobId);
    } catch (error) {
      this.#deps.log.error({ err: error, jobId }, 'The installation for a waiting job could not be started.');
    }
  }

  /**
   * Installs a choice of a waiting job; without a name the recommended one. Errors: `conflict` for a job that does not
   * wait, `invalid_request` for another name, `storage_full`.
   */
  async installChoiceForJob(job: JobRow, name?: string): Promise<DownloadProgress> {
    if (job.waiting_for === null) {
      throw new QuarryError('conflict', 'The job does not wait for an installation any more. Read it again.');
    }
    const { choices, away, reason } = waitingOf(job);
    if (away !== undefined) throw new QuarryError('conflict', `${reason} Nothing has to be installed.`);
    const choice = name === undefined ? choices[0] : choices.find((one) => one.name === name);
    if (choice === undefined) {
      const message = tell`Choose one of: ${choices.map((one) => one.name).join(', ')}.`;
      throw invalidRequest([{ path: 'name', message }]);
    }
    const progress = await this.#deps.needs.installNeeded(choice.name).catch(async (error: unknown) => {
      // It may have been installed at this moment.
      await this.look();
      throw error;
    });
    this.#changeWaitersOf(choice.name, ({ trouble: _, ...waiting }) => ({ ...waiting, chosen: choice.name }));
    return progress;
  }

  /** Oldest first. */
  listWaitingJobs(): WaitingJob[] {
    return waitingJobs(this.#deps.storage.db).map((job) => {
      const { need, language, reason, choices, away } = waitingOf(job);
      return {
        jobId: job.id,
        jobName: jobNameOf(job, this.#deps.operations),
        need,
        language,
        reason,
        choices,
        nodes: [...(away?.nodes ?? [])],
      };
    });
  }

  countFor(need: Need): number {
    return waitingJobs(this.#deps.storage.db).filter((job) => waitingOf(job).need === need).length;
  }

  /** Releases the jobs for which something new is there. Concurrent calls share a look. */
  look(): Promise<void> {
    this.#lookAgain = true;
    this.#look ??= this.#lookAll().finally(() => {
      this.#look = null;
    });
    return this.#look;
  }

  async #lookAll(): Promise<void> {
    while (this.#lookAgain && !this.#closed) {
      this.#lookAgain = false;
      try {
        await this.#releaseReady();
      } catch (error) {
        this.#deps.log.error({ err: error }, 'Waiting jobs could not be checked. They wait for the next installation.');
      }
    }
  }

  async #releaseReady(): Promise<void> {
    const { storage, clock, changes, needs, fleet } = this.#deps;
    const waiting = waitingJobs(storage.db);
    this.#watchFolder(waiting.length > 0);
    if (waiting.length === 0) return;
    const wanted = [...new Set(waiting.map((job) => waitingOf(job).need))];
    const present = new Map(
      await Promise.all(wanted.map(async (need) => [need, await needs.presentForNeed(need)] as const)),
    );
    let released = 0;
    for (const { seq } of waiting) {
      const changed = storage.transaction((tx) => {
        const job = jobBySeq(tx, seq);
        if (job === undefined || job.waiting_for === null) return null;
        const before = waitingOf(job);
        const isFresh = ({ key }: { key: string }) => !before.present.includes(key);
        const fresh = (present.get(before.need) ?? []).filter(isFresh);
        // Its run finds out whether that would do.
        const isElsewhere = fleet.presentOnNodes(before.need).some(isFresh);
        if (before.away !== undefined) {
          const isAway = fleet.nodeStandingOf(job.operation_id, before.away.models) === 'away';
          const waits = isAway && fresh.length === 0 && !isElsewhere;
          return waits ? null : releaseWaitingJob(tx, job, job.on_missing, clock.now());
        }
        if (fresh.length === 0) return isElsewhere ? releaseWaitingJob(tx, job, job.on_missing, clock.now()) : null;
        const onMissing = parseOwnJson<OnMissing>(job.on_missing ?? '{}');
        const tried = [...onMissing.tried, ...fresh.map(({ name }) => name)];
        return releaseWaitingJob(tx, job, JSON.stringify({ ...onMissing, tried }), clock.now());
      });
      if (changed === null) continue;
      released += 1;
      changes.announceJobChange(changed.id, changed);
    }
    if (released > 0) {
      this.#onReleased();
      this.changed.notifyListeners();
    }
    if (released === waiting.length) this.#watchFolder(false);
  }

  async #startInstallFor(jobId: string): Promise<void> {
    const job = jobById(this.#deps.storage.db, jobId);
    if (job === undefined || job.waiting_for === null) return;
    const { preference } = parseOwnJson<OnMissing>(job.on_missing ?? '{}');
    const [recommended] = waitingOf(job).choices;
    if (preference === 'install' && recommended?.fits) await this.#beginInstallation(recommended.name);
    await this.look();
  }

  async #beginInstallation(name: string): Promise<void> {
    try {
      await this.#deps.needs.installNeeded(name);
      this.#changeWaitersOf(name, ({ trouble: _, ...waiting }) => ({ ...waiting, chosen: name }));
    } catch (error) {
      this.#deps.log.warn({ err: error, name }, 'An installation for waiting jobs could not be started.');
      const trouble = troubleOf(error);
      this.#changeWaitersOf(name, (waiting) => ({ ...waiting, trouble }), trouble.message);
    }
  }

  #onInstallProgress(progress: DownloadProgress): void {
    const { name, status } = progress;
    if (isDownloadUnderWay(progress)) this.#showSoon(name);
    else if (status === 'installed') void this.look();
    // A failed download starts again with the server, a cancelled one does not.
    else this.#changeWaitersOf(name, (waiting) => (status === 'cancelled' ? { ...waiting, chosen: null } : waiting));
  }

  #showSoon(name: string): void {
    this.#toShow.add(name);
    this.#showing ??= setTimeout(() => {
      this.#showing = null;
      const names = [...this.#toShow];
      this.#toShow.clear();
      for (const one of names) this.#changeWaitersOf(one, (waiting) => waiting);
    }, SHOW_EVERY_MS);
  }

  /** Changes all jobs that wait for this choice. @param trouble sentence after the message of the job */
  #changeWaitersOf(name: string, change: (waiting: Waiting) => Waiting, trouble = this.#troubleOf(name)): void {
    const { storage, clock, changes, log } = this.#deps;
    try {
      const rows = storage.transaction((tx) =>
        this.#jobsFor(name).map((job) => {
          const waiting = change(waitingOf(job));
          const progress = { progress_message: [waitingMessageOf(waiting), trouble].filter(Boolean).join(' ') };
          return changeJob(tx, job.seq, { waiting_for: JSON.stringify(waiting), ...progress }, clock.now());
        }),
      );
      for (const row of rows) changes.announceJobChange(row.id, row);
    } catch (error) {
      log.error({ err: error }, 'The progress of an installation could not be written.');
    }
  }

  /** Why the last installation did not end well; empty while one runs. */
  #troubleOf(name: string): string {
    const progress = this.#deps.needs.neededProgress(name);
    if (progress?.status === 'cancelled') return 'The download was cancelled.';
    return progress?.error?.message ?? '';
  }

  #jobsFor(name: string): JobRow[] {
    return waitingJobs(this.#deps.storage.db).filter((job) => waitingOf(job).choices.some((one) => one.name === name));
  }

  #watchFolder(wanted: boolean): void {
    if (wanted === (this.#stopFolder !== null) || (wanted && this.#closed)) return;
    this.#stopFolder?.();
    this.#stopFolder = wanted ? this.#deps.needs.watchFolder(() => void this.look()) : null;
  }
}

/** `waitingFor` of the job object. */
export function presentWaiting(
  job: Pick<JobRow, 'waiting_for' | 'on_missing' | 'status' | 'progress_stage' | 'progress_message' | 'created_at'>,
  progressOf: (name: string) => DownloadProgress | null,
): { waitingFor: WaitingFor } | Record<string, never> {
  if (job.waiting_for !== null) {
    const waiting = parseOwnJson<Waiting>(job.waiting_for);
    if (waiting.away !== undefined) return { waitingFor: forNode(waiting) };
    const { preference } = parseOwnJson<Partial<OnMissing>>(job.on_missing ?? '{}');
    // A download that ended before this job says nothing of it. It may have begun before it.
    const since = toIsoTime(job.created_at);
    const ownInstallChoice = (name: string) => {
      const progress = progressOf(name);
      return progress !== null && (progress.endedAt === null || progress.endedAt >= since) ? progress : null;
    };
    return { waitingFor: forInstallation(waiting, preference === 'install', ownInstallChoice) };
  }
  if (isTerminal(job.status) || job.progress_stage !== WAITING_STAGE) return {};
  const thread = { kind: 'thread', name: 'thread', title: 'A free thread' } as const;
  return { waitingFor: { ...thread, reason: job.progress_message, choices: [], nodes: [] } };
}

/** Whether a job that was to install what it lacks cannot: `waitingFor` has the problem. A node may come back. */
export function isStuck(
  job: Parameters<typeof presentWaiting>[0],
  progressOf: Parameters<typeof presentWaiting>[1],
): boolean {
  const { preference } = parseOwnJson<Partial<OnMissing>>(job.on_missing ?? '{}');
  const { waitingFor } = presentWaiting(job, progressOf);
  return preference === 'install' && waitingFor?.problem !== undefined && waitingFor.kind !== 'node';
}

function forInstallation(
  { need, language, reason, choices: offered, chosen, trouble }: Waiting,
  startsByItself: boolean,
  progressOf: (name: string) => DownloadProgress | null,
): WaitingFor {
  const choices = [...offered];
  const downloads = choices.flatMap(({ name }) => progressOf(name) ?? []);
  const running = downloads.find(isDownloadUnderWay);
  const last = downloads.toSorted((one, other) => other.startedAt.localeCompare(one.startedAt))[0];
  const name = (running ?? last)?.name ?? chosen;
  const choice = choices.find((one) => one.name === name) ?? choices[0];
  const title = choice?.title ?? reason;
  const isBeginning = last === undefined && trouble === undefined && (chosen !== null || startsByItself);
  const begins = isBeginning && choice?.fits === true;
  const problem = problemOf({ title, fits: choice?.fits ?? false }, last, trouble);
  return {
    kind: choice?.kind === 'tool' ? 'program' : 'model',
    name: choice?.name ?? need,
    title,
    reason,
    sizeBytes: choice?.sizeBytes,
    ...(running !== undefined ? { percent: percentOf(running) } : begins ? { percent: 0 } : { problem }),
    need,
    language,
    choices,
    nodes: [],
  };
}

function percentOf({ receivedBytes, totalBytes }: DownloadProgress): number {
  return Math.min(100, Math.round((1000 * receivedBytes) / Math.max(1, totalBytes)) / 10);
}

/** Why nothing is installed, and what ends the wait. */
function problemOf(
  { title, fits }: { title: string; fits: boolean },
  last: DownloadProgress | undefined,
  trouble: Waiting['trouble'],
): WaitingFor['problem'] {
  const end = say`Install ${title} on the Models page or with POST /admin/jobs/{jobId}/install, or cancel the job.`;
  const told = (message: string) => saidTogether([saidElsewhere(message), end]);
  if (last?.status === 'cancelled') return { code: 'cancelled', message: told(say`The download was cancelled.`) };
  if (last?.status === 'failed' && last.error !== null) {
    return { code: last.error.code, message: told(last.error.message) };
  }
  if (trouble !== undefined) return { code: trouble.code, message: told(trouble.message) };
  return { code: 'model_not_installed', message: fits ? end : told(say`${title} does not fit this machine.`) };
}

function forNode({ need, language, reason, away }: Waiting): WaitingFor {
  const nodes = [...(away?.nodes ?? [])];
  const list = new Intl.ListFormat('en', { type: 'disjunction' }).format(nodes);
  return {
    kind: 'node',
    name: nodes[0] ?? '',
    title: nodes.length === 1 ? say`The node ${list}` : say`One of the nodes ${list}`,
    reason,
    problem: {
      code: 'engine_unavailable',
      message: saidTogether([saidElsewhere(reason), say`The job runs once ${list} is back.`]),
    },
    need,
    language,
    choices: [],
    nodes,
  };
}

function waitingOf({ waiting_for: stored }: JobRow): Waiting {
  return parseOwnJson<Waiting>(stored ?? '{}');
}

/** `Waits for Whisper base (161 MB).` */
function waitingMessageOf({ choices, chosen }: Waiting): string {
  const choice = choices.find(({ name }) => name === chosen) ?? choices[0];
  if (choice === undefined) return '';
  const waits = say`Waits for ${offerOf(choice)}.`;
  return choice.fits ? waits : saidTogether([waits, say`It does not fit this machine.`]);
}

function unusableInstalledError(name: string, cause: unknown): QuarryError {
  const code = cause instanceof QuarryError ? cause.code : 'model_not_installed';
  const message = say`${name} is installed, but it cannot be used here. Remove it on the Models page and install
    another.`;
  return new QuarryError(code, message, { cause });
}

function troubleOf(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof QuarryError) return { code: error.code, message: error.message };
  return { code: 'internal', message: 'Its installation could not be started.' };
}
