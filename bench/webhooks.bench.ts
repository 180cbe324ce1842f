/**
 * Deliveries per second to a local sink, and how long the event loop is blocked meanwhile; beside it a bare undici loop
 * that posts the same bytes to the same sink and stores nothing; and the cost of an outbox of a million deliveries.
 *
 *     npm run bench webhooks
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { presentCallbacks, SUBSCRIBABLE_JOBS } from '../src-server/features/jobs/present.ts';
import { insertJob, type NewJobRow, writeResult } from '../src-server/features/jobs/store.ts';
import { dueDeliveries, insertDeliveries, withTargets } from '../src-server/features/webhooks/delivery-store.ts';
import { dueQueues } from '../src-server/features/webhooks/outbox.ts';
import { Webhooks } from '../src-server/features/webhooks/service.ts';
import { payloadOf, sealDelivery } from '../src-server/features/webhooks/signing.ts';
import { MIGRATIONS } from '../src-server/features.ts';
import { systemClock } from '../src-server/platform/clock.ts';
import { openStorage, type Storage } from '../src-server/platform/db/database.ts';
import { newId } from '../src-server/platform/ids.ts';
import { isPublicAddress } from '../src-server/platform/net/address-policy.ts';
import { createWebhookClient } from '../src-server/platform/net/guarded-post.ts';

const DELIVERIES = 20_000;
const WEBHOOKS = 10;
const CONCURRENCY = 256;
const ROUNDS = 5;
const WANTED_PER_SECOND = 2000;
const OUTBOX_ROWS = 1_000_000;
const OUTBOX_DELIVERIES = 5_000;
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BATCH = 1000;
const RESULT = { chunks: Array.from({ length: 4 }, (_, index) => chunk(index)) };

function chunk(index: number) {
  return {
    id: `c${index}`,
    text: 'Quarry cuts text into chunks of a useful length. '.repeat(4),
    page: 1,
    segmentIndex: index,
  };
}

const client = createWebhookClient({});

async function main(): Promise<void> {
  const sink = await startSink();
  try {
    await compare(sink.url);
    await million(sink.url);
  } finally {
    await client.close();
    sink.child.disconnect();
  }
}

function startSink(): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(join(import.meta.dirname, 'webhooks-sink.ts'));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('message', (message) => {
      resolve({ child, url: `http://127.0.0.1:${(message as { port: number }).port}` });
    });
  });
}

/** Alternating rounds: the bare loop shows how fast the machine is meanwhile. */
async function compare(url: string): Promise<void> {
  const bare: Figure[] = [];
  const ours: Figure[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(await bareLoop(url));
    ours.push(await withOutbox(0, (bench) => deliver(bench, url, DELIVERIES)));
  }
  say(`bare undici loop, nothing kept:     ${describe(bare)}`);
  say(`Quarry, signed, persisted, logged:   ${describe(ours)}`);
  await withOutbox(0, async (bench) => {
    enqueue(bench, url, DELIVERIES);
    say(`  longest turn of the event loop meanwhile: ${await longestTurn(() => drain(bench.webhooks))}`);
  });
  const rate = median(ours.map((one) => one.perSecond));
  say(`wanted: at least ${WANTED_PER_SECOND} per second: ${rate >= WANTED_PER_SECOND ? 'met' : 'missed'}`);
  if (rate < WANTED_PER_SECOND) process.exitCode = 1;
}

async function million(url: string): Promise<void> {
  const deliveries = OUTBOX_DELIVERIES;
  const empty = await withOutbox(0, (bench) => deliver(bench, url, deliveries));
  const full = await withOutbox(OUTBOX_ROWS, async (bench) => {
    await askTheOutbox(bench);
    return deliver(bench, url, deliveries);
  });
  say(`${deliveries} deliveries, empty outbox:         ${describe([empty])}`);
  say(`the same among ${OUTBOX_ROWS} rows:      ${describe([full])}`);
}

