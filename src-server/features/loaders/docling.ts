/** The part of docling-serve's version 1 that loaders use: a file or an address in, its Markdown or text out. */
import { createReadStream } from 'node:fs';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import { httpUrl } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import { cleanFileName } from '../../platform/files/file-names.ts';
import type { Upload } from '../../platform/files/uploads.ts';
import { readObject, readRequestBody } from '../../platform/http/body.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { logFailure, problemOf, publicError, setErrorHeaders } from '../../platform/http/problem.ts';
import { invalidRequest, parseWithSchema, queryOf } from '../../platform/http/validate.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';
import type { ScopedAddress } from '../accounts/service.ts';
import { acceptCall, type JobService } from '../jobs/service.ts';
import { jsonString } from './load.ts';

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

const isAlways = (value: boolean, what: string) => z.literal(value, `${what} Leave it out.`).optional();

/** What changes the text is done or refused. How docling does it is its own, and not chosen here. */
const OPTIONS = {
  to_formats: z
    .array(z.enum(['md', 'text'], 'Only md and text are supported.'))
    .min(1)
    .default(['md'])
    .transform((formats) => [...new Set(formats)]),
  ocr_lang: z.array(z.string()).max(1, 'Give one language.').optional(),
  do_ocr: isAlways(true, 'Text in pictures and scans is always recognised.'),
  force_ocr: isAlways(false, 'Only pages without text of their own are recognised.'),
  do_table_structure: isAlways(true, 'Tables are always read as tables.'),
  include_images: isAlways(false, 'Pictures are not returned.'),
  image_export_mode: z.literal('placeholder', 'Pictures are not returned. Give placeholder.').optional(),
  do_code_enrichment: isAlways(false, 'Code is not enriched.'),
  do_formula_enrichment: isAlways(false, 'Formulas are not enriched.'),
  do_picture_classification: isAlways(false, 'Pictures are not classified.'),
  do_picture_description: isAlways(false, 'Pictures are not described.'),
  return_as_file: isAlways(false, 'The answer is always JSON.'),
  pipeline: z.literal('standard', 'Only the standard pipeline is supported.').optional(),
  ocr_engine: z.string().optional(),
  pdf_backend: z.string().optional(),
  table_mode: z.enum(['fast', 'accurate']).optional(),
  table_cell_matching: z.boolean().optional(),
  abort_on_error: z.boolean().optional(),
  images_scale: z.number().optional(),
};

const Options = z.strictObject(OPTIONS);

const Target = z.strictObject({ kind: z.literal('inbody', 'The answer is always in the body. Give inbody.') });

const Source = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('http'), url: httpUrl(8192) }),
    z.strictObject({ kind: z.literal('file'), base64_string: z.string().min(1), filename: z.string().min(1).max(300) }),
  ],
  'Give the kind http or file.',
);

const SourceRequest = z.strictObject({
  options: Options.prefault({}),
  sources: z.array(Source).length(1, 'Give one source.'),
  target: Target.optional(),
});

const FileRequest = z.strictObject({
  ...OPTIONS,
  file: z.string('Send the file as a part named files.'),
  target_type: Target.shape.kind.optional(),
});

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
  routes.get('/health', (context) => context.json({ status: 'ok' }));
  routes.get('/version', (context) => context.json({ quarry: version }));
  routes.use('*', ownerOnly);
  for (const [path, read] of [
    ['file', readForm],
    ['source', readSource],
  ] as const) {
    routes.post(`/v1/convert/${path}`, async (context) => {
      const task = await begin(service, context, read, context.req.raw.signal);
      const { warnings } = (await task.accepted.result()) as { warnings?: string[] };
      return converted(service, context, task, warnings);
    });
    routes.post(`/v1/convert/${path}/async`, async (context) => {
      const { accepted, jobId, formats } = await begin(service, context, read, GOES_ON);
      accepted.leave();
      return context.json(statusOf(service, jobId, formats));
    });
  }
  routes.get('/v1/status/poll/:task', async (context) => {
    const { wait } = parseWithSchema(PollQuery, queryOf(context));
    const { jobId, formats } = taskOf(context.req.param('task'));
    const { id } = service.jobs.row(jobId);
    if (wait > 0) await service.jobs.waitUntilTerminal(id, wait * SECOND_MS, context.req.raw.signal);
    return context.json(statusOf(service, id, formats));
  });
  routes.get('/v1/result/:task', (context) => {
    return converted(service, context, taskOf(context.req.param('task')));
  });
  routes.all('*', () => {
    throw new QuarryError('not_found', NOT_HERE);
  });
  return routes;
}

