/** The queue of everything that was dropped, pasted or chosen. It outlives pages; two uploads run at once. */
import { useSyncExternalStore } from 'react';
import { ApiError, dataOf, owner } from '../../api/client.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { upload } from '../../api/upload.ts';
import { type Source, sourceForm, talkOptions } from './sources.ts';

const UPLOADS_AT_ONCE = 2;

export interface Upload {
  id: number;
  environment: EnvironmentName;
  source: Source;
  status: 'waiting' | 'uploading' | 'accepted' | 'failed' | 'cancelled';
  /** The share that was sent, from 0 to 1. */
  sent: number;
  jobId: string | null;
  error: string | null;
}

let uploads: readonly Upload[] = [];

let nextId = 1;

const running = new Map<number, AbortController>();

const listeners = new Set<() => void>();

function set(next: readonly Upload[]): void {
  uploads = next;
  for (const listener of listeners) listener();
}

function change(id: number, fields: Partial<Upload>): void {
  set(uploads.map((one) => (one.id === id ? { ...one, ...fields } : one)));
}

/** All uploads, oldest first. */
export function useUploads(): readonly Upload[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => uploads,
  );
}

/** Adds sources to the queue. Nothing navigates: the tray shows what becomes of them. */
export function addUploads(environment: EnvironmentName, sources: readonly Source[]): void {
  const added = sources.map((source): Upload => {
    const id = nextId;
    nextId += 1;
    return { id, environment, source, status: 'waiting', sent: 0, jobId: null, error: null };
  });
  set([...uploads, ...added]);
  startNext();
}

export function cancelUpload(id: number): void {
  change(id, { status: 'cancelled' });
  running.get(id)?.abort();
  startNext();
}

export function retryUpload(id: number): void {
  change(id, { status: 'waiting', sent: 0, error: null });
  startNext();
}

/** Removes uploads that have ended from the list. */
export function forgetUploads(ids: readonly number[]): void {
  set(uploads.filter(({ id, status }) => !ids.includes(id) || status === 'waiting' || status === 'uploading'));
}

export function hasEnded({ status }: Upload): boolean {
  return status !== 'waiting' && status !== 'uploading';
}

function startNext(): void {
  while (running.size < UPLOADS_AT_ONCE) {
    const next = uploads.find(({ status }) => status === 'waiting');
    if (next === undefined) return;
    const abort = new AbortController();
    running.set(next.id, abort);
    change(next.id, { status: 'uploading' });
    void run(next, abort.signal).then(() => {
      running.delete(next.id);
      startNext();
    });
  }
}

async function run({ id, environment, source }: Upload, signal: AbortSignal): Promise<void> {
  try {
    const answer = await upload({
      environment,
      operationId: source.operationId,
      body: sourceForm(source, talkOptions(source, await findsSpeakers(source))),
      signal,
      onProgress: (sent) => change(id, { sent }),
    });
    const jobId = answer.jobId ?? answer.crawlId;
    change(id, { status: 'accepted', sent: 1, jobId: typeof jobId === 'string' ? jobId : null });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (!signal.aborted) change(id, { status: 'failed', error: error.message });
  }
}

async function findsSpeakers({ work }: Source): Promise<boolean> {
  if (work.group !== 'transcribe') return false;
  const { needs } = await dataOf(owner.GET('/admin/needs'));
  return needs.some(({ need, ready }) => need === 'speakers' && ready);
}
