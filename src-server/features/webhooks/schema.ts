import { z } from 'zod';
import { webhookUrl } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db, Storage, Tx } from '../../platform/db/database.ts';
import type { FindKey, KeyMark } from '../../platform/named-key.ts';
import type { GuardedWebhookClient } from '../../platform/net/guarded-post.ts';
import { say, tell } from '../../platform/text/say.ts';
import type { WebhookMaker } from '../jobs/schema.ts';

export interface WebhookService {
  /** Registers a webhook for the job's account; a repeated run of the same job finds the one it made before. */
  createForJob(job: { id: string; accountId: string }, request: WebhookRequest): Webhook;
}

/** The events of every job. A subscription without events is to these. */
const END_EVENTS = ['job.completed', 'job.failed'] as const;

/** `crawl.changed` is sent besides `job.completed`, to subscriptions that name it. */
export const JOB_EVENTS = [...END_EVENTS, 'crawl.changed'] as const;

/** Sent to account-level webhooks of the owner that name them. */
export const ALERT_EVENTS = ['alert.raised', 'alert.cleared'] as const;

export type AlertEvent = (typeof ALERT_EVENTS)[number];

/** What an account-level webhook can subscribe to. */
export const ACCOUNT_EVENTS = [...JOB_EVENTS, ...ALERT_EVENTS] as const;

export type AccountEvent = JobEvent | AlertEvent;

/** Sent to the webhook of a batch only, which is registered under the id of the batch. */
export const BATCH_EVENT = 'batch.completed';

/** Short forms, which a crawl's `notify` uses (decisions 6). */
const SHORT_EVENTS = { completed: 'job.completed', failed: 'job.failed', changed: 'crawl.changed' } as const;

const shortEvents: ReadonlyMap<string, AccountEvent> = new Map(Object.entries(SHORT_EVENTS));

const WEBHOOK_EVENT_NAMES = [...JOB_EVENTS, 'completed', 'failed', 'changed'] as const;

const MAX_NAMED_EVENTS = 10;

/** Longer than any key HMAC-SHA-256 gains from, and short enough to be kept and typed. */
const MAX_SECRET_CHARS = 1024;

/** The events of a subscription as a request gives them. None given means `END_EVENTS`. */
export function webhookEvents() {
  return z
    .array(z.enum(WEBHOOK_EVENT_NAMES))
    .max(MAX_NAMED_EVENTS)
    .describe(
      'job.completed, job.failed, crawl.changed; completed, failed and changed are short forms. ' +
        'An empty list means job.completed and job.failed. crawl.changed: a crawl of a watched site found changes.',
    );
}

/** Any text that a delivery may be signed with. Half a surrogate pair has no UTF-8 bytes, so it cannot be a key. */
export function webhookSecretText() {
  return z
    .string()
    .min(1)
    .max(MAX_SECRET_CHARS)
    .refine((text) => text.isWellFormed(), say`Give complete Unicode characters.`);
}

/** The same of an account-level webhook. */
function accountEvents() {
  return z
    .array(z.enum([...WEBHOOK_EVENT_NAMES, ...ALERT_EVENTS]))
    .max(MAX_NAMED_EVENTS)
    .describe(
      'job.completed, job.failed, crawl.changed; completed, failed and changed are short forms. ' +
        'An empty list means job.completed and job.failed. crawl.changed: a crawl of a watched site found changes. ' +
        'alert.raised and alert.cleared are for the owner of the appliance only.',
    );
}

/**
 * A secret as a registration gives it. Libraries of Standard Webhooks read every secret with the prefix as base64, so
 * one that is none would sign deliveries that no receiver can verify.
 */
export function webhookSecret() {
  return webhookSecretText()
    .refine(
      (text) => !text.startsWith(STANDARD_PREFIX) || standardBase64(text) !== null,
      say`After whsec_ give base64, for example from openssl rand -base64 24, or leave the prefix out.`,
    )
    .describe('Payloads are signed with it. Use at least 24 random characters, for example whsec_ and base64.');
}

const MAX_NAME_CHARS = 80;

/** A name as a request gives it. */
function webhookName() {
  return z.string().trim().min(1).max(MAX_NAME_CHARS);
}

/** The body of `POST /webhooks`. */
export const WebhookRequest = z
  .strictObject({
    url: webhookUrl().describe('HTTPS URL that is called. Only the owner of the appliance may use http.'),
    events: accountEvents().optional(),
    secret: webhookSecret().optional(),
    name: webhookName().optional().describe('What the owner sees instead of the host.'),
  })
  .meta({ id: 'WebhookRequest' });

export type WebhookRequest = z.infer<typeof WebhookRequest>;

/** The body of `POST /jobs/{jobId}/webhooks`. */
export const JobWebhookRequest = WebhookRequest.extend({ events: webhookEvents().optional() }).meta({
  id: 'JobWebhookRequest',
});

