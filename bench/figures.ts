/** What every benchmark here does with its numbers: percentiles, a table, and whether a target is met. */
import { readFile } from 'node:fs/promises';

/** Linux counts CPU time in these, whatever the clock of its kernel. */
const TICKS_A_SECOND = 100;

/** The value below which this share (0 to 1) of the samples lies. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (samples: readonly number[]) => percentile(samples, 0.5);

/** Three significant digits, without an exponent. */
export function shown(value: number): string {
  if (value >= 100) return Math.round(value).toString();
  return Number(value.toPrecision(3)).toString();
}

export function printTable(rows: readonly Record<string, string | number>[]): void {
  const names = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => names.map((name) => (typeof row[name] === 'number' ? shown(row[name]) : row[name])));
  const widths = names.map((name, column) => Math.max(name.length, ...cells.map((row) => String(row[column]).length)));
  const line = (row: readonly unknown[]) =>
    row.map((cell, column) => String(cell).padEnd(widths[column] ?? 0)).join('  ');
  process.stdout.write(`${[names, ...cells].map((row) => line(row).trimEnd()).join('\n')}\n`);
}

/** Says whether a claim holds; a benchmark whose claim does not hold fails. */
export function expectTarget(claim: string, holds: boolean): void {
  process.stdout.write(`${holds ? 'met' : 'MISSED'}: ${claim}\n`);
  if (!holds) process.exitCode = 1;
}

/** Wall time, and CPU time of a process (this one) and of those it started that have ended. Linux only. */
export async function measured<Value>(
  work: () => Promise<Value>,
  pid: number = process.pid,
): Promise<{ value: Value; seconds: number; cpuSeconds: number }> {
  const [startedAt, cpuBefore] = [performance.now(), await cpuSeconds(pid)];
  const value = await work();
  return { value, seconds: (performance.now() - startedAt) / 1000, cpuSeconds: (await cpuSeconds(pid)) - cpuBefore };
}

async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND;
}