/** What an owner and the dispatcher ask of an outbox of a million rows. */
async function askTheOutbox({ storage, webhooks }: Bench): Promise<void> {
  const now = systemClock.now();
  const oneQueue = { status: 'exhausted', webhookId: 'whk_old_1' } as const;
  await timed('claim of 64 that have lost their webhook, and their end', 100, () =>
    storage.transaction((tx) => {
      dueQueues(tx, now, 64);
      const later = now + 72_000_000;
      withTargets(tx, dueDeliveries(tx, { id: 'whk_old_0', underWay: [] }, later, 64), now);
    }),
  );
  await timed('a page of the log, by status', 100, () =>
    webhooks.log.pageOfDeliveries({ status: 'exhausted' }, null, 50),
  );
  await timed('a page of the log, by webhook', 100, () => webhooks.log.pageOfDeliveries(oneQueue, null, 50));
  const preview = () => webhooks.redelivery.freezeSelection(oneQueue);
  await timed('preview of sending 10,000 again, by filter', 5, preview);
  say(`  its longest turn: ${await longestTurn(preview)}`);
}

/** The longest turn of the event loop in CPU time of this thread: other work on the machine hardly changes it. */
async function longestTurn(work: () => Promise<unknown>): Promise<string> {
  let longest = 0;
  let isOver = false;
  let before = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, user + system);
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isOver = true;
  return `${(longest / 1000).toFixed(1)} ms of CPU`;
}

/** The mean of CPU time of this thread, which is what others wait for; Linux counts it in ticks of milliseconds. */
async function timed(title: string, times: number, work: () => unknown): Promise<void> {
  const before = process.threadCpuUsage();
  for (let round = 0; round < times; round += 1) await work();
  const { user, system } = process.threadCpuUsage(before);
  say(`among ${OUTBOX_ROWS} rows, ${title}: ${((user + system) / times / 1000).toFixed(2)} ms of CPU`);
}

async function bareLoop(url: string): Promise<Figure> {
  const agent = new Agent({ connections: CONCURRENCY, pipelining: 1 });
  const object = JSON.parse(JSON.stringify({ jobId: 'job_bench', status: 'completed', result: RESULT })) as object;
  const envelope = { deliveryId: newId('dlv'), event: 'job.completed', attempt: 1, sentAt: systemClock.now() };
  const sealed = sealDelivery(payloadOf({ ...object }), { current: SECRET, previous: null }, envelope);
  let left = DELIVERIES;
  const loop = async () => {
    while (left-- > 0) {
      const { body } = await request(url, {
        dispatcher: agent,
        method: 'POST',
        headers: sealed.headers,
        body: sealed.body,
      });
      await body.dump();
    }
  };
  const figure = await measure(DELIVERIES, () => Promise.all(Array.from({ length: CONCURRENCY }, loop)));
  await agent.close();
  return figure;
}

interface Figure {
  perSecond: number;
  /** CPU time of this process per delivery: less moved by what else the machine does. */
  cpuMicros: number;
}

async function measure(deliveries: number, work: () => Promise<unknown>): Promise<Figure> {
  const began = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const seconds = (performance.now() - began) / 1000;
  const microsOf = ({ user, system }: NodeJS.CpuUsage) => (user + system) / deliveries;
  return { perSecond: deliveries / seconds, cpuMicros: microsOf(process.cpuUsage(cpu)) };
}

function describe(figures: readonly Figure[]): string {
  const rate = Math.round(median(figures.map((one) => one.perSecond)));
  const cpu = Math.round(median(figures.map((one) => one.cpuMicros)));
  const all = figures.map((one) => Math.round(one.perSecond)).join(', ');
  return `${String(rate).padStart(6)} per second, ${String(cpu).padStart(4)} µs of CPU each  (${all})`;
}

interface Bench {
  storage: Storage;
  webhooks: Webhooks;
}

