import type { Generated } from 'kysely';

/** A subscription: of an account (`job_id` null) or of one job. */
export interface WebhooksTable {
  seq: Generated<number>;
  id: string;
  /** Who registered it: decides which targets may be reached, also for a job of somebody else. */
  account_id: string;
  job_id: string | null;
  url: string;
  on_completed: number;
  on_failed: number;
  secret: string | null;
  /** The secret before a rotation: signs beside the new one until it expires. */
  previous_secret: string | null;
  previous_secret_expires_at: number | null;
  /** SHA-256 of the secret, empty without one: lets an index keep one webhook per target and secret. */
  secret_mark: string;
  status: 'active' | 'paused' | 'disabled';
  /** Why it was disabled, as a sentence for its owner. */
  notice: string | null;
  lane_id: string;
  /** First failed attempt since the last success. */
  failing_since: number | null;
  last_delivery_id: string | null;
  last_delivery_status: DeliveryStatus | null;
  last_response_status: number | null;
  last_attempt_at: number | null;
  created_at: number;
  updated_at: number;
  /** Kept for the delivery log until its deliveries go; its secrets are wiped at once. */
  deleted_at: number | null;
}

/**
 * One line of deliveries to one destination: an account-level webhook, or all job-level webhooks of an account with the
 * same URL. The lanes take turns, so that a dead destination delays nobody else.
 */
export interface WebhookLanesTable {
  id: string;
  /** When the lane wants a turn; null when nothing waits in it. */
  next_due_at: number | null;
  /** 1 while its webhook is paused or disabled. */
  held: number;
  /** The process that has requests of this lane under way: no other one touches the lane until the lease ends. */
  lease_owner: string | null;
  lease_ends_at: number | null;
}

export type DeliveryStatus = 'pending' | 'delivered' | 'exhausted' | 'cancelled';

/** The outbox: one row per (webhook, job, transition to terminal), written with the transition. */
export interface WebhookDeliveriesTable {
  seq: Generated<number>;
  /** `dlv_…`: the `webhook-id` of every attempt. */
  id: string;
  webhook_id: string;
  lane_id: string;
  account_id: string;
  kind: 'job' | 'test';
  job_id: string;
  event: string;
  /** When the job reached the terminal state this delivery tells of. */
  job_ended_at: number;
  status: DeliveryStatus;
  /** All attempts so far. */
  attempts: number;
  /** Attempts of the current run through the schedule; a redelivery starts a new one. */
  tries: number;
  /** 1 after a redelivery by hand: its failures do not count against the webhook. */
  manual: number;
  /** When the next attempt is due; null when nothing is to be tried. */
  next_attempt_at: number | null;
  last_response_status: number | null;
  last_error_class: string | null;
  /** SHA-256 of the body sent last. */
  body_sha256: string | null;
  created_at: number;
  updated_at: number;
}

export interface WebhookAttemptsTable {
  seq: Generated<number>;
  /** By number, not by id: attempts of the same time then lie side by side in the index. */
  delivery_seq: number;
  number: number;
  manual: number;
  url: string;
  started_at: number;
  duration_ms: number;
  /** JSON: what the row does not say otherwise (webhooks/attempt-headers.ts). */
  request_headers: string;
  request_body_sha256: string;
  request_body_bytes: number;
  /** The exact bytes, deflated where that is shorter; null when an earlier attempt sent the same, or when too long. */
  request_body: Uint8Array | null;
  request_body_encoding: 'identity' | 'deflate' | null;
  response_status: number | null;
  /** JSON object. */
  response_headers: string | null;
  response_body: Uint8Array | null;
  response_truncated: number;
  error_class: string | null;
  error_message: string | null;
  next_attempt_at: number | null;
}

/** A frozen selection of deliveries: what a preview counted is what its confirmation sends again. */
export interface WebhookSelectionsTable {
  id: string;
  /** JSON of the filter. */
  filter: string;
  deliveries: number;
  created_at: number;
  expires_at: number;
  applied_at: number | null;
}

export interface WebhookSelectionItemsTable {
  selection_id: string;
  delivery_seq: number;
}

/** A receiver built in for tests by hand. Its unguessable name is the right to post to it. */
export interface WebhookInboxesTable {
  seq: Generated<number>;
  name: string;
  label: string;
  secret: string | null;
  /** JSON: how it answers. */
  behaviour: string;
  created_at: number;
}

export interface WebhookInboxMessagesTable {
  seq: Generated<number>;
  inbox_name: string;
  received_at: number;
  headers: string;
  body: Uint8Array;
  body_bytes: number;
  /** JSON: whether the signatures are right, and why not. */
  verdict: string;
  answer: string;
}

export interface WebhooksDatabase {
  webhooks: WebhooksTable;
  webhook_lanes: WebhookLanesTable;
  webhook_deliveries: WebhookDeliveriesTable;
  webhook_attempts: WebhookAttemptsTable;
  webhook_selections: WebhookSelectionsTable;
  webhook_selection_items: WebhookSelectionItemsTable;
  webhook_inboxes: WebhookInboxesTable;
  webhook_inbox_messages: WebhookInboxMessagesTable;
}
