/** The part of docling-serve's version 1 that loaders use: files or addresses in, their Markdown or text out. */

import { createReadStream } from 'node:fs';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import type { ScopedAddress } from '../../feature.ts';
import { httpUrl } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import { cleanFileName } from '../../platform/files/file-names.ts';
import type { Upload } from '../../platform/files/uploads.ts';
import { streamZip, type ZipEntry } from '../../platform/files/zip.ts';
import { readFilesForm, readObject, readRequestBody } from '../../platform/http/body.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { ignoreField } from '../../platform/http/ignored-fields.ts';
import { logFailure, problemOf, publicError, setErrorHeaders } from '../../platform/http/problem.ts';
import { inTermsOf, invalidRequest, parseQuery, parseWithSchema, queryOf } from '../../platform/http/validate.ts';
import { itemAt } from '../../platform/item-at.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { saidElsewhere, tell } from '../../platform/text/say.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';
import { onlyDeclared } from '../accounts/service.ts';
import { acceptCall, type JobService } from '../jobs/service.ts';
import { isAlways, jsonString } from './load.ts';

const RUN = 'run:extract/doc';

export const DOCLING_ADDRESSES: readonly ScopedAddress[] = (
  [
    ['GET', '/health', 'none'],
    ['GET', '/version', 'none'],
    ['POST', '/v1/convert/file', RUN],
    ['POST', '/v1/convert/source', RUN],
    ['POST', '/v1/convert/file/async', RUN],
    ['POST', '/v1/convert/source/async', RUN],
    ['GET', '/v1/status/poll/:task', 'none'],
    ['GET', '/v1/result/:task', 'none'],
  ] as const
).map(([method, path, keyScope]) => ({ method, path: `/docling${path}`, keyScope }));

const FORMATS = { md: 'document.md', text: 'document.txt' } as const;

type Format = keyof typeof FORMATS;

/** A hint of how to read, which changes nothing of what is promised: taken, and named as ignored. */
const hint = z.unknown().optional();

/** A value is done, describes what is done without being asked, is a hint, or is refused. */
const OPTIONS = {
  to_formats: z
    .array(z.enum(['md', 'text'], 'Only md and text are supported.'))
    .min(1)
    .default(['md'])
    .transform((formats) => [...new Set(formats)]),
  /** The first is that of the pages; other versions of docling write it in other ways. */
  ocr_lang: z.array(z.string()).optional(),
  do_ocr: isAlways(true, 'Text in pictures and scans is always recognised.'),
  force_ocr: hint,
  ocr_engine: hint,
  ocr_preset: hint,
  pdf_backend: hint,
  do_table_structure: isAlways(true, 'Tables are always read as tables.'),
  table_mode: hint,
  table_cell_matching: hint,
  document_timeout: hint,
  include_images: isAlways(false, 'Pictures are not returned.'),
  include_page_images: isAlways(false, 'Pictures are not returned.'),
  images_scale: hint,
  page_break_placeholder: hint,
  image_export_mode: z.literal('placeholder', 'Pictures are not returned. Give placeholder.').optional(),
  do_code_enrichment: isAlways(false, 'Code is not enriched.'),
  do_formula_enrichment: isAlways(false, 'Formulas are not enriched.'),
  do_picture_classification: isAlways(false, 'Pictures are not classified.'),
  do_picture_description: isAlways(false, 'Pictures are not described.'),
  do_chart_extraction: isAlways(false, 'Charts are not read.'),
  abort_on_error: hint,
  return_as_file: isAlways(false, 'Choose zip as target.'),
  pipeline: z.literal('standard', 'Only the standard pipeline is supported.').optional(),
};

const Options = z.strictObject(OPTIONS);

const Target = z.strictObject({ kind: z.enum(['inbody', 'zip'], 'Give inbody or zip.') });

/** Clients send empty objects and lists for what they do not use. */
const emptyOptionsField = (what: string) => z.strictObject({}, what).optional();

