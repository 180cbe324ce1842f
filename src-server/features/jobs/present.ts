import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type JobProgress, WAITING_STAGE } from '../../operation.ts';
import { toIsoTime } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { streamBytes } from '../../platform/files/stream-bytes.ts';
import type { DownloadProgress } from '../../platform/net/download.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { KIB } from '../../platform/units.ts';
import { presentLabels } from './labels.ts';
import { stagesOf } from './progress.ts';
import { isTerminal } from './schema.ts';
import {
  changeEventsOfOpenJobs,
  changeJob,
  countOpenJobs,
  type JobRow,
  jobById,
  jobsWithResults,
  type StoredSource,
} from './store.ts';
import { presentWaiting } from './waiting.ts';

/** The columns of a job that are shown. */
type ShownJob = Pick<
  JobRow,
  | 'id'
  | 'operation_id'
  | 'status'
  | 'source_name'
  | 'events'
  | 'progress_percent'
  | 'progress_stage'
  | 'progress_message'
  | 'estimated_ms'
  | 'error'
  | 'created_at'
  | 'updated_at'
  | 'started_at'
  | 'stages'
  | 'expires_at'
  | 'waiting_for'
  | 'on_missing'
  | 'node'
  | 'tags'
  | 'metadata'
>;

/** What a presented job depends on beyond its row. */
export interface JobView {
  /** Absolute, ends with the version prefix: `http://127.0.0.1:8402/v1`. */
  baseUrl: string;
  now: number;
  /** Progress of a model or program that is being installed. */
  progressOf(name: string): DownloadProgress | null;
}

/** Below this percentage, progress predicts the remaining time badly. */
const TRUSTED_PERCENT = 5;

/** A job that has not come that far in this share of its expected time takes longer than expected. */
const CREDIBLE_SHARE = 0.5;

/**
 * The job object as JSON text: the answer of `GET /jobs/{jobId}`, the body of callbacks and the row of the dashboard.
 * The stored result is inserted as text, so that a result of megabytes is not parsed on the server's thread.
 */
export function presentJson(job: ShownJob, result: string | null, view: JobView): string {
  const { before, after } = presentAround(job, view);
  const isShown = job.status === 'completed' && result !== null;
  return before + (isShown ? presentResult(job.id, result, view.baseUrl) : 'null') + after;
}

/** The text of the job object before and after its result. @param first fields before the job's own */
export function presentAround(
  job: ShownJob,
  view: JobView,
  first: Record<string, unknown> = {},
): { before: string; after: string } {
  const head = JSON.stringify({ ...first, ...jobHeadOf(job, view.baseUrl) });
  return { before: `${head.slice(0, -1)},"result":`, after: `,${JSON.stringify(tailOf(job, view)).slice(1)}` };
}

/** The text of a stored result, with the URLs of its files. */
export function presentResult(jobId: string, result: string, baseUrl: string): string {
  const { from, to } = fileUrlsOf(jobId, statusUrlOf(jobId, baseUrl));
  return result.replaceAll(from, to);
}

/** The parts of a job object in a callback. Joined they give the text of `presentJson`. */
export interface JobPieces {
  /** All but the result. */
  head: Record<string, unknown>;
  /** JSON text of the result; `null` when the job has none. */
  result: string | { storedBytes: number };
  /** Placeholder for file URLs in stored results, and its replacement. */
  fileUrls: FileUrls;
}

interface FileUrls {
  from: string;
  to: string;
}

/** @param result the stored text, or its length when it is too long to load at once; null without a result */
function presentPieces(job: ShownJob, result: string | { storedBytes: number } | null, view: JobView): JobPieces {
  const head = jobHeadOf(job, view.baseUrl);
  const fileUrls = fileUrlsOf(job.id, head.statusUrl);
  const shown = job.status === 'completed' && result !== null ? result : 'null';
  return {
    head: { ...head, ...tailOf(job, view) },
    result: typeof shown === 'string' ? shown.replaceAll(fileUrls.from, fileUrls.to) : shown,
    fileUrls,
  };
}

