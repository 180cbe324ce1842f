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

interface FleetCopiesTable {
  node_id: string;
  model: string;
  created_at: number;
  /** Why it failed; null while it is wanted. */
  error: string | null;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    fleet_nodes: FleetNodesTable;
    fleet_choices: FleetChoicesTable;
    fleet_cursor: FleetCursorTable;
    fleet_copies: FleetCopiesTable;
  }
}

export type NodeRow = Selectable<FleetNodesTable>;

export function listNodes(db: Db): NodeRow[] {
  return db.queryAll(db.selectFrom('fleet_nodes').selectAll().orderBy('created_at'));
}

export function insertNode(tx: Tx, row: Insertable<FleetNodesTable>): void {
  tx.runStatement(tx.insertInto('fleet_nodes').values(row));
}

type NodeChange = { draining?: number; last_seen_at?: number; abilities?: string };

export function changeNode(tx: Tx, id: string, change: NodeChange): void {
  tx.runStatement(tx.updateTable('fleet_nodes').set(change).where('id', '=', id));
}

export function deleteNode(tx: Tx, id: string): void {
  tx.runStatement(tx.deleteFrom('fleet_copies').where('node_id', '=', id));
  tx.runStatement(tx.deleteFrom('fleet_nodes').where('id', '=', id));
}

export function listCopies(db: Db, node: string): Selectable<FleetCopiesTable>[] {
  return db.queryAll(db.selectFrom('fleet_copies').selectAll().where('node_id', '=', node).orderBy('created_at'));
}

/** One that failed is wanted again. */
export function insertCopy(tx: Tx, row: Insertable<FleetCopiesTable>): void {
  const insert = tx.insertInto('fleet_copies').values(row);
  tx.runStatement(insert.onConflict((conflict) => conflict.columns(['node_id', 'model']).doUpdateSet({ error: null })));
}

export function changeCopy(tx: Tx, node: string, model: string, error: string): void {
  tx.runStatement(tx.updateTable('fleet_copies').set({ error }).where('node_id', '=', node).where('model', '=', model));
}

/** Whether there was one. */
export function deleteCopy(tx: Tx, node: string, model: string): boolean {
  const wasThere = listCopies(tx, node).some((row) => row.model === model);
  tx.runStatement(tx.deleteFrom('fleet_copies').where('node_id', '=', node).where('model', '=', model));
  return wasThere;
}

export function readChoices(db: Db): string | null {
  return db.queryFirst(db.selectFrom('fleet_choices').select('choices'))?.choices ?? null;
}

export function writeChoices(tx: Tx, choices: string): void {
  const insert = tx.insertInto('fleet_choices').values({ id: 1, choices });
  tx.runStatement(insert.onConflict((conflict) => conflict.column('id').doUpdateSet({ choices })));
}

export function readCursor(db: Db): { stream: string; sequence: number } | undefined {
  return db.queryFirst(db.selectFrom('fleet_cursor').select(['stream', 'sequence']));
}

export function writeCursor(tx: Tx, cursor: { stream: string; sequence: number }): void {
  const insert = tx.insertInto('fleet_cursor').values({ id: 1, ...cursor });
  tx.runStatement(insert.onConflict((conflict) => conflict.column('id').doUpdateSet(cursor)));
}
