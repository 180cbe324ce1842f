import { z } from 'zod';
import { Chunk } from '../../operation.ts';
import { Job, JobListQuery, RechunkRequest } from '../jobs/schema.ts';
import { WebhookRequest } from '../webhooks/schema.ts';
import { EXAMPLE_CHUNKS, EXAMPLE_JOB, EXAMPLE_JOB_EVENTS, EXAMPLE_WEBHOOK_URL } from './openapi-examples.ts';
import { FILE_ANSWERS, FILE_PARAMETERS } from './openapi-file-parts.ts';
import type { AnswerDescription, ParameterDescription, RouteDescription } from './route-description.ts';

const jobId: ParameterDescription = {
  name: 'jobId',
  in: 'path',
  required: true,
  description: 'Identifier returned at creation.',
  schema: z.string(),
  example: EXAMPLE_JOB.jobId,
};

export const jobAnswer = (status: 200 | 202, description: string): AnswerDescription => ({
  status,
  description,
  content: { mediaType: 'application/json', schema: Job, example: EXAMPLE_JOB },
});

const JobPage = z.object({
  jobs: z.array(Job),
  nextCursor: z.string().nullable().describe('Give it as `cursor` for the next page; null on the last.'),
});

export const JOB_ROUTES: readonly RouteDescription[] = [
  {
    method: 'get',
    path: '/jobs',
    scope: 'environment',
    operationId: 'listJobs',
    tag: 'Jobs',
    summary: 'List your jobs',
    description: 'Newest first, with crawls you were given. The owner sees the jobs of all accounts.',
    auth: 'account',
    parameters: [
      {
        name: 'status',
        in: 'query',
        required: false,
        description: 'Only jobs in this status.',
        schema: JobListQuery.shape.status.unwrap(),
      },
      {
        name: 'jobType',
        in: 'query',
        required: false,
        description: 'Only jobs of this operation.',
        schema: JobListQuery.shape.jobType.unwrap(),
        example: 'extract/doc',
      },
      {
        name: 'cursor',
        in: 'query',
        required: false,
        description: 'The `nextCursor` of the page before.',
        schema: JobListQuery.shape.cursor.unwrap(),
      },
      {
        name: 'limit',
        in: 'query',
        required: false,
        description: 'Jobs per page.',
        schema: z.int().min(1).max(200).default(50),
      },
    ],
    answers: [
      {
        status: 200,
        description: 'One page of jobs.',
        content: {
          mediaType: 'application/json',
          schema: JobPage,
          example: { jobs: [EXAMPLE_JOB], nextCursor: null },
        },
      },
    ],
    errors: ['invalid_request'],
  },
  {
    method: 'get',
    path: '/jobs/{jobId}',
    scope: 'environment',
    operationId: 'getJob',
    tag: 'Jobs',
    summary: 'Read a job',
    description:
      'Free, and needs no credential: knowing the identifier is the right to read. `result` is null until the status ' +
      'is `completed`; `error` is there when it is `failed`. Poll no faster than `etaSeconds` suggests, or follow ' +
      'the events.',
    auth: 'none',
    parameters: [jobId],
    answers: [jobAnswer(200, 'The job object.')],
    errors: ['not_found', 'job_expired'],
  },
  {
    method: 'delete',
    path: '/jobs/{jobId}',
    scope: 'environment',
    operationId: 'deleteJob',
    tag: 'Jobs',
    summary: 'Cancel or remove a job',
    description:
      'Cancels a job that is queued or running; removes result and files of one that has ended. A crawl that others ' +
      'were given too is not ended for them (409): it goes when it expires, or by the owner of the appliance.',
    auth: 'account',
    parameters: [jobId],
    answers: [{ status: 204, description: 'Cancelled or removed.' }],
    errors: ['not_found', 'job_expired', 'conflict'],
  },
  {
    method: 'get',
    path: '/jobs/{jobId}/events',
    scope: 'environment',
    operationId: 'followJob',
    tag: 'Jobs',
    summary: 'Follow a job as it changes',
    description:
      'Server-sent events: one `event: job` with the job object for the present state and one for every change. The ' +
      'stream ends after the terminal one. Send `Last-Event-ID` to go on where a broken connection stopped.',
    auth: 'none',
    parameters: [
      jobId,
      {
        name: 'Last-Event-ID',
        in: 'header',
        required: false,
        description: 'Identifier of the last event received.',
        schema: z.string(),
        example: '3',
      },
    ],
    answers: [
      {
        status: 200,
        description: 'The stream.',
        content: {
          mediaType: 'text/event-stream',
          schema: null,
          example: EXAMPLE_JOB_EVENTS,
        },
      },
      {
        status: 204,
        description: 'The job has ended, and `Last-Event-ID` names its last event: an EventSource stops.',
      },
    ],
    errors: ['not_found', 'job_expired'],
  },
  {
    method: 'get',
    path: '/jobs/{jobId}/files/{name}',
    scope: 'environment',
    operationId: 'getJobFile',
    tag: 'Jobs',
    summary: 'Download a file of a job',
    description: 'Takes Range and conditional requests. The names are in the result.',
    auth: 'none',
    parameters: [
      jobId,
      {
        name: 'name',
        in: 'path',
        required: true,
        description: 'Name of the file.',
        schema: z.string(),
        example: 'document.md',
      },
      ...FILE_PARAMETERS,
    ],
    answers: FILE_ANSWERS,
    errors: ['not_found', 'job_expired', 'range_not_satisfiable'],
  },
  {
    method: 'post',
    path: '/jobs/{jobId}/chunks',
    scope: 'environment',
    operationId: 'rechunkJob',
    tag: 'Jobs',
    summary: 'Cut an extracted document anew',
    description:
      'Free: gives the chunks of another `segmentLength` without extracting again, and leaves the job as it is. ' +
      'Documents and PDFs keep what is needed until they expire.',
    auth: 'none',
    parameters: [jobId],
    request: { schema: RechunkRequest, example: { segmentLength: 50 } },
    answers: [
      {
        status: 200,
        description: 'The chunks, as the extraction would have made them.',
        content: {
          mediaType: 'application/json',
          schema: z.object({ chunks: z.array(Chunk) }),
          example: { chunks: EXAMPLE_CHUNKS },
        },
      },
    ],
    errors: ['invalid_request', 'not_found', 'job_expired', 'body_too_large', 'unsupported_content_type'],
  },
  {
    method: 'post',
    path: '/jobs/{jobId}/webhooks',
    scope: 'environment',
    operationId: 'addJobWebhook',
    tag: 'Webhooks',
    summary: 'Call a URL when a job has ended',
    description:
      'Knowing the identifier is the right to hear of the job. One that has ended already is told of at once.',
    auth: 'none',
    parameters: [jobId],
    request: {
      schema: WebhookRequest,
      example: { url: EXAMPLE_WEBHOOK_URL, events: ['job.completed'] },
    },
    answers: [jobAnswer(202, 'Registered. The job object, its `events` updated.')],
    errors: ['invalid_request', 'not_found', 'job_expired', 'conflict', 'body_too_large', 'unsupported_content_type'],
  },
];
