/** The part of Apache Tika's server that loaders use: a file in, its text and metadata out. */

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { ScopedAddress } from '../../feature.ts';
import { QuarryError } from '../../platform/errors.ts';
import { cleanFileName, fileNameOfResponse } from '../../platform/files/file-names.ts';
import { type FileKind, typeOfKind } from '../../platform/files/kinds.ts';
import type { Upload } from '../../platform/files/uploads.ts';
import { readFilesForm } from '../../platform/http/body.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { ignoreField } from '../../platform/http/ignored-fields.ts';
import { MIB } from '../../platform/units.ts';
import { onlyDeclared } from '../accounts/service.ts';
import type { JobService } from '../jobs/service.ts';
import { jsonAround, type LoadedDocument, loadUpload, readUpload, textErrorResponse } from './load.ts';

const RUN = 'run:extract/doc';

/** How the text is written in JSON: by the last part of an address. */
const HANDLERS = ['text', 'xml', 'html', 'ignore'] as const;

type Handler = (typeof HANDLERS)[number];

const FORM = '/form';

/** A file is the body (PUT), or the part `upload` of a form (POST, below `/form`). */
const SENT = [
  ['PUT', ''],
  ['POST', FORM],
] as const;

const tikaAddress = (method: string, path: string, keyScope: ScopedAddress['keyScope']) => ({ method, path, keyScope });

/** `/tika` answers with one document, `/rmeta` with a list of one. */
export const TIKA_ADDRESSES: readonly ScopedAddress[] = [
  tikaAddress('GET', '/tika', 'read'),
  tikaAddress('GET', '/tika/version', 'read'),
  tikaAddress('GET', '/version', 'read'),
  tikaAddress('PUT', '/detect/stream', RUN),
  ...SENT.flatMap(([method, form]) => [
    ...['/tika', '/meta', '/rmeta'].map((base) => tikaAddress(method, base + form, RUN)),
    ...HANDLERS.flatMap((handler) => [
      tikaAddress(method, `/tika${form}/${handler}`, RUN),
      tikaAddress(method, `/rmeta${form}/${handler}`, RUN),
    ]),
  ]),
];

/** Where the addresses begin. */
export const TIKA_BASES = ['tika', 'rmeta', 'meta', 'detect', 'version'] as const;

export interface TikaDeps {
  service: JobService;
  ownerOnly: MiddlewareHandler<HttpEnv>;
  version: string;
}

const NOT_HERE =
  "Of Tika's interface there are tika, rmeta and meta, with text, html, xml and form, detect/stream and version " +
  'here. /reference/guides/other-tools says more.';

const FORMS = ['text/plain', 'text/html', 'application/json'] as const;

type Form = (typeof FORMS)[number];

/** Pictures in a PDF are always read. */
const HONOURED = new Set(['x-tika-pdfextractinlineimages']);

/** Headers that say what a text is to be; the others are hints of engines and times. */
const MEANING = /^x-tika-(ocrlanguage|ocrskipocr|pdfocrstrategy|skip)/;

type Read = (service: JobService, context: Context<HttpEnv>) => Promise<Upload>;

export function tikaRoutes({ service, ownerOnly, version }: TikaDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.onError((error, context) => textErrorResponse(context, error));
  for (const base of TIKA_BASES) {
    for (const path of [`/${base}`, `/${base}/*`]) routes.use(path, onlyDeclared(TIKA_ADDRESSES, NOT_HERE), ownerOnly);
  }
  routes.get('/tika', (context) => context.text('Send a file with PUT to this address. The answer is its text.\n'));
  for (const path of ['/version', '/tika/version']) {
    routes.get(path, (context) => context.text(`Quarry ${version}\n`));
  }
  routes.put('/detect/stream', async (context) => {
    const upload = await readTikaBody(service, context);
    await service.body.uploads.discard(upload);
    return context.text(mediaType(upload.kind));
  });
  for (const [method, form] of SENT) {
    const loadTikaDocument = async (context: Context<HttpEnv>) => {
      checkHeaders(context);
      return loadUpload(service, context, await (form === FORM ? readTikaForm : readTikaBody)(service, context));
    };
    routes.on(method, `/tika${form}`, async (context) => {
      const type = tikaFormOf(context.req.header('accept'));
      return sendTikaForm(context, type, writeTikaForm(await loadTikaDocument(context), type));
    });
    routes.on(method, `/meta${form}`, async (context) =>
      sendTikaForm(context, JSON_TYPE, describeTikaDocument(await loadTikaDocument(context), 'ignore')),
    );
    routes.on(method, `/rmeta${form}`, async (context) =>
      sendTikaForm(context, JSON_TYPE, tikaListPieces(await loadTikaDocument(context), 'xml')),
    );
    for (const handler of HANDLERS) {
      routes.on(method, `/tika${form}/${handler}`, async (context) => {
        return sendTikaForm(context, JSON_TYPE, describeTikaDocument(await loadTikaDocument(context), handler));
      });
      routes.on(method, `/rmeta${form}/${handler}`, async (context) => {
        return sendTikaForm(context, JSON_TYPE, tikaListPieces(await loadTikaDocument(context), handler));
      });
    }
  }
  return routes;
}

