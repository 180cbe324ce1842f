/** A node's requests to its control node, whose certificate it pins. Transfers go on after a break. */

import { X509Certificate } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { dirname } from 'node:path';
import { type Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { z } from 'zod';
import { QuarryError } from '../../platform/errors.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { type Said, saidElsewhere, tell } from '../../platform/text/say.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { type JoinAddress, joinText, signWith } from './join.ts';
import { type FileRef, Joined, UPGRADE } from './messages.ts';
import { fleetFileSizeOf, PIECE_BYTES } from './run-files.ts';

const LOCAL_FILE_CODES = ['ENOENT', 'EACCES', 'EISDIR', 'ENOSPC', 'EDQUOT'];

const CONNECT_MS = 10 * SECOND_MS;

/** A control node that sends or takes nothing for this long is gone. */
const SILENCE_MS = 30 * SECOND_MS;

const RETRY_MS = SECOND_MS;

const Failure = z.object({ code: z.string(), message: z.string() });

/** The run belongs to another node, or has ended: its work is dropped. */
export class RunOverError extends Error {
  constructor() {
    super('The run is over.');
    this.name = 'RunOverError';
  }
}

interface Sent {
  method: 'GET' | 'HEAD' | 'POST' | 'PATCH';
  path: string;
  headers?: Record<string, string | number>;
  body?: Readable | string;
  signal?: AbortSignal;
}

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  stream: IncomingMessage;
}

export class NodeClient {
  readonly #address: JoinAddress;
  readonly #agent: Agent;
  /** For connections that are not requests: each is new, but resumes the TLS session of the last one. */
  readonly #dials: Agent;
  /** PEM. */
  readonly certificate: string;

  private constructor(address: JoinAddress, certificate: string) {
    this.#address = address;
    this.certificate = certificate;
    const pinned = { ca: certificate, checkServerIdentity: () => undefined };
    this.#agent = new Agent({ keepAlive: true, ...pinned });
    this.#dials = new Agent(pinned);
  }

  /** Errors: `source_unreachable`, and `forbidden` for a server with another certificate. */
  static async openNodeClient(address: JoinAddress): Promise<NodeClient> {
    return new NodeClient(address, await pinnedCertificate(address));
  }

  /** Errors: those that the control node answers. */
  async joinControlNode(version: string): Promise<Joined> {
    const { node, seed } = this.#address;
    const query = new URLSearchParams({ node, version, signature: signWith(seed, joinText(node, version)) });
    const answer = await this.#sendNodeRequest({ method: 'GET', path: `/join?${query}` });
    return Joined.parse(await answerJsonOf(answer));
  }

  closeNodeClient(): void {
    this.#agent.destroy();
    this.#dials.destroy();
  }

