import type { Generated, Selectable } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { prepareQuery } from '../../platform/db/prepared.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import type { AlertFacts, AlertKind } from './schema.ts';

export type AlertRow = Selectable<AlertsTable>;

const openOfSubject = prepareQuery<{ kind: AlertKind; subject: string }>()((db, of) =>
  db
    .selectFrom('alerts')
    .selectAll()
    .where('kind', '=', of('kind'))
    .where('subject', '=', of('subject'))
    .where('cleared_at', 'is', null),
);

export function openAlert(db: Db, kind: AlertKind, subject: string): AlertRow | undefined {
  return db.queryFirst(openOfSubject({ kind, subject }));
}

/** Newest first. */
export function openAlerts(db: Db, kind?: AlertKind): AlertRow[] {
  const open = db.selectFrom('alerts').selectAll().where('cleared_at', 'is', null).orderBy('seq', 'desc');
  return db.queryAll(kind === undefined ? open : open.where('kind', '=', kind));
}

/** Newest first. */
export function clearedAlerts(db: Db, limit: number): AlertRow[] {
  const cleared = db.selectFrom('alerts').selectAll().where('cleared_at', 'is not', null);
  return db.queryAll(cleared.orderBy('cleared_at', 'desc').orderBy('seq', 'desc').limit(limit));
}

export function alertsById(db: Db, ids: readonly string[]): AlertRow[] {
  return db.queryAll(db.selectFrom('alerts').selectAll().where('id', 'in', ids));
}

export function insertAlert(tx: Tx, row: Omit<AlertRow, 'seq'>): void {
  tx.runStatement(tx.insertInto('alerts').values(row));
}

export function changeAlert(
  tx: Tx,
  { seq }: AlertRow,
  change: Partial<Pick<AlertRow, 'facts' | 'updated_at' | 'cleared_at'>>,
): void {
  tx.runStatement(tx.updateTable('alerts').set(change).where('seq', '=', seq));
}

/** Deletes all cleared alerts but the newest ones. */
export function deleteOldAlerts(tx: Tx, keep: number): void {
  const cleared = tx.selectFrom('alerts').select('seq').where('cleared_at', 'is not', null);
  const old = cleared.orderBy('cleared_at', 'desc').orderBy('seq', 'desc').limit(-1).offset(keep);
  tx.runStatement(tx.deleteFrom('alerts').where('seq', 'in', old));
}

export function alertFactsOf<Kind extends AlertKind>({ facts }: AlertRow): Extract<AlertFacts, { kind: Kind }> {
  return parseOwnJson<Extract<AlertFacts, { kind: Kind }>>(facts);
}

interface AlertsTable {
  seq: Generated<number>;
  id: string;
  kind: AlertKind;
  /** An operation, a webhook, `disk`, or a need and its language. */
  subject: string;
  /** JSON: `AlertFacts`. */
  facts: string;
  raised_at: number;
  updated_at: number;
  cleared_at: number | null;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    alerts: AlertsTable;
  }
}
