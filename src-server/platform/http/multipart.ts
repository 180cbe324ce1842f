/**
 * Reads forms with files. Each file is streamed to disk with back-pressure and never held in memory. The first failure
 * determines the response, and the files are then removed.
 */

import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { errorOf, QuarryError } from '../errors.ts';
import { cleanFileName } from '../files/file-names.ts';
import { fileTooLarge, type ReceivedFile, type Uploads } from '../files/uploads.ts';
import { isRecord } from '../records.ts';
import { type Said, tell } from '../text/say.ts';
import { KIB, MIB } from '../units.ts';
import { bodyChunks, bodyError, refuseAnnouncedExcess } from './body-stream.ts';
import { refuseNesting } from './json-body.ts';

const MAX_FIELDS = 40;

const MAX_FIELD_BYTES = 64 * KIB;

/** Parts beyond fields and files, so that the limits of those are told. */
const SPARE_PARTS = 3;

const MAX_PART_HEADERS = 32;

const MAX_PART_HEADER_BYTES = 16 * KIB;

/** Size of a form without its files: every field at its limit, with headers and boundaries. */
const FORM_OVERHEAD_BYTES = 4 * MIB;

/** How a form of another interface differs. */
export interface FormNames {
  /** Name of the file part. */
  file: string;
  /** Fields that occur once per entry of a list. */
  lists: readonly string[];
  /** Fields that hold a JSON object. */
  objects?: readonly string[];
}

const OWN_NAMES: FormNames = { file: 'file', lists: [] };

interface MultipartRules {
  maxFileBytes: number;
  /** Most files; 1 by default. */
  maxFiles?: number;
  idleTimeoutMs: number;
  names?: FormNames;
}

interface MultipartBody {
  value: Record<string, unknown>;
  files: FormFile[];
}

type FormFile = ReceivedFile & { fileName: string | null; mediaType: string };

/**
 * Reads a form. Its file parts are named `file` unless the rules name another, and have `maxFileBytes` together.
 * Errors: `invalid_request`, `body_too_large`, `storage_full`.
 */
export async function readMultipart(
  incoming: IncomingMessage,
  rules: MultipartRules,
  uploads: Uploads,
): Promise<MultipartBody> {
  const bounds = {
    maxBytes: rules.maxFileBytes + FORM_OVERHEAD_BYTES,
    tooLarge: () => fileTooLarge(rules.maxFileBytes),
    idleTimeoutMs: rules.idleTimeoutMs,
  };
  refuseAnnouncedExcess(incoming, bounds);
  const form = new FormReader(incoming, rules, uploads);
  return form.readFormBody(bodyChunks(incoming, bounds));
}

class FormReader {
  readonly #rules: MultipartRules;
  readonly #uploads: Uploads;
  readonly #parser: BusboyInstance;
  readonly #names: FormNames;
  readonly #value: Record<string, unknown> = {};
  /** The first failure, from any part. */
  #failure: Error | null = null;
  /** Interrupts the current wait. */
  #interrupt: (error: Error) => void = () => undefined;
  readonly #files: Promise<FormFile | null>[] = [];
  #fileStream: BusboyFileStream | null = null;

  constructor(incoming: IncomingMessage, rules: MultipartRules, uploads: Uploads) {
    this.#rules = rules;
    this.#uploads = uploads;
    this.#names = rules.names ?? OWN_NAMES;
    this.#parser = createParser(incoming, this.#maxFiles);
    this.#listenToFormParser();
  }

