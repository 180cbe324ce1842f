import { type Generated, type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { localTime } from '../../platform/db/local-time.ts';
import { jsonArrayEntries, preparedForColumns, prepareQuery } from '../../platform/db/prepared.ts';
import { dayLater, startOfDay, UTC } from '../../platform/time-zone.ts';
import type { ItemKind } from './kind.ts';
import type { ItemFilter, ItemListQuery } from './schema.ts';

/** Tables of the library. Times are milliseconds, flags 0 and 1. */
interface LibraryItemsTable {
  seq: Generated<number>;
  id: string;
  kind: ItemKind;
  title: string;
  /** The owner gave the title. */
  title_given: Generated<number>;
  state: ItemState;
  /** Equal for readings of the same source; null where none can be recognised. */
  source_key: string | null;
  source_name: string | null;
  source_url: string | null;
  source_sha256: string | null;
  language: string | null;
  pages: number | null;
  words: number | null;
  seconds: number | null;
  /** Position as JSON. */
  position: string | null;
  /** The version that is shown: its job and its number. */
  job_id: string;
  version: number;
  added_at: number;
  updated_at: number;
  dated_at: number | null;
  deleted_at: number | null;
  /** Whether the shown version has a drawn cover; null while that is open. */
  cover: 'drawn' | 'none' | null;
  /** First lines of the text; null without text. */
  excerpt: string | null;
  /** The shape of a sound as a JSON array. */
  peaks: string | null;
  /** Of the files of all versions; null while they are not measured. */
  bytes: number | null;
  /** Of the original files among them. */
  original_bytes: Generated<number>;
  /** 1 while title and facts of the shown result are not taken over. */
  unread: Generated<number>;
}

type ItemState = 'reading' | 'ready' | 'failed';

interface LibraryVersionsTable {
  job_id: string;
  item_seq: number;
  number: number;
  state: ItemState;
  created_at: number;
  /** Of its source and its files; null while they are not measured. */
  bytes: number | null;
  /** Of its original file alone; 0 where none is kept. */
  original_bytes: Generated<number>;
  /** 1 while its original is to be removed. */
  original_goes: Generated<number>;
}

interface LibrarySpeakersTable {
  item_seq: number;
  speaker: string;
}

interface LibraryTagsTable {
  item_seq: number;
  tag: string;
}

interface LibraryCollectionsTable {
  seq: Generated<number>;
  id: string;
  name: string;
  /** ItemFilter as JSON; null for one that is filled by hand. */
  filter: string | null;
}

interface LibraryMembersTable {
  collection_seq: number;
  item_seq: number;
}

interface LibraryNotesTable {
  seq: Generated<number>;
  id: string;
  item_seq: number;
  kind: 'note' | 'highlight';
  text: string;
  quote: string | null;
  before: string;
  after: string;
  /** Position as JSON. */
  position: string | null;
  version: number;
  created_at: number;
  updated_at: number;
}

interface LibraryAdoptionTable {
  /** Jobs from here on are items; null once all are. */
  before_seq: number | null;
}

interface LibraryMirrorsTable {
  seq: Generated<number>;
  id: string;
  /** Absolute, without links. */
  path: string;
  /** ItemFilter as JSON. */
  filter: string;
  state: Generated<'waiting' | 'ok' | 'failed'>;
  message: string | null;
  /** Paths of files that were left as they are, as a JSON array. */
  kept: Generated<string>;
  kept_count: Generated<number>;
  synced_at: number | null;
}

export type AnyDb = Db | Tx;

export type MirrorRow = Selectable<LibraryMirrorsTable>;

export type ItemRow = Selectable<LibraryItemsTable>;

export type VersionRow = Selectable<LibraryVersionsTable>;

export type CollectionRow = Selectable<LibraryCollectionsTable>;

export type NoteRow = Selectable<LibraryNotesTable>;

const putItem = preparedForColumns<Insertable<LibraryItemsTable>>()((db, columns) =>
  db
    .insertInto('library_items')
    .values(columns as unknown as Insertable<LibraryItemsTable>)
    .returning('seq'),
);

/** Returns the sequence number. */
export function insertItem(tx: Tx, row: Insertable<LibraryItemsTable>): number {
  return tx.queryOne(putItem(row, {})).seq;
}

const rowById = prepareQuery<{ id: string }>()((db, take) =>
  db.selectFrom('library_items').selectAll().where('id', '=', take('id')),
);

export function itemById(db: Db, id: string): ItemRow | undefined {
  return db.queryFirst(rowById({ id }));
}

const rowBySeq = prepareQuery<{ seq: number }>()((db, take) =>
  db.selectFrom('library_items').selectAll().where('seq', '=', take('seq')),
);

export function itemBySeq(db: Db, seq: number): ItemRow | undefined {
  return db.queryFirst(rowBySeq({ seq }));
}

const rowBySource = prepareQuery<{ key: string }>()((db, take) =>
  db.selectFrom('library_items').selectAll().where('source_key', '=', take('key')).orderBy('seq', 'desc').limit(1),
);

/** The item of a source, also a deleted one. */
export function itemOfSource(db: Db, sourceKey: string): ItemRow | undefined {
  return db.queryFirst(rowBySource({ key: sourceKey }));
}

const itemUpdate = preparedForColumns<Updateable<LibraryItemsTable>, { ofSeq: number }>()((db, columns, take) =>
  db.updateTable('library_items').set(columns).where('seq', '=', take('ofSeq')),
);

export function changeItem(tx: Tx, seq: number, change: Updateable<LibraryItemsTable>): void {
  tx.runStatement(itemUpdate(change, { ofSeq: seq }));
}

const ITEM_TABLES = [
  'library_tags',
  'library_speakers',
  'library_members',
  'library_notes',
  'library_versions',
] as const;

export function deleteItem(tx: Tx, seq: number): void {
  for (const table of ITEM_TABLES) {
    tx.runStatement(tx.deleteFrom(table).where('item_seq', '=', seq));
  }
  tx.runStatement(tx.deleteFrom('library_items').where('seq', '=', seq));
}

const versionByJob = prepareQuery<{ jobId: string }>()((db, take) =>
  db.selectFrom('library_versions').selectAll().where('job_id', '=', take('jobId')),
);

export function versionOfJob(db: Db, jobId: string): VersionRow | undefined {
  return db.queryFirst(versionByJob({ jobId }));
}

/** Oldest first. */
export function versionsOf(db: Db, itemSeq: number): VersionRow[] {
  return db.queryAll(db.selectFrom('library_versions').selectAll().where('item_seq', '=', itemSeq).orderBy('number'));
}

type NewVersion = Omit<LibraryVersionsTable, 'bytes' | 'original_bytes' | 'original_goes'>;

const putVersion = preparedForColumns<NewVersion>()((db, columns) => db.insertInto('library_versions').values(columns));

export function insertVersion(tx: Tx, row: NewVersion): void {
  tx.runStatement(putVersion(row, {}));
}

const stateUpdate = prepareQuery<{ state: ItemState; jobId: string }>()((db, take) =>
  db
    .updateTable('library_versions')
    .set({ state: take('state'), bytes: null })
    .where('job_id', '=', take('jobId')),
);

/** Its files are measured again. */
export function setVersionState(tx: Tx, jobId: string, state: ItemState): void {
  tx.runStatement(stateUpdate({ jobId, state }));
}

export function deleteVersion(tx: Tx, jobId: string): void {
  tx.runStatement(tx.deleteFrom('library_versions').where('job_id', '=', jobId));
}

/** Jobs of versions whose files are not measured. */
export function unmeasuredJobs(db: Db, limit: number): string[] {
  const unmeasured = sql<boolean>`bytes is null and state <> 'reading'`;
  const query = db.selectFrom('library_versions').select('job_id').where(unmeasured).orderBy('job_id').limit(limit);
  return db.queryAll(query).map(({ job_id }) => job_id);
}

/** What was measured. */
export interface MeasuredFiles {
  bytes: number;
  original_bytes: number;
}

/** Null: to be measured again. */
export function setVersionBytes(tx: Tx, jobId: string, measured: MeasuredFiles | null): void {
  const change = measured ?? { bytes: null };
  tx.runStatement(tx.updateTable('library_versions').set(change).where('job_id', '=', jobId));
  const version = versionOfJob(tx, jobId);
  if (version !== undefined) sumBytes(tx, version.item_seq);
}

/** The versions of an item have changed. */
export function sumBytes(tx: Tx, itemSeq: number): void {
  const versions = versionsOf(tx, itemSeq);
  const sumOf = (sizes: readonly number[]) => sizes.reduce((sum, some) => sum + some, 0);
  const measured = versions.flatMap(({ bytes }) => bytes ?? []);
  const bytes = measured.length === 0 ? null : sumOf(measured);
  changeItem(tx, itemSeq, { bytes, original_bytes: sumOf(versions.map((version) => version.original_bytes)) });
}

/** The originals of these jobs are to be removed. */
export function markOriginals(tx: Tx, jobIds: readonly string[]): void {
  for (const jobId of jobIds) {
    tx.runStatement(tx.updateTable('library_versions').set({ original_goes: 1 }).where('job_id', '=', jobId));
  }
}

/** The originals of items are to be removed. Returns of how many items, and their bytes. */
export function markOriginalsOf(tx: Tx, itemSeqs: readonly number[]): { items: number; bytes: number } {
  const among = jsonArrayEntries<number>(sql<string>`${JSON.stringify(itemSeqs)}`);
  const kept = sql<boolean>`item_seq in ${among} and state = 'ready' and original_bytes > 0`;
  const marked = tx.queryOne(
    sql<{ items: number; bytes: number }>`select count(distinct item_seq) as items, total(original_bytes) as bytes
      from library_versions where ${kept}`,
  );
  tx.runStatement(tx.updateTable('library_versions').set({ original_goes: 1 }).where(kept));
  return marked;
}

/** Jobs whose originals go: their covers are drawn, or are none of the version that is shown. In the order of ids. */
export function markedOriginals(db: Db, after: string, limit: number): string[] {
  const query = sql<{ job_id: string }>`select v.job_id from library_versions v
    join library_items i on i.seq = v.item_seq
    where v.original_goes = 1 and v.job_id > ${after}
      and (i.job_id <> v.job_id or (i.unread = 0 and i.cover is not null))
    order by v.job_id limit ${limit}`;
  return db.queryAll(query).map(({ job_id: jobId }) => jobId);
}

/** The original is gone: what is left is measured again. */
export function unmarkOriginal(tx: Tx, jobId: string): void {
  const change = { original_goes: 0, bytes: null };
  tx.runStatement(tx.updateTable('library_versions').set(change).where('job_id', '=', jobId));
}

export function setSpeakers(tx: Tx, itemSeq: number, speakers: readonly string[]): void {
  tx.runStatement(tx.deleteFrom('library_speakers').where('item_seq', '=', itemSeq));
  for (const speaker of speakers) {
    tx.runStatement(tx.insertInto('library_speakers').values({ item_seq: itemSeq, speaker }));
  }
}

/** Items whose result is not read yet, oldest first. */
export function unreadItems(db: Db, limit: number): ItemRow[] {
  const unread = sql<boolean>`unread = 1`;
  return db.queryAll(db.selectFrom('library_items').selectAll().where(unread).orderBy('seq').limit(limit));
}

/** The oldest item whose result is read and whose cover is open. */
export function itemWithoutCover(db: Db): ItemRow | undefined {
  const open = sql<boolean>`cover is null and unread = 0 and state = 'ready'`;
  return db.queryFirst(db.selectFrom('library_items').selectAll().where(open).orderBy('seq').limit(1));
}

/** Items deleted before this time. */
export function itemsDeletedBefore(db: Db, time: number, limit: number): ItemRow[] {
  return db.queryAll(
    db.selectFrom('library_items').selectAll().where('deleted_at', '<', time).orderBy('deleted_at').limit(limit),
  );
}

/** Where an item comes from, as ITEM_SOURCES name it. */
const SOURCE = sql`case when i.source_url is not null then 'web'
  when i.source_sha256 is not null or i.source_name is not null then 'file' else 'made' end`;

/** The condition of a filter. `collections` resolves a smart collection. */
function filtered(filter: ItemFilter, deleted: boolean) {
  const zone = filter.timeZone ?? UTC;
  const parts = [deleted ? sql`i.deleted_at is not null` : sql`i.deleted_at is null`];
  if (filter.kind !== undefined) parts.push(sql`i.kind = ${filter.kind}`);
  if (filter.state !== undefined) parts.push(sql`i.state = ${filter.state}`);
  if (filter.source !== undefined) parts.push(sql`${SOURCE} = ${filter.source}`);
  if (filter.language !== undefined) parts.push(sql`i.language = ${filter.language}`);
  if (filter.from !== undefined) parts.push(sql`i.added_at >= ${startOfDay(filter.from, zone)}`);
  if (filter.to !== undefined) parts.push(sql`i.added_at < ${startOfDay(dayLater(filter.to, 1), zone)}`);
  if (filter.tag !== undefined) {
    parts.push(sql`exists (select 1 from library_tags t where t.item_seq = i.seq and t.tag = ${filter.tag})`);
  }
  if (filter.speaker !== undefined) {
    parts.push(
      sql`exists (select 1 from library_speakers s where s.item_seq = i.seq and s.speaker = ${filter.speaker})`,
    );
  }
  if (filter.collection !== undefined) {
    parts.push(sql`exists (select 1 from library_members m join library_collections c on c.seq = m.collection_seq
      where m.item_seq = i.seq and c.id = ${filter.collection})`);
  }
  for (const word of (filter.text ?? '').split(/\s+/).filter((one) => one !== '')) {
    const like = `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`;
    parts.push(sql`(i.title like ${like} escape '\\' or i.source_name like ${like} escape '\\'
      or i.source_url like ${like} escape '\\'
      or exists (select 1 from library_tags t where t.item_seq = i.seq and t.tag like ${like} escape '\\'))`);
  }
  return sql<boolean>`${sql.join(parts, sql` and `)}`;
}

const ORDERS = {
  added: sql`i.added_at desc, i.seq desc`,
  updated: sql`i.updated_at desc, i.seq desc`,
  title: sql`i.title collate nocase, i.seq`,
  size: sql`i.bytes desc, i.seq desc`,
} satisfies Record<ItemListQuery['sort'], unknown>;

export interface Page {
  sort: ItemListQuery['sort'];
  limit: number;
  offset: number;
}

export function listItems(db: Db, filter: ItemFilter, deleted: boolean, { sort, limit, offset }: Page): ItemRow[] {
  const query = sql<ItemRow>`select i.* from library_items i where ${filtered(filter, deleted)}
    order by ${ORDERS[sort]} limit ${limit} offset ${offset}`;
  return db.queryAll(query);
}

export function countItems(db: Db, filter: ItemFilter, deleted: boolean): number {
  return db.queryOne(sql<{ n: number }>`select count(*) as n from library_items i where ${filtered(filter, deleted)}`)
    .n;
}

/** What some jobs are versions of. */
export function placesOf(db: Db, jobIds: readonly string[]) {
  const among = jsonArrayEntries<string>(sql<string>`${JSON.stringify(jobIds)}`);
  const query = sql<{ jobId: string; kind: ItemKind; isDeleted: number; originalBytes: number }>`select
    v.job_id as jobId, i.kind, i.deleted_at is not null as isDeleted, v.original_bytes as originalBytes
    from library_versions v join library_items i on i.seq = v.item_seq where v.job_id in ${among}`;
  return new Map(
    db.queryAll(query).map(({ jobId, isDeleted, ...rest }) => [jobId, { ...rest, isDeleted: isDeleted === 1 }]),
  );
}

/** Sequence numbers of all that a filter leaves. */
export function seqsOf(db: Db, filter: ItemFilter, limit: number): number[] {
  const query = sql<{ seq: number }>`select i.seq from library_items i where ${filtered(filter, false)}
    order by i.seq limit ${limit}`;
  return db.queryAll(query).map(({ seq }) => seq);
}

export interface ItemName {
  itemId: string;
  jobId: string;
  state: ItemState;
}

/** What a filter leaves, newest first. */
export function namesOf(db: Db, filter: ItemFilter, limit: number): ItemName[] {
  const query = sql<ItemName>`select i.id as itemId, i.job_id as jobId, i.state
    from library_items i where ${filtered(filter, false)} order by ${ORDERS.added} limit ${limit}`;
  return db.queryAll(query);
}

interface Count {
  value: string;
  count: number;
}

const TAGS_COUNTED = 200;

const DAYS_COUNTED = 31;

interface Span {
  from: number | null;
  to: number | null;
}

interface Sums {
  pages: number;
  seconds: number;
  bytes: number;
}

/** The counts of each filter over the items that all filters leave. */
export function countValues(db: Db, filter: ItemFilter, deleted: boolean) {
  return countsOf(db, sql`library_items i where ${filtered(filter, deleted)}`, filter.timeZone);
}

/** The same over some items. */
export function countValuesOf(db: Db, itemIds: readonly string[], timeZone?: string) {
  const among = jsonArrayEntries<string>(sql<string>`${JSON.stringify(itemIds)}`);
  return countsOf(db, sql`library_items i where i.id in ${among}`, timeZone);
}

function countsOf(db: Db, some: ReturnType<typeof sql>, timeZone = UTC) {
  const count = (value: ReturnType<typeof sql>, order = sql`2 desc, 1`) =>
    db.queryAll(sql<Count>`select ${value} as value, count(*) as count from ${some} group by 1 order by ${order}`);
  const span = db.queryOne(sql<Span>`select min(added_at) as "from", max(added_at) as "to" from library_items`);
  const added = localTime(sql<number>`i.added_at`, timeZone, { from: span.from ?? 0, to: span.to ?? 0 });
  const sums = db.queryOne(sql<Sums>`select total(i.pages) as pages, total(i.seconds) as seconds,
    total(i.bytes) as bytes from ${some}`);
  const sizes = sql<{ value: string; bytes: number; originals: number }>`select i.kind as value,
    total(i.bytes) as bytes, total(i.original_bytes) as originals
    from ${some} group by 1 order by 2 desc, 1`;
  return {
    ...sums,
    sizes: db.queryAll(sizes),
    kinds: count(sql`i.kind`),
    sources: count(SOURCE),
    languages: count(sql`i.language`).filter(({ value }) => value !== null),
    months: count(sql`strftime('%Y-%m', ${added} / 1000, 'unixepoch')`, sql`1 desc`),
    days: count(sql`strftime('%Y-%m-%d', ${added} / 1000, 'unixepoch')`, sql`1 desc limit ${DAYS_COUNTED}`),
    tags: db.queryAll(sql<Count>`select t.tag as value, count(*) as count from library_tags t
      where t.item_seq in (select i.seq from ${some}) group by 1 order by 2 desc, 1 limit ${TAGS_COUNTED}`),
    speakers: db.queryAll(sql<Count>`select s.speaker as value, count(*) as count from library_speakers s
      where s.item_seq in (select i.seq from ${some}) group by 1 order by 2 desc, 1 limit ${TAGS_COUNTED}`),
    collections: db.queryAll(sql<Count>`select c.id as value, count(*) as count
      from library_members m join library_collections c on c.seq = m.collection_seq
      where m.item_seq in (select i.seq from ${some}) group by 1 order by 2 desc, 1`),
  };
}

interface Extra {
  seq: number;
  value: string;
}

/** Of several items at once: tags, collections, and numbers of notes and versions. */
export function extrasOf(db: Db, items: readonly number[]) {
  const among = jsonArrayEntries<number>(sql<string>`${JSON.stringify(items)}`);
  const tags = db.queryAll(
    sql<Extra>`select item_seq as seq, tag as value from library_tags where item_seq in ${among} order by tag`,
  );
  const collections = db.queryAll(sql<Extra>`select m.item_seq as seq, c.id as value
    from library_members m join library_collections c on c.seq = m.collection_seq
    where m.item_seq in ${among} order by c.name`);
  const counted = (table: 'library_notes' | 'library_versions') =>
    db.queryAll(sql<{ seq: number; n: number }>`select item_seq as seq, count(*) as n from ${sql.table(table)}
      where item_seq in ${among} group by item_seq`);
  const speakers = db.queryAll(
    sql<Extra>`select item_seq as seq, speaker as value from library_speakers where item_seq in ${among}`,
  );
  return { tags, speakers, collections, notes: counted('library_notes'), versions: counted('library_versions') };
}

export function addTag(tx: Tx, itemSeq: number, tag: string): void {
  tx.runStatement(
    tx
      .insertInto('library_tags')
      .values({ item_seq: itemSeq, tag })
      .onConflict((conflict) => conflict.doNothing()),
  );
}

export function removeTag(tx: Tx, itemSeq: number, tag: string): void {
  tx.runStatement(tx.deleteFrom('library_tags').where('item_seq', '=', itemSeq).where('tag', '=', tag));
}

export function countTags(db: Db, itemSeq: number): number {
  const some = db.selectFrom('library_tags').where('item_seq', '=', itemSeq);
  return db.queryOne(some.select((is) => is.fn.countAll<number>().as('n'))).n;
}

export function addMember(tx: Tx, collectionSeq: number, itemSeq: number): void {
  tx.runStatement(
    tx
      .insertInto('library_members')
      .values({ collection_seq: collectionSeq, item_seq: itemSeq })
      .onConflict((conflict) => conflict.doNothing()),
  );
}

export function removeMember(tx: Tx, collectionSeq: number, itemSeq: number): void {
  const members = tx.deleteFrom('library_members').where('item_seq', '=', itemSeq);
  tx.runStatement(members.where('collection_seq', '=', collectionSeq));
}

export function allCollections(db: Db): CollectionRow[] {
  return db.queryAll(db.selectFrom('library_collections').selectAll().orderBy('name'));
}

export function collectionById(db: Db, id: string): CollectionRow | undefined {
  return db.queryFirst(db.selectFrom('library_collections').selectAll().where('id', '=', id));
}

export function collectionByName(db: Db, name: string): CollectionRow | undefined {
  return db.queryFirst(db.selectFrom('library_collections').selectAll().where('name', '=', name));
}

export function insertCollection(tx: Tx, row: Insertable<LibraryCollectionsTable>): void {
  tx.runStatement(tx.insertInto('library_collections').values(row));
}

export function changeCollection(tx: Tx, seq: number, change: Updateable<LibraryCollectionsTable>): void {
  tx.runStatement(tx.updateTable('library_collections').set(change).where('seq', '=', seq));
}

export function deleteCollection(tx: Tx, seq: number): void {
  tx.runStatement(tx.deleteFrom('library_members').where('collection_seq', '=', seq));
  tx.runStatement(tx.deleteFrom('library_collections').where('seq', '=', seq));
}

/** Oldest first. */
export function notesOf(db: Db, itemSeq: number): NoteRow[] {
  return db.queryAll(db.selectFrom('library_notes').selectAll().where('item_seq', '=', itemSeq).orderBy('seq'));
}

export function noteById(db: Db, id: string): NoteRow | undefined {
  return db.queryFirst(db.selectFrom('library_notes').selectAll().where('id', '=', id));
}

export function insertNote(tx: Tx, row: Insertable<LibraryNotesTable>): NoteRow {
  return tx.queryOne(tx.insertInto('library_notes').values(row).returningAll());
}

export function changeNote(tx: Tx, seq: number, change: Updateable<LibraryNotesTable>): NoteRow {
  return tx.queryOne(tx.updateTable('library_notes').set(change).where('seq', '=', seq).returningAll());
}

export function deleteNote(tx: Tx, seq: number): void {
  tx.runStatement(tx.deleteFrom('library_notes').where('seq', '=', seq));
}

export function adoptionMark(db: Db): number | null {
  return db.queryFirst(db.selectFrom('library_adoption').select('before_seq'))?.before_seq ?? null;
}

export function setAdoptionMark(tx: Tx, beforeSeq: number | null): void {
  tx.runStatement(tx.updateTable('library_adoption').set({ before_seq: beforeSeq }));
}

export function allMirrors(db: Db): MirrorRow[] {
  return db.queryAll(db.selectFrom('library_mirrors').selectAll().orderBy('seq'));
}

export function mirrorById(db: Db, id: string): MirrorRow | undefined {
  return db.queryFirst(db.selectFrom('library_mirrors').selectAll().where('id', '=', id));
}

export function insertMirror(tx: Tx, row: Pick<MirrorRow, 'id' | 'path' | 'filter'>): void {
  tx.runStatement(tx.insertInto('library_mirrors').values(row));
}

export function changeMirror(tx: Tx, seq: number, change: Updateable<LibraryMirrorsTable>): void {
  tx.runStatement(tx.updateTable('library_mirrors').set(change).where('seq', '=', seq));
}

export function deleteMirror(tx: Tx, seq: number): void {
  tx.runStatement(tx.deleteFrom('library_mirrors').where('seq', '=', seq));
}

declare module '../../platform/db/database.ts' {
  interface Database {
    library_items: LibraryItemsTable;
    library_versions: LibraryVersionsTable;
    library_speakers: LibrarySpeakersTable;
    library_tags: LibraryTagsTable;
    library_collections: LibraryCollectionsTable;
    library_members: LibraryMembersTable;
    library_notes: LibraryNotesTable;
    library_adoption: LibraryAdoptionTable;
    library_mirrors: LibraryMirrorsTable;
  }
}
