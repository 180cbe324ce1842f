/**
 * Downloads one file of a model. Interrupted downloads resume, and only verified files are offered: bytes go to a
 * `.part` file, are compared with the checksum, and are then renamed.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { type Clock, toIsoTime } from '../clock.ts';
import { ERROR_CODES } from '../error-codes.ts';
import { isDiskFull, QuarryError } from '../errors.ts';
import { streamBytes } from '../files/stream-bytes.ts';
import { say } from '../text/say.ts';
import { describeBytes, MIB, SECOND_MS } from '../units.ts';

/** Consecutive attempts without further progress before the download fails. */
const FRUITLESS_ATTEMPTS_MAX = 5;

const RETRY_DELAY_MS = SECOND_MS;

/** Idle time in the body after which the transfer is retried. */
const IDLE_LIMIT_MS = 60 * SECOND_MS;

/** Disk space reserved for the files of jobs. */
export const DISK_RESERVE_BYTES = 256 * MIB;

/** Factor by which a body may exceed the size of a file whose exact size is unknown. */
const SIZE_SLACK = 2;

/**
 * Minimum share of the stated size. A smaller body is an error page of a network or mirror, which only a checksum would
 * reveal.
 */
const SIZE_SHARE_MIN = 0.1;

interface DownloadOptions {
  client: ModelClient;
  file: CatalogueFile;
  url: string;
  /** Target path. The file appears there complete and verified. */
  path: string;
  /** The file may already exist from an interrupted download of the model. */
  mayBeThere?: boolean;
  /** Path of the unfinished file. */
  partPath: string;
  signal: AbortSignal;
  onProgress(receivedBytes: number, totalBytes: number | null): void;
  onVerify(): void;
  /** Free bytes at a folder. The default asks the file system. */
  freeBytes?: (folder: string) => Promise<number>;
  retryDelayMs?: number;
  idleLimitMs?: number;
}

/** The source of the bytes in a `.part` file. */
const PartFacts = z.object({ url: z.string(), etag: z.string().nullable(), totalBytes: z.number().nullable() });

type PartFacts = z.infer<typeof PartFacts>;

/**
 * Errors: `source_unreachable`, `corrupt_input` (wrong size or checksum; the bytes are deleted), `storage_full`, and
 * the signal's reason.
 */
export async function downloadFile(options: DownloadOptions): Promise<{ sizeBytes: number; sha256: string }> {
  try {
    const there = options.mayBeThere ? await hashPartFile(options, options.path) : null;
    if (there !== null && !there.differs && isSizeOf(options.file, there.sizeBytes)) {
      options.onProgress(there.sizeBytes, there.sizeBytes);
      return there;
    }
    await mkdir(dirname(options.partPath), { recursive: true });
    await fetchWhole(options);
    options.onVerify();
    const facts = await verifyDownload(options);
    await mkdir(dirname(options.path), { recursive: true });
    await rename(options.partPath, options.path);
    await rm(factsPath(options), { force: true });
    return facts;
  } catch (error) {
    throw isDiskFull(error) ? diskFull(error) : error;
  }
}

async function fetchWhole(options: DownloadOptions): Promise<void> {
  let furthest = await fileSizeOrZero(options.partPath);
  let fruitless = 0;
  for (;;) {
    try {
      return await fetchRest(options, await fileSizeOrZero(options.partPath));
    } catch (error) {
      options.signal.throwIfAborted();
      if (error instanceof QuarryError && error.code === 'corrupt_input') await discardPartFiles(options);
      if (!(error instanceof QuarryError) || !error.retryable) throw error;
      const reached = await fileSizeOrZero(options.partPath);
      fruitless = reached > furthest ? 0 : fruitless + 1;
      furthest = Math.max(furthest, reached);
      if (fruitless >= FRUITLESS_ATTEMPTS_MAX) throw error;
      await wait((options.retryDelayMs ?? RETRY_DELAY_MS) * 2 ** fruitless, undefined, { signal: options.signal });
    }
  }
}