const Source = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({
      kind: z.literal('http'),
      url: httpUrl(8192),
      headers: emptyOptionsField('Headers are not sent.'),
    }),
    z.strictObject({ kind: z.literal('file'), base64_string: z.string().min(1), filename: z.string().min(1).max(300) }),
  ],
  'Give the kind http or file.',
);

const DOCUMENTS_MAX = 20;

const SourceRequest = z.strictObject({
  options: Options.prefault({}),
  sources: z.array(Source).min(1, 'Give a source.').max(DOCUMENTS_MAX, `Give at most ${DOCUMENTS_MAX} sources.`),
  target: Target.prefault({ kind: 'inbody' }),
  callbacks: z.array(z.never('Webhooks are not called from here. Register one with POST /v1/webhooks.')).optional(),
});

const FileRequest = z.strictObject({ ...OPTIONS, target_type: Target.shape.kind.default('inbody') });

const NAMES = { file: 'files', lists: ['to_formats', 'from_formats', 'ocr_lang'] };

export interface DoclingDeps {
  service: JobService;
  ownerOnly: MiddlewareHandler<HttpEnv>;
  version: string;
}

const NOT_HERE =
  "Of docling-serve's interface there are v1/convert/file, v1/convert/source, both with /async, v1/status/poll and " +
  'v1/result here. /reference/guides/other-tools says what they take.';

export function doclingRoutes({ service, ownerOnly, version }: DoclingDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.onError((error, context) => doclingErrorResponse(context, error));
  routes.use('*', onlyDeclared(DOCLING_ADDRESSES, NOT_HERE));
  routes.get('/health', (context) => context.json({ status: 'ok' }));
  routes.get('/version', (context) => context.json({ quarry: version }));
  routes.use('*', ownerOnly);
  for (const [path, read] of [
    ['file', readConversionForm],
    ['source', readSource],
  ] as const) {
    routes.post(`/v1/convert/${path}`, async (context) => {
      const { accepted, task } = await beginConversion(service, context, read, context.req.raw.signal);
      await Promise.allSettled(accepted.map((one) => one.result()));
      return convertedDocuments(service, context, task);
    });
    routes.post(`/v1/convert/${path}/async`, async (context) => {
      const { accepted, task } = await beginConversion(service, context, read, GOES_ON);
      for (const one of accepted) one.leave();
      return context.json(doclingTaskStatus(service, task));
    });
  }
  routes.get('/v1/status/poll/:task', async (context) => {
    const { wait } = parseQuery(PollQuery, queryOf(context));
    const task = taskOf(context.req.param('task'));
    const ids = task.jobIds.map((jobId) => service.jobs.row(jobId).id);
    const { signal } = context.req.raw;
    if (wait > 0) await Promise.all(ids.map((id) => service.jobs.waitUntilTerminal(id, wait * SECOND_MS, signal)));
    return context.json(doclingTaskStatus(service, task));
  });
  routes.get('/v1/result/:task', (context) => convertedDocuments(service, context, taskOf(context.req.param('task'))));
  return routes;
}

const WAIT_SECONDS_MAX = 60;

const PollQuery = z.object({ wait: z.coerce.number().min(0).max(WAIT_SECONDS_MAX).default(0) });

/** An asynchronous job goes on when the client has its answer. */
const GOES_ON = new AbortController().signal;

const UNPROCESSABLE = 422;

/** Errors in the form of FastAPI. */
export function doclingErrorResponse(context: Context<HttpEnv>, error: unknown): Response {
  const shown = publicError(error);
  logFailure(context, shown);
  setErrorHeaders(context, shown);
  const { status, detail } = problemOf(shown);
  if (shown.fields === undefined) return context.json({ detail }, status);
  const fields = shown.fields.map(({ path, message: msg }) => {
    return { type: 'value_error', loc: ['body', ...(path === '$' ? [] : path.split('.'))], msg };
  });
  return context.json({ detail: fields }, UNPROCESSABLE);
}

