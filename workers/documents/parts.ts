/**
 * Files inside a file: attachments of a mail, entries of an archive. Threat: archives in archives, a thousand
 * attachments. One budget bounds the files, bytes and recognised pages of a job, and depth is bounded. A file that
 * cannot be read is skipped with a warning.
 */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorFaultOf } from '../../src-server/platform/error-codes.ts';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { describeKind, type FileKind } from '../../src-server/platform/files/kinds.ts';
import { sniffBytes } from '../../src-server/platform/files/sniff.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { listedUpTo, saidElsewhere, say } from '../../src-server/platform/text/say.ts';
import { MIB } from '../../src-server/platform/units.ts';
import type { Block, NormalizedDocument, ParseOptions } from './blocks.ts';
import { hasUnlocker, type UnlockedFile, unlockDocument } from './locked/unlock-document.ts';
import { countSource } from './sources/count-source.ts';
import type { PictureInput } from './tasks.ts';

const FILES_MAX = 200;

const BYTES_MAX = 200 * MIB;

const DEPTH_MAX = 3;

/** Recognition takes seconds per page, and a job has minutes. */
const RECOGNIZED_PAGES_MAX = 100;

const CHARACTERS_MAX = 20_000_000;

/** Further skipped files are counted in one sentence. */
const WARNINGS_MAX = 100;

/** Names of files beyond the budget in their warning. */
const NAMED_MAX = 5;

const LEVEL_MAX = 6;

/** What one job may still read. */
export class PartBudget {
  #files = 0;
  #bytes = 0;
  #pages = 0;
  #characters = 0;

  takeFile(sizeBytes: number): boolean {
    if (this.#files >= FILES_MAX || this.#bytes + sizeBytes > BYTES_MAX) return false;
    this.#files += 1;
    this.#bytes += sizeBytes;
    return true;
  }

  takeRecognizedPage(): boolean {
    this.#pages += 1;
    return this.#pages <= RECOGNIZED_PAGES_MAX;
  }

  takeText(blocks: readonly Block[]): boolean {
    for (const block of blocks) this.#characters += block.kind === 'table' ? rowsLength(block.rows) : block.text.length;
    return this.#characters <= CHARACTERS_MAX;
  }

  /** Running number of the last file. */
  get lastFileNumber(): number {
    return this.#files;
  }
}

function rowsLength(rows: readonly string[][]): number {
  return rows.reduce((sum, row) => sum + row.reduce((length, cell) => length + cell.length, 0), 0);
}

/** The options of parsers that recognise pictures or read the files inside a file. */
export interface FileOptions extends ParseOptions {
  pictures: PictureInput | null;
  /** Of the source, tried on the files in it too. */
  password?: string | undefined;
  task: TaskContext;
  budget: PartBudget;
  /** 0 for the source itself. */
  depth: number;
  /** Null for kinds that cannot be read. */
  parserOf(kind: FileKind): Promise<FileParser | null>;
}

/** Every DocumentParser is one. */
export type FileParser = (bytes: Buffer, options: FileOptions) => Promise<NormalizedDocument>;

export interface Part {
  name: string;
  /** Known without the bytes. */
  kind?: FileKind;
  sizeBytes: number;
  /** Called once, if the budget has room. */
  read(): Buffer;
  /** Set if the part has no bytes of its own, as a mail inside an Outlook message. */
  parse?(options: FileOptions): Promise<NormalizedDocument>;
}

/**
 * Appends each part to the document, below a heading with its name. Throws the error of the first part if no part was
 * read and the document has no text of its own.
 */
export async function joinParts(
  document: NormalizedDocument,
  parts: Iterable<Part>,
  options: FileOptions,
): Promise<NormalizedDocument> {
  const joined = { ...document, blocks: [...document.blocks], warnings: [...document.warnings] };
  const failures: QuarryError[] = [];
  let count = 0;
  let read = 0;
  const unread: string[] = [];
  for (const part of parts) {
    options.task.progress(0, 'extracting', say`Reading ${part.name}`);
    options.signal.throwIfAborted();
    count += 1;
    if (!options.budget.takeFile(part.sizeBytes)) {
      unread.push(part.name);
      continue;
    }
    const number = options.budget.lastFileNumber;
    const result = await parsePartOrReason(part, options);
    if (result instanceof QuarryError) {
      failures.push(result);
      continue;
    }
    read += 1;
    appendPartBlocks(joined, result, { name: part.name, number });
  }
  if (read === 0 && document.blocks.length === 0) {
    if (count > 0 || document.format === 'zip') throw failures[0] ?? nothingIn(count);
  }
  const sentences = failures.map(({ message }) => saidElsewhere(message));
  joined.warnings.push(...sentences.slice(0, WARNINGS_MAX));
  const untold = sentences.length - WARNINGS_MAX;
  if (untold > 0)
    joined.warnings.push(
      untold === 1 ? say`1 more file could not be read.` : say`${untold} more files could not be read.`,
    );
  if (unread.length > 0) {
    joined.warnings.push(
      say`Not read: ${listedUpTo(unread, NAMED_MAX)}.
        A job reads at most ${FILES_MAX} files and ${BYTES_MAX / MIB} MB inside its source.`,
    );
  }
  return joined;
}

function nothingIn(count: number): QuarryError {
  if (count > 0) return new QuarryError('source_too_large', say`The files inside are too large. Send them one by one.`);
  return new QuarryError('unsupported_media', say`There is no file inside. Send the documents themselves.`);
}

/** The parsed part, or the reason why it is skipped. Its budget is taken before. */
export async function parsePartOrReason(part: Part, options: FileOptions): Promise<NormalizedDocument | QuarryError> {
  try {
    if (options.depth >= DEPTH_MAX) {
      throw new QuarryError(
        'source_too_large',
        say`It is more than ${DEPTH_MAX} files deep in others and was not read.`,
      );
    }
    const ledger = options.ledger.openPartLedger(part.name);
    const inner = { ...options, fileName: part.name, depth: options.depth + 1, ledger };
    const document = part.parse === undefined ? await parseBytes(part, inner) : await part.parse(inner);
    if (!options.budget.takeText(document.blocks)) {
      throw new QuarryError('source_too_large', say`The files have more text than the limit of a job.`);
    }
    options.ledger.mayHold(part.name);
    options.ledger.takePartLedger(ledger, options.budget.lastFileNumber);
    return document;
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof QuarryError) || !isOfOneFile(error)) throw error;
    return new QuarryError(error.code, say`${part.name}: ${error.message}`, { cause: error });
  }
}

