const REFRESH = /^\s*(\d*)[\s\d.]*[;,\s]\s*(?:url\s*=\s*)?['"]?([^\s'"][^'"]*)/i;
/** A page that is left so soon is never read: it is a redirect, as browsers and other crawlers take it. */
const MAX_INSTANT_SECONDS = 1;

/** Where the content of a `meta http-equiv="refresh"` leads; null where it only has the page load itself again. */
export function refreshOf(content: string): { target: string; isInstant: boolean } | null {
  const [, seconds, target] = REFRESH.exec(content) ?? [];
  return target === undefined ? null : { target, isInstant: Number(seconds) <= MAX_INSTANT_SECONDS };
}
