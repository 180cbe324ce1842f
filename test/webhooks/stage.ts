import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endedJob, presentCallbacks, presentJson, SUBSCRIBABLE_JOBS } from '../../src-server/features/jobs/present.ts';
import type { JobStatus, SubscriptionDraft } from '../../src-server/features/jobs/schema.ts';
import {
  changeJob,
  type JobRow,
  jobById,
  resultBytesOf,
  storedResultOf,
} from '../../src-server/features/jobs/store.ts';
import * as transition from '../../src-server/features/jobs/transition.ts';
import type { PostResponse, WebhookClient, WebhookDeps } from '../../src-server/features/webhooks/schema.ts';
import { Webhooks } from '../../src-server/features/webhooks/service.ts';
import { MIGRATIONS } from '../../src-server/features.ts';
import type { Tx } from '../../src-server/platform/db/database.ts';
import { openStorage, type Storage } from '../../src-server/platform/db/database.ts';
import { newId } from '../../src-server/platform/ids.ts';
import { isPublicAddress } from '../../src-server/platform/net/address-policy.ts';
import { canonicalResult } from '../../workers/json/canonical-result.ts';
import { UNWATCHED } from '../harness/task-context.ts';

const BASE_URL = 'http://127.0.0.1:8402/v1';

/** Where the moved clock begins: any time will do. */
export const START = Date.UTC(2026, 2, 2, 9, 30);
const RETENTION_MS = 72 * 3_600_000;

type PostRequest = Parameters<WebhookClient['post']>[1];

export interface Sent {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  at: number;
}

/** A client that records what it is given and answers as it is told. */
export class FakeClient implements WebhookClient {
  readonly sent: Sent[] = [];
  answer: (url: string, count: number, request: PostRequest) => Promise<Partial<PostResponse>> | Partial<PostResponse>;
  readonly #now: () => number;
  readonly #counts = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
    this.answer = () => ({ status: 200 });
  }

  async post(url: string, request: PostRequest): Promise<PostResponse> {
    this.sent.push({ url, headers: request.headers, body: Buffer.from(request.body), at: this.#now() });
    const count = (this.#counts.get(url) ?? 0) + 1;
    this.#counts.set(url, count);
    const answer = await this.answer(url, count, request);
    return { status: 200, headers: {}, body: Buffer.alloc(0), truncated: false, ...answer };
  }
}

export interface Stage {
  folder: string;
  storage: Storage;
  clock: { now(): number; advance(milliseconds: number): void };
  client: FakeClient;
  webhooks: Webhooks;
  parts: WebhookDeps;
  /** Accepts a job with these targets. */
  accept(accountId: string, targets?: readonly (string | SubscriptionDraft)[]): JobRow;
  /** Ends a job with a result (or an error) as the runner would. */
  finish(job: JobRow, status?: JobStatus, result?: unknown): JobRow;
  /** Stops the webhooks and starts new ones on the same database. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** @param at a folder that another stage has used; else a new one */
export async function openStage(overrides: Partial<WebhookDeps> = {}, at?: string): Promise<Stage> {
  const folder = at ?? (await mkdtemp(join(tmpdir(), 'quarry webhooks ')));
  const storage = await openStorage(join(folder, 'quarry.db'), { migrations: MIGRATIONS });
  let now = START;
  const clock = {
    now: () => now,
    advance: (milliseconds: number) => {
      now += milliseconds;
    },
  };
  const client = new FakeClient(clock.now);
  const silent = () => undefined;
  const parts: WebhookDeps = {
    storage,
    clock,
    client,
    jobs: SUBSCRIBABLE_JOBS,
    presentMany: (jobIds, maxResultBytes) =>
      presentCallbacks(storage.db, jobIds, maxResultBytes, { baseUrl: BASE_URL, now }),
    canonicalResult: async (jobId, fileUrls) => {
      const bytes = (await resultBytesOf(storage.db, jobId))?.body ?? null;
      return bytes === null ? null : (await canonicalResult({ bytes, fileUrls }, UNWATCHED)).bytes;
    },
    policyFor: ({ accountId }) => ({ allowHttp: accountId === 'owner', allowPrivateNetworks: accountId === 'owner' }),
    isPublicAddress,
    keyOf: () => null,
    endpoints: { onEndpointFailing: silent, onEndpointMended: silent },
    onAttempt: () => undefined,
    log: { warn: silent, error: silent },
    random: () => 0.5,
    ...overrides,
  };
  const stage: Stage = {
    folder,
    storage,
    clock,
    client,
    parts,
    webhooks: new Webhooks(parts),
    accept: (accountId, targets = []) => accept(stage, accountId, targets),
    finish: (job, status = 'completed', result = { chunks: [] }) => finish(stage, job, status, result),
    restart: async () => {
      await stage.webhooks.closeWebhooks();
      stage.webhooks = new Webhooks(parts);
      stage.webhooks.startWebhooks();
    },
    close: async () => {
      await stage.webhooks.closeWebhooks();
      storage.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  stage.webhooks.startWebhooks();
  return stage;
}

export function present(storage: Storage, jobId: string, now: number): Record<string, unknown> | null {
  const job = jobById(storage.db, jobId);
  if (job === undefined || job.purged_at !== null) return null;
  const text = presentJson(job, storedResultOf(storage.db, jobId)?.body ?? null, {
    baseUrl: BASE_URL,
    now,
    progressOf: () => null,
  });
  return JSON.parse(text) as Record<string, unknown>;
}

function accept(stage: Stage, accountId: string, targets: readonly (string | SubscriptionDraft)[]) {
  const drafts = targets.map((target) =>
    typeof target === 'string' ? { url: target, events: [], secret: null } : target,
  );
  return stage.storage.transaction((tx) => {
    const job = transition.enqueueJob(tx, newJob(accountId), stage.clock.now());
    const events = stage.webhooks.subscribeJob(tx, job.id, accountId, drafts);
    return changeJob(tx, job.seq, { events: JSON.stringify(events) }, stage.clock.now());
  });
}

function newJob(accountId: string) {
  return {
    id: newId('job'),
    account_id: accountId,
    operation_id: 'extract/doc',
    priority: 1,
    queue_class: 'light' as const,
    request: '{}',
    source_name: null,
    source: null,
    dedupe_key: null,
    events: '[]',
    estimated_ms: null,
    payment_id: null,
  };
}

function finish(stage: Stage, job: JobRow, status: JobStatus, result: unknown): JobRow {
  const { clock, storage } = stage;
  const ended = storage.transaction((tx) => {
    const lease = { owner: 'test', expiresAt: clock.now() };
    const current = jobById(tx, job.id);
    const running = transition.beginJob(tx, current ?? job, lease, clock.now());
    return end(stage, tx, running, status, result);
  });
  stage.webhooks.kick();
  return ended;
}

function end(stage: Stage, tx: Tx, job: JobRow, status: JobStatus, result: unknown): JobRow {
  const context = {
    now: stage.clock.now(),
    retentionMs: RETENTION_MS,
    onTerminal: (inside: Tx, row: JobRow) => {
      const ended = endedJob(row);
      if (ended !== null) stage.webhooks.onTerminal(inside, ended);
    },
  };
  if (status === 'completed')
    return transition.completeJobRow(tx, job, { body: JSON.stringify(result), chunksBytes: null }, context);
  return transition.failJob(tx, job, { code: 'engine_failed', message: 'Try again.', retryable: false }, context);
}
