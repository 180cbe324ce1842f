import { z } from 'zod';
import { QuarryError } from './platform/errors.ts';
import type { FileKind } from './platform/files/sniff.ts';
import type { LocalSource } from './platform/files/uploads.ts';
import type { FetchPolicy } from './platform/net/fetch-policy.ts';

/** The two environments: same code, separate databases, files, limits and webhooks. */
export const ENVIRONMENTS = ['production', 'staging'] as const;

export type EnvironmentName = (typeof ENVIRONMENTS)[number];

/** The query of an owner's route that shows one environment. */
export const EnvironmentQuery = z.strictObject({
  environment: z.enum(ENVIRONMENTS).default('production').describe('The environment. The two share nothing.'),
});

/**
 * An operation is one declarative module. Its path, job type and x402 resource follow from `id`; the route, the 402
 * challenge, the OpenAPI path, the dashboard form, the queue handler and the price list are computed from the rest.
 */
export interface Operation {
  /** `extract/doc` serves `POST /extract/doc`, makes jobs of type `extract/doc` and is paid as `POST /extract/doc`. */
  id: string;
  /** One sentence for people: OpenAPI summary, challenge description, form title. */
  summary: string;
  /** Markdown for the reference: what it does with which input. */
  description: string;
  /** `job` answers 202 and runs in the queue; `inline` answers 200 at once, and its job row is written all the same. */
  mode: 'job' | 'inline';
  price: Price | null;
  /** Prefix of its jobs' ids. */
  idPrefix: 'job' | 'crl' | 'txt';
  /** Which class of slots its jobs take: a full class never delays another. */
  queueClass: QueueClass;
  /** The request body. Descriptions, bounds and defaults in it are what OpenAPI and the form show. */
  request: z.ZodObject;
  /** Present when the operation reads a file: `file` or `sourceUrl`. Multipart bodies are taken only then. */
  source?: SourceRule;
  /** Fields of the 202 beyond `jobId`, `status`, `statusUrl`, `etaSeconds`. */
  accepted?: z.ZodObject;
  result: z.ZodObject;
  example: OperationExample;
  /** The services that it uses; it can open no others. */
  uses?: readonly ServiceName[];
  retry: { attempts: number; baseDelaySeconds: number };
  /** Wall time one attempt may take. */
  timeLimitSeconds: number;
  /** What a run is expected to take until runs of its own on this machine say so: `etaSeconds` of the first one. */
  firstRun: RunGuess;
  /** The 202 is held this long for small sources, so that their result can ride in it. */
  inlineWait?: { milliseconds: number; belowBytes: number };
  /** Requests with the same key share one job while it is unexpired. */
  dedupeKey?(request: never, accountId: string): string;
  /** Values of `accepted`, for the 202. */
  acceptedFields?(request: never, jobId: string): Record<string, unknown>;
  /**
   * Once the request is validated and before anything is charged: refuses what no schema can see, such as a model that
   * is not there. What it gives back is called when the answer is out, and frees what was held for it.
   */
  admit?(request: never, ports: AdmitPorts): Promise<(() => void) | undefined>;
  /**
   * Once the job is accepted, and so paid for, and before the 202: makes what the acceptance shows beyond the job, as
   * values of `accepted`. The client waits for it, so it bounds its own time.
   */
  prepare?(request: never, ports: PreparePorts, signal: AbortSignal): Promise<Record<string, unknown>>;
  /** Only with mode `inline`: how the answer is made. */
  inline?: InlineRule;
  run(request: never, ports: Ports, signal: AbortSignal): Promise<Record<string, unknown>>;
}

/** What the API document shows of an operation. Hosts end with `.example`, which nobody can register. */
interface OperationExample {
  /** A body that the operation takes. */
  request: Record<string, unknown>;
  /** What `prepare` adds to the 202 of that request. @param urlOf address of a file of the job */
  prepared?(urlOf: (name: string) => string): Record<string, unknown>;
  /** Of an inline operation: what `run` gives for that request, and what it says before. */
  result?: Record<string, unknown>;
  emitted?: readonly (readonly [event: string, data: Record<string, unknown>])[];
}

export interface InlineRule {
  /** `deterministic`: the same request of the same account has the same job, whose answer the newest run replaces. */
  jobId: 'random' | 'deterministic';
  /** Whether `?stream=true` is taken: what `ports.emit` says then goes out as server-sent events. */
  streams: boolean;
  /** The body of the 200. */
  body(result: Record<string, unknown>, jobId: string): Record<string, unknown>;
}

interface SourceRule {
  /** Kinds the operation can read. Others are refused, at acceptance where the bytes are there already. */
  kinds: readonly FileKind[];
  /** Which of the upload limits (settings) applies. */
  sizeLimit: 'document' | 'video';
  /** `sourceUrl` is a page about the source, which the operation itself reads; otherwise it is fetched before. */
  urlIsPage?: boolean;
  /** Kinds that belong to another operation: the job becomes one of that type. */
  reroutes?: Partial<Record<FileKind, string>>;
}

