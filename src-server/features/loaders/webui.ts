/** The external document loader of Open WebUI: a file in, its text as Markdown with metadata out. */

import { createReadStream } from 'node:fs';
import { Hono, type MiddlewareHandler } from 'hono';
import type { ScopedAddress } from '../../feature.ts';
import { cleanFileName } from '../../platform/files/file-names.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { onlyDeclared } from '../accounts/service.ts';
import type { JobService } from '../jobs/service.ts';
import { jsonAround, loadUpload, readUpload, textErrorResponse } from './load.ts';

export const WEBUI_ADDRESSES: readonly ScopedAddress[] = [
  { method: 'PUT', path: '/webui/process', keyScope: 'run:extract/doc' },
];

const NOT_HERE = 'Send a file with PUT to /webui/process. /reference/guides/other-tools says more.';

export function webuiRoutes(deps: { service: JobService; ownerOnly: MiddlewareHandler<HttpEnv> }): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.onError((error, context) => textErrorResponse(context, error));
  routes.use('*', onlyDeclared(WEBUI_ADDRESSES, NOT_HERE), deps.ownerOnly);
  routes.put('/process', async (context) => {
    const fileName = cleanFileName(decodeFileName(context.req.header('x-filename')));
    const upload = await readUpload(deps.service, context, fileName);
    const { jobId, document, warnings, pathOf } = await loadUpload(deps.service, context, upload);
    const { format, title, author, pages, language } = document;
    // Vector databases take single values, and no null.
    const facts = { source: fileName, title, author, format, pages, language, job_id: jobId };
    const metadata = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null));
    if (warnings.length > 0) metadata.warnings = warnings.join(' ');
    const content = createReadStream(pathOf('document.md'), { encoding: 'utf8' });
    context.header('Content-Type', 'application/json');
    return context.body(ReadableStream.from(jsonAround({ metadata }, 'page_content', content)));
  });
  return routes;
}

/** The name is percent-encoded. One that is not may have a lone %. */
function decodeFileName(name: string | undefined): string | undefined {
  try {
    return name === undefined ? undefined : decodeURIComponent(name);
  } catch {
    return name;
  }
}
