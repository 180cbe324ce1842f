/** What the control node and its nodes say to each other over the broker, and by which subjects. */

import { z } from 'zod';
import { ENVIRONMENTS, type EnvironmentName, JobProgress, QUEUE_CLASSES } from '../../operation.ts';
import { ModelFacts } from '../../platform/model-facts.ts';
import { MIB } from '../../platform/units.ts';
import { BrokerLogin } from './schema.ts';

/** Assignments, each for one node. */
export const WORK_STREAM = 'QUARRY_WORK';

/** Ends of runs. They wait here while the control node is away. */
export const SAY_STREAM = 'QUARRY_SAY';

/** Presence of the nodes, with a time to live. */
export const PRESENCE_BUCKET = 'quarry_presence';

export const WORK_SUBJECTS = 'quarry.work.*';

export const SAY_SUBJECTS = 'quarry.say.*.*';

export const workSubject = (node: string) => `quarry.work.${node}`;

export const saySubject = (environment: EnvironmentName, node: string) => `quarry.say.${environment}.${node}`;

/** Progress and events of runs: not kept, since the next one replaces them. */
export const tellSubject = (node: string) => `quarry.tell.${node}`;

export const cancelSubject = (node: string) => `quarry.cancel.${node}`;

/** The list of models that a node is to copy. */
export const copySubject = (node: string) => `quarry.copy.${node}`;

/** Browsers that a node is to lend. Not kept: an order that is not taken soon is given to another. */
export const browserSubject = (node: string) => `quarry.browser.${node}`;

export const presenceSubject = (node: string) => `$KV.${PRESENCE_BUCKET}.${node}`;

export const inboxOf = (node: string) => `_INBOX_${node}`;

/** Protocol of connections to the file server that carry bytes both ways. */
export const UPGRADE = 'quarry';

/** Name of a run over all environments. */
export function runKey({ environment, jobId, run }: { environment: EnvironmentName; jobId: string; run: number }) {
  return `${environment}/${jobId}/${run}`;
}

/** File names of jobs and checkpoints: one folder deep at most, no hidden ones. */
const FileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,120}(\/[A-Za-z0-9][A-Za-z0-9._-]{0,120})?$/);

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const FILES_MAX = 20_000;

export const FileRef = z.object({ name: FileName, sha256: Sha256, sizeBytes: z.int().min(0) });

export type FileRef = z.infer<typeof FileRef>;

const Environment = z.enum(ENVIRONMENTS);

const OfRun = { environment: Environment, jobId: z.string().max(200), run: z.int().min(1) };

const ModelName = z.string().max(200);

const Choices = z.object({
  textModel: z.string().optional(),
  speakerModel: z.string().optional(),
  voiceModels: z.array(z.string()).readonly().optional(),
  pronunciations: z.array(z.string()).readonly().optional(),
  rememberedVoices: z
    .array(z.object({ id: z.string(), name: z.string(), model: z.string(), vector: z.base64() }))
    .readonly()
    .optional(),
});

/** Work for a node. It holds no account, payment or address of a caller. */
export const Assignment = z.object({
  ...OfRun,
  /** The process of the node that it is for; another one refuses it. */
  instance: z.string(),
  queueClass: z.enum(QUEUE_CLASSES),
  operationId: z.string(),
  /** Names of the models that it was sent there for. */
  models: z.array(ModelName).max(100),
  request: z.record(z.string(), z.unknown()),
  source: z.object({ fileName: z.string().nullable(), sizeBytes: z.int(), kind: z.string() }).nullable(),
  spentSeconds: z.number(),
  maxSourceBytes: z.number(),
  checkpoints: z.array(FileRef),
  choices: Choices,
  /** Opens the files of this run. */
  token: z.string(),
});

export type Assignment = z.infer<typeof Assignment>;

/** Of a result in bytes: it is read into memory. */
export const RESULT_MAX_BYTES = 256 * MIB;

/** The end of a run. `result` is one of the uploaded files. */
export const Ended = z.discriminatedUnion('kind', [
  z.object({
    ...OfRun,
    kind: z.literal('completed'),
    result: FileRef,
    files: z.array(FileRef).max(FILES_MAX),
    chunksBytes: z.number().nullable(),
    furtherEvent: z.enum(['crawl.changed']).nullable(),
    sourceBytes: z.number(),
  }),
  z.object({
    ...OfRun,
    kind: z.literal('failed'),
    error: z.object({ code: z.string(), message: z.string().max(2000), retryable: z.boolean().optional() }),
  }),
  // The node stops.
  z.object({ ...OfRun, kind: z.literal('returned') }),
  // The node does not have these models of the assignment, and has not begun.
  z.object({ ...OfRun, kind: z.literal('lacking'), models: z.array(ModelName).min(1).max(100) }),
]);

export type Ended = z.infer<typeof Ended>;