export type JobWebhookRequest = z.infer<typeof JobWebhookRequest>;

/** Longest time for which two secrets of one webhook may both sign: a week. */
const MAX_OVERLAP_SECONDS = 604_800;

/** The body of `PATCH /webhooks/{webhookId}`: only what it names is changed. */
export const WebhookUpdate = z
  .strictObject({
    name: webhookName().nullable().optional().describe('A new name; null removes it.'),
    url: webhookUrl().describe('New HTTPS URL.').optional(),
    events: accountEvents().optional(),
    secret: webhookSecret().nullable().optional().describe('A new secret; null ends signing.'),
    secretOverlapSeconds: z
      .int()
      .min(0)
      .max(MAX_OVERLAP_SECONDS)
      .optional()
      .describe(
        'With a new secret: how long the old one also signs, in webhook-signature. By default one day. ' +
          'Alone, or with the current secret: changes a running overlap from now; 0 ends it.',
      ),
    status: z
      .enum(['active', 'paused'])
      .optional()
      .describe(
        'While paused, deliveries wait. active also enables a disabled webhook, ' +
          'and sends waiting deliveries at once.',
      ),
  })
  .refine(({ secret, secretOverlapSeconds }) => secretOverlapSeconds === undefined || secret !== null, {
    path: ['secretOverlapSeconds'],
    message: tell`Omit it: without a secret nothing is signed.`,
  })
  .meta({ id: 'WebhookUpdate' });

export type WebhookUpdate = z.infer<typeof WebhookUpdate>;

const WEBHOOK_STATUSES = ['active', 'paused', 'disabled'] as const;

const Timestamp = z.iso.datetime({ precision: 3 });

