import { z } from 'zod';
import type { Principal } from '../../context.ts';
import { checkOperationId, type JobProgress, type Operation } from '../../operation.ts';
import type { ErrorCode } from '../../platform/error-codes.ts';
import { QuarryError } from '../../platform/errors.ts';
import { readObject } from '../../platform/http/body.ts';
import { parseWithSchema } from '../../platform/http/validate.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { recordOf } from '../../platform/records.ts';
import { tell } from '../../platform/text/say.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';
import { checkOwnJob, operationScopes } from '../accounts/service.ts';
import { JobListQuery } from '../jobs/schema.ts';
import { acceptCall, type JobService } from '../jobs/service.ts';
import { readToolArguments } from './arguments.ts';
import { PAGE_BYTES_MAX, readTextPage, TEXT_FORMATS } from './job-text.ts';
import { type LibraryParts, libraryTools } from './library-tools.ts';
import { type Call, defineTool, inputSchema, plainJsonSchema, type Tool, type ToolAnswer } from './tool.ts';

/** Clients end a call after 60 seconds. */
const WAIT_SECONDS_MAX = 50;

/** A longer result would fill the memory of a language model. */
const RESULT_CHARS_MAX = 40_000;

const LIST_MAX = 50;

const Wait = z
  .int()
  .min(0)
  .max(WAIT_SECONDS_MAX)
  .describe('Longest wait in seconds for the end of the job. If it takes longer, call get_job.');

const JobId = z.string().min(1).max(200).describe('The jobId that a tool returned.');

/** Tools of all operations, then those of jobs and of the library. */
export function toolsOf(service: JobService, library: LibraryParts): Tool[] {
  const operations = service.operations.map((operation) => operationTool(service, operation));
  const tools = [...operations, ...jobTools(service), ...libraryTools(library)];
  return tools.map((one) => ({
    ...one,
    call: (given, call) => one.call(readToolArguments(given, one.inputSchema), call),
  }));
}

function operationTool(service: JobService, operation: Operation): Tool {
  const { id, summary, description, mode, keyScope } = operation;
  const schema = inputSchema(operation.request);
  const byDefault = mode === 'inline' ? WAIT_SECONDS_MAX : 0;
  const waitSeconds = { ...plainJsonSchema(Wait), default: byDefault };
  return {
    name: id.replaceAll('/', '_'),
    description: `${summary}.\n\n${description.replaceAll(/\s*\n(?!\n)/g, ' ')}`,
    inputSchema: { ...schema, properties: { ...recordOf(schema.properties), waitSeconds } },
    annotations: { title: summary, readOnlyHint: keyScope === 'read', destructiveHint: false },
    scopes: operationScopes(operation),
    isOwners: false,
    call: async ({ waitSeconds: given, ...value }, call) => {
      const wait = parseWithSchema(z.object({ waitSeconds: Wait.default(byDefault) }), { waitSeconds: given });
      return runOperationTool(service, operation, value, {
        ...call,
        tool: id.replaceAll('/', '_'),
        waitMs: wait.waitSeconds * SECOND_MS,
      });
    },
  };
}

/** The job goes on when the client leaves. cancel_job ends it. */
const GOES_ON = new AbortController().signal;

async function runOperationTool(
  service: JobService,
  operation: Operation,
  given: Record<string, unknown>,
  { principal, signal, pay, report, waitMs, tool }: Call & { waitMs: number; tool: string },
): Promise<ToolAnswer> {
  const payment = principal.kind === 'owner' || operation.price === null ? undefined : await pay(operation);
  const { videoLimitMb, documentLimitMb } = service.settings();
  const maxFileBytes = (operation.source?.sizeLimit === 'video' ? videoLimitMb : documentLimitMb) * MIB;
  const rules = { allowsFile: operation.source !== undefined, maxFileBytes };
  const { value, upload } = await readObject(given, rules, service.body);
  try {
    const payer: Principal = payment === undefined ? principal : { kind: 'payer', accountId: payment.payer };
    const call = { operationId: operation.id, principal: payer, value, upload, payment, tool, signal: GOES_ON };
    const accepted = await acceptCall(service, call);
    // The job holds the error of an inline run.
    if (operation.inline) accepted.result().catch(() => undefined);
    else accepted.leave();
    const { receipt } = accepted;
    const job = await waitForJobEnd(service, accepted.jobId, waitMs, { signal, report });
    // With a payment, the answer holds the receipt.
    if (job.status === 'failed' && job.error !== null && payment === undefined) {
      const { code, message } = parseOwnJson<{ code: ErrorCode; message: string }>(job.error);
      throw new QuarryError(code, tell`${message} (job ${job.id})`);
    }
    return { parts: [shownJobBody(service, job)], receipt };
  } finally {
    // An accepted upload has moved to its job. Anything left is unused.
    if (upload !== null) await service.body.uploads.discard(upload);
  }
}

