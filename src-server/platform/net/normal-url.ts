/** The normal form of a web address (decisions 9): as far as a string can tell, a page has one address. */

/** Parameters that name a campaign, a click or a visit, never a page. */
const TRACKING_PARAMETER = new RegExp(
  `^(?:${[
    ...['utm_\\w+', 'gclid', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'fbclid', 'msclkid', 'yclid', 'twclid', 'ttclid'],
    ...['phpsessid', 'jsessionid', 'aspsessionid\\w*', 'cfid', 'cftoken', 'oscsid', 'zenid'],
    ...['igshid', 'mc_cid', 'mc_eid', '_ga', '_gl', '_hs\\w+', 'mkt_tok', 'vero_id', 'oly_\\w+_id'],
  ].join('|')})$`,
  'i',
);
/** Names of a visit that others give to a page: only a value that is drawn at random tells. */
const VISIT_PARAMETER = /^(?:sid|session_?id)=[0-9a-f]{26,}$/i;
/** What servers put behind the path for visitors that keep no cookies. */
const PATH_SESSION = /;(?:jsessionid|phpsessid|sid)=[^;/]*/gi;
const SCHEMES = new Set(['http:', 'https:']);
const MAX_URL_CHARS = 2048;

/**
 * Lower-case scheme and host, no default port, no fragment, no credentials, no tracking parameters, dot segments
 * resolved, an empty path as `/`, the query sorted. Null for what is no http(s) address, or too long for one.
 */
export function normalUrl(address: string, base?: string): string | null {
  const url = URL.parse(address.trim(), base);
  if (url === null || !SCHEMES.has(url.protocol) || url.href.length > MAX_URL_CHARS) return null;
  url.hash = '';
  url.username = '';
  url.password = '';
  if (url.pathname.includes(';')) url.pathname = url.pathname.replace(PATH_SESSION, '');
  if (url.search !== '' || url.href.endsWith('?')) url.search = sortedQuery(url.search);
  return url.href;
}

/** Parts are compared as they are written, so that a value is never encoded in another way than its server did. */
function sortedQuery(search: string): string {
  const parts = search.slice(1).split('&');
  const namesPage = (part: string) =>
    !TRACKING_PARAMETER.test(part.split('=', 1)[0] ?? '') && !VISIT_PARAMETER.test(part);
  const kept = parts.filter((part) => part !== '' && namesPage(part));
  // With its mark, since the setter would take a first `?` of the query itself for it.
  return kept.length === 0 ? '' : `?${kept.sort().join('&')}`;
}
