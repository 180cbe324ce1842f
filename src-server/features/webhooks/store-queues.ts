import { sql } from 'kysely';
import { assertTransaction, type Db, type Tx } from '../../platform/db/database.ts';
import { entriesOf, prepared } from '../../platform/db/prepared.ts';

/** Literals, since SQLite cannot match a parameter with the condition of a partial index. */
const PENDING = sql.lit('pending' as const);

const NOT_HELD = sql.lit(0);

/** Queues that want a turn by now, but for those that are held and those that another process has leased. */
const OPEN_LANES = prepared<{ owner: string; now: number; limit: number }>()((db, value) =>
  db
    .selectFrom('webhook_lanes')
    .select('id')
    .where('held', '=', NOT_HELD)
    .where('next_due_at', 'is not', null)
    .where('next_due_at', '<=', value('now'))
    .where((or) =>
      or.or([
        or('lease_owner', 'is', null),
        or('lease_owner', '=', value('owner')),
        or('lease_ends_at', '<=', value('now')),
      ]),
    )
    .orderBy('next_due_at')
    .limit(value('limit')),
);

/** The queues that want a turn of this process, the longest waiting first. */
export function dueQueues(tx: Tx, owner: string, now: number, limit: number): string[] {
  const rows = tx.all(OPEN_LANES({ owner, now, limit }));
  return rows.map((row) => row.id);
}

export function isQueueDue(db: Db, owner: string, now: number): boolean {
  return db.all(OPEN_LANES({ owner, now, limit: 1 })).length > 0;
}

const DUE_AFTER = prepared<{ queueId: string; time: number }>()((db, value) =>
  db
    .selectFrom('webhook_deliveries')
    .select('next_attempt_at')
    .where('lane_id', '=', value('queueId'))
    .where('status', '=', PENDING)
    .where('next_attempt_at', '>', value('time'))
    .orderBy('next_attempt_at')
    .limit(sql.lit(1)),
);

/** When the next delivery of a queue is due after a time; null when none is. */
export function queueDueAfter(tx: Tx, queueId: string, time: number): number | null {
  const rows = tx.all(DUE_AFTER({ queueId, time }));
  return rows[0]?.next_attempt_at ?? null;
}

const WAKE = prepared<{ queueId: string; dueAt: number }>()((db, value) =>
  db
    .insertInto('webhook_lanes')
    .values({ id: value('queueId'), next_due_at: value('dueAt'), held: 0, lease_owner: null, lease_ends_at: null })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ next_due_at: value('dueAt') })
        .where((or) =>
          or.or([or('webhook_lanes.next_due_at', 'is', null), or('webhook_lanes.next_due_at', '>', value('dueAt'))]),
        ),
    ),
);

/** Asks for a turn of a queue at `dueAt`, or earlier if it has asked for that. */
export function wakeQueue(tx: Tx, queueId: string, dueAt: number): void {
  assertTransaction(tx);
  tx.run(WAKE({ queueId, dueAt }));
}

/** What a queue waits for next, and whose it is meanwhile. */
export interface QueueSchedule {
  queueId: string;
  dueAt: number | null;
  lease: { owner: string; endsAt: number } | null;
}

const SCHEDULE = prepared<{ schedules: string }>()((db, value) =>
  db
    .updateTable('webhook_lanes')
    .from(sql<{ value: string }>`json_each(${value('schedules')})`.as('s'))
    .set({
      next_due_at: sql`s.value ->> 1`,
      lease_owner: sql`s.value ->> 2`,
      lease_ends_at: sql`s.value ->> 3`,
    })
    .where('webhook_lanes.id', '=', sql<string>`s.value ->> 0`),
);

export function scheduleQueues(tx: Tx, schedules: readonly QueueSchedule[]): void {
  assertTransaction(tx);
  const rows = schedules.map(({ queueId, dueAt, lease }) => [
    queueId,
    dueAt,
    lease?.owner ?? null,
    lease?.endsAt ?? null,
  ]);
  tx.run(SCHEDULE({ schedules: JSON.stringify(rows) }));
}

const CALL = prepared<{ queueIds: string; now: number }>()((db, value) =>
  db
    .updateTable('webhook_lanes')
    .set({ next_due_at: value('now') })
    .where('id', 'in', entriesOf<string>(value('queueIds'))),
);

/** Queues that have something to look at again: they want a turn now, behind those that have waited longer. */
export function callQueues(tx: Tx, queueIds: readonly string[], now: number): void {
  assertTransaction(tx);
  tx.run(CALL({ queueIds: JSON.stringify(queueIds), now }));
}

/** Gives the queues of one process, or (null) of every process there ever was, back to whoever comes. */
export function releaseQueues(tx: Tx, owner: string | null, now: number): void {
  assertTransaction(tx);
  const query = tx
    .updateTable('webhook_lanes')
    .set({ next_due_at: now, lease_owner: null, lease_ends_at: null })
    .where('lease_owner', 'is not', null);
  tx.run(owner === null ? query : query.where('lease_owner', '=', owner));
}

/** Stops (or lets go) a queue: its deliveries wait where they are. */
export function holdQueue(tx: Tx, queueId: string, held: boolean): void {
  assertTransaction(tx);
  tx.run(
    tx
      .insertInto('webhook_lanes')
      .values({ id: queueId, next_due_at: null, held: held ? 1 : 0, lease_owner: null, lease_ends_at: null })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ held: held ? 1 : 0 })),
  );
}

/** Queues in which nothing waits are made anew when something does. */
export function deleteIdleQueues(tx: Tx): void {
  assertTransaction(tx);
  tx.run(tx.deleteFrom('webhook_lanes').where('next_due_at', 'is', null).where('held', '=', 0));
}
