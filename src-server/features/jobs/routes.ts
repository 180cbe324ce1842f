import type { Context } from 'hono';
import type { SSEStreamingApi } from 'hono/streaming';
import { z } from 'zod';
import type { Principal } from '../../context.ts';
import { checkOperationId } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import { nameAfterSource } from '../../platform/files/file-names.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { eventStream } from '../../platform/http/event-stream.ts';
import { exampleEvent } from '../../platform/http/examples.ts';
import { FILE_ANSWERS, FILE_HEADERS, sendFile } from '../../platform/http/file-response.ts';
import { jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { checkOwnJob } from '../accounts/service.ts';
import { jobBody } from './answer.ts';
import { BULK_ROUTE } from './bulk.ts';
import type { Jobs } from './jobs.ts';
import { EXAMPLE_JOB, isTerminal, Job, JobListQuery, JobPage } from './schema.ts';
import type { JobService } from './service.ts';
import type { JobRow } from './store.ts';

interface JobRouteDeps {
  service: JobService;
}

const route = routesOf<JobRouteDeps>();

const common = { scope: 'environment', tag: 'Jobs' } as const;

const params = {
  jobId: z.string().describe('Identifier returned at creation.').meta({ example: EXAMPLE_JOB.jobId }),
};

const LISTING = route(
  {
    ...common,
    method: 'get',
    path: '/jobs',
    operationId: 'listJobs',
    summary: 'List your jobs',
    description: 'Newest first, with crawls you were given. The owner sees the jobs of all accounts.',
    auth: 'account',
    query: JobListQuery,
    answers: { 200: jsonAnswer('One page of jobs.', JobPage, { jobs: [EXAMPLE_JOB], nextCursor: null }) },
    errors: ['invalid_request'],
  },
  async ({ service }, { context, query: readQuery }) => {
    const query = readQuery();
    const principal = signedIn(context.get('principal'));
    checkOperationId(service.operations, 'jobType', query.jobType);
    const filter = {
      accountId: principal.kind === 'owner' ? undefined : principal.accountId,
      status: query.status,
      operationId: query.jobType,
      tag: query.tag,
    };
    const before = query.cursor === undefined ? null : Number(query.cursor);
    const page = await service.jobs.listJobPage(filter, before, query.limit);
    const next = page.next === null ? 'null' : `"${page.next}"`;
    return jsonText(context, `{"jobs":[${page.jobs.join(',')}],"nextCursor":${next}}`);
  },
);

const READING = [
  route(
    {
      ...common,
      method: 'get',
      path: '/jobs/{jobId}',
      operationId: 'getJob',
      summary: 'Read a job',
      description:
        'Free, and needs no credential: knowing the identifier is the right to read. `result` is null until the ' +
        'status is `completed`; `error` is there when it is `failed`. Poll no faster than `etaSeconds` suggests, or ' +
        'follow the events.',
      auth: 'none',
      params,
      answers: { 200: jsonAnswer('The job object.', Job, EXAMPLE_JOB) },
      errors: ['not_found', 'job_expired'],
    },
    async ({ service: { jobs } }, { context, param }) => {
      const job = await jobs.row(param('jobId'));
      return jobBody(context, await jobs.jobBodyText(job), 200);
    },
  ),
  route(
    {
      ...common,
      method: 'delete',
      path: '/jobs/{jobId}',
      operationId: 'deleteJob',
      summary: 'Cancel or remove a job',
      description:
        'Cancels a job that is queued or running; removes result and files of one that has ended. A crawl that ' +
        'others were given too is not ended for them (409): it goes when it expires, or by the owner of the appliance.',
      auth: 'account',
      keyScope: 'own-job',
      params,
      answers: { 204: { description: 'Cancelled or removed.' } },
      errors: ['not_found', 'job_expired', 'conflict'],
    },
    async ({ service: { jobs } }, { context, param, end }) => {
      const job = await jobs.row(param('jobId'));
      const principal = context.get('principal');
      mayChange(principal, job);
      await (principal.kind === 'owner' ? jobs.cancelOrRemove(job) : jobs.endByMaker(job));
      return end(204);
    },
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/jobs/{jobId}/events',
      operationId: 'followJob',
      summary: 'Follow a job as it changes',
      description:
        'Server-sent events: one `event: job` with the job object for the present state and one for every change. ' +
        'A transcription also sends `event: segments` as it hears them: `{"segments": [{index, start, end, text}]}`. ' +
        'The stream ends after the terminal one. Send `Last-Event-ID` to go on where a broken connection stopped.',
      auth: 'none',
      params,
      headers: {
        'Last-Event-ID': z
          .string()
          .optional()
          .describe('Identifier of the last event received.')
          .meta({ example: '3' }),
      },
      answers: {
        200: {
          description: 'The stream.',
          content: { mediaType: 'text/event-stream', schema: null, example: exampleEvent('job', EXAMPLE_JOB, 3) },
        },
        204: { description: 'The job has ended, and `Last-Event-ID` names its last event: an EventSource stops.' },
      },
      errors: ['not_found', 'job_expired'],
    },
    async ({ service: { jobs } }, { context, param }) => streamJob(context, jobs, await jobs.row(param('jobId'))),
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/jobs/{jobId}/files/{name}',
      operationId: 'getJobFile',
      summary: 'Download a file of a job',
      description:
        'Takes Range and conditional requests. The names are in the result. Content-Disposition names the file after ' +
        'the source: `Talk.srt` for `transcript.srt` of `Talk.mp3`.',
      auth: 'none',
      params: { ...params, name: z.string().describe('Name of the file.').meta({ example: 'document.md' }) },
      headers: FILE_HEADERS,
      answers: FILE_ANSWERS,
      errors: ['not_found', 'job_expired', 'range_not_satisfiable'],
    },
    async ({ service }, { context, param }) => {
      const job = await service.jobs.row(param('jobId'));
      const name = param('name');
      context.header('Cross-Origin-Resource-Policy', 'cross-origin');
      return sendFile(context, service.filePathOf(job.id, name), name, nameAfterSource(name, job.label));
    },
  ),
];

