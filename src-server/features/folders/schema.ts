import { z } from 'zod';
import { say } from '../../platform/text/say.ts';
import { JobError, Recipe, SOURCE_STATUSES, sourceName } from '../jobs/schema.ts';

/** Watched folders of one environment. */
export const MAX_FOLDER_WATCHES = 50;

/** Files of one folder, with those in its folders. More are not read. */
export const MAX_FILES = 100_000;

/** Folders within folders. */
export const MAX_DEPTH = 32;

const MAX_PATH_CHARS = 4096;

const DEFAULT_SETTLE_SECONDS = 5;

const MAX_SETTLE_SECONDS = 3600;

const MAX_EXTENSIONS = 50;

const Timestamp = z.iso.datetime({ precision: 3 });

const settleSeconds = () => z.int().min(1).max(MAX_SETTLE_SECONDS);

const resultsFolderField = () =>
  z
    .enum(['quarry', 'beside'])
    .describe('`beside`: the files of each result are also written to a folder beside the watched one.');

export const FolderWatchRequest = z.strictObject({
  name: sourceName().optional().describe('The name of the folder when omitted.'),
  path: z.string().min(1).max(MAX_PATH_CHARS).describe('Absolute path of a folder on this computer.'),
  recipe: Recipe.describe('What becomes of each file. The operation reads files.'),
  extensions: z
    .array(
      z
        .string()
        .trim()
        .regex(/^\.?[\p{L}\p{N}_-]{1,20}$/u, say`Give the end of file names, such as pdf.`),
    )
    .min(1)
    .max(MAX_EXTENSIONS)
    .transform((all) => [...new Set(all.map((one) => one.replace(/^\./, '').toLowerCase()))])
    .optional()
    .describe('Only files whose names end so; all files when omitted.'),
  results: resultsFolderField().default('quarry'),
  settleSeconds: settleSeconds()
    .default(DEFAULT_SETTLE_SECONDS)
    .describe('A file is read when its size and time have not changed for so many seconds.'),
});

export type FolderWatchRequest = z.output<typeof FolderWatchRequest>;

export const FolderWatchUpdate = z.strictObject({
  name: sourceName().nullable().optional().describe('Null for the name of the folder.'),
  recipe: Recipe.optional().describe('For files that are found from now on: files that were read are not read again.'),
  results: resultsFolderField().optional().describe('For files that are completed from now on.'),
  settleSeconds: settleSeconds().optional(),
  status: z.enum(SOURCE_STATUSES).optional(),
});

export type FolderWatchUpdate = z.output<typeof FolderWatchUpdate>;

export const FolderState = z.enum(['looking', 'watching', 'paused', 'missing', 'unreadable', 'too_many', 'waiting']);

export type FolderState = z.infer<typeof FolderState>;

export const FolderWatch = z
  .object({
    watchId: z.string(),
    name: z.string().nullable(),
    path: z.string(),
    recipe: Recipe,
    extensions: z.array(z.string()).nullable(),
    results: resultsFolderField(),
    resultsPath: z.string().nullable().describe('Where results are written; null when they are only in Quarry.'),
    settleSeconds: z.int(),
    status: z.enum(SOURCE_STATUSES),
    state: FolderState.describe(
      '`looking`: all files are compared with what is known. `missing`: the folder is not there, or its disk is not ' +
        'mounted. `unreadable`: the system refuses to watch it. `too_many`: some of its files are not read. ' +
        '`waiting`: reading has stopped for a while, such as on a full disk.',
    ),
    message: z.string().nullable().describe('What to do about the state, in one sentence.'),
    settling: z.int().describe('Files that were found and have not been read yet.'),
    counts: z.object({ processing: z.int(), completed: z.int(), failed: z.int() }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'FolderWatch' });

export type FolderWatch = z.infer<typeof FolderWatch>;

export const FILE_STATUSES = ['processing', 'completed', 'failed'] as const;

export const WatchedFile = z
  .object({
    fileId: z.string(),
    path: z.string().describe('Within the folder, with slashes. After a move it is the new one.'),
    sizeBytes: z.int(),
    jobId: z.string().nullable().describe('Null when the file was refused before it became a job.'),
    jobKept: z.boolean().describe('Whether the job still has its result.'),
    status: z.enum(FILE_STATUSES),
    error: JobError.omit({ attempts: true }).nullable(),
    results: z.enum(['none', 'due', 'written', 'failed']).describe('Of the copy beside the folder.'),
    resultsError: z.string().nullable(),
    foundAt: Timestamp,
    endedAt: Timestamp.nullable(),
  })
  .meta({ id: 'WatchedFile' });

export type WatchedFile = z.infer<typeof WatchedFile>;
