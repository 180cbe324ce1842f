import type { Context } from 'hono';
import { BASE_PATHS } from '../../context.ts';
import { defineFeature, type Environment, type Mounted } from '../../feature.ts';
import type { Operation, ServiceName, Services, UseService } from '../../operation.ts';
import { ENVIRONMENTS, type EnvironmentName } from '../../operation.ts';
import { Mutex } from '../../platform/concurrency.ts';
import { JobFolders } from '../../platform/files/job-folders.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { ownData } from '../../platform/own-json.ts';
import { accounts } from '../accounts/feature.ts';
import { models } from '../models/feature.ts';
import { payments } from '../payments/feature.ts';
import { isBatchId } from '../payments/schema.ts';
import type { Order } from '../payments/service.ts';
import { ADMIN_JOB_ROUTES } from './admin-routes.ts';
import { JobChanges } from './changes.ts';
import { JobEvents } from './events.ts';
import { acceptanceHooks } from './execute.ts';
import { JoinedFleet, localFleet } from './fleet.ts';
import { IdempotencyKeys } from './idempotency.ts';
import {
  addJobLife,
  addKeptJobs,
  addLabels,
  addWaitingJobs,
  addWatchedJobs,
  countEndedJobs,
  createIdempotencyKeys,
  createJobs,
  grantPrivateHosts,
  indexJobsByTime,
  markUncounted,
  moveChunksToFiles,
  nameNodes,
  numberRuns,
  traceJobs,
} from './migrations.ts';
import { deriveRouter } from './operation-routes.ts';
import { type PaymentGate, paymentGate } from './payment-gate.ts';
import { type JobPorts, openPorts } from './ports.ts';
import { JOB_ROUTES } from './routes.ts';
import { Isolation, type JobService, type Jobs, openJobs, recoverFolders } from './service.ts';
import { Submission } from './submit.ts';

/** The services that operations use. Features provide theirs when they open; each opens at its first use. */
export class OperationServices {
  readonly #openers = new Map<ServiceName, () => Promise<unknown>>();

  provideService<Name extends ServiceName>(name: Name, open: () => Promise<Services[Name]>): void {
    this.#openers.set(name, open);
  }

  readonly use: UseService = async <Name extends ServiceName>(name: Name) => {
    const open = this.#openers.get(name);
    if (open === undefined) throw new Error(`No feature provides the service ${name}.`);
    return ownData<Services[Name]>(await open());
  };
}

/** Jobs: the queue, their submission, their ends and their files. Other features listen to their events. */
export const jobs = defineFeature({
  name: 'jobs',
  uses: { accounts, models, payments },
  migrations: {
    '001-jobs': { up: createJobs },
    '007-chunks-in-files': { up: moveChunksToFiles },
    '013-job-life': { up: addJobLife },
    '014-kept-jobs': { up: addKeptJobs },
    '021-waiting-jobs': { up: addWaitingJobs },
    '023-ended-jobs': { up: countEndedJobs },
    '026-jobs-by-time': { up: indexJobsByTime },
    '028-watched-sites': { up: addWatchedJobs },
    '033-labels': { up: addLabels },
    '034-idempotency': { up: createIdempotencyKeys },
    '035-runs': { up: numberRuns },
    '036-nodes': { up: nameNodes },
    '039-traces': { up: traceJobs },
    '047-private-hosts': { up: grantPrivateHosts },
    '050-uncounted-results': { up: markUncounted },
  },
  openShared: () => ({ service: { isolation: new Isolation() } }),
  async open(environment, { models: { needs, waiting }, payments: { payments, buyers } }, { isolation }) {
    const { storage, clock, operations, context, retentionMs } = environment;
    const folders = new JobFolders(`${environment.folder}/jobs`);
    // Before requests are accepted: later marks belong to running submissions.
    await recoverFolders(folders, storage, payments.openDraftJobIds());
    const events = new JobEvents();
    const changes = new JobChanges();
    const services = new OperationServices();
    const { use } = services;
    const ports = openPorts();
    const { client } = context;
    const keeps: JobPorts['keeps'] = (...of) => ports.keeps(...of);
    const fleet = new JoinedFleet(localFleet({ operations, folders, use }));
    const jobs = openJobs({
      ...environment,
      folders,
      client,
      use,
      fleet,
      events,
      changes,
      isolation,
      payments,
      needs,
      concurrencyOf: (accountId) => ports.concurrencyOf(accountId),
      keeps,
    });
    waiting.push(jobs.waiting);
    const submission = new Submission({ storage, clock, folders, jobs, events, operations, retentionMs, keeps });
    const gate = paymentGate(payments, submission, jobs);
    buyers.push({
      owns: (draftId) => !isBatchId(draftId),
      insertPaid: submission.insertPaid,
      announce: (jobId) => submission.announceSubmission(jobId, true),
    });
    const service = serviceOf(environment, { folders, jobs, submission, gate, ports, use });
    const finished = finishedJobs(environment, folders, changes, events);
    return {
      service: {
        service,
        jobs,
        submission,
        gate,
        folders,
        events,
        services,
        ports,
        fleet,
        finished,
        payments,
        paid: paidAddresses(operations),
      },
      start: () => jobs.startJobs(),
      stop: (deadlineMs) => jobs.closeJobs(deadlineMs),
    };
  },
  routes: { environment: JOB_ROUTES, owner: ADMIN_JOB_ROUTES },
  mount: ({ environments }) => operationRoutes(environments),
  mountAtDoor: ({ environments }) => operationRoutes(environments),
});