const WAIT_SECONDS_MAX = 60;

const PollQuery = z.object({ wait: z.coerce.number().min(0).max(WAIT_SECONDS_MAX).default(0) });

/** An asynchronous job goes on when the client has its answer. */
const GOES_ON = new AbortController().signal;

/** Errors in the form of FastAPI. */
export function doclingErrorResponse(context: Context<HttpEnv>, error: unknown): Response {
  const shown = publicError(error);
  logFailure(context, shown);
  setErrorHeaders(context, shown);
  const { status, detail } = problemOf(shown);
  return context.json({ detail }, status as ContentfulStatusCode);
}

interface Conversion {
  /** The body for extract/doc. */
  value: Record<string, unknown>;
  upload: Upload | null;
  options: z.output<typeof Options>;
}

type Read = (service: JobService, context: Context<HttpEnv>) => Promise<Conversion>;

async function begin(service: JobService, context: Context<HttpEnv>, read: Read, signal: AbortSignal) {
  const { value, upload, options } = await read(service, context);
  try {
    const language = options.ocr_lang?.[0];
    const accepted = await acceptCall(service, {
      operationId: 'extract/doc',
      principal: context.get('principal'),
      value: { ...value, ...(language === undefined ? {} : { options: { language } }) },
      upload,
      signal,
    });
    context.header('X-Quarry-Job-Id', accepted.jobId);
    return { accepted, jobId: accepted.jobId, formats: options.to_formats };
  } finally {
    // An accepted upload has moved to its job. Anything left is unused.
    if (upload !== null) await service.body.uploads.discard(upload);
  }
}

async function readForm(service: JobService, context: Context<HttpEnv>): Promise<Conversion> {
  const maxFileBytes = service.settings().documentLimitMb * MIB;
  const rules = { allowsFile: true, maxFileBytes, maxJsonBytes: 0, names: NAMES };
  const { value, upload } = await readRequestBody(context.env.incoming, rules, service.body);
  try {
    const { file, target_type: _target, ...options } = parseWithSchema(FileRequest, typed(value));
    return { value: { file }, upload, options };
  } catch (error) {
    if (upload !== null) await service.body.uploads.discard(upload);
    throw error;
  }
}

/** Fields of a form are text: numbers and truth values get their type. */
function typed(value: Record<string, unknown>): Record<string, unknown> {
  const isTyped = (text: unknown): text is string =>
    typeof text === 'string' && /^(true|false|\d+(\.\d+)?)$/.test(text);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, isTyped(one) ? (JSON.parse(one) as unknown) : one]),
  );
}

async function readSource(service: JobService, context: Context<HttpEnv>): Promise<Conversion> {
  const { documentLimitMb, jsonLimitMb } = service.settings();
  const rules = { allowsFile: false, maxFileBytes: 0, maxJsonBytes: jsonLimitMb * MIB };
  const { value: sent } = await readRequestBody(context.env.incoming, rules, service.body);
  const { options, sources } = parseWithSchema(SourceRequest, sent);
  const [source] = sources;
  if (source === undefined) throw invalidRequest([{ path: 'sources', message: 'Give one source.' }]);
  if (source.kind === 'http') return { value: { sourceUrl: source.url }, upload: null, options };
  const fileName = cleanFileName(source.filename);
  const type = /\.(md|markdown)$/i.test(source.filename) ? 'text/markdown' : 'application/octet-stream';
  const given = { file: `data:${type};base64,${source.base64_string}` };
  const { value, upload } = await readObject(
    given,
    { allowsFile: true, maxFileBytes: documentLimitMb * MIB },
    service.body,
  );
  return { value, upload: upload === null ? null : { ...upload, fileName }, options };
}

