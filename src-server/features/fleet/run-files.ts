/**
 * The files of runs on nodes, over HTTPS: `/runs/{token}/source` and `/runs/{token}/checkpoints/{name}` for reading,
 * with ranges, and `/runs/{token}/blobs/{sha256}` for writing, which resumes at the size that HEAD answers. A token
 * opens one run of one job for one node. It ends with the run; a node renews it with its key. Models that are copied to
 * a node are at `/models/{token}/{sha256}`.
 */

import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { dirname, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { ENVIRONMENTS, type EnvironmentName } from '../../operation.ts';
import { ERRORS } from '../../platform/error-codes.ts';
import { QuarryError, systemCodeOf } from '../../platform/errors.ts';
import type { JobFolders } from '../../platform/files/job-folders.ts';
import { listeningPort } from '../../platform/net/listening-port.ts';
import { saidElsewhere, tell } from '../../platform/text/say.ts';
import { countText, GIB, KIB, MINUTE_MS } from '../../platform/units.ts';
import type { Certificate } from './certificate.ts';
import { FileRef, type Joined } from './messages.ts';

const TOKEN_MS = 15 * MINUTE_MS;

const BLOB_MAX_BYTES = 4 * GIB;

/** Of a read or write of a file. Those of the default, 64 KB, take a sixth more CPU time for a large file. */
export const PIECE_BYTES = 256 * KIB;

const BODY_MAX_BYTES = 4096 * KIB;

const RunOfNode = z.object({ environment: z.enum(ENVIRONMENTS), jobId: z.string(), run: z.int(), node: z.string() });

export type RunOfNode = z.infer<typeof RunOfNode>;

/** A model that is copied to a node. */
const CopyOfNode = z.object({ model: z.string(), node: z.string() });

type CopyOfNode = z.infer<typeof CopyOfNode>;

const Expires = { expiresAt: z.number() };

const TokenClaims = z.union([RunOfNode.extend(Expires), CopyOfNode.extend(Expires)]);

type TokenClaims = z.infer<typeof TokenClaims>;

const Renewal = z.strictObject({ token: z.string().max(2000), signature: z.string().max(200) });

const Checkpoint = z.strictObject({ files: z.array(FileRef).max(5000) });

export interface RunFilesDeps {
  certificate: Certificate;
  /** HMAC key of the tokens. It outlives a restart, as the runs do. */
  key: KeyObject;
  now(): number;
  foldersOf(environment: EnvironmentName): JobFolders;
  /** Whether the run is the present one of its job, and on that node. */
  isCurrent(run: RunOfNode): boolean;
  /** Whether the operation of the run keeps a checkpoint of that name. */
  keeps(run: RunOfNode, name: string): boolean;
  isWanted(copy: CopyOfNode): boolean;
  /** Path of a file of a model that is copied to the node; null for another. */
  modelFile(copy: CopyOfNode, sha256: string): Promise<string | null>;
  /** Checks a signature of a node. False for one that was removed. */
  isSignedBy(node: string, text: string, signature: string): boolean;
  /** Answer to a node that joins. Errors: `forbidden` for an unknown node or key, `conflict` for another version. */
  join(node: string, version: string, signature: string): Joined;
  /** Takes over a connection of a browser (browsers.ts). */
  onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  log: { warn(fields: object, message: string): void };
}

export class RunFiles {
  readonly #deps: RunFilesDeps;
  readonly #server: Server;

  constructor(deps: RunFilesDeps) {
    this.#deps = deps;
    const { certificate: cert, key } = deps.certificate;
    this.#server = createServer({ cert, key, minVersion: 'TLSv1.2' }, (request, response) => {
      void this.#answerNodeRequest(request, response);
    });
    this.#server.on('tlsClientError', () => undefined);
    this.#server.on('upgrade', deps.onUpgrade);
  }

  /** Errors: `conflict` for a port that is taken. */
  async listenForNodes(host: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => resolve());
    }).catch((error: NodeJS.ErrnoException) => {
      const message = `Nodes cannot be answered on ${host}, port ${port} (${error.code}). Give another host or port.`;
      throw new QuarryError('conflict', message, { cause: error });
    });
    return listeningPort(this.#server);
  }

  async closeRunFiles(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  tokenFor(opens: RunOfNode | CopyOfNode): string {
    const claims = { ...opens, expiresAt: this.#deps.now() + TOKEN_MS };
    const text = Buffer.from(JSON.stringify(claims)).toString('base64url');
    return `${text}.${this.#tokenMacOf(text)}`;
  }

  async #answerNodeRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#routeNodeRequest(request, response);
    } catch (error) {
      const { status, code, message } = publicFailure(error);
      if (status === 500) this.#deps.log.warn({ err: error }, 'A request of a node failed.');
      if (response.headersSent) response.destroy();
      else sendJson(response, status, { code, message });
    }
    // A refused upload is not read to its end.
    if (!request.complete) request.destroy();
  }

  async #routeNodeRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://quarry');
    const [, top = '', token = '', kind = '', ...rest] = pathname.split('/');
    const { method = 'GET' } = request;
    if (top === 'join' && method === 'GET') {
      const joinClaimOf = (name: string) => searchParams.get(name) ?? '';
      return sendJson(
        response,
        200,
        this.#deps.join(joinClaimOf('node'), joinClaimOf('version'), joinClaimOf('signature')),
      );
    }
    if (top === 'renew' && method === 'POST') return this.#renewNodeToken(request, response);
    if (top === 'models' && method === 'GET') return this.#sendModelFile(request, response, { token, sha256: kind });
    if (top !== 'runs') throw new QuarryError('not_found', 'There is nothing at this address.');
    const run = this.#openedByToken(token);
    if (!('jobId' in run)) throw new QuarryError('forbidden', 'The token opens no run.');
    const folders = this.#deps.foldersOf(run.environment);
    const name = rest.map(decodeURIComponent).join('/');
    if (kind === 'source' && method === 'GET') return sendRange(request, response, folders.sourceFolderPath(run.jobId));
    if (kind === 'checkpoints' && method === 'GET') {
      return sendRange(request, response, join(folders.workFolderPath(run.jobId), checkedName(name)));
    }
    if (kind === 'blobs' && ['HEAD', 'PATCH'].includes(method)) {
      return this.#receiveRunBlob(request, response, {
        folder: incomingFolder(folders, run),
        sha256: checkedDigest(name),
      });
    }
    if (kind === 'checkpoint' && method === 'POST') return this.#keepRunCheckpoint(request, response, run);
    throw new QuarryError('not_found', 'There is nothing at this address.');
  }

  async #sendModelFile(request: IncomingMessage, response: ServerResponse, at: { token: string; sha256: string }) {
    const copy = this.#openedByToken(at.token);
    if ('jobId' in copy) throw new QuarryError('forbidden', 'The token opens no model.');
    const path = await this.#deps.modelFile(copy, checkedDigest(at.sha256));
    if (path === null) throw new QuarryError('not_found', 'The model has no such file any more.');
    return sendRange(request, response, path);
  }

  /** What a token opens. Errors: `unauthorized` (expired), `forbidden`, `conflict` for a run or copy that is over. */
  #openedByToken(token: string): RunOfNode | CopyOfNode {
    const { expiresAt, ...opens } = this.#claimsOf(token);
    this.#checkCurrent(opens);
    if (expiresAt <= this.#deps.now()) throw new QuarryError('unauthorized', 'The token has expired: renew it.');
    return opens;
  }

  #checkCurrent(opens: RunOfNode | CopyOfNode): void {
    const isCurrent = 'jobId' in opens ? this.#deps.isCurrent(opens) : this.#deps.isWanted(opens);
    if (!isCurrent) throw new QuarryError('conflict', 'This run is over.');
  }

  #claimsOf(token: string): TokenClaims {
    const [text = '', mac = ''] = token.split('.');
    const [given, expected] = [Buffer.from(mac), Buffer.from(this.#tokenMacOf(text))];
    const isOurs = given.length === expected.length && timingSafeEqual(given, expected);
    if (!isOurs) throw new QuarryError('forbidden', 'The token is not valid.');
    return TokenClaims.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  }

  #tokenMacOf(text: string): string {
    return createHmac('sha256', this.#deps.key).update(text).digest('base64url');
  }

  async #renewNodeToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { token, signature } = parseNodeBody(Renewal, await readRequestJson(request));
    const { expiresAt: _old, ...opens } = this.#claimsOf(token);
    if (!this.#deps.isSignedBy(opens.node, token, signature)) {
      throw new QuarryError('forbidden', 'The signature is not that of the node.');
    }
    this.#checkCurrent(opens);
    sendJson(response, 200, { token: this.tokenFor(opens) });
  }

  async #receiveRunBlob(request: IncomingMessage, response: ServerResponse, to: { folder: string; sha256: string }) {
    const whole = join(to.folder, to.sha256);
    const partial = `${whole}.part`;
    const wholeSize = await fleetFileSizeOf(whole);
    const isWhole = wholeSize !== null;
    const have = wholeSize ?? (await fleetFileSizeOf(partial)) ?? 0;
    if (request.method === 'HEAD' || isWhole) {
      response.writeHead(isWhole ? 200 : 204, { 'upload-offset': have, 'upload-complete': isWhole ? '?1' : '?0' });
      response.end();
      return;
    }
    if (request.headers['upload-offset'] !== String(have)) {
      response.writeHead(409, { 'upload-offset': have }).end();
      return;
    }
    await mkdir(to.folder, { recursive: true, mode: 0o700 });
    const hash = createHash('sha256');
    if (have > 0) for await (const piece of createReadStream(partial)) hash.update(piece as Buffer);
    const size = await appendToBlob(request, partial, hash, have);
    if (request.headers['upload-complete'] !== '?1') {
      response.writeHead(204, { 'upload-offset': size, 'upload-complete': '?0' }).end();
      return;
    }
    if (hash.digest('hex') !== to.sha256) {
      await rm(partial, { force: true });
      throw new QuarryError('invalid_request', 'The bytes do not have the checksum that was announced.');
    }
    await rename(partial, whole);
    response.writeHead(200, { 'upload-offset': size, 'upload-complete': '?1' }).end();
  }

  /** Uploaded files become checkpoints, which the next run of the job begins with. */
  async #keepRunCheckpoint(request: IncomingMessage, response: ServerResponse, run: RunOfNode): Promise<void> {
    const { files } = parseNodeBody(Checkpoint, await readRequestJson(request));
    const stranger = files.find(({ name }) => !this.#deps.keeps(run, name));
    if (stranger !== undefined) {
      throw new QuarryError('invalid_request', `The operation keeps no checkpoint called ${stranger.name}.`);
    }
    const folders = this.#deps.foldersOf(run.environment);
    await takeFiles(incomingFolder(folders, run), filesIn(folders.workFolderPath(run.jobId), files));
    response.writeHead(204).end();
  }
}

