import type { Context } from 'hono';
import type { Settings } from '../../config.ts';
import type { Chunk, EnvironmentName, Operation } from '../../operation.ts';
import type { QuarryError } from '../../platform/errors.ts';
import type { BodyParts, ReadSmallJson } from '../../platform/http/body.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import type { PaymentChallenge } from '../payments/schema.ts';
import type { BodiesInFlight } from './bodies-in-flight.ts';
import type { JobDraft } from './schema.ts';
import type { Jobs } from './service.ts';
import type { JobRow } from './store.ts';

/** What the routes of one environment stand on. `server.ts` builds one for production and one for staging. */
export interface Service {
  name: EnvironmentName;
  operations: readonly Operation[];
  settings(): Readonly<Settings>;
  /** Absolute, ends with the version prefix. */
  baseUrl(): string;
  jobs: Jobs;
  body: BodyParts & { inFlight: BodiesInFlight };
  gate: PaymentGate;
  intake: IntakePort;
  /** Whether webhook targets may be called for this account; refuses by field. */
  checkTargets(accountId: string, targets: readonly { path: string; url: string }[]): Promise<void>;
  /** What else must hold before a registration is charged: its target may be called, and it has room. */
  admitWebhook(accountId: string, url: string): Promise<void>;
  /** The operation's own look at a request, before it is charged; gives back what to call at the end. */
  admit(operation: Operation, request: Record<string, unknown>, accountId: string): Promise<() => void>;
  /** What the operation makes for its acceptance, once the job is there: values of its `accepted` fields. */
  prepare(
    operation: Operation,
    job: JobRow,
    request: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>>;
  /** A slot for a request that is answered at once, and how to free it. Errors: `rate_limited`. */
  acquireInline(accountId: string): Promise<() => void>;
  /** The id of a deterministic job: unguessable, and the same for the same account and request. */
  deterministicId(prefix: string, accountId: string, request: Record<string, unknown>): string;
  /** Cuts the document of a job anew. Errors: `not_found` where it keeps none. */
  rechunk(
    jobId: string,
    accountId: string,
    how: { segmentLength: number; language?: string | undefined },
  ): Promise<{ chunks: Chunk[] }>;
  readSmallJson: ReadSmallJson;
  filePathOf(jobId: string, name: string): string | null;
  /** A page, from 1, of the PDF that a job was made from, as a PNG. Errors: `not_found`, `corrupt_input`. */
  drawPage(jobId: string, page: number): Promise<{ png: Uint8Array; pages: number }>;
  /**
   * The shape of the recording a job was made from: of the sound track that is heard where `language` is asked for.
   * Errors: `unsupported_media`, `corrupt_input`, `timeout`.
   */
  soundPeaks(jobId: string, language: string | undefined, signal: AbortSignal): Promise<{ peaks: number[] }>;
  /** Where the file lies that a job was made from, if it was made from one. */
  sourcePathOf(jobId: string): string;
}

/** Turns a validated request into a job, without payment. */
interface IntakePort {
  /** The upload moves into the job's folder; the job is inserted, or the one of its dedupe key found. */
  accept(draft: JobDraft): Promise<JobRow>;
}

/** Payment as the derived route sees it (x402; decisions 4). */
export interface PaymentGate {
  /** Before the body is read: no proof, a refused one, or one that may pay. Errors: `settlement_unavailable`. */
  open(operation: Operation, headers: GateHeaders): Promise<GateOpening>;
  /** Names a proof of `open`: the same proof has the same key, in whichever form it comes. */
  keyOf(proof: unknown): string;
  /** Settles and accepts in one crash-safe sequence: a proof is never taken without a job. */
  accept(purchase: GatePurchase): Promise<GateOutcome>;
}

interface GateHeaders {
  get(name: string): string | undefined;
  /** Names and values as they came, for headers that were sent twice. */
  raw: readonly string[];
}

export interface GatePurchase {
  proof: unknown;
  operation: Operation;
  /** The same request has the same hash. */
  requestHash: string;
  draft: JobDraft;
  prefer: string | undefined;
}

interface GateRefusal {
  kind: 'refused';
  challenge: PaymentChallenge;
  headers: Record<string, string>;
}

export type GateOpening =
  | GateRefusal
  /** `spent`: it bought a job before, which is given again. */
  | { kind: 'proof'; proof: unknown; payer: `0x${string}`; spent: boolean };

export type GateOutcome =
  | GateRefusal
  | { kind: 'unavailable'; error: QuarryError; headers: Record<string, string> }
  | { kind: 'accepted'; job: JobRow; headers: Record<string, string> };

export function gateHeaders(context: Context<HttpEnv>): GateHeaders {
  return { get: (name) => context.req.header(name), raw: context.env.incoming.rawHeaders };
}

declare module '../../platform/http/env.ts' {
  interface HttpVariables {
    /** Set where a paid request brings a proof: the answer of the gate. */
    opening?: GateOpening;
  }
}
