/**
 * The path of the public address. A proxy may serve Quarry below a path (`https://home.lan/quarry`), and may strip that
 * path or pass it on: requests are taken with it and without it, so both work, and so does the listening address.
 */

/** The path of the public address without a trailing slash (`/quarry`); empty where it has none. */
export function basePathOf(publicUrl: string | null): string {
  const path = publicUrl === null ? undefined : URL.parse(publicUrl)?.pathname;
  return path?.replace(/\/+$/, '') ?? '';
}

/** A request target (`/quarry/v1/jobs?limit=5`) without the base path. Targets outside of it stay as they are. */
export function withoutBasePath(target: string, basePath: string): string {
  if (basePath === '' || !target.startsWith(basePath)) return target;
  const rest = target.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : target;
}

/** Links of a page that begin at the root, or beside the page: the build writes the second form. */
const OWN_LINK = /\b(href|src)="(?:\.\/|\/(?!\/))/g;

/** Puts the links of an own page below the base path, and names the path to the page's scripts. */
export function pageBelow(html: string, basePath: string): string {
  const path = basePath.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const linked = html.replace(OWN_LINK, (_, name: string) => `${name}="${path}/`);
  return linked.replace('<head>', () => `<head><meta name="quarry-base" content="${path}" />`);
}