/** Folder of what a run has uploaded, by checksum. */
export function incomingFolder(folders: JobFolders, { jobId, run }: Pick<RunOfNode, 'jobId' | 'run'>): string {
  return join(folders.jobFolderPath(jobId), `incoming-${run}`);
}

/**
 * Moves uploaded files to their paths. Files of the same content are one upload. Safe to repeat after a crash in the
 * middle. Errors: `engine_failed` for a file that was never uploaded, or has another size.
 */
export async function takeFiles(incoming: string, files: readonly (FileRef & { path: string })[]): Promise<void> {
  const lastOf = new Map(files.map((file) => [file.sha256, file]));
  for (const file of files) {
    const { name, sha256, sizeBytes, path } = file;
    const from = join(incoming, sha256);
    const size = await fleetFileSizeOf(from);
    if (size === null && (await fleetFileSizeOf(path)) === sizeBytes && (await fileDigestOf(path)) === sha256) continue;
    if (size !== sizeBytes) {
      const message = tell`The node reported the file ${name}, which it did not send.`;
      throw new QuarryError('engine_failed', message, { retryable: true });
    }
    await mkdir(dirname(path), { recursive: true });
    if (lastOf.get(sha256) === file) await rename(from, path);
    else await copyFile(from, path);
  }
}

