import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { z } from 'zod';
import { JOB_STATUSES } from '../features/jobs/schema.ts';
import { SECOND_MS } from '../platform/units.ts';
import { CommandError, type Connection, EXIT, refusedAnswerError } from './connection.ts';
import { nameFlags } from './flag-names.ts';

/** What the commands read of a job. The other fields are passed on unchanged. */
export const SeenJob = z.looseObject({
  jobId: z.string(),
  jobType: z.string(),
  status: z.enum(JOB_STATUSES),
  createdAt: z.string().optional(),
  sourceName: z.string().optional(),
  progress: z.object({ percent: z.number(), stage: z.string(), message: z.string() }).optional(),
  etaSeconds: z.number().optional(),
  waitingFor: z
    .looseObject({
      kind: z.string(),
      problem: z.object({ code: z.string(), message: z.string() }).optional(),
    })
    .optional(),
  result: z.record(z.string(), z.unknown()).nullish(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});

export type SeenJob = z.infer<typeof SeenJob>;

const Accepted = z.object({ jobId: z.string() });

/** Broken connections in a row. A server that restarts is back sooner. */
const RETRIES = 10;

const TOO_MANY_REQUESTS = 429;

const RETRY_AFTER_MAX_SECONDS = 60;

export function isEndedJob({ status }: SeenJob): boolean {
  return status === 'completed' || status === 'failed';
}

/** JSON text, or a form with a file. */
export type RequestContent = string | FormData;

export interface Submission {
  operationId: string;
  /** A new one for each try. */
  body(): RequestContent;
  /** Header `Prefer`. */
  prefer?: string | undefined;
  tags: readonly string[];
}

/** Submits a job and returns its id. Waits where the server asks for it. */
export async function submitJob(
  connection: Connection,
  { operationId, body, prefer, tags }: Submission,
  signal: AbortSignal,
): Promise<string> {
  const common = { prefer: prefer === undefined ? 'wait=0' : `wait=0, ${prefer}`, 'idempotency-key': randomUUID() };
  for (;;) {
    const content = body();
    const headers: Record<string, string> = { ...common };
    if (tags.length > 0) headers['quarry-tags'] = tags.join(', ');
    if (typeof content === 'string') headers['content-type'] = 'application/json';
    const answer = await connection.send(`/v1/${operationId}`, { method: 'POST', headers, body: content, signal });
    if (answer.ok) return Accepted.parse(await answer.json()).jobId;
    const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
    if (answer.status !== TOO_MANY_REQUESTS || !(seconds <= RETRY_AFTER_MAX_SECONDS))
      throw await refusedAnswerError(answer);
    await answer.body?.cancel();
    await pause(Math.max(1, seconds) * SECOND_MS, undefined, { signal });
  }
}

export async function readJob(connection: Connection, jobId: string, signal?: AbortSignal): Promise<SeenJob> {
  const path = `/v1/jobs/${encodeURIComponent(jobId)}`;
  return SeenJob.parse(await connection.json(path, signal === undefined ? {} : { signal }));
}

/** Follows a job to its end by its events. Connects again after a broken connection. */
export async function followJobEvents(
  connection: Connection,
  jobId: string,
  onChange: (job: SeenJob) => void,
  signal: AbortSignal,
): Promise<SeenJob> {
  const path = `/v1/jobs/${encodeURIComponent(jobId)}/events`;
  for (let failures = 0; failures <= RETRIES; failures += 1) {
    if (failures > 0) await pause(SECOND_MS, undefined, { signal });
    try {
      const answer = await connection.send(path, { signal });
      if (!answer.ok) throw await refusedAnswerError(answer);
      for await (const job of jobsOf(answer)) {
        failures = 0;
        onChange(job);
        if (isEndedJob(job)) return job;
        throwIfStuck(job);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CommandError && error.exitCode !== EXIT.noServer) throw error;
    }
  }
  throw new CommandError(`The connection to the server is lost. The job ${jobId} runs on.`, EXIT.noServer);
}

/** A job that waits for what nothing installs would be followed for ever. A node comes back by itself. */
function throwIfStuck({ jobId, waitingFor }: SeenJob): void {
  if (waitingFor?.problem === undefined || waitingFor.kind === 'node') return;
  throw new CommandError(`${nameFlags(waitingFor.problem.message)} The job ${jobId} waits for it.`, EXIT.failed);
}

async function* jobsOf(answer: Response): AsyncGenerator<SeenJob> {
  if (answer.body === null) return;
  // The lib's types of stream writers differ from those of Node.
  const text = answer.body.pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>);
  const events = text.pipeThrough(new EventSourceParserStream());
  for await (const { event, data } of events as unknown as AsyncIterable<{ event?: string; data: string }>) {
    if (event === 'job') yield SeenJob.parse(JSON.parse(data));
  }
}

/** Cancels a job that has not ended. Returns whether it was cancelled. Errors: CommandError. */
export async function cancelJob(connection: Connection, jobId: string): Promise<boolean> {
  // DELETE removes the result of a job that has ended.
  if (isEndedJob(await readJob(connection, jobId))) return false;
  const answer = await connection.send(`/v1/jobs/${encodeURIComponent(jobId)}`, { method: 'DELETE' });
  if (!answer.ok) throw await refusedAnswerError(answer);
  return true;
}