/**
 * What operations ask of the features, by name. A feature adds its service beside its schemas (`declare module`); the
 * application opens it when a job first uses it.
 */
// biome-ignore lint/suspicious/noEmptyInterface: features add their services.
export interface Services {}

export type ServiceName = keyof Services;

/** Opens a service, which is made when it is first used. */
export type UseService<Used extends ServiceName = ServiceName> = <Name extends Used>(
  name: Name,
) => Promise<Services[Name]>;

/** The job that runs, as its operation and the services see it. */
export interface JobHandle {
  id: string;
  accountId: string;
  /** What clients see of the run; percent never goes back. */
  progress(progress: JobProgress): void;
  /** Sends an event to the client that waits for an inline answer as a stream; to nobody otherwise. */
  emit(event: string, data: Record<string, unknown>): void;
  /** The job's own folder: what is written here is served under /jobs/{jobId}/files/{name}. */
  files: JobFiles;
  /** Absolute path of a folder that is not served, and survives an interrupted run. It may not exist yet. */
  workFolder: string;
  /** Seconds that fetching the source took. */
  spentSeconds: number;
  /** Which addresses may be fetched for this account. */
  fetchPolicy: FetchPolicy;
  /** The upload limit of the operation, in bytes. */
  maxSourceBytes: number;
  /** The result's chunks are not in the result: they are in chunks.jsonl, which has this size. */
  chunksInFile(sizeBytes: number): void;
}

/** A running job as engines take it, with the folder and addresses of its files as values of their own. */
export function engineJob(job: JobHandle) {
  const { accountId, files, workFolder, spentSeconds, progress, chunksInFile } = job;
  const { folder: filesFolder, urlOf } = files;
  const { fetchPolicy: policy, maxSourceBytes: maxBytes } = job;
  return { accountId, filesFolder, urlOf, workFolder, spentSeconds, progress, chunksInFile, policy, maxBytes };
}

/** What `run` works with. */
export interface Ports<Used extends ServiceName = ServiceName> extends JobHandle {
  /** The file to read, fetched already; only where the operation declares `source`. */
  source: LocalSource;
  use: UseService<Used>;
}

/** What `prepare` works with, between acceptance and its answer. */
interface PreparePorts<Used extends ServiceName = ServiceName> extends Pick<JobHandle, 'accountId' | 'files'> {
  use: UseService<Used>;
}

/** What `admit` works with, before a payment is settled. */
interface AdmitPorts<Used extends ServiceName = ServiceName> {
  use: UseService<Used>;
  /** The owner pays nothing, so a job of theirs may be tried that may fail. */
  isOwner: boolean;
}

export interface JobFiles {
  /** Absolute path of the folder itself; it exists. Never shown. */
  folder: string;
  /** Absolute path for a file of this name; the folder exists. Never shown. */
  pathOf(name: string): string;
  /** Public URL of the file. */
  urlOf(name: string): string;
}

/** Checks that request, options and result agree, and gives back the module as the registry's common type. */
export function defineOperation<
  Request extends z.ZodObject,
  Result extends z.ZodObject,
  Used extends ServiceName = never,
>(
  operation: Omit<
    Operation,
    'request' | 'result' | 'example' | 'run' | 'uses' | 'dedupeKey' | 'acceptedFields' | 'admit' | 'prepare'
  > & {
    request: Request;
    uses?: readonly Used[];
    result: Result;
    example: OperationExample & { request: z.input<Request>; result?: z.input<Result> };
    dedupeKey?(request: z.output<Request>, accountId: string): string;
    acceptedFields?(request: z.output<Request>, jobId: string): Record<string, unknown>;
    admit?(request: z.output<Request>, ports: AdmitPorts<Used>): Promise<(() => void) | undefined>;
    prepare?(
      request: z.output<Request>,
      ports: PreparePorts<Used>,
      signal: AbortSignal,
    ): Promise<Record<string, unknown>>;
    run(request: z.output<Request>, ports: Ports<Used>, signal: AbortSignal): Promise<z.input<Result>>;
  },
): Operation {
  return operation as unknown as Operation;
}

/**
 * A list or search by an operation that there is not would find nothing, which looks like an answer.
 *
 * @param path of the field that names it. Errors: `invalid_request`.
 */
export function checkOperationId(
  operations: readonly { id: string }[],
  path: string,
  operationId: string | undefined,
): void {
  if (operationId === undefined || operations.some(({ id }) => id === operationId)) return;
  const message = `Give the name of an operation: ${operations.map(({ id }) => id).join(', ')}.`;
  throw new QuarryError('invalid_request', `${path}: ${message}`, { fields: [{ path, message }] });
}

