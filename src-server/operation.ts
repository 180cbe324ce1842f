import { z } from 'zod';
import { QuarryError } from './platform/errors.ts';
import type { FileKind } from './platform/files/kinds.ts';
import type { LocalSource } from './platform/files/uploads.ts';
import type { KeyScope } from './platform/http/route.ts';
import type { Missing, Need } from './platform/install-choice.ts';
import type { ModelFacts } from './platform/model-facts.ts';
import type { FetchPolicy } from './platform/net/fetch-policy.ts';
import { type Said, say } from './platform/text/say.ts';

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
  /**
   * `extract/doc` serves `POST /extract/doc`, creates jobs of type `extract/doc` and is paid as `POST /extract/doc`.
   */
  id: string;
  /** One sentence for the OpenAPI summary, the challenge description and the form title. */
  summary: string;
  /** Markdown for the reference: inputs and results. */
  description: string;
  /** How people name it and what it makes. The window's copy is made by `npm run generate`. */
  words: OperationWords;
  /** `job` answers 202 and runs in the queue. `inline` answers 200 with the result, and also has a job row. */
  mode: 'job' | 'inline';
  /** Place in lists of operations: lower ones first, then by feature. Default 0. */
  order?: number;
  price: Price | null;
  idPrefix: 'job' | 'crl' | 'txt';
  /** Queue class of the jobs. A full class never delays another. */
  queueClass: QueueClass;
  /** The request body. OpenAPI and the form show its descriptions, bounds and defaults. */
  request: z.ZodObject;
  /** Set when the operation reads a file, from `file` or `sourceUrl`. Only then are multipart bodies accepted. */
  source?: SourceRule;
  /** The field with the address of its source, of an operation without `source`. */
  addressField?: 'url';
  /** Fields of the 202 beyond `jobId`, `status`, `statusUrl`, `etaSeconds`. */
  accepted?: z.ZodObject;
  result: z.ZodObject;
  example: OperationExample;
  /** What a named key needs for it. Default: `run:` and its id. */
  keyScope?: KeyScope;
  /** Whether a linked phone or computer may run it. Default: true. */
  forDevices?: boolean;
  /** The services that it uses. It can open no others. */
  uses?: readonly ServiceName[];
  retry: { attempts: number; baseDelaySeconds: number };
  /** Time limit of one attempt. */
  timeLimitSeconds: number;
  /** Expected duration until this machine has its own measurements. Gives `etaSeconds` of the first job. */
  firstRun: RunGuess;
  /** For small sources the 202 waits this long, so that it can contain the result. */
  inlineWait?: { milliseconds: number; belowBytes: number };
  /** What a request makes, where results of the operation differ in kind: `music`. Shown in the owner's lists. */
  variant?(request: never): string;
  /** Whether the request makes a heavy job, whatever `queueClass` says. */
  isHeavy?(request: never): boolean;
  /** Whether what it makes receives the results of all jobs. Its caller needs the scope to read them. */
  receivesJobs?: boolean;
  /** Requests with the same key share one job while it is unexpired. */
  dedupeKey?(request: never, ports: DedupePorts): Promise<string>;
  /** A completed job that is older is not shared. Null for no limit. */
  maxAgeSeconds?(request: never): number | null;
  /** Values of `accepted`, for the 202. */
  acceptedFields?(request: never, jobId: string): Record<string, unknown>;
  /**
   * Runs after validation and before payment. Refuses what a schema cannot check, such as a missing model. The returned
   * function runs after the response and frees what was reserved.
   */
  admit?(request: never, ports: AdmitPorts): Promise<(() => void) | undefined>;
  /**
   * Runs after submission, and so after payment, before the 202. Returns further values of `accepted`. The client waits
   * for it, so it bounds its own time.
   */
  prepare?(request: never, ports: PreparePorts, signal: AbortSignal): Promise<Record<string, unknown>>;
  /** Set with mode `inline`: how the response is made. */
  inline?: InlineRule;
  /**
   * Set when nodes may run jobs of the operation: what a node needs for this one, and the request for it. Null for a
   * job that stays on this machine. `source` is null where the operation reads none, and before it is fetched.
   */
  travels?(request: never, source: TravelSource | null, ports: TravelPorts): Promise<Travel | null>;
  /**
   * Runs on this machine before a job travels, and fetches into its work folder what a node may not fetch. False: the
   * job stays after all.
   */
  gather?(request: never, ports: GatherPorts, signal: AbortSignal): Promise<boolean>;
  /** Names of files in the work folder that a node sends back while it works: the next run goes on from them. */
  checkpoints?: RegExp;
  /** Names of further files in the work folder that a run on a node begins with. */
  carries?: RegExp;
  /** Runs on this machine when a run on a node has ended. */
  arrived?(result: never, ports: { use: UseService; accountId: string }): Promise<void>;
  run(request: never, ports: Ports, signal: AbortSignal): Promise<Record<string, unknown>>;
  /** Event of a result, which webhooks may subscribe to besides the end of the job; null when it did not occur. */
  furtherEvent?(result: never): FurtherEvent | null;
}

