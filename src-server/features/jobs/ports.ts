import type { Operation } from '../../operation.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { NodeAwayError } from './node-standing.ts';
import type { WebhookMaker } from './schema.ts';

/** What jobs ask of other features. Each port is set by its feature when it opens; without it nothing is limited. */
export interface JobPorts {
  /** Refuses webhook targets that the account or key may not call, by field. Errors: `invalid_request`. */
  checkTargets(maker: WebhookMaker, targets: readonly { path: string; url: string }[]): Promise<void>;
  /** Refuses a registration before it is charged. Errors: `invalid_request`, `conflict`. */
  admitWebhook(maker: WebhookMaker, request: Record<string, unknown>): Promise<void>;
  /** Whether what a job made stays until it is deleted. */
  keeps(tx: Tx, jobId: string): boolean;
  /** Jobs that the account may have in work at once. */
  concurrencyOf(accountId: string): number;
  /** Takes a slot for an inline request. Returns a function that frees it. Errors: `rate_limited`. */
  acquireInline(accountId: string): () => void;
  /** Where only nodes can run such a job, as its models are there; null where this machine can, or none can. */
  onNodes(
    operation: Operation,
    request: Record<string, unknown>,
    accountId: string,
  ): Promise<NodeAwayError | 'there' | null>;
}

export function openPorts(): JobPorts {
  return {
    keeps: () => false,
    checkTargets: async () => undefined,
    admitWebhook: async () => undefined,
    concurrencyOf: () => Number.POSITIVE_INFINITY,
    acquireInline: () => () => undefined,
    onNodes: async () => null,
  };
}
