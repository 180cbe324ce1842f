/**
 * Reads JSON bodies. Parsing blocks the server's only thread, so only small bodies are parsed here. Larger ones, which
 * contain a file as a data URI, are written to disk and parsed by a pool task.
 */

import type { IncomingMessage } from 'node:http';
import { QuarryError } from '../errors.ts';
import type { ReceivedFile, Uploads } from '../files/uploads.ts';
import { isRecord } from '../records.ts';
import { jsonFault, notDataUri, parseDataUri } from '../text/json.ts';
import { tell } from '../text/say.ts';
import { describeBytes, KIB, MIB } from '../units.ts';
import { bodyChunks, bodyError, refuseAnnouncedExcess } from './body-stream.ts';

/** Largest body that is parsed on the server's thread. */
const MAX_INLINE_BYTES = 256 * KIB;

/**
 * Limit of a body without its data URI: prompts and options. The longest prompt takes 1.2 MB when a library escapes
 * each character as \u and four digits.
 */
const MAX_REST_BYTES = 2 * MIB;

/** Requests nest only a few levels. Recursion over very deep values could overflow the stack. */
const MAX_DEPTH = 64;

interface JsonBodyRules {
  allowsFile: boolean;
  maxFileBytes: number;
  maxJsonBytes: number;
  idleTimeoutMs: number;
}

interface JsonBody {
  value: Record<string, unknown>;
  file: (ReceivedFile & { mediaType: string }) | null;
}

export type ParseLargeJson = (input: ReadJsonBodyInput) => Promise<ReadJsonBodyOutput>;

/**
 * Reads a JSON object. A data URI in `file` is written to disk. Errors: `invalid_request`, `body_too_large`,
 * `storage_full`.
 */
export async function readJsonObject(
  incoming: IncomingMessage,
  given: JsonBodyRules,
  parts: { uploads: Uploads; parseLargeJson: ParseLargeJson },
): Promise<JsonBody> {
  const rules = boundedRules(given);
  const bounds = {
    maxBytes: rules.maxJsonBytes,
    tooLarge: () => jsonTooLarge(rules),
    idleTimeoutMs: rules.idleTimeoutMs,
  };
  refuseAnnouncedExcess(incoming, bounds);
  const chunks = bodyChunks(incoming, bounds);
  try {
    const head: Buffer[] = [];
    let headBytes = 0;
    while (headBytes <= MAX_INLINE_BYTES) {
      const step = await chunks.next();
      if (step.done) return await readSmall(Buffer.concat(head, headBytes), rules, parts.uploads);
      head.push(step.value);
      headBytes += step.value.length;
    }
    return await readLarge(continueWithRest(head, chunks), rules, parts);
  } finally {
    await chunks.return(undefined);
  }
}

/** Without a file only the rest remains. Its limit then applies while the body arrives. */
function boundedRules(rules: JsonBodyRules): JsonBodyRules {
  return rules.allowsFile ? rules : { ...rules, maxJsonBytes: Math.min(rules.maxJsonBytes, MAX_REST_BYTES) };
}

async function readSmall(bytes: Buffer, rules: JsonBodyRules, uploads: Uploads): Promise<JsonBody> {
  const value = requireObject(parseUtf8Json(bytes));
  return rules.allowsFile ? takeFile(value, rules.maxFileBytes, uploads) : { value, file: null };
}

/** Writes the data URI in `file` of an object to disk. */
export async function takeFile(value: Record<string, unknown>, maxBytes: number, uploads: Uploads): Promise<JsonBody> {
  if (typeof value.file !== 'string') return { value, file: null };
  const { mediaType, content } = parseDataUri(value.file);
  const file = await uploads.receive(oneChunk(content), { maxBytes });
  return { value, file: { ...file, mediaType } };
}

async function readLarge(
  chunks: AsyncIterable<Buffer>,
  rules: JsonBodyRules,
  { uploads, parseLargeJson }: { uploads: Uploads; parseLargeJson: ParseLargeJson },
): Promise<JsonBody> {
  const body = await uploads.receive(chunks, { maxBytes: rules.maxJsonBytes, tooLarge: () => jsonTooLarge(rules) });
  const filePath = uploads.reserve();
  try {
    const output = await parseLargeJson({
      bodyPath: body.path,
      filePath,
      maxFileBytes: rules.maxFileBytes,
      maxRestBytes: MAX_REST_BYTES,
    });
    const value = requireObject(output.value);
    if (output.file !== null && rules.allowsFile) return { value, file: { ...output.file, path: filePath } };
    if (rules.allowsFile && typeof value.file === 'string') throw notDataUri();
    await uploads.discard({ path: filePath });
    return { value, file: null };
  } catch (error) {
    await uploads.discard({ path: filePath });
    throw error;
  } finally {
    await uploads.discard(body);
  }
}

function parseUtf8Json(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw bodyError(tell`The body is not valid JSON in UTF-8${jsonFault(error)}.`, error);
  }
}

/** Refuses values other than objects, excessive nesting, and keys that could reach a prototype. */
function requireObject(value: unknown): Record<string, unknown> {
  if (!isRecord(value)) throw bodyError(tell`The body must be a JSON object.`);
  refuseNesting(value);
  return value;
}

/** Refuses excessive nesting: later code recurses over the value. */
export function refuseNesting(value: object): void {
  let level: object[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= MAX_DEPTH) throw bodyError(tell`The body may be nested at most ${MAX_DEPTH} levels deep.`);
    const next: object[] = [];
    for (const node of level) {
      if (Object.hasOwn(node, '__proto__')) throw bodyError(tell`The body must not hold the key __proto__.`);
      for (const child of Array.isArray(node) ? node : Object.values(node)) {
        if (typeof child === 'object' && child !== null) next.push(child);
      }
    }
    level = next;
  }
}

async function* oneChunk(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}

async function* continueWithRest(head: readonly Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* head;
  yield* rest;
}

function jsonTooLarge(rules: JsonBodyRules): QuarryError {
  const advice = rules.allowsFile ? '; send a larger file as multipart/form-data or by sourceUrl' : '';
  const message = `The JSON body is larger than ${describeBytes(rules.maxJsonBytes)}${advice}.`;
  return new QuarryError('body_too_large', message);
}

/** A JSON body too large for the server's thread. The data URI in `file` is written to disk, the rest is returned. */
export interface ReadJsonBodyInput {
  bodyPath: string;
  /** Target path of the decoded `file`. */
  filePath: string;
  /** Size limit of the decoded file. */
  maxFileBytes: number;
  /** Size limit of the rest of the body. */
  maxRestBytes: number;
}

export interface ReadJsonBodyOutput {
  /** The parsed body. A data URI that was written to disk is replaced by `upload:<sha256>` in `value.file`. */
  value: unknown;
  /** Null when the body had no data URI. `value.file` is then unchanged. */
  file: { sizeBytes: number; sha256: string; mediaType: string } | null;
}

declare module '../pool/worker-pool.ts' {
  interface TaskMap {
    'read-json-body': { input: ReadJsonBodyInput; output: ReadJsonBodyOutput };
  }
}