function jobTools(service: JobService): Tool[] {
  const { jobs } = service;
  return [
    defineTool({
      name: 'get_job',
      title: 'Read a job',
      does: 'The status of a job, its progress, and its result when that is short.',
      schema: z.strictObject({ jobId: JobId, waitSeconds: Wait.default(0) }),
      scope: 'none',
      call: async ({ jobId, waitSeconds }, call) => [
        shownJobBody(service, await waitForJobEnd(service, jobId, waitSeconds * SECOND_MS, call)),
      ],
    }),
    defineTool({
      name: 'get_text',
      title: 'Read the text of a finished job',
      does: `A page of the text: first the text, then JSON with nextOffset, which is null on the last page.`,
      schema: z.strictObject({
        jobId: JobId,
        format: z
          .enum(TEXT_FORMATS)
          .default('text')
          .describe(
            'markdown: documents, digests; transcript: recordings; pages: each page of a crawl, as JSON lines.',
          ),
        offset: z.int().min(0).default(0).describe('Where the page begins, in bytes: nextOffset of the page before.'),
        limit: z.int().min(100).max(PAGE_BYTES_MAX).default(20_000).describe('Longest page in bytes.'),
      }),
      scope: 'none',
      call: async ({ jobId, ...how }) => {
        const { text, ...about } = await readTextPage(service, jobId, how);
        return [text, about];
      },
    }),
    defineTool({
      name: 'list_jobs',
      title: 'List jobs',
      does: 'Jobs of this appliance without their results, newest first.',
      schema: JobListQuery.extend({ limit: z.int().min(1).max(LIST_MAX).default(20).describe('Jobs per page.') }),
      scope: 'read',
      isOwners: true,
      call: async ({ status, jobType, cursor, limit }) => {
        checkOperationId(service.operations, 'jobType', jobType);
        const filter = {
          status,
          operationId: jobType,
        };
        const page = jobs.listJobPage(filter, cursor === undefined ? null : Number(cursor), limit);
        const nextCursor = page.next === null ? null : String(page.next);
        return [{ jobs: page.jobs.map((text) => parseOwnJson<object>(text)), nextCursor }];
      },
    }),
    defineTool({
      name: 'cancel_job',
      title: 'Cancel a job',
      does: 'Ends a job that is queued or running. A job that has ended is kept.',
      schema: z.strictObject({ jobId: JobId }),
      scope: 'own-job',
      isOwners: true,
      isDestructive: true,
      call: async ({ jobId }, { principal }) => {
        const job = jobs.row(jobId);
        checkOwnJob(principal.kind === 'owner' ? principal.key : undefined, job);
        await jobs.cancelOpenJob(job);
        return [shownJobBody(service, jobs.row(jobId))];
      },
    }),
  ];
}

/** Errors: `not_found`, `job_expired`. */
async function waitForJobEnd(
  service: JobService,
  jobId: string,
  waitMs: number,
  { signal, report }: Pick<Call, 'signal' | 'report'>,
) {
  const { jobs } = service;
  const job = jobs.row(jobId);
  if (waitMs === 0) return job;
  const stop = report === undefined ? null : followJobProgress(jobs, job.id, report);
  try {
    await jobs.waitUntilTerminal(job.id, waitMs, signal);
  } finally {
    stop?.();
  }
  return jobs.row(jobId);
}

/** Reports each step of a job. The protocol wants a percentage that grows. Returns a function that stops it. */
function followJobProgress(
  jobs: JobService['jobs'],
  jobId: string,
  report: (progress: JobProgress) => void,
): () => void {
  let last = -1;
  const reportNewestStep = () => {
    const job = watch.newest();
    if (job === undefined || job.progress_percent <= last) return;
    last = job.progress_percent;
    report({ percent: last, stage: job.progress_stage, message: job.progress_message });
  };
  const watch = jobs.watchJob(jobId, reportNewestStep);
  reportNewestStep();
  return () => watch.stop();
}

/** The job object. A long result is left out, and a note says so. */
function shownJobBody({ jobs }: JobService, job: ReturnType<JobService['jobs']['row']>): string | object {
  const body = jobs.jobBodyText(job);
  if (typeof body === 'string' && body.length <= RESULT_CHARS_MAX) return body;
  const note = 'The result is long: get_text reads its text in pages, and statusUrl has all of it.';
  return { ...parseOwnJson<object>(jobs.listedJobJson(job.id) ?? '{}'), resultOmitted: note };
}
