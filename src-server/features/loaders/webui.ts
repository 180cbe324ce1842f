import { createReadStream } from 'node:fs';
import { Hono, type MiddlewareHandler } from 'hono';
import { QuarryError } from '../../platform/errors.ts';
import { cleanFileName } from '../../platform/files/file-names.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import type { ScopedAddress } from '../accounts/service.ts';
import type { JobService } from '../jobs/service.ts';
import { jsonAround, loadDocument, textErrorResponse } from './load.ts';

/** The external document loader of Open WebUI: a file in, its text as Markdown with metadata out. */

export const WEBUI_ADDRESSES: readonly ScopedAddress[] = [
  { method: 'PUT', path: '/webui/process', keyScope: 'run:extract/doc' },
];

const NOT_HERE = 'Send a file with PUT to /webui/process. /reference/guides/other-tools says more.';

export function webuiRoutes(deps: { service: JobService; ownerOnly: MiddlewareHandler<HttpEnv> }): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.onError((error, context) => textErrorResponse(context, error));
  routes.use('*', deps.ownerOnly);
  routes.put('/process', async (context) => {
    const fileName = cleanFileName(decoded(context.req.header('x-filename')));
    const { jobId, document, warnings, pathOf } = await loadDocument(deps.service, context, fileName);
    const { format, title, author, pages, language } = document;
    // Vector databases take single values, and no null.
    const facts = { source: fileName, title, author, format, pages, language, job_id: jobId };
    const metadata = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null));
    if (warnings.length > 0) metadata.warnings = warnings.join(' ');
    const content = createReadStream(pathOf('document.md'), { encoding: 'utf8' });
    context.header('Content-Type', 'application/json');
    return context.body(ReadableStream.from(jsonAround({ metadata }, 'page_content', content)));
  });
  routes.all('*', () => {
    throw new QuarryError('not_found', NOT_HERE);
  });
  return routes;
}

/** The name is percent-encoded. One that is not may have a lone %. */
function decoded(name: string | undefined): string | undefined {
  try {
    return name === undefined ? undefined : decodeURIComponent(name);
  } catch {
    return name;
  }
}
