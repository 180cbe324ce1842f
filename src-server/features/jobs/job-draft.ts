import type { Upload } from '../../source.ts';

/**
 * A validated request that is about to become a job. It is stored with a payment's reservation, so that a process that
 * dies between settlement and insertion can still give the payer the job (decisions 4).
 */
export interface JobDraft {
  jobId: string;
  operationId: string;
  accountId: string;
  /** The request as `operation.request` parsed it. */
  request: Record<string, unknown>;
  /** Already moved into the job's folder. */
  upload: Upload | null;
  priority: number;
  dedupeKey: string | null;
  /** Webhook targets named in the request (`webhookUrl`, `notify`). */
  subscriptions: SubscriptionDraft[];
}

export interface SubscriptionDraft {
  url: string;
  events: string[];
  secret: string | null;
}
