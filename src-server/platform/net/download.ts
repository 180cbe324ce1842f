/**
 * One file of a model, fetched so that any interruption loses nothing and nothing unverified is ever offered: bytes go
 * to a `.part` file that a later attempt continues, are compared with the checksum, and only then get their name.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { isDiskFull, JOB_ERROR_CODES, QuarryError, REQUEST_ERROR_CODES } from '../errors.ts';
import { describeBytes, MIB, SECOND_MS } from '../units.ts';

/** Attempts in a row that came no further than the furthest before them. */
const FRUITLESS_ATTEMPTS_MAX = 5;

const RETRY_DELAY_MS = SECOND_MS;

/** Silence within the body after which a transfer is begun anew. */
const IDLE_LIMIT_MS = 60 * SECOND_MS;

/** Disk space that stays free for the jobs' own files. */
const DISK_RESERVE_BYTES = 256 * MIB;

/** How far a body may exceed the stated size of a file that has no exact one. */
const SIZE_SLACK = 2;

/** Of the stated size: less is a page that a network or a mirror puts in the file's place, where no checksum tells. */
const SIZE_SHARE_MIN = 0.1;

interface DownloadOptions {
  client: ModelClient;
  file: CatalogueFile;
  url: string;
  /** Where the file goes, complete and verified or not at all. */
  path: string;
  /** An earlier attempt at the model may have been stopped behind this file. */
  mayBeThere?: boolean;
  /** Where unfinished bytes are kept. */
  partPath: string;
  signal: AbortSignal;
  onProgress(receivedBytes: number, totalBytes: number | null): void;
  onVerify(): void;
  /** Free bytes at a folder; the file system's own by default. */
  freeBytes?: (folder: string) => Promise<number>;
  retryDelayMs?: number;
  idleLimitMs?: number;
}

/** What the bytes of a `.part` file are the beginning of. */
const PartFacts = z.object({ url: z.string(), etag: z.string().nullable(), totalBytes: z.number().nullable() });

type PartFacts = z.infer<typeof PartFacts>;

/**
 * Errors: `source_unreachable`, `corrupt_input` (size or checksum differ; the bytes are thrown away), `storage_full`,
 * and the signal's reason.
 */
export async function downloadFile(options: DownloadOptions): Promise<{ sizeBytes: number; sha256: string }> {
  try {
    const there = options.mayBeThere ? await factsOf(options, options.path) : null;
    if (there !== null && !there.differs && isSizeOf(options.file, there.sizeBytes)) {
      options.onProgress(there.sizeBytes, there.sizeBytes);
      return there;
    }
    await mkdir(dirname(options.partPath), { recursive: true });
    await fetchWhole(options);
    options.onVerify();
    const facts = await verify(options);
    await mkdir(dirname(options.path), { recursive: true });
    await rename(options.partPath, options.path);
    await rm(factsPath(options), { force: true });
    return facts;
  } catch (error) {
    throw isDiskFull(error) ? diskFull(error) : error;
  }
}

async function fetchWhole(options: DownloadOptions): Promise<void> {
  let furthest = await sizeOf(options.partPath);
  let fruitless = 0;
  for (;;) {
    try {
      return await fetchRest(options, await sizeOf(options.partPath));
    } catch (error) {
      options.signal.throwIfAborted();
      if (error instanceof QuarryError && error.code === 'corrupt_input') await discard(options);
      if (!(error instanceof QuarryError) || !error.retryable) throw error;
      const reached = await sizeOf(options.partPath);
      fruitless = reached > furthest ? 0 : fruitless + 1;
      furthest = Math.max(furthest, reached);
      if (fruitless >= FRUITLESS_ATTEMPTS_MAX) throw error;
      await wait((options.retryDelayMs ?? RETRY_DELAY_MS) * 2 ** fruitless, undefined, { signal: options.signal });
    }
  }
}

