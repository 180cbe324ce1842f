import { type Context, Hono } from 'hono';
import type { Principal } from '../../context.ts';
import { type Operation, ofOperation } from '../../operation.ts';
import type { Upload } from '../../platform/files/uploads.ts';
import { type BodyRules, readRequestBody } from '../../platform/http/body.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { queryOf } from '../../platform/http/validate.ts';
import { canonicalHash } from '../../platform/text/canonical-json.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';
import { jobBody } from './answer.ts';
import { admitOrWait, jobDraftOf } from './drafts.ts';
import { claimKey, idempotencyKeyOf } from './idempotency.ts';
import { answerInline, wantsStream } from './inline.ts';
import { labelsOf } from './labels.ts';
import { type GateOpening, type GateRefusal, proofSourceOf } from './payment-gate.ts';
import { installPreference, preferredWaitSeconds } from './preferences.ts';
import { etaOf } from './present.ts';
import { checkQuery, fingerprintOf, uploadLimitBytes } from './request-checks.ts';
import { isTerminal, type JobDraft } from './schema.ts';
import type { JobService } from './service.ts';
import type { JobRow } from './store.ts';

/**
 * The routes of all operations, derived from their declarations. The order is fixed (decisions 3): verify the payment,
 * read and validate the body, settle the payment and insert the job, answer 202.
 */
export function deriveRouter(service: JobService): Hono<HttpEnv> {
  const router = new Hono<HttpEnv>();
  for (const operation of service.operations) {
    router.post(`/${operation.id}`, (context) => submitOperation(service, operation, context));
  }
  return router;
}

type Ctx = Context<HttpEnv>;

async function submitOperation(service: JobService, operation: Operation, context: Ctx): Promise<Response> {
  const opening = await openGate(service, operation, context);
  if (opening?.kind === 'refused') return sendPaymentRequired(context, opening);
  checkQuery(operation, queryOf(context));
  const labels = labelsOf(context);
  const key = idempotencyKeyOf(context, opening?.paymentId ?? null);
  const inline = operation.inline && { rule: operation.inline, streams: wantsStream(context, operation.inline) };
  const principal: Principal = opening ? { kind: 'payer', accountId: opening.payer } : context.get('principal');
  const proofKey = opening && service.gate.keyOf(opening.proof);
  const caller = { payer: principal, sender: context.get('principal'), proofKey };
  const leave = await service.body.inFlight.enterBodyReading(caller, () => context.req.raw.signal);
  const reading = readRequestBody(context.env.incoming, bodyRules(service, operation), service.body);
  const parsed = await reading.catch((error: unknown) => {
    leave();
    throw error;
  });
  const held = [leave];
  const releaseHeldSlots = () => {
    for (const free of held.splice(0)) free();
  };
  try {
    const draft = await jobDraftOf(service, operation, principal, parsed);
    if (labels !== undefined) draft.labels = labels;
    draft.traceparent = traceparentOf(context);
    const claim = key === undefined ? null : claimKey(service, operation, draft, key, opening);
    if (claim !== null && 'end' in claim) held.push(claim.end);
    if (inline) held.push(service.acquireInline(principal.accountId));
    const accepted =
      claim !== null && 'jobId' in claim
        ? requireRepeatedJob(service, context, claim.jobId)
        : await admitAndAccept(service, operation, context, opening, draft, held);
    if (claim !== null && 'end' in claim) claim.end();
    leave();
    if (accepted instanceof Response) {
      releaseHeldSlots();
      return accepted;
    }
    if (accepted.waiting_for !== null) await service.jobs.waiting.onJobBeganWaiting(accepted.id);
    else if (inline) return await answerInline(service, inline, context, accepted, releaseHeldSlots);
    const answered = await answerAccepted(service, operation, context, accepted, draft);
    releaseHeldSlots();
    return answered;
  } catch (error) {
    releaseHeldSlots();
    throw error;
  } finally {
    // A claimed upload was moved before. An upload that is still here belongs to no job.
    if (parsed.upload) await service.body.uploads.discard(parsed.upload);
  }
}

const TRACEPARENT_CHARS = 55;

/** A longer header is none of this version. */
function traceparentOf(context: Ctx): string | undefined {
  const header = context.req.header('traceparent');
  return header?.length === TRACEPARENT_CHARS ? header : undefined;
}

function bodyRules(service: JobService, operation: Operation): BodyRules {
  return {
    allowsFile: operation.source !== undefined,
    maxFileBytes: uploadLimitBytes(operation, service.settings()),
    maxJsonBytes: service.settings().jsonLimitMb * MIB,
  };
}

