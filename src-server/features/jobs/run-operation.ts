import { isTerminal, type JobDraft, type Principal, QuarryError, type Upload } from '../../contract/index.ts';
import { newId } from '../../platform/ids.ts';
import { HOUR_MS } from '../../platform/units.ts';
import { failureOf, finish } from './inline.ts';
import { operationFor, parseRequest, priorityOf } from './request-checks.ts';
import type { Service } from './service-ports.ts';
import type { JobRow } from './store.ts';

/** A request to an operation that came in another form than its own route takes. */
export interface OperationCall {
  operationId: string;
  principal: Principal;
  /** The body, as the operation's own route would have it. */
  value: Record<string, unknown>;
  upload?: Upload | null;
  /** The job is cancelled when it fires: whoever waited is gone. */
  signal: AbortSignal;
  /** What an inline operation says while it works. */
  emit?(event: string, data: Record<string, unknown>): void;
}

export interface AcceptedCall {
  jobId: string;
  /** Waits for the end. Errors: what the job failed with. */
  result(): Promise<Record<string, unknown>>;
}

/** Errors, before a job exists: those of the operation's own route. The caller may act without payment. */
export async function acceptCall(service: Service, call: OperationCall): Promise<AcceptedCall> {
  const { principal, upload = null } = call;
  const operation = service.operations.find(({ id }) => id === call.operationId);
  if (operation === undefined) throw new Error(`No operation is called ${call.operationId}.`);
  const request = parseRequest(operation, call.value, principal);
  const target = upload === null ? operation : operationFor(operation, upload, service.operations);
  const leave = await service.admit(target, request, principal.accountId);
  const { idPrefix, inline } = target;
  const draft: JobDraft = {
    jobId:
      inline?.jobId === 'deterministic'
        ? service.deterministicId(idPrefix, principal.accountId, request)
        : newId(idPrefix),
    operationId: target.id,
    accountId: principal.accountId,
    request,
    upload,
    priority: priorityOf(request),
    dedupeKey: null,
    subscriptions: [],
  };
  try {
    const job = await service.intake.accept(draft);
    const result = async () => {
      if (inline) return finish(service, (whole) => whole, job, call.signal, call.emit ?? (() => {}));
      return waitFor(service, job, call.signal);
    };
    return { jobId: job.id, result: () => result().finally(leave) };
  } catch (error) {
    leave();
    throw error;
  }
}

async function waitFor(service: Service, accepted: JobRow, signal: AbortSignal): Promise<Record<string, unknown>> {
  const { jobs } = service;
  const job = await jobs.waitUntilTerminal(accepted.id, HOUR_MS, signal);
  if (job !== undefined && !isTerminal(job.status)) {
    await jobs.cancelOrRemove(job);
    throw new QuarryError('timeout', 'The work takes longer than a request may wait. Use the job API for it.');
  }
  if (job?.status !== 'completed') throw failureOf(job);
  return JSON.parse((await jobs.result(job.id)) ?? '{}') as Record<string, unknown>;
}
