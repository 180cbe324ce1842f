import type { Logger } from 'pino';
import { bodyParts } from './body-parts.ts';
import type { Engines } from './context.ts';
import {
  BASE_PATHS,
  type EnvironmentName,
  isJobErrorCode,
  type JobError,
  type JobStatus,
  type Settings,
} from './contract/index.ts';
import { contributionEffects } from './features/contributions/contribution-effects.ts';
import { Contributions } from './features/contributions/service.ts';
import { JobChanges } from './features/jobs/changes.ts';
import { createExecution } from './features/jobs/execute.ts';
import type { Isolation } from './features/jobs/isolation.ts';
import { paymentGate } from './features/jobs/payment-gate.ts';
import { Retention } from './features/jobs/retention.ts';
import { Runner } from './features/jobs/runner.ts';
import { Jobs } from './features/jobs/service.ts';
import type { Service } from './features/jobs/service-ports.ts';
import { type JobRow, jobById } from './features/jobs/store.ts';
import { Intake } from './features/jobs/submit.ts';
import { createLimits, type Limits } from './features/limits/service.ts';
import { createPayments, type Payments } from './features/payments/service.ts';
import type { FixedPaymentSettings } from './features/payments/settings.ts';
import { openSearchRoom, type SearchRoom } from './features/search/service.ts';
import { Inboxes } from './features/webhooks/inbox.ts';
import { createWebhooks, type Webhooks } from './features/webhooks/service.ts';
import type { Operation } from './operation.ts';
import { operationHooks, runLimits } from './operation-hooks.ts';
import type { Clock } from './platform/clock.ts';
import type { Storage } from './platform/db/database.ts';
import type { Tx } from './platform/db/schema.ts';
import { JobFolders } from './platform/files/job-folders.ts';
import { SecretFile } from './platform/files/private-files.ts';
import type { FreeDisk } from './platform/files/uploads.ts';
import { smallJsonReader } from './platform/http/small-json.ts';
import { newId } from './platform/ids.ts';
import { isPublicAddress } from './platform/net/address-policy.ts';
import { HOUR_MS, MINUTE_MS } from './platform/units.ts';

/** To make the body of a callback canonical: for results of the greatest size on a busy machine. */
const CALLBACK_BODY_LIMIT_MS = MINUTE_MS;

/** Where deliveries to the built-in inboxes arrive. */
export const INBOX_PATHS: Record<EnvironmentName, string> = { production: '/inbox', staging: '/staging/inbox' };

export interface EnvironmentParts {
  name: EnvironmentName;
  /** This environment's own folder inside the data folder. */
  folder: string;
  storage: Storage;
  /** File of the storage, for connections that only read. */
  databasePath: string;
  workerEntry: URL;
  clock: Clock;
  log: Logger;
  operations: readonly Operation[];
  engines: Engines;
  freeDisk: FreeDisk;
  isolation: Isolation;
  payment: FixedPaymentSettings;
  /** Key of the HMAC behind deterministic ids. */
  idKey: Buffer;
  settings(): Readonly<Settings>;
  /** Origin that absolute URLs begin with. */
  origin(): string;
}

/** Everything of production, or of staging: the two share code, threads and the process, and no data. */
export interface Environment {
  name: EnvironmentName;
  service: Service;
  limits: Limits;
  payments: Payments;
  webhooks: Webhooks;
  inboxes: Inboxes;
  contributions: Contributions;
  search: SearchRoom;
  /** Puts in order what a dead process left, then begins to work. */
  start(): Promise<void>;
  close(deadlineMs: number): Promise<void>;
}

