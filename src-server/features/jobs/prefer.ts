/** Longest wait that is honoured, in seconds (decisions 2). */
const WAIT_SECONDS_MAX = 60;

/** What stands within quotes separates nothing. A quote that is never closed reaches to the end. */
const QUOTED = /"(?:[^"\\]|\\.)*(?:"|\\?$)/gs;

/**
 * `wait` of a Prefer header (RFC 7240), bounded; null when it is absent or makes no sense, as the RFC asks. Of several
 * the first counts.
 */
export function preferredWaitSeconds(header: string | undefined): number | null {
  const preferences = header?.replace(QUOTED, (quoted) => quoted.replaceAll(/[,;]/g, ' ')).split(',') ?? [];
  const wait = preferences.find((preference) => /^\s*wait\s*(?:[=;]|$)/i.test(preference));
  const seconds = /=\s*"?(\d+)"?\s*(?:;|$)/.exec(wait ?? '')?.[1];
  return seconds === undefined ? null : Math.min(Number(seconds), WAIT_SECONDS_MAX);
}