/** Groups of work in the order of the window. Jobs of a group share a colour, and are summed together. */
export const WORK_GROUPS = ['read', 'transcribe', 'crawl', 'speak', 'compose', 'write', 'search', 'other'] as const;

/** Words for an operation, or for a variant of its jobs. */
interface WorkWords {
  group: (typeof WORK_GROUPS)[number];
  /** An icon of Lucide that `src-renderer/components/icon.tsx` loads. */
  icon: string;
  /** What a job makes: `Document`. */
  noun: string;
  /** Several: `PDF documents`. */
  plural: string;
  /** While it runs: `Reading`. */
  doing: string;
  /** Set for the one that stands for its group: its tile on the Run page, and the name of sums of the group. */
  leads?: { label: string; about: string; plural: string };
}

export interface OperationWords extends WorkWords {
  /** What one call does, also in lists of prices and keys: `Read a document`. */
  name: string;
  /** What it does to each of many sources: `Read documents`. Default: the name. */
  short?: string;
  /** Words for values of `variant` that differ in kind. */
  variants?: Readonly<Record<string, WorkWords>>;
}

/** A job in a sentence: by its label, else by what its operation makes. */
export function jobNameOf(job: { label: string; operation_id: string }, operations: readonly Operation[]): string {
  const operation = operations.find(({ id }) => id === job.operation_id);
  return job.label || (operation?.words.noun ?? job.operation_id);
}

type TravelSource = Pick<LocalSource, 'kind' | 'sizeBytes'>;

/** The parameters of `travels`. */
export interface TravelPorts<Used extends ServiceName = ServiceName> {
  use: UseService<Used>;
  accountId: string;
  /** Null before the job is accepted. */
  jobId: string | null;
  /** The models of each node that may run the operation, also of those that are away; nodes that are there first. */
  nodes: readonly (readonly ModelFacts[])[];
}

/** The parameters of `gather`. */
type GatherPorts<Used extends ServiceName = ServiceName> = JobHandle & { use: UseService<Used> };

export interface Travel {
  /** Names of the models that the node must have. */
  models: readonly string[];
  /** Names what this machine would choose, so that the result does not depend on the place. */
  request: Record<string, unknown>;
  /** Choices that the request has no field for. */
  choices?: TravelChoices;
  /** What this machine lacks for the job: only a node can run it. Absent where both can. */
  lacks?: Missing;
}

/** What the machine that sent a job chose for it. */
export interface TravelChoices {
  textModel?: string | undefined;
  speakerModel?: string | undefined;
  /** Voice models to choose from. */
  voiceModels?: readonly string[] | undefined;
  /** The owner's pronunciations. */
  pronunciations?: readonly string[] | undefined;
  /** The remembered voices of the account; `vector` is base64 of 32-bit floats. */
  rememberedVoices?: readonly { id: string; name: string; model: string; vector: string }[] | undefined;
}

/**
 * Makes a travel with the models of this machine, else with those of a node. Errors: those of this machine.
 *
 * @param need what the models are for, where the error does not say
 * @param make null: models of this machine
 */
export async function travelWith(
  nodes: TravelPorts['nodes'],
  need: Need,
  make: (models: readonly ModelFacts[] | null) => Promise<Travel | null>,
): Promise<Travel | null> {
  try {
    return await make(null);
  } catch (error) {
    if (!(error instanceof QuarryError)) throw error;
    for (const models of nodes) {
      const travel = await make(models).catch((fault: unknown) => {
        if (fault instanceof QuarryError) return null;
        throw fault;
      });
      if (travel !== null) return { ...travel, lacks: error.missing ?? { need, language: null } };
    }
    throw error;
  }
}

export type FurtherEvent = 'crawl.changed';

/** The example in the API document. Hosts end with `.example`, which cannot be registered. */
interface OperationExample {
  /** A valid request body. */
  request: Record<string, unknown>;
  /** What `prepare` adds to the 202 of that request. @param urlOf URL of a file of the job */
  prepared?(urlOf: (name: string) => string): Record<string, unknown>;
  /** For an inline operation: the result of that request, without the messages before it. */
  result?: Record<string, unknown>;
  emitted?: readonly (readonly [event: string, data: Record<string, unknown>])[];
}