function jobHeadOf(job: ShownJob, baseUrl: string) {
  return {
    jobId: job.id,
    jobType: job.operation_id,
    status: job.status,
    createdAt: toIsoTime(job.created_at),
    updatedAt: toIsoTime(job.updated_at),
    statusUrl: statusUrlOf(job.id, baseUrl),
  };
}

function statusUrlOf(jobId: string, baseUrl: string): string {
  return `${baseUrl}/jobs/${jobId}`;
}

function fileUrlsOf(jobId: string, statusUrl: string): FileUrls {
  return { from: `"urn:quarry:${jobId}:`, to: `"${statusUrl}/files/` };
}

function tailOf(job: ShownJob, { now, progressOf }: JobView): Record<string, unknown> {
  return {
    events: parseOwnJson<string[]>(job.events),
    progress: shownProgress(job),
    expiresAt: job.expires_at === null ? null : toIsoTime(job.expires_at),
    error: job.error !== null && job.status === 'failed' ? parseOwnJson<unknown>(job.error) : undefined,
    sourceName: job.source_name ?? undefined,
    ...presentLabels(job),
    ...etaOf(job, now),
    ...presentWaiting(job, progressOf),
    ...omitUndefined({ node: job.node ?? undefined }),
  };
}

function shownProgress(job: ShownJob): JobProgress {
  return { percent: job.progress_percent, stage: job.progress_stage, message: job.progress_message };
}

/**
 * Seconds left, at least one: from the progress once it predicts well, before that from earlier runs on this machine.
 * Nothing where that would mislead: while the job waits, and once it is slower than expected.
 */
export function etaOf(job: ShownJob, now: number): { etaSeconds: number } | Record<string, never> {
  const { estimated_ms: expectedMs, progress_percent: percent } = job;
  if (job.status === 'processing' && job.started_at !== null && job.progress_stage !== WAITING_STAGE) {
    const elapsedMs = workedMs(job.stages, job.started_at, now);
    if (percent >= TRUSTED_PERCENT) return etaFields((elapsedMs * (100 - percent)) / percent);
    const isCredible = expectedMs !== null && elapsedMs < expectedMs * CREDIBLE_SHARE;
    return isCredible ? etaFields(expectedMs - elapsedMs) : {};
  }
  // The wait for an installation, or for another attempt, has no known end.
  const isNew = job.status === 'queued' && job.waiting_for === null && job.started_at === null;
  return isNew && expectedMs !== null ? etaFields(expectedMs) : {};
}

/** Milliseconds of work since the start of the run: while a job only waits, the time left does not change. */
function workedMs(stages: string | null, startedAt: number, now: number): number {
  const starts = stagesOf(stages).filter(([, at]) => at >= startedAt);
  const waits = starts.map(([stage, at], index) =>
    stage === WAITING_STAGE ? Math.max(0, (starts[index + 1]?.[1] ?? now) - at) : 0,
  );
  // The clock may have been set back since the start.
  return Math.max(0, now - startedAt - waits.reduce((sum, wait) => sum + wait, 0));
}

function etaFields(milliseconds: number): { etaSeconds: number } {
  return { etaSeconds: Math.max(1, Math.ceil(milliseconds / 1000)) };
}

/**
 * Stored results name their files by this prefix instead of a URL, since the address of the server may change. The
 * prefix contains the job's unguessable id, so no document can contain it.
 */
export function fileReference(jobId: string, name: string): string {
  return `urn:quarry:${jobId}:${encodeURIComponent(name)}`;
}

/** The job objects of callbacks, read together. Jobs that are gone are left out. */
export function presentCallbacks(
  db: Db,
  jobIds: readonly string[],
  maxResultBytes: number,
  view: Omit<JobView, 'progressOf'>,
): ReadonlyMap<string, JobPieces> {
  const pieces = new Map<string, JobPieces>();
  for (const job of jobsWithResults(db, jobIds, maxResultBytes)) {
    if (job.purged_at !== null) continue;
    const { result, result_bytes: storedBytes } = job;
    const shown = result === null && storedBytes !== null ? { storedBytes } : result;
    pieces.set(job.id, presentPieces(job, shown, { ...view, progressOf: () => null }));
  }
  return pieces;
}