const JSON_TYPE = 'application/json';

function sendTikaForm(context: Context<HttpEnv>, type: Form, body: AsyncIterable<Uint8Array>): Response {
  context.header('Content-Type', type === JSON_TYPE ? type : `${type}; charset=UTF-8`);
  context.header('X-Content-Type-Options', 'nosniff');
  context.header('Content-Security-Policy', "sandbox; default-src 'none'");
  return context.body(ReadableStream.from(body));
}

/** Errors: `invalid_request` for a header that would change the text. */
function checkHeaders(context: Context<HttpEnv>): void {
  for (const name of Object.keys(context.req.header())) {
    if (!name.startsWith('x-tika-') || HONOURED.has(name)) continue;
    if (MEANING.test(name)) throw refuseTikaRequest(`The header ${name} is not supported.`);
    ignoreField(context, name);
  }
}

const readTikaBody: Read = (service, context) => {
  const name = fileNameOfResponse(context.req.header('content-disposition'), new URL('file:///'));
  return readUpload(service, context, name);
};

/** The file of a form. Tika's clients call its part `upload`; its name does not matter. */
const readTikaForm: Read = async (service, context) => {
  const rules = { maxFiles: 1, maxBytes: service.settings().documentLimitMb * MIB, names: PARTS };
  const { uploads } = await readFilesForm(context.env.incoming, rules, service.body);
  const [upload] = uploads;
  if (upload === undefined) throw refuseTikaRequest('Send the file as the part upload.');
  return { ...upload, fileName: cleanFileName(upload.fileName ?? undefined) };
};

const PARTS = { file: 'upload', lists: [] };

/** The first known form of the header; text for a client that takes all. */
function tikaFormOf(accept = '*/*'): Form {
  const asked = accept.split(',').map((one) => one.split(';')[0]?.trim().toLowerCase());
  for (const one of asked) {
    if (one === '*/*' || one === 'text/*') return 'text/plain';
    const known = FORMS.find((form) => form === one);
    if (known !== undefined) return known;
  }
  throw refuseTikaRequest(`Accept one of ${FORMS.join(', ')}.`);
}

function refuseTikaRequest(message: string): QuarryError {
  return new QuarryError('invalid_request', message);
}

function writeTikaForm(loaded: LoadedDocument, form: Form): AsyncIterable<Uint8Array> {
  if (form === 'application/json') return describeTikaDocument(loaded, 'text');
  const path = loaded.pathOf('document.txt');
  return form === 'text/plain' ? createReadStream(path) : encodeTikaParts(htmlOf(path, loaded.document.title ?? ''));
}

/** Metadata, with the text under the name that Tika gives it. */
function describeTikaDocument(loaded: LoadedDocument, handler: Handler): AsyncIterable<Uint8Array> {
  const { document, warnings, upload } = loaded;
  const path = loaded.pathOf('document.txt');
  const { title, author, pages, language } = document;
  const facts = {
    'Content-Type': mediaType(upload.kind),
    'Content-Length': String(upload.sizeBytes),
    resourceName: upload.fileName,
    'X-TIKA:Parsed-By': ['quarry'],
    'dc:title': title,
    'dc:creator': author,
    'xmpTPg:NPages': String(pages),
    'dc:language': language,
    language,
    'X-TIKA:EXCEPTION:warn': warnings.length === 0 ? null : [...warnings],
  };
  const known = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null));
  if (handler === 'ignore') return encodeTikaParts([JSON.stringify(known)]);
  const text = handler === 'text' ? createReadStream(path, { encoding: 'utf8' }) : htmlOf(path, title ?? '');
  return jsonAround(known, 'X-TIKA:content', text);
}

async function* tikaListPieces(loaded: LoadedDocument, handler: Handler): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode('[');
  yield* describeTikaDocument(loaded, handler);
  yield encoder.encode(']');
}

async function* encodeTikaParts(parts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const part of parts) yield encoder.encode(part);
}

/** A paragraph for each line with text. */
async function* htmlOf(path: string, title: string): AsyncGenerator<string> {
  const head = `<meta charset="UTF-8"/><title>${escapeMarkup(title)}</title>`;
  yield `<html xmlns="http://www.w3.org/1999/xhtml"><head>${head}</head><body>\n`;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() !== '') yield `<p>${escapeMarkup(line)}</p>\n`;
  }
  yield '</body></html>\n';
}

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** The media type that clients of Tika look for. */
function mediaType(kind: FileKind): string {
  if (kind === 'markdown') return 'text/x-web-markdown';
  return typeOfKind(kind) ?? 'application/octet-stream';
}