export interface InlineRule {
  /** `deterministic`: identical requests of an account share one job id, and the newest run replaces the result. */
  jobId: 'random' | 'deterministic';
  /** Whether `?stream=true` is accepted. Events of `ports.emit` are then sent as server-sent events. */
  streams: boolean;
  /** The body of the 200. */
  body(result: Record<string, unknown>, jobId: string): Record<string, unknown>;
}

interface SourceRule {
  /** Accepted kinds. Others are refused, at submission when the bytes are present. */
  kinds: readonly FileKind[];
  /** Kinds accepted from `sourceUrl` only, because they mean nothing without their address. */
  fetchedKinds?: readonly FileKind[];
  /** The upload limit (a setting) that applies. */
  sizeLimit: 'document' | 'video';
  /** `sourceUrl` is a page that the operation itself reads. Otherwise the source is fetched before the run. */
  urlIsPage?: boolean;
  /** Kinds of other operations. The job becomes one of that type. */
  reroutes?: Partial<Record<FileKind, string>>;
}

/**
 * The services of features, by name. A feature adds its service beside its schemas (`declare module`). The application
 * opens it when a job first uses it.
 */
// biome-ignore lint/suspicious/noEmptyInterface: features add their services.
export interface Services {}

export type ServiceName = keyof Services;

/** Opens a service. It is created on first use. */
export type UseService<Used extends ServiceName = ServiceName> = <Name extends Used>(
  name: Name,
) => Promise<Services[Name]>;

/** The running job, as its operation and the services see it. */
export interface JobHandle {
  id: string;
  accountId: string;
  /** Progress for clients. Percent never decreases. */
  progress(progress: ProgressReport): void;
  /** Sends an event to the client that streams an inline result, or to the clients that follow the job. */
  emit(event: string, data: Record<string, unknown>): void;
  /** The job's own folder. Files here are served under /jobs/{jobId}/files/{name}. */
  files: JobFiles;
  /** Absolute path of a private folder that survives an interrupted run. It may not exist yet. */
  workFolder: string;
  /** Seconds spent on fetching the source. */
  spentSeconds: number;
  /** The address policy for this account. */
  fetchPolicy: FetchPolicy;
  /** The upload limit of the operation, in bytes. */
  maxSourceBytes: number;
  /** The chunks are in chunks.jsonl, which has this size, and not in the result. */
  chunksInFile(sizeBytes: number): void;
  /** On a node: the choices of the machine that sent the job. Empty elsewhere. */
  choices: TravelChoices;
}

/** A running job for engines, with its folder and file URLs as separate values. */
export function engineJob(job: JobHandle) {
  const { accountId, files, workFolder, spentSeconds, progress, emit, chunksInFile, choices } = job;
  const { folder: filesFolder, urlOf } = files;
  const { fetchPolicy: policy, maxSourceBytes: maxBytes } = job;
  const own = { accountId, filesFolder, urlOf, workFolder, spentSeconds, choices };
  return { ...own, progress, emit, chunksInFile, policy, maxBytes };
}

/** The parameters of `run`. */
export interface Ports<Used extends ServiceName = ServiceName> extends JobHandle {
  /** The file to read, already fetched. Only for operations that declare `source`. */
  source: LocalSource;
  use: UseService<Used>;
}

/** The parameters of `prepare`. */
interface PreparePorts<Used extends ServiceName = ServiceName> extends Pick<JobHandle, 'accountId' | 'files'> {
  use: UseService<Used>;
}

/** The parameters of `dedupeKey`. */
interface DedupePorts<Used extends ServiceName = ServiceName> {
  use: UseService<Used>;
  accountId: string;
}

/** The parameters of `admit`. */
interface AdmitPorts<Used extends ServiceName = ServiceName> {
  use: UseService<Used>;
  /** The owner pays nothing, so the owner's job may start even if it may fail. */
  isOwner: boolean;
}

export interface JobFiles {
  /** Absolute path of the existing folder. Never shown. */
  folder: string;
  /** Absolute path for a file name in the existing folder. Never shown. */
  pathOf(name: string): string;
  /** Public URL of the file. */
  urlOf(name: string): string;
}

/** A request or result that the schema of an operation has parsed, as its own functions take it. */
export function ofOperation(parsed: Readonly<Record<string, unknown>>): never {
  return parsed as never;
}

/** Type-checks that request, options and result agree, and returns the module as the registry's type. */
export function defineOperation<
  Request extends z.ZodObject,
  Result extends z.ZodObject,
  Used extends ServiceName = never,