interface Input {
  /** The body for extract/doc. */
  value: Record<string, unknown>;
  upload: Upload | null;
}

interface Conversion {
  inputs: Input[];
  options: z.output<typeof Options>;
  target: z.output<typeof Target>['kind'];
}

type Read = (service: JobService, context: Context<HttpEnv>) => Promise<Conversion>;

async function beginConversion(service: JobService, context: Context<HttpEnv>, read: Read, signal: AbortSignal) {
  const { inputs, options, target } = await read(service, context);
  nameIgnored(context, options);
  const accepted: Awaited<ReturnType<typeof acceptCall>>[] = [];
  const language = ocrLanguageOf(options.ocr_lang ?? []);
  try {
    for (const { value, upload } of inputs) {
      const call = acceptCall(service, {
        operationId: 'extract/doc',
        principal: context.get('principal'),
        value: { ...value, ...omitUndefined({ options: language === null ? undefined : { language } }) },
        upload,
        signal,
      });
      accepted.push(await inTermsOf({ 'options.language': 'ocr_lang' }, call));
    }
  } catch (error) {
    // One request is accepted whole or not at all.
    for (const one of accepted) {
      one.leave();
      await service.jobs.cancelOpenJob(service.jobs.row(one.jobId));
    }
    throw error;
  } finally {
    // An accepted upload has moved to its job. Anything left is unused.
    await discardInputs(service, inputs);
  }
  const jobIds = accepted.map(({ jobId }) => jobId);
  context.header('X-Quarry-Job-Id', jobIds.join(', '));
  const task = { jobIds, formats: options.to_formats, zip: target === 'zip' || jobIds.length > 1 };
  return { accepted, task };
}

/** What is read whatever these say. */
const HINTS = Object.entries(OPTIONS).flatMap(([name, schema]) =>
  schema === hint ? [name as keyof typeof OPTIONS] : [],
);

function nameIgnored(context: Context<HttpEnv>, options: Conversion['options']): void {
  for (const name of HINTS) {
    const value = options[name];
    if (value !== undefined && value !== null && value !== false && value !== '') ignoreField(context, name);
  }
  if ((options.ocr_lang?.length ?? 0) > 1) ignoreField(context, 'ocr_lang');
}

/** Several languages are a guess of the client, as docling's own default (fr, de, es, en): one is found in the text. */
function ocrLanguageOf(languages: readonly string[]): string | null {
  const [first = null] = languages;
  return languages.length === 1 ? first : null;
}

async function discardInputs({ body }: JobService, inputs: readonly Input[]): Promise<void> {
  for (const { upload } of inputs) if (upload !== null) await body.uploads.discard(upload);
}

async function readConversionForm(service: JobService, context: Context<HttpEnv>): Promise<Conversion> {
  const rules = { maxFiles: DOCUMENTS_MAX, maxBytes: service.settings().documentLimitMb * MIB, names: NAMES };
  const { value, uploads } = await readFilesForm(context.env.incoming, rules, service.body);
  const inputs = uploads.map((upload) => ({ value: { file: `upload:${upload.sha256}` }, upload }));
  try {
    if (inputs.length === 0) {
      throw invalidRequest([{ path: 'files', message: tell`Send each file as a part named files.` }]);
    }
    const { target_type: target, ...options } = parseWithSchema(FileRequest, typedFormValues(value));
    return { inputs, options, target };
  } catch (error) {
    await discardInputs(service, inputs);
    throw error;
  }
}

/** Fields of a form are text: numbers and truth values get their type. */
function typedFormValues(value: Record<string, unknown>): Record<string, unknown> {
  const isTyped = (text: unknown): text is string =>
    typeof text === 'string' && /^(true|false|\d+(\.\d+)?)$/.test(text);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, isTyped(one) ? JSON.parse(one) : one]));
}

