import SqliteDatabase from 'better-sqlite3';
import { newId } from '../src-server/platform/ids.ts';

/** The least that accepting a job can be: one row in one transaction of a database with the product's durability. */
export function openFloor(path: string): (request: string) => string {
  const database = new SqliteDatabase(path);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.exec(
    'create table jobs (seq integer primary key, id text unique, status text, request text, created_at integer)',
  );
  const insert = database.prepare('insert into jobs (id, status, request, created_at) values (?, ?, ?, ?)');
  return (request) => {
    const id = newId('job');
    insert.run(id, 'queued', request, Math.floor(performance.timeOrigin + performance.now()));
    return id;
  };
}
