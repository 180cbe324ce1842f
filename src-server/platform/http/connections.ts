import type { Connection } from './connection.ts';

export interface ConnectionBounds {
  /** Connections of one caller. */
  perCaller: number;
  /** Connections of all callers. */
  total: number;
}

/** Descriptors that connections leave to files, databases and child processes. */
const RESERVED_DESCRIPTORS = 256;
/** More than the system's accept queue (511) holds: what is accepted in one turn never closes itself. */
const PER_CALLER = 512;
const TOTAL_MAX = 4096;
/** Where the system names no limit (Windows). */
const DESCRIPTORS_ASSUMED = 4096;

/** Bounds that fit the descriptors this process may open. */
export function systemBounds(): ConnectionBounds {
  const descriptors = descriptorLimit();
  const total = Math.max(Math.min(TOTAL_MAX, descriptors - RESERVED_DESCRIPTORS), Math.floor(descriptors / 2));
  return { perCaller: Math.min(PER_CALLER, total), total };
}

/** The soft limit; Node raises it to the hard one when it starts. */
function descriptorLimit(): number {
  // Else a report asks the name server for the names of open connections.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : DESCRIPTORS_ASSUMED;
}

/**
 * Open connections, bounded. Threat: a caller that opens connections and sends half a header takes all descriptors. A
 * newcomer is never refused, because it may be the owner; another connection closes for it instead: an idle one of the
 * same caller where there is one, the oldest first, and never one that the owner uses.
 */
export class Connections {
  readonly #bounds: ConnectionBounds;
  readonly #all = new Set<Connection>();
  readonly #byCaller = new Map<string, Set<Connection>>();

  constructor(bounds: ConnectionBounds) {
    this.#bounds = bounds;
  }

  add(caller: string, connection: Connection): void {
    const own = this.#byCaller.get(caller) ?? new Set();
    if (own.size >= this.#bounds.perCaller) closeOne(own);
    else if (this.#all.size >= this.#bounds.total) closeOne(this.#all);
    this.#byCaller.set(caller, own.add(connection));
    this.#all.add(connection);
    connection.once('close', () => {
      this.#all.delete(connection);
      own.delete(connection);
      if (own.size === 0 && this.#byCaller.get(caller) === own) this.#byCaller.delete(caller);
    });
  }
}

/** Closes the oldest idle connection; where none is idle, the oldest. Those of the owner stay open. */
function closeOne(connections: ReadonlySet<Connection>): void {
  let oldest: Connection | undefined;
  for (const connection of connections) {
    if (connection.isOwners || connection.destroyed) continue;
    if (connection.isIdle) return void connection.destroy();
    oldest ??= connection;
  }
  oldest?.destroy();
}
