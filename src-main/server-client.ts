/** What the shell itself asks of the server, as its owner. Everything else is the page's business. */
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { ShellSession } from '../src-server/platform/rpc/shell.ts';

const HEALTH_TIMEOUT_MS = 5000;
/** Copying gigabytes into the data folder takes its time on a slow disk. */
const UPLOAD_TIMEOUT_MS = 30 * 60_000;
/** By these a file is a recording; all others are documents, and the server judges both by their bytes. */
const RECORDINGS = new Set(
  '.mp4 .m4v .mov .mkv .webm .avi .mpg .mpeg .wmv .mp3 .m4a .wav .flac .ogg .opus .aac'.split(' '),
);

/** Jobs of all environments. */
export interface Figures {
  running: number;
  queued: number;
}

export type FileOutcome = { file: string; jobId: string } | { file: string; refused: string };

/** Asks for a code that signs the page in once. Rejects where the server gives none. */
export async function signInCode({ baseUrl, ownerToken }: ShellSession): Promise<string> {
  const answer = await fetch(`${baseUrl}/admin/sign-in-codes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ownerToken}` },
    signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
  });
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  return ((await answer.json()) as { code: string }).code;
}

/** How much is being worked on; null when nothing answers. An unhappy answer is still a sign of life. */
export async function readFigures({ baseUrl, ownerToken }: ShellSession): Promise<Figures | null> {
  try {
    const answer = await fetch(`${baseUrl}/admin/overview`, {
      headers: { authorization: `Bearer ${ownerToken}` },
      signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
    });
    return answer.ok ? figuresOf(await answer.json()) : { running: 0, queued: 0 };
  } catch {
    return null;
  }
}

function figuresOf(overview: unknown): Figures {
  const { queues = [] } = overview as { queues?: { running: number; byStatus: { queued: number } }[] };
  const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0);
  return {
    running: sum(queues.map(({ running }) => running)),
    queued: sum(queues.map(({ byStatus }) => byStatus.queued)),
  };
}

/** Makes a job of a file. Its bytes go from disk to the server without being held. Never rejects. */
export async function sendFile({ baseUrl, ownerToken }: ShellSession, path: string): Promise<FileOutcome> {
  const file = basename(path);
  try {
    // A device or a pipe has no end.
    if (!(await stat(path)).isFile()) return { file, refused: 'It is not a file.' };
    const form = new FormData();
    form.set('sourceName', file);
    form.set('file', await openAsBlob(path), file);
    const operation = RECORDINGS.has(extname(path).toLowerCase()) ? 'extract/video' : 'extract/doc';
    const answer = await fetch(`${baseUrl}/v1/${operation}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ownerToken}` },
      body: form,
      signal: AbortSignal.timeout(UPLOAD_TIMEOUT_MS),
    });
    const body = (await answer.json()) as { jobId?: string; detail?: string };
    if (answer.ok && body.jobId !== undefined) return { file, jobId: body.jobId };
    return { file, refused: body.detail ?? `The server answered ${answer.status}.` };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { file, refused: 'It is not there any more.' };
    process.stderr.write(`A file could not be sent: ${(error as Error).message}\n`);
    return { file, refused: 'It could not be read, or the server did not take it. Try again from the Run page.' };
  }
}