async function fetchRest(options: DownloadOptions, have: number): Promise<void> {
  const { client, url, signal } = options;
  const known = have > 0 ? await readPartFacts(options) : null;
  if (known !== null && known.totalBytes === have) return;
  const resumable = known?.etag != null && known.url === url;
  const headers = resumable ? { range: `bytes=${have}-`, 'if-range': known.etag ?? '' } : {};
  const response = await client.get(url, headers, signal);
  const continues = response.status === 206 && rangeStart(response) === have && resumable;
  if (response.status === 416 || (response.status === 206 && !continues)) {
    // The remote file has changed. Delete the old bytes.
    await rm(options.partPath, { force: true });
    throw new QuarryError('source_unreachable', say`The file changed while it was fetched.`, { retryable: true });
  }
  if (!continues && response.status !== 200) throw modelHostRefused(url, response.status);
  const start = continues ? have : 0;
  const length = Number(response.header('content-length') ?? Number.NaN);
  const totalBytes = Number.isSafeInteger(length) ? start + length : options.file.sizeBytes;
  await checkSize(options, totalBytes, start);
  const etag = response.header('etag');
  // A weak ETag does not guarantee identical bytes.
  const facts: PartFacts = { url, etag: etag === null || etag.startsWith('W/') ? null : etag, totalBytes };
  // Truncate first: the facts must never describe another file's bytes.
  const part = await open(options.partPath, continues ? 'a' : 'w');
  try {
    await writeFile(factsPath(options), JSON.stringify(facts));
    await appendModelBytes(options, response, part, { start, totalBytes });
  } finally {
    await part.close();
  }
}

async function appendModelBytes(
  options: DownloadOptions,
  response: ModelResponse,
  part: FileHandle,
  { start, totalBytes }: { start: number; totalBytes: number | null },
): Promise<void> {
  const mostBytes = options.file.sizeBytes ?? totalBytes ?? options.file.aboutBytes * SIZE_SLACK;
  let received = start;
  options.onProgress(received, totalBytes);
  for await (const bytes of untilIdle(response.body, options)) {
    received += bytes.length;
    if (received > mostBytes) throw wrongSize(options.file, received);
    await part.writeFile(bytes);
    options.onProgress(received, totalBytes);
  }
  if (totalBytes !== null && received < totalBytes) throw modelHostUnreachable(options.url, 'The body ended early.');
}

/** Yields the body. Errors: `source_unreachable`, also when the body is idle too long; the signal's reason. */
async function* untilIdle(body: AsyncIterable<Uint8Array>, options: DownloadOptions): AsyncGenerator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const stop = new AbortController();
      const silence = wait(options.idleLimitMs ?? IDLE_LIMIT_MS, 'silent' as const, { signal: stop.signal });
      silence.catch(() => undefined);
      const cancelled = new Promise<'cancelled'>((resolve) => {
        options.signal.addEventListener('abort', () => resolve('cancelled'), { once: true, signal: stop.signal });
      });
      const piece = iterator.next().catch((error: unknown) => {
        options.signal.throwIfAborted();
        throw modelHostUnreachable(options.url, error);
      });
      const next = await Promise.race([piece, silence, cancelled]).finally(() => stop.abort());
      if (next === 'silent') throw modelHostUnreachable(options.url, 'The server stopped sending.');
      if (next === 'cancelled') throw options.signal.reason;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited: a body that hangs would never settle. Its connection is closed anyway.
    iterator.return?.().catch(() => undefined);
  }
}

async function checkSize(options: DownloadOptions, totalBytes: number | null, have: number): Promise<void> {
  const { file } = options;
  if (file.sizeBytes !== null && totalBytes !== null && totalBytes !== file.sizeBytes)
    throw wrongSize(file, totalBytes);
  const needed = (totalBytes ?? file.aboutBytes) - have + DISK_RESERVE_BYTES;
  const free = await (options.freeBytes ?? freeBytesAt)(dirname(options.partPath));
  if (free < needed) throw diskFull(`${free} bytes are free, ${needed} are needed.`);
}