/** A chunk of text with a place (interface: `result.chunks`; decisions 2). */
export const Chunk = z
  .object({
    id: z.string().describe('Stable for the same input and options.'),
    text: z.string(),
    page: z.int().min(1).describe('Page the chunk begins on; 1 where a source has no pages.'),
    segmentIndex: z.int().min(0).describe('Running number of the chunk.'),
    kind: z.enum(['text', 'table', 'caption', 'comment', 'frame-text']).optional(),
    heading: z.string().optional().describe('Path of the headings above the chunk, joined with " > ".'),
    startOffset: z.int().min(0).optional().describe('First character in document.txt, in UTF-16 code units.'),
    endOffset: z.int().min(0).optional().describe('One past the last character in document.txt.'),
    startSeconds: z.number().min(0).optional(),
    endSeconds: z.number().min(0).optional(),
    url: z.string().optional().describe('Page the chunk is from (crawl).'),
    originalText: z.string().optional().describe('What the text was before an approved correction.'),
  })
  .meta({ id: 'Chunk' });

export type Chunk = z.infer<typeof Chunk>;

/** Signed addresses are long. */
const MAX_SOURCE_URL_CHARS = 8192;

const MAX_WEBHOOK_URL_CHARS = 2048;

/** Fields every extraction request shares. `options` differs per operation and has a default of its own. */
export function extractionRequest<Options extends z.ZodType>(options: Options) {
  return z.strictObject({
    sourceUrl: httpUrl(MAX_SOURCE_URL_CHARS)
      .optional()
      .describe('HTTPS or signed URL of the source. Required when file is absent.'),
    file: z
      .string()
      .optional()
      .describe('The content itself: a multipart field named file, or a data URI data:<mime>;base64,<data> in JSON.'),
    sourceName: z.string().min(1).max(300).optional().describe('A label stored with the result.'),
    options,
    webhookUrl: webhookUrl().optional(),
  });
}

export function webhookUrl() {
  return httpUrl(MAX_WEBHOOK_URL_CHARS).describe('HTTPS URL that is called when the job has finished.');
}

/** An address on the web. Who may name a plain http one is decided where it is known who asks. */
export function httpUrl(maxChars: number) {
  // Of a field that is missing, no text or too long the general sentences say more.
  const error: z.core.$ZodErrorMap = ({ code }) =>
    code === 'invalid_format' ? 'Give an absolute https URL.' : undefined;
  return z
    .url({ protocol: /^https?$/, error })
    .max(maxChars)
    .refine(namesHost, 'Give a URL with a host after its //.');
}

/**
 * `https:///files/a.pdf` is what is left where a client's host is empty. Parsers made for browsers take `files` for the
 * host; it names none (RFC 9110, section 4.2), and nobody pays for a look at that one.
 */
function namesHost(address: string): boolean {
  return !/^https?:\/\/[\\/]/i.test(address.replace(/[\t\n\r]/g, '').trim());
}

/** ISO 639-1 or 639-3 code, with an optional region or script: en, eng, pt-BR, zh-Hant. */
export function languageHint() {
  return z
    .string()
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$/, 'Give an ISO language code such as en, eng or pt-BR.')
    .describe('ISO language hint.');
}

/** `transcriptionModel`, where words are heard. */
export function speechModelName() {
  return z
    .string()
    .min(1)
    .max(200)
    .meta({ examples: ['auto', 'whisper-large-v3'] })
    .describe('A speech model’s name, for example whisper-large-v3; auto or none is the best installed one.');
}

/** Target characters per chunk. The bounds keep a chunk useful and an answer finite. */
export function segmentLength(byDefault: number) {
  return z.int().min(50).max(20_000).default(byDefault).describe('Target characters per chunk.');
}

/** What an operation costs. `amount` is in the 6-decimal unit of the asset: 140000 is 0.14 USDC. */
export interface Price {
  amount: number;
  timeoutSeconds: number;
}

/** Priorities in the order of their stored number: low 0, normal 1, high 2. */
export const PRIORITIES = ['low', 'normal', 'high'] as const;

export type Priority = (typeof PRIORITIES)[number];

/** Classes of work: a full class never delays a job of another class. */
export const QUEUE_CLASSES = ['light', 'heavy', 'network'] as const;

export type QueueClass = (typeof QUEUE_CLASSES)[number];

export const JobProgress = z
  .object({
    percent: z.number().min(0).max(100),
    stage: z.string(),
    message: z.string(),
  })
  .meta({ id: 'JobProgress' });

export type JobProgress = z.infer<typeof JobProgress>;

/** What a run of an operation is expected to take before this machine has run one. */
export interface RunGuess {
  seconds: number;
  /** Counts where the file came with the request. */
  secondsPerMegabyte: number;
}

/** A file of a job, under `GET /jobs/{jobId}/files/{name}`. */
export const JobFile = z.object({ name: z.string(), url: z.string() }).meta({ id: 'JobFile' });
