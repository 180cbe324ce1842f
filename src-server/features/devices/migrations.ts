import { type Kysely, sql } from 'kysely';

/** The second listener, in the production database. One row; without one it is off. */
export async function createNetworkDoor(db: Kysely<never>): Promise<void> {
  await sql`
    create table network_door (
      id integer not null primary key check (id = 1),
      is_on integer not null check (is_on in (0, 1)),
      address text,
      port integer not null
    )`.execute(db);
}