export async function openEnvironment(parts: EnvironmentParts): Promise<Environment> {
  const { storage, clock, log, operations } = parts;
  const baseUrl = () => parts.origin() + BASE_PATHS[parts.name];
  const folders = new JobFolders(`${parts.folder}/jobs`);
  const inlineOperationIds = operations.filter(({ mode }) => mode === 'inline').map(({ id }) => id);
  const body = await bodyParts(parts);
  const limits = await createLimits({ storage, clock, inlineOperationIds });
  const payments = await openPayments(parts, baseUrl);
  // Before anybody can send a request: a mark that is made from now on is of an acceptance under way.
  await recoverFolders(folders, storage, payments);
  const search = openSearchRoom({ ...parts, embeddings: parts.engines.embeddings, folders });
  const changes = new JobChanges();
  const effects = contributionEffects({ storage, clock, changes });
  const contributions = new Contributions({ ...parts, effects, filesOf: (jobId) => folders.filesOf(jobId) });
  const jobs: Jobs = assembleJobs(parts, {
    folders,
    search,
    contributions,
    changes,
    limits,
    payments,
    baseUrl,
    webhooks: () => webhooks,
  });
  const webhooks = openWebhooks(parts, jobs);
  const intake = new Intake({
    storage,
    clock,
    folders,
    jobs,
    webhooks,
    search,
    operations,
    retentionMs: retentionOf(parts),
  });

  const rooms = { payments, webhooks, limits, jobs, intake, search, contributions };
  return {
    name: parts.name,
    limits,
    payments,
    webhooks,
    contributions,
    search,
    inboxes: new Inboxes({ storage, clock, baseUrl: () => parts.origin() + INBOX_PATHS[parts.name] }),
    service: {
      ...serviceOf(parts, rooms),
      ...operationHooks(parts, folders, search, baseUrl),
      baseUrl,
      body,
      readSmallJson: smallJsonReader(body),
      filePathOf: (jobId, name) => folders.fileOf(jobId, name),
      sourcePathOf: (jobId) => folders.sourceOf(jobId),
    },
    ...lifeOf(rooms, log),
  };
}

interface Rooms {
  payments: Payments;
  webhooks: Webhooks;
  limits: Limits;
  jobs: Jobs;
  intake: Intake;
  search: SearchRoom;
  contributions: Contributions;
}

function serviceOf(parts: EnvironmentParts, { payments, webhooks, limits, jobs, intake }: Rooms) {
  return {
    name: parts.name,
    operations: parts.operations,
    settings: parts.settings,
    jobs,
    intake,
    gate: paymentGate(payments, intake, jobs),
    signInChallenge: (path: string) => payments.signInChallenge(path),
    checkTargets: (accountId: string, targets: readonly { path: string; url: string }[]) =>
      webhooks.checkTargets(accountId, targets),
    admitWebhook: (accountId: string, url: string) => webhooks.admit(accountId, url),
    acquireInline: (accountId: string) => limits.acquireInline(accountId),
  };
}

/** Payments first, since a settled one may still owe a job; what is closed is closed the other way round. */
function lifeOf(rooms: Rooms, log: Logger): Pick<Environment, 'start' | 'close'> {
  const { payments, webhooks, limits, jobs, intake, search, contributions } = rooms;
  return {
    start: async () => {
      await payments.reconcile(intake.insertPaid, (jobId) => intake.announce(jobId, true));
      await webhooks.start();
      await jobs.start();
      await search.start();
      await contributions.start();
    },
    close: async (deadlineMs) => {
      await jobs.close(deadlineMs);
      await search.close();
      await contributions.close();
      await webhooks.close();
      await payments.close();
      await limits.close();
      log.debug('The environment is closed.');
    },
  };
}

interface JobsInputs {
  folders: JobFolders;
  search: SearchRoom;
  contributions: Contributions;
  changes: JobChanges;
  limits: Limits;
  payments: Payments;
  /** Late, since webhooks present jobs and jobs call webhooks. */
  webhooks(): Webhooks;
  baseUrl(): string;
}

