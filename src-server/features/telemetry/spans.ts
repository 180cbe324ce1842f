/** The spans of a job, from what the database keeps of it. They hold no request, result, file name or id of a job. */

import { createHash } from 'node:crypto';
import type { EnvironmentName } from '../../operation.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import type { DeliveryAttempt } from '../webhooks/schema.ts';

/** A span that has ended. */
export interface SpanFacts {
  /** Of the trace, if it begins here. */
  traceId: string;
  spanId: string;
  parent: SpanParent | null;
  name: string;
  startedAt: number;
  endedAt: number;
  attributes: Record<string, string | number>;
  /** Code of the error. */
  error: string | null;
}

export interface SpanParent {
  traceId: string;
  spanId: string;
  isSampled: boolean;
  /** The span of another program. */
  isRemote: boolean;
}

/** A job that has ended. */
export interface TracedJob {
  id: string;
  operation_id: string;
  status: string;
  key_name: string | null;
  attempts: number;
  node: string | null;
  /** JSON: names and starts of the stages, oldest first. */
  stages: string | null;
  traceparent: string | null;
  error: string | null;
  created_at: number;
  ended_at: number | null;
}

export function spansOfJob(environment: EnvironmentName, job: TracedJob): SpanFacts[] {
  const { operation_id: operation, created_at: startedAt, ended_at } = job;
  const endedAt = ended_at ?? startedAt;
  const parent = parentOf(job.traceparent);
  const traceId = parent?.traceId ?? traceIdOf(job.id);
  const code = job.error === null ? null : parseOwnJson<{ code: string }>(job.error).code;
  const root: SpanFacts = {
    traceId,
    spanId: rootIdOf(job.id, endedAt),
    parent,
    name: operation,
    startedAt,
    endedAt,
    error: code,
    attributes: {
      'quarry.environment': environment,
      'quarry.operation': operation,
      'quarry.status': job.status,
      'quarry.attempts': job.attempts,
      ...omitUndefined({
        'quarry.key': job.key_name ?? undefined,
        'quarry.node': job.node ?? undefined,
        'error.type': code ?? undefined,
      }),
    },
  };
  const starts = parseOwnJson<[name: string, startedAt: number][]>(job.stages ?? '[]');
  const within: [string, number][] = [['queued', startedAt], ...starts];
  const stages = within.map(([name, from], index): SpanFacts => {
    const to = within[index + 1]?.[1] ?? endedAt;
    const spanId = spanIdOf(`${root.spanId} ${index}`);
    const span = { traceId, spanId, parent: childOf(root), name, attributes: {}, error: null };
    return { ...span, startedAt: from, endedAt: Math.max(from, to) };
  });
  return [root, ...stages];
}

export function spanOfAttempt(attempt: DeliveryAttempt, traceparent: string | null): SpanFacts {
  const { jobId, jobEndedAt, event, number, startedAt, endedAt, responseStatus, errorClass } = attempt;
  const remote = parentOf(traceparent);
  const traceId = remote?.traceId ?? traceIdOf(jobId);
  const spanId = rootIdOf(jobId, jobEndedAt);
  return {
    traceId,
    spanId: spanIdOf(`${spanId} ${event} ${startedAt} ${number}`),
    parent: { traceId, spanId, isSampled: remote?.isSampled ?? true, isRemote: false },
    name: `delivery ${event}`,
    startedAt,
    endedAt,
    attributes: {
      'quarry.event': event,
      'quarry.attempts': number,
      ...omitUndefined({
        'http.response.status_code': responseStatus ?? undefined,
        'error.type': errorClass ?? undefined,
      }),
    },
    error: errorClass,
  };
}

const TRACEPARENT = /^00-(?!0{32})(?<traceId>[0-9a-f]{32})-(?!0{16})(?<spanId>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})$/;

const SAMPLED = 1;

/** Null without the header, and for one that is none: the trace then begins with the job (W3C Trace Context). */
function parentOf(traceparent: string | null): SpanParent | null {
  const found = TRACEPARENT.exec(traceparent ?? '')?.groups;
  if (found === undefined) return null;
  const { traceId = '', spanId = '', flags = '' } = found;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED, isRemote: true };
}

function childOf({ traceId, spanId, parent }: SpanFacts): SpanParent {
  return { traceId, spanId, isSampled: parent?.isSampled ?? true, isRemote: false };
}

/** Follows from the id, so that a delivery after a restart finds the trace. It does not give the id away. */
function traceIdOf(jobId: string): string {
  return sha256Hex(`trace ${jobId}`).slice(0, 32);
}

/** A job that runs again has a span for each end. */
function rootIdOf(jobId: string, endedAt: number): string {
  return spanIdOf(`${jobId} ${endedAt}`);
}

function spanIdOf(text: string): string {
  return sha256Hex(`span ${text}`).slice(0, 16);
}

function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
