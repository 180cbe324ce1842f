/** The only source of time, so that tests can control it. All times are integer milliseconds since 1970. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** ISO 8601 in UTC with milliseconds, the format of every timestamp in a response. */
export function toIsoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
