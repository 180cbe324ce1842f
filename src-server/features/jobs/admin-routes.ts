import { extname } from 'node:path';
import { z } from 'zod';
import { OWNER } from '../../context.ts';
import {
  checkOperationId,
  type EnvironmentName,
  EnvironmentQuery,
  PRIORITIES,
  QUEUE_CLASSES,
} from '../../operation.ts';
import { toIsoTime } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import { FILE_ANSWERS, FILE_HEADERS, sendFile } from '../../platform/http/file-response.ts';
import { BODY_ERRORS, jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { DownloadProgress } from '../../platform/net/download.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { tell } from '../../platform/text/say.ts';
import { checkOwnJob, fileTicket, keyOfPrincipal } from '../accounts/service.ts';
import { LedgerEntry } from '../payments/schema.ts';
import type { Payments } from '../payments/service.ts';
import { ledgerEntryOfJob } from '../payments/service.ts';
import { Tag } from './labels.ts';
import { jobSourceOf } from './present.ts';
import { stagesOf } from './progress.ts';
import { JOB_ORDERS, JOB_STATUSES, ListedJobPage } from './schema.ts';
import type { JobService } from './service.ts';
import type { JobRow } from './store.ts';

const PAGE_MAX = 200;

const SEARCH_MAX_CHARS = 200;

/** The ticket is checked where the caller is identified. */
const SourceQuery = EnvironmentQuery.extend({
  ticket: z.string().optional().describe('`fileTicket` of the job, for addresses that a page cannot add a header to.'),
});

const AnyTime = z.iso.datetime({ offset: true });

const ListQuery = EnvironmentQuery.extend({
  status: z.enum(JOB_STATUSES).optional(),
  from: AnyTime.optional().describe('Accepted at this time or later.'),
  to: AnyTime.optional().describe('Accepted before this time.'),
  order: z.enum(JOB_ORDERS).default('newest').describe('By the time of acceptance.'),
  jobType: z.string().max(100).optional(),
  tag: Tag.optional().describe('Only jobs with this tag.'),
  text: z
    .string()
    .max(SEARCH_MAX_CHARS)
    .default('')
    .describe("Words, all of which occur in a job's label, id, operation, status, error, node, tags or metadata."),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, tell`Give the nextCursor of the page before.`)
    .optional(),
  limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(50),
});

export type AdminJobDeps = Record<
  EnvironmentName,
  { service: Pick<JobService, 'jobs' | 'operations' | 'sourcePathOf'>; payments: Payments }
>;

const Time = z.iso.datetime({ precision: 3 });

const JobRecord = z
  .object({
    jobId: z.string(),
    label: z.string(),
    accountId: z.string(),
    keyName: z.string().nullable().describe('The key that made it; null without one.'),
    priority: z.enum(PRIORITIES).optional(),
    queueClass: z.enum(QUEUE_CLASSES),
    attempts: z.int(),
    node: z.string().nullable().describe('The node of its present or last run; null for this machine.'),
    acceptedAt: Time,
    startedAt: Time.nullable(),
    endedAt: Time.nullable(),
    updatedAt: Time,
    stages: z
      .array(z.object({ stage: z.string(), startedAt: Time }))
      .describe('When each stage of its runs began, oldest first.'),
    variant: z.string().nullable().describe('What the request makes, where results of the operation differ: music.'),
    watchId: z.string().nullable().describe('The watch of a site that submitted it.'),
    source: z
      .object({ fileName: z.string().nullable(), sizeBytes: z.int(), kind: z.string() })
      .nullable()
      .describe('The file it was made from.'),
    request: z.record(z.string(), z.unknown()).describe('What was asked, without secrets.'),
    fileTicket: z
      .string()
      .optional()
      .describe("For a session: goes into the addresses of the job's files, as `?ticket=`."),
    payment: LedgerEntry.nullable(),
  })
  .meta({ id: 'JobRecord' });

const route = routesOf<AdminJobDeps>();

const common = { scope: 'owner', tag: 'Jobs', auth: 'owner' } as const;

const ofOne = { ...common, params: { jobId: z.string().describe('Identifier of the job.') } } as const;

const errors = ['invalid_request', 'not_found', 'job_expired'] as const;

const LISTING = route(
  {
    ...common,
    method: 'get',
    path: '/jobs',
    forDevices: true,
    operationId: 'listAllJobs',
    summary: 'List the jobs of all accounts',
    description:
      "Without results. Without `jobType`, the owner's own searches are left out. " +
      'A page may hold fewer jobs than `limit`, or none, and still have a ' +
      '`nextCursor`: then the search continues there.',
    query: ListQuery,
    answers: {
      200: jsonAnswer('One page.', ListedJobPage),
    },
    errors: ['invalid_request'],
  },
  async (environments, { context, query: readQuery }) => {
    const query = readQuery();
    const { jobs, operations } = environments[query.environment].service;
    checkOperationId(operations, 'jobType', query.jobType);
    const withoutSearchesOf = query.jobType === undefined ? OWNER.accountId : undefined;
    const [from, to] = [query.from, query.to].map((time) => (time === undefined ? undefined : Date.parse(time)));
    const { status, jobType: operationId, order, tag } = query;
    const filter = { status, operationId, withoutSearchesOf, from, to, order, tag };
    const cursor = query.cursor === undefined ? null : Number(query.cursor);
    const page = jobs.findJobPage(filter, searchWordsOf(query.text), cursor, query.limit);
    const next = page.next === null ? 'null' : `"${page.next}"`;
    context.header('Content-Type', 'application/json');
    return context.body(`{"jobs":[${page.jobs.join(',')}],"nextCursor":${next}}`);
  },
);