async function fetchRest(options: DownloadOptions, have: number): Promise<void> {
  const { client, url, signal } = options;
  const known = have > 0 ? await readFacts(options) : null;
  if (known !== null && known.totalBytes === have) return;
  const resumable = known?.etag != null && known.url === url;
  const headers = resumable ? { range: `bytes=${have}-`, 'if-range': known.etag ?? '' } : {};
  const response = await client.get(url, headers, signal);
  const continues = response.status === 206 && rangeStart(response) === have && resumable;
  if (response.status === 416 || (response.status === 206 && !continues)) {
    // The file is another one by now: what is here belongs to none.
    await rm(options.partPath, { force: true });
    throw new QuarryError('source_unreachable', 'The file changed while it was fetched.', { retryable: true });
  }
  if (!continues && response.status !== 200) throw refused(url, response.status);
  const start = continues ? have : 0;
  const length = Number(response.header('content-length') ?? Number.NaN);
  const totalBytes = Number.isSafeInteger(length) ? start + length : options.file.sizeBytes;
  await checkSize(options, totalBytes, start);
  const etag = response.header('etag');
  // A weak tag promises the same meaning, not the same bytes.
  const facts: PartFacts = { url, etag: etag === null || etag.startsWith('W/') ? null : etag, totalBytes };
  // Emptied first: what is said of the bytes must never stand beside another file's.
  const part = await open(options.partPath, continues ? 'a' : 'w');
  try {
    await writeFile(factsPath(options), JSON.stringify(facts));
    await append(options, response, part, { start, totalBytes });
  } finally {
    await part.close();
  }
}

async function append(
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
  if (totalBytes !== null && received < totalBytes) throw unreachable(options.url, 'The body ended early.');
}

/** The body's pieces. Errors: `source_unreachable`, also for a silence that lasts too long; the signal's reason. */
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
        throw unreachable(options.url, error);
      });
      const next = await Promise.race([piece, silence, cancelled]).finally(() => stop.abort());
      if (next === 'silent') throw unreachable(options.url, 'The server fell silent.');
      if (next === 'cancelled') throw options.signal.reason;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited: a body that hangs would never answer, and its connection is dropped all the same.
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
  /** Its checksum is not the published one. */
  differs: boolean;
}

async function verify(options: DownloadOptions): Promise<FileFacts> {
  const { file, partPath } = options;
  const facts = await factsOf(options, partPath);
  if (facts !== null && !facts.differs && isSizeOf(file, facts.sizeBytes)) return facts;
  await discard(options);
  if (!facts?.differs) throw wrongSize(file, facts?.sizeBytes ?? 0);
  const message = `The checksum of ${file.name} differs from the published one. Try again, or check the mirror.`;
  throw new QuarryError('corrupt_input', message, { cause: `SHA-256: ${facts.sha256}.` });
}

/** Null where there is no such file, or an empty one. */
async function factsOf({ file, signal }: DownloadOptions, path: string): Promise<FileFacts | null> {
  const sizeBytes = await sizeOf(path);
  if (sizeBytes === 0) return null;
  const sha256 = createHash('sha256');
  const stated = file.checksum?.algorithm === 'sha1' ? createHash('sha1') : null;
  for await (const bytes of createReadStream(path, { signal })) {
    sha256.update(bytes as Buffer);
    stated?.update(bytes as Buffer);
  }
  const digest = sha256.digest('hex');
  const found = stated === null ? digest : stated.digest('hex');
  return { sizeBytes, sha256: digest, differs: file.checksum !== null && file.checksum.hex !== found };
}

function isSizeOf({ sizeBytes, checksum, aboutBytes }: CatalogueFile, found: number): boolean {
  if (sizeBytes !== null) return sizeBytes === found;
  return checksum !== null || found >= aboutBytes * SIZE_SHARE_MIN;
}

/** Bytes that proved to be of no use must not be continued. */
async function discard(options: DownloadOptions): Promise<void> {
  await Promise.all([rm(options.partPath, { force: true }), rm(factsPath(options), { force: true })]);
}

function rangeStart(response: ModelResponse): number | null {
  const match = /^bytes (\d+)-/.exec(response.header('content-range') ?? '');
  return match === null ? null : Number(match[1]);
}

function factsPath({ partPath }: DownloadOptions): string {
  return `${partPath}.json`;
}

async function readFacts(options: DownloadOptions): Promise<PartFacts | null> {
  try {
    return PartFacts.parse(JSON.parse(await readFile(factsPath(options), 'utf8')));
  } catch {
    // Bytes of unknown origin cannot be continued; the transfer begins anew.
    return null;
  }
}

async function sizeOf(path: string): Promise<number> {
  return await stat(path).then(
    (stats) => stats.size,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return 0;
      throw error;
    },
  );
}

function wrongSize(file: CatalogueFile, bytes: number): QuarryError {
  const message = `What the server offers for ${file.name} has another size than the published file. Check the mirror.`;
  return new QuarryError('corrupt_input', message, { cause: `${bytes} bytes.` });
}

function diskFull(cause: unknown): QuarryError {
  const message = `The disk has too little room for the model; ${describeBytes(DISK_RESERVE_BYTES)} stay reserved.`;
  return new QuarryError('storage_full', message, { cause });
}