async function readSource(service: JobService, context: Context<HttpEnv>): Promise<Conversion> {
  const { documentLimitMb, jsonLimitMb } = service.settings();
  const rules = { allowsFile: false, maxFileBytes: 0, maxJsonBytes: jsonLimitMb * MIB };
  const { value: sent } = await readRequestBody(context.env.incoming, rules, service.body);
  const { options, sources, target } = parseWithSchema(SourceRequest, sent);
  const inputs: Input[] = [];
  try {
    for (const [index, source] of sources.entries()) {
      const one = readInput(service, source, documentLimitMb * MIB);
      inputs.push(await inTermsOf({ file: `sources.${index}.base64_string` }, one));
    }
  } catch (error) {
    await discardInputs(service, inputs);
    throw error;
  }
  return { inputs, options, target: target.kind };
}

async function readInput(service: JobService, source: z.output<typeof Source>, maxFileBytes: number): Promise<Input> {
  if (source.kind === 'http') return { value: { sourceUrl: source.url }, upload: null };
  const type = /\.(md|markdown)$/i.test(source.filename) ? 'text/markdown' : 'application/octet-stream';
  const given = { file: `data:${type};base64,${source.base64_string}` };
  const { value, upload } = await readObject(given, { allowsFile: true, maxFileBytes }, service.body);
  return { value, upload: upload === null ? null : { ...upload, fileName: cleanFileName(source.filename) } };
}

/** One job for each document, and the form of the result. */
interface Task {
  jobIds: readonly string[];
  formats: readonly Format[];
  zip: boolean;
}

const ZIP = 'zip';

function taskId({ jobIds, formats, zip }: Task): string {
  return [...jobIds, ...formats, ...(zip ? [ZIP] : [])].join('.');
}

function taskOf(id: string): Task {
  const parts = id.split('.');
  const formats = parts.filter((part): part is Format => Object.hasOwn(FORMATS, part));
  const jobIds = parts.filter((part) => part !== ZIP && !Object.hasOwn(FORMATS, part));
  const zip = parts.includes(ZIP);
  const task = { jobIds, formats, zip };
  const isTask = formats.length > 0 && (zip || jobIds.length === 1) && jobIds.length <= DOCUMENTS_MAX;
  if (isTask && jobIds.length > 0 && taskId(task) === id) return task;
  throw new QuarryError('not_found', 'There is no task with this id.');
}

function doclingTaskStatus({ jobs }: JobService, task: Task) {
  const rows = task.jobIds.map((jobId) => jobs.row(jobId));
  const countTaskStatus = (status: string) => rows.filter((row) => row.status === status).length;
  const [failed, completed] = [countTaskStatus('failed'), countTaskStatus('completed')];
  const isRunning = failed + completed < rows.length;
  const started = countTaskStatus('queued') === rows.length ? 'pending' : 'started';
  const [error] = rows.flatMap((row) => doclingFailureOf(row) ?? []);
  return {
    task_id: taskId(task),
    task_type: 'convert',
    task_status: isRunning ? started : completed === 0 ? 'failure' : 'success',
    task_position: null,
    task_meta: {
      num_docs: rows.length,
      num_processed: failed + completed,
      num_succeeded: completed,
      num_failed: failed,
    },
    error_message: isRunning || completed > 0 ? null : (error?.message ?? null),
  };
}

function doclingFailureOf({ error }: { error: string | null }): { code: QuarryError['code']; message: string } | null {
  return error === null ? null : parseOwnJson<{ code: QuarryError['code']; message: string }>(error);
}

