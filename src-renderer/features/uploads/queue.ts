/** The queue of everything that was dropped, pasted or chosen. It outlives pages; two uploads run at once. */
import { useSyncExternalStore } from 'react';
import { ApiError, dataOf, owner } from '../../api/client.ts';
import type { LibraryItem } from '../../api/generated/public.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { uploadFile } from '../../api/upload.ts';
import { knownItem } from './known.ts';
import { readingOptions, savedReading, sourceKindOf } from './reading.ts';
import { isSoundSource, type Source, sourceForm } from './sources.ts';

const UPLOADS_AT_ONCE = 2;

export interface Upload {
  id: number;
  environment: EnvironmentName;
  source: Source;
  /** `known`: the library has it, and its owner says what becomes of it. `left`: it stays as it is there. */
  status: 'waiting' | 'checking' | 'known' | 'left' | 'uploading' | 'accepted' | 'failed' | 'cancelled';
  /** The share that was compared or sent, from 0 to 1. */
  sent: number;
  /** What the library has of this source. */
  item: LibraryItem | null;
  /** Whether its owner decides later. */
  isAside: boolean;
  jobId: string | null;
  error: string | null;
}

let uploads: readonly Upload[] = [];

let nextId = 1;

const running = new Map<number, AbortController>();

const listeners = new Set<() => void>();

function setUploadQueue(next: readonly Upload[]): void {
  uploads = next;
  for (const listener of listeners) listener();
}

function changeQueuedUpload(id: number, fields: Partial<Upload>): void {
  setUploadQueue(uploads.map((one) => (one.id === id ? { ...one, ...fields } : one)));
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
    return {
      id,
      environment,
      source,
      status: 'waiting',
      sent: 0,
      item: null,
      isAside: false,
      jobId: null,
      error: null,
    };
  });
  setUploadQueue([...uploads, ...added]);
  startNext();
}

export function cancelUpload(id: number): void {
  changeQueuedUpload(id, { status: 'cancelled' });
  running.get(id)?.abort();
  startNext();
}

export function retryUpload(id: number): void {
  changeQueuedUpload(id, { status: 'waiting', sent: 0, error: null });
  startNext();
}

/** Removes uploads that have ended from the list. */
export function forgetUploads(ids: readonly number[]): void {
  setUploadQueue(uploads.filter((one) => !ids.includes(one.id) || !hasEnded(one)));
}

export type KnownUpload = Upload & { item: LibraryItem };

function isKnown(one: Upload): one is KnownUpload {
  return one.status === 'known' && one.item !== null;
}

/** What the library has already, oldest first. */
export function useKnownUploads(): readonly KnownUpload[] {
  return useUploads().filter(isKnown);
}

/** Asks about them later. */
export function putAside(ids: readonly number[]): void {
  for (const id of ids) changeQueuedUpload(id, { isAside: true });
}

/** Asks now what becomes of it. */
export function askAbout(id: number): void {
  changeQueuedUpload(id, { isAside: false });
}

/** Leaves what the library has as it is there. */
export function leaveKnown(ids: readonly number[]): void {
  for (const id of ids) changeQueuedUpload(id, { status: 'left' });
}

/** Reads what the library has again, as a new version. */
export function readKnownAgain(ids: readonly number[]): void {
  setUploadQueue(
    uploads.map((one) =>
      ids.includes(one.id) ? { ...one, source: { ...one.source, isAgain: true }, status: 'waiting', sent: 0 } : one,
    ),
  );
  startNext();
}

/** The one that its owner wants to hear, once it is in the library; undefined for none. */
export function useUploadToHear(): Upload | undefined {
  return useUploads().find(
    ({ source, status }) => source.listens === true && (status === 'accepted' || status === 'left'),
  );
}

/** Its page is open. */
export function noteHeard(id: number): void {
  setUploadQueue(uploads.map((one) => (one.id === id ? { ...one, source: { ...one.source, listens: false } } : one)));
}

/** One that waits for its owner has not ended. */
export function hasEnded({ status }: Upload): boolean {
  return status !== 'waiting' && status !== 'checking' && status !== 'known' && status !== 'uploading';
}

function startNext(): void {
  while (running.size < UPLOADS_AT_ONCE) {
    const next = uploads.find(({ status }) => status === 'waiting');
    if (next === undefined) return;
    const abort = new AbortController();
    running.set(next.id, abort);
    void runQueuedUpload(next, abort.signal).then(() => {
      running.delete(next.id);
      startNext();
    });
  }
}

async function runQueuedUpload({ id, environment, source }: Upload, signal: AbortSignal): Promise<void> {
  const onProgress = (sent: number) => changeQueuedUpload(id, { sent });
  try {
    if (source.isAgain !== true) {
      changeQueuedUpload(id, { status: 'checking' });
      const item = await knownItem(environment, source, { signal, onProgress });
      if (item !== null) {
        // Who wants to hear it is not asked: the library has it.
        const isHeard = source.listens === true && item.deletedAt === null;
        changeQueuedUpload(id, { status: isHeard ? 'left' : 'known', item });
        return;
      }
    }
    if (signal.aborted) return;
    changeQueuedUpload(id, { status: 'uploading', sent: 0 });
    const answer = await uploadFile({
      environment,
      operationId: source.operationId,
      body: sourceForm(source, await optionsOf(source)),
      signal,
      onProgress,
    });
    const jobId = answer.jobId ?? answer.crawlId;
    changeQueuedUpload(id, { status: 'accepted', sent: 1, jobId: typeof jobId === 'string' ? jobId : null });
    if (source.place !== undefined && typeof jobId === 'string') {
      await (await import('./put-item.ts')).putItem(environment, jobId, source.place);
    }
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof ApiError)) throw error;
    changeQueuedUpload(id, { status: 'failed', error: error.message });
  }
}

/** How a source is read: as was chosen for it, else as was chosen for its kind. */
async function optionsOf(source: Source): Promise<object | null> {
  if (source.options !== undefined) return source.options;
  const { operationId } = source;
  const reading = savedReading(sourceKindOf(operationId), await findsSpeakers(source));
  return readingOptions({ operationId, isSound: isSoundSource(source) }, reading);
}

/** Whether a model tells the speakers of a recording apart. A video of the web has captions first. */
async function findsSpeakers({ operationId }: Source): Promise<boolean> {
  if (sourceKindOf(operationId) !== 'talk') return false;
  const { needs } = await dataOf(owner.GET('/admin/needs'));
  return needs.some(({ need, ready }) => need === 'speakers' && ready);
}