function assembleJobs(parts: EnvironmentParts, inputs: JobsInputs): Jobs {
  const { storage, clock, log, operations } = parts;
  const { folders, search, contributions, changes, limits, payments, webhooks, baseUrl } = inputs;
  const runner = new Runner({
    ...parts,
    changes,
    instanceId: newId('run'),
    concurrencyOf: (accountId) => limits.concurrencyOf(accountId),
    execute: createExecution({
      ...parts,
      ...parts.engines,
      runTask: parts.engines.pool.run,
      folders,
      webhooks,
      searchOf: search.portOf,
    }),
    limitsOf: (operationId) => runLimits(operations, operationId),
    onTerminal: async (tx, job, result) => {
      await webhooks().onTerminal(tx, terminalView(job));
      await search.onTerminal(tx, job, result);
      await grantRerun(tx, job, payments);
    },
    afterTerminal: () => {
      webhooks().kick();
      search.kick();
    },
    retentionMs: retentionOf(parts),
  });
  const onRemoved = async (tx: Tx, job: JobRow) => {
    await webhooks().onJobRemoved(tx, job.id);
    await search.onRemoved(tx, job.id);
    await contributions.onJobRemoved(tx, job.id);
  };
  const afterRemoved = () => search.kick();
  const retention = new Retention({ storage, folders, clock, changes, log, onRemoved, afterRemoved });
  const chunksPathOf = (jobId: string) => folders.chunksOf(jobId);
  return new Jobs({ storage, clock, changes, runner, retention, baseUrl, chunksPathOf });
}

function terminalView(job: JobRow): { id: string; accountId: string; status: JobStatus; endedAt: number } {
  return { id: job.id, accountId: job.account_id, status: job.status, endedAt: job.ended_at ?? job.updated_at };
}

async function grantRerun(tx: Tx, job: JobRow, payments: Payments): Promise<void> {
  if (job.error === null) return;
  const { code } = JSON.parse(job.error) as JobError;
  if (isJobErrorCode(code)) await payments.jobFailed(tx, job.id, code);
}

function openPayments(parts: EnvironmentParts, baseUrl: () => string): Promise<Payments> {
  const operations = parts.operations.flatMap(({ id, summary, price }) =>
    price === null ? [] : [{ operationId: id, summary, price }],
  );
  const { storage, clock, log } = parts;
  const keyFile = new SecretFile(`${parts.folder}/settlement-key`);
  const fixed = parts.payment;
  return createPayments({ storage, environment: parts.name, clock, fixed, keyFile, operations, baseUrl, log });
}

function openWebhooks(parts: EnvironmentParts, jobs: Jobs): Webhooks {
  const { storage, clock, log } = parts;
  return createWebhooks({
    storage,
    clock,
    log,
    sender: parts.engines.webhookSender,
    presentMany: (jobIds, maxResultBytes) => jobs.presentMany(jobIds, maxResultBytes),
    canonicalResult: async (jobId, fileUrls) => {
      const bytes = await jobs.resultBytes(jobId);
      if (bytes === null) return null;
      const options = { accountId: 'webhooks', timeLimitMs: CALLBACK_BODY_LIMIT_MS };
      return (await parts.engines.pool.run('canonical-result', { bytes, fileUrls }, options)).bytes;
    },
    policyFor: (accountId) => {
      const { allowHttpWebhooks, allowPrivateNetworks } = parts.settings();
      if (accountId === 'owner') return { allowHttp: true, allowPrivateNetworks };
      return { allowHttp: allowHttpWebhooks, allowPrivateNetworks: false };
    },
    isPublicAddress,
    random: Math.random,
    soleProcess: true,
  });
}

function retentionOf(parts: EnvironmentParts): () => number {
  return () => parts.settings().retentionHours * HOUR_MS;
}

async function recoverFolders(folders: JobFolders, storage: Storage, payments: Payments): Promise<void> {
  const open = new Set(await payments.openDraftJobIds());
  await folders.recover(async (jobId) => {
    const job = await jobById(storage.db, jobId);
    if (job) return job.purged_at === null ? 'job' : 'nobody';
    return open.has(jobId) ? 'pending' : 'nobody';
  });
}
