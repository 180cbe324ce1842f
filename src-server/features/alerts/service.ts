/**
 * Alerts: what the owner must mend. An alert is about one subject, is raised once and cleared once, and is kept in the
 * database, so a restart repeats neither. Ends of jobs and outcomes of deliveries raise alerts in their own
 * transactions. The disk and missing installations are looked at every minute, and when an installation ends.
 */

import { OWNER } from '../../context.ts';
import { type EnvironmentName, jobNameOf, type Operation } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { errorFaultOf } from '../../platform/error-codes.ts';
import type { FreeDisk } from '../../platform/files/uploads.ts';
import { newId } from '../../platform/ids.ts';
import type { InstallChoice, Missing } from '../../platform/install-choice.ts';
import { Listeners } from '../../platform/listeners.ts';
import type { Logger } from '../../platform/log.ts';
import { isDownloadUnderWay } from '../../platform/net/download.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { DAY_MS, MIB, MINUTE_MS } from '../../platform/units.ts';
import type { JobError } from '../jobs/schema.ts';
import type { Jobs } from '../jobs/service.ts';
import type { Lack, Needs } from '../models/schema.ts';
import type { AlertEvent, EndpointListener, FailingEndpoint, JobPieces } from '../webhooks/schema.ts';
import type { Webhooks } from '../webhooks/service.ts';
import { presentAlert } from './present.ts';
import type { Alert, AlertFacts, AlertKind, AlertList, EndedJob, InstallNeeded } from './schema.ts';
import {
  type AlertRow,
  alertFactsOf,
  alertsById,
  changeAlert,
  clearedAlerts,
  deleteOldAlerts,
  insertAlert,
  openAlert,
  openAlerts,
} from './store.ts';

const LOOK_EVERY_MS = MINUTE_MS;

const RECENT_MAX = 50;

const CLEARED_KEPT = 500;

/** An alert about failed jobs lasts at least this long after the last failure, so that single failures do not flap. */
const QUIET_MS = 10 * MINUTE_MS;

/** An alert about jobs is cleared when none has failed for so long. */
const FORGOTTEN_MS = DAY_MS;

/** A disk has enough space again with this share of the limit free. */
const ENOUGH_SHARE = 1.25;

const DISK = 'disk';

const BACKUP = 'backup';

export interface AlertsDeps {
  environment: EnvironmentName;
  storage: Storage;
  clock: Clock;
  log: Pick<Logger, 'error'>;
  operations: readonly Operation[];
  needs: Needs;
  /** The disk of the data folder; null where another environment looks at it. */
  freeDisk: FreeDisk | null;
  settings(): { lowDiskMb: number };
  jobs: Pick<Jobs, 'waiting'>;
  webhooks: Pick<Webhooks, 'onAlert' | 'kick'>;
}

export class Alerts implements EndpointListener {
  /** Hears that alerts were raised, changed or cleared. */
  readonly changed = new Listeners<void>();
  readonly #deps: AlertsDeps;
  #timer: NodeJS.Timeout | null = null;
  #stops: readonly (() => void)[] = [];
  #look: Promise<void> | null = null;
  #lookAgain = false;
  #closed = false;

  constructor(deps: AlertsDeps) {
    this.#deps = deps;
  }