export const DELIVERY_STATUSES = ['pending', 'delivered', 'exhausted', 'cancelled'] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** A webhook of an account. Its secret is never shown. */
export const Webhook = z
  .object({
    webhookId: z.string(),
    name: z.string().optional().describe('Absent when none was given.'),
    url: z.string(),
    events: z.array(z.enum(ACCOUNT_EVENTS)),
    status: z.enum(WEBHOOK_STATUSES).describe('Paused: deliveries wait. Disabled: nothing is sent, see notice.'),
    hasSecret: z.boolean(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    lastDelivery: z
      .object({
        deliveryId: z.string(),
        status: z.enum(DELIVERY_STATUSES),
        responseStatus: z.int().nullable().describe('Null without an answer.'),
        attemptedAt: Timestamp,
      })
      .nullable(),
    keyId: z.string().optional().describe('The named key that made it. It pauses when the key ends.'),
    keyName: z.string().optional(),
    notice: z.string().optional().describe('Why Quarry disabled the webhook, or pauses it, and what to do.'),
    previousSecretExpiresAt: Timestamp.optional().describe('During a rotation: until when both secrets sign.'),
  })
  .meta({ id: 'Webhook' });

export type Webhook = z.infer<typeof Webhook>;

/** The address that every example of a webhook names. */
export const EXAMPLE_WEBHOOK_URL = 'https://app.example/hooks/quarry';

/** Full names, each once, in the order of `ACCOUNT_EVENTS`. None means the end of a job, whichever it is. */
export function normalizeEvents(names: readonly string[]): AccountEvent[] {
  if (names.length === 0) return [...END_EVENTS];
  return ACCOUNT_EVENTS.filter((event) => names.some((name) => name === event || shortEvents.get(name) === event));
}

/** The events of jobs among them. */
export function jobEventsOf(events: readonly AccountEvent[]): JobEvent[] {
  return JOB_EVENTS.filter((event) => events.includes(event));
}

/** What a secret of Standard Webhooks begins with; its key is the base64 behind it. */
const STANDARD_PREFIX = 'whsec_';

/** With or without padding, at least one byte. */
const BASE64 = /^(?=..)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** The base64 of a Standard Webhooks secret; null for any other text, whose UTF-8 bytes are the key. */
export function standardBase64(secret: string): string | null {
  if (!secret.startsWith(STANDARD_PREFIX)) return null;
  const encoded = secret.slice(STANDARD_PREFIX.length);
  return BASE64.test(encoded) ? encoded : null;
}

const Calls = z.int().min(0);

/** What came of the deliveries of a day. */
const DayOfEndpoint = z.object({
  delivered: Calls,
  failed: Calls.describe('Failed, or failed so far and retried.'),
  hours: z
    .array(z.object({ delivered: Calls, failed: Calls }))
    .length(24)
    .describe('Oldest first.'),
});

export type DayOfEndpoint = z.infer<typeof DayOfEndpoint>;

export const WebhookEndpoint = Webhook.extend({
  accountId: z.string(),
  failingSince: Timestamp.nullable().describe('The first failed attempt since the last success.'),
  lastDay: DayOfEndpoint.describe('Deliveries of the last 24 hours, at most the newest 500.'),
}).meta({ id: 'WebhookEndpoint' });

export const Delivery = z
  .object({
    deliveryId: z.string(),
    webhookId: z.string(),
    webhookName: z.string().nullable().describe('Null when none was given.'),
    webhookStatus: z.enum(WEBHOOK_STATUSES).nullable().describe('Null when the webhook was deleted.'),
    accountId: z.string(),
    jobId: z.string(),
    kind: z.string(),
    event: z.string(),
    url: z.string().nullable().describe('Null when a job and its own webhooks were deleted.'),
    status: z.enum(DELIVERY_STATUSES),
    attempts: z.int(),
    manual: z.boolean(),
    underWay: z.boolean().describe('Whether an attempt is running.'),
    nextAttemptAt: Timestamp.nullable(),
    lastResponseStatus: z.int().nullable(),
    lastErrorClass: z.string().nullable(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Delivery' });

const Attempt = z
  .object({
    number: z.int(),
    manual: z.boolean(),
    startedAt: Timestamp,
    durationMs: z.number(),
    request: z.object({
      method: z.string(),
      url: z.string(),
      headers: z.record(z.string(), z.string()),
      bodySha256: z.string(),
      bodyBytes: z.int(),
    }),
    response: z
      .object({
        status: z.int(),
        headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
        body: z.string(),
        truncated: z.boolean(),
      })
      .nullable(),
    errorClass: z.string().nullable(),
    errorMessage: z.string().nullable(),
    nextAttemptAt: Timestamp.nullable(),
  })
  .meta({ id: 'DeliveryAttempt' });

export const DeliveryDetail = Delivery.extend({ attemptLog: z.array(Attempt) }).meta({ id: 'DeliveryDetail' });

const VERDICTS = ['valid', 'invalid', 'missing', 'unsigned'] as const;

export type Verdict = (typeof VERDICTS)[number];

const SignatureExplanation = z
  .object({
    verdict: z.enum(VERDICTS),
    reason: z.string(),
    stringToSign: z.string().nullable().describe('The signed text, at most its first 64 kB.'),
    stringToSignBytes: z.int().nullable(),
    keyEncoding: z.enum(['utf8', 'base64']).nullable().describe('How the secret became the key.'),
    expected: z.object({ hex: z.string(), base64: z.string() }).nullable(),
    received: z.array(z.string()),
  })
  .meta({ id: 'SignatureExplanation' });

export type SignatureExplanation = z.infer<typeof SignatureExplanation>;

export const WebhookExplanation = z
  .object({
    verdict: z.enum(VERDICTS).describe('`valid` only when all signatures match.'),
    payload: SignatureExplanation.describe('The `signature` field and `X-Service-Signature`.'),
    standard: z
      .object({
        ...SignatureExplanation.shape,
        timestampAgeSeconds: z.number().nullable(),
        timestampFresh: z.boolean().nullable(),
      })
      .describe('The Standard Webhooks headers.'),
  })
  .meta({ id: 'WebhookExplanation' });

export type WebhookExplanation = z.infer<typeof WebhookExplanation>;

const MAX_DELAY_MS = 60_000;

const MAX_TIMES = 1000;

const Times = z.int().min(1).max(MAX_TIMES).nullable().default(null);

/** How an inbox answers. `times` counts down to `accept`; null has no end. `timeout` never answers. */
export const InboxBehaviour = z
  .discriminatedUnion('mode', [
    z.strictObject({ mode: z.literal('accept') }),
    z.strictObject({ mode: z.literal('status'), status: z.int().min(200).max(599), times: Times }),
    z.strictObject({ mode: z.literal('timeout'), times: Times }),
    z.strictObject({ mode: z.literal('slow'), delayMs: z.int().min(0).max(MAX_DELAY_MS), times: Times }),
  ])
  .meta({ id: 'InboxBehaviour' });

export type InboxBehaviour = z.infer<typeof InboxBehaviour>;

export const Inbox = z
  .object({
    name: z.string(),
    url: z.string(),
    label: z.string(),
    hasSecret: z.boolean(),
    behaviour: InboxBehaviour,
    createdAt: Timestamp,
  })
  .meta({ id: 'Inbox' });

const MessageVerdict = z.object({ verdict: z.enum(VERDICTS), reason: z.string() });

export const InboxMessage = z
  .object({
    receivedAt: Timestamp,
    verified: z.boolean(),
    verdict: z.enum(VERDICTS),
    payload: MessageVerdict,
    standard: MessageVerdict,
    headers: z.record(z.string(), z.string()),
    body: z.string(),
    bodyBytes: z.int(),
    answer: InboxBehaviour,
  })
  .meta({ id: 'InboxMessage' });

export type JobEvent = (typeof JOB_EVENTS)[number];

declare module '../../operation.ts' {
  interface Services {
    webhooks: WebhookService;
  }
}

/** A job that has ended, as its deliveries need to know it. */
export interface EndedJob {
  id: string;
  accountId: string;
  /** `job.completed` or `job.failed`, and a further one of the operation. */
  events: readonly JobEvent[];
  /** Milliseconds; distinguishes two ends of one job (a failed job can be resumed). */
  endedAt: number;
}

/** A job that a webhook can be registered on. */
export interface SubscribableJob {
  id: string;
  accountId: string;
  /** Null until it has ended. */
  ended: EndedJob | null;
  /** When its result goes, in milliseconds; null until it has ended. */
  expiresAt: number | null;
  /** Whether its result is gone already. */
  isPurged: boolean;
  /** The key that made the job; absent for other callers. */
  key?: KeyMark | undefined;
}

/** What webhooks read and change in the jobs. */
export interface JobsOfWebhooks {
  find(tx: Tx, jobId: string): SubscribableJob | undefined;
  /** How many jobs of an operation have not ended. */
  countOpen(db: Db, accountId: string, operationId: string): number;
  /** Sets the subscribed events that the job shows. */
  setEvents(tx: Tx, jobId: string, events: readonly JobEvent[], now: number): void;
  /** The same for all open jobs of an account that show `from`. */
  changeEventsOfOpen(tx: Tx, accountId: string, change: { from: readonly JobEvent[]; to: readonly JobEvent[] }): void;
}

/** The job object in pieces. */
export interface JobPieces {
  /** All but the result. */
  head: Record<string, unknown>;
  /**
   * JSON text of the result, or its stored length when it is longer than the caller accepts. Null for a batch, whose
   * head says all.
   */
  result: string | { storedBytes: number } | null;
  /** The prefix of file references in a stored result, and its replacement. */
  fileUrls: { from: string; to: string };
}

/** What a target may be; depends on who registered it. */
export interface TargetPolicy {
  allowHttp: boolean;
  allowPrivateNetworks: boolean;
}

/** Checks the resolved address at connect time and follows no redirect. */
export type WebhookClient = Pick<GuardedWebhookClient, 'post'>;

export type PostResponse = Awaited<ReturnType<WebhookClient['post']>>;

export interface WebhookLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** An account-level webhook that keeps failing. */
export interface FailingEndpoint {
  webhookId: string;
  name: string | null;
  url: string;
  /** Why nothing is sent any more; null while it is tried. */
  notice: string | null;
  responseStatus: number | null;
  errorClass: string | null;
}

export interface EndpointListener {
  /** Called again at each further failure. */
  onEndpointFailing(tx: Tx, endpoint: FailingEndpoint): void;
  /** It delivered, or was deleted. */
  onEndpointMended(tx: Tx, webhookId: string): void;
}

/** An alert that was raised or cleared. */
export interface AlertOccasion {
  alertId: string;
  event: AlertEvent;
  at: number;
  /** The webhook that the alert is about: it does not hear of itself. */
  exceptWebhookId: string | null;
}

/** An attempt that has ended. */
export interface DeliveryAttempt {
  jobId: string;
  jobEndedAt: number;
  event: string;
  number: number;
  startedAt: number;
  endedAt: number;
  responseStatus: number | null;
  errorClass: string | null;
}

export interface WebhookDeps {
  /** No other process uses the outbox of this database. */
  storage: Storage;
  clock: Clock;
  client: WebhookClient;
  jobs: JobsOfWebhooks;
  /** The job objects of `GET /jobs/{jobId}`, by id, without those of jobs that are gone. */
  presentMany(jobIds: readonly string[], maxResultBytes: number): ReadonlyMap<string, JobPieces>;
  /**
   * The canonical JSON (RFC 8785, UTF-8) of a result that `presentMany` left out, made on another thread; null when it
   * is gone.
   */
  canonicalResult(jobId: string, fileUrls: JobPieces['fileUrls']): Promise<Uint8Array | null>;
  /** Hears how the account-level webhooks of the owner fare, in the transaction that records it. */
  endpoints: EndpointListener;
  /** Receives each attempt of a delivery that is no test, before it is recorded. */
  onAttempt(attempt: DeliveryAttempt): void;
  policyFor(maker: WebhookMaker): TargetPolicy | Promise<TargetPolicy>;
  keyOf: FindKey;
  /** Whether an IP address is public by the rule of the guarded client. */
  isPublicAddress(address: string): boolean;
  log: WebhookLog;
  /** At least 0, less than 1: the jitter of retries. */
  random(): number;
}
