import { type Selectable, sql } from 'kysely';
import type { JobEvent } from '../../contract/index.ts';
import type { Db, Tx } from '../../platform/db/schema.ts';
import type { WebhooksTable } from './webhooks-tables.ts';

export type WebhookRow = Selectable<WebhooksTable>;

/** An account's own webhooks, oldest first, deleted ones left out. */
export async function accountWebhooks(db: Db | Tx, accountId: string, limit: number): Promise<WebhookRow[]> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('job_id', 'is', null)
    .where('deleted_at', 'is', null)
    .orderBy('seq')
    .limit(limit)
    .execute();
}

/** A webhook that was not deleted, whoever owns it. */
export async function webhookById(db: Db | Tx, id: string): Promise<WebhookRow | undefined> {
  return db.selectFrom('webhooks').selectAll().where('id', '=', id).where('deleted_at', 'is', null).executeTakeFirst();
}

/** Webhooks of one account for the same target: on a job, or (`jobId` null) on the account. */
export async function webhooksForTarget(
  db: Db | Tx,
  target: { accountId: string; jobId: string | null; url: string },
): Promise<WebhookRow[]> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('account_id', '=', target.accountId)
    .where('job_id', target.jobId === null ? 'is' : '=', target.jobId)
    .where('url', '=', target.url)
    .where('deleted_at', 'is', null)
    .orderBy('seq')
    .execute();
}

/** An account's webhooks, and the `webhooks` jobs that are about to make one. */
export async function countAccountWebhooks(db: Db | Tx, accountId: string): Promise<number> {
  const made = await db
    .selectFrom('webhooks')
    .select((is) => is.fn.countAll<number>().as('webhooks'))
    .where('account_id', '=', accountId)
    .where('job_id', 'is', null)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  const coming = await db
    .selectFrom('jobs')
    .select((is) => is.fn.countAll<number>().as('webhooks'))
    .where('account_id', '=', accountId)
    .where('status', 'in', ['queued', 'processing'])
    .where('operation_id', '=', 'webhooks')
    .executeTakeFirstOrThrow();
  return Number(made.webhooks) + Number(coming.webhooks);
}

export async function jobWebhooks(db: Db | Tx, jobId: string): Promise<WebhookRow[]> {
  return db.selectFrom('webhooks').selectAll().where('job_id', '=', jobId).orderBy('seq').execute();
}

/**
 * Every webhook that a job's end concerns: the job's own, and its account's. Paused ones are among them (their
 * deliveries wait), disabled ones are not.
 */
export async function webhooksOfJob(
  db: Db | Tx,
  job: { id: string; accountId: string },
  event?: JobEvent,
): Promise<WebhookRow[]> {
  const flag = event === 'job.completed' ? 'on_completed' : 'on_failed';
  const ofJob = db.selectFrom('webhooks').selectAll().where('job_id', '=', job.id).where('status', '!=', 'disabled');
  const ofAccount = db
    .selectFrom('webhooks')
    .selectAll()
    .where('account_id', '=', job.accountId)
    .where('job_id', 'is', null)
    .where('deleted_at', 'is', null)
    .where('status', '!=', 'disabled');
  if (event === undefined) return [...(await ofJob.execute()), ...(await ofAccount.execute())];
  return [...(await ofJob.where(flag, '=', 1).execute()), ...(await ofAccount.where(flag, '=', 1).execute())];
}

/**
 * Endpoints for the dashboard: the account-level webhooks of everybody, newest first. They are few, among one for each
 * job that has its own: the plus sign keeps SQLite from going through those in the order of the table.
 */
export async function listEndpoints(db: Db, before: number | null, limit: number): Promise<WebhookRow[]> {
  const seq = sql<number>`+${sql.ref('seq')}`;
  let query = db.selectFrom('webhooks').selectAll().where('job_id', 'is', null).where('deleted_at', 'is', null);
  if (before !== null) query = query.where(seq, '<', before);
  return query.orderBy(seq, 'desc').limit(limit).execute();
}
