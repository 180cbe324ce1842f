import type { Generated, Insertable, Selectable } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';

interface FleetNodesTable {
  id: string;
  name: string;
  /** Of the node's key pair (nkey). The node alone has the other half. */
  public_key: string;
  draining: Generated<number>;
  created_at: number;
  last_seen_at: number | null;
  /** JSON: `Abilities`, as last announced. */
  abilities: Generated<string | null>;
}

interface FleetChoicesTable {
  id: number;
  /** JSON: `FleetChoices`. */
  choices: string;
}

interface FleetCursorTable {
  id: number;
  /** When the stream was made: a new one counts from 1 again. */
  stream: string;
  /** All ends up to this one are recorded. */
  sequence: number;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    fleet_nodes: FleetNodesTable;
    fleet_choices: FleetChoicesTable;
    fleet_cursor: FleetCursorTable;
  }
}

export type NodeRow = Selectable<FleetNodesTable>;

export function listNodes(db: Db): NodeRow[] {
  return db.all(db.selectFrom('fleet_nodes').selectAll().orderBy('created_at'));
}

export function insertNode(tx: Tx, row: Insertable<FleetNodesTable>): void {
  tx.run(tx.insertInto('fleet_nodes').values(row));
}

type NodeChange = { draining?: number; last_seen_at?: number; abilities?: string };

export function changeNode(tx: Tx, id: string, change: NodeChange): void {
  tx.run(tx.updateTable('fleet_nodes').set(change).where('id', '=', id));
}

export function deleteNode(tx: Tx, id: string): void {
  tx.run(tx.deleteFrom('fleet_nodes').where('id', '=', id));
}

export function readChoices(db: Db): string | null {
  return db.first(db.selectFrom('fleet_choices').select('choices'))?.choices ?? null;
}

export function writeChoices(tx: Tx, choices: string): void {
  const insert = tx.insertInto('fleet_choices').values({ id: 1, choices });
  tx.run(insert.onConflict((conflict) => conflict.column('id').doUpdateSet({ choices })));
}

export function readCursor(db: Db): { stream: string; sequence: number } | undefined {
  return db.first(db.selectFrom('fleet_cursor').select(['stream', 'sequence']));
}

export function writeCursor(tx: Tx, cursor: { stream: string; sequence: number }): void {
  const insert = tx.insertInto('fleet_cursor').values({ id: 1, ...cursor });
  tx.run(insert.onConflict((conflict) => conflict.column('id').doUpdateSet(cursor)));
}
