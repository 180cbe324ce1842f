import { createHmac } from 'node:crypto';
import type { Settings } from '../../config.ts';
import { type EnvironmentName, type Operation, ofOperation, type UseService } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { JobFolders } from '../../platform/files/job-folders.ts';
import type { FileKind } from '../../platform/files/kinds.ts';
import { sniffFile } from '../../platform/files/sniff.ts';
import type { LocalSource } from '../../platform/files/uploads.ts';
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts';
import type { GuardedClient } from '../../platform/net/guarded-client.ts';
import { PrivateHost } from '../../platform/net/private-host.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { canonicalJson } from '../../platform/text/canonical-json.ts';
import { saidElsewhere, say } from '../../platform/text/say.ts';
import { HOUR_MS, SECOND_MS } from '../../platform/units.ts';
import {
  type Assignment,
  type AwayRun,
  type Fleet,
  jobFiles,
  type RunControl,
  type RunOutcome,
  requireOperation,
} from './fleet.ts';
import type { NodeAwayError } from './node-standing.ts';
import { operationFor, uploadLimitBytes } from './request-checks.ts';
import { changeJob, type JobRow, type StoredSource } from './store.ts';

/** Time limit for fetching a source. */
const FETCH_LIMIT_MS = 2 * HOUR_MS;

/**
 * Share of the progress for fetching the source. It is small, because nothing is known yet of the work that follows:
 * progress that waits for the work to reach it does not move, and predicts the time left badly.
 */
const FETCH_PERCENT = 4;

export interface ExecutionDeps {
  name: EnvironmentName;
  storage: Storage;
  clock: Clock;
  folders: JobFolders;
  operations: readonly Operation[];
  client: GuardedClient;
  use: UseService;
  settings(): Readonly<Settings>;
  fleet: Fleet;
}

/** Runs a job: prepares its source, then hands it to the fleet. A run that is still on its node is waited for. */
export function createExecution(deps: ExecutionDeps) {
  return async (job: JobRow, control: RunControl, away: AwayRun | null): Promise<RunOutcome> => {
    if (away !== null) return deps.fleet.resumeAwayRun(away, control);
    await deps.folders.prepareJobFolder(job.id);
    const declared = requireOperation(deps.operations, job.operation_id);
    const request = parseOwnJson<Record<string, unknown>>(job.request);
    const fetches = declared.source !== undefined && !(declared.source.urlIsPage && job.source === null);
    const startedAt = performance.now();
    const fetchPolicy = fetchPolicyOf(job, deps.settings());
    const source = fetches ? await prepareSource(deps, job, declared, request, fetchPolicy, control) : null;
    const spentSeconds = (performance.now() - startedAt) / SECOND_MS;
    const isFetched = request.sourceUrl !== undefined;
    const operation = source ? operationFor(declared, { ...source, isFetched }, deps.operations) : declared;
    if (operation !== declared) control.become(operation.id);
    const assignment: Assignment = {
      environment: deps.name,
      jobId: job.id,
      run: job.runs,
      accountId: job.account_id,
      queueClass: job.queue_class,
      operationId: operation.id,
      request,
      source: source && { fileName: source.fileName, sizeBytes: source.sizeBytes, kind: source.kind },
      spentSeconds,
      maxSourceBytes: uploadLimitBytes(declared, deps.settings()),
      fetchPolicy,
    };
    return deps.fleet.executeAssignment(assignment, control);
  };
}

/** Returns the uploaded file, or the one that an earlier attempt fetched, or fetches `sourceUrl`. */
async function prepareSource(
  deps: ExecutionDeps,
  job: JobRow,
  operation: Operation,
  request: Record<string, unknown>,
  policy: FetchPolicy,
  control: RunControl,
): Promise<LocalSource> {
  const path = deps.folders.sourceFolderPath(job.id);
  if (job.source !== null) {
    const stored = parseOwnJson<StoredSource>(job.source);
    return { path, fileName: stored.fileName, sizeBytes: stored.sizeBytes, kind: stored.kind as FileKind };
  }
  const fetched = await deps.client.fetchToFile(String(request.sourceUrl), {
    path,
    maxBytes: uploadLimitBytes(operation, deps.settings()),
    policy,
    totalTimeoutMs: Math.min(FETCH_LIMIT_MS, operation.timeLimitSeconds * 1000),
    signal: control.signal,
    onProgress: ({ receivedBytes, totalBytes }) => {
      const share = totalBytes === null || totalBytes === 0 ? 0 : receivedBytes / totalBytes;
      control.progress({ percent: share * FETCH_PERCENT, stage: 'fetching', message: say`Fetching the source.` });
    },
  });
  const { kind } = await sniffFile(path, fetched.fileName);
  const stored: StoredSource = { fileName: fetched.fileName, sizeBytes: fetched.sizeBytes, kind };
  deps.storage.transaction((tx) => changeJob(tx, job.seq, { source: JSON.stringify(stored) }, deps.clock.now()));
  return { path, ...stored, kind };
}

