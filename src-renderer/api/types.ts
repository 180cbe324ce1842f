/** Responses of the owner's routes, as far as the dashboard reads them. */

import type { Contribution } from '../../src-server/features/contributions/schema.ts';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { Webhook } from '../../src-server/features/webhooks/schema.ts';

export interface Overview {
  version: string;
  uptimeSeconds: number;
  queues: { environment: string; running: number; countedUpTo: number; byStatus: Record<string, number> }[];
  pool: { threads: number; busy: number; waiting: number };
  memory: { residentBytes: number };
  disk: { folder: string; freeBytes: number; totalBytes: number };
}

export interface Readiness {
  ready: boolean;
  checks: Record<string, { ok: boolean; message?: string }>;
}

/** A job in the owner's lists: without its result, with its display name. */
export type ListedJob = Job & { label: string };

export interface JobPage {
  jobs: ListedJob[];
  nextCursor: string | null;
}

export interface Payment {
  paymentId: string;
  status: 'reserved' | 'settled' | 'failed';
  mode: string;
  x402Version: number;
  operationId: string | null;
  jobId: string | null;
  payer: string;
  payTo: string;
  network: string;
  asset: string;
  nonce: string;
  amount: string;
  price: string | null;
  transaction: string | null;
  errorCode: string | null;
  challenge: unknown;
  verifiedAt: string;
  broadcastAt: string | null;
  settledAt: string | null;
  failedAt: string | null;
  rerun: { expiresAt: string; usedAt: string | null } | null;
}

/** Data of a job that only the owner may read. */
export interface JobRecord {
  jobId: string;
  label: string;
  accountId: string;
  priority: string;
  lane: string;
  attempts: number;
  acceptedAt: string;
  startedAt: string | null;
  endedAt: string | null;
  updatedAt: string;
  /** Start of each stage of its runs, oldest first. */
  stages: { stage: string; startedAt: string }[];
  /** The uploaded file; null for a URL, or if the file is gone. */
  source: { fileName: string | null; sizeBytes: number; kind: string } | null;
  request: Record<string, unknown>;
  payment: Payment | null;
  /** Part of the URLs of the job's files, because a link cannot send the session secret. */
  fileTicket?: string;
}

/** A signed-in browser of the owner. */
export interface OwnerSession {
  sessionId: string;
  browser: string;
  createdAt: string;
  lastUsedAt: string;
  expiresAt: string;
  /** Whether it is this window. */
  current: boolean;
}

export interface Sums {
  from: string;
  to: string;
  total: { payments: number; amount: string };
  byDay: { day: string; payments: number; amount: string }[];
  byOperation: { operationId: string | null; payments: number; amount: string }[];
  byPayer: { payer: string; payments: number; amount: string }[];
  challenges: { day: string; operationId: string; error: string | null; answers: number }[];
}

export interface Price {
  operationId: string;
  summary: string;
  amount: number;
  timeoutSeconds: number;
  declared: { amount: number; timeoutSeconds: number };
  history: { amount: number; timeoutSeconds: number; previousAmount: number; changedAt: string }[];
}

export interface Settlement {
  settings: {
    mode: 'sandbox' | 'facilitator' | 'onchain';
    network: string;
    payTo: string | null;
    asset: string | null;
    rpcUrl: string | null;
    facilitatorUrl: string | null;
    v2Header: boolean;
    confirmations: number;
    payToShared: boolean;
    hasPrivateKey: boolean;
    fixedFields: string[];
    terms: { network: string; asset: string; payTo: string; extra: { name: string; version: string } };
  };
  status: { mode: string; ready: boolean; open: number; checks: { name: string; ok: boolean; detail: string }[] };
}

export interface SandboxWallet {
  address: string;
  balance: number;
  demo: boolean;
}

export type DeliveryStatus = 'pending' | 'delivered' | 'exhausted' | 'cancelled';