/** Events of operations that travel. Others, as those of a job's end, are not for nodes to send. */
export const RunEvent = z.enum(['segments', 'token']);

export const Told = z.discriminatedUnion('kind', [
  z.object({
    ...OfRun,
    kind: z.literal('progress'),
    progress: JobProgress.extend({ expectedSeconds: z.number().min(0).optional() }),
  }),
  z.object({ ...OfRun, kind: z.literal('event'), event: RunEvent, data: z.record(z.string(), z.unknown()) }),
]);

export type Told = z.infer<typeof Told>;

export const Cancel = z.object(OfRun);

/** Characters that a file system may give a meaning to. */
const RESERVED = /[\\:*?"<>|\p{Cc}\p{Cs}]/u;

/** A file in the models folder, at any depth. The first part is visible, so that no record is written over. */
const ModelFileName = z
  .string()
  .max(1000)
  .refine((name) => {
    const parts = name.split('/');
    return !RESERVED.test(name) && !name.startsWith('.') && parts.every((part) => !['', '.', '..'].includes(part));
  });

export const ModelFile = z.object({ name: ModelFileName, sha256: Sha256, sizeBytes: z.int().min(0) });

export type ModelFile = z.infer<typeof ModelFile>;

const MODEL_FILES_MAX = 5000;

/** Models that a node is to copy. One that is not in the list any more is cancelled. */
export const Wanted = z.object({
  copies: z
    .array(
      z.object({
        model: z.string().regex(/^(?!\.)[^/\\:]{1,200}$/),
        files: z.array(ModelFile).min(1).max(MODEL_FILES_MAX),
        /** Opens the files of this model. */
        token: z.string(),
      }),
    )
    .max(100),
});

export type Wanted = z.infer<typeof Wanted>;

/** `token` opens the two addresses of one session: `/browsers/{token}/program` and `/browsers/{token}/network`. */
export const BrowserOrder = z.object({ token: z.string().regex(/^[0-9a-f]{48}$/) });

export type BrowserOrder = z.infer<typeof BrowserOrder>;

/** How far a node is with a model. */
export const CopyState = z.object({
  model: z.string().max(200),
  state: z.enum(['waiting', 'downloading', 'verifying', 'installed', 'failed']),
  receivedBytes: z.int().min(0),
  totalBytes: z.int().min(0),
  error: z.string().max(500).nullable(),
});

export type CopyState = z.infer<typeof CopyState>;

/** What a node can run. */
export const Abilities = z.object({
  cores: z.int().min(1),
  /** Name of its graphics processor; null when none is known. */
  gpu: z.string().max(200).nullable(),
  /** Ids of the operations that it runs. */
  operations: z.array(z.string().max(100)).max(100),
  models: z.array(ModelFacts).max(2000),
  /** Browsers that it offers, with those that are taken. */
  browsers: z.int().min(0).max(100).default(0),
});

export type Abilities = z.infer<typeof Abilities>;

/** Names of the models that runs on a node may use. A model in ggml format needs whisper-cli besides. */
export function usableNames(models: readonly ModelFacts[]): string[] {
  return models.flatMap(({ name, format }) => (format === 'ggml' ? [] : name));
}

/** Kinds of slots. A short job does not wait behind a talk of an hour. */
export const SLOT_CLASSES = ['light', 'heavy'] as const;

export type SlotClass = (typeof SLOT_CLASSES)[number];

const Slots = z.int().min(0).max(1000);

/** The heartbeat of a node. */
export const Presence = z.object({
  instance: z.string().max(100),
  version: z.string().max(100),
  ...Abilities.shape,
  /** Runs at once; none while it stops. */
  slots: z.object({ light: Slots, heavy: Slots }),
  /** Keys of the runs that it has, until their ends are stored. */
  active: z.array(z.string().max(300)).max(2000),
  copies: z.array(CopyState).max(100),
});

export type Presence = z.infer<typeof Presence>;

/** Answer to a node that joins. */
export const Joined = z.object({
  version: z.string(),
  name: z.string(),
  /** Of the broker: `host:port`, or null for the host that the node has dialled. */
  broker: z.object({
    host: z.string().nullable(),
    port: z.int(),
    pinned: z.boolean(),
    /** PEM of the authority of the owner's broker; null: those of the system. */
    ca: z.string().nullable(),
    /** Null: the node's own key. */
    login: BrokerLogin.nullable(),
  }),
  beatMs: z.int(),
  leaseMs: z.int(),
});

export type Joined = z.infer<typeof Joined>;

export function encodeFleetMessage(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** Null for a message that does not match: nodes are not trusted. */
export function decodeFleetMessage<Schema extends z.ZodType>(
  schema: Schema,
  data: Uint8Array,
): z.output<Schema> | null {
  try {
    return schema.parse(JSON.parse(new TextDecoder().decode(data)));
  } catch {
    return null;
  }
}
