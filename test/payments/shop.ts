/** Payments behind a small server of their own, with the gate in its true order: what tests of this layer pay at. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerType, serve } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import { WalletSignIn } from '../../src-server/features/accounts/wallet-sign-in.ts';
import { type BatchDraft, BatchSubmission } from '../../src-server/features/batches/submit.ts';
import type { JobDraft } from '../../src-server/features/jobs/schema.ts';
import { insertJob as insertJobRow } from '../../src-server/features/jobs/store.ts';
import type { InsertJob, PaidDraft, ReplayedJob } from '../../src-server/features/payments/purchase.ts';
import { ADMIN_PAYMENT_ROUTES, guardFacilitator, mountFacilitator } from '../../src-server/features/payments/routes.ts';
import { type FixedPaymentSettings, isBatchId } from '../../src-server/features/payments/schema.ts';
import { createPayments, type Payments } from '../../src-server/features/payments/service.ts';
import { MIGRATIONS } from '../../src-server/features.ts';
import { systemClock } from '../../src-server/platform/clock.ts';
import type { Tx } from '../../src-server/platform/db/database.ts';
import { openStorage, type Storage } from '../../src-server/platform/db/database.ts';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { SecretFile } from '../../src-server/platform/files/private-files.ts';
import type { HttpEnv } from '../../src-server/platform/http/env.ts';
import { mountRoutes } from '../../src-server/platform/http/route.ts';
import { newId } from '../../src-server/platform/ids.ts';
import { MovableClock } from '../harness/movable-clock.ts';

export const OPERATIONS = [
  { operationId: 'crawl', summary: 'Crawl a page or sitemap', price: { amount: 300_000, timeoutSeconds: 300 } },
  { operationId: 'extract/doc', summary: 'Extract a document', price: { amount: 140_000, timeoutSeconds: 300 } },
];

const silent = { info: () => {}, warn: () => {}, error: () => {} };

export interface Shop extends AsyncDisposable {
  url: string;
  storage: Storage;
  payments: Payments;
  wallets: WalletSignIn;
  clock: MovableClock;
  /** File of the key that the owner sets. */
  keyPath: string;
  /** Ids of all jobs, oldest first. */
  jobs(): { id: string; payment_id: string | null; request: string }[];
  /** Ids of all jobs and batches. */
  bought(): string[];
  batchItems(): number;
  /** What `replay` says next, and what it was asked. */
  replays: { answer: 'kept' | 'resumed' | 'rerun'; asked: ReplayedJob[] };
}

export interface ShopOptions {
  fixed?: FixedPaymentSettings;
  path?: string;
  clock?: MovableClock;
  /** Further routes, before the paid ones. */
  routes?: (app: Hono<HttpEnv>, payments: Payments, storage: Storage) => void;
}

/** Inserts a job as it stands in the queue. */
export const insertJob: InsertJob = (tx, stored, paymentId) => {
  const draft = stored as JobDraft;
  const now = Math.floor(performance.timeOrigin + performance.now());
  const row = insertJobRow(tx, {
    id: draft.jobId,
    account_id: draft.accountId,
    operation_id: draft.operationId,
    status: 'queued',
    priority: draft.priority,
    queue_class: 'light' as const,
    request: JSON.stringify(draft.request),
    dedupe_key: draft.dedupeKey,
    events: '[]',
    attempts: 0,
    crashes: 0,
    ready: 1,
    progress_percent: 0,
    progress_stage: 'queued',
    progress_message: 'Waiting for its turn.',
    payment_id: paymentId,
    revision: 1,
    created_at: now,
    updated_at: now,
  });
  return row.id;
};

const batches = new BatchSubmission({
  clock: systemClock,
  storage: null as never,
  files: null as never,
  service: null as never,
  webhooks: null as never,
});

/** Inserts what a payment bought: a job, or a batch with its items. */
export const insertOwed: InsertJob = (tx, draft, paymentId) =>
  (isBatchId(draft.jobId) ? batches.insertPaid : insertJob)(tx, draft, paymentId);

/** The draft of a batch of so many crawls. */
export function batchDraftOf(accountId: string, items: number): PaidDraft {
  const sources = Array.from({ length: items }, (_, n) => ({ url: `https://x.test/${n}`, name: null }));
  const recipe = { operation: 'crawl', request: {} };
  const draft = { jobId: newId('bat'), accountId, keyId: null, recipe, sources, install: null, webhook: null };
  return draft satisfies BatchDraft;
}