  startAlerts(): void {
    const { needs, jobs } = this.#deps;
    this.#timer = setInterval(() => void this.checkAlerts(), LOOK_EVERY_MS).unref();
    this.#stops = [
      needs.watchProgress((progress) => {
        if (!isDownloadUnderWay(progress)) void this.checkAlerts();
      }),
      jobs.waiting.changed.addListener(() => void this.checkAlerts()),
    ];
    void this.checkAlerts();
  }

  async closeAlerts(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    for (const stop of this.#stops) stop();
    this.#closed = true;
    this.#lookAgain = false;
    await this.#look;
  }

  /** All open alerts, and the newest that were cleared, as things are now. */
  async readAlertList(): Promise<AlertList> {
    await this.checkAlerts();
    const { db } = this.#deps.storage;
    const presentRow = (row: AlertRow) => this.#presentAlertRow(row);
    return { open: openAlerts(db).map(presentRow), recent: clearedAlerts(db, RECENT_MAX).map(presentRow) };
  }

  /** The bodies of deliveries. Alerts that are gone are left out. */
  presentAlertBodies(ids: readonly string[]): ReadonlyMap<string, JobPieces> {
    const rows = alertsById(this.#deps.storage.db, ids.filter(isAlertId));
    const noFiles = { from: '', to: '' };
    return new Map(
      rows.map((row) => [row.id, { head: { ...this.#presentAlertRow(row) }, result: null, fileUrls: noFiles }]),
    );
  }

  /** @param missing what the job lacked */
  jobEnded(tx: Tx, job: EndedJob, missing: Missing | null): void {
    if (job.status === 'completed') this.#jobCompleted(tx, job);
    if (job.error === null || this.#deps.operations.find(({ id }) => id === job.operation_id)?.mode !== 'job') return;
    const { code, message } = parseOwnJson<JobError>(job.error);
    if (code === 'cancelled') return;
    if (missing !== null) this.#jobLacked(tx, job, missing, message);
    // Jobs of other accounts raise an alert only for faults of the appliance.
    else if (job.account_id === OWNER.accountId || errorFaultOf(code) === 'appliance')
      this.#jobFailed(tx, job, message);
  }

  #jobFailed(tx: Tx, job: EndedJob, reason: string): void {
    const open = openAlert(tx, 'jobs-failing', job.operation_id);
    const failures = 1 + (open === undefined ? 0 : alertFactsOf<'jobs-failing'>(open).failures);
    const last = {
      jobId: job.id,
      jobName: jobNameOf(job, this.#deps.operations),
      reason,
      failedAt: this.#alertClockTime,
      isMended: false,
    };
    this.#raiseAlert(tx, job.operation_id, { kind: 'jobs-failing', operationId: job.operation_id, failures, ...last });
  }

  /** Removing the last failed job says that the owner has seen to it. */
  jobRemoved(tx: Tx, jobId: string): void {
    for (const row of openAlerts(tx)) {
      const facts = parseOwnJson<AlertFacts>(row.facts);
      if ('jobId' in facts && facts.jobId === jobId) this.#clearAlert(tx, row);
    }
  }

  onEndpointFailing(tx: Tx, endpoint: FailingEndpoint): void {
    this.#raiseAlert(tx, endpoint.webhookId, { kind: 'endpoint-failing', ...endpoint });
  }

  onEndpointMended(tx: Tx, webhookId: string): void {
    const open = openAlert(tx, 'endpoint-failing', webhookId);
    if (open !== undefined) this.#clearAlert(tx, open);
  }

  /** @param failure of the scheduled backup; null when it is complete, or turned off */
  backupEnded(failure: string | null): void {
    const open = openAlert(this.#deps.storage.db, 'backup-failed', BACKUP);
    if (failure !== null)
      this.#changeAlerts((tx) => this.#raiseAlert(tx, BACKUP, { kind: 'backup-failed', reason: failure }));
    else if (open !== undefined) this.#changeAlerts((tx) => this.#clearAlert(tx, open));
  }

  /** Looks at what no event reports. Concurrent calls share a look that begins after the last of them. */
  async checkAlerts(): Promise<void> {
    if (this.#closed) return;
    this.#lookAgain = true;
    this.#look ??= this.#lookAll().finally(() => {
      this.#look = null;
    });
    return this.#look;
  }

  async #lookAll(): Promise<void> {
    while (this.#lookAgain) {
      this.#lookAgain = false;
      for (const one of [this.#lookAtDisk, this.#lookAtNeeds, this.#lookAtJobs]) {
        try {
          await one.call(this);
        } catch (error) {
          this.#deps.log.error({ err: error }, 'What alerts are about could not be looked at. The next look follows.');
        }
      }
    }
  }

  async #lookAtDisk(): Promise<void> {
    const { freeDisk, settings, storage } = this.#deps;
    if (freeDisk === null) return;
    const limitBytes = settings().lowDiskMb * MIB;
    const { freeBytes } = await freeDisk();
    const open = openAlert(storage.db, 'disk-low', DISK);
    const isLow = freeBytes < limitBytes;
    const isEnough = freeBytes >= limitBytes * ENOUGH_SHARE;
    if (isLow && open === undefined) {
      this.#changeAlerts((tx) => this.#raiseAlert(tx, DISK, { kind: 'disk-low', freeBytes, limitBytes }));
    }
    if (isEnough && open !== undefined) this.#changeAlerts((tx) => this.#clearAlert(tx, open));
  }

  async #lookAtNeeds(): Promise<void> {
    const { storage, needs, jobs, clock } = this.#deps;
    const waiting = Map.groupBy(jobs.waiting.listWaitingJobs(), subjectOf);
    const open = openAlerts(storage.db, 'install-needed');
    if (waiting.size === 0 && open.length === 0) return;
    const unwaited: { row: AlertRow; lack: Lack | null }[] = [];
    for (const row of open.filter(({ subject }) => !waiting.has(subject))) {
      const { missing } = alertFactsOf<'install-needed'>(row);
      const isOver = missing === null || clock.now() - row.updated_at >= FORGOTTEN_MS;
      unwaited.push({ row, lack: isOver ? null : await needs.lookAt(missing) });
    }
    this.#changeAlerts((tx) => {
      for (const [subject, [first, ...others]] of waiting) {
        if (first === undefined) continue;
        const { jobId, jobName, reason, choices } = first;
        const forNode = [first, ...others].every(({ nodes }) => nodes.length > 0);
        const before = openAlert(tx, 'install-needed', subject);
        const missing = before === undefined ? null : alertFactsOf<'install-needed'>(before).missing;
        const facts = { reason, jobId, jobName, missing, choice: choices[0] ?? null };
        this.#raiseAlert(tx, subject, { kind: 'install-needed', waitingJobs: 1 + others.length, forNode, ...facts });
      }
      for (const { row, lack } of unwaited) {
        // Another job may have failed without it meanwhile.
        if (openAlert(tx, row.kind, row.subject)?.facts !== row.facts) continue;
        if (lack === null || lack.installed.length > 0) this.#clearAlert(tx, row);
        else this.#offerInstallChoice(tx, row, lack.choices[0] ?? null);
      }
    });
  }

  /** The age of the alert is that of its last failure, so `updated_at` stays. */
  #offerInstallChoice(tx: Tx, row: AlertRow, choice: InstallChoice | null): void {
    const facts = JSON.stringify({ ...alertFactsOf<'install-needed'>(row), waitingJobs: 0, choice });
    if (facts === row.facts) return;
    changeAlert(tx, row, { facts });
    this.changed.notifyListeners();
  }

  #lookAtJobs(): void {
    const over = openAlerts(this.#deps.storage.db, 'jobs-failing').filter((row) => {
      const { failedAt, isMended } = alertFactsOf<'jobs-failing'>(row);
      return this.#alertClockTime - failedAt >= (isMended ? QUIET_MS : FORGOTTEN_MS);
    });
    if (over.length === 0) return;
    this.#changeAlerts((tx) => {
      for (const row of over) this.#clearAlert(tx, row);
    });
  }

  #jobCompleted(tx: Tx, { id, operation_id: operationId }: EndedJob): void {
    const open = openAlert(tx, 'jobs-failing', operationId);
    if (open === undefined) return;
    const facts = alertFactsOf<'jobs-failing'>(open);
    if (facts.jobId === id || this.#alertClockTime - facts.failedAt >= QUIET_MS) this.#clearAlert(tx, open);
    else if (!facts.isMended) changeAlert(tx, open, { facts: JSON.stringify({ ...facts, isMended: true }) });
  }

  #jobLacked(tx: Tx, job: EndedJob, missing: Missing, reason: string): void {
    const subject = subjectOf(missing);
    const open = openAlert(tx, 'install-needed', subject);
    const before: Pick<InstallNeeded, 'waitingJobs' | 'forNode' | 'choice'> | null =
      open === undefined ? null : alertFactsOf<'install-needed'>(open);
    const { waitingJobs, forNode, choice } = before ?? { waitingJobs: 0, forNode: false, choice: null };
    const last = { jobId: job.id, jobName: jobNameOf(job, this.#deps.operations), reason, missing };
    this.#raiseAlert(tx, subject, { kind: 'install-needed', waitingJobs, forNode, choice, ...last });
    // After the transaction: finds what to install.
    queueMicrotask(() => void this.checkAlerts());
  }

  /** Raises an alert, or changes what the open alert about the subject says. */
  #raiseAlert(tx: Tx, subject: string, facts: AlertFacts): void {
    const text = JSON.stringify(facts);
    const now = this.#alertClockTime;
    const open = openAlert(tx, facts.kind, subject);
    if (open?.facts === text) return;
    if (open !== undefined) changeAlert(tx, open, { facts: text, updated_at: now });
    else {
      const id = newId('alr');
      const { kind } = facts;
      insertAlert(tx, { id, kind, subject, facts: text, raised_at: now, updated_at: now, cleared_at: null });
      this.#deliverAlertEvent(tx, { id, kind, subject }, 'alert.raised');
    }
    this.changed.notifyListeners();
  }

  #clearAlert(tx: Tx, row: AlertRow): void {
    changeAlert(tx, row, { updated_at: this.#alertClockTime, cleared_at: this.#alertClockTime });
    deleteOldAlerts(tx, CLEARED_KEPT);
    this.#deliverAlertEvent(tx, row, 'alert.cleared');
    this.changed.notifyListeners();
  }

  /** Not to the webhook that the alert is about: it would fail again, and again be told. */
  #deliverAlertEvent(
    tx: Tx,
    { id, kind, subject }: { id: string; kind: AlertKind; subject: string },
    event: AlertEvent,
  ): void {
    const exceptWebhookId = kind === 'endpoint-failing' ? subject : null;
    this.#deps.webhooks.onAlert(tx, { alertId: id, event, at: this.#alertClockTime, exceptWebhookId });
  }

  #changeAlerts(work: (tx: Tx) => void): void {
    this.#deps.storage.transaction(work);
    this.#deps.webhooks.kick();
  }

  #presentAlertRow(row: AlertRow): Alert {
    const { environment, operations, needs } = this.#deps;
    const isInstalling = (name: string) => {
      const progress = needs.neededProgress(name);
      return progress !== null && isDownloadUnderWay(progress);
    };
    return presentAlert(row, { environment, operations, isInstalling });
  }

  get #alertClockTime(): number {
    return this.#deps.clock.now();
  }
}

const ID_PREFIX = 'alr_';

function isAlertId(id: string): boolean {
  return id.startsWith(ID_PREFIX);
}

function subjectOf({ need, language }: Pick<Missing, 'need' | 'language'>): string {
  return language === null ? need : `${need} ${language}`;
}
