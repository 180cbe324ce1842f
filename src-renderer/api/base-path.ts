/** Path of the public address (`/quarry`), which the server writes into its pages; empty without one. */
const BASE_PATH = document.querySelector<HTMLMetaElement>('meta[name="quarry-base"]')?.content ?? '';

const isBelow = (path: string): boolean => path === BASE_PATH || path.startsWith(`${BASE_PATH}/`);

/** Path of the pages of this window: at the listening address they are at the root, whatever the public one is. */
export const PAGES_PATH = isBelow(location.pathname) ? BASE_PATH : '';

/** A path of the server below the base path, which the session cookie is limited to. URLs of answers have it. */
export function serverPath(path: string): string {
  return BASE_PATH === '' || !path.startsWith('/') || isBelow(path) ? path : BASE_PATH + path;
}

/** The path of a server's address without the base path. */
export function pathInServer(path: string): string {
  return isBelow(path) ? path.slice(BASE_PATH.length) : path;
}

/** Origin and base path, for clients that append paths. */
export const SERVER_URL = location.origin + BASE_PATH;