function operationRoutes(environments: Record<EnvironmentName, { service: JobService }>): Mounted[] {
  return ENVIRONMENTS.map((name) => ({ path: BASE_PATHS[name], routes: deriveRouter(environments[name].service) }));
}

interface ServiceParts {
  folders: JobFolders;
  jobs: Jobs;
  submission: Submission;
  gate: PaymentGate;
  ports: JobPorts;
  use: UseService;
}

function serviceOf(
  environment: Environment,
  { folders, jobs, submission, gate, ports, use }: ServiceParts,
): JobService {
  const { name, storage, clock, operations, settings, body, idKey, baseUrl } = environment;
  return {
    name,
    operations,
    settings,
    baseUrl,
    jobs,
    body,
    gate,
    submission,
    idempotency: new IdempotencyKeys(storage, () => clock.now(), gate.openPurchases),
    readSmallJson: environment.readBody,
    checkTargets: (...of) => ports.checkTargets(...of),
    admitWebhook: (...of) => ports.admitWebhook(...of),
    acquireInline: (accountId) => ports.acquireInline(accountId),
    ...acceptanceHooks({ folders, use, idKey, baseUrl, onNodes: (...of) => ports.onNodes(...of) }),
    filePathOf: (jobId, fileName) => folders.servedJobFilePath(jobId, fileName),
    fileNamesOf: (jobId) => folders.fileNames(jobId),
    sourcePathOf: (jobId) => folders.sourceFolderPath(jobId),
  };
}

/** An address below the environment's base whose requests may bring a payment. */
export interface PaidAddress {
  path: string;
  /** What the payment buys; null where the request does not say so, and is refused later. */
  orderOf(context: Context<HttpEnv>): Order | null;
}

function paidAddresses(operations: readonly Operation[]): PaidAddress[] {
  return operations.flatMap(({ id, price }) =>
    price === null ? [] : [{ path: `/${id}`, orderOf: () => ({ operationId: id }) }],
  );
}

/** What changes the results and files of finished jobs has in common. */
function finishedJobs({ context }: Environment, folders: JobFolders, changes: JobChanges, events: JobEvents) {
  return {
    jobChanged: (jobId: string) => {
      changes.announceJobChange(jobId);
      events.emit('changed', jobId);
    },
    filesOf: (jobId: string) => folders.filesFolderPath(jobId),
    /** Held by whatever writes the files of finished jobs. */
    writing: new Mutex(),
    runTask: context.pool.run,
  };
}
