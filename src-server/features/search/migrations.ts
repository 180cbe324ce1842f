import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Migrations } from '../../platform/db/database.ts';

/** The search index in the main database, until migration 019. Frozen: later changes are new migrations. */
export async function createSearch(db: Kysely<never>): Promise<void> {
  await sql`
    create table search_chunks (
      seq integer primary key,
      account_id text not null,
      job_id text,
      job_type text not null,
      contribution_id text,
      chunk_id text not null,
      kind text not null,
      language text,
      page integer not null,
      heading text,
      url text,
      source_name text,
      start_seconds real,
      text text not null,
      original_text text
    )`.execute(db);
  await sql`create index search_chunks_by_job on search_chunks (job_id, chunk_id) where job_id is not null`.execute(db);
  await sql`create index search_chunks_by_contribution on search_chunks (contribution_id)
    where contribution_id is not null`.execute(db);
  await sql`
    create virtual table search_text using fts5 (
      scope, heading, body, content = '', contentless_delete = 1,
      tokenize = 'porter unicode61 remove_diacritics 2'
    )`.execute(db);
  await sql`insert into search_text (search_text, rank) values ('rank', 'bm25(0.0, 2.0, 1.0)')`.execute(db);
  await sql`
    create table search_jobs (
      job_id text not null primary key,
      indexed_chunks integer not null,
      state text not null check (state in ('waiting', 'indexed', 'failed'))
    )`.execute(db);
  await sql`create index search_jobs_waiting on search_jobs (job_id) where state = 'waiting'`.execute(db);
}

/**
 * Vectors of chunks in the main database, until migration 019; shared jobs; files of chunks to rewrite. Frozen: later
 * changes are new migrations.
 */
export async function addSearchByMeaning(db: Kysely<never>): Promise<void> {
  await sql`
    create table search_embedders (
      id integer primary key,
      model text not null unique
    )`.execute(db);
  await sql`alter table search_chunks add column embedded_by integer not null default 0`.execute(db);
  await sql`create index search_chunks_by_embedder on search_chunks (embedded_by)`.execute(db);
  await sql`
    create table search_signatures (
      account_id text not null,
      seq integer not null,
      embedder integer not null,
      bits blob not null,
      job_type text not null,
      kind text not null,
      language text,
      primary key (account_id, seq)
    ) without rowid`.execute(db);
  await sql`
    create table search_vectors (
      seq integer primary key,
      embedder integer not null,
      vector blob not null
    )`.execute(db);
  await sql`
    create table search_shares (
      account_id text not null,
      job_id text not null,
      primary key (account_id, job_id)
    ) without rowid`.execute(db);
  await sql`
    create table corrected_files (
      job_id text not null primary key,
      revision integer not null
    )`.execute(db);
  await sql`create index search_shares_by_job on search_shares (job_id)`.execute(db);
}

/**
 * The search index moves to a database of its own, which follows the main one by a queue. Frozen: later changes are new
 * migrations. Old tables with chunks stay until the new index has their vectors; it is built while the server runs.
 */
export async function queueSearch(db: Kysely<never>): Promise<void> {
  await sql`
    create table search_queue (
      seq integer primary key autoincrement,
      kind text not null check (kind in ('job', 'removal', 'correction', 'contribution')),
      subject text not null unique,
      job_id text,
      priority integer not null,
      payload text
    )`.execute(db);
  await sql`create index search_queue_next on search_queue (priority, seq)`.execute(db);
  await sql`create index search_queue_removals on search_queue (seq) where kind = 'removal'`.execute(db);
  await sql`
    create table search_source (
      index_id text not null primary key,
      first_seq integer not null,
      last_seq integer not null
    )`.execute(db);
  const { rows } = await sql`select 1 from search_chunks limit 1`.execute(db);
  if (rows.length > 0) return;
  for (const table of OLD_TABLES) await sql`drop table ${sql.table(table)}`.execute(db);
}

