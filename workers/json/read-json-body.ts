/**
 * Threat: the body is untrusted. It may nest endlessly, contain invalid bytes, or have a false base64 string; depth and
 * size are bounded before anything walks it.
 */

import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { QuarryError } from '../../src-server/platform/errors.ts';
import type { ReadJsonBodyInput, ReadJsonBodyOutput } from '../../src-server/platform/http/json-body.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { jsonFault, parseDataUri } from '../../src-server/platform/text/json.ts';
import { type Said, tell } from '../../src-server/platform/text/say.ts';
import { describeBytes, MIB } from '../../src-server/platform/units.ts';

/** No request schema nests deeper than 6; the bound keeps recursive code far from a stack overflow. */
const MAX_DEPTH = 100;

/** Bound on the bytes besides the longest string: once parsed, each may become an object. */
const MAX_STRUCTURE_BYTES = 1 * MIB;

const QUOTE = 0x22;

const BACKSLASH = 0x5c;

const OPENERS = new Set([0x5b, 0x7b]);

const CLOSERS = new Set([0x5d, 0x7d]);

/**
 * Parses a JSON body from disk (RFC 8259), writes the data URI in `file` to `filePath`, and returns the rest. Errors:
 * `invalid_request` naming `$` or `file`, `body_too_large`.
 */
export async function readJsonBody(input: ReadJsonBodyInput, context: TaskContext): Promise<ReadJsonBodyOutput> {
  const bytes = await readFile(input.bodyPath);
  const value = parseBoundedJson(bytes, Math.min(input.maxRestBytes, MAX_STRUCTURE_BYTES));
  context.signal.throwIfAborted();
  const uri = bodyFileName(value);
  if (bytes.length - (uri?.length ?? 0) > input.maxRestBytes) throw tooLargeBeside('file', input.maxRestBytes);
  if (uri === null || !isJsonRecord(value)) return { value, file: null };
  const { mediaType, content } = parseDataUri(uri, input.maxFileBytes);
  context.signal.throwIfAborted();
  const sha256 = createHash('sha256').update(content).digest('hex');
  await writeFile(input.filePath, content, { signal: context.signal, mode: 0o600 });
  value.file = `upload:${sha256}`;
  return { value, file: { sizeBytes: content.length, sha256, mediaType } };
}

function parseBoundedJson(bytes: Buffer, maxStructureBytes: number): unknown {
  checkShape(bytes, maxStructureBytes);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw invalidBody(tell`The body is not valid UTF-8.`, cause);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalidBody(tell`The body is not valid JSON${jsonFault(cause)}.`, cause);
  }
}

/**
 * Counts brackets outside strings and the bytes besides the longest string, which is the only one that may be long:
 * parsing megabytes of brackets takes 30 seconds and a gigabyte. Strings are skipped by searching their end, so a huge
 * data URI costs nothing.
 */
function checkShape(bytes: Buffer, maxStructureBytes: number): void {
  let depth = 0;
  let longestBytes = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === QUOTE) {
      const start = index;
      index = endOfString(bytes, start + 1);
      longestBytes = Math.max(longestBytes, index - start);
    } else if (OPENERS.has(byte)) {
      depth += 1;
      if (depth > MAX_DEPTH) throw invalidBody(tell`The body nests deeper than ${MAX_DEPTH} levels.`);
    } else if (CLOSERS.has(byte)) {
      depth -= 1;
    }
    // Monotonic: when a longer string is found, the previous longest one counts as rest.
    if (index - longestBytes > maxStructureBytes) throw tooLargeBeside('its longest text', maxStructureBytes);
  }
}

/** Index of the closing quote; the end of the bytes if there is none. */
function endOfString(bytes: Buffer, start: number): number {
  let quote = bytes.indexOf(QUOTE, start);
  while (quote !== -1) {
    let backslashes = 0;
    while (quote - 1 - backslashes >= start && bytes[quote - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote;
    quote = bytes.indexOf(QUOTE, quote + 1);
  }
  return bytes.length;
}

function bodyFileName(value: unknown): string | null {
  if (!isJsonRecord(value) || !Object.hasOwn(value, 'file')) return null;
  const { file } = value;
  return typeof file === 'string' && /^data:/i.test(file) ? file : null;
}

function tooLargeBeside(what: string, maxBytes: number): QuarryError {
  return new QuarryError('body_too_large', `The JSON body is larger than ${describeBytes(maxBytes)} besides ${what}.`);
}

function invalidBody(message: Said, cause?: unknown): QuarryError {
  return new QuarryError('invalid_request', message, { cause, fields: [{ path: '$', message }] });
}

function isJsonRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
