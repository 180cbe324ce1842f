import type { Logger } from 'pino';
import type { Settings } from '../../config.ts';
import type { JobFiles, JobProgress, Operation, Ports } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { JobFolders } from '../../platform/files/job-folders.ts';
import { type FileKind, sniffFile } from '../../platform/files/sniff.ts';
import type { LocalSource } from '../../platform/files/uploads.ts';
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts';
import type { GuardedClient } from '../../platform/net/guarded-client.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { HOUR_MS, SECOND_MS } from '../../platform/units.ts';
import type { AudioEngine } from '../audio/service.ts';
import { crawlPortOf } from '../crawl/service.ts';
import type { ExtractPdf } from '../documents/pdf.ts';
import { type DocumentJob, documentPort } from '../documents/service.ts';
import type { HostedVideoEngine } from '../media/hosted-video.ts';
import type { VideoEngine } from '../media/service.ts';
import type { SearchPort } from '../search/schema.ts';
import type { TextPort } from '../text/schema.ts';
import type { Webhooks } from '../webhooks/service.ts';
import { fileReference } from './present.ts';
import { operationFor, uploadLimitBytes } from './request-checks.ts';
import { changeJob, type JobRow, type StoredResult } from './store.ts';
import type { StoredSource } from './submit.ts';

/** A source that takes longer than this to arrive is not worth a slot. */
const FETCH_LIMIT_MS = 2 * HOUR_MS;

/** Share of the progress that fetching a source takes. */
const FETCH_PERCENT = 20;

export interface ExecutionParts {
  storage: Storage;
  clock: Clock;
  log: Logger;
  folders: JobFolders;
  operations: readonly Operation[];
  client: GuardedClient;
  runTask: RunTask;
  extractPdf: ExtractPdf;
  webhooks(): Webhooks;
  searchOf(accountId: string): SearchPort;
  text: TextPort;
  audio: AudioEngine;
  media: VideoEngine;
  hostedVideo: HostedVideoEngine;
  settings(): Readonly<Settings>;
}

/** Runs a job's operation: the stored request is parsed again, the source made ready, the ports filled. */
export function createExecution(parts: ExecutionParts) {
  return async (job: JobRow, control: RunControl): Promise<RunOutcome> => {
    await parts.folders.prepare(job.id);
    const declared = operationOf(parts, job.operation_id);
    const request = declared.request.parse(JSON.parse(job.request));
    const fetches = declared.source !== undefined && !(declared.source.urlIsPage && job.source === null);
    const startedAt = performance.now();
    const source = fetches ? await prepareSource(parts, job, declared, request, control) : null;
    const spentSeconds = (performance.now() - startedAt) / SECOND_MS;
    const operation = source ? operationFor(declared, source, parts.operations) : declared;
    if (operation !== declared) await control.become(operation.id);
    control.signal.throwIfAborted();
    let chunksBytes: number | null = null;
    const chunksInFile = (sizeBytes: number) => {
      chunksBytes = sizeBytes;
    };
    const ports = portsOf(parts, job, source, { ...control, chunksInFile, spentSeconds });
    const result = await operation.run(request as never, ports, control.signal);
    const body = JSON.stringify(operation.result.parse(result));
    return { result: { body, chunksBytes }, sourceBytes: source?.sizeBytes ?? 0 };
  };
}

function operationOf(parts: ExecutionParts, id: string): Operation {
  const operation = parts.operations.find((candidate) => candidate.id === id);
  if (!operation) throw new QuarryError('internal', `This version of Quarry has no operation ${id}.`);
  return operation;
}

type Control = RunControl &
  Pick<DocumentJob, 'chunksInFile'> & {
    /** Until the source was there. */
    spentSeconds: number;
  };