  /** Opens a connection that carries bytes both ways. Errors: any, also where the control node refuses it. */
  dial(path: string): Promise<Duplex> {
    const { host, port } = this.#address;
    const headers = { connection: 'Upgrade', upgrade: UPGRADE };
    return new Promise((resolve, reject) => {
      const dialling = request({ host, port, path, headers, agent: this.#dials, timeout: CONNECT_MS });
      dialling.once('upgrade', (_answer, socket, head) => {
        socket.setTimeout(0);
        socket.on('error', () => socket.destroy());
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      dialling.once('response', (answer) => {
        answer.resume();
        reject(new Error(`The control node answered ${answer.statusCode}.`));
      });
      dialling.once('error', reject);
      dialling.once('timeout', () => dialling.destroy(new Error('The control node does not answer.')));
      dialling.end();
    });
  }

  run(token: string, signal: AbortSignal): RunTransfers {
    return new RunTransfers((sent) => this.#sendNodeRequest(sent), this.#address.seed, { root: 'runs', token }, signal);
  }

  /** The files of a model, by checksum. */
  copy(token: string, signal: AbortSignal): Pick<RunTransfers, 'download'> {
    return new RunTransfers(
      (sent) => this.#sendNodeRequest(sent),
      this.#address.seed,
      { root: 'models', token },
      signal,
    );
  }

  #sendNodeRequest({ method, path, headers = {}, body, signal }: Sent): Promise<Answer> {
    const { host, port } = this.#address;
    return new Promise((resolve, reject) => {
      const options = { host, port, path, method, headers, agent: this.#agent, timeout: SILENCE_MS };
      const sending = request({ ...options, ...omitUndefined({ signal }) }, (stream) =>
        resolve({ status: stream.statusCode ?? 0, headers: stream.headers, stream }),
      );
      sending.once('error', reject);
      sending.once('timeout', () => sending.destroy(new Error('The control node does not answer.')));
      if (body instanceof Readable) pipeline(body, sending).catch(reject);
      else sending.end(body);
    });
  }
}

/** The files of one run, or of a model. A break, also of hours, delays a transfer; the end of the run ends it. */
class RunTransfers {
  readonly #send: (sent: Sent) => Promise<Answer>;
  readonly #seed: string;
  readonly #signal: AbortSignal;
  readonly #root: string;
  /** Checksums of files that it has begun to upload. */
  readonly #begun = new Set<string>();
  #token: string;

  constructor(
    send: (sent: Sent) => Promise<Answer>,
    seed: string,
    { root, token }: { root: 'runs' | 'models'; token: string },
    signal: AbortSignal,
  ) {
    this.#send = send;
    this.#seed = seed;
    this.#root = root;
    this.#token = token;
    this.#signal = signal;
  }

  /** Downloads the rest of a file. @param onSize called with the bytes that are there */
  async download(what: string, path: string, sizeBytes: number, onSize?: (bytes: number) => void): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await this.#persistUpload(async () => {
      const have = (await fleetFileSizeOf(path)) ?? 0;
      if (have === sizeBytes && have > 0) return true;
      const headers: Record<string, string> = have > 0 ? { range: `bytes=${have}-` } : {};
      const answer = await this.#askWithToken({ method: 'GET', path: what, headers });
      let size = have;
      answer.stream.on('data', (piece: Buffer) => {
        size += piece.length;
        onSize?.(size);
      });
      await pipeline(answer.stream, createWriteStream(path, { flags: 'a', mode: 0o600, highWaterMark: PIECE_BYTES }));
      return (await fleetFileSizeOf(path)) === sizeBytes;
    });
  }

  /** Uploads a file under its checksum. Errors: `invalid_request` where the control node computes another one. */
  async uploadRunFile(path: string, { sha256, sizeBytes }: Omit<FileRef, 'name'>): Promise<void> {
    const what = `blobs/${sha256}`;
    await this.#persistUpload(async () => {
      const have = await this.#uploadedBytesOf(sha256);
      if (have === null) return true;
      const body =
        sizeBytes === have
          ? ''
          : createReadStream(path, { start: have, end: sizeBytes - 1, highWaterMark: PIECE_BYTES });
      const headers = {
        'upload-offset': String(have),
        'upload-complete': '?1',
        'content-length': sizeBytes - have,
      };
      const answer = await this.#askWithToken({ method: 'PATCH', path: what, headers, body });
      answer.stream.resume();
      return answer.headers['upload-complete'] === '?1';
    });
  }