/** The search index in the main database, in the order in which it is dropped. The first one says that it is whole. */
export const OLD_TABLES = [
  'search_text',
  'search_jobs',
  'search_signatures',
  'search_vectors',
  'search_embedders',
  'search_chunks',
] as const;

/** Every migration of search.db in order. A released one is never edited. */
export const INDEX_MIGRATIONS: Migrations = {
  '001-index': { up: createIndex },
  '002-topics': { up: addTopics },
  '003-words': { up: addWords },
  '004-collections': { up: addCollections },
};

/**
 * The database of the search index. Frozen: later changes are new migrations.
 *
 * - The full-text table keeps no text of its own: what it indexes is prepared (scripts without spaces are cut into
 *   characters), what is shown is in search_chunks. It merges its segments only when the writer asks for it.
 * - Prefixes have no index: one query word may be a prefix, and it is expanded in the main index.
 * - A chunk names the embedder that made its vector (0: none yet), so an index finds the chunks without a vector.
 * - The short form of a vector (one bit for each dimension) is stored with what filters ask for, in the order of
 *   accounts: a search reads nothing else of the chunks that it does not show.
 */
async function createIndex(db: Kysely<never>): Promise<void> {
  await sql`create table search_identity (id text not null primary key)`.execute(db);
  await sql`insert into search_identity (id) values (${randomUUID()})`.execute(db);
  await sql`
    create table search_chunks (
      seq integer primary key,
      account_id text not null,
      job_id text,
      job_type text not null,
      contribution_id text,
      chunk_id text not null,
      kind text not null,
      language text,
      page integer not null,
      heading text,
      url text,
      source_name text,
      start_seconds real,
      text text not null,
      original_text text,
      embedded_by integer not null default 0
    )`.execute(db);
  await sql`create index search_chunks_by_job on search_chunks (job_id, chunk_id) where job_id is not null`.execute(db);
  await sql`create index search_chunks_by_contribution on search_chunks (contribution_id)
    where contribution_id is not null`.execute(db);
  await sql`create index search_chunks_by_embedder on search_chunks (embedded_by)`.execute(db);
  await sql`
    create virtual table search_text using fts5 (
      scope, heading, body, content = '', contentless_delete = 1,
      tokenize = 'porter unicode61 remove_diacritics 2'
    )`.execute(db);
  await sql`insert into search_text (search_text, rank) values ('rank', 'bm25(0.0, 2.0, 1.0)')`.execute(db);
  await sql`insert into search_text (search_text, rank) values ('automerge', 0)`.execute(db);
  await sql`create table search_embedders (id integer primary key, model text not null unique)`.execute(db);
  await sql`
    create table search_signatures (
      account_id text not null,
      seq integer not null,
      embedder integer not null,
      bits blob not null,
      job_type text not null,
      kind text not null,
      language text,
      primary key (account_id, seq)
    ) without rowid`.execute(db);
  await sql`
    create table search_vectors (
      seq integer primary key,
      embedder integer not null,
      vector blob not null
    )`.execute(db);
}

/**
 * Topics learned from an account's own chunks, and what facets and filters ask of a chunk. Frozen: later changes are
 * new migrations.
 *
 * - A fit belongs to one account and has vectors of that account's chunks alone. An older fit of an account stays until
 *   every chunk has a vector of the newest.
 * - The short forms of vectors lie in the order of cells: a search of a large account reads only the nearest cells.
 * - Facts are a narrow table: thousands of matches are counted and filtered without reading their texts. `day` is empty
 *   until the writer has read it from the main database.
 */