>(
  operation: Omit<
    Operation,
    | 'request'
    | 'result'
    | 'example'
    | 'run'
    | 'uses'
    | 'variant'
    | 'isHeavy'
    | 'dedupeKey'
    | 'maxAgeSeconds'
    | 'acceptedFields'
    | 'admit'
    | 'prepare'
    | 'travels'
    | 'gather'
    | 'arrived'
    | 'furtherEvent'
  > & {
    request: Request;
    uses?: readonly Used[];
    result: Result;
    example: OperationExample & { request: z.input<Request>; result?: z.input<Result> };
    variant?(request: z.output<Request>): string;
    isHeavy?(request: z.output<Request>): boolean;
    dedupeKey?(request: z.output<Request>, ports: DedupePorts<Used>): Promise<string>;
    maxAgeSeconds?(request: z.output<Request>): number | null;
    acceptedFields?(request: z.output<Request>, jobId: string): Record<string, unknown>;
    admit?(request: z.output<Request>, ports: AdmitPorts<Used>): Promise<(() => void) | undefined>;
    prepare?(
      request: z.output<Request>,
      ports: PreparePorts<Used>,
      signal: AbortSignal,
    ): Promise<Record<string, unknown>>;
    travels?(request: z.output<Request>, source: TravelSource | null, ports: TravelPorts<Used>): Promise<Travel | null>;
    gather?(request: z.output<Request>, ports: GatherPorts<Used>, signal: AbortSignal): Promise<boolean>;
    arrived?(result: z.output<Result>, ports: { use: UseService<Used>; accountId: string }): Promise<void>;
    run(request: z.output<Request>, ports: Ports<Used>, signal: AbortSignal): Promise<z.input<Result>>;
    furtherEvent?(result: z.output<Result>): FurtherEvent | null;
  },
): Operation {
  return operation as unknown as Operation;
}

/**
 * Refuses an unknown operation id: a list or search with it would find nothing, which looks like an answer.
 *
 * @param path of the field that contains it. Errors: `invalid_request`.
 */
export function checkOperationId(
  operations: readonly { id: string }[],
  path: string,
  operationId: string | undefined,
): void {
  if (operationId === undefined || operations.some(({ id }) => id === operationId)) return;
  const message = say`Give the name of an operation: ${operations.map(({ id }) => id).join(', ')}.`;
  throw new QuarryError('invalid_request', `${path}: ${message}`, { fields: [{ path, message }] });
}

/** A rectangle on a page. */
const ChunkBox = z
  .object({
    page: z.int().min(1),
    left: z.number(),
    top: z.number(),
    right: z.number(),
    bottom: z.number(),
  })
  .meta({ id: 'ChunkBox', description: 'Points (1/72 inch) from the top left corner of the page as shown.' });

export type ChunkBox = z.infer<typeof ChunkBox>;

/** A chunk of text with its position (interface: `result.chunks`; decisions 2). */
/** A remark about a result or a source to it, with its place. It never changes the text of a chunk. */
export const Annotation = z
  .object({
    annotationId: z.string().describe('Id of its contribution.'),
    kind: z.enum(['annotation', 'source']).describe('A remark, or where something can be read.'),
    text: z.string(),
    url: z.string().nullable().describe('Evidence.'),
    author: z.string().nullable(),
    license: z.string().nullable(),
    createdAt: z.string(),
    chunkId: z.string().nullable().describe('The chunk that it is about; null for the whole result.'),
    quote: z.string().nullable().describe('The words of the chunk that it is about, as they were; null for all of it.'),
    start: z
      .int()
      .min(0)
      .nullable()
      .describe('First character of the quotation in the text of the chunk, in UTF-16 code units; null if gone.'),
    end: z.int().min(0).nullable().describe('One past its last character.'),
    page: z.int().min(1).nullable().describe('Page that the chunk begins on.'),
    startSeconds: z.number().min(0).optional().describe('Time of the chunk in a recording.'),
    pageUrl: z.string().optional().describe('Page that the chunk is from (crawl).'),
  })
  .meta({ id: 'Annotation' });

export type Annotation = z.infer<typeof Annotation>;

/** The member of results that have text. */
export const annotations = z
  .array(Annotation)
  .optional()
  .describe('Approved annotations and sources, in the order in which they came. Absent where there are none.');