export interface Delivery {
  deliveryId: string;
  webhookId: string;
  /** Null if the webhook was deleted. */
  webhookStatus: Endpoint['status'] | null;
  accountId: string;
  jobId: string;
  kind: string;
  event: string;
  /** Null if the job and its own webhooks were deleted. */
  url: string | null;
  status: DeliveryStatus;
  attempts: number;
  manual: boolean;
  underWay: boolean;
  nextAttemptAt: string | null;
  lastResponseStatus: number | null;
  lastErrorClass: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface Attempt {
  number: number;
  manual: boolean;
  startedAt: string;
  durationMs: number;
  request: { method: string; url: string; headers: Record<string, string>; bodySha256: string; bodyBytes: number };
  response: {
    status: number;
    headers: Record<string, string | string[]>;
    body: string;
    truncated: boolean;
  } | null;
  errorClass: string | null;
  errorMessage: string | null;
  nextAttemptAt: string | null;
}

export type DeliveryDetail = Delivery & { attemptLog: Attempt[] };

export interface ExplainedSignature {
  verdict: 'valid' | 'invalid' | 'missing' | 'unsigned';
  reason: string;
  stringToSign: string | null;
  stringToSignBytes: number | null;
  keyEncoding: string | null;
  expected: { hex: string; base64: string } | null;
  received: string[];
}

export interface Explanation {
  verdict: ExplainedSignature['verdict'];
  payload: ExplainedSignature;
  standard: ExplainedSignature & { timestampAgeSeconds: number | null; timestampFresh: boolean | null };
}

export type Endpoint = Webhook & { accountId: string };

export interface Endpoints {
  endpoints: Endpoint[];
  nextCursor: string | null;
  deliveries: Record<string, number>;
}

export type InboxBehaviour =
  | { mode: 'accept' }
  | { mode: 'status'; status: number; times: number | null }
  | { mode: 'timeout'; times: number | null }
  | { mode: 'slow'; delayMs: number; times: number | null };

export interface Inbox {
  name: string;
  url: string;
  label: string;
  hasSecret: boolean;
  behaviour: InboxBehaviour;
  createdAt: string;
}

export interface InboxMessage {
  receivedAt: string;
  verdict: ExplainedSignature['verdict'];
  payload: { verdict: string; reason: string };
  standard: { verdict: string; reason: string };
  headers: Record<string, string>;
  body: string;
  bodyBytes: number;
  answer: InboxBehaviour;
}

export type Plan =
  | { plan: 'studio' }
  | { plan: 'production' }
  | { plan: 'enterprise'; requestsPerMinute: number; concurrency: number };

export interface Allowance {
  requestsPerMinute: number;
  concurrency: number;
}

export interface LimitsView {
  windowSeconds: number;
  plans: Record<string, Allowance>;
  bounds: Allowance;
  usage: {
    accountId: string;
    plan: Plan;
    allowance: Allowance;
    requestsPassed: number;
    requestsRefused: number;
    inlineOpen: number;
    jobsProcessing: number;
  }[];
}

/** A wallet that paid or signed in, or an IP address. */
export type AccountKind = 'wallet' | 'address';

export interface Account {
  accountId: string;
  plan: Plan;
  allowance: Allowance;
  firstSeen: string;
  lastSeen: string;
}

export interface WhatIf {
  allowance: Allowance;
  requests: number;
  refused: number;
  slotsOver: number;
}

export interface ModelView {
  name: string;
  kind: string;
  title: string;
  language: string | null;
  licence: string | null;
  recommended: boolean;
  sizeBytes: number;
  installed: boolean;
  format: string | null;
  origin: 'catalogue' | 'by-hand' | null;
  verified: boolean;
  verifiable: boolean | null;
  installedAt: string | null;
  lastUsedAt: string | null;
  download: {
    status: 'downloading' | 'verifying' | 'installed' | 'failed' | 'cancelled';
    receivedBytes: number;
    totalBytes: number;
    error: { code: string; message: string } | null;
  } | null;
}

/** A contribution with the data for a decision. */
export interface ModeratedContribution extends Contribution {
  accountId: string;
  reports: number;
  chunk: { text: string; originalText: string | null; heading: string | null; page: number } | null;
  contributor: { pending: number; approved: number; rejected: number };
}
