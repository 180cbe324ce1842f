/**
 * Reads one HTTP/1.1 answer off a connection, up to its bounds. It is strict, since it may be: an answer it does not
 * take for clean counts as an attempt that failed, and a connection is only used again after one that ended where it
 * said it would. What is refused is what parsers are fooled with: two lengths, a length beside chunks, folded lines.
 */
import { KIB } from '../lib/units.ts';

/** Of status line and headers, and of each line between chunks. */
const MAX_HEAD_BYTES = 16 * KIB;
/** With its extensions, which say nothing to anybody here. More digits would be more than a number holds. */
const CHUNK_SIZE = /^([0-9a-f]{1,12})[\t ]*(?:;.*)?$/i;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a value may not contain.
const NO_HEADER_VALUE = /[\0-\x08\n-\x1f\x7f]/;
const LENGTH = /^\d{1,15}$/;
const END_OF_HEAD = '\r\n\r\n';
const NOTHING = Buffer.alloc(0);
/** After a size and after the data of a chunk. */
const LINE_END_BYTES = 2;

export type AnswerHeaders = Record<string, string | string[]>;

/** The other side does not speak HTTP, or not so that it can be trusted. */
export class BadAnswer extends Error {}

/** How far the answer is. `cut`: its status is known, and there is more body than is kept. */
export type AnswerProgress = 'going' | 'done' | 'cut';

type Framing = { kind: 'none' } | { kind: 'length'; left: number } | { kind: 'chunks' } | { kind: 'close' };

export class AnswerReader {
  /** 0 until the head is there. */
  status = 0;
  headers: AnswerHeaders = {};
  /** Whether the connection may carry another request, once this answer is done. */
  isReusable = false;
  readonly #maxBodyBytes: number;
  /** Bytes that are not understood yet: of a head, or of a line between chunks. */
  #pending: Buffer = NOTHING;
  #framing: Framing = { kind: 'none' };
  /** Of the chunk that is being read, its line end included; 0 between chunks. */
  #chunkLeft = 0;
  #inTrailers = false;
  #body: Buffer[] = [];
  #bodyBytes = 0;

  constructor(maxBodyBytes: number) {
    this.#maxBodyBytes = maxBodyBytes;
  }

  get body(): Buffer {
    return this.#body.length === 0 ? NOTHING : Buffer.concat(this.#body, this.#bodyBytes);
  }

  /** @param bytes what came; a window on memory that is used again @throws BadAnswer */
  push(bytes: Buffer): AnswerProgress {
    const known = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    this.#pending = NOTHING;
    return this.status === 0 ? this.#readHead(known) : this.#readBody(known);
  }

  /** Whether the answer ends where the connection does. */
  get isEndedByClose(): boolean {
    return this.status !== 0 && this.#framing.kind === 'close';
  }