/** Files with their paths in a folder. */
export function filesIn(folder: string, files: readonly FileRef[]): (FileRef & { path: string })[] {
  return files.map((file) => ({ ...file, path: join(folder, file.name) }));
}

export async function fileDigestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest('hex');
}

async function appendToBlob(
  request: IncomingMessage,
  path: string,
  hash: ReturnType<typeof createHash>,
  have: number,
): Promise<number> {
  let size = have;
  const hashBlobPieces = async function* (pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      size += piece.length;
      if (size > BLOB_MAX_BYTES) throw new QuarryError('body_too_large', 'A file of a run has at most 4 GB.');
      hash.update(piece);
      yield piece;
    }
  };
  await pipeline(
    request,
    hashBlobPieces,
    createWriteStream(path, { flags: 'a', mode: 0o600, highWaterMark: PIECE_BYTES }),
  );
  return size;
}

async function sendRange(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
  const size = await fleetFileSizeOf(path);
  if (size === null) throw new QuarryError('not_found', 'The run has no such file.');
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  if (from > size) throw new QuarryError('range_not_satisfiable', `The file has ${countText(size, 'byte')}.`);
  const range = from > 0 ? { 'content-range': `bytes ${from}-${size - 1}/${size}` } : {};
  response.writeHead(from > 0 ? 206 : 200, { 'content-length': size - from, 'accept-ranges': 'bytes', ...range });
  if (from === size) response.end();
  else
    await pipeline(createReadStream(path, { start: from, end: size - 1, highWaterMark: PIECE_BYTES }), response).catch(
      () => undefined,
    );
}

export async function fleetFileSizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function checkedName(name: string): string {
  const parsed = FileRef.shape.name.safeParse(name);
  if (!parsed.success) throw new QuarryError('not_found', 'The run has no such file.');
  return parsed.data;
}

function checkedDigest(text: string): string {
  const parsed = FileRef.shape.sha256.safeParse(text);
  if (!parsed.success) throw new QuarryError('invalid_request', 'Name the file by its SHA-256 in hexadecimal.');
  return parsed.data;
}

async function readRequestJson(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request) {
    size += (piece as Buffer).length;
    if (size > BODY_MAX_BYTES) throw new QuarryError('body_too_large', 'The body is too large.');
    pieces.push(piece as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString());
  } catch (error) {
    throw new QuarryError('invalid_request', 'The body is not JSON.', { cause: error });
  }
}

function parseNodeBody<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join('.') || '$';
  throw new QuarryError('invalid_request', `${path}: ${issue?.message}`, {
    fields: [{ path, message: saidElsewhere(issue?.message ?? '') }],
  });
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function publicFailure(error: unknown): { status: number; code: string; message: string } {
  if (error instanceof QuarryError) {
    return { status: ERRORS[error.code].status, code: error.code, message: error.message };
  }
  return { status: 500, code: 'internal', message: 'Something went wrong on the control node.' };
}