export async function openShop(options: ShopOptions = {}): Promise<Shop> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry payments '));
  const storage = await openStorage(options.path ?? join(folder, 'test.db'), { migrations: MIGRATIONS });
  const keyPath = join(folder, 'settlement-key');
  const clock = options.clock ?? new MovableClock();
  const replays: Shop['replays'] = { answer: 'kept', asked: [] };
  const address = { url: '' };
  const payments = await createPayments({
    storage,
    environment: 'production',
    clock,
    fixed: options.fixed ?? {},
    keyFile: new SecretFile(keyPath),
    offerKeyFile: new SecretFile(`${keyPath}.offers`),
    operations: OPERATIONS,
    baseUrl: () => `${address.url}/v1`,
    log: silent,
  });
  await payments.reconcilePayments(insertJob);
  const wallets = new WalletSignIn({ storage, clock, payments, baseUrl: () => `${address.url}/v1` });
  const replay = (_tx: Tx, job: ReplayedJob) => {
    replays.asked.push(job);
    return replays.answer;
  };
  const app = new Hono<HttpEnv>();
  app.onError((error, context) => {
    if (!(error instanceof QuarryError)) return context.json({ code: 'internal', detail: String(error) }, 500);
    const status = { invalid_request: 400, not_found: 404, conflict: 409, unauthorized: 401 }[error.code as string];
    return context.json({ code: error.code, detail: error.message }, (status ?? 500) as 400);
  });
  options.routes?.(app, payments, storage);
  addPaidRoutes(app, payments, replay);
  app.get('/v1/webhooks', async (context) => {
    const signIn = context.req.header('sign-in-with-x');
    if (signIn !== undefined) return context.json({ account: await wallets.verifyWalletHeader(signIn) });
    const { body, headers } = wallets.walletChallenge('/webhooks');
    return context.json(body, 402, headers);
  });
  const readBody = async (context: { req: { json(): Promise<unknown> } }) => {
    try {
      return (await context.req.json()) as Record<string, unknown>;
    } catch (error) {
      throw new QuarryError('invalid_request', 'Send JSON.', { cause: error });
    }
  };
  const identify: MiddlewareHandler<HttpEnv> = async (context, next) => {
    context.set('principal', { kind: 'anonymous', accountId: 'ip:127.0.0.1' });
    await next();
  };
  guardFacilitator(app, '', { identify, limit: async () => {} });
  app.route('/', mountFacilitator(payments, readBody));
  app.route('/admin', mountRoutes(ADMIN_PAYMENT_ROUTES, { production: { payments }, staging: { payments } }, readBody));
  const server = await listen(app, address);
  return {
    get url() {
      return address.url;
    },
    storage,
    payments,
    wallets,
    clock,
    keyPath,
    replays,
    jobs: () =>
      storage.db.queryAll(storage.db.selectFrom('jobs').select(['id', 'payment_id', 'request']).orderBy('seq')),
    bought: () =>
      (['jobs', 'batches'] as const).flatMap((table) => {
        return storage.db.queryAll(storage.db.selectFrom(table).select('id')).map(({ id }) => id);
      }),
    batchItems: () => storage.db.queryAll(storage.db.selectFrom('batch_items').select('seq')).length,
    [Symbol.asyncDispose]: async () => {
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await payments.closePayments();
      storage.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The order of the derived route: proof, then body, then settlement and job. */
function addPaidRoutes(
  app: Hono<HttpEnv>,
  payments: Payments,
  replay: (tx: Tx, job: ReplayedJob) => 'kept' | 'resumed' | 'rerun',
): void {
  for (const { operationId } of OPERATIONS) {
    app.post(`/v1/${operationId}`, async (context) => {
      const resourceAsUrl = context.req.header('prefer') === 'x402-resource=url';
      const refuse = (error: string | null) => {
        const { body, headers } = payments.challengeForOrder({ operationId }, { error, resourceAsUrl });
        return context.json(body, 402, headers);
      };
      const reading = await payments.readProof({ operationId }, context.env.incoming.rawHeaders);
      if (reading.kind === 'none') return refuse(null);
      if (reading.kind === 'refused') return refuse(reading.code);
      if (reading.kind === 'unavailable') return context.json({ code: reading.code }, 503, retryAfter(reading));
      const request = (await context.req.json()) as Record<string, unknown>;
      const draft = draftOf(operationId, payments.payerOf(reading.proof), request);
      const requestHash = createHash('sha256')
        .update(JSON.stringify([operationId, request]))
        .digest('hex');
      const result = await payments.acceptPayment(reading.proof, { requestHash, draft, insertJob, replay });
      if (result.kind === 'refused') return refuse(result.code);
      if (result.kind === 'unavailable') {
        return context.json({ code: result.code }, 503, { ...result.headers, ...retryAfter(result) });
      }
      return context.json({ jobId: result.jobId, status: 'queued' }, 202, result.headers);
    });
  }
}

function retryAfter({ retryAfterSeconds }: { retryAfterSeconds: number }): Record<string, string> {
  return { 'Retry-After': String(retryAfterSeconds) };
}

export function draftOf(operationId: string, accountId: string, request: Record<string, unknown>): JobDraft {
  const common = { upload: null, privateHost: null, priority: 1, dedupeKey: null, subscriptions: [] };
  return { jobId: newId('job'), operationId, accountId, request, ...common };
}

async function listen(app: Hono<HttpEnv>, address: { url: string }): Promise<ServerType> {
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
      address.url = `http://127.0.0.1:${port}`;
      resolve(server);
    });
  });
}
