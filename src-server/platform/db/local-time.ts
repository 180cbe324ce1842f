import { type Expression, type RawBuilder, sql } from 'kysely';
import { offsetsBetween } from '../time-zone.ts';

/**
 * A time in SQL as the clock of a zone shows it, in milliseconds as if that were UTC: functions of dates and divisions
 * by the length of a day then find the days of the zone.
 *
 * @param span the first and the last time that the column holds: the clock changes some times between them
 */
export function localTime(
  time: Expression<number>,
  zone: string,
  span: { from: number; to: number },
): RawBuilder<number> {
  const offsets = offsetsBetween(span.from, span.to, zone).reverse();
  const before = offsets.pop()?.offsetMs ?? 0;
  if (offsets.length === 0) return sql<number>`(${time} + ${sql.lit(before)})`;
  const changes = offsets.map(({ from, offsetMs }) => sql`when ${time} >= ${sql.lit(from)} then ${sql.lit(offsetMs)}`);
  return sql<number>`(${time} + case ${sql.join(changes, sql` `)} else ${sql.lit(before)} end)`;
}