async function withOutbox<Result>(rows: number, work: (bench: Bench) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry-bench-'));
  const storage = await openStorage(join(folder, 'quarry.db'), { migrations: MIGRATIONS });
  fill(storage, rows);
  const webhooks = new Webhooks({
    storage,
    clock: systemClock,
    client,
    jobs: SUBSCRIBABLE_JOBS,
    endpoints: { onEndpointFailing: () => undefined, onEndpointMended: () => undefined },
    onAttempt: () => undefined,
    presentMany: (jobIds, maxResultBytes) => {
      const view = { baseUrl: 'http://127.0.0.1:8402/v1', now: systemClock.now() };
      return presentCallbacks(storage.db, jobIds, maxResultBytes, view);
    },
    canonicalResult: () => Promise.reject(new Error('The results of this benchmark are small.')),
    policyFor: () => ({ allowHttp: true, allowPrivateNetworks: true }),
    isPublicAddress,
    keyOf: () => null,
    log: { warn: (_fields, message) => say(message), error: (_fields, message) => say(message) },
    random: Math.random,
  });
  try {
    return await work({ storage, webhooks });
  } finally {
    await webhooks.closeWebhooks();
    storage.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Measures from the first claim to the last mark. */
async function deliver(bench: Bench, url: string, deliveries: number): Promise<Figure> {
  const beganAt = systemClock.now();
  enqueue(bench, url, deliveries);
  const figure = await measure(deliveries, () => drain(bench.webhooks));
  const [open] = (await bench.webhooks.log.pageOfDeliveries({ status: 'pending', since: beganAt }, null, 1)).deliveries;
  if (open !== undefined) throw new Error('Not everything was delivered.');
  return figure;
}

async function drain(webhooks: Webhooks): Promise<void> {
  webhooks.startWebhooks();
  await webhooks.whenWebhooksSettled();
}

/** Makes one job per delivery, with its end. */
function enqueue({ storage, webhooks }: Bench, url: string, deliveries: number): void {
  const accounts = Array.from({ length: WEBHOOKS }, (_, index) => `bench-${index}`);
  for (const [index, accountId] of accounts.entries()) {
    const request = { url: `${url}/${index}`, secret: SECRET };
    webhooks.createForJob({ id: newId('job'), accountId }, request);
  }
  for (let start = 0; start < deliveries; start += BATCH) {
    storage.transaction((tx) => {
      for (let index = start; index < start + BATCH; index += 1) {
        const job = insertJob(tx, endedJob(accounts[index % WEBHOOKS] ?? ''));
        writeResult(tx, job.id, { body: JSON.stringify(RESULT), chunksBytes: null });
        const { id, account_id: accountId, ended_at: endedAt } = job;
        webhooks.onTerminal(tx, { id, accountId, events: ['job.completed'], endedAt: endedAt ?? 0 });
      }
    });
  }
}

function endedJob(accountId: string): NewJobRow {
  const now = systemClock.now();
  return {
    id: newId('job'),
    account_id: accountId,
    operation_id: 'extract/doc',
    status: 'completed',
    priority: 1,
    queue_class: 'light',
    request: '{}',
    source_name: null,
    source: null,
    dedupe_key: null,
    events: '["job.completed","job.failed"]',
    attempts: 1,
    crashes: 0,
    ready: 0,
    run_after_at: null,
    lease_owner: null,
    lease_expires_at: null,
    progress_percent: 100,
    progress_stage: 'completed',
    progress_message: 'Done.',
    estimated_ms: null,
    error: null,
    payment_id: null,
    revision: 3,
    created_at: now,
    updated_at: now,
    started_at: now,
    ended_at: now,
    expires_at: now + 259_200_000,
    purged_at: null,
  };
}

/** An outbox with a past: most rows are done, a tenth waits for later in queues of its own. */
function fill(storage: Storage, rows: number): void {
  const now = systemClock.now();
  for (let start = 0; start < rows; start += BATCH) {
    const part = Array.from({ length: BATCH }, (_, index) => oldDelivery(start + index, now));
    storage.transaction((tx) => insertDeliveries(tx, part));
  }
}

function oldDelivery(index: number, now: number) {
  const waits = index % 10 === 0;
  const status = index % 10 === 1 ? 'exhausted' : 'delivered';
  return {
    id: newId('dlv'),
    webhook_id: `whk_old_${index % 100}`,
    lane_id: `whk_old_${index % 100}`,
    account_id: 'old',
    kind: 'job',
    job_id: `job_old_${index}`,
    event: 'job.completed',
    job_ended_at: now,
    status: waits ? 'pending' : status,
    attempts: 1,
    tries: 1,
    manual: 0,
    next_attempt_at: waits ? now + 36_000_000 : null,
    last_response_status: waits ? 500 : 200,
    last_error_class: null,
    body_sha256: null,
    created_at: now,
    updated_at: now,
  } as const;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

function say(line: unknown): void {
  process.stdout.write(`${String(line)}\n`);
}

await main();