  #readHead(bytes: Buffer): AnswerProgress {
    const end = bytes.indexOf(END_OF_HEAD);
    if ((end === -1 ? bytes.length : end) > MAX_HEAD_BYTES) throw new BadAnswer('The head of the answer is too long.');
    if (end === -1) return this.#wait(bytes);
    const lines = bytes.toString('latin1', 0, end).split('\r\n');
    const [, minor, code] = STATUS_LINE.exec(lines[0] ?? '') ?? [];
    if (code === undefined) throw new BadAnswer('The answer does not begin with a status line.');
    const rest = bytes.subarray(end + END_OF_HEAD.length);
    const status = Number(code);
    if (status === 101) throw new BadAnswer('The answer changes the protocol, which was not asked for.');
    // What comes before the true answer, such as 103 Early Hints, is none.
    if (status < 200) return rest.length === 0 ? 'going' : this.#readHead(rest);
    this.headers = headersOf(lines);
    this.#framing = framingOf(status, this.headers);
    this.isReusable = minor === '1' && this.#framing.kind !== 'close' && !saysClose(this.headers);
    this.status = status;
    return this.#readBody(rest);
  }

  #readBody(bytes: Buffer): AnswerProgress {
    const framing = this.#framing;
    if (framing.kind === 'chunks') return this.#readChunks(bytes);
    if (framing.kind === 'close') return this.#keep(bytes) ? 'going' : 'cut';
    const left = framing.kind === 'length' ? framing.left : 0;
    // Bytes after the end: whose they are nobody can say.
    if (bytes.length > left) this.isReusable = false;
    const part = bytes.subarray(0, left);
    if (!this.#keep(part)) return 'cut';
    if (part.length === left) return 'done';
    this.#framing = { kind: 'length', left: left - part.length };
    return 'going';
  }

  #readChunks(bytes: Buffer): AnswerProgress {
    let rest = bytes;
    while (rest.length > 0) {
      if (this.#chunkLeft > 0) {
        const part = rest.subarray(0, this.#chunkLeft);
        if (!this.#keepOfChunk(part)) return 'cut';
        this.#chunkLeft -= part.length;
        rest = rest.subarray(part.length);
        continue;
      }
      const end = rest.indexOf('\r\n');
      if ((end === -1 ? rest.length : end) > MAX_HEAD_BYTES) throw new BadAnswer('A line between chunks is too long.');
      if (end === -1) return this.#wait(rest);
      const line = rest.toString('latin1', 0, end);
      rest = rest.subarray(end + LINE_END_BYTES);
      if (this.#inTrailers) {
        if (line !== '') continue;
        if (rest.length > 0) this.isReusable = false;
        return 'done';
      }
      this.#beginChunk(line);
    }
    return 'going';
  }

  #beginChunk(line: string): void {
    const size = CHUNK_SIZE.exec(line)?.[1];
    if (size === undefined) throw new BadAnswer('A chunk of the answer does not say its size.');
    const sizeBytes = Number.parseInt(size, 16);
    if (sizeBytes === 0) this.#inTrailers = true;
    else this.#chunkLeft = sizeBytes + LINE_END_BYTES;
  }

  /** Of a part of a chunk, what is not its line end. */
  #keepOfChunk(part: Buffer): boolean {
    const dataLeft = Math.max(0, this.#chunkLeft - LINE_END_BYTES);
    const lineEnd = part.subarray(dataLeft);
    const expected = '\r\n'.slice(Math.max(0, LINE_END_BYTES - this.#chunkLeft));
    if (!expected.startsWith(lineEnd.toString('latin1'))) throw new BadAnswer('A chunk is longer than it said.');
    return this.#keep(part.subarray(0, dataLeft));
  }

  #wait(bytes: Buffer): 'going' {
    this.#pending = Buffer.from(bytes);
    return 'going';
  }

  /** Keeps what there is room for; false once there was more. */
  #keep(part: Buffer): boolean {
    const room = this.#maxBodyBytes - this.#bodyBytes;
    if (part.length > 0 && room > 0) {
      const kept = Buffer.from(part.subarray(0, room));
      this.#body.push(kept);
      this.#bodyBytes += kept.length;
    }
    return part.length <= room;
  }
}

function headersOf(lines: readonly string[]): AnswerHeaders {
  const headers: AnswerHeaders = {};
  for (let index = 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (!HEADER_NAME.test(name) || NO_HEADER_VALUE.test(value)) throw new BadAnswer('A header of the answer is none.');
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    const now = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
    // Assigned, this name would not become a member.
    if (name === '__proto__') Object.defineProperty(headers, name, { value: now, enumerable: true, writable: true });
    else headers[name] = now;
  }
  return headers;
}

function framingOf(status: number, headers: AnswerHeaders): Framing {
  const { 'transfer-encoding': encoding, 'content-length': length } = headers;
  if (status === 204 || status === 304) return { kind: 'none' };
  if (encoding !== undefined) {
    if (length !== undefined) throw new BadAnswer('The answer has a length beside a transfer encoding.');
    if (String(encoding).toLowerCase() !== 'chunked') throw new BadAnswer('The answer is encoded as it should not be.');
    return { kind: 'chunks' };
  }
  if (length === undefined) return { kind: 'close' };
  if (typeof length !== 'string' || !LENGTH.test(length)) throw new BadAnswer('The length of the answer is none.');
  return { kind: 'length', left: Number(length) };
}

function saysClose({ connection }: AnswerHeaders): boolean {
  return connection !== undefined && /(^|,)\s*close\s*(,|$)/i.test(String(connection));
}
