import type { Context } from 'hono';
import type { SSEStreamingApi } from 'hono/streaming';
import { isTerminal } from '../../contract/index.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { eventStream } from '../../platform/http/event-stream.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { Jobs } from './service.ts';
import type { JobRow } from './store.ts';

/** A comment this often keeps proxies and clients from taking a silent stream for a dead one. */
const KEEP_ALIVE_MS = 15 * SECOND_MS;

/**
 * Events that are put together, by the row they tell of: all who watch a job have the same one. Null where the result
 * is large, which each client is sent piece by piece as it takes them.
 */
const events = new WeakMap<JobRow, Promise<Uint8Array | null>>();

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
        job = await watch.newest();
      }
    } finally {
      watch.stop();
    }
  });
}

async function send(stream: SSEStreamingApi, jobs: Jobs, job: JobRow): Promise<void> {
  const known = events.get(job) ?? wholeEvent(jobs, job);
  events.set(job, known);
  const whole = await known;
  if (whole !== null) await stream.write(whole);
  else await sendInPieces(stream, jobs, job);
}

async function wholeEvent(jobs: Jobs, job: JobRow): Promise<Uint8Array | null> {
  const body = await jobs.body(job);
  return typeof body === 'string' ? new TextEncoder().encode(`${headOf(job)}${body}\n\n`) : null;
}

async function sendInPieces(stream: SSEStreamingApi, jobs: Jobs, job: JobRow): Promise<void> {
  const body = await jobs.body(job);
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