  get #maxFiles(): number {
    return this.#rules.maxFiles ?? 1;
  }

  async readFormBody(chunks: AsyncGenerator<Buffer>): Promise<MultipartBody> {
    const finished = new Promise<void>((resolve) => this.#parser.once('finish', resolve));
    try {
      for await (const chunk of chunks) await this.#unlessFailed(this.#writeToFormParser(chunk));
      this.#parser.end();
      await this.#unlessFailed(finished);
      const files = await this.#unlessFailed(Promise.all(this.#files));
      // A form without its final boundary still finishes. Its failure is reported separately.
      if (this.#failure !== null) throw this.#failure;
      return { value: this.#value, files: files.filter((file) => file !== null) };
    } catch (error) {
      this.#parser.destroy();
      this.#fileStream?.destroy(errorOf(error));
      for (const receiving of this.#files) {
        const file = await receiving.catch(() => null);
        if (file) await this.#uploads.discard(file);
      }
      throw error;
    }
  }

  /** Resolves when the parser and the disk accept more data. */
  #writeToFormParser(chunk: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#parser.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Waits, but not after a failure: a parser that refused its input may never accept more. */
  #unlessFailed<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#interrupt = reject;
      if (this.#failure !== null) reject(this.#failure);
      work.then(resolve, reject);
    });
  }

  #failFormReading(error: Error): void {
    this.#failure ??= error;
    this.#interrupt(error);
  }

  #listenToFormParser(): void {
    const refuseForm = (message: Said) => this.#failFormReading(bodyError(message));
    this.#parser.on('error', (error) => this.#failFormReading(brokenForm(error)));
    this.#parser.on('partsLimit', () => refuseForm(tell`A form may have at most ${maxParts(this.#maxFiles)} parts.`));
    this.#parser.on('fieldsLimit', () => refuseForm(tell`A form may have at most ${MAX_FIELDS} fields.`));
    this.#parser.on('field', (name: string | undefined, text, _nameCut, textCut) => {
      if (this.#failure !== null) return;
      if (textCut)
        return this.#failFormReading(fieldError(name ?? '$', tell`A field may have at most ${MAX_FIELD_BYTES} bytes.`));
      try {
        addField(this.#value, name ?? '', text, this.#names);
      } catch (error) {
        this.#failFormReading(errorOf(error));
      }
    });
    this.#parser.on('file', (name: string | undefined, stream, fileName: string | undefined, _encoding, mediaType) => {
      // The reader gets the stream's error. Without a listener it would end the process.
      stream.on('error', () => undefined);
      const problem = this.#objectionToFile(name ?? '', fileName);
      if (problem !== null) {
        stream.resume();
        return this.#failFormReading(problem);
      }
      this.#fileStream = stream;
      const receiving = this.#receiveFormFile(stream, fileName, mediaType);
      this.#files.push(receiving);
      receiving.catch((error: Error) => this.#failFormReading(error));
    });
  }

  #objectionToFile(name: string, fileName: string | undefined): Error | null {
    if (this.#failure !== null) return this.#failure;
    const { file } = this.#names;
    if (name !== file) return fieldError(name === '' ? '$' : name, tell`Send the file in a part named ${file}.`);
    const most = this.#maxFiles;
    if (this.#files.length >= most) {
      return fieldError(file, most === 1 ? tell`Send one file only.` : tell`Send at most ${most} files.`);
    }
    return fileName === undefined ? fieldError(file, tell`Send the file part with a file name.`) : null;
  }

  async #receiveFormFile(stream: BusboyFileStream, fileName: string | undefined, mediaType: string) {
    const file = await this.#uploads.receive(brokenAsFormError(stream), { maxBytes: this.#rules.maxFileBytes });
    if (file.sizeBytes === 0 && fileName === '') {
      // Browsers send an empty file field as an empty part with an empty name.
      await this.#uploads.discard(file);
      return null;
    }
    // The contents of many files are not held in memory together.
    const whole = this.#maxFiles === 1 ? file.whole : undefined;
    return { ...file, whole, fileName: cleanFileName(fileName), mediaType };
  }
}

function maxParts(maxFiles: number): number {
  return MAX_FIELDS + maxFiles + SPARE_PARTS;
}

function createParser(incoming: IncomingMessage, maxFiles: number): BusboyInstance {
  const contentType = incoming.headers['content-type'] ?? '';
  try {
    return new Busboy({
      headers: { ...incoming.headers, 'content-type': contentType },
      limits: {
        fields: MAX_FIELDS,
        fieldSize: MAX_FIELD_BYTES,
        parts: maxParts(maxFiles),
        headerPairs: MAX_PART_HEADERS,
        headerSize: MAX_PART_HEADER_BYTES,
      },
      isPartAFile,
    });
  } catch (error) {
    throw bodyError(tell`The content type multipart/form-data needs a boundary.`, error);
  }
}

/** Some libraries send JSON options as a part of their own (a Blob) with a file name. It is still options. */
function isPartAFile(name: string | undefined, mediaType: string | undefined, fileName: string | undefined): boolean {
  if (name === 'options' && mediaType === 'application/json') return false;
  return mediaType === 'application/octet-stream' || fileName !== undefined;
}

async function* brokenAsFormError(stream: BusboyFileStream): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch (error) {
    throw brokenForm(error);
  }
}

function brokenForm(cause: unknown): Error {
  return bodyError(tell`The form is malformed, or ends before its closing boundary; send the request again.`, cause);
}

