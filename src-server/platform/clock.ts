/** The one source of time, so that tests can move it. All times in the product are integer milliseconds since 1970. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** ISO 8601 with milliseconds in UTC, the form of every timestamp in an answer. */
export function toIsoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
