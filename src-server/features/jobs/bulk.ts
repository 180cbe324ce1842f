import { z } from 'zod';
import type { Principal } from '../../context.ts';
import { checkOperationId } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import { BODY_ERRORS, jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { tell } from '../../platform/text/say.ts';
import { checkOwnJob } from '../accounts/service.ts';
import { Tag } from './labels.ts';
import { EXAMPLE_JOB, isTerminal, JOB_STATUSES } from './schema.ts';
import type { JobService } from './service.ts';
import type { JobFilter, JobRow } from './store.ts';

/** One action on many jobs of an account. */
const ACTIONS = ['cancel', 'delete', 'retry'] as const;

const BULK_MAX = 100;

const BulkRequest = z
  .strictObject({
    action: z
      .enum(ACTIONS)
      .describe('cancel: ends jobs that have not ended. delete: removes ended ones. retry: runs failed ones again.'),
    jobIds: z.array(z.string().min(1).max(100)).min(1).max(BULK_MAX).optional().describe('These jobs.'),
    filter: z
      .strictObject({
        status: z.enum(JOB_STATUSES).optional(),
        jobType: z.string().max(100).optional(),
        tag: Tag.optional(),
      })
      .refine((given) => Object.values(given).some((value) => value !== undefined), tell`Give at least one condition.`)
      .optional()
      .describe('The jobs of your list that meet all conditions, newest first.'),
    limit: z.int().min(1).max(BULK_MAX).default(BULK_MAX).describe('Most jobs of the filter in this call.'),
    cursor: z
      .string()
      .regex(/^\d{1,15}$/, tell`Give the nextCursor of the call before.`)
      .optional(),
  })
  .refine(({ jobIds, filter }) => (jobIds === undefined) !== (filter === undefined), {
    error: tell`Give either jobIds or filter.`,
    path: ['jobIds'],
  });

const BulkResult = z
  .object({
    jobId: z.string(),
    done: z.boolean(),
    error: z.object({ code: z.string(), message: z.string() }).optional().describe('Why it was not done.'),
  })
  .meta({ id: 'BulkResult' });

const BulkAnswer = z.object({
  results: z.array(BulkResult).describe('One for each job, in order.'),
  nextCursor: z.string().nullable().describe('With a filter: give it as `cursor` to go on; null when no jobs follow.'),
});

const route = routesOf<{ service: JobService }>();

export const BULK_ROUTE = route(
  {
    scope: 'environment',
    tag: 'Jobs',
    method: 'post',
    path: '/jobs/bulk',
    operationId: 'changeJobs',
    summary: 'Cancel, remove or retry many jobs',
    description:
      'At most 100 jobs in a call, each with its own result: one that cannot be changed does not stop the others. A ' +
      'retry keeps the job and its webhooks. Payers can retry where `error.retryable` is true.',
    auth: 'account',
    keyScope: 'own-job',
    request: { schema: BulkRequest, example: { action: 'cancel', filter: { tag: 'invoices', status: 'queued' } } },
    answers: {
      200: jsonAnswer('What became of each job.', BulkAnswer, {
        results: [{ jobId: EXAMPLE_JOB.jobId, done: true }],
        nextCursor: null,
      }),
    },
    errors: BODY_ERRORS,
  },
  async ({ service }, { context, body, reply }) => {
    const request = await body();
    const principal = context.get('principal');
    if (principal.kind === 'anonymous') throw signInFirst();
    checkOperationId(service.operations, 'filter.jobType', request.filter?.jobType);
    const { jobIds, next } =
      request.jobIds === undefined
        ? matchingBulkJobs(service, principal, request)
        : { jobIds: request.jobIds, next: null };
    const results: z.input<typeof BulkResult>[] = [];
    for (const jobId of new Set(jobIds)) results.push(await bulkOutcomeOf(service, principal, jobId, request.action));
    return reply(200, { results, nextCursor: next === null ? null : String(next) });
  },
);

function matchingBulkJobs(
  { jobs }: JobService,
  principal: Principal,
  { filter: { status, jobType: operationId, tag } = {}, limit, cursor }: z.output<typeof BulkRequest>,
) {
  const accountId = principal.kind === 'owner' ? undefined : principal.accountId;
  const filter: JobFilter = { accountId, status, operationId, tag };
  return jobs.idsOf(filter, cursor === undefined ? null : Number(cursor), limit);
}

/** Known failures become the result of their job. Others end the call. */
async function bulkOutcomeOf(
  service: JobService,
  principal: Principal,
  jobId: string,
  action: (typeof ACTIONS)[number],
): Promise<z.input<typeof BulkResult>> {
  try {
    await applyBulkAction(service, principal, service.jobs.row(jobId), action);
    return { jobId, done: true };
  } catch (error) {
    if (!(error instanceof QuarryError)) throw error;
    return { jobId, done: false, error: { code: error.code, message: error.message } };
  }
}

async function applyBulkAction(
  { jobs }: JobService,
  principal: Principal,
  job: JobRow,
  action: (typeof ACTIONS)[number],
) {
  const isOwner = principal.kind === 'owner';
  if (isOwner) checkOwnJob(principal.key, job);
  else if (principal.accountId !== job.account_id) throw new QuarryError('forbidden', 'Another account made this job.');
  if (action === 'retry') return jobs.retryJob(job, isOwner);
  if (!isOwner) jobs.checkNotShared(job);
  if (action === 'cancel') return jobs.cancelOpenJob(job);
  if (!isTerminal(job.status)) throw new QuarryError('conflict', 'The job has not ended: cancel it first.');
  return jobs.cancelOrRemove(job);
}

function signInFirst(): QuarryError {
  return new QuarryError('unauthorized', 'Sign in with your wallet (header SIGN-IN-WITH-X), or send the owner token.');
}
