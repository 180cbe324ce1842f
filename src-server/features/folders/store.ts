import { type Generated, type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type EntryTable, SourceStore, type WatchedTable } from '../jobs/service.ts';
import { FILE_STATUSES, type FolderWatch, type WatchedFile } from './schema.ts';

export type FolderRow = Selectable<FolderWatchesTable>;

export type FileRow = Selectable<FolderFilesTable>;

export type PathRow = Selectable<FolderPathsTable>;

export const FOLDERS = new SourceStore<FolderRow, FileRow>({
  sources: 'folder_watches',
  entries: 'folder_files',
  owner: 'watch_seq',
  counted: FILE_STATUSES,
});

export function fileByHash(db: Db, { seq, recipe_hash }: FolderRow, hash: string): FileRow | undefined {
  return db.queryFirst(
    db
      .selectFrom('folder_files')
      .selectAll()
      .where('watch_seq', '=', seq)
      .where('hash', '=', hash)
      .where('recipe_hash', '=', recipe_hash),
  );
}

/** A literal: SQLite cannot match a parameter with the condition of a partial index. */
const DUE = sql.lit('due' as const);

/** Files whose results are to be written, the oldest first. */
export function dueFiles(db: Db, watchSeq: number, limit: number): FileRow[] {
  return db.queryAll(
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
  return db.queryFirst(
    db.selectFrom('folder_paths').selectAll().where('watch_seq', '=', watchSeq).where('path', '=', path),
  );
}

export function pathsOfInode(db: Db, watchSeq: number, inode: string): PathRow[] {
  return db.queryAll(
    db.selectFrom('folder_paths').selectAll().where('watch_seq', '=', watchSeq).where('inode', '=', inode).limit(8),
  );
}

export function hasPaths(db: Db, watchSeq: number): boolean {
  return (
    db.queryFirst(db.selectFrom('folder_paths').select('path').where('watch_seq', '=', watchSeq).limit(1)) !== undefined
  );
}

export function writePath(tx: Tx, row: Insertable<FolderPathsTable>): void {
  tx.runStatement(
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
  tx.runStatement(tx.deleteFrom('folder_paths').where('watch_seq', '=', watchSeq).where('path', '=', path));
}

/** A slice of the known paths, in order. */
export function pathsAfter(db: Db, watchSeq: number, after: string, limit: number): string[] {
  const query = db
    .selectFrom('folder_paths')
    .select('path')
    .where('watch_seq', '=', watchSeq)
    .where('path', '>', after);
  return db.queryAll(query.orderBy('path').limit(limit)).map(({ path }) => path);
}

export function deletePathsOf(tx: Tx, files: readonly number[]): void {
  tx.runStatement(tx.deleteFrom('folder_paths').where('file_seq', 'in', files));
}

interface FolderWatchesTable extends WatchedTable {
  /** Without links. */
  path: string;
  /** Recipe as JSON. */
  recipe: string;
  recipe_hash: string;
  /** JSON list. */
  extensions: string | null;
  results: FolderWatch['results'];
  settle_seconds: number;
  /** The disk of the folder when it was last read. */
  device: string | null;
  processing: Generated<number>;
  completed: Generated<number>;
  failed: Generated<number>;
}

interface FolderFilesTable extends EntryTable {
  id: string;
  watch_seq: number;
  recipe_hash: string;
  /** Null for a file that was too large to be read. */
  hash: string | null;
  path: string;
  size_bytes: number;
  status: WatchedFile['status'];
  results: WatchedFile['results'];
  results_error: string | null;
  found_at: number;
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
