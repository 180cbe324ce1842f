import type {
  EnvironmentName,
  FileKind,
  JobDraft,
  PaymentChallenge,
  Principal,
  Settings,
  Upload,
} from '../contract/index.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Operation } from '../operations/operation.ts';
import type { JobRow } from '../storage/jobs-reader.ts';
import type { BodyParts } from './body.ts';

/** What the routes of one environment stand on. `server.ts` builds one for production and one for staging. */
export interface Service {
  name: EnvironmentName;
  operations: readonly Operation[];
  settings(): Readonly<Settings>;
  /** Absolute, ends with the version prefix. */
  baseUrl(): string;
  jobs: Jobs;
  body: BodyParts;
  gate: PaymentGate;
  intake: Intake;
  filePathOf(jobId: string, name: string): string | null;
}

/** Turns a validated request into a job. */
export interface Intake {
  /** The upload moves into the job's folder; the job is inserted, or the one of its dedupe key found. */
  accept(draft: JobDraft): Promise<JobRow>;
}

/** Payment as the derived route sees it (x402; decisions 4). */
export interface PaymentGate {
  /** Before the body is read: no proof, a refused one, or one that may pay. */
  open(operation: Operation, headers: GateHeaders): Promise<GateOpening>;
  /** Settles and accepts in one crash-safe sequence: a proof is never taken without a job. */
  accept(proof: unknown, requestHash: string, draft: JobDraft): Promise<GateOutcome>;
}

export interface GateHeaders {
  get(name: string): string | undefined;
  /** Names and values as they came, for headers that were sent twice. */
  raw: readonly string[];
}

export type GateOpening =
  | { kind: 'refused'; challenge: PaymentChallenge; headers: Record<string, string> }
  | { kind: 'proof'; proof: unknown; payer: `0x${string}` };

export type GateOutcome =
  | { kind: 'refused'; challenge: PaymentChallenge; headers: Record<string, string> }
  | { kind: 'accepted'; job: JobRow; headers: Record<string, string> };

/** A request that passed every check and may become a job. */
export interface AcceptableRequest {
  operation: Operation;
  principal: Principal;
  request: Record<string, unknown>;
  upload: Upload | null;
  kind: FileKind | null;
}