/** The file a job was made from; null without one. */
export function jobSourceOf(job: JobRow): StoredSource | null {
  return job.source === null ? null : parseOwnJson<StoredSource>(job.source);
}

/** A job for its webhook deliveries; null until it has ended. */
export function endedJob(job: JobRow) {
  if (!isTerminal(job.status) || job.ended_at === null) return null;
  const end = job.status === 'completed' ? 'job.completed' : 'job.failed';
  const events = [end, ...(job.further_event === null ? [] : [job.further_event])] as const;
  return { id: job.id, accountId: job.account_id, events, endedAt: job.ended_at };
}

/** Jobs that webhooks can be registered on. */
export const SUBSCRIBABLE_JOBS = {
  find: (tx: Db, jobId: string) => {
    const job = jobById(tx, jobId);
    if (job === undefined) return undefined;
    const { id, account_id: accountId, expires_at: expiresAt, purged_at: purgedAt } = job;
    const key = job.key_id === null ? undefined : { id: job.key_id, name: job.key_name ?? '' };
    return { id, accountId, expiresAt, ended: endedJob(job), isPurged: purgedAt !== null, key };
  },
  countOpen: countOpenJobs,
  setEvents: (tx: Tx, jobId: string, given: readonly string[], now: number) => {
    const job = jobById(tx, jobId);
    const events = JSON.stringify(given);
    if (job !== undefined && job.events !== events) changeJob(tx, job.seq, { events }, now);
  },
  changeEventsOfOpen: (tx: Tx, accountId: string, { from, to }: { from: readonly string[]; to: readonly string[] }) =>
    changeEventsOfOpenJobs(tx, accountId, { from: JSON.stringify(from), to: JSON.stringify(to) }),
};

// A result with many chunks is stored without them, since the job's file chunks.jsonl contains them. These functions
// join the two in small pieces, so that megabytes never block the server's thread.

/** Size of a piece. */
const PIECE_BYTES = 64 * KIB;

/** Start of a result whose chunks are in a file: the schema puts them first. */
const WITHOUT_CHUNKS = '{"chunks":[]';

const LINE_END = 0x0a;

const COMMA = 0x2c;

/** The text before and after the chunks. */
export function aroundChunks(body: string): { before: string; after: string } {
  if (!body.startsWith(WITHOUT_CHUNKS)) throw new Error('A result whose chunks stand in a file has some itself.');
  return { before: WITHOUT_CHUNKS.slice(0, -1), after: body.slice(WITHOUT_CHUNKS.length - 1) };
}

/** The chunks as the entries of a JSON list, without its brackets. */
export async function* chunkPieces(path: string): AsyncGenerator<Buffer> {
  let ended = false;
  for await (const piece of streamBytes(createReadStream(path, { highWaterMark: PIECE_BYTES }))) {
    if (ended) yield Buffer.of(COMMA);
    ended = piece.at(-1) === LINE_END;
    separateJsonLines(piece);
    yield ended ? piece.subarray(0, -1) : piece;
  }
}

/** The whole text as UTF-8, in memory that threads share. */
export async function joinedBytes(body: string, path: string): Promise<Uint8Array> {
  const { before, after } = aroundChunks(body);
  const lines = await readFile(path);
  const chunks = lines.at(-1) === LINE_END ? lines.subarray(0, -1) : lines;
  separateJsonLines(chunks);
  const parts = [Buffer.from(before), chunks, Buffer.from(after)];
  const joined = new Uint8Array(new SharedArrayBuffer(parts.reduce((sum, part) => sum + part.length, 0)));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Replaces line ends by commas, in place. JSON text contains no line ends within a line. */
function separateJsonLines(lines: Buffer): void {
  for (let at = lines.indexOf(LINE_END); at !== -1; at = lines.indexOf(LINE_END, at + 1)) lines[at] = COMMA;
}
