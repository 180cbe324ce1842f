import type { Logger } from 'pino';
import { BASE_PATHS, type EnvironmentName, type JobDraft, QuarryError, type Settings } from './contract/index.ts';
import type { RunTask } from './engines/worker-pool.ts';
import type { PaymentGate, Service } from './http/service.ts';
import { createExecution } from './job-execution.ts';
import { accept } from './jobs/accept.ts';
import { JobChanges } from './jobs/changes.ts';
import { Jobs } from './jobs/jobs.ts';
import { Retention } from './jobs/retention.ts';
import { Runner } from './jobs/runner.ts';
import type { Clock } from './lib/clock.ts';
import { newId } from './lib/ids.ts';
import { HOUR_MS, MINUTE_MS } from './lib/units.ts';
import { createLimits, type Limits } from './limits/limits.ts';
import type { Operation } from './operations/operation.ts';
import type { GuardedClient } from './sources/guarded-client.ts';
import { sniffFile } from './sources/sniff.ts';
import { createUploads, type Uploads } from './sources/uploads.ts';
import type { Storage } from './storage/connection.ts';
import { JobFolders } from './storage/job-folders.ts';
import { type JobRow, jobById } from './storage/jobs-reader.ts';
import type { Tx } from './storage/schema.ts';

/** Parsing a request's body is part of answering it: it may take this long once it has a thread. */
const BODY_PARSE_LIMIT_MS = MINUTE_MS;

export interface EnvironmentParts {
  name: EnvironmentName;
  /** This environment's own folder inside the data folder. */
  folder: string;
  storage: Storage;
  clock: Clock;
  log: Logger;
  operations: readonly Operation[];
  runTask: RunTask;
  client: GuardedClient;
  settings(): Readonly<Settings>;
  /** Origin that absolute URLs begin with. */
  origin(): string;
}

/** Everything of production, or of staging: the two share code, threads and the process, and no data. */
export interface Environment {
  service: Service;
  limits: Limits;
  /** Puts in order what a dead process left, then begins to work. */
  start(): Promise<void>;
  close(deadlineMs: number): Promise<void>;
}

export async function openEnvironment(parts: EnvironmentParts): Promise<Environment> {
  const { storage, clock, log, operations } = parts;
  const folders = new JobFolders(`${parts.folder}/jobs`);
  const uploads = await createUploads({ folder: `${parts.folder}/uploads`, clock });
  const changes = new JobChanges();
  const limits = createLimits({ storage, clock });
  const retentionMs = () => parts.settings().retentionHours * HOUR_MS;
  const onTerminal = async (_tx: Tx, _job: JobRow) => {};
  const runner = new Runner({
    storage,
    clock,
    changes,
    instanceId: newId('run'),
    concurrencyOf: (accountId) => limits.concurrencyOf(accountId),
    execute: createExecution({ ...parts, folders }),
    limitsOf: (operationId) => runLimits(operations, operationId),
    onTerminal,
    retentionMs,
    log,
  });
  const retention = new Retention({ storage, folders, clock, log, onRemoved: async () => {} });
  const baseUrl = () => parts.origin() + BASE_PATHS[parts.name];
  const jobs = new Jobs({ storage, clock, changes, runner, retention, baseUrl });
  const insert = async (tx: Tx, draft: JobDraft, paymentId: string | null) =>
    accept(tx, draft, {
      now: clock.now(),
      lane: operationOf(operations, draft.operationId).lane,
      paymentId,
      retentionMs: retentionMs(),
      subscribe: async () => [],
    });
  const intake = createIntake({ folders, storage, jobs, insert });

  return {
    limits,
    service: {
      name: parts.name,
      operations,
      settings: parts.settings,
      baseUrl,
      jobs,
      intake,
      gate: closedGate(),
      body: bodyParts(parts.runTask, uploads),
      filePathOf: (jobId, name) => folders.fileOf(jobId, name),
    },
    start: async () => {
      await folders.recover(async (jobId) => (await jobById(storage.db, jobId)) !== undefined);
      await uploads.sweep();
      await runner.start();
      retention.start();
    },
    close: async (deadlineMs) => {
      retention.close();
      await runner.close(deadlineMs);
      await limits.close();
    },
  };
}

function bodyParts(runTask: RunTask, uploads: Uploads): Service['body'] {
  return {
    uploads,
    parseLargeJson: (input) =>
      runTask('read-json-body', input, { accountId: 'requests', timeLimitMs: BODY_PARSE_LIMIT_MS }),
    sniff: async (path, fileName) => (await sniffFile(path, fileName)).kind,
  };
}

interface IntakeParts {
  folders: JobFolders;
  storage: Storage;
  jobs: Jobs;
  insert(tx: Tx, draft: JobDraft, paymentId: string | null): Promise<{ job: JobRow; reused: boolean }>;
}

/** Accepts without payment: the owner's requests. The file is in its place before the job can be seen. */
function createIntake({ folders, storage, jobs, insert }: IntakeParts): Service['intake'] {
  return {
    accept: async (draft) => {
      if (draft.upload) await folders.claimUpload(draft.jobId, draft.upload.path);
      try {
        const { job, reused } = await storage.transaction((tx) => insert(tx, draft, null));
        if (reused) await folders.remove(draft.jobId);
        jobs.submitted(job.id);
        return job;
      } catch (error) {
        await folders.remove(draft.jobId);
        throw error;
      } finally {
        if (draft.upload) await folders.settled(draft.jobId);
      }
    },
  };
}

function closedGate(): PaymentGate {
  const refuse = async (): Promise<never> => {
    throw new QuarryError('settlement_unavailable', 'Payments are not set up.');
  };
  return { open: refuse, accept: refuse };
}

function operationOf(operations: readonly Operation[], id: string): Operation {
  const operation = operations.find((candidate) => candidate.id === id);
  if (!operation) throw new Error(`No operation is called ${id}.`);
  return operation;
}

/** A stored job may be of an operation that this version no longer has: it gets one attempt, which says so. */
function runLimits(operations: readonly Operation[], id: string) {
  const operation = operations.find((candidate) => candidate.id === id);
  return { attempts: 1, baseDelaySeconds: 1, timeLimitSeconds: 60, ...operation?.retry, ...pickLimit(operation) };
}

function pickLimit(operation: Operation | undefined): { timeLimitSeconds?: number } {
  return operation ? { timeLimitSeconds: operation.timeLimitSeconds } : {};
}
