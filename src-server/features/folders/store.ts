import { type Generated, type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { FILE_STATUSES, FolderWatch, WatchedFile } from './schema.ts';

export type FolderRow = Selectable<FolderWatchesTable>;

export type FileRow = Selectable<FolderFilesTable>;

export type PathRow = Selectable<FolderPathsTable>;

export function insertFolder(tx: Tx, row: Insertable<FolderWatchesTable>): FolderRow {
  return tx.one(tx.insertInto('folder_watches').values(row).returningAll());
}

export function changeFolder(tx: Tx, seq: number, change: Updateable<FolderWatchesTable>): FolderRow | undefined {
  return tx.first(tx.updateTable('folder_watches').set(change).where('seq', '=', seq).returningAll());
}

export function folderById(db: Db, id: string): FolderRow | undefined {
  return db.first(db.selectFrom('folder_watches').selectAll().where('id', '=', id));
}

export function folderBySeq(db: Db, seq: number): FolderRow | undefined {
  return db.first(db.selectFrom('folder_watches').selectAll().where('seq', '=', seq));
}

/** Newest first. */
export function listFolders(db: Db): FolderRow[] {
  return db.all(db.selectFrom('folder_watches').selectAll().orderBy('seq', 'desc'));
}

export function deleteFolder(tx: Tx, seq: number): void {
  tx.run(tx.deleteFrom('folder_watches').where('seq', '=', seq));
}

type Count = (typeof FILE_STATUSES)[number];

/** Adds to the counts of a watch. They are kept, since a list would otherwise count all files. */
export function count(tx: Tx, seq: number, by: Partial<Record<Count, number>>): void {
  for (const [name, added] of Object.entries(by) as [Count, number][]) {
    tx.run(
      tx
        .updateTable('folder_watches')
        .set({ [name]: sql`${sql.ref(name)} + ${added}` })
        .where('seq', '=', seq),
    );
  }
}

export function insertFile(tx: Tx, row: Insertable<FolderFilesTable>): FileRow {
  const file = tx.one(tx.insertInto('folder_files').values(row).returningAll());
  count(tx, file.watch_seq, { [file.status]: 1 });
  return file;
}

export function changeFile(tx: Tx, seq: number, change: Updateable<FolderFilesTable>): void {
  tx.run(tx.updateTable('folder_files').set(change).where('seq', '=', seq));
}

export function fileByJob(db: Db, jobId: string): FileRow | undefined {
  return db.first(db.selectFrom('folder_files').selectAll().where('job_id', '=', jobId));
}

export function fileByHash(db: Db, { seq, recipe_hash }: FolderRow, hash: string): FileRow | undefined {
  return db.first(
    db
      .selectFrom('folder_files')
      .selectAll()
      .where('watch_seq', '=', seq)
      .where('hash', '=', hash)
      .where('recipe_hash', '=', recipe_hash),
  );
}

/** One page, newest first. `before` is the `seq` of the last row of the page before. */
export function listFiles(
  db: Db,
  watchSeq: number,
  { status, before, limit }: { status: Count | undefined; before: number | null; limit: number },
): FileRow[] {
  let query = db.selectFrom('folder_files').selectAll().where('watch_seq', '=', watchSeq);
  if (status !== undefined) query = query.where('status', '=', status);
  if (before !== null) query = query.where('seq', '<', before);
  return db.all(query.orderBy('seq', 'desc').limit(limit));
}

/** A literal: SQLite cannot match a parameter with the condition of a partial index. */
const DUE = sql.lit('due' as const);

/** Files whose results are to be written, the oldest first. */
export function dueFiles(db: Db, watchSeq: number, limit: number): FileRow[] {
  return db.all(
    db
      .selectFrom('folder_files')
      .selectAll()
      .where('watch_seq', '=', watchSeq)
      .where('results', '=', DUE)
      .orderBy('seq')
      .limit(limit),
  );
}

export function pathRow(db: Db, watchSeq: number, path: string): PathRow | undefined {
  return db.first(db.selectFrom('folder_paths').selectAll().where('watch_seq', '=', watchSeq).where('path', '=', path));
}

export function pathsOfInode(db: Db, watchSeq: number, inode: string): PathRow[] {
  return db.all(
    db.selectFrom('folder_paths').selectAll().where('watch_seq', '=', watchSeq).where('inode', '=', inode).limit(8),
  );
}

export function hasPaths(db: Db, watchSeq: number): boolean {
  return (
    db.first(db.selectFrom('folder_paths').select('path').where('watch_seq', '=', watchSeq).limit(1)) !== undefined
  );
}

export function writePath(tx: Tx, row: Insertable<FolderPathsTable>): void {
  tx.run(
    tx
      .insertInto('folder_paths')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['watch_seq', 'path']).doUpdateSet({
          size_bytes: row.size_bytes,
          modified_ns: row.modified_ns,
          inode: row.inode,
          file_seq: row.file_seq,
        }),
      ),
  );
}

