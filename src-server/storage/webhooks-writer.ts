import type { Insertable, Updateable } from 'kysely';
import { assertTransaction } from './connection.ts';
import type { Tx } from './schema.ts';
import type { WebhookRow } from './webhooks-reader.ts';
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

/** What the delivery found out about a webhook: no change of its owner's, so `updated_at` stays. */
export async function noteDelivery(tx: Tx, id: string, note: WebhookChange): Promise<void> {
  assertTransaction(tx);
  await tx.updateTable('webhooks').set(note).where('id', '=', id).execute();
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
