import type { z } from 'zod';
import type {
  AudioPreviews,
  AudioRequest,
  AudioResult,
  CrawlResult,
  DocumentResult,
  FileKind,
  HostedVideoResult,
  JobProgress,
  Lane,
  LocalSource,
  Price,
  RunGuess,
  SearchAnswer,
  SearchFilter,
  SearchMode,
  TranscriptResult,
  Webhook,
  WebhookRequest,
} from './contract/index.ts';

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
  /** Which class of slots its jobs take: a lane that is full never delays another lane. */
  lane: Lane;
  /** The request body. Descriptions, bounds and defaults in it are what OpenAPI and the form show. */
  request: z.ZodObject;
  /** Present when the operation reads a file: `file` or `sourceUrl`. Multipart bodies are taken only then. */
  source?: SourceRule;
  /** Fields of the 202 beyond `jobId`, `status`, `statusUrl`, `etaSeconds`. */
  accepted?: z.ZodObject;
  result: z.ZodObject;
  example: OperationExample;
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
export interface OperationExample {
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

export interface SourceRule {
  /** Kinds the operation can read. Others are refused, at acceptance where the bytes are there already. */
  kinds: readonly FileKind[];
  /** Which of the upload limits (settings) applies. */
  sizeLimit: 'document' | 'video';
  /** `sourceUrl` is a page about the source, which the operation itself reads; otherwise it is fetched before. */
  urlIsPage?: boolean;
  /** Kinds that belong to another operation: the job becomes one of that type. */
  reroutes?: Partial<Record<FileKind, string>>;
}

/** How `run` touches the world: adapters in `engines/`, and services handed in by `server.ts`. */
export interface Ports {
  /** The file to read, fetched already; only where the operation declares `source`. */
  source: LocalSource;
  /** Shown to whoever watches the job; percent never goes back. */
  progress(progress: JobProgress): void;
  /** Says something to the client that waits for an inline answer as a stream; to nobody otherwise. */
  emit(event: string, data: Record<string, unknown>): void;
  /** The job's own folder: what is written here is served under /jobs/{jobId}/files/{name}. */
  files: JobFiles;
  documents: DocumentPort;
  webhooks: WebhookPort;
  crawler: CrawlPort;
  search: SearchPort;
  text: TextPort;
  audio: AudioPort;
  media: MediaPort;
  hostedVideo: HostedVideoPort;
}

/** What can be asked between acceptance and its answer. */
export type PreparePorts = Pick<Ports, 'audio' | 'files'>;

type KindOfAudio = 'speech' | 'music';

export interface AudioPort {
  /** Errors: `invalid_request` for an unknown voice, or a text that no voice can say. */
  check(kind: KindOfAudio, request: AudioRequest): Promise<void>;
  /** Leaves `preview.wav` and `preview.mp3` among the files; null where that could not be done in time. */
  preview(
    kind: KindOfAudio,
    request: AudioRequest,
    files: JobFiles,
    signal: AbortSignal,
  ): Promise<AudioPreviews | null>;
  /** Leaves `audio.wav`, `audio.mp3` and captions among the files. Errors: `engine_failed`, `timeout`. */
  render(
    kind: KindOfAudio,
    request: AudioRequest,
    ports: Pick<Ports, 'files' | 'progress'>,
    signal: AbortSignal,
  ): Promise<AudioResult>;
}

/** What can be asked before a payment is settled. */
export interface AdmitPorts {
  audio: Pick<AudioPort, 'check'>;
  text: TextPort;
  media: Pick<MediaPort, 'admit'>;
  search: SearchAdmission;
  /** The owner pays nothing, so a job of theirs may be tried that may fail. */
  isOwner: boolean;
}

export interface MediaOptions {
  /** A speech model's name; `auto` or none is the best that is installed. */
  transcriptionModel?: string | undefined;
  language?: string | undefined;
  segmentLength: number;
  captureFrames: boolean;
  frameIntervalSeconds: number;
}

export interface HostedVideoOptions {
  transcriptionModel?: string | undefined;
  includeCaptions: boolean;
  captureChapters: boolean;
  segmentLength: number;
}

export interface HostedVideoPort {
  /**
   * Finds the video of a page and gives its words. Errors: those of MediaPort, and `source_unreachable`,
   * `source_forbidden` with what to do instead.
   */
  extract(url: string, options: HostedVideoOptions, signal: AbortSignal): Promise<z.output<typeof HostedVideoResult>>;
}

export interface MediaPort {
  /** Errors: `model_not_installed`, `engine_unavailable`, `invalid_request` for a model nobody has. */
  admit(options: Pick<MediaOptions, 'transcriptionModel' | 'language'>): Promise<void>;
  /**
   * Transcribes a video or sound file and leaves transcript.srt, .vtt, .txt and .json, chunks.jsonl and the captured
   * frames in the job's folder. Errors: `corrupt_input`, `unsupported_media`, `source_too_large`,
   * `model_not_installed`, `engine_unavailable`, `engine_failed`, `timeout`.
   */
  extract(source: LocalSource, options: MediaOptions, signal: AbortSignal): Promise<z.output<typeof TranscriptResult>>;
}

export interface TextRequest {
  prompt: string;
  model?: string | undefined;
  maxTokens: number;
  temperature: number;
}

export interface TextAnswer {
  content: string;
  model: string;
  finishReason: 'stop' | 'length';
  usage: { promptTokens: number; completionTokens: number; totalTokens: number; estimated?: true };
}

export interface TextPort {
  /**
   * Takes a place in the model's queue and gives back how to leave it. Errors: `invalid_request` for an unknown model
   * or a prompt beyond its context, `model_not_installed`, `rate_limited` where the queue is full, `engine_failed`.
   */
  admit(request: TextRequest): Promise<() => void>;
  /** Errors: `engine_failed`, `engine_unavailable`, and the signal's reason. */
  generate(request: TextRequest, onText: (text: string) => void, signal: AbortSignal): Promise<TextAnswer>;
}

export interface CrawlPort {
  /**
   * Crawls from a root in normal form and leaves pages.jsonl, chunks.jsonl, llms.txt, graph.json and ledger.jsonl in
   * the job's folder. A crawl that was interrupted goes on where it was. Errors, where no page could be read:
   * `source_unreachable`, `source_forbidden`, `source_too_large`, `robots_disallowed`, `unsupported_media`,
   * `corrupt_input`.
   */
  crawl(request: { rootUrl: string; depth: number }, signal: AbortSignal): Promise<CrawlResult>;
}

/** What can be asked before a search is paid for. */
export interface SearchAdmission {
  /**
   * Errors: `invalid_request` for an operation that there is not; where meaning alone is asked for,
   * `model_not_installed`, `engine_unavailable`, `engine_failed`.
   */
  admit(mode: SearchMode, filter: SearchFilter): Promise<void>;
}

export interface SearchPort {
  /** Searches what the job's account may see. */
  find(query: { query: string; limit: number; mode: SearchMode; filter: SearchFilter }): Promise<SearchAnswer>;
}

export interface WebhookPort {
  /** Registers a webhook for the job's account; a repeated run of the same job finds the one it made before. */
  create(request: WebhookRequest): Promise<Webhook>;
}

export interface JobFiles {
  /** Absolute path of the folder itself; it exists. Never shown. */
  folder: string;
  /** Absolute path for a file of this name; the folder exists. Never shown. */
  pathOf(name: string): string;
  /** Public URL of the file. */
  urlOf(name: string): string;
}

export interface DocumentOptions {
  segmentLength: number;
  language?: string | undefined;
  includeComments: boolean;
}

export interface DocumentPort {
  /**
   * Parses and chunks a document in a worker and leaves `document.md`, `document.txt` and `chunks.jsonl` in the job's
   * folder. Errors: `corrupt_input`, `encrypted_input`, `unsupported_media`, `timeout`, `out_of_memory`.
   */
  extract(source: LocalSource, options: DocumentOptions, signal: AbortSignal): Promise<z.output<typeof DocumentResult>>;
}

/** Checks that request, options and result agree, and gives back the module as the registry's common type. */
export function defineOperation<Request extends z.ZodObject, Result extends z.ZodObject>(
  operation: Omit<
    Operation,
    'request' | 'result' | 'example' | 'run' | 'dedupeKey' | 'acceptedFields' | 'admit' | 'prepare'
  > & {
    request: Request;
    result: Result;
    example: OperationExample & { request: z.input<Request>; result?: z.input<Result> };
    dedupeKey?(request: z.output<Request>, accountId: string): string;
    acceptedFields?(request: z.output<Request>, jobId: string): Record<string, unknown>;
    admit?(request: z.output<Request>, ports: AdmitPorts): Promise<(() => void) | undefined>;
    prepare?(request: z.output<Request>, ports: PreparePorts, signal: AbortSignal): Promise<Record<string, unknown>>;
    run(request: z.output<Request>, ports: Ports, signal: AbortSignal): Promise<z.input<Result>>;
  },
): Operation {
  return operation as unknown as Operation;
}