/** A part of a file, as a server sends it. */
interface ModelResponse {
  status: number;
  /** Lower-case names. */
  header(name: string): string | null;
  body: AsyncIterable<Uint8Array>;
}

/** How models are fetched. Addresses come from the catalogue or the owner's mirror setting, never from a caller. */
export interface ModelClient {
  get(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<ModelResponse>;
}

const CONNECT_LIMIT_MS = 60 * SECOND_MS;

/** For a small text, from its request to its last byte. */
const TEXT_LIMIT_MS = 60 * SECOND_MS;

/** Fetches over HTTP, following redirects to the storage hosts that model sites use. */
export function createModelClient(userAgent: string): ModelClient {
  return {
    async get(url, headers, signal) {
      const connecting = new AbortController();
      const timer = setTimeout(() => connecting.abort(), CONNECT_LIMIT_MS);
      try {
        // Identity: a coded body could not be resumed at a byte of the file.
        const sent = { 'user-agent': userAgent, 'accept-encoding': 'identity', ...headers };
        const response = await fetch(url, { headers: sent, signal: AbortSignal.any([signal, connecting.signal]) });
        return {
          status: response.status,
          header: (name) => response.headers.get(name),
          body: response.body ?? emptyBody(),
        };
      } catch (cause) {
        signal.throwIfAborted();
        throw unreachable(url, cause);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/**
 * A small text, whole. Errors: `source_unreachable`, also where it takes too long; `corrupt_input` for one that is
 * larger than it may be; the signal's reason.
 */
export async function readText(
  client: ModelClient,
  url: string,
  {
    mostBytes,
    limitMs = TEXT_LIMIT_MS,
    signal,
  }: { mostBytes: number; limitMs?: number | undefined; signal: AbortSignal },
): Promise<string> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  try {
    const { status, body } = await client.get(url, {}, limited);
    if (status !== 200) throw refused(url, status);
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > mostBytes) throw new QuarryError('corrupt_input', `What ${new URL(url).host} offers is too large.`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString('utf8');
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof QuarryError ? error : unreachable(url, error);
  }
}

function refused(url: string, status: number): QuarryError {
  const message = `The host ${new URL(url).host} answered ${status}, not the model. Try later, or set a mirror.`;
  return new QuarryError('source_unreachable', message, { retryable: status >= 500 || status === 429 });
}

function unreachable(url: string, cause: unknown): QuarryError {
  const message = `The host ${new URL(url).host} cannot be reached. Check the connection, or set a mirror for models.`;
  return new QuarryError('source_unreachable', message, { cause, retryable: true });
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

/** A name is also the name of a file or folder, and part of a URL: nothing in it can lead elsewhere. */
export const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

const Checksum = z.union([
  z.strictObject({ algorithm: z.literal('sha256'), hex: z.string().regex(/^[0-9a-f]{64}$/) }),
  z.strictObject({ algorithm: z.literal('sha1'), hex: z.string().regex(/^[0-9a-f]{40}$/) }),
]);

export const CatalogueFile = z.strictObject({
  name: z.string().regex(MODEL_NAME),
  url: z.url({ protocol: /^https?$/ }),
  sizeBytes: z.int().positive().nullable().describe('To the byte, where upstream states it.'),
  aboutBytes: z.int().positive().describe('For display and for the check of free disk space.'),
  checksum: Checksum.nullable().describe('As upstream publishes it; null where it publishes none.'),
});

export type CatalogueFile = z.infer<typeof CatalogueFile>;

const DOWNLOAD_STATUSES = ['downloading', 'verifying', 'installed', 'failed', 'cancelled'] as const;

export type DownloadStatus = (typeof DOWNLOAD_STATUSES)[number];

export const DownloadProgress = z
  .object({
    name: z.string(),
    status: z.enum(DOWNLOAD_STATUSES),
    receivedBytes: z.int().min(0),
    totalBytes: z
      .int()
      .min(0)
      .describe('Stated by the server or the catalogue; an estimate until the first file has begun.'),
    startedAt: z.string(),
    error: z.object({ code: z.enum([...JOB_ERROR_CODES, ...REQUEST_ERROR_CODES]), message: z.string() }).nullable(),
  })
  .meta({ id: 'DownloadProgress' });

export type DownloadProgress = z.infer<typeof DownloadProgress>;

/** Whether a download still goes on. */
export function isUnderWay({ status }: DownloadProgress): boolean {
  return status === 'downloading' || status === 'verifying';
}
