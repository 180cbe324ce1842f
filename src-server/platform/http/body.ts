/**
 * Parses JSON, multipart and data URIs to one form. Threat: a partial request. After any failure, no file of it stays
 * on disk.
 */

import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { QuarryError } from '../errors.ts';
import type { SniffedFile } from '../files/sniff.ts';
import { fileTooLarge, type ReceivedFile, type Upload, type Uploads } from '../files/uploads.ts';
import { isRecord } from '../records.ts';
import { type Said, tell } from '../text/say.ts';
import { KIB, SECOND_MS } from '../units.ts';
import { bodyChunks, bodyError, hasBody, readAnswerably, refuseAnnouncedExcess } from './body-stream.ts';
import type { HttpEnv } from './env.ts';
import { type ParseLargeJson, readJsonObject, takeFile } from './json-body.ts';
import { type FormNames, readMultipart } from './multipart.ts';

/** A client that is silent for this long has gone, or wants to occupy the connection. */
const DEFAULT_IDLE_TIMEOUT_MS = 60 * SECOND_MS;

const JSON_TYPE = /^application\/(?:[a-z0-9!#$&^_.-]+\+)?json$/;

const MARKDOWN_TYPE = /^text\/(?:x-)?markdown$/;

export interface BodyRules {
  /** Whether the operation reads a file. Only then are multipart bodies accepted. */
  allowsFile: boolean;
  maxFileBytes: number;
  maxJsonBytes: number;
  idleTimeoutMs?: number;
  /** How a form of another interface differs. */
  names?: FormNames;
}

export interface BodyParts {
  uploads: Uploads;
  /** Runs the pool task `read-json-body`. */
  parseLargeJson: ParseLargeJson;
  /**
   * Detects a file's kind by its bytes. The name only decides between formats with similar bytes.
   *
   * @param whole the file's content, where it is still in memory
   */
  sniff(path: string, fileName: string | null, whole?: Uint8Array): Promise<SniffedFile>;
}

interface ParsedBody {
  /** The request as JSON, not validated yet. A file appears as `upload:<sha256>`. */
  value: Record<string, unknown>;
  upload: Upload | null;
}

/**
 * Reads a request body from Node's stream. The caller then owns the upload and discards or claims it. Errors:
 * `invalid_request` (400), `body_too_large` (413), `unsupported_content_type` (415), `storage_full`.
 */
export async function readRequestBody(
  incoming: IncomingMessage,
  rules: BodyRules,
  parts: BodyParts,
): Promise<ParsedBody> {
  return sniffParsedBody(await readAnswerably(incoming, () => readByType(incoming, rules, parts)), parts);
}

/**
 * The same for an object that is a part of a body, such as the arguments of a tool. The caller has bounded it. Errors:
 * `invalid_request`, `source_too_large`, `storage_full`.
 */
export async function readObject(
  value: Record<string, unknown>,
  rules: Pick<BodyRules, 'allowsFile' | 'maxFileBytes'>,
  parts: BodyParts,
): Promise<ParsedBody> {
  if (!rules.allowsFile) return sniffParsedBody({ value, file: null }, parts);
  return sniffParsedBody(withoutFileName(await takeFile(value, rules.maxFileBytes, parts.uploads)), parts);
}

async function sniffParsedBody({ value, file }: ReadBody, parts: BodyParts): Promise<ParsedBody> {
  try {
    refuseHalfCharacters(value, '');
    if (file === null) return { value, upload: null };
    const sniffed = await parts.sniff(file.path, file.nameHint, file.whole);
    const { path, fileName, sizeBytes, sha256 } = file;
    return { value: { ...value, file: `upload:${sha256}` }, upload: { path, fileName, sizeBytes, sha256, ...sniffed } };
  } catch (error) {
    if (file !== null) await parts.uploads.discard(file);
    throw error;
  }
}

/**
 * Reads a body that is the file itself. The caller then owns the upload. Errors: `invalid_request` (400),
 * `body_too_large` (413), `unsupported_content_type` (415), `storage_full`.
 *
 * @param fileName the client's name, for display and as a hint between formats with similar bytes
 */
export async function readFileBody(
  incoming: IncomingMessage,
  { maxFileBytes, fileName }: { maxFileBytes: number; fileName: string | null },
  { uploads, sniff }: BodyParts,
): Promise<Upload> {
  if (!hasBody(incoming)) throw bodyError(tell`Send the file as the body of the request.`);
  refuseEncoding(incoming);
  const bodyFileTooLarge = () => fileTooLarge(maxFileBytes);
  const bounds = { maxBytes: maxFileBytes, tooLarge: bodyFileTooLarge, idleTimeoutMs: DEFAULT_IDLE_TIMEOUT_MS };
  refuseAnnouncedExcess(incoming, bounds);
  const { whole, ...file } = await readAnswerably(incoming, () =>
    uploads.receive(bodyChunks(incoming, bounds), { maxBytes: maxFileBytes }),
  );
  try {
    const { type } = parseContentType(incoming.headers['content-type'] ?? '');
    const nameHint = fileName ?? (MARKDOWN_TYPE.test(type) ? 'file.md' : null);
    return { ...file, fileName, ...(await sniff(file.path, nameHint, whole)) };
  } catch (error) {
    await uploads.discard(file);
    throw error;
  }
}

interface FilesRules {
  /** Name of the field with the JSON object of the request. */
  field: string;
  maxFiles: number;
  /** Of all files together. */
  maxBytes: number;
  maxJsonBytes: number;
}

/**
 * Reads a request with many files: a form with a JSON object in one field and parts named `file`, or the JSON object
 * alone. The caller then owns the uploads. Errors: as `readRequestBody`.
 */
export async function readFilesBody(
  incoming: IncomingMessage,
  { field, maxFiles, maxBytes, maxJsonBytes }: FilesRules,
  parts: BodyParts,
): Promise<{ value: Record<string, unknown>; uploads: Upload[] }> {
  const { type } = parseContentType(incoming.headers['content-type'] ?? '');
  if (type !== 'multipart/form-data' || !hasBody(incoming)) {
    const { value } = await readRequestBody(incoming, { allowsFile: false, maxFileBytes: 0, maxJsonBytes }, parts);
    return { value, uploads: [] };
  }
  const names = { file: 'file', lists: [], objects: [field] };
  const form = await readFilesForm(incoming, { maxFiles, maxBytes, names }, parts);
  try {
    const other = Object.keys(form.value).find((name) => name !== field);
    if (other !== undefined) throw formFieldError(other, tell`Send ${field} and file parts only.`);
    const value = form.value[field];
    if (!isRecord(value)) throw formFieldError(field, tell`Give the request as a JSON object in the field ${field}.`);
    return { value, uploads: form.uploads };
  } catch (error) {
    for (const file of form.uploads) await parts.uploads.discard(file);
    throw error;
  }
}

interface FilesFormRules {
  maxFiles: number;
  /** Of all files together. */
  maxBytes: number;
  names: FormNames;
}

/** Reads a form with many files. The caller then owns the uploads. Errors: as `readRequestBody`. */
export async function readFilesForm(
  incoming: IncomingMessage,
  { maxFiles, maxBytes, names }: FilesFormRules,
  parts: BodyParts,
): Promise<{ value: Record<string, unknown>; uploads: Upload[] }> {
  const { type } = parseContentType(incoming.headers['content-type'] ?? '');
  if (type !== 'multipart/form-data' || !hasBody(incoming))
    throw unsupportedContentType('Send the body as multipart/form-data.');
  refuseEncoding(incoming);
  const rules = { maxFileBytes: maxBytes, maxFiles, names, idleTimeoutMs: DEFAULT_IDLE_TIMEOUT_MS };
  const { value, files } = await readAnswerably(incoming, () => readMultipart(incoming, rules, parts.uploads));
  try {
    refuseHalfCharacters(value, '');
    const uploads: Upload[] = [];
    for (const { mediaType: _, whole: __, ...file } of files) {
      uploads.push({ ...file, ...(await parts.sniff(file.path, file.fileName)) });
    }
    return { value, uploads };
  } catch (error) {
    for (const file of files) await parts.uploads.discard(file);
    throw error;
  }
}

function formFieldError(path: string, message: Said): QuarryError {
  return new QuarryError('invalid_request', message, { fields: [{ path, message }] });
}

/**
 * Refuses half surrogate pairs, which JSON can express but no encoding can: they could not be stored or signed
 * unchanged. The parser limits the depth.
 */
function refuseHalfCharacters(value: unknown, path: string): void {
  if (typeof value === 'string' && !value.isWellFormed()) throw halfCharacter(path);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (!name.isWellFormed()) throw halfCharacter(path);
    refuseHalfCharacters(inner, path === '' ? name : `${path}.${name}`);
  }
}

function halfCharacter(path: string): QuarryError {
  const message = tell`Give text of whole characters: this has half of a surrogate pair.`;
  return new QuarryError('invalid_request', message, { fields: [{ path: path === '' ? '$' : path, message }] });
}

interface ReadBody {
  value: Record<string, unknown>;
  file: (ReceivedFile & { fileName: string | null; nameHint: string | null }) | null;
}

async function readByType(incoming: IncomingMessage, rules: BodyRules, parts: BodyParts): Promise<ReadBody> {
  if (!hasBody(incoming)) {
    throw bodyError(tell`The request needs a body: a JSON object${rules.allowsFile ? ', or a form with a file' : ''}.`);
  }
  refuseEncoding(incoming);
  const { type, charset } = parseContentType(incoming.headers['content-type'] ?? '');
  const idleTimeoutMs = rules.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS;

  if (JSON_TYPE.test(type)) {
    if (charset !== 'utf-8' && charset !== 'utf8') throw unsupportedContentType('Send JSON in UTF-8.');
    return withoutFileName(await readJsonObject(incoming, { ...rules, idleTimeoutMs }, parts));
  }
  if (rules.allowsFile && type === 'multipart/form-data') {
    const { value, files } = await readMultipart(incoming, { ...rules, idleTimeoutMs }, parts.uploads);
    const [file] = files;
    return { value, file: file === undefined ? null : { ...file, nameHint: file.fileName } };
  }
  throw unsupportedContentType(
    `Send the body as application/json${rules.allowsFile ? ' or multipart/form-data' : ''}.`,
  );
}

/** A data URI has no name. Markdown is the one type that its bytes cannot show. */
function withoutFileName({ value, file }: Awaited<ReturnType<typeof readJsonObject>>): ReadBody {
  if (file === null) return { value, file };
  const nameHint = MARKDOWN_TYPE.test(file.mediaType) ? 'file.md' : null;
  return { value, file: { ...file, fileName: null, nameHint } };
}

function refuseEncoding(incoming: IncomingMessage): void {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity') throw unsupportedContentType('Send the body without a content encoding.');
}

function parseContentType(header: string): { type: string; charset: string } {
  const [type = '', ...parameters] = header.toLowerCase().split(';');
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(parameter)?.[1]);
  return { type: type.trim(), charset: charset.find((name) => name !== undefined) ?? 'utf-8' };
}

function unsupportedContentType(message: string): QuarryError {
  return new QuarryError('unsupported_content_type', message);
}

/** Settings, plans and sign-ins are small. */
const SMALL_BODY_BYTES = 256 * KIB;

export type ReadSmallJson = (context: Context<HttpEnv>) => Promise<Record<string, unknown>>;

/** Reads the JSON object of a route without files. Errors: `invalid_request`, `body_too_large`, 415. */
export function smallJsonReader(parts: BodyParts): ReadSmallJson {
  const rules = { allowsFile: false, maxFileBytes: 0, maxJsonBytes: SMALL_BODY_BYTES };
  return async (context) => (await readRequestBody(context.env.incoming, rules, parts)).value;
}