export const Chunk = z
  .object({
    id: z.string().describe('Stable for the same input and options.'),
    text: z.string(),
    page: z.int().min(1).describe('Page the chunk begins on; 1 where a source has no pages.'),
    segmentIndex: z.int().min(0).describe('Running number of the chunk.'),
    pageEnd: z.int().min(1).optional().describe('Page the chunk ends on.'),
    kind: z.enum(['text', 'table', 'caption', 'comment', 'frame-text']).optional(),
    heading: z.string().optional().describe('Path of the headings above the chunk, joined with " > ".'),
    headingPath: z.array(z.string()).optional().describe('The headings above the chunk, outermost first.'),
    boxes: z
      .array(ChunkBox)
      .optional()
      .describe('Where the text is on its pages: one box per column and page. PDF and images only.'),
    tokens: z
      .int()
      .min(0)
      .optional()
      .describe('Tokens of the text, by the tokenizer that the result names (`document.tokenizer`).'),
    startOffset: z.int().min(0).optional().describe('First character in document.txt, in UTF-16 code units.'),
    endOffset: z.int().min(0).optional().describe('One past the last character in document.txt.'),
    startSeconds: z.number().min(0).optional(),
    endSeconds: z.number().min(0).optional(),
    speaker: z.string().optional().describe('Who says all of it (talks, with `speakers`).'),
    url: z.string().optional().describe('Page the chunk is from (crawl).'),
    originalText: z.string().optional().describe('What the text was before an approved correction.'),
    annotations: z
      .array(Annotation)
      .optional()
      .describe('Approved annotations of this chunk. Its text stays as it is.'),
  })
  .meta({ id: 'Chunk' });

export type Chunk = z.infer<typeof Chunk>;

/** Signed URLs are long. */
const MAX_SOURCE_URL_CHARS = 8192;

const MAX_WEBHOOK_URL_CHARS = 2048;

/** Fields of every extraction request. `options` differs per operation and has its own default. */
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

/** A web URL. Plain http is checked later, once the caller is known. */
export function httpUrl(maxChars: number) {
  // Missing, non-text or oversized values get the general messages.
  const explainInvalidUrl: z.core.$ZodErrorMap = ({ code }) =>
    code === 'invalid_format' ? 'Give an absolute https URL.' : undefined;
  return z
    .url({ protocol: /^https?$/, error: explainInvalidUrl })
    .max(maxChars)
    .refine(namesHost, say`Give a URL with a host after its //.`);
}

/**
 * `https:///files/a.pdf` results from an empty host in a client. Browser parsers read `files` as the host, but the URL
 * names none (RFC 9110, section 4.2). It is refused before payment.
 */
function namesHost(address: string): boolean {
  return !/^https?:\/\/[\\/]/i.test(address.replace(/[\t\n\r]/g, '').trim());
}

/** ISO 639-1 or 639-3 code, with an optional region or script: en, eng, pt-BR, zh-Hant. */
export function languageHint() {
  return z
    .string()
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$/, say`Give an ISO language code such as en, eng or pt-BR.`)
    .describe('ISO language hint.');
}

/** `transcriptionModel`, for operations that transcribe. */
export function speechModelName() {
  return z
    .string()
    .min(1)
    .max(200)
    .meta({ examples: ['auto', 'whisper-large-v3'] })
    .describe('A speech model’s name, for example whisper-large-v3; auto or none is the best installed one.');
}

/** Target characters per chunk. The bounds keep chunks useful and responses finite. */
export function segmentLength(byDefault: number) {
  return z.int().min(50).max(20_000).default(byDefault).describe('Target characters per chunk.');
}

/** Price of an operation. `amount` is in the 6-decimal unit of the asset: 140000 is 0.14 USDC. */
export interface Price {
  amount: number;
  timeoutSeconds: number;
}

/** Priorities in the order of their stored number: low 0, normal 1, high 2. */
export const PRIORITIES = ['low', 'normal', 'high'] as const;

export type Priority = (typeof PRIORITIES)[number];

/** Queue classes. A full class never delays a job of another class. */
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

/** What a run reports of its progress. */
export interface ProgressReport extends JobProgress {
  message: Said;
  /** Work that is expected from now on, where the run knows better than earlier ones. */
  expectedSeconds?: number | undefined;
}

/** Stage of a job that waits: for its turn, for a retry, or for a thread. Its time is no work. */
export const WAITING_STAGE = 'queued';

/** Expected duration of an operation before this machine has run one. */
export interface RunGuess {
  seconds: number;
  /** Applies when the request contains the file. */
  secondsPerMegabyte: number;
}

/** A file of a job, under `GET /jobs/{jobId}/files/{name}`. */
export const JobFile = z.object({ name: z.string(), url: z.string() }).meta({ id: 'JobFile' });