function portsOf(parts: ExecutionParts, job: JobRow, source: LocalSource | null, control: Control): Ports {
  const urlOf = (name: string) => fileReference(job.id, name);
  const document = {
    accountId: job.account_id,
    filesFolder: parts.folders.filesOf(job.id),
    urlOf,
    progress: control.progress,
    chunksInFile: control.chunksInFile,
  };
  return {
    get source(): LocalSource {
      if (source === null) throw new Error('The operation declares no source.');
      return source;
    },
    progress: control.progress,
    emit: control.emit,
    files: jobFiles(parts.folders, job.id, urlOf),
    documents: {
      extract: (given, options, signal) =>
        given.kind === 'pdf'
          ? parts.extractPdf(given, options, { ...document, workFolder: parts.folders.workOf(job.id) }, signal)
          : documentPort(parts.runTask, document).extract(given, options, signal),
    },
    webhooks: {
      create: (request) => parts.webhooks().createForJob({ id: job.id, accountId: job.account_id }, request),
    },
    crawler: crawlPortOf(parts, job, control),
    search: parts.searchOf(job.account_id),
    text: parts.text,
    audio: parts.audio.portOf(job.account_id),
    hostedVideo: {
      extract: (url, options, signal) =>
        parts.hostedVideo.extract(
          url,
          options,
          {
            ...document,
            workFolder: parts.folders.workOf(job.id),
            spentSeconds: control.spentSeconds,
            policy: policyOf(parts, job),
            maxBytes: uploadLimitBytes(operationOf(parts, job.operation_id), parts.settings()),
          },
          signal,
        ),
    },
    media: {
      admit: (options) => parts.media.admit(options),
      extract: (given, options, signal) =>
        parts.media.extract(
          given,
          options,
          { ...document, workFolder: parts.folders.workOf(job.id), spentSeconds: control.spentSeconds },
          signal,
        ),
    },
  };
}

/** A job's folder as operations see it. */
export function jobFiles(folders: JobFolders, jobId: string, urlOf: (name: string) => string): JobFiles {
  return {
    folder: folders.filesOf(jobId),
    pathOf: (name) => {
      const path = folders.fileOf(jobId, name);
      if (path === null) throw new Error(`A job's file cannot be called ${name}.`);
      return path;
    },
    urlOf,
  };
}

/** The uploaded file, the one an earlier attempt fetched already, or a fresh fetch of `sourceUrl`. */
async function prepareSource(
  parts: ExecutionParts,
  job: JobRow,
  operation: Operation,
  request: Record<string, unknown>,
  control: RunControl,
): Promise<LocalSource> {
  const path = parts.folders.sourceOf(job.id);
  if (job.source !== null) {
    const stored = JSON.parse(job.source) as StoredSource;
    return { path, fileName: stored.fileName, sizeBytes: stored.sizeBytes, kind: stored.kind as FileKind };
  }
  const fetched = await parts.client.fetchToFile(String(request.sourceUrl), {
    path,
    maxBytes: uploadLimitBytes(operation, parts.settings()),
    policy: policyOf(parts, job),
    totalTimeoutMs: Math.min(FETCH_LIMIT_MS, operation.timeLimitSeconds * 1000),
    signal: control.signal,
    onProgress: ({ receivedBytes, totalBytes }) => {
      const share = totalBytes === null || totalBytes === 0 ? 0 : receivedBytes / totalBytes;
      control.progress({ percent: share * FETCH_PERCENT, stage: 'fetching', message: 'Fetching the source.' });
    },
  });
  const { kind } = await sniffFile(path, fetched.fileName);
  const stored: StoredSource = { fileName: fetched.fileName, sizeBytes: fetched.sizeBytes, kind };
  await parts.storage.transaction((tx) =>
    changeJob(tx, job.seq, { source: JSON.stringify(stored) }, parts.clock.now()),
  );
  return { path, ...stored, kind };
}

/** The owner may reach what lies inside, where the setting says so. */
function policyOf(parts: ExecutionParts, job: JobRow): FetchPolicy {
  const isOwner = job.account_id === 'owner';
  return { allowHttp: isOwner, allowPrivateNetworks: isOwner && parts.settings().allowPrivateNetworks };
}

/** What one attempt gets to work with. */
export interface RunControl {
  signal: AbortSignal;
  progress(progress: JobProgress): void;
  /** To the client that waits for this very run, if one does. */
  emit(event: string, data: Record<string, unknown>): void;
  /** The source turned out to belong to another operation: the job becomes one of that type. */
  become(operationId: string): Promise<void>;
}

/** What an attempt that succeeded comes to. */
export interface RunOutcome {
  result: StoredResult;
  sourceBytes: number;
}
