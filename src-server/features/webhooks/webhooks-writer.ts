import type { Insertable, Updateable } from 'kysely';
import { assertTransaction } from '../../platform/db/database.ts';
import type { Tx } from '../../platform/db/schema.ts';
import type { WebhookRow } from './store.ts';
import type { WebhooksTable } from './webhooks-tables.ts';

export type NewWebhookRow = Omit<Insertable<WebhooksTable>, 'seq'>;
export type WebhookChange = Omit<Updateable<WebhooksTable>, 'seq' | 'id' | 'updated_at'>;

export async function insertWebhook(tx: Tx, row: NewWebhookRow): Promise<WebhookRow> {
  assertTransaction(tx);
  return tx.insertInto('webhooks').values(row).returningAll().executeTakeFirstOrThrow();
}

/** A change its owner made: `updated_at` moves. */
export async function changeWebhook(tx: Tx, id: string, change: WebhookChange, now: number): Promise<WebhookRow> {
  assertTransaction(tx);
  return tx
    .updateTable('webhooks')
    .set({ ...change, updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** A job is being forgotten: its own webhooks go with it. */
export async function deleteJobWebhooks(tx: Tx, jobId: string): Promise<void> {
  assertTransaction(tx);
  await tx.deleteFrom('webhooks').where('job_id', '=', jobId).execute();
}

/** Deleted webhooks whose deliveries have all been forgotten. */
export async function deleteForgottenWebhooks(tx: Tx, deletedBefore: number): Promise<void> {
  assertTransaction(tx);
  await tx.deleteFrom('webhooks').where('deleted_at', '<', deletedBefore).execute();
}

/** Secrets whose overlap is over are of no use to anyone but a thief. */
export async function wipeExpiredSecrets(tx: Tx, now: number): Promise<void> {
  assertTransaction(tx);
  await tx
    .updateTable('webhooks')
    .set({ previous_secret: null, previous_secret_expires_at: null })
    .where('previous_secret_expires_at', '<=', now)
    .execute();
}

/** Jobs that have not ended, by the events they say they are subscribed to (as JSON), get others. */
export async function changeEventsOfOpenJobs(
  tx: Tx,
  accountId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  assertTransaction(tx);
  await tx
    .updateTable('jobs')
    .set({ events: to })
    .where('account_id', '=', accountId)
    .where('status', 'in', ['queued', 'processing'])
    .where('events', '=', from)
    .execute();
}
