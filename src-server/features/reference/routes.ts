/**
 * The OpenAPI document and the readable reference made from it. Public, offline, without scripts: the policy of these
 * pages allows their own stylesheet and nothing else.
 */

import { type Context, Hono } from 'hono';
import type { Operation } from '../../operation.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { type Guide, loadGuides } from './guides.ts';
import { deriveOpenApi } from './openapi.ts';
import type { OpenApiDocument } from './openapi-types.ts';
import { guideHref, navigationOf, overviewOf } from './overview.ts';
import { renderPage } from './page.ts';
import { problemIndex, problemPage } from './problems.ts';
import type { RouteDescription } from './route-description.ts';
import { STYLE } from './style.ts';

export interface ReferenceDeps {
  operations: readonly Operation[];
  freeRoutes: readonly RouteDescription[];
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

/** `/openapi.json`, `/reference`, `/reference/guides/:name`, `/problems`, `/problems/:code`. Mounted at the root. */
export function referenceRoutes(deps: ReferenceDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const site = siteOf(deps);

  routes.get('/openapi.json', (context) => {
    context.header('Cache-Control', CACHE);
    return context.json(site().document);
  });
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
      const document = deriveOpenApi(deps.operations, deps.freeRoutes, { version: deps.version, origin });
      const guides = loadGuides(deps.guidesFolder, origin);
      const navigation = navigationOf(document, guides);
      const main = overviewOf(document, guides);
      const overview = renderPage({ title: 'API reference', href: '/reference', navigation, main });
      made = { origin, site: { document, guides, overview } };
    }
    return made.site;
  };
}