/** The job of an earlier request with the same key. Nothing is charged. Errors: `not_found`, `job_expired`. */
function requireRepeatedJob(service: JobService, context: Ctx, jobId: string): JobRow {
  const job = service.jobs.row(jobId);
  context.header('Idempotency-Replayed', 'true');
  return job;
}

async function admitAndAccept(
  service: JobService,
  operation: Operation,
  context: Ctx,
  opening: Exclude<GateOpening, { kind: 'refused' }> | null,
  draft: JobDraft,
  held: (() => void)[],
): Promise<JobRow | Response> {
  held.push(await admitOrWait(service, operation, draft, installPreference(context)));
  return acceptDraft(service, operation, context, opening, draft);
}

/** Inserts the job, after settling its payment if it has one. A refused payment is answered at once. */
async function acceptDraft(
  service: JobService,
  operation: Operation,
  context: Ctx,
  opening: Exclude<GateOpening, { kind: 'refused' }> | null,
  draft: JobDraft,
): Promise<JobRow | Response> {
  if (!opening) return service.submission.accept(draft);
  const requestHash = canonicalHash(fingerprintOf(operation, draft.request, draft.upload));
  const prefer = context.req.header('prefer');
  const outcome = await service.gate.accept({ proof: opening.proof, operation, requestHash, draft, prefer });
  if (outcome.kind === 'refused') return sendPaymentRequired(context, outcome);
  for (const [name, value] of Object.entries(outcome.headers)) context.header(name, value);
  if (outcome.kind === 'unavailable') throw outcome.error;
  return outcome.job;
}

async function openGate(service: JobService, operation: Operation, context: Ctx): Promise<GateOpening | null> {
  if (context.get('principal').kind === 'owner' || operation.price === null) return null;
  return context.get('opening') ?? service.gate.open({ operationId: operation.id }, proofSourceOf(context));
}

function sendPaymentRequired(context: Ctx, refusal: GateRefusal): Response {
  for (const [name, value] of Object.entries(refusal.headers)) context.header(name, value);
  context.header('Cache-Control', 'no-store');
  return context.json(refusal.challenge, 402);
}

/** The 202. It contains the whole job when the client or the operation waits and the job ends in time. */
async function answerAccepted(
  service: JobService,
  operation: Operation,
  context: Ctx,
  accepted: JobRow,
  draft: JobDraft,
): Promise<Response> {
  const prepared = await service.prepare(operation, accepted, draft.request, context.req.raw.signal);
  const preferred = preferredWaitSeconds(context.req.header('prefer'));
  const byDefault = accepted.waiting_for === null ? inlineWaitMs(operation, draft.upload) : 0;
  const waitMs = preferred === null ? byDefault : preferred * SECOND_MS;
  const job =
    waitMs > 0 && !isTerminal(accepted.status)
      ? await waitForPreferredTime(service, context, accepted, waitMs)
      : accepted;
  const applied = [
    ...(preferred === null ? [] : [`wait=${preferred}`]),
    ...(draft.install === undefined ? [] : [installPreference(context) === 'ask' ? 'install=ask' : 'install']),
  ];
  if (applied.length > 0) context.header('Preference-Applied', applied.join(', '));
  const statusUrl = `${service.baseUrl()}/jobs/${job.id}`;
  context.header('Location', statusUrl);
  const extra = { ...operation.acceptedFields?.(ofOperation(draft.request), job.id), ...prepared };
  // Only an answer that waited contains a result. A repeated request that did not wait gets the first answer again.
  const isWhole = waitMs > 0 && (isTerminal(job.status) || service.jobs.isStuck(job));
  const body = isWhole ? service.jobs.jobBodyText(job, extra) : acceptedBody(service, job, extra);
  return jobBody(context, body, 202);
}

async function waitForPreferredTime(service: JobService, context: Ctx, job: JobRow, waitMs: number): Promise<JobRow> {
  const isOver = (row: JobRow) => service.jobs.isStuck(row);
  return (await service.jobs.waitUntilTerminal(job.id, waitMs, context.req.raw.signal, isOver)) ?? job;
}

function inlineWaitMs(operation: Operation, upload: Upload | null): number {
  const rule = operation.inlineWait;
  if (!rule || (upload && upload.sizeBytes >= rule.belowBytes)) return 0;
  return rule.milliseconds;
}

/** The body of a 202 without the result. */
function acceptedBody(service: JobService, job: JobRow, extra: Record<string, unknown>): string {
  return JSON.stringify({
    ...extra,
    jobId: job.id,
    jobType: job.operation_id,
    status: job.status,
    statusUrl: `${service.baseUrl()}/jobs/${job.id}`,
    ...etaOf(job, service.jobs.currentJobsTime()),
  });
}
