import { type Kysely, sql } from 'kysely';

/** Watched folders, the files that were read, and where each file was last seen. */
export async function createFolderWatches(db: Kysely<never>): Promise<void> {
  await sql`
    create table folder_watches (
      seq integer primary key autoincrement,
      id text not null unique,
      name text,
      path text not null,
      recipe text not null,
      recipe_hash text not null,
      extensions text,
      results text not null check (results in ('quarry', 'beside')),
      settle_seconds integer not null,
      status text not null check (status in ('active', 'paused')),
      device text,
      processing integer not null default 0,
      completed integer not null default 0,
      failed integer not null default 0,
      created_at integer not null,
      updated_at integer not null
    )`.execute(db);
  await sql`
    create table folder_files (
      seq integer primary key autoincrement,
      id text not null unique,
      watch_seq integer not null,
      recipe_hash text not null,
      hash text,
      path text not null,
      size_bytes integer not null,
      job_id text unique,
      status text not null check (status in ('processing', 'completed', 'failed')),
      error text,
      results text not null check (results in ('none', 'due', 'written', 'failed')),
      results_error text,
      found_at integer not null,
      ended_at integer
    )`.execute(db);
  // No content is processed twice by one recipe of a watch.
  await sql`create unique index folder_files_once on folder_files (watch_seq, hash, recipe_hash)`.execute(db);
  await sql`create index folder_files_of on folder_files (watch_seq, seq)`.execute(db);
  await sql`create index folder_files_in on folder_files (watch_seq, status, seq)`.execute(db);
  await sql`create index folder_files_due on folder_files (watch_seq, seq) where results = 'due'`.execute(db);
  await sql`
    create table folder_paths (
      watch_seq integer not null,
      path text not null,
      size_bytes integer not null,
      modified_ns text not null,
      inode text not null,
      file_seq integer not null,
      primary key (watch_seq, path)
    ) without rowid`.execute(db);
  await sql`create index folder_paths_by_inode on folder_paths (watch_seq, inode)`.execute(db);
  await sql`create index folder_paths_of_file on folder_paths (file_seq)`.execute(db);
}
