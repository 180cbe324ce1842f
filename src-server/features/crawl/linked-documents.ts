/** Documents that pages link to, such as PDF and Word files: which are fetched, and their text as Markdown. */

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobHandle } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import { fileNameOfResponse } from '../../platform/files/file-names.ts';
import { type FileKind, kindOfName, kindsWhere, typesOfKind } from '../../platform/files/kinds.ts';
import { sniffBytes } from '../../platform/files/sniff.ts';
import { afterMachineTime } from '../../platform/process/work-limit.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { MIB, MINUTE_MS } from '../../platform/units.ts';
import type { DocumentService } from '../documents/schema.ts';

/** Most documents that one crawl reads. */
export const MAX_DOCUMENTS = 50;

/** A scanned document takes about a second a page, longer on a busy machine. */
const DOCUMENT_LIMIT_MS = 2 * MINUTE_MS;

const MAX_MARKDOWN_CHARS = 4 * MIB;

const SEGMENT_LENGTH = 1000;

/** Kinds of documents that a crawl reads. */
export const LINKED_KINDS: ReadonlySet<FileKind> = new Set(kindsWhere(({ linked }) => linked === true));

const TYPES = new Set([...LINKED_KINDS].flatMap(typesOfKind));

const UNKNOWN_TYPE = /^(?:|application\/(?:octet-stream|x-download|force-download)|binary\/octet-stream)$/;

/** Whether a response is a document, by its type, or by its name where the type is unknown. */
export function isDocument(url: string, type: string): boolean {
  return TYPES.has(type.toLowerCase()) || (UNKNOWN_TYPE.test(type) && isNamedAsDocument(new URL(url)));
}

export function isNamedAsDocument(url: URL): boolean {
  const kind = kindOfName(url.pathname);
  return kind !== null && LINKED_KINDS.has(kind);
}

/** Reads a document and returns its text as Markdown. Errors: `unsupported_media`, `timeout`, those of the service. */
export type ReadDocument = (document: { url: string; body: Buffer }, signal: AbortSignal) => Promise<LinkedDocument>;

interface LinkedDocument {
  markdown: string;
  /** Content that could not be read, as public sentences. */
  warnings: Said[];
}

/** Reads documents with the documents feature, each in a folder of its own that is deleted afterwards. */
export function documentReader(open: () => Promise<DocumentService>, job: JobHandle): ReadDocument {
  const { id, accountId, spentSeconds, fetchPolicy } = job;
  return async ({ url, body }, signal) => {
    const fileName = fileNameOfResponse(undefined, new URL(url));
    const { kind, label } = await sniffBytes(body, fileName);
    if (!LINKED_KINDS.has(kind))
      throw new QuarryError('unsupported_media', say`It is ${label}, which a crawl does not read.`);
    const folder = join(job.workFolder, 'document');
    await rm(folder, { recursive: true, force: true });
    const files = join(folder, 'files');
    await mkdir(files, { recursive: true });
    try {
      const path = join(folder, 'source');
      await writeFile(path, body);
      const handle: JobHandle = {
        id,
        accountId,
        spentSeconds,
        fetchPolicy,
        maxSourceBytes: body.length,
        emit: () => {},
        files: { folder: files, pathOf: (name) => join(files, name), urlOf: (name) => name },
        workFolder: join(folder, 'work'),
        progress: () => {},
        chunksInFile: () => {},
        choices: {},
      };
      const limit = new AbortController();
      const stopLimit = afterMachineTime(DOCUMENT_LIMIT_MS, () => limit.abort());
      const source = { path, fileName, sizeBytes: body.length, kind };
      const options = { segmentLength: SEGMENT_LENGTH, includeComments: false };
      const service = await open();
      const ended = AbortSignal.any([signal, limit.signal]);
      const extracting = service.extract(source, options, handle, ended).finally(stopLimit);
      const { warnings } = await extracting.catch((error: unknown) => {
        if (!limit.signal.aborted || signal.aborted) throw error;
        const message = say`Reading the document took longer than ${DOCUMENT_LIMIT_MS / MINUTE_MS} minutes.`;
        throw new QuarryError('timeout', message, { cause: error });
      });
      const whole = await readFile(join(files, 'document.md'), 'utf8');
      const markdown = whole.slice(0, MAX_MARKDOWN_CHARS).toWellFormed();
      const isCut = whole.length > MAX_MARKDOWN_CHARS;
      const cut = isCut ? [say`Only the first part of its text is taken: it is too long.`] : [];
      return { markdown, warnings: [...warnings, ...cut] };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}