const RECORD = route(
  {
    ...ofOne,
    method: 'get',
    path: '/jobs/{jobId}',
    forDevices: true,
    operationId: 'getJobRecord',
    summary: 'Read the record of a job',
    description: 'Account, queue, times, request and payment.',
    query: EnvironmentQuery,
    answers: { 200: jsonAnswer('The record.', JobRecord) },
    errors,
  },
  async (environments, { context, param, query, reply }) => {
    const { service, payments } = environments[query().environment];
    const job = await service.jobs.row(param('jobId'));
    const session = context.get('session');
    const ticket = session === null ? {} : { fileTicket: fileTicket(session, job.id) };
    const payment = await ledgerEntryOfJob(payments.storage, job.id);
    return reply(200, { ...presentListedJob(job), variant: service.jobs.variantOf(job), ...ticket, payment });
  },
);

const CANCELLING = route(
  {
    ...ofOne,
    method: 'post',
    path: '/jobs/{jobId}/cancel',
    forDevices: true,
    operationId: 'cancelJob',
    summary: 'Cancel a job',
    description: 'A job that has ended by itself is a conflict: a list may be older than the job.',
    query: EnvironmentQuery,
    answers: { 204: { description: 'Cancelled.' } },
    errors: [...errors, 'conflict'],
  },
  async (environments, { context, param, query, end }) => {
    const { service } = environments[query().environment];
    const job = service.jobs.row(param('jobId'));
    checkOwnJob(keyOfPrincipal(context.get('principal')), job);
    await service.jobs.cancelOpenJob(job);
    return end(204);
  },
);

const InstallRequest = z.strictObject({
  name: z.string().max(100).optional().describe('A choice of the job. Default: the recommended one.'),
});

const INSTALLING = route(
  {
    ...ofOne,
    method: 'post',
    path: '/jobs/{jobId}/install',
    operationId: 'installForJob',
    summary: 'Install what a job waits for',
    description: 'Starts the download. When it ends, all jobs that wait for it run.',
    query: EnvironmentQuery,
    request: { schema: InstallRequest, example: {} },
    answers: { 202: jsonAnswer('The progress.', DownloadProgress) },
    errors: [...errors, ...BODY_ERRORS, 'conflict'],
  },
  async (environments, { param, query, body, reply }) => {
    const { service } = environments[query().environment];
    const job = service.jobs.row(param('jobId'));
    return reply(202, await service.jobs.waiting.installChoiceForJob(job, (await body()).name));
  },
);

const SOURCES = [
  route(
    {
      ...ofOne,
      method: 'get',
      path: '/jobs/{jobId}/source',
      forDevices: true,
      operationId: 'getJobSource',
      summary: 'Download the file a job was made from',
      description: 'Takes Range and conditional requests.',
      query: SourceQuery,
      headers: FILE_HEADERS,
      answers: FILE_ANSWERS,
      errors: [...errors, 'range_not_satisfiable'],
    },
    async (environments, { context, param, query }) => {
      const { service } = environments[query().environment];
      const job = await service.jobs.row(param('jobId'));
      const source = jobSourceOf(job);
      if (source === null) throw new QuarryError('not_found', 'This job was not made from a file.');
      return sendFile(context, service.sourcePathOf(job.id), `source${extensionOf(source.fileName)}`);
    },
  ),
];

/** Routes of jobs for the owner. Mounted under `/admin`, behind the owner check. */
export const ADMIN_JOB_ROUTES = [LISTING, RECORD, CANCELLING, INSTALLING, ...SOURCES];

function searchWordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

function presentListedJob(job: JobRow) {
  const source = jobSourceOf(job);
  return {
    jobId: job.id,
    label: job.label,
    accountId: job.account_id,
    keyName: job.key_name,
    priority: PRIORITIES[job.priority],
    queueClass: job.queue_class,
    attempts: job.attempts,
    node: job.node,
    acceptedAt: toIsoTime(job.created_at),
    startedAt: job.started_at === null ? null : toIsoTime(job.started_at),
    endedAt: job.ended_at === null ? null : toIsoTime(job.ended_at),
    updatedAt: toIsoTime(job.updated_at),
    stages: stagesOf(job.stages).map(([stage, startedAt]) => ({ stage, startedAt: toIsoTime(startedAt) })),
    watchId: job.watch_id,
    source: source && { fileName: source.fileName, sizeBytes: source.sizeBytes, kind: source.kind },
    request: withoutSecrets(parseOwnJson<Record<string, unknown>>(job.request)),
  };
}

/** Extension of a file name, which tells browsers the kind of the file. Uploaded names may contain anything. */
function extensionOf(fileName: string | null): string {
  const extension = extname(fileName ?? '').toLowerCase();
  return /^\.[a-z0-9]{1,8}$/.test(extension) ? extension : '';
}

/** Hides the secret of a webhook, also from the owner: screens are shared. */
function withoutSecrets(request: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(request).filter(([name]) => name !== 'secret'));
}