async function addTopics(db: Kysely<never>): Promise<void> {
  await sql`alter table search_chunks add column folded_by integer not null default 0`.execute(db);
  await sql`create index search_chunks_by_fold on search_chunks (folded_by, account_id)`.execute(db);
  await sql`create index search_chunks_by_account on search_chunks (account_id)`.execute(db);
  await sql`
    create table topic_fits (
      id integer primary key autoincrement,
      account_id text not null,
      is_current integer not null,
      chunks integer not null,
      changed integer not null,
      dimensions integer not null,
      cells blob not null
    )`.execute(db);
  await sql`create index topic_fits_by_account on topic_fits (account_id)`.execute(db);
  await sql`
    create table topic_terms (
      fit integer not null,
      term text not null,
      weight real not null,
      scale real not null,
      vector blob not null,
      primary key (fit, term)
    ) without rowid`.execute(db);
  await sql`
    create table topic_signatures (
      fit integer not null,
      cell integer not null,
      seq integer not null,
      job_type text not null,
      kind text not null,
      language text,
      bits blob not null,
      primary key (fit, cell, seq)
    ) without rowid`.execute(db);
  await sql`
    create table topic_vectors (
      seq integer primary key,
      fit integer not null,
      cell integer not null,
      vector blob not null
    )`.execute(db);
  await sql`
    create table search_facts (
      seq integer primary key,
      job_type text not null,
      kind text not null,
      source text,
      day text
    )`.execute(db);
  await sql`
    insert into search_facts select seq, job_type, kind, coalesce(
      case when instr(url, '://') > 0
        then substr(substr(url, instr(url, '://') + 3), 1, instr(substr(url, instr(url, '://') + 3) || '/', '/') - 1)
      end, source_name), ''
    from search_chunks`.execute(db);
  await sql`create index search_facts_by_source on search_facts (source, seq)`.execute(db);
  await sql`create index search_facts_by_day on search_facts (day, seq)`.execute(db);
}

/**
 * Words of the chunks, for other forms of a query's words, and keys of texts. Frozen: later changes are new migrations.
 *
 * - `humps` are the places where a name of code has capital letters within; empty for a word.
 * - Stems name their terms; a term has a stem for each language that a chunk with it may be written in.
 * - Compounds are found by their parts, of three letters or more. The table has no text of its own.
 * - `read_to` is the last chunk of an older index whose words are kept, up to `read_last`. `swept` is the last word
 *   that was looked for among the chunks that are left; null where nothing was deleted since.
 * - A text that two chunks have is one result: both have its key. Null until the writer has read the text.
 */
async function addWords(db: Kysely<never>): Promise<void> {
  await sql`
    create table search_words (
      id integer primary key,
      term text not null unique,
      humps text not null default '',
      is_compound integer not null default 0
    )`.execute(db);
  await sql`
    create table search_stems (
      language text not null,
      stem text not null,
      term text not null,
      primary key (language, stem, term)
    ) without rowid`.execute(db);
  await sql`create index search_stems_by_term on search_stems (term)`.execute(db);
  await sql`
    create virtual table search_compounds using fts5 (
      term, content = '', contentless_delete = 1, tokenize = 'trigram'
    )`.execute(db);
  await sql`
    create table search_words_state (
      read_to integer not null,
      read_last integer not null,
      swept text
    )`.execute(db);
  await sql`insert into search_words_state select 0, coalesce(max(seq), 0), null from search_chunks`.execute(db);
  await sql`alter table search_facts add column text_key integer`.execute(db);
}

/**
 * Topics of collections of like chunks in place of topics of a whole account, which are learned again. Frozen: later
 * changes are new migrations.
 *
 * - A fit of an account sorts its chunks into collections; each of these is a fit too, a part of the first, and
 *   vectors of chunks are vectors of it.
 * - `worth` is how much its topics count in a search beside words.
 */
async function addCollections(db: Kysely<never>): Promise<void> {
  for (const table of ['topic_fits', 'topic_terms', 'topic_signatures', 'topic_vectors']) {
    await sql`delete from ${sql.table(table)}`.execute(db);
  }
  await sql`update search_chunks set folded_by = 0 where folded_by != 0`.execute(db);
  await sql`alter table topic_fits add column part_of integer`.execute(db);
  await sql`alter table topic_fits add column worth real not null default 0`.execute(db);
  await sql`create index topic_fits_by_whole on topic_fits (part_of) where part_of is not null`.execute(db);
}