async function freeBytesAt(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

interface FileFacts {
  sizeBytes: number;
  sha256: string;
  /** The checksum differs from the published one. */
  differs: boolean;
}

async function verifyDownload(options: DownloadOptions): Promise<FileFacts> {
  const { file, partPath } = options;
  const facts = await hashPartFile(options, partPath);
  if (facts !== null && !facts.differs && isSizeOf(file, facts.sizeBytes)) return facts;
  await discardPartFiles(options);
  if (!facts?.differs) throw wrongSize(file, facts?.sizeBytes ?? 0);
  const message = say`The checksum of ${file.name} differs from the published one. Try again, or check the mirror.`;
  throw new QuarryError('corrupt_input', message, { cause: `SHA-256: ${facts.sha256}.` });
}

/** Null for a missing or empty file. */
async function hashPartFile({ file, signal }: DownloadOptions, path: string): Promise<FileFacts | null> {
  const sizeBytes = await fileSizeOrZero(path);
  if (sizeBytes === 0) return null;
  const sha256 = createHash('sha256');
  const algorithm = file.checksum?.algorithm ?? 'sha256';
  const stated = algorithm === 'sha256' ? null : createHash(algorithm);
  for await (const bytes of streamBytes(createReadStream(path, { signal }))) {
    sha256.update(bytes);
    stated?.update(bytes);
  }
  const digest = sha256.digest('hex');
  const found = stated === null ? digest : stated.digest('hex');
  return { sizeBytes, sha256: digest, differs: file.checksum !== null && file.checksum.hex !== found };
}

function isSizeOf({ sizeBytes, checksum, aboutBytes }: CatalogueFile, found: number): boolean {
  if (sizeBytes !== null) return sizeBytes === found;
  return checksum !== null || found >= aboutBytes * SIZE_SHARE_MIN;
}

/** Deletes bytes that must not be resumed. */
async function discardPartFiles(options: DownloadOptions): Promise<void> {
  await Promise.all([rm(options.partPath, { force: true }), rm(factsPath(options), { force: true })]);
}

function rangeStart(response: ModelResponse): number | null {
  const match = /^bytes (\d+)-/.exec(response.header('content-range') ?? '');
  return match === null ? null : Number(match[1]);
}

function factsPath({ partPath }: DownloadOptions): string {
  return `${partPath}.json`;
}

async function readPartFacts(options: DownloadOptions): Promise<PartFacts | null> {
  try {
    return PartFacts.parse(JSON.parse(await readFile(factsPath(options), 'utf8')));
  } catch {
    // Bytes of unknown origin cannot be resumed. The transfer restarts.
    return null;
  }
}

async function fileSizeOrZero(path: string): Promise<number> {
  return await stat(path).then(
    (stats) => stats.size,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return 0;
      throw error;
    },
  );
}

function wrongSize(file: CatalogueFile, bytes: number): QuarryError {
  const message = say`The file ${file.name} of the server differs in size from the published one. Check the mirror.`;
  return new QuarryError('corrupt_input', message, { cause: `${bytes} bytes.` });
}

function diskFull(cause: unknown): QuarryError {
  const message = `The disk has too little space for the model; ${describeBytes(DISK_RESERVE_BYTES)} stay reserved.`;
  return new QuarryError('storage_full', message, { cause, retryable: false });
}

/** A response with all or part of a file. */
interface ModelResponse {
  status: number;
  /** Names are in lower case. */
  header(name: string): string | null;
  body: AsyncIterable<Uint8Array>;
}

