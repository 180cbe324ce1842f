/**
 * Serves the dashboard's files. They contain no data, so they are public. The routes behind every figure check the
 * owner.
 */

import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip as zlibGzip } from 'node:zlib';
import { type Context, Hono } from 'hono';
import { typeOfName } from '../../platform/files/kinds.ts';
import { pageBelow } from '../../platform/http/base-path.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { byName } from '../../platform/records.ts';

/** For reading and making. */
const LIBRARY_PAGES = ['/', '/library', '/library/*', '/items/*', '/compare', '/search', '/add', '/make', '/make/*'];
const WATCH_PAGES = ['/watches', '/watches/:watchId', '/watches/folders/:watchId', '/watches/feeds/:feedId'];
const SERVICE_PAGES = [
  '/service',
  '/service/*',
  '/jobs',
  '/jobs/:jobId',
  '/jobs/batches/:batchId',
  '/payments',
  '/limits',
];
/** `/run` is an old address, which the window follows. */
const MORE_PAGES = [
  '/webhooks',
  '/webhooks/*',
  '/models',
  '/contributions',
  '/settings',
  '/settings/*',
  '/run',
  '/run/*',
];

const MEDIA_TYPES: Record<string, string> = byName({
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
});

/** Only own scripts. Inline styles are allowed, since the component library sets some. */
const POLICY = [
  "default-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Fonts and pictures are compressed already. */
const COMPRESSED = new Set(['.js', '.css', '.svg']);

const GZIP_LEVEL = 9;

const gzip = promisify(zlibGzip);

const ASSET_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const A_YEAR = 'public, max-age=31536000, immutable';

/** Paths of APIs. Some HTTP libraries accept text/html by default without wanting it. */
const FOR_PROGRAMS = /^\/(v1|staging|admin|openai|facilitator|inbox|assets)(\/|$)/;

/** The dashboard's not-found page, for a mistyped address in a browser. */
export function unknownPage(
  folder: URL | null,
  basePath: () => string,
): (context: Context<HttpEnv>) => Promise<Response | null> {
  return async (context) => {
    const { method, path } = context.req;
    const inBrowser = /\btext\/html\b/i.test(context.req.header('Accept') ?? '');
    if (!inBrowser || (method !== 'GET' && method !== 'HEAD') || FOR_PROGRAMS.test(path)) return null;
    const html = await windowOf(folder, basePath());
    return html === null ? null : answerWith(context, html, 404);
  };
}

/** @param folder the built renderer; null when it was not built. */
async function windowOf(folder: URL | null, basePath: string): Promise<string | null> {
  const html = folder === null ? null : await readFile(new URL('index.html', folder), 'utf8').catch(() => null);
  return html === null ? null : pageBelow(html, basePath);
}

function answerWith(context: Context<HttpEnv>, html: string, status: 200 | 404): Response | Promise<Response> {
  context.header('Content-Security-Policy', POLICY);
  context.header('Cross-Origin-Opener-Policy', 'same-origin');
  context.header('X-Content-Type-Options', 'nosniff');
  context.header('Referrer-Policy', 'no-referrer');
  context.header('Cache-Control', 'no-cache');
  return context.html(html, status);
}

/** Tells the window that it is opened on a linked device: it then leaves out what such devices may not do. */
const ON_DEVICE = '<head><meta name="quarry-device" content="linked" />';

/** @param folder the built renderer; null when it was not built. */
export function dashboardRoutes(folder: URL | null, basePath: () => string, isForDevices = false): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const root = folder === null ? null : fileURLToPath(folder);
  /** Scripts and styles, each packed once, on a thread of Node's own pool: 0.5 MB in all. */
  const packed = new Map<string, Promise<Buffer>>();

  for (const page of [...LIBRARY_PAGES, ...WATCH_PAGES, ...SERVICE_PAGES, ...MORE_PAGES]) {
    routes.get(page, async (context) => {
      const html = await windowOf(folder, basePath());
      if (html === null) return context.text('The dashboard is not built. Run: npm run serve', 503);
      return answerWith(context, isForDevices ? html.replace('<head>', ON_DEVICE) : html, 200);
    });
  }

  routes.get('/assets/:name', async (context) => {
    const name = context.req.param('name');
    const type = MEDIA_TYPES[extname(name)] ?? typeOfName(name);
    if (root === null || type === null || !ASSET_NAME.test(name)) return context.notFound();
    const bytes = await readFile(join(root, 'assets', name)).catch(() => null);
    if (bytes === null) return context.notFound();
    context.header('Content-Type', type);
    context.header('X-Content-Type-Options', 'nosniff');
    // Asset names contain a content hash.
    context.header('Cache-Control', A_YEAR);
    if (!COMPRESSED.has(extname(name))) return context.body(new Uint8Array(bytes));
    context.header('Vary', 'Accept-Encoding');
    if (!/\bgzip\b/.test(context.req.header('Accept-Encoding') ?? '')) return context.body(new Uint8Array(bytes));
    context.header('Content-Encoding', 'gzip');
    packed.set(name, packed.get(name) ?? gzip(bytes, { level: GZIP_LEVEL }));
    return context.body(new Uint8Array(await (packed.get(name) as Promise<Buffer>)));
  });

  return routes;
}
