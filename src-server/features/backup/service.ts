/**
 * Backups at intervals. The time of the last one is the name of its folder, so a restart neither repeats nor forgets
 * one. A failed one is tried again after a pause.
 */

import { mkdir, readdir, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type Clock, toIsoTime } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import { dropStagedData, replacedDataFolders, stagedDataFrom } from '../../platform/files/staged-data.ts';
import type { Logger } from '../../platform/log.ts';
import { threadLine } from '../../platform/rpc/lines.ts';
import { OnDemand } from '../../platform/rpc/rpc.ts';
import { say, tell } from '../../platform/text/say.ts';
import { HOUR_MS, MINUTE_MS } from '../../platform/units.ts';
import type { BackupApi } from './backup-thread.ts';
import { backupFailureOf } from './failure.ts';
import type { BackupsView } from './schema.ts';

const LOOK_EVERY_MS = MINUTE_MS;

const RETRY_AFTER_MS = 15 * MINUTE_MS;

/** Longest wait for the thread at the end of the server. What it wrote so far is removed by the next backup. */
const STOP_GRACE_MS = 2000;

/** `quarry-2026-11-28T21-00-00-000Z` */
const NAME = /^quarry-(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)-(\d{3}Z)$/;

/** What a killed server left. */
const UNFINISHED = /^quarry-[\dTZ-]+\.(?:part-.*|old)$/;

export interface BackupSettings {
  backupFolder: string | null;
  backupEveryHours: number;
  backupsKept: number;
}

interface ScheduledBackupsDeps {
  dataDir: string;
  workerEntry: URL;
  clock: Clock;
  log: Pick<Logger, 'info' | 'error'>;
  settings(): BackupSettings;
  /** Called with the reason of a failure, and with null after a success or when backups are turned off. */
  onOutcome(failure: string | null): void;
}

export class ScheduledBackups {
  readonly #deps: ScheduledBackupsDeps;
  readonly #thread: OnDemand<BackupApi>;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #failedAt: number | null = null;
  #failedFor = '';
  #failure: string | null = null;
  #closed = false;
  #isMaking = false;
  /** One that is prepared, or could not be. */
  #restore: BackupsView['restore'] = null;
  #preparing: Promise<void> | null = null;