/** A job of the owner may fetch from the private host that its request names, if the setting allows it. */
export function fetchPolicyOf(job: JobRow, { allowPrivateNetworks }: Readonly<Settings>): FetchPolicy {
  const isOwner = job.account_id === 'owner';
  const host = isOwner && allowPrivateNetworks ? job.private_host : null;
  return { allowHttp: isOwner, privateHost: host === null ? null : PrivateHost.fromStoredHost(host) };
}

/** A job of an operation that this version does not have gets one attempt, which fails with a message. */
export function runLimits(operations: readonly Operation[], id: string) {
  const operation = operations.find((candidate) => candidate.id === id);
  if (!operation) return { attempts: 1, baseDelaySeconds: 1, timeLimitSeconds: 60 };
  return { ...operation.retry, timeLimitSeconds: operation.timeLimitSeconds };
}

export interface AcceptanceDeps {
  folders: JobFolders;
  use: UseService;
  /** Where only nodes can run such a job, as its models are there; null where this machine can, or none can. */
  onNodes(
    operation: Operation,
    request: Record<string, unknown>,
    accountId: string,
  ): Promise<NodeAwayError | 'there' | null>;
  /** Key of the HMAC behind deterministic ids. */
  idKey: Buffer;
  /** Absolute, ends with the version prefix. */
  baseUrl(): string;
}

/** The hooks of an operation outside its run: before the payment, and for the acceptance. */
export function acceptanceHooks({ folders, use, onNodes, idKey, baseUrl }: AcceptanceDeps) {
  return {
    dedupeKey: async (operation: Operation, request: Record<string, unknown>, accountId: string) =>
      (await operation.dedupeKey?.(ofOperation(request), { use, accountId })) ?? null,
    /** Refuses what a schema cannot check. Returns a function that frees what was reserved. */
    admit: async (operation: Operation, request: Record<string, unknown>, accountId: string): Promise<() => void> => {
      // What `admit` checks are the models of the machine that runs the job.
      const far = await onNodes(operation, request, accountId);
      const mayWait = accountId === 'owner' && operation.inline === undefined;
      if (far === 'there' || (far !== null && mayWait)) return () => {};
      if (far !== null) throw new QuarryError('engine_unavailable', saidElsewhere(far.message), { retryable: true });
      const leave = await operation.admit?.(ofOperation(request), { use, isOwner: accountId === 'owner' });
      return leave ?? (() => {});
    },
    /** Further values of the operation's `accepted` fields, made once the job exists. */
    prepare: async (
      operation: Operation,
      job: JobRow,
      request: Record<string, unknown>,
      signal: AbortSignal,
    ): Promise<Record<string, unknown>> => {
      // A replayed payment may find an expired job, which has no folder any more.
      if (operation.prepare === undefined || job.purged_at !== null) return {};
      await folders.prepareJobFolder(job.id);
      // URLs are absolute here: an acceptance is not stored, so it cannot outlive the server's address.
      const files = jobFiles(folders, job.id, (name) => `${baseUrl()}/jobs/${job.id}/files/${name}`);
      return operation.prepare(ofOperation(request), { use, accountId: job.account_id, files }, signal);
    },
    /** Id of a deterministic job: unguessable, and the same for the same account and request. */
    deterministicId: (prefix: string, accountId: string, request: Record<string, unknown>): string => {
      const digest = createHmac('sha256', idKey).update(canonicalJson({ accountId, request })).digest();
      return `${prefix}_${digest.toString('base64url')}`;
    },
  };
}