export function deletePath(tx: Tx, watchSeq: number, path: string): void {
  tx.run(tx.deleteFrom('folder_paths').where('watch_seq', '=', watchSeq).where('path', '=', path));
}

/** A slice of the known paths, in order. */
export function pathsAfter(db: Db, watchSeq: number, after: string, limit: number): string[] {
  const query = db
    .selectFrom('folder_paths')
    .select('path')
    .where('watch_seq', '=', watchSeq)
    .where('path', '>', after);
  return db.all(query.orderBy('path').limit(limit)).map(({ path }) => path);
}

/** Deletes files of a watch, or its failed ones, with their paths, in a slice. Returns how many. */
export function deleteFiles(tx: Tx, watchSeq: number, status: Count | null, limit: number): number {
  let some = tx.selectFrom('folder_files').select('seq').where('watch_seq', '=', watchSeq);
  if (status !== null) some = some.where('status', '=', status);
  const all = tx.all(some.limit(limit)).map(({ seq }) => seq);
  if (all.length === 0) return 0;
  tx.run(tx.deleteFrom('folder_paths').where('file_seq', 'in', all));
  tx.run(tx.deleteFrom('folder_files').where('seq', 'in', all));
  if (status !== null) count(tx, watchSeq, { [status]: -all.length });
  return all.length;
}

/** Watches that are gone and have left files. */
export function orphans(db: Db): number[] {
  const left = db
    .selectFrom('folder_files')
    .select('watch_seq')
    .distinct()
    .where('watch_seq', 'not in', db.selectFrom('folder_watches').select('seq'));
  return db.all(left).map(({ watch_seq }) => watch_seq);
}

interface FolderWatchesTable {
  seq: Generated<number>;
  id: string;
  name: string | null;
  /** Without links. */
  path: string;
  /** Recipe as JSON. */
  recipe: string;
  recipe_hash: string;
  /** JSON list. */
  extensions: string | null;
  results: FolderWatch['results'];
  settle_seconds: number;
  status: FolderWatch['status'];
  /** The disk of the folder when it was last read. */
  device: string | null;
  processing: Generated<number>;
  completed: Generated<number>;
  failed: Generated<number>;
  created_at: number;
  updated_at: number;
}

interface FolderFilesTable {
  seq: Generated<number>;
  id: string;
  watch_seq: number;
  recipe_hash: string;
  /** Null for a file that was too large to be read. */
  hash: string | null;
  path: string;
  size_bytes: number;
  job_id: string | null;
  status: Count;
  /** JobError as JSON. */
  error: string | null;
  results: WatchedFile['results'];
  results_error: string | null;
  found_at: number;
  ended_at: number | null;
}

interface FolderPathsTable {
  watch_seq: number;
  path: string;
  size_bytes: number;
  modified_ns: string;
  /** Device and inode. A file keeps it when it is renamed. */
  inode: string;
  file_seq: number;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    folder_watches: FolderWatchesTable;
    folder_files: FolderFilesTable;
    folder_paths: FolderPathsTable;
  }
}
