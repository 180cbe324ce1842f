import { type Generated, type RawBuilder, sql } from 'kysely';
import type { Db, Query, Tx } from '../../platform/db/database.ts';
import { prepareQuery } from '../../platform/db/prepared.ts';

/** A row that makes jobs of its entries: a watched site, folder or feed, or a batch. */
export interface SourceRow {
  seq: number;
  id: string;
  status: string;
  /** Unfinished jobs. */
  processing?: number;
  /** The named key that made it; null for the owner. */
  key_id?: string | null;
  key_name?: string | null;
  every_minutes?: number;
  time_of_day?: string | null;
  /** Null while paused. */
  next_run_at?: number | null;
}

/** One thing that becomes a job. It is `waiting` until it has one. */
export interface EntryRow {
  seq: number;
  job_id: string | null;
  status: string;
  /** JobError as JSON. */
  error: string | null;
  ended_at: number | null;
}

/** Columns that the table of every source has. */
export interface SourceTable {
  seq: Generated<number>;
  id: string;
  created_at: number;
}

/** The named key that made a source; null for the owner. */
export interface MadeByKey {
  key_id: string | null;
  key_name: string | null;
}

/** A watched site, folder or feed. */
export interface WatchedTable extends SourceTable {
  name: string | null;
  status: 'active' | 'paused';
  updated_at: number;
}

export interface ScheduledTable extends WatchedTable, MadeByKey {
  every_minutes: number;
  time_of_day: string | null;
  /** Null while paused. */
  next_run_at: number | null;
}

/** Columns that the table of every kind of entry has. */
export interface EntryTable {
  seq: Generated<number>;
  job_id: string | null;
  /** JobError as JSON. */
  error: string | null;
  ended_at: number | null;
}

interface SourceTables<Entry> {
  sources: string;
  entries: string;
  /** Column of the entries with the number of their source. */
  owner: keyof Entry & string;
  /** Statuses that the source counts in columns of its own: a list would otherwise count all entries. */
  counted: readonly string[];
}

/** Columns to change; those that are undefined stay. */
export type Change<Row> = { readonly [Name in keyof Row]?: Row[Name] | undefined };

type Values = Readonly<Record<string, string | number | null | undefined>>;

/** Queries that all sources and their entries have in common. */
export class SourceStore<Source extends SourceRow, Entry extends EntryRow> {
  readonly #sources: RawBuilder<unknown>;
  readonly #entries: RawBuilder<unknown>;
  readonly #owner: keyof Entry & string;
  readonly #counted: ReadonlySet<string>;
  readonly #dueSources: (values: { now: number; limit: number }) => Query<Source>;
  readonly #anySource: (values: object) => Query<{ seq: number }>;
  readonly #lastDueSource: (values: object) => Query<Source>;
  readonly #entriesOfJob: (values: { jobId: string }) => Query<Entry>;

