/**
 * The OpenAPI document and the readable reference made from it. Public, offline, without scripts: the policy of these
 * pages allows their own stylesheet and nothing else.
 */

import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Operation } from '../../operation.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { json, mountRoutes, type RouteDescription, routesOf } from '../../platform/http/route.ts';
import { type Guide, loadGuides } from './guides.ts';
import { deriveOpenApi, deriveOwnerOpenApi } from './openapi.ts';
import type { OpenApiDocument } from './openapi-types.ts';
import { guideHref, navigationOf, overviewOf } from './overview.ts';
import { renderPage } from './page.ts';
import { problemIndex, problemPage } from './problems.ts';
import { STYLE } from './style.ts';

export interface ReferenceDeps {
  operations: readonly Operation[];
  publicRoutes: readonly RouteDescription[];
  ownerRoutes: readonly RouteDescription[];
  version: string;
  /** Absolute, without a trailing slash; it may change while the server runs (setting publicUrl). */
  origin(): string;
  /** Folder of the guides, Markdown files. */
  guidesFolder: string;
}

const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Pages change with the version and with settings only. */
const CACHE = 'public, max-age=60';

interface DocumentDeps {
  document(): OpenApiDocument;
}

const route = routesOf<DocumentDeps>();

const aDocument = {
  method: 'get',
  path: '/openapi.json',
  tag: 'Service',
  answers: { 200: json('The document.', z.looseObject({ openapi: z.literal('3.1.0') }), { openapi: '3.1.0' }) },
  errors: [],
} as const;

export const DOCUMENT_ROUTES = [
  route(
    {
      ...aDocument,
      scope: 'origin',
      operationId: 'getOpenApi',
      summary: 'This document',
      description: 'OpenAPI 3.1, computed from what the server runs.',
      auth: 'none',
    },
    ({ document }, { context }) => {
      context.header('Cache-Control', CACHE);
      return context.json(document());
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
    ({ document }, { context }) => context.json(document()),
  ),
];

export function ownerDocumentRoutes({ ownerRoutes, version, origin }: ReferenceDeps): Hono<HttpEnv> {
  return mountRoutes(OWNER_DOCUMENT_ROUTES, {
    document: () => deriveOwnerOpenApi(ownerRoutes, { version, origin: origin() }),
  });
}

/** `/openapi.json`, `/reference`, `/reference/guides/:name`, `/problems`, `/problems/:code`. Mounted at the root. */
export function referenceRoutes(deps: ReferenceDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const site = siteOf(deps);

  routes.route('/', mountRoutes(DOCUMENT_ROUTES, { document: () => site().document }));
  routes.get('/reference/style.css', (context) => {
    context.header('Content-Type', 'text/css; charset=utf-8');
    context.header('Cache-Control', CACHE);
    return context.body(STYLE);
  });
  routes.get('/reference', (context) => page(context, site().overview));
  routes.get('/reference/guides/:name', (context) => {
    const { document, guides } = site();
    const guide = guides.find(({ name }) => name === context.req.param('name'));
    if (guide === undefined) return context.notFound();
    const { title, html } = guide;
    return page(
      context,
      renderPage({ title, href: guideHref(guide), navigation: navigationOf(document, guides), main: html }),
    );
  });
  routes.get('/problems', (context) => {
    const { document, guides } = site();
    const navigation = navigationOf(document, guides);
    return page(context, renderPage({ title: 'Error codes', href: '/problems', navigation, main: problemIndex() }));
  });
  routes.get('/problems/', (context) => context.redirect('/problems', 308));
  routes.get('/problems/:code', (context) => {
    const code = context.req.param('code');
    const found = problemPage(code);
    if (found === null) return context.notFound();
    const { document, guides } = site();
    const navigation = navigationOf(document, guides);
    return page(context, renderPage({ ...found, href: `/problems/${code}`, navigation }));
  });
  return routes;
}

function page(context: Context<HttpEnv>, html: string): Response | Promise<Response> {
  context.header('Content-Security-Policy', POLICY);
  context.header('X-Content-Type-Options', 'nosniff');
  context.header('Referrer-Policy', 'no-referrer');
  context.header('Cache-Control', CACHE);
  return context.html(html);
}

interface Site {
  document: OpenApiDocument;
  guides: readonly Guide[];
  overview: string;
}

/** Made at the first request, and anew only when the server's address changes: the start stays fast. */
function siteOf(deps: ReferenceDeps): () => Site {
  let made: { origin: string; site: Site } | null = null;
  return () => {
    const origin = deps.origin();
    if (made === null || made.origin !== origin) {
      const document = deriveOpenApi(deps.operations, deps.publicRoutes, { version: deps.version, origin });
      const guides = loadGuides(deps.guidesFolder, origin);
      const navigation = navigationOf(document, guides);
      const main = overviewOf(document, guides);
      const overview = renderPage({ title: 'API reference', href: '/reference', navigation, main });
      made = { origin, site: { document, guides, overview } };
    }
    return made.site;
  };
}