/** HTTP client for models. URLs come from the catalogue or from the owner's mirror setting, never from callers. */
export interface ModelClient {
  get(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<ModelResponse>;
}

const CONNECT_LIMIT_MS = 60 * SECOND_MS;

/** Time limit for a small file, from the request to the last byte. */
const SMALL_FILE_LIMIT_MS = 60 * SECOND_MS;

/** Fetches over HTTP and follows redirects to the storage hosts of model sites. */
export function createModelClient(userAgent: string): ModelClient {
  return {
    async get(url, headers, signal) {
      const connecting = new AbortController();
      const timer = setTimeout(() => connecting.abort(), CONNECT_LIMIT_MS);
      try {
        // Identity: a compressed body cannot be resumed at a byte offset of the file.
        const sent = { 'user-agent': userAgent, 'accept-encoding': 'identity', ...headers };
        const response = await fetch(url, { headers: sent, signal: AbortSignal.any([signal, connecting.signal]) });
        return {
          status: response.status,
          header: (name) => response.headers.get(name),
          body: response.body ?? emptyBody(),
        };
      } catch (cause) {
        signal.throwIfAborted();
        throw modelHostUnreachable(url, cause);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

interface SmallFileLimits {
  mostBytes: number;
  limitMs?: number | undefined;
  signal: AbortSignal;
}

/** Fetches a small text. Errors: those of `fetchSmallFile`. */
export async function fetchSmallText(client: ModelClient, url: string, limits: SmallFileLimits): Promise<string> {
  return (await fetchSmallFile(client, url, limits)).toString('utf8');
}

/**
 * Fetches a small file. Errors: `source_unreachable`, also on timeout; `corrupt_input` when it exceeds the limit; the
 * signal's reason.
 */
export async function fetchSmallFile(
  client: ModelClient,
  url: string,
  { mostBytes, limitMs = SMALL_FILE_LIMIT_MS, signal }: SmallFileLimits,
): Promise<Buffer> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  try {
    const { status, body } = await client.get(url, {}, limited);
    if (status !== 200) throw modelHostRefused(url, status);
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > mostBytes)
        throw new QuarryError('corrupt_input', say`The file of ${new URL(url).host} is too large.`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof QuarryError ? error : modelHostUnreachable(url, error);
  }
}

function modelHostRefused(url: string, status: number): QuarryError {
  const message = say`The host ${new URL(url).host} answered ${status}, not the model. Try later, or set a mirror.`;
  return new QuarryError('source_unreachable', message, { retryable: status >= 500 || status === 429 });
}

function modelHostUnreachable(url: string, cause: unknown): QuarryError {
  const message = say`The host ${new URL(url).host} cannot be reached. Check the connection, or set a mirror for
    models.`;
  return new QuarryError('source_unreachable', message, { cause, retryable: true });
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

/** Model names also become file names, folders and parts of URLs, so they cannot contain separators. */
export const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

const Checksum = z.union([
  z.strictObject({ algorithm: z.literal('sha256'), hex: z.string().regex(/^[0-9a-f]{64}$/) }),
  z.strictObject({ algorithm: z.literal('sha1'), hex: z.string().regex(/^[0-9a-f]{40}$/) }),
  z.strictObject({ algorithm: z.literal('md5'), hex: z.string().regex(/^[0-9a-f]{32}$/) }),
]);

export const CatalogueFile = z.strictObject({
  name: z.string().regex(MODEL_NAME),
  url: z.url({ protocol: /^https?$/ }),
  sizeBytes: z.int().positive().nullable().describe('To the byte, where upstream states it.'),
  aboutBytes: z.int().positive().describe('For display and for the check of free disk space.'),
  checksum: Checksum.nullable().describe('As upstream publishes it; null where it publishes none.'),
  unpack: z
    .literal('tar.bz2')
    .optional()
    .describe(
      'An archive with one folder, whose files belong to the model. It takes about twice its size on the disk.',
    ),
});

export type CatalogueFile = z.infer<typeof CatalogueFile>;

const DOWNLOAD_STATUSES = ['downloading', 'verifying', 'building', 'installed', 'failed', 'cancelled'] as const;

export type DownloadStatus = (typeof DOWNLOAD_STATUSES)[number];

export const DownloadProgress = z
  .object({
    name: z.string(),
    status: z
      .enum(DOWNLOAD_STATUSES)
      .describe('`building`: a program is compiled from its source; then the figures count its parts.'),
    receivedBytes: z.int().min(0),
    totalBytes: z
      .int()
      .min(0)
      .describe('Stated by the server or the catalogue; an estimate until the first file has begun.'),
    startedAt: z.string(),
    endedAt: z.string().nullable().describe('Null while it runs.'),
    error: z.object({ code: z.enum(ERROR_CODES), message: z.string() }).nullable(),
  })
  .meta({ id: 'DownloadProgress' });

export type DownloadProgress = z.infer<typeof DownloadProgress>;

/** Whether a download is still running. */
export function isDownloadUnderWay({ status }: DownloadProgress): boolean {
  return status === 'downloading' || status === 'verifying' || status === 'building';
}

/** The progress of a download that begins now. */
export function newDownloadProgress(name: string, totalBytes: number, clock: Clock): DownloadProgress {
  const startedAt = toIsoTime(clock.now());
  return { name, status: 'downloading', receivedBytes: 0, totalBytes, startedAt, endedAt: null, error: null };
}

/** Enters a change, and the time when it ends the download. */
export function changeDownload(progress: DownloadProgress, change: Partial<DownloadProgress>, clock: Clock): void {
  Object.assign(progress, change);
  progress.endedAt = isDownloadUnderWay(progress) ? null : toIsoTime(clock.now());
}

/** The public part of the error that ended a download. */
export function downloadErrorOf(error: unknown): DownloadProgress['error'] {
  if (error instanceof QuarryError) return { code: error.code, message: error.message };
  return { code: 'internal', message: 'The download failed inside Quarry. Try again.' };
}
