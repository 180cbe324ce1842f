import { createWriteStream, existsSync } from 'node:fs';
import { open, rm, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { makeFolder } from '../platform/files/make-folder.ts';
import { byName } from '../platform/records.ts';
import { CommandError, type Connection, EXIT, refusedAnswerError } from './connection.ts';
import type { SeenJob } from './follow.ts';
import { isClosedPipe } from './output-errors.ts';

/** Text of others in one line. Threat: control characters would command the terminal. */
export function stripTerminalControls(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\p{Cc}+/gu, ' ');
}

export function formatTextTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(stripTerminalControls));
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  const formatTableLine = (row: readonly string[]) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return cells.map((row) => `${formatTableLine(row).trimEnd()}\n`).join('');
}

const LINE_END = 0x0a;

const Files = z.array(z.object({ name: z.string(), url: z.string() }));

const Chunks = z.array(z.looseObject({ text: z.string() }));

/** Files of a result that contain an output format. Results without the file give the text of their chunks. */
const FILES_OF_FORMAT: Readonly<Record<string, RegExp>> = byName({
  md: /^document\.md$/,
  txt: /^document\.txt$/,
  srt: /^(transcript|captions)\.srt$/,
  vtt: /^(transcript|captions)\.vtt$/,
  chunks: /^chunks\.jsonl$/,
  digest: /^llms\.txt$/,
  pages: /^pages\.jsonl$/,
  addresses: /^addresses\.jsonl$/,
});

/** The result of a completed job in an output format. Errors: CommandError when the job has no such output. */
export async function resultText(connection: Connection, job: SeenJob, format: string): Promise<Readable> {
  const files = Files.safeParse(job.result?.files).data ?? [];
  const captions = z.record(z.string(), z.object({ url: z.string() })).safeParse(job.result?.captions).data;
  const pattern = FILES_OF_FORMAT[format];
  const url = captions?.[format]?.url ?? files.find(({ name }) => pattern?.test(name) === true)?.url;
  if (url !== undefined) return downloadFileStream(connection, url);
  const chunks = Chunks.safeParse(job.result?.chunks).data;
  if (chunks !== undefined && format === 'chunks') {
    return Readable.from(chunks.map((chunk) => `${JSON.stringify(chunk)}\n`));
  }
  if (chunks !== undefined && (format === 'txt' || format === 'md')) {
    return Readable.from([`${chunks.map(({ text }) => text).join('\n\n')}\n`]);
  }
  throw new CommandError(`The job ${job.jobId} has no output in the format ${format}.`, EXIT.failed);
}

export async function downloadFileStream(connection: Connection, url: string): Promise<Readable> {
  const answer = await connection.send(url);
  if (!answer.ok) throw await refusedAnswerError(answer);
  return answer.body === null ? Readable.from([]) : Readable.fromWeb(answer.body as never);
}

/**
 * Writes to a stream that stays open. A closed pipe (`| head -1`) ends the output, not the command. The watch of
 * standard output tells of other write errors.
 */
export async function writeAll(content: Readable, to: NodeJS.WritableStream): Promise<void> {
  await pipeline(content, to, { end: false }).catch((error: NodeJS.ErrnoException) => {
    if (!isClosedPipe(error) && error.syscall !== 'write') throw error;
  });
}

/** Ends the text with a line end, so that the next output begins a line. */
export async function* withLineEnd(content: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array | string> {
  let last: string | number | undefined = LINE_END;
  for await (const piece of content) {
    last = piece.at(-1) ?? last;
    yield piece;
  }
  if (last !== '\n' && last !== LINE_END) yield '\n';
}

/** File systems take 255 bytes; a number and the ending are added. */
const MAX_STEM_BYTES = 200;

/** Whole characters of a text, so that it is no longer than this in UTF-8. */
function cutToBytes(text: string, maxBytes: number): string {
  return Buffer.from(text)
    .subarray(0, maxBytes)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
}

/** Names of written files, unique within a run: `report.md`, `report-2.md`. */
export class OutputFolder {
  readonly #folder: string;
  readonly #taken = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Before anything is sent: a folder that cannot be made costs no job. */
  makeOutputFolder(): void {
    makeFolder(this.#folder);
  }

  async writeResultFile(sourceName: string, extension: string, content: Readable): Promise<string> {
    const path = join(this.#folder, this.#freeFileName(sourceName, extension));
    await pipeline(content, createWriteStream(path));
    return path;
  }

  #freeFileName(sourceName: string, extension: string): string {
    const host = URL.parse(sourceName);
    const named = host === null ? basename(sourceName, extname(sourceName)) : host.hostname + host.pathname;
    const safe = named.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replaceAll(/^[-.]+|-+$/g, '') || 'result';
    const stem = cutToBytes(safe, MAX_STEM_BYTES);
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? `${stem}.${extension}` : `${stem}-${number}.${extension}`;
      if (this.#taken.has(name)) continue;
      this.#taken.add(name);
      return name;
    }
  }
}

/** Before anything is sent: a file that cannot be opened costs no job. Leaves the file as it is. */
export async function checkOpens(path: string): Promise<void> {
  const isNew = !existsSync(path);
  await (await open(path, 'a')).close();
  if (isNew) await rm(path);
}

export async function writeTo(path: string, content: Readable): Promise<void> {
  await writeFile(path, content);
}
