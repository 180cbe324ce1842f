/**
 * Threats: DNS rebinding (a foreign name that resolves to loopback makes a browser send requests here with a foreign
 * Host) and CSRF, cross-site requests (a foreign Origin). Loopback is not a trust boundary, so both headers are
 * compared exactly, never by prefix. An IP address cannot be rebound, so any is valid as Host. As Origin it may be
 * another machine, so only loopback and the request's own target are accepted.
 */

import { BlockList, isIP } from 'node:net';
import type { MiddlewareHandler } from 'hono';
import { QuarryError } from '../errors.ts';
import type { HttpEnv } from './env.ts';

export interface HostRules {
  /** Port and host of the server. */
  address(): { host: string; port: number };
  publicUrl(): string | null;
  allowedOrigins(): readonly string[];
}

/** Default CORS headers. A page that requests specific headers may send these: client libraries add their own. */
const CORS_REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Prefer',
  'Idempotency-Key',
  'Quarry-Tags',
  'Quarry-Metadata',
  'X-PAYMENT',
  'PAYMENT-SIGNATURE',
  'SIGN-IN-WITH-X',
  'Access-Control-Expose-Headers',
  'Last-Event-ID',
  'Range',
  'If-Range',
  'If-None-Match',
].join(', ');

const CORS_ANSWER_HEADERS = [
  'X-PAYMENT-RESPONSE',
  'PAYMENT-REQUIRED',
  'PAYMENT-RESPONSE',
  'Retry-After',
  'Idempotency-Replayed',
  'RateLimit',
  'RateLimit-Policy',
  'Location',
  'Preference-Applied',
  'ETag',
  'Content-Range',
  'Content-Disposition',
  'X-Request-Id',
  'X-Quarry-Job-Id',
  'X-Quarry-Left-Out',
  'X-Ignored-Fields',
].join(', ');

const CORS_MAX_AGE_SECONDS = 600;

const LOOPBACK = new BlockList();

LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');

LOOPBACK.addAddress('::1', 'ipv6');

const REMEDY =
  'Use the address Quarry listens on. Behind a proxy, set the public address (publicUrl) in Settings, or with ' +
  'QUARRY_PUBLIC_URL.';

export function hostGuard(rules: HostRules): MiddlewareHandler<HttpEnv> {
  return async (context, next) => {
    if (!isOwnHost(context.req.header('host'), rules)) {
      throw new QuarryError('forbidden', `The Host header names another site. ${REMEDY}`);
    }
    if (!isOwnTarget(context.env.incoming.url ?? '', rules)) {
      throw new QuarryError('forbidden', `The request target names another site. ${REMEDY}`);
    }
    const origin = context.req.header('origin');
    if (origin === undefined) return next();
    if (!isAllowedOrigin(origin, context.req.header('host'), rules)) {
      throw new QuarryError(
        'forbidden',
        'Requests from this web origin are refused. The owner can allow it in the settings (allowedOrigins).',
      );
    }
    context.header('Access-Control-Allow-Origin', origin);
    context.header('Vary', 'Origin');
    context.header('Access-Control-Expose-Headers', CORS_ANSWER_HEADERS);
    if (context.req.method !== 'OPTIONS') return next();
    // Chrome asks before a public page calls a private address.
    if (context.req.header('access-control-request-private-network') === 'true') {
      context.header('Access-Control-Allow-Private-Network', 'true');
    }
    context.header('Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE');
    const asked = context.req.header('access-control-request-headers');
    context.header('Access-Control-Allow-Headers', asked ?? CORS_REQUEST_HEADERS);
    context.header('Vary', 'Origin, Access-Control-Request-Headers');
    context.header('Access-Control-Max-Age', String(CORS_MAX_AGE_SECONDS));
    return context.body(null, 204);
  };
}

/** Whether a Host header names this server. */
export function isOwnHost(header: string | undefined, rules: HostRules): boolean {
  const { host, port } = rules.address();
  // What most clients send; a name is parsed.
  if (header === `${host}:${port}` && isIP(host) === 4) return true;
  const url = header === undefined ? null : URL.parse(`http://${header}/`);
  if (url === null || url.pathname !== '/' || url.username !== '') return false;
  const publicUrl = rules.publicUrl();
  if (publicUrl !== null && URL.parse(publicUrl)?.host === url.host) return true;
  if ((url.port === '' ? 80 : Number(url.port)) !== port) return false;
  const name = url.hostname.replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === host.toLowerCase() || isIP(name) !== 0;
}

/** Checks a target in absolute form (`GET http://host/path`), which overrides the Host header. */
function isOwnTarget(target: string, rules: HostRules): boolean {
  return target.startsWith('/') || isOwnHost(URL.parse(target)?.host, rules);
}

function isAllowedOrigin(origin: string, host: string | undefined, rules: HostRules): boolean {
  const url = URL.parse(origin);
  if (url === null || browserOriginOf(url) !== origin) return false;
  const publicUrl = rules.publicUrl();
  if (publicUrl !== null && URL.parse(publicUrl)?.origin === origin) return true;
  // Owners may enter an origin with a trailing slash or a path.
  if (rules.allowedOrigins().some((allowed) => browserOriginOf(URL.parse(allowed)) === origin)) return true;
  if (url.protocol !== 'http:' || !isOwnHost(url.host, rules)) return false;
  const name = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(name) === 0 || isLoopback(name) || url.host === URL.parse(`http://${host}/`)?.host;
}

/**
 * The origin of an address as browsers send it. Those of apps and extensions (`app://obsidian.md`,
 * `chrome-extension://…`) are opaque to the URL standard, which calls them `null`.
 */
function browserOriginOf(url: URL | null): string | null {
  if (url === null || url.host === '') return null;
  return url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin;
}

function isLoopback(address: string): boolean {
  return LOOPBACK.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