/** Whether an error of a file does not concern the others. */
function isOfOneFile({ code }: QuarryError): boolean {
  const fault = errorFaultOf(code);
  return fault === 'file' || fault === 'installation';
}

async function parseBytes(part: Part, options: FileOptions): Promise<NormalizedDocument> {
  const bytes = part.read();
  // Its budget is taken by the stated size.
  if (bytes.length > part.sizeBytes) {
    throw new QuarryError('corrupt_input', say`The file is larger than its archive states. Pack it again.`);
  }
  const { kind, label } = part.kind === undefined ? await sniffBytes(bytes, part.name) : labelledPartKind(part.kind);
  if (kind === 'empty') throw new QuarryError('corrupt_input', say`The file is empty.`);
  const parserOf = async (opened: FileKind) => {
    const parse = await options.parserOf(opened);
    if (parse !== null) return parse;
    const what = opened === kind ? label : describeKind(opened);
    throw new QuarryError('unsupported_media', say`It is ${what} and was not read.`);
  };
  return parseFile({ kind, bytes }, parserOf, options);
}

/**
 * Parses a file and counts its source. One that needs a password is decrypted before. Errors: those of the parsers, and
 * `encrypted_input` for a missing or wrong password.
 */
export async function parseFile(
  file: UnlockedFile,
  parserOf: (kind: FileKind) => Promise<FileParser>,
  options: FileOptions,
): Promise<NormalizedDocument> {
  try {
    if (file.kind !== 'encrypted') return await parseOpenFile(file, parserOf, options);
  } catch (error) {
    const isLocked = error instanceof QuarryError && error.code === 'encrypted_input' && hasUnlocker(file.kind);
    if (!isLocked) throw error;
  }
  const opened = await unlockDocument(file.kind, file.bytes, options.password);
  options.signal.throwIfAborted();
  return parseOpenFile(opened, parserOf, options);
}

async function parseOpenFile(
  { kind, bytes }: UnlockedFile,
  parserOf: (kind: FileKind) => Promise<FileParser>,
  options: FileOptions,
): Promise<NormalizedDocument> {
  const parse = await parserOf(kind);
  const document = await parse(bytes, options);
  await countSource(kind, bytes, document, options);
  return document;
}

function labelledPartKind(kind: FileKind) {
  return { kind, label: describeKind(kind) };
}

/** Blocks of a file in a file have a number already, which is kept. */
function appendPartBlocks(
  joined: NormalizedDocument,
  file: NormalizedDocument,
  { name, number }: { name: string; number: number },
) {
  joined.blocks.push({ kind: 'heading', level: 1, text: name, page: 1, part: number });
  for (const block of file.blocks) {
    if (block.kind === 'heading') block.level = Math.min(LEVEL_MAX, block.level + 1);
    block.part ??= number;
    joined.blocks.push(block);
  }
  joined.comments = [...joined.comments, ...file.comments];
  joined.changes = [...joined.changes, ...file.changes];
  if (file.doubts !== undefined) joined.doubts = [...(joined.doubts ?? []), ...file.doubts];
  joined.pages = Math.max(joined.pages, file.pages);
  if (file.revisions !== 'none') joined.revisions = file.revisions;
  joined.warnings.push(...file.warnings.map((sentence) => say`${name}: ${sentence}`));
}

/** Writes bytes to a temporary file in the job's private folder for the time of `work`. */
export async function withTemporaryFile<Result>(
  options: FileOptions,
  bytes: Uint8Array,
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  const { workFolder } = picturesOf(options);
  mkdirSync(workFolder, { recursive: true, mode: 0o700 });
  const path = join(workFolder, `part-${options.depth}`);
  writeFileSync(path, bytes);
  try {
    return await work(path);
  } finally {
    rmSync(path, { force: true });
  }
}

export function picturesOf({ pictures }: FileOptions): PictureInput {
  if (pictures === null) throw new TypeError('The task has no folder for this kind of file.');
  return pictures;
}