  constructor(deps: ScheduledBackupsDeps) {
    this.#deps = deps;
    const entry = new URL(
      `../src-server/features/backup/backup-thread${extname(deps.workerEntry.pathname)}`,
      deps.workerEntry,
    );
    const backupThreadEndedError = () => new QuarryError('internal', tell`The thread of backups has ended.`);
    this.#thread = new OnDemand<BackupApi>(threadLine(entry, { name: 'backup' }, { graceMs: STOP_GRACE_MS }), {
      ended: backupThreadEndedError,
    });
  }

  startScheduledBackups(): void {
    this.#timer = setInterval(() => void this.runDueBackup(), LOOK_EVERY_MS).unref();
    void this.runDueBackup();
  }

  async closeScheduledBackups(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#thread.closePeer();
    await this.#running;
    await this.#preparing;
  }

  /** Makes a backup if one is due. Concurrent calls share it. */
  async runDueBackup(): Promise<void> {
    if (this.#closed) return;
    this.#running ??= this.#lookOnce(false).finally(() => {
      this.#running = null;
      this.#isMaking = false;
    });
    return this.#running;
  }

  /**
   * Begins a backup now, after one that is under way. Resolves when it has begun. Errors: `conflict` without a folder.
   */
  startBackup(): void {
    if (this.#deps.settings().backupFolder === null) {
      throw new QuarryError('conflict', say`No backup folder is set. Choose one in the settings first.`);
    }
    if (this.#isMaking || this.#closed) return;
    this.#isMaking = true;
    const before = this.#running ?? Promise.resolve();
    this.#running = before
      .then(() => this.#lookOnce(true))
      .finally(() => {
        this.#running = null;
        this.#isMaking = false;
      });
  }

  /**
   * Copies and checks a backup in the background. It takes the place of the data at the next start; until then nothing
   * changes. Errors: `not_found` for the backup, `conflict` while a backup is made or prepared.
   */
  async startRestore(name: string): Promise<void> {
    const { backupFolder: folder } = this.#deps.settings();
    const found = folder === null ? [] : await backupsIn(folder).catch(() => []);
    if (folder === null || !found.some((one) => one.name === name)) {
      throw new QuarryError('not_found', say`There is no such backup in the backup folder.`);
    }
    if (this.#isMaking || this.#restore?.state === 'preparing' || this.#closed) {
      throw new QuarryError('conflict', say`A backup is being made or checked. Try again when it is done.`);
    }
    const { dataDir, clock, log } = this.#deps;
    dropStagedData(dataDir);
    this.#restore = { name, state: 'preparing', failure: null };
    const request = { folder: join(folder, name), dataDir, now: clock.now() };
    this.#preparing = this.#thread.remoteMethods
      .prepare(request)
      .catch((error: unknown) => {
        log.error({ err: error }, 'A restore could not be prepared.');
        return say`The backup cannot be brought back. The log says why.`;
      })
      .then((failure) => {
        this.#restore = failure === null ? null : { name, state: 'failed', failure };
      });
  }

  /** The data stays as it is. Errors: `conflict` while the backup is checked. */
  cancelRestore(): void {
    if (this.#restore?.state === 'preparing') {
      throw new QuarryError('conflict', say`The backup is being checked. Try again when that is done.`);
    }
    this.#restore = null;
    dropStagedData(this.#deps.dataDir);
  }

  #restoreView(): BackupsView['restore'] {
    if (this.#restore !== null) return this.#restore;
    const name = stagedDataFrom(this.#deps.dataDir);
    return name === null ? null : { name, state: 'ready', failure: null };
  }

  /** What the owner sees: the backups that are there, newest first, and how the last one ended. */
  async backupsView(): Promise<BackupsView> {
    const { backupFolder: folder } = this.#deps.settings();
    const found = folder === null ? [] : await backupsIn(folder).catch(() => null);
    return {
      folder,
      isReadable: found !== null,
      isMaking: this.#isMaking,
      failure: this.#failure,
      restore: this.#restoreView(),
      replaced: replacedDataFolders(this.#deps.dataDir),
      backups: (found ?? []).toReversed().map(({ name, at }) => ({ name, createdAt: toIsoTime(at) })),
    };
  }

  async #lookOnce(isWanted: boolean): Promise<void> {
    const { backupFolder: folder, ...when } = this.#deps.settings();
    if (folder === null) return this.#deps.onOutcome(null);
    const now = this.#deps.clock.now();
    // Another folder may be one that works.
    if (!isWanted && this.#failedAt !== null && this.#failedFor === folder && now - this.#failedAt < RETRY_AFTER_MS)
      return;
    const due = isWanted ? { ...when, backupEveryHours: 0 } : when;
    const failure = await this.#backUpIfDue(folder, now, due).catch((error: unknown) => {
      this.#deps.log.error({ err: error }, 'A scheduled backup failed.');
      return backupFailureOf(error) ?? say`The backup failed. The log says why.`;
    });
    if (this.#closed) return;
    this.#failedAt = failure === null ? null : now;
    this.#failedFor = folder;
    this.#failure = failure;
    this.#deps.onOutcome(failure);
  }

  async #backUpIfDue(folder: string, now: number, when: Omit<BackupSettings, 'backupFolder'>): Promise<string | null> {
    // A disk that is not mounted leaves its empty mount point, or nothing: the parent must be there.
    await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    const last = (await backupsIn(folder)).at(-1);
    if (last !== undefined && now - last.at < when.backupEveryHours * HOUR_MS) return null;
    for (const part of (await readdir(folder)).filter((one) => UNFINISHED.test(one))) {
      await rm(join(folder, part), { recursive: true, force: true });
    }
    this.#isMaking = true;
    const name = `quarry-${new Date(now).toISOString().replace(/[:.]/g, '-')}`;
    const request = { dataDir: this.#deps.dataDir, folder: join(folder, name), withModels: false, now };
    const failure = await this.#thread.remoteMethods.create(request);
    if (failure !== null) return failure;
    this.#deps.log.info({ name }, 'backup');
    for (const old of (await backupsIn(folder)).slice(0, -when.backupsKept)) {
      await rm(join(folder, old.name), { recursive: true, force: true });
    }
    return null;
  }
}

/** The backups of a folder, oldest first. */
async function backupsIn(folder: string): Promise<{ name: string; at: number }[]> {
  const found = (await readdir(folder)).flatMap((name) => {
    const at = Date.parse(name.replace(NAME, '$1$2:$3:$4.$5'));
    return NAME.test(name) && !Number.isNaN(at) ? [{ name, at }] : [];
  });
  return found.sort((one, other) => one.at - other.at);
}