  /** Bytes that the control node has of a file; null: all. Only this run uploads, so the first try need not ask. */
  async #uploadedBytesOf(sha256: string): Promise<number | null> {
    if (!this.#begun.has(sha256)) {
      this.#begun.add(sha256);
      return 0;
    }
    const known = await this.#askWithToken({ method: 'HEAD', path: `blobs/${sha256}` });
    known.stream.resume();
    return known.headers['upload-complete'] === '?1' ? null : Number(known.headers['upload-offset'] ?? 0);
  }

  async announceCheckpoints(files: readonly FileRef[]): Promise<void> {
    await this.#persistUpload(async () => {
      const answer = await this.#askWithToken({ method: 'POST', path: 'checkpoint', body: JSON.stringify({ files }) });
      answer.stream.resume();
      return true;
    });
  }

  /** Repeats until it succeeds. Errors of the request itself, and of files on this machine, end it. */
  async #persistUpload(attempt: () => Promise<boolean>): Promise<void> {
    for (;;) {
      this.#signal.throwIfAborted();
      try {
        if (await attempt()) return;
      } catch (error) {
        if (error instanceof RunOverError || error instanceof QuarryError || isOfLocalFile(error)) throw error;
      }
      await sleep(RETRY_MS, undefined, { signal: this.#signal });
    }
  }

  async #askWithToken(sent: Sent): Promise<Answer> {
    const path = `/${this.#root}/${this.#token}/${sent.path}`;
    const answer = await this.#send({ ...sent, path, signal: this.#signal });
    if (answer.status < 400 || answer.headers['upload-offset'] !== undefined) return answer;
    if (answer.status === 401) {
      answer.stream.resume();
      await this.#renewRunToken();
      throw new Error('The token was renewed.');
    }
    await throwNodeRefusal(answer);
    return answer;
  }

  async #renewRunToken(): Promise<void> {
    const body = JSON.stringify({ token: this.#token, signature: signWith(this.#seed, this.#token) });
    const answer = await this.#send({ method: 'POST', path: '/renew', body, signal: this.#signal });
    const { token } = z.object({ token: z.string() }).parse(await answerJsonOf(answer));
    this.#token = token;
  }
}

/** Such as a checkpoint that the run has removed: no later try finds it. */
function isOfLocalFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && LOCAL_FILE_CODES.includes(String(error.code));
}

/** Throws what a refused request means. */
async function throwNodeRefusal(answer: Answer): Promise<never> {
  const text = await answerTextOf(answer.stream);
  if (answer.status === 409 || answer.status === 403) throw new RunOverError();
  if (answer.status >= 500) throw new Error(`The control node failed: ${answer.status}.`);
  throw new QuarryError('engine_failed', refusalMessageOf(text) ?? tell`The control node answered ${answer.status}.`);
}

async function answerJsonOf(answer: Answer): Promise<unknown> {
  const text = await answerTextOf(answer.stream);
  if (answer.status === 200) return JSON.parse(text);
  const message = refusalMessageOf(text) ?? `The control node answered ${answer.status}.`;
  throw new QuarryError(answer.status === 409 ? 'conflict' : 'forbidden', message);
}

function refusalMessageOf(text: string): Said | null {
  try {
    return saidElsewhere(Failure.parse(JSON.parse(text)).message);
  } catch {
    return null;
  }
}

async function answerTextOf(stream: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of stream.setEncoding('utf8')) text += piece;
  return text;
}

function pinnedCertificate({ host, port, fingerprint }: JoinAddress): Promise<string> {
  return new Promise((resolve, reject) => {
    // The certificate is compared below: it is trusted by its fingerprint, not by an authority.
    const socket = connect({ host, port, rejectUnauthorized: false, timeout: CONNECT_MS }, () => {
      const raw = socket.getPeerX509Certificate()?.raw;
      socket.destroy();
      const certificate = raw === undefined ? null : new X509Certificate(raw);
      const found = certificate?.fingerprint256.replaceAll(':', '').toLowerCase();
      if (certificate === null || found !== fingerprint) {
        const message =
          'The server at the join address is another one: its certificate differs. Create the node again.';
        reject(new QuarryError('forbidden', message));
      } else resolve(certificate.toString());
    });
    const controlNodeUnreachable = (cause: unknown) => {
      const message = tell`The control node does not answer on ${host}, port ${port}. Turn its fleet on, or check
        both.`;
      reject(new QuarryError('source_unreachable', message, { cause }));
    };
    socket.once('error', controlNodeUnreachable);
    socket.once('timeout', () => {
      socket.destroy();
      controlNodeUnreachable(new Error('timeout'));
    });
  });
}
