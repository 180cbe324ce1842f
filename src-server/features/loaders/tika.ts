import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { QuarryError } from '../../platform/errors.ts';
import { fileNameOfResponse } from '../../platform/files/file-names.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import type { ScopedAddress } from '../accounts/service.ts';
import type { JobService } from '../jobs/service.ts';
import { jsonAround, type LoadedDocument, loadDocument, textErrorResponse } from './load.ts';

/** The part of Apache Tika's server that loaders use: a file in, its text out. */

const RUN = 'run:extract/doc';

export const TIKA_ADDRESSES: readonly ScopedAddress[] = [
  { method: 'GET', path: '/tika', keyScope: 'read' },
  { method: 'GET', path: '/tika/version', keyScope: 'read' },
  { method: 'PUT', path: '/tika', keyScope: RUN },
  { method: 'PUT', path: '/tika/text', keyScope: RUN },
];

export interface TikaDeps {
  service: JobService;
  ownerOnly: MiddlewareHandler<HttpEnv>;
  version: string;
}

const NOT_HERE = 'Send a file with PUT to /tika. /reference/guides/other-tools says more.';

const FORMS = ['text/plain', 'text/html', 'application/json'] as const;

type Form = (typeof FORMS)[number];

/** Pictures in a PDF are always read. */
const HONOURED = new Set(['x-tika-pdfextractinlineimages']);

export function tikaRoutes({ service, ownerOnly, version }: TikaDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.onError((error, context) => textErrorResponse(context, error));
  routes.use('*', ownerOnly);
  routes.get('/', (context) => context.text('Send a file with PUT to this address. The answer is its text.\n'));
  routes.get('/version', (context) => context.text(`Quarry ${version}\n`));
  const extract = async (context: Context<HttpEnv>) => {
    const form = formOf(context.req.header('accept'));
    for (const name of Object.keys(context.req.header())) {
      if (name.startsWith('x-tika-') && !HONOURED.has(name)) throw refuse(`The header ${name} is not supported.`);
    }
    const fileName = fileNameOfResponse(context.req.header('content-disposition'), new URL('file:///'));
    const loaded = await loadDocument(service, context, fileName);
    context.header('Content-Type', form === 'application/json' ? form : `${form}; charset=UTF-8`);
    context.header('X-Content-Type-Options', 'nosniff');
    context.header('Content-Security-Policy', "sandbox; default-src 'none'");
    return context.body(ReadableStream.from(written(loaded, form)));
  };
  routes.put('/', extract);
  routes.put('/text', extract);
  routes.all('*', () => {
    throw new QuarryError('not_found', NOT_HERE);
  });
  return routes;
}

/** The first known form of the header; text for a client that takes all. */
function formOf(accept = '*/*'): Form {
  const asked = accept.split(',').map((one) => one.split(';')[0]?.trim().toLowerCase());
  for (const one of asked) {
    if (one === '*/*' || one === 'text/*') return 'text/plain';
    const known = FORMS.find((form) => form === one);
    if (known !== undefined) return known;
  }
  throw refuse(`Accept one of ${FORMS.join(', ')}.`);
}

function refuse(message: string): QuarryError {
  return new QuarryError('invalid_request', message);
}

function written({ document, pathOf }: LoadedDocument, form: Form): AsyncIterable<Uint8Array> {
  const path = pathOf('document.txt');
  if (form === 'text/plain') return createReadStream(path);
  if (form === 'text/html') return htmlOf(path, document.title ?? '');
  const { title, author, pages, language } = document;
  const facts = { 'dc:title': title, 'dc:creator': author, 'xmpTPg:NPages': String(pages), 'dc:language': language };
  const known = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null));
  return jsonAround(known, 'X-TIKA:content', createReadStream(path, { encoding: 'utf8' }));
}

/** A paragraph for each line with text. */
async function* htmlOf(path: string, title: string): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const head = `<meta charset="UTF-8"><title>${escaped(title)}</title>`;
  yield encoder.encode(`<!doctype html>\n<html><head>${head}</head><body>\n`);
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() !== '') yield encoder.encode(`<p>${escaped(line)}</p>\n`);
  }
  yield encoder.encode('</body></html>\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
