/**
 * Serves job files with Range, ETag and the correct type. Threat: a file made from foreign content (HTML, SVG) that
 * acts as the owner in the browser. The sandbox policy and nosniff make it inert.
 */

import { type FileHandle, open } from 'node:fs/promises';
import type { Context } from 'hono';
import { z } from 'zod';
import { countText } from '../../platform/units.ts';
import { QuarryError, systemCodeOf } from '../errors.ts';
import { type FileKind, kindOfName, typeOfName } from '../files/kinds.ts';
import type { HttpEnv } from './env.ts';

/** Kinds whose files are sent with their type. A browser would run the scripts of others, such as pages. */
const SENT_KINDS: readonly (FileKind | null)[] = [
  ...(['text', 'markdown', 'json', 'srt', 'vtt', 'csv', 'audio', 'video', 'image', 'pdf'] as const),
];

/** Types of text that browsers would read in another encoding. JSON is UTF-8 by itself. */
const TEXT_TYPE = /^(?:text\/|application\/(?:jsonl|x-subrip)$)/;

function contentType(name: string): string {
  const type = SENT_KINDS.includes(kindOfName(name)) ? typeOfName(name) : null;
  if (type === null) return 'application/octet-stream';
  return TEXT_TYPE.test(type) ? `${type}; charset=utf-8` : type;
}

/** What a route that sends a file declares: the headers it takes, and its answers. */
export const FILE_HEADERS = {
  Range: z.string().optional().describe('One byte range.').meta({ example: 'bytes=0-1023' }),
  'If-Range': z
    .string()
    .optional()
    .describe('The ETag of the range. With another ETag the whole file is sent.')
    .meta({ example: '"5z-mwssrkvb"' }),
  'If-None-Match': z.string().optional().describe('The ETag of your copy.').meta({ example: '"5z-mwssrkvb"' }),
};

const ENTITY_HEADERS = ['ETag', 'Accept-Ranges'];

const bytes = { mediaType: '*/*', schema: null } as const;

export const FILE_ANSWERS = {
  200: { description: 'The whole file.', content: bytes, headers: [...ENTITY_HEADERS, 'Content-Disposition'] },
  206: {
    description: 'The requested range.',
    content: bytes,
    headers: [...ENTITY_HEADERS, 'Content-Disposition', 'Content-Range'],
  },
  304: { description: 'Your copy is current.', headers: ENTITY_HEADERS },
};

interface Span {
  first: number;
  last: number;
}

/**
 * `path` null means an invalid name. Errors: `not_found`, `range_not_satisfiable`.
 * @param savedAs the name that browsers save it under
 */
export async function sendFile(
  context: Context<HttpEnv>,
  path: string | null,
  name: string,
  savedAs = name,
): Promise<Response> {
  const handle = path === null ? null : await openIfThere(path);
  if (path === null || !handle) throw new QuarryError('not_found', 'The job has no file of this name.');
  const { size, mtimeMs } = await handle.stat();
  await handle.close();
  const etag = `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`;
  context.header('ETag', etag);
  context.header('Accept-Ranges', 'bytes');
  context.header('Content-Type', contentType(name));
  context.header('X-Content-Type-Options', 'nosniff');
  context.header('Content-Security-Policy', "sandbox; default-src 'none'");
  context.header('Cache-Control', 'private, no-cache');
  if (matchesEntityTag(context.req.header('if-none-match'), etag)) return context.body(null, 304);
  const span = requestedSpan(context, etag, size);
  const { first, last } = span ?? { first: 0, last: size - 1 };
  context.header('Content-Disposition', dispositionOf(savedAs));
  context.header('Content-Length', String(last - first + 1));
  if (span) context.header('Content-Range', `bytes ${first}-${last}/${size}`);
  const status = span ? 206 : 200;
  if (context.req.method === 'HEAD' || size === 0) return context.body(null, status);
  return context.body(ReadableStream.from(streamAnnouncedBytes(path, { size, mtimeMs }, { first, last })), status);
}

/**
 * Streams the announced bytes. If the file is replaced or shrinks, the response is aborted: the client would otherwise
 * wait forever, or accept a mixture of two files.
 */
async function* streamAnnouncedBytes(
  path: string,
  announced: { size: number; mtimeMs: number },
  { first, last }: Span,
): AsyncGenerator<Uint8Array> {
  await using handle = await open(path, 'r');
  const { size, mtimeMs } = await handle.stat();
  if (size !== announced.size || mtimeMs !== announced.mtimeMs) throw changedMeanwhile();
  let left = last - first + 1;
  for await (const piece of handle.createReadStream({ start: first, end: last, autoClose: false })) {
    left -= piece.length;
    yield piece;
  }
  if (left > 0) throw changedMeanwhile();
}

function changedMeanwhile(): Error {
  return new Error('A file was changed while it was sent.');
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Whether `If-None-Match` names what would be sent. */
export function matchesEntityTag(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',').some((tag) => [etag, `W/${etag}`, '*'].includes(tag.trim()));
}

/**
 * A single byte range, or null for the whole file. Several ranges, other units, a stale If-Range and HEAD all mean the
 * whole file (RFC 9110, section 14.2).
 */
function requestedSpan(context: Context<HttpEnv>, etag: string, size: number): Span | null {
  if (context.req.method !== 'GET') return null;
  const header = context.req.header('range');
  const ifRange = context.req.header('if-range');
  if (header === undefined || (ifRange !== undefined && ifRange !== etag)) return null;
  const match = /^bytes=(\d*)-(\d*)$/i.exec(header.trim());
  if (!match || (match[1] === '' && match[2] === '')) return null;
  const span = byteSpanOf(match[1] ?? '', match[2] ?? '', size);
  if (span.first > span.last || span.first >= size) {
    context.header('Content-Range', `bytes */${size}`);
    throw new QuarryError(
      'range_not_satisfiable',
      `The file has ${countText(size, 'byte')}; ask for a range inside it.`,
    );
  }
  return span;
}

function byteSpanOf(from: string, to: string, size: number): Span {
  if (from === '') return { first: Math.max(0, size - Number(to)), last: size - 1 };
  return { first: Number(from), last: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}

/** A header can hold no other letters than ASCII's; newer clients read the second form (RFC 6266). */
function dispositionOf(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  if (plain === name) return `inline; filename="${name}"`;
  const escaped = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16)}`,
  );
  return `inline; filename="${plain}"; filename*=UTF-8''${escaped}`;
}
