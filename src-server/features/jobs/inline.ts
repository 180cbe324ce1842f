import type { Context } from 'hono';
import type { InlineRule } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { eventStream } from '../../platform/http/event-stream.ts';
import { problemOf, publicError } from '../../platform/http/problem.ts';
import { invalidRequest } from '../../platform/http/validate.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { saidElsewhere, tell } from '../../platform/text/say.ts';
import { HOUR_MS } from '../../platform/units.ts';
import type { Jobs } from './jobs.ts';
import { isTerminal, type JobError } from './schema.ts';
import type { JobRow } from './store.ts';

type Ctx = Context<HttpEnv>;

interface InlineService {
  jobs: Jobs;
  /** Absolute, ends with the version prefix. */
  baseUrl(): string;
}

/**
 * Answers an operation at once. The request runs the job and waits for it. The job is cancelled when the client
 * disconnects, and can be read later like any other.
 */
export async function answerInline(
  service: InlineService,
  inline: { rule: InlineRule; streams: boolean },
  context: Ctx,
  accepted: JobRow,
  release: () => void,
): Promise<Response> {
  const { rule, streams } = inline;
  if (streams) return streamAnswer(service, rule, context, accepted, release);
  try {
    return context.json(await finishInlineJob(service, rule.body, accepted, context.req.raw.signal, () => {}), 200);
  } finally {
    release();
  }
}

/** Reads `?stream=true`, before anything is charged. Errors: `invalid_request`. */
export function wantsStream(context: Ctx, rule: InlineRule): boolean {
  const stream = context.req.query('stream');
  if (stream === undefined || stream === 'false') return false;
  if (stream === 'true' && rule.streams) return true;
  const message = rule.streams ? tell`Give true or false.` : tell`This operation does not stream.`;
  throw invalidRequest([{ path: 'stream', message }]);
}

/**
 * Sends `accepted` with the job first, then the events of `run`, then `done` with the whole answer or `error` with a
 * problem.
 */
function streamAnswer(
  service: InlineService,
  rule: InlineRule,
  context: Ctx,
  accepted: JobRow,
  release: () => void,
): Response {
  return eventStream(context, async (stream) => {
    const gone = new AbortController();
    stream.onAbort(() => gone.abort());
    const sendStreamEvent = (event: string, data: unknown) => stream.writeSSE({ event, data: JSON.stringify(data) });
    try {
      await sendStreamEvent('accepted', { jobId: accepted.id, statusUrl: `${service.baseUrl()}/jobs/${accepted.id}` });
      await sendStreamEvent(
        'done',
        await finishInlineJob(
          service,
          rule.body,
          accepted,
          gone.signal,
          (event, data) => void sendStreamEvent(event, data),
        ),
      );
    } catch (error) {
      await sendStreamEvent('error', problemOf(publicError(error)));
    } finally {
      release();
    }
  });
}

/** Runs the job unless it has ended or is running. Returns the body, or throws the job's error. */
export async function finishInlineJob<Whole, Body>(
  service: InlineService,
  body: (result: Whole, jobId: string) => Body,
  accepted: JobRow,
  signal: AbortSignal,
  emit: (event: string, data: Record<string, unknown>) => void,
): Promise<Body> {
  const { jobs } = service;
  if (!isTerminal(accepted.status)) await jobs.runNow(accepted.id, { signal, emit });
  const job = await jobs.waitUntilTerminal(accepted.id, HOUR_MS, signal);
  if (job?.status === 'completed') {
    return body(parseOwnJson<Whole>((await jobs.storedResultText(job.id)) ?? '{}'), job.id);
  }
  throw inlineFailureOf(job);
}

/** The error of a job that did not complete. */
function inlineFailureOf(job: JobRow | undefined): QuarryError {
  if (job?.error == null)
    return new QuarryError('interrupted', tell`The answer was interrupted. Send the request again.`);
  const { code, message, retryable } = parseOwnJson<JobError>(job.error);
  return new QuarryError(code, saidElsewhere(message), { retryable });
}

export async function waitForInlineResult<Value = Record<string, unknown>>(
  service: InlineService,
  accepted: JobRow,
  signal: AbortSignal,
): Promise<Value> {
  const { jobs } = service;
  const job = await jobs.waitUntilTerminal(accepted.id, HOUR_MS, signal);
  if (job !== undefined && !isTerminal(job.status)) {
    await jobs.cancelOrRemove(job);
    throw new QuarryError('timeout', tell`The work takes longer than a request may wait. Use the job API for it.`);
  }
  if (job?.status !== 'completed') throw inlineFailureOf(job);
  return parseOwnJson<Value>((await jobs.storedResultText(job.id)) ?? '{}');
}
