/** The text of a finished job, in pages, so that memory stays flat for a text of any length. */

import { open, stat } from 'node:fs/promises';
import { QuarryError } from '../../platform/errors.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import type { JobService } from '../jobs/service.ts';

export const TEXT_FORMATS = ['text', 'markdown', 'transcript', 'pages'] as const;

type TextFormat = (typeof TEXT_FORMATS)[number];

/** Files that hold a format, the best first. */
const FILES: Readonly<Record<TextFormat, readonly string[]>> = {
  text: ['document.txt', 'transcript.txt', 'llms.txt'],
  markdown: ['document.md', 'digest.md', 'llms.txt'],
  transcript: ['transcript.txt'],
  pages: ['pages.jsonl'],
};

export const PAGE_BYTES_MAX = 100_000;

export interface TextPage {
  jobId: string;
  /** The file of the job; null for a text that is in the result. */
  file: string | null;
  text: string;
  /** In bytes of UTF-8. */
  offset: number;
  /** Where the next page begins; null on the last. */
  nextOffset: number | null;
  totalBytes: number;
}

/** Errors: `not_found`, `job_expired`, `conflict` for a job that is not completed. */
export async function readTextPage(
  service: JobService,
  jobId: string,
  { format, offset, limit }: { format: TextFormat; offset: number; limit: number },
): Promise<TextPage> {
  const { jobs } = service;
  const job = jobs.row(jobId);
  if (job.status !== 'completed') {
    throw new QuarryError('conflict', `The job is ${job.status}: only a completed job has text. Call get_job first.`);
  }
  const file = await findTextFile(service, jobId, format);
  if (file !== null) return { jobId, file: file.name, ...(await readFilePage(file.path, offset, limit)) };
  const written = format === 'text' ? await writtenText(service, jobId) : null;
  if (written !== null) {
    const bytes = Buffer.from(written);
    const piece = wholeCharacters(bytes.subarray(offset, offset + limit), offset + limit >= bytes.length);
    return { jobId, file: null, ...placedTextPage(piece, offset, bytes.length) };
  }
  const found = await Promise.all(TEXT_FORMATS.map((other) => findTextFile(service, jobId, other)));
  const others = TEXT_FORMATS.filter((_, at) => found[at] !== null);
  const advice = others.length === 0 ? 'get_job has its result.' : `Ask for ${others.join(' or ')}.`;
  throw new QuarryError('not_found', `This job has no ${format}. ${advice}`);
}

async function findTextFile(service: JobService, jobId: string, format: TextFormat) {
  for (const name of FILES[format]) {
    const path = service.filePathOf(jobId, name);
    if (path !== null && (await isFile(path))) return { name, path };
  }
  return null;
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() === true;
}

/** The text of a job that wrote one and keeps no file. */
async function writtenText({ jobs }: JobService, jobId: string): Promise<string | null> {
  const { content } = parseOwnJson<{ content?: unknown }>((await jobs.storedResultText(jobId)) ?? '{}');
  return typeof content === 'string' ? content : null;
}

async function readFilePage(path: string, offset: number, limit: number) {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(limit, Math.max(0, size - offset)));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
    const piece = wholeCharacters(buffer.subarray(0, bytesRead), offset + bytesRead >= size);
    return placedTextPage(piece, offset, size);
  } finally {
    await file.close();
  }
}

function placedTextPage(piece: Buffer, offset: number, totalBytes: number) {
  const end = offset + piece.length;
  return { text: piece.toString(), offset, nextOffset: end < totalBytes ? end : null, totalBytes };
}

const LEAD_BYTE = 0xc0;

const CONTINUATION = 0x80;

/** Without a character that is cut off at the end. */
function wholeCharacters(bytes: Buffer, isLast: boolean): Buffer {
  if (isLast) return bytes;
  let start = bytes.length - 1;
  while (start > 0 && ((bytes[start] ?? 0) & LEAD_BYTE) === CONTINUATION) start -= 1;
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= LEAD_BYTE ? 2 : 1;
  return start + length > bytes.length ? bytes.subarray(0, start) : bytes;
}
