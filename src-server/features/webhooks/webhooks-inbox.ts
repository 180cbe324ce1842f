import type { Insertable, Selectable } from 'kysely';
import { assertTransaction } from '../../platform/db/database.ts';
import type { Db, Tx } from '../../platform/db/schema.ts';
import type { WebhookInboxesTable, WebhookInboxMessagesTable } from './webhooks-tables.ts';

export type InboxRow = Selectable<WebhookInboxesTable>;
export type InboxMessageRow = Selectable<WebhookInboxMessagesTable>;

export async function listInboxes(db: Db | Tx, limit: number): Promise<InboxRow[]> {
  return db.selectFrom('webhook_inboxes').selectAll().orderBy('seq', 'desc').limit(limit).execute();
}

export async function inboxByName(db: Db | Tx, name: string): Promise<InboxRow | undefined> {
  return db.selectFrom('webhook_inboxes').selectAll().where('name', '=', name).executeTakeFirst();
}

/** One page of what an inbox received, newest first. `before` is the `seq` of the last row of the page before. */
export async function inboxMessages(
  db: Db,
  name: string,
  before: number | null,
  limit: number,
): Promise<InboxMessageRow[]> {
  let query = db.selectFrom('webhook_inbox_messages').selectAll().where('inbox_name', '=', name);
  if (before !== null) query = query.where('seq', '<', before);
  return query.orderBy('seq', 'desc').limit(limit).execute();
}

export async function insertInbox(tx: Tx, row: Omit<Insertable<WebhookInboxesTable>, 'seq'>): Promise<InboxRow> {
  assertTransaction(tx);
  return tx.insertInto('webhook_inboxes').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function changeInbox(
  tx: Tx,
  name: string,
  change: Partial<Pick<InboxRow, 'label' | 'secret' | 'behaviour'>>,
): Promise<InboxRow> {
  assertTransaction(tx);
  const query = tx.updateTable('webhook_inboxes').set(change).where('name', '=', name);
  return query.returningAll().executeTakeFirstOrThrow();
}

export async function deleteInbox(tx: Tx, name: string): Promise<void> {
  assertTransaction(tx);
  await tx.deleteFrom('webhook_inbox_messages').where('inbox_name', '=', name).execute();
  await tx.deleteFrom('webhook_inboxes').where('name', '=', name).execute();
}

/** Adds a message and forgets the oldest beyond `keep`. */
export async function insertInboxMessage(
  tx: Tx,
  row: Omit<Insertable<WebhookInboxMessagesTable>, 'seq'>,
  keep: number,
): Promise<void> {
  assertTransaction(tx);
  await tx.insertInto('webhook_inbox_messages').values(row).execute();
  const last = await tx
    .selectFrom('webhook_inbox_messages')
    .select('seq')
    .where('inbox_name', '=', row.inbox_name)
    .orderBy('seq', 'desc')
    .offset(keep)
    .limit(1)
    .executeTakeFirst();
  if (last === undefined) return;
  await tx
    .deleteFrom('webhook_inbox_messages')
    .where('inbox_name', '=', row.inbox_name)
    .where('seq', '<=', last.seq)
    .execute();
}