/** Errors: those of the jobs, `not_found` before their end, as docling-serve answers. */
async function convertedDocuments(service: JobService, context: Context<HttpEnv>, task: Task): Promise<Response> {
  const rows = task.jobIds.map((jobId) => service.jobs.row(jobId));
  if (rows.some(({ status }) => status !== 'failed' && status !== 'completed')) {
    throw new QuarryError('not_found', 'The task has no result yet. Poll its status.');
  }
  const [failure] = rows.flatMap((row) => doclingFailureOf(row) ?? []);
  if (failure !== undefined && rows.every(({ status }) => status === 'failed')) {
    throw new QuarryError(failure.code, saidElsewhere(failure.message));
  }
  context.header('X-Quarry-Job-Id', rows.map(({ id }) => id).join(', '));
  const documents: Document[] = [];
  for (const row of rows) {
    const failed = doclingFailureOf(row)?.message;
    const messages = failed === undefined ? await jobWarningsOf(service, row.id) : [failed];
    documents.push({ ...row, isRead: failed === undefined, errors: messages.map(errorItem) });
  }
  if (task.zip) {
    context.header('Content-Type', 'application/zip');
    context.header('Content-Disposition', 'attachment; filename="converted_docs.zip"');
    return context.body(ReadableStream.from(streamZip(archiveOf(service, documents, task.formats))));
  }
  context.header('Content-Type', 'application/json');
  return context.body(ReadableStream.from(doclingAnswerPieces(service, itemAt(documents, 0), task.formats)));
}

interface Document {
  id: string;
  label: string | null;
  started_at: number | null;
  ended_at: number | null;
  isRead: boolean;
  errors: object[];
}

function errorItem(message: string): object {
  return { component_type: 'document_backend', module_name: 'quarry', error_message: message };
}

async function jobWarningsOf({ jobs }: JobService, jobId: string): Promise<string[]> {
  const { warnings } = parseOwnJson<{ warnings?: string[] }>((await jobs.storedResultText(jobId)) ?? '{}');
  return warnings ?? [];
}

async function* doclingAnswerPieces(
  service: JobService,
  { id, label, started_at: start, ended_at: end, errors }: Document,
  formats: readonly Format[],
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(`{"document":{"filename":${JSON.stringify(label)}`);
  for (const member of ['json', 'html', 'doctags']) yield encoder.encode(`,"${member}_content":null`);
  for (const [format, file] of Object.entries(FORMATS)) {
    yield encoder.encode(`,"${format}_content":`);
    const path = formats.some((one) => one === format) ? service.filePathOf(id, file) : null;
    if (path === null) yield encoder.encode('null');
    else for await (const part of jsonString(createReadStream(path, 'utf8'))) yield encoder.encode(part);
  }
  const facts = {
    status: errors.length === 0 ? 'success' : 'partial_success',
    errors,
    processing_time: ((end ?? 0) - (start ?? end ?? 0)) / SECOND_MS,
    timings: {},
  };
  yield encoder.encode(`},${JSON.stringify(facts).slice(1)}`);
}

/** The texts as they are, with the errors of all documents beside them. */
function* archiveOf(
  service: JobService,
  documents: readonly Document[],
  formats: readonly Format[],
): Generator<ZipEntry> {
  const names = new Set<string>();
  for (const { id, label, isRead } of documents) {
    const stem = freeName(stemOf(label) ?? id, names);
    for (const format of isRead ? formats : []) {
      const path = service.filePathOf(id, FORMATS[format]);
      if (path === null) continue;
      yield { name: `${stem}.${format === 'md' ? 'md' : 'txt'}`, content: createReadStream(path) };
    }
  }
  const failed = documents.filter(({ errors }) => errors.length > 0);
  if (failed.length === 0) return;
  const report = failed.map(({ label: filename, errors }) => ({ filename, errors }));
  yield { name: 'errors.json', content: [Buffer.from(JSON.stringify(report, null, 2))] };
}

/** The name of a file, or the last part of an address, without its extension. */
function stemOf(label: string | null): string | null {
  const path = label === null || !URL.canParse(label) ? label : new URL(label).pathname.replace(/\/+$/, '');
  return (
    cleanFileName(path)
      ?.replace(/(?<=.)\.[^.]+$/, '')
      .replaceAll(/[:*?"<>|]/g, '_') ?? null
  );
}

function freeName(stem: string, taken: Set<string>): string {
  let name = stem;
  for (let next = 2; taken.has(name.toLowerCase()); next++) name = `${stem}-${next}`;
  taken.add(name.toLowerCase());
  return name;
}