/** A task is a job and the formats that its result has. */
function taskId(jobId: string, formats: readonly Format[]): string {
  return [jobId, ...formats].join('.');
}

interface Task {
  jobId: string;
  formats: readonly Format[];
}

function taskOf(id: string): Task {
  const [jobId = '', ...formats] = id.split('.');
  const known = formats.filter((format): format is Format => Object.hasOwn(FORMATS, format));
  if (known.length > 0 && known.length === formats.length) return { jobId, formats: known };
  throw new QuarryError('not_found', 'There is no task with this id.');
}

const TASK_STATUS = { queued: 'pending', processing: 'started', completed: 'success', failed: 'failure' } as const;

function statusOf({ jobs }: JobService, jobId: string, formats: readonly Format[]) {
  const { status, error } = jobs.row(jobId);
  return {
    task_id: taskId(jobId, formats),
    task_type: 'convert',
    task_status: TASK_STATUS[status],
    task_position: null,
    task_meta: null,
    error_message: error === null ? null : (JSON.parse(error) as { message: string }).message,
  };
}

/** Errors: that of the job, `not_found` for one that has not ended, as docling-serve answers. */
async function converted(
  service: JobService,
  context: Context<HttpEnv>,
  { jobId, formats }: Task,
  known?: string[],
): Promise<Response> {
  const job = service.jobs.row(jobId);
  if (job.status === 'failed' && job.error !== null) {
    const { code, message } = JSON.parse(job.error) as { code: QuarryError['code']; message: string };
    throw new QuarryError(code, message);
  }
  if (job.status !== 'completed') throw new QuarryError('not_found', 'The task has no result yet. Poll its status.');
  const warnings = known ?? (await warningsOf(service, job.id));
  const seconds = ((job.ended_at ?? 0) - (job.started_at ?? job.ended_at ?? 0)) / SECOND_MS;
  const end = {
    status: warnings.length === 0 ? 'success' : 'partial_success',
    errors: warnings.map((message) => ({
      component_type: 'document_backend',
      module_name: 'quarry',
      error_message: message,
    })),
    processing_time: seconds,
    timings: {},
  };
  context.header('Content-Type', 'application/json');
  context.header('X-Quarry-Job-Id', job.id);
  return context.body(ReadableStream.from(bodyOf(service, { jobId: job.id, name: job.label, formats, end })));
}

async function warningsOf({ jobs }: JobService, jobId: string): Promise<string[]> {
  const { warnings } = JSON.parse((await jobs.result(jobId)) ?? '{}') as { warnings?: string[] };
  return warnings ?? [];
}

interface Body {
  jobId: string;
  name: string;
  formats: readonly Format[];
  end: object;
}

async function* bodyOf(service: JobService, { jobId, name, formats, end }: Body): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(`{"document":{"filename":${JSON.stringify(name)}`);
  for (const member of ['json', 'html', 'doctags']) yield encoder.encode(`,"${member}_content":null`);
  for (const [format, file] of Object.entries(FORMATS)) {
    yield encoder.encode(`,"${format}_content":`);
    const path = formats.includes(format as Format) ? service.filePathOf(jobId, file) : null;
    if (path === null) yield encoder.encode('null');
    else for await (const part of jsonString(createReadStream(path, 'utf8'))) yield encoder.encode(part);
  }
  yield encoder.encode(`},${JSON.stringify(end).slice(1)}`);
}
