/** Requests of the shell to the server, as the owner. */

import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { operationForName } from '../src-renderer/components/file-kinds.ts';
import { messageOf, systemCodeOf } from '../src-server/platform/errors.ts';
import { parseOwnJson } from '../src-server/platform/own-json.ts';
import type { ShellSession } from '../src-server/platform/rpc/shell.ts';
import { logLine } from './log.ts';
import { problemText, texts } from './texts.ts';

const HEALTH_TIMEOUT_MS = 5000;
/** Copying gigabytes into the data folder is slow on some disks. */
const UPLOAD_TIMEOUT_MS = 30 * 60_000;

/** Job counts of all environments. */
export interface Figures {
  running: number;
  queued: number;
}

export type FileOutcome = { file: string; jobId: string } | { file: string; refused: string };

/** Requests a one-time sign-in code. Rejects if the server refuses. */
export async function signInCode({ baseUrl, ownerToken }: ShellSession): Promise<string> {
  const answer = await fetch(`${baseUrl}/admin/sign-in-codes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ownerToken}` },
    signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
  });
  if (!answer.ok) throw new Error(`The server returned status ${answer.status}.`);
  return parseOwnJson<{ code: string }>(await answer.text()).code;
}

/** Job counts; null if no server answers. An error response counts as alive. */
export async function readFigures({ baseUrl, ownerToken }: ShellSession): Promise<Figures | null> {
  try {
    const answer = await fetch(`${baseUrl}/admin/overview`, {
      headers: { authorization: `Bearer ${ownerToken}` },
      signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
    });
    return answer.ok ? figuresOf(parseOwnJson(await answer.text())) : { running: 0, queued: 0 };
  } catch {
    return null;
  }
}

interface Queues {
  queues?: { running: number; byStatus: { queued: number } }[];
}

function figuresOf({ queues = [] }: Queues): Figures {
  const sumCounts = (counts: number[]): number => counts.reduce((total, count) => total + count, 0);
  return {
    running: sumCounts(queues.map(({ running }) => running)),
    queued: sumCounts(queues.map(({ byStatus }) => byStatus.queued)),
  };
}

/** Something that the owner must mend. */
export interface OpenAlert {
  alertId: string;
  kind: string;
  title: string;
  message: string;
  /** Page of the window that mends it. */
  page: string;
  raisedAt: string;
}

/** Open alerts of all environments. Rejects if the server does not answer with them. */
export async function readAlerts({ baseUrl, ownerToken }: ShellSession): Promise<OpenAlert[]> {
  const answer = await fetch(`${baseUrl}/admin/alerts`, {
    headers: { authorization: `Bearer ${ownerToken}` },
    signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
  });
  if (!answer.ok) throw new Error(`The server returned status ${answer.status}.`);
  return parseOwnJson<{ open: OpenAlert[] }>(await answer.text()).open;
}

/** Uploads a file as a job. Streams it from disk. Never rejects. */
export async function sendFile({ baseUrl, ownerToken }: ShellSession, path: string): Promise<FileOutcome> {
  const file = basename(path);
  try {
    // Devices and pipes have no end.
    if (!(await stat(path)).isFile()) return { file, refused: texts.noFile };
    const form = new FormData();
    form.set('sourceName', file);
    form.set('file', await openAsBlob(path), file);
    const answer = await fetch(`${baseUrl}/v1/${operationForName(file)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ownerToken}` },
      body: form,
      signal: AbortSignal.timeout(UPLOAD_TIMEOUT_MS),
    });
    const body = parseOwnJson<{ jobId?: string; code?: string; detail?: string }>(await answer.text());
    if (answer.ok && body.jobId !== undefined) return { file, jobId: body.jobId };
    return { file, refused: problemText(body) ?? texts.uploadFailed };
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return { file, refused: texts.fileGone };
    logLine(`An upload failed: ${messageOf(error)}`);
    return { file, refused: texts.uploadFailed };
  }
}
