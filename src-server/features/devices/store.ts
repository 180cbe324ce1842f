import type { Db, Tx } from '../../platform/db/database.ts';
import { DEFAULT_PORT } from './schema.ts';

/** What the owner chose, kept over restarts. */
export interface DoorChoice {
  on: boolean;
  /** An address of this computer; null: all of its IPv4 addresses. */
  address: string | null;
  port: number;
}

export function readDoor(db: Db): DoorChoice {
  const row = db.queryFirst(db.selectFrom('network_door').selectAll());
  if (row === undefined) return { on: false, address: null, port: DEFAULT_PORT };
  return { on: row.is_on === 1, address: row.address, port: row.port };
}

export function writeDoor(tx: Tx, { on, address, port }: DoorChoice): void {
  const row = { is_on: on ? 1 : 0, address, port };
  tx.runStatement(
    tx
      .insertInto('network_door')
      .values({ id: 1, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row)),
  );
}

interface NetworkDoorTable {
  id: number;
  is_on: number;
  address: string | null;
  port: number;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    network_door: NetworkDoorTable;
  }
}