// Converts the text fields of a form to the value of the same request in JSON. Names are untrusted: they are bounded
// and cannot reach a prototype.

const MAX_NAME_CHARS = 200;

const MAX_OPTION_DEPTH = 4;

const REFUSED_NAMES = new Set(['__proto__', 'prototype', 'constructor']);

/** `options.segmentLength`, `options[segmentLength]` and deeper. */
const OPTION_NAME = /^options((?:\.[\w-]+|\[[\w-]+\])+)$/;

type Fields = Record<string, unknown>;

/** Adds a text field to the value. Errors: `invalid_request` with the field's name. */
function addField(value: Fields, name: string, text: string, { file, lists, objects = [] }: FormNames): void {
  if (name.length > MAX_NAME_CHARS) throw fieldError(name, tell`The name of this field is too long.`);
  if (name === file) throw fieldError(name, tell`Send the content of ${file} as a file part with a file name.`);
  const steps = OPTION_NAME.exec(name)?.[1]?.match(/[\w-]+/g) ?? null;
  if (objects.includes(name)) setOnce(value, name, parseObject(name, text), name);
  else if (name === 'options') mergeOptions(value, parseOptions(text));
  else if (steps !== null) setOption(value, steps, parseScalar(text));
  else if (name.endsWith('[]') || lists.includes(name)) addToList(value, name, text);
  else setOnce(value, name, text, name);
}

/** A name with this ending occurs once per list entry, as forms and OpenAI clients send lists. */
function addToList(value: Fields, name: string, text: string): void {
  if (!Object.hasOwn(value, name)) value[name] = [];
  const list = value[name];
  if (Array.isArray(list)) list.push(text);
}

/** Parses numbers, booleans and null in options. Anything else is text. */
function parseScalar(text: string): unknown {
  if (text === 'true' || text === 'false' || text === 'null') return JSON.parse(text);
  if (!/^-?(0|[1-9]\d{0,30})(\.\d{1,30})?([eE][+-]?\d{1,3})?$/.test(text)) return text;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

function parseOptions(text: string): Fields {
  let options: unknown;
  try {
    options = JSON.parse(text);
  } catch {
    throw fieldError('options', tell`Give options as a JSON object, or one field per option (options.segmentLength).`);
  }
  if (!isRecord(options)) throw fieldError('options', tell`Give options as a JSON object.`);
  return options;
}

function parseObject(name: string, text: string): Fields {
  let object: unknown;
  try {
    object = JSON.parse(text);
  } catch {
    throw fieldError(name, tell`Give ${name} as a JSON object.`);
  }
  if (!isRecord(object)) throw fieldError(name, tell`Give ${name} as a JSON object.`);
  refuseNesting(object);
  return object;
}

function mergeOptions(value: Fields, options: Fields): void {
  const target = childOf(value, 'options', 'options');
  for (const [key, option] of Object.entries(options)) setOnce(target, key, option, `options.${key}`);
  refuseNesting(options);
}

function setOption(value: Fields, steps: readonly string[], option: unknown): void {
  if (steps.length > MAX_OPTION_DEPTH) throw fieldError('options', tell`This option is nested too deep.`);
  let target = childOf(value, 'options', 'options');
  let path = 'options';
  for (const step of steps.slice(0, -1)) {
    path += `.${step}`;
    target = childOf(target, step, path);
  }
  const last = steps.at(-1) ?? '';
  setOnce(target, last, option, `${path}.${last}`);
}

function childOf(target: Fields, name: string, path: string): Fields {
  refuseName(name, path);
  if (!Object.hasOwn(target, name)) target[name] = {};
  const child = target[name];
  if (isRecord(child)) return child;
  throw fieldError(path, tell`This option was given twice, with and without parts.`);
}

function setOnce(target: Fields, name: string, content: unknown, path: string): void {
  refuseName(name, path);
  if (Object.hasOwn(target, name)) throw fieldError(path, tell`Give this field once.`);
  target[name] = content;
}

function refuseName(name: string, path: string): void {
  if (name !== '' && !REFUSED_NAMES.has(name)) return;
  throw fieldError(path === '' ? '$' : path, tell`This field name is not accepted.`);
}

/** A 400 for one field. A client's name is truncated. */
function fieldError(name: string, message: Said): QuarryError {
  return new QuarryError('invalid_request', message, { fields: [{ path: name.slice(0, MAX_NAME_CHARS), message }] });
}
