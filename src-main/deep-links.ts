/** Links such as `quarry://jobs/job_x`, by which other programs open a page of the dashboard. */
export const LINK_SCHEME = 'quarry';

const PAGE_PATH = /^(?:\/[A-Za-z0-9_-]{1,80}){1,3}$/;

/**
 * The dashboard path that a link names; null for anything that is not plainly one. A link comes from any web page, so
 * it can choose what is shown and nothing else: no query, no fragment, no dots, no other host.
 */
export function pathOfLink(link: string): string | null {
  if (!link.startsWith(`${LINK_SCHEME}://`)) return null;
  const path = `/${link.slice(LINK_SCHEME.length + '://'.length)}`.replace(/\/$/, '');
  return PAGE_PATH.test(path) ? path : null;
}

/** The first usable link among a program's arguments, which is how Windows and Linux hand them over. */
export function pathInArguments(args: readonly string[]): string | null {
  for (const argument of args) {
    const path = pathOfLink(argument);
    if (path !== null) return path;
  }
  return null;
}
