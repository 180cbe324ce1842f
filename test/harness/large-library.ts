import SqliteDatabase from 'better-sqlite3';
import { ITEM_KINDS } from '../../src-server/features/library/kind.ts';
import { DAY_MS } from '../../src-server/platform/units.ts';

/** Days over which items were added. */
const DAYS = 30;

const TAGS = 40;

/** `Item 0077, talk of the harbour` */
export function titleOfItem(number: number): string {
  return `Item ${String(number).padStart(4, '0')}, ${ITEM_KINDS[number % ITEM_KINDS.length]} of the harbour`;
}

interface Filled {
  /** Time of the first item; the others are older. */
  now: number;
  from: number;
  /** Exclusive. */
  to: number;
}

/** Adds items of mixed kinds to the database of a stopped server, as thirty days of readings leave them, without results. */
export function fillLibrary(path: string, { now, from, to }: Filled): void {
  const database = new SqliteDatabase(path);
  const item = database.prepare(`insert into library_items
    (id, kind, title, state, source_name, language, pages, words, seconds, job_id, version, added_at, updated_at, bytes,
     cover) values (?, ?, ?, 'ready', ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, 'none')`);
  const version = database.prepare(`insert into library_versions (job_id, item_seq, number, state, created_at, bytes)
    values (?, ?, 1, 'ready', ?, ?)`);
  const tag = database.prepare('insert into library_tags (item_seq, tag) values (?, ?)');
  database.transaction(() => {
    for (let number = from; number < to; number += 1) {
      const kind = ITEM_KINDS[number % ITEM_KINDS.length] ?? 'document';
      const isHeard = kind === 'talk' || kind === 'sound';
      const at = now - Math.floor((number / to) * DAYS * DAY_MS);
      const { lastInsertRowid: seq } = item.run(
        ...[`itm_many${number}`, kind, titleOfItem(number), `source-${number}.md`, number % 3 === 0 ? 'cy' : 'en'],
        ...[isHeard ? null : 1 + (number % 90), isHeard ? null : 400, isHeard ? 60 * (1 + (number % 70)) : null],
        ...[`job_many${number}`, at, at, 1000 + number],
      );
      version.run(`job_many${number}`, seq, at, 1000 + number);
      tag.run(seq, `tag ${number % TAGS}`);
    }
  })();
  database.close();
}
