/**
 * Local files as arguments of tools, for the bridge: it reads them as the user who started it. Threat: an assistant
 * that is led to name a file of its user's that nobody meant to share. So only folders that the user or the client
 * names are read, a link leads nowhere else, and the file that is checked is the file that is sent.
 */

import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { basename, isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { openWithin } from '../../platform/files/safe-files.ts';
import { recordOf } from '../../platform/records.ts';

/** The argument that holds a file. */
const FILE = 'file';

/** Told to the assistant beside what the tool says of the argument. */
const ADVICE = 'Or the absolute path of a file on this computer, in a folder that is allowed.';

const Tools = z.object({
  tools: z.array(
    z.looseObject({
      name: z.string(),
      inputSchema: z.looseObject({ properties: z.record(z.string(), z.looseObject({})).optional() }),
    }),
  ),
});

/** The answer to `tools/list`: the tools that take a file say that it may be a path. */
export function withPaths(listed: Record<string, unknown>): Record<string, unknown> {
  const { tools } = Tools.parse(listed);
  for (const { inputSchema } of tools) {
    const file = inputSchema.properties?.[FILE];
    if (file !== undefined) file.description = [file.description, ADVICE].filter(Boolean).join(' ');
  }
  return { ...listed, tools };
}

/** Whether the tools of `tools/list` have one of this name that takes a file. */
export function takesFile(listed: Record<string, unknown>, name: string): boolean {
  const { tools } = Tools.parse(listed);
  return tools.some((tool) => tool.name === name && tool.inputSchema.properties?.[FILE] !== undefined);
}

/** The path that a call names; null for a call without one. */
export function pathIn(given: unknown): string | null {
  const file = recordOf(given)[FILE];
  return typeof file !== 'string' || file.startsWith('data:') ? null : file;
}

/** Why a file is not sent, as a tool says it. */
export class LocalFileError extends Error {}

interface OpenFile {
  name: string;
  chunks(): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/**
 * Opens a file in one of the folders. Errors: LocalFileError, the same for a missing file and for one elsewhere.
 *
 * @param given an absolute path, or a file URL
 */
export async function openLocalFile(given: string, folders: readonly string[]): Promise<OpenFile> {
  if (folders.length === 0) {
    throw new LocalFileError('No folder is allowed. Start quarry mcp with --allow FOLDER, or give a data URI.');
  }
  const path = URL.canParse(given) && given.startsWith('file:') ? fileURLToPath(given) : given;
  if (!isAbsolute(path)) throw new LocalFileError('Give the absolute path of a file, or a data URI.');
  const real = await realpath(path).catch(() => null);
  for (const folder of folders) {
    const root = await realpath(folder).catch(() => null);
    if (root === null || real === null) continue;
    const within = relative(root, real);
    if (within === '' || within.startsWith('..') || isAbsolute(within)) continue;
    const file = await openWithin(root, within.split(sep).join('/'));
    if (file !== null) return { ...file, name: basename(real) };
  }
  throw new LocalFileError(`There is no file ${path} in a folder that is allowed. Allowed are ${folders.join(', ')}.`);
}

/** The body of a form with a file, which is streamed, and its content type. */
export function multipartForm(fields: Record<string, unknown>, file: OpenFile) {
  const boundary = `quarry-${randomUUID()}`;
  const formPartHead = (name: string, rest: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name=${name}${rest}`;
  const quotedFormName = (text: string) => `"${text.replaceAll('"', '%22').replaceAll(/[\r\n]/g, ' ')}"`;
  async function* formBodyChunks() {
    for (const [name, value] of Object.entries(fields)) {
      yield Buffer.from(
        formPartHead(quotedFormName(name), `\r\n\r\n${typeof value === 'string' ? value : JSON.stringify(value)}\r\n`),
      );
    }
    yield Buffer.from(
      formPartHead(
        quotedFormName(FILE),
        `; filename=${quotedFormName(file.name)}\r\nContent-Type: application/octet-stream\r\n\r\n`,
      ),
    );
    yield* file.chunks();
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }
  return { type: `multipart/form-data; boundary=${boundary}`, body: ReadableStream.from(formBodyChunks()) };
}
