import type { Context } from 'hono';
import { z } from 'zod';
import type { QuarryError } from '../../platform/errors.ts';
import type { Upload } from '../../platform/files/uploads.ts';
import { readFileBody } from '../../platform/http/body.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { logFailure, problemOf, publicError, setErrorHeaders } from '../../platform/http/problem.ts';
import type { Said } from '../../platform/text/say.ts';
import { MIB } from '../../platform/units.ts';
import type { DocumentFacts } from '../documents/schema.ts';
import type { JobService } from '../jobs/service.ts';
import { acceptCall } from '../jobs/service.ts';

/** A field that describes what is done anyway. Another value is refused. */
export const isAlways = <Value extends boolean | string | number>(value: Value, what: string) =>
  z.literal(value, `${what} Leave it out.`).optional();

/** A field that is refused with a reason. */
export const refusedOption = (what: string) => z.undefined(`${what} Leave it out.`).optional();

// Documents for tools that send a file as the body and wait for its text, on the operation extract/doc.

export interface LoadedDocument {
  jobId: string;
  upload: Upload;
  document: DocumentFacts;
  warnings: readonly Said[];
  /** Path of a file of the result. */
  pathOf(name: 'document.md' | 'document.txt'): string;
}

/** The file that is the body of a request. Errors: those of the body. */
export function readUpload(service: JobService, context: Context<HttpEnv>, fileName: string | null): Promise<Upload> {
  const maxFileBytes = service.settings().documentLimitMb * MIB;
  return readFileBody(context.env.incoming, { maxFileBytes, fileName }, service.body);
}

/** Reads an upload, which it takes. Errors: those of extract/doc and of its job. */
export async function loadUpload(
  service: JobService,
  context: Context<HttpEnv>,
  upload: Upload,
): Promise<LoadedDocument> {
  try {
    const accepted = await acceptCall(service, {
      operationId: 'extract/doc',
      principal: context.get('principal'),
      value: { file: `upload:${upload.sha256}` },
      upload,
      signal: context.req.raw.signal,
    });
    context.header('X-Quarry-Job-Id', accepted.jobId);
    const { document, warnings } = await accepted.result<Pick<LoadedDocument, 'document' | 'warnings'>>();
    const loadedFilePath = (name: string) => {
      const path = service.filePathOf(accepted.jobId, name);
      if (path === null) throw new Error(`No file of a job is called ${name}.`);
      return path;
    };
    return { jobId: accepted.jobId, upload, document, warnings, pathOf: loadedFilePath };
  } finally {
    // An accepted upload has moved to its job. Anything left is unused.
    await service.body.uploads.discard(upload);
  }
}

/** JSON with a file as the string in one of its members, which need not fit into memory. */
export async function* jsonAround(
  before: object,
  member: string,
  file: AsyncIterable<string>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const start = JSON.stringify(before).slice(0, -1);
  yield encoder.encode(`${start}${start === '{' ? '' : ','}${JSON.stringify(member)}:`);
  for await (const part of jsonString(file)) yield encoder.encode(part);
  yield encoder.encode('}');
}

/** A file as a JSON string, in pieces. */
export async function* jsonString(file: AsyncIterable<string>): AsyncGenerator<string> {
  yield '"';
  for await (const part of file) yield JSON.stringify(part).slice(1, -1);
  yield '"';
}

/** An error as the sentence alone: these tools show the whole body to their user. */
export function textErrorResponse(context: Context<HttpEnv>, error: unknown): Response {
  const shown: QuarryError = publicError(error);
  logFailure(context, shown);
  setErrorHeaders(context, shown);
  const { status, detail } = problemOf(shown);
  return context.text(`${detail}\n`, status);
}