  constructor({ sources, entries, owner, counted }: SourceTables<Entry>) {
    this.#sources = sql.table(sources);
    this.#entries = sql.table(entries);
    this.#owner = owner;
    this.#counted = new Set(counted);
    // These are asked for several times a second, or with each job.
    this.#dueSources = prepareQuery<{ now: number; limit: number }>()((_db, of) => {
      const due = sql`next_run_at <= +${of('now')} order by next_run_at limit ${of('limit')} + 0`;
      return sql<Source>`select * from ${this.#sources} where ${due}`;
    });
    this.#anySource = prepareQuery<object>()(() => sql<{ seq: number }>`select seq from ${this.#sources} limit 1`);
    this.#lastDueSource = prepareQuery<object>()(() => {
      const due = sql`where next_run_at is not null order by next_run_at desc limit 1`;
      return sql<Source>`select * from ${this.#sources} ${due}`;
    });
    this.#entriesOfJob = prepareQuery<{ jobId: string }>()(
      (_db, of) => sql<Entry>`select * from ${this.#entries} where job_id = ${of('jobId')}`,
    );
  }

  insertSource(tx: Tx, row: Change<Source>): Source {
    return tx.queryOne(sql<Source>`insert into ${this.#sources} ${valuesOf(row)} returning *`);
  }

  /** Undefined for a source that is gone. */
  changeSource(tx: Tx, seq: number, change: Change<Source> | Change<SourceRow>): Source | undefined {
    return tx.queryFirst(sql<Source>`update ${this.#sources} set ${settersOf(change)} where seq = ${seq} returning *`);
  }

  sourceById(db: Db, id: string): Source | undefined {
    return db.queryFirst(sql<Source>`select * from ${this.#sources} where id = ${id}`);
  }

  sourceBySeq(db: Db, seq: number): Source | undefined {
    return db.queryFirst(sql<Source>`select * from ${this.#sources} where seq = ${seq}`);
  }

  /** Newest first. */
  listSources(db: Db): Source[] {
    return db.queryAll(sql<Source>`select * from ${this.#sources} order by seq desc`);
  }

  countSources(db: Db): number {
    return db.queryOne(sql<{ n: number }>`select count(*) as n from ${this.#sources}`).n;
  }

  hasSources(db: Db): boolean {
    return db.queryFirst(this.#anySource({})) !== undefined;
  }

  /** Sources whose time has come, the longest waiting first. */
  dueSources(db: Db, now: number, limit: number): Source[] {
    return db.queryAll(this.#dueSources({ now, limit }));
  }

  /** The source that is due last. */
  lastDueSource(db: Db): Source | undefined {
    return db.queryFirst(this.#lastDueSource({}));
  }

  /** Its entries are deleted in slices, by `deleteEntryRows`. */
  deleteSource(tx: Tx, seq: number): void {
    tx.runStatement(sql`delete from ${this.#sources} where seq = ${seq}`);
  }

  /** Sources that are gone and have left entries. */
  findOrphans(db: Db): number[] {
    const owner = sql.ref(this.#owner);
    const gone = sql`where ${owner} not in (select seq from ${this.#sources})`;
    return db
      .queryAll(sql<{ seq: number }>`select distinct ${owner} as seq from ${this.#entries} ${gone}`)
      .map(({ seq }) => seq);
  }

  /** Undefined for an entry that the source has already. */
  insertEntry(tx: Tx, row: Change<Entry>): Entry | undefined {
    const insertion = sql<Entry>`insert into ${this.#entries} ${valuesOf(row)} on conflict do nothing returning *`;
    const entry = tx.queryFirst(insertion);
    if (entry !== undefined) this.#adjustEntryCount(tx, this.ownerOf(entry), entry.status, 1);
    return entry;
  }

  /** Changes an entry, and the counts of its source with it. */
  changeEntry(tx: Tx, entry: Entry, change: Change<Entry> | Change<EntryRow>): void {
    tx.runStatement(sql`update ${this.#entries} set ${settersOf(change)} where seq = ${entry.seq}`);
    if (change.status === undefined || change.status === entry.status) return;
    this.#adjustEntryCount(tx, this.ownerOf(entry), entry.status, -1);
    this.#adjustEntryCount(tx, this.ownerOf(entry), change.status, 1);
  }

  entryBySeq(db: Db, seq: number): Entry | undefined {
    return db.queryFirst(sql<Entry>`select * from ${this.#entries} where seq = ${seq}`);
  }

  /** Two entries may lead to one crawl. */
  entriesOfJob(db: Db, jobId: string): Entry[] {
    return db.queryAll(this.#entriesOfJob({ jobId }));
  }

  /** The entries that become jobs next. */
  waitingEntries(db: Db, seq: number, limit: number): Entry[] {
    return db.queryAll(sql<Entry>`${this.#entriesOfSourceSql(seq)} and status = 'waiting' order by seq limit ${limit}`);
  }

  /** One page, newest first. `before` is the `seq` of the last row of the page before. */
  listEntryRows(
    db: Db,
    seq: number,
    { status, before, limit }: { status?: string | undefined; before: number | null; limit: number },
  ): Entry[] {
    const ofStatus = status === undefined ? sql`` : sql`and status = ${status}`;
    const older = before === null ? sql`` : sql`and seq < ${before}`;
    return db.queryAll(
      sql<Entry>`${this.#entriesOfSourceSql(seq)} ${ofStatus} ${older} order by seq desc limit ${limit}`,
    );
  }

  /** Deletes entries of a source, or those of a status, in a slice. Returns their numbers. */
  deleteEntryRows(tx: Tx, seq: number, status: string | null, limit: number): number[] {
    const ofStatus = status === null ? sql`` : sql`and status = ${status}`;
    const deleted = tx
      .queryAll(sql<Entry>`${this.#entriesOfSourceSql(seq)} ${ofStatus} limit ${limit}`)
      .map((entry) => entry.seq);
    if (deleted.length === 0) return [];
    tx.runStatement(sql`delete from ${this.#entries} where seq in (${sql.join(deleted)})`);
    if (status !== null) this.#adjustEntryCount(tx, seq, status, -deleted.length);
    return deleted;
  }

  /** Number of the source of an entry. */
  ownerOf(entry: Entry): number {
    return Number(entry[this.#owner]);
  }

  #entriesOfSourceSql(seq: number): RawBuilder<unknown> {
    return sql`select * from ${this.#entries} where ${sql.ref(this.#owner)} = ${seq}`;
  }

  #adjustEntryCount(tx: Tx, seq: number, status: string, added: number): void {
    if (!this.#counted.has(status)) return;
    const column = sql.ref(status);
    tx.runStatement(sql`update ${this.#sources} set ${column} = ${column} + ${added} where seq = ${seq}`);
  }
}

function valuesOf(row: object): RawBuilder<unknown> {
  const given = Object.entries(row as Values).filter(([, value]) => value !== undefined);
  const names = sql.join(given.map(([name]) => sql.ref(name)));
  return sql`(${names}) values (${sql.join(given.map(([, value]) => value))})`;
}

function settersOf(change: object): RawBuilder<unknown> {
  const given = Object.entries(change as Values).filter(([, value]) => value !== undefined);
  return sql.join(given.map(([name, value]) => sql`${sql.ref(name)} = ${value}`));
}
