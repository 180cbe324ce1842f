/** Longest wait that is honoured, in seconds (decisions 2). */
const WAIT_SECONDS_MAX = 60;

/** `wait` of a Prefer header (RFC 7240), bounded; null when it is absent or makes no sense, as the RFC asks. */
export function preferredWaitSeconds(header: string | undefined): number | null {
  for (const preference of header?.split(',') ?? []) {
    const seconds = /^\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:;|$)/i.exec(preference)?.[1];
    if (seconds !== undefined) return Math.min(Number(seconds), WAIT_SECONDS_MAX);
  }
  return null;
}