/** Routes to read, watch, cancel and remove jobs. Free; a jobId entitles to read that job. */
export const JOB_ROUTES = [LISTING, BULK_ROUTE, ...READING];

function jsonText(context: Context<HttpEnv>, text: string): Response {
  context.header('Content-Type', 'application/json');
  context.header('Cache-Control', 'no-store');
  return context.body(text);
}

/** Lists belong to an account, so the caller must have proved one. */
function signedIn(principal: Principal): Exclude<Principal, { kind: 'anonymous' }> {
  if (principal.kind !== 'anonymous') return principal;
  throw new QuarryError(
    'unauthorized',
    'Sign in with your wallet (header SIGN-IN-WITH-X), or send the owner token, to see your jobs.',
  );
}

function mayChange(principal: Principal, job: JobRow): void {
  if (principal.kind === 'owner') checkOwnJob(principal.key, job);
  if (principal.kind === 'owner' || principal.accountId === job.account_id) return;
  const code = principal.kind === 'anonymous' ? 'unauthorized' : 'forbidden';
  throw new QuarryError(code, 'Only the owner, or the account that made this job, may cancel or remove it.');
}

/** Interval of comments, which keep proxies and clients from closing an idle stream. */
const KEEP_ALIVE_MS = 15 * SECOND_MS;

/**
 * Encoded events by row, shared by all watchers of a job. Null for a large result, which is sent to each client in
 * pieces.
 */
const events = new WeakMap<JobRow, { id: string; whole: Uint8Array | null }>();

/**
 * Server-sent events of one job: the job object at each change, and the events that its run sends. An event id is the
 * job's revision, then the number of the last event of the run, if there was one: `12.3`. A client that reconnects with
 * Last-Event-ID gets the newest state and the events of the run that it missed. The stream ends after the terminal
 * event; a client that has seen it gets 204.
 */
export function streamJob(context: Context<HttpEnv>, jobs: Jobs, first: JobRow): Response {
  const { revision: seen, live: seenLive } = lastSeen(context.req.header('last-event-id'));
  context.header('Cache-Control', 'no-store');
  // A browser's EventSource reconnects forever after the end of a stream, unless it gets 204.
  if (isTerminal(first.status) && first.revision === seen) return context.body(null, 204);
  return eventStream(context, async (stream) => {
    let wakeJobStream = (): void => {};
    let changed = false;
    const watch = jobs.watchJob(first.id, () => {
      changed = true;
      wakeJobStream();
    });
    stream.onAbort(() => wakeJobStream());
    try {
      let sent = seen;
      let sentLive = seenLive;
      let job: JobRow | undefined = first;
      while (job && !stream.aborted) {
        if (job.revision !== sent) {
          await sendJobEvent(stream, jobs, job, sentLive === 0 ? `${job.revision}` : `${job.revision}.${sentLive}`);
          sent = job.revision;
        }
        if (isTerminal(job.status)) return;
        const live = jobs.liveAfter(job.id, sentLive);
        if (live.length > 0)
          await stream.write(live.map(({ number, text }) => `${text}id: ${sent}.${number}\n\n`).join(''));
        sentLive = live.at(-1)?.number ?? sentLive;
        // A client that left during the write was already signalled.
        if (!changed && !stream.aborted) await quietUntilChange(stream, (resume) => (wakeJobStream = resume));
        changed = false;
        job = watch.newest();
      }
    } finally {
      watch.stop();
    }
  });
}

function lastSeen(id = ''): { revision: number; live: number } {
  const [, revision = -1, live = 0] = /^(\d+)(?:\.(\d+))?$/.exec(id) ?? [];
  return { revision: Number(revision), live: Number(live) };
}

async function sendJobEvent(stream: SSEStreamingApi, jobs: Jobs, job: JobRow, id: string): Promise<void> {
  const known = events.get(job);
  const { whole } = known?.id === id ? known : { whole: wholeEvent(jobs, job, id) };
  events.set(job, { id, whole });
  if (whole !== null) await stream.write(whole);
  else await sendInPieces(stream, jobs, job, id);
}

function wholeEvent(jobs: Jobs, job: JobRow, id: string): Uint8Array | null {
  const body = jobs.jobBodyText(job);
  return typeof body === 'string' ? new TextEncoder().encode(`${eventHeadOf(id)}${body}\n\n`) : null;
}

async function sendInPieces(stream: SSEStreamingApi, jobs: Jobs, job: JobRow, id: string): Promise<void> {
  const body = jobs.jobBodyText(job);
  await stream.write(eventHeadOf(id));
  for await (const piece of typeof body === 'string' ? [body] : body) {
    if (stream.aborted) return;
    await stream.write(piece);
  }
  await stream.write('\n\n');
}

/** JSON text contains no line ends, so it is one line of data. */
function eventHeadOf(id: string): string {
  return `event: job\nid: ${id}\ndata: `;
}

/** Waits for the next change and writes keep-alives. */
async function quietUntilChange(
  stream: { write(text: string): Promise<unknown> },
  onWake: (resume: () => void) => void,
): Promise<void> {
  const timer = setInterval(() => void stream.write(': still here\n\n'), KEEP_ALIVE_MS);
  await new Promise<void>((resolve) => onWake(resolve));
  clearInterval(timer);
}
