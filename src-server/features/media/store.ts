import type { Insertable, Selectable } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';

export type VoiceRow = Selectable<VoicesTable>;

/** All voices of an account, by name. */
export function voicesOfAccount(db: Db, accountId: string): VoiceRow[] {
  return db.queryAll(
    db.selectFrom('voices').selectAll().where('account_id', '=', accountId).orderBy('name').orderBy('model'),
  );
}

export function insertVoice(tx: Tx, row: Insertable<VoicesTable>): void {
  tx.runStatement(tx.insertInto('voices').values(row));
}

export function changeVoice(tx: Tx, id: string, change: Partial<Omit<VoiceRow, 'id' | 'account_id'>>): void {
  tx.runStatement(tx.updateTable('voices').set(change).where('id', '=', id));
}

/** @returns whether there was one */
export function deleteVoice(tx: Tx, accountId: string, id: string): boolean {
  const removed = tx.queryAll(
    tx.deleteFrom('voices').where('account_id', '=', accountId).where('id', '=', id).returning('id'),
  );
  return removed.length > 0;
}

interface VoicesTable {
  id: string;
  account_id: string;
  name: string;
  /** Name of the speaker model that made the vector. */
  model: string;
  /** Mean direction of the voice: 32-bit floats, little endian. */
  vector: Uint8Array;
  /** Of the sound that it was made from. */
  seconds: number;
  /** How many times it was remembered. */
  samples: number;
  created_at: number;
  /** When a job last had this voice. */
  heard_at: number;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    voices: VoicesTable;
  }
}
