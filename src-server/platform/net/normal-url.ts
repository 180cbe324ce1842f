/** The normal form of a URL (decisions 9): one URL per page, as far as a string shows it. */

/** Parameters for a campaign, a click or a session, never for a page. */
const TRACKING_PARAMETER = new RegExp(
  `^(?:${[
    ...['utm_\\w+', 'gclid', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'fbclid', 'msclkid', 'yclid', 'twclid', 'ttclid'],
    ...['phpsessid', 'jsessionid', 'aspsessionid\\w*', 'cfid', 'cftoken', 'oscsid', 'zenid'],
    ...['igshid', 'mc_cid', 'mc_eid', '_ga', '_gl', '_hs\\w+', 'mkt_tok', 'vero_id', 'oly_\\w+_id'],
  ].join('|')})$`,
  'i',
);
/** Session parameters whose names also occur for pages. Only a random value identifies a session. */
const VISIT_PARAMETER = /^(?:sid|session_?id)=[0-9a-f]{26,}$/i;
/** Session ids that servers append to the path for visitors without cookies. */
const PATH_SESSION = /;(?:jsessionid|phpsessid|sid)=[^;/]*/gi;
const SCHEMES = new Set(['http:', 'https:']);
const MAX_URL_CHARS = 2048;

/**
 * Lower-case scheme and host; no default port, fragment, credentials or tracking parameters; dot segments resolved; an
 * empty path as `/`; percent-encoding only where it is needed, in upper case; the query sorted. Null for other schemes
 * and oversized URLs.
 */
export function normalUrl(address: string, base?: string): string | null {
  const url = URL.parse(address.trim(), base);
  if (url === null || !SCHEMES.has(url.protocol) || url.href.length > MAX_URL_CHARS) return null;
  url.hash = '';
  url.username = '';
  url.password = '';
  if (url.href.includes('%')) {
    url.pathname = withNormalEscapes(url.pathname);
    url.search = withNormalEscapes(url.search);
  }
  if (url.pathname.includes(';')) url.pathname = url.pathname.replace(PATH_SESSION, '');
  if (url.search !== '' || url.href.endsWith('?')) url.search = sortedQuery(url.search);
  return url.href;
}

const UNRESERVED = /[A-Za-z0-9._~-]/;

/** Decodes octets that need no encoding, and writes the others in upper case (RFC 3986, 6.2.2): `%61` is `a`. */
function withNormalEscapes(text: string): string {
  return text.replace(/%([\da-f]{2})/gi, (octet, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return UNRESERVED.test(character) ? character : octet.toUpperCase();
  });
}

/** Compares the raw text, so that a value keeps the encoding of its server. */
function sortedQuery(search: string): string {
  const parts = search.slice(1).split('&');
  const namesPage = (part: string) =>
    !TRACKING_PARAMETER.test(part.split('=', 1)[0] ?? '') && !VISIT_PARAMETER.test(part);
  const kept = parts.filter((part) => part !== '' && namesPage(part));
  // With `?`: the setter would remove a leading `?` that belongs to the query.
  return kept.length === 0 ? '' : `?${kept.sort().join('&')}`;
}
