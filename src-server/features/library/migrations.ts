import { type Kysely, sql } from 'kysely';

/** What the owner keeps. Frozen: later changes are new migrations. */
export async function createLibrary(db: Kysely<never>): Promise<void> {
  await sql`
    create table library_items (
      seq integer primary key autoincrement,
      id text not null unique,
      kind text not null,
      title text not null,
      title_given integer not null default 0,
      state text not null check (state in ('reading', 'ready', 'failed')),
      source_key text,
      source_name text,
      source_url text,
      source_sha256 text,
      language text,
      pages integer,
      words integer,
      seconds real,
      position text,
      job_id text not null,
      version integer not null,
      added_at integer not null,
      updated_at integer not null,
      dated_at integer,
      deleted_at integer,
      unread integer not null default 0
    )`.execute(db);
  await sql`create index library_items_by_source on library_items (source_key) where source_key is not null`.execute(
    db,
  );
  await sql`create index library_items_by_time on library_items (added_at, seq) where deleted_at is null`.execute(db);
  await sql`create index library_items_deleted on library_items (deleted_at) where deleted_at is not null`.execute(db);
  await sql`create index library_items_unread on library_items (seq) where unread = 1`.execute(db);
  await sql`
    create table library_versions (
      job_id text primary key,
      item_seq integer not null,
      number integer not null,
      state text not null,
      created_at integer not null,
      unique (item_seq, number)
    ) without rowid`.execute(db);
  await sql`
    create table library_tags (
      item_seq integer not null,
      tag text not null,
      primary key (item_seq, tag)
    ) without rowid`.execute(db);
  await sql`create index library_tags_by_tag on library_tags (tag, item_seq)`.execute(db);
  await sql`
    create table library_collections (
      seq integer primary key autoincrement,
      id text not null unique,
      name text not null unique,
      filter text
    )`.execute(db);
  await sql`
    create table library_members (
      collection_seq integer not null,
      item_seq integer not null,
      primary key (collection_seq, item_seq)
    ) without rowid`.execute(db);
  await sql`create index library_members_by_item on library_members (item_seq)`.execute(db);
  await sql`
    create table library_notes (
      seq integer primary key autoincrement,
      id text not null unique,
      item_seq integer not null,
      kind text not null check (kind in ('note', 'highlight')),
      text text not null,
      quote text,
      before text not null,
      after text not null,
      position text,
      version integer not null,
      created_at integer not null,
      updated_at integer not null
    )`.execute(db);
  await sql`create index library_notes_by_item on library_notes (item_seq, seq)`.execute(db);
  // How far the jobs from before the library have become items. A new database has none.
  await sql`create table library_adoption (before_seq integer)`.execute(db);
  await sql`insert into library_adoption (before_seq) select max(seq) + 1 from jobs having count(*) > 0`.execute(db);
}

/** What stands for an item in lists. Results that were read are read again, for the lines of their text. */
export async function addCovers(db: Kysely<never>): Promise<void> {
  await sql`alter table library_items add column cover text check (cover in ('drawn', 'none'))`.execute(db);
  await sql`alter table library_items add column excerpt text`.execute(db);
  await sql`alter table library_items add column peaks text`.execute(db);
  await sql`create index library_items_uncovered on library_items (seq) where cover is null and unread = 0
    and state = 'ready'`.execute(db);
  await sql`update library_items set unread = 1 where state = 'ready'`.execute(db);
}

/** Folders that are kept in step with the library. */
export async function createMirrors(db: Kysely<never>): Promise<void> {
  await sql`
    create table library_mirrors (
      seq integer primary key autoincrement,
      id text not null unique,
      path text not null,
      filter text not null,
      state text not null default 'waiting' check (state in ('waiting', 'ok', 'failed')),
      message text,
      kept text not null default '[]',
      kept_count integer not null default 0,
      synced_at integer
    )`.execute(db);
}

/** What items take of the disk, who speaks in them, and an index for each order of the list. */
export async function addSizes(db: Kysely<never>): Promise<void> {
  await sql`alter table library_items add column bytes integer`.execute(db);
  await sql`alter table library_versions add column bytes integer`.execute(db);
  await sql`create index library_versions_unmeasured on library_versions (job_id) where bytes is null
    and state <> 'reading'`.execute(db);
  await sql`
    create table library_speakers (
      item_seq integer not null,
      speaker text not null,
      primary key (item_seq, speaker)
    ) without rowid`.execute(db);
  await sql`create index library_speakers_by_name on library_speakers (speaker, item_seq)`.execute(db);
  await sql`create index library_items_by_change on library_items (updated_at, seq) where deleted_at is null`.execute(
    db,
  );
  await sql`create index library_items_by_title on library_items (title collate nocase, seq)
    where deleted_at is null`.execute(db);
  await sql`create index library_items_by_size on library_items (bytes, seq) where deleted_at is null`.execute(db);
  await sql`update library_items set unread = 1 where state = 'ready' and kind = 'talk'`.execute(db);
}

/** Recordings and sites have covers too. */
export async function drawMoreCovers(db: Kysely<never>): Promise<void> {
  await sql`update library_items set cover = null
    where cover = 'none' and kind in ('talk', 'site', 'page') and peaks is null`.execute(db);
}

/** What the originals of items take of the disk, and which of them are to go. Files are measured again. */
export async function addOriginals(db: Kysely<never>): Promise<void> {
  await sql`alter table library_items add column original_bytes integer not null default 0`.execute(db);
  await sql`alter table library_versions add column original_bytes integer not null default 0`.execute(db);
  await sql`alter table library_versions add column original_goes integer not null default 0`.execute(db);
  await sql`create index library_versions_marked on library_versions (job_id) where original_goes = 1`.execute(db);
  await sql`update library_versions set bytes = null`.execute(db);
}
