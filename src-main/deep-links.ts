/** Links such as `quarry://jobs/job_x`, by which other programs open a page of the dashboard. */
export const LINK_SCHEME = 'quarry';

/** The dashboard's pages. A link opens one of these: never a route of the API, which would show raw data. */
const PAGES = ['jobs', 'run', 'webhooks', 'payments', 'limits', 'models', 'search', 'contributions', 'settings'];
const PAGE_PATH = /^(?:\/[A-Za-z0-9_-]{1,80}){1,3}$/;

/**
 * The dashboard path that a link names; null for anything that is not plainly one. A link comes from any web page, so
 * it can choose what is shown and nothing else: no query, no fragment, no dots, no other host.
 */
export function pathOfLink(link: string): string | null {
  if (!isLink(link)) return null;
  const named = `/${link.slice(LINK_SCHEME.length + '://'.length)}`.replace(/\/$/, '');
  // One job is as often called `job/…`.
  const path = named.replace(/^\/job\//, '/jobs/');
  const [, page = ''] = path.split('/');
  return PAGE_PATH.test(path) && PAGES.includes(page) ? path : null;
}

export function isLink(argument: string): boolean {
  return argument.toLowerCase().startsWith(`${LINK_SCHEME}:`);
}
