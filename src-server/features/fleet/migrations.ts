import { type Kysely, sql } from 'kysely';

/** Nodes, the owner's choices, and how far the ends of runs were read. */
export async function createFleet(db: Kysely<never>): Promise<void> {
  await sql`
    create table fleet_nodes (
      id text primary key,
      name text not null unique,
      public_key text not null,
      draining integer not null default 0,
      created_at integer not null,
      last_seen_at integer
    )`.execute(db);
  await sql`
    create table fleet_choices (
      id integer primary key check (id = 1),
      choices text not null
    )`.execute(db);
  await sql`
    create table fleet_cursor (
      id integer primary key check (id = 1),
      stream text not null,
      sequence integer not null
    )`.execute(db);
}

/** What nodes can run is known while they are away. */
export async function addNodeAbilities(db: Kysely<never>): Promise<void> {
  await sql`alter table fleet_nodes add column abilities text`.execute(db);
}

/** Models that the owner copies to nodes. */
export async function createCopies(db: Kysely<never>): Promise<void> {
  await sql`
    create table fleet_copies (
      node_id text not null,
      model text not null,
      created_at integer not null,
      error text,
      primary key (node_id, model)
    )`.execute(db);
}
