/** Byte and time units for readable constants. */
export const KIB = 1024;
export const MIB = 1024 * KIB;
export const GIB = 1024 * MIB;

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const BYTE_STEPS: readonly [number, string][] = [
  [GIB, 'GB'],
  [MIB, 'MB'],
  [KIB, 'kB'],
];

/** A byte count for display, such as `100 MB`. */
export function describeBytes(bytes: number): string {
  const [size, unit] = BYTE_STEPS.find(([step]) => bytes >= step) ?? [1, 'bytes'];
  return `${Number((bytes / size).toFixed(1))} ${unit}`;
}

/** `1 page`, `2 pages`: a count with its noun. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
