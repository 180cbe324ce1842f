import { type Kysely, sql } from 'kysely';

/** Wallets that paid while paid requests counted for the address only: accounts that the owner can give a plan. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    insert into accounts (account_id, plan, requests_per_minute, concurrency, first_seen, last_seen)
    select payer, null, null, null, min(verified_at), max(verified_at) from payments
    where payer like '0x%' group by payer
    on conflict do nothing`.execute(db);
}
