/**
 * The OpenAPI documents, and the reference that shows them. Public and offline. `/reference` is a page of the built
 * renderer, where Scalar reads the documents; guides and problem pages are rendered here, without scripts.
 */

import { readFile } from 'node:fs/promises';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { basePathOf, pageBelow } from '../../platform/http/base-path.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { jsonAnswer, mountRoutes, type RouteDescription, routesOf } from '../../platform/http/route.ts';
import type { OpenApiDocument } from './openapi-types.ts';
import type { ReferencePage, Site, SiteDeps } from './site.ts';
import { STYLE } from './style.ts';

export interface ReferenceDeps extends SiteDeps {
  ownerRoutes: readonly RouteDescription[];
  /** The built renderer, which holds the page of the reference; null where it was not built. */
  rendererFolder: URL | null;
}

/** Of guides and problem pages: their stylesheet and nothing else. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Of the reference: own scripts, which call this server alone. Scalar adds its styles as elements. */
const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Pages change with the version and with settings only. */
const CACHE = 'public, max-age=60';

interface DocumentDeps {
  document(): Promise<OpenApiDocument>;
}

const route = routesOf<DocumentDeps>();

const aDocument = {
  method: 'get',
  path: '/openapi.json',
  tag: 'Service',
  answers: { 200: jsonAnswer('The document.', z.looseObject({ openapi: z.literal('3.1.0') }), { openapi: '3.1.0' }) },
  errors: [],
} as const;

const DocumentQuery = z.strictObject({
  uploads: z
    .enum(['any', 'form'])
    .default('any')
    .describe(
      '`form`: operations that read a file take the form alone, for client generators that know one body a call.',
    ),
});

export const DOCUMENT_ROUTES = [
  route(
    {
      ...aDocument,
      scope: 'origin',
      forDevices: true,
      operationId: 'getOpenApi',
      summary: 'This document',
      description: 'OpenAPI 3.1, computed from what the server runs.',
      auth: 'none',
      query: DocumentQuery,
    },
    async ({ document }, { context, query }) => {
      const { uploads } = query();
      const { withFormsAlone } = await import('./openapi.ts');
      context.header('Cache-Control', CACHE);
      return context.json(uploads === 'form' ? withFormsAlone(await document()) : await document());
    },
  ),
];

/** Mounted under `/admin`, behind the owner check. */
export const OWNER_DOCUMENT_ROUTES = [
  route(
    {
      ...aDocument,
      scope: 'owner',
      operationId: 'getOwnerOpenApi',
      summary: 'This document',
      description: 'OpenAPI 3.1 of the routes of the owner.',
      auth: 'owner',
    },
    async ({ document }, { context }) => context.json(await document()),
  ),
];

/** The document of the API alone. */
export function documentRoutes(deps: ReferenceDeps): Hono<HttpEnv> {
  const site = siteOf(deps);
  return mountRoutes(DOCUMENT_ROUTES, { document: async () => (await site()).document });
}

export function ownerDocumentRoutes({ ownerRoutes, version, origin }: ReferenceDeps): Hono<HttpEnv> {
  return mountRoutes(OWNER_DOCUMENT_ROUTES, {
    document: async () => (await import('./openapi.ts')).deriveOwnerOpenApi(ownerRoutes, { version, origin: origin() }),
  });
}

/**
 * `/openapi.json`, `/llms.txt`, `/reference`, `/reference/guides/:name`, `/problems`, `/problems/:code`. Mounted at
 * the root.
 */
export function referenceRoutes(deps: ReferenceDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const site = siteOf(deps);
  const answerPage = (context: Context<HttpEnv>, html: string, policy: string) =>
    answerWith(context, pageBelow(html, basePathOf(deps.origin())), policy);
  const showReferencePage = async (context: Context<HttpEnv>, page: ReferencePage | null) =>
    page === null ? context.notFound() : answerPage(context, (await site()).renderSitePage(page), POLICY);

  routes.route('/', mountRoutes(DOCUMENT_ROUTES, { document: async () => (await site()).document }));
  routes.get('/llms.txt', async (context) => {
    const text = (await site()).llmsText();
    context.header('Cache-Control', CACHE);
    return context.text(text);
  });
  routes.get('/reference/style.css', (context) => {
    context.header('Content-Type', 'text/css; charset=utf-8');
    context.header('Cache-Control', CACHE);
    return context.body(STYLE);
  });
  routes.get('/reference', async (context) => {
    const html = await referencePage(deps.rendererFolder);
    if (html === null) return context.text('The reference is not built. Run: npm run serve', 503);
    return answerPage(context, html, REFERENCE_POLICY);
  });
  routes.get('/reference/guides/:name', async (context) =>
    showReferencePage(context, (await site()).guidePage(context.req.param('name'))),
  );
  routes.get('/problems', async (context) => showReferencePage(context, (await site()).problemsPage()));
  routes.get('/problems/', (context) => context.redirect(`${basePathOf(deps.origin())}/problems`, 308));
  routes.get('/problems/:code', async (context) =>
    showReferencePage(context, (await site()).problemPage(context.req.param('code'))),
  );
  return routes;
}

async function referencePage(folder: URL | null): Promise<string | null> {
  return folder === null ? null : await readFile(new URL('reference.html', folder), 'utf8').catch(() => null);
}

function answerWith(context: Context<HttpEnv>, html: string, policy: string): Response | Promise<Response> {
  context.header('Content-Security-Policy', policy);
  context.header('Cross-Origin-Opener-Policy', 'same-origin');
  context.header('X-Content-Type-Options', 'nosniff');
  context.header('Referrer-Policy', 'no-referrer');
  context.header('Cache-Control', CACHE);
  return context.html(html);
}

/** Loaded and computed at the first request, and again only when the address of the server changes. */
function siteOf(deps: SiteDeps): () => Promise<Site> {
  let made: { origin: string; site: Site } | null = null;
  return async () => {
    const { openSite } = await import('./site.ts');
    const origin = deps.origin();
    if (made === null || made.origin !== origin) made = { origin, site: openSite(deps) };
    return made.site;
  };
}
