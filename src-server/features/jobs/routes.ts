import { type Context, Hono } from 'hono';
import type { SSEStreamingApi } from 'hono/streaming';
import type { Principal } from '../../context.ts';
import { checkOperationId } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { eventStream } from '../../platform/http/event-stream.ts';
import { sendFile } from '../../platform/http/file-response.ts';
import { parseWithSchema, queryOf } from '../../platform/http/validate.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { Jobs } from './jobs.ts';
import { isTerminal, JobListQuery, RechunkRequest } from './schema.ts';
import type { JobService } from './service.ts';
import type { JobRow } from './store.ts';

/** Reading, watching, cancelling and removing jobs. Free; knowing a jobId is the right to read that job. */
export function jobRoutes(service: JobService): Hono<HttpEnv> {
  const { jobs } = service;
  const routes = new Hono<HttpEnv>();

  routes.get('/jobs', (context) => {
    const query = parseWithSchema(JobListQuery, queryOf(context));
    const principal = signedIn(context.get('principal'));
    checkOperationId(service.operations, 'jobType', query.jobType);
    const filter = {
      ...(principal.kind === 'owner' ? {} : { accountId: principal.accountId }),
      ...(query.status === undefined ? {} : { status: query.status }),
      ...(query.jobType === undefined ? {} : { operationId: query.jobType }),
    };
    const before = query.cursor === undefined ? null : Number(query.cursor);
    const page = jobs.list(filter, before, query.limit);
    const next = page.next === null ? 'null' : `"${page.next}"`;
    return json(context, `{"jobs":[${page.jobs.join(',')}],"nextCursor":${next}}`);
  });

  routes.get('/jobs/:jobId', (context) => {
    const job = jobs.row(context.req.param('jobId'));
    return jobBody(context, jobs.body(job), 200);
  });

  routes.delete('/jobs/:jobId', async (context) => {
    const job = jobs.row(context.req.param('jobId'));
    const principal = context.get('principal');
    mayChange(principal, job);
    await (principal.kind === 'owner' ? jobs.cancelOrRemove(job) : jobs.endByMaker(job));
    return context.body(null, 204);
  });

  routes.get('/jobs/:jobId/events', (context) => {
    const job = jobs.row(context.req.param('jobId'));
    return streamJob(context, jobs, job);
  });

  routes.post('/jobs/:jobId/chunks', async (context) => {
    const job = jobs.row(context.req.param('jobId'));
    const request = parseWithSchema(RechunkRequest, await service.readSmallJson(context));
    return context.json(await service.rechunk(job.id, context.get('principal').accountId, request));
  });

  routes.on(['GET', 'HEAD'], '/jobs/:jobId/files/:name', (context) => {
    const job = jobs.row(context.req.param('jobId'));
    const name = context.req.param('name');
    context.header('Cross-Origin-Resource-Policy', 'cross-origin');
    return sendFile(context, service.filePathOf(job.id, name), name);
  });

  return routes;
}

function json(context: Context<HttpEnv>, text: string): Response {
  context.header('Content-Type', 'application/json');
  context.header('Cache-Control', 'no-store');
  return context.body(text);
}

/** Lists belong to an account, so somebody must have proved to be one. */
function signedIn(principal: Principal): Exclude<Principal, { kind: 'anonymous' }> {
  if (principal.kind !== 'anonymous') return principal;
  throw new QuarryError(
    'unauthorized',
    'Sign in with your wallet (header SIGN-IN-WITH-X), or send the owner token, to see your jobs.',
  );
}

function mayChange(principal: Principal, job: JobRow): void {
  if (principal.kind === 'owner' || principal.accountId === job.account_id) return;
  const code = principal.kind === 'anonymous' ? 'unauthorized' : 'forbidden';
  throw new QuarryError(code, 'Only the owner, or the account that made this job, may cancel or remove it.');
}

/** A comment this often keeps proxies and clients from taking a silent stream for a dead one. */
const KEEP_ALIVE_MS = 15 * SECOND_MS;

/**
 * Events that are put together, by the row they tell of: all who watch a job have the same one. Null where the result
 * is large, which each client is sent piece by piece as it takes them.
 */
const events = new WeakMap<JobRow, Uint8Array | null>();

/**
 * Server-sent events of one job: the job object at every change, the event id being the job's revision. A client that
 * comes back with Last-Event-ID is sent what it missed, which is the newest state; after the terminal one it ends. Who
 * has seen that one already gets 204.
 */
export function streamJob(context: Context<HttpEnv>, jobs: Jobs, first: JobRow): Response {
  const seen = Number(context.req.header('last-event-id') ?? -1);
  context.header('Cache-Control', 'no-store');
  // A browser's EventSource takes the end of a stream for a broken line and asks again, for ever, unless it gets this.
  if (isTerminal(first.status) && first.revision === seen) return context.body(null, 204);
  return eventStream(context, async (stream) => {
    let wake = (): void => {};
    let changed = false;
    const watch = jobs.watch(first.id, () => {
      changed = true;
      wake();
    });
    stream.onAbort(() => wake());
    try {
      let sent = seen;
      let job: JobRow | undefined = first;
      while (job && !stream.aborted) {
        if (job.revision !== sent) {
          await send(stream, jobs, job);
          sent = job.revision;
        }
        if (isTerminal(job.status)) return;
        // Who left while that was written has been told of, and will not be told of again.
        if (!changed && !stream.aborted) await quiet(stream, (resume) => (wake = resume));
        changed = false;
        job = watch.newest();
      }
    } finally {
      watch.stop();
    }
  });
}

async function send(stream: SSEStreamingApi, jobs: Jobs, job: JobRow): Promise<void> {
  const known = events.get(job);
  const whole = known === undefined ? wholeEvent(jobs, job) : known;
  events.set(job, whole);
  if (whole !== null) await stream.write(whole);
  else await sendInPieces(stream, jobs, job);
}

function wholeEvent(jobs: Jobs, job: JobRow): Uint8Array | null {
  const body = jobs.body(job);
  return typeof body === 'string' ? new TextEncoder().encode(`${headOf(job)}${body}\n\n`) : null;
}

async function sendInPieces(stream: SSEStreamingApi, jobs: Jobs, job: JobRow): Promise<void> {
  const body = jobs.body(job);
  await stream.write(headOf(job));
  for await (const piece of typeof body === 'string' ? [body] : body) {
    if (stream.aborted) return;
    await stream.write(piece);
  }
  await stream.write('\n\n');
}

/** JSON has no line ends of its own, so all of it is one line of data. */
function headOf(job: JobRow): string {
  return `event: job\nid: ${job.revision}\ndata: `;
}

/** Waits for the next change, writing keep-alives meanwhile. */
async function quiet(
  stream: { write(text: string): Promise<unknown> },
  onWake: (resume: () => void) => void,
): Promise<void> {
  const timer = setInterval(() => void stream.write(': still here\n\n'), KEEP_ALIVE_MS);
  await new Promise<void>((resolve) => onWake(resolve));
  clearInterval(timer);
}

/** Answers with a job object, piece by piece where it comes in pieces. */
export function jobBody(
  context: Context<HttpEnv>,
  body: string | AsyncIterable<string | Uint8Array>,
  status: 200 | 202,
): Response {
  context.header('Content-Type', 'application/json');
  context.header('Cache-Control', 'no-store');
  return context.body(typeof body === 'string' ? body : ReadableStream.from(bytesOf(body)), status);
}

async function* bytesOf(pieces: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}
