/** What of the library has the same source as something that is added. */
import { api, dataOf } from '../../api/client.ts';
import type { LibraryItem } from '../../api/generated/public.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { workOfOperation } from '../../components/work.ts';
import type { Source } from './sources.ts';

interface LookUp {
  signal: AbortSignal;
  /** The share of the file that is compared, from 0 to 1. */
  onProgress: (share: number) => void;
}

/**
 * The item of the same bytes, or of the same address in any spelling; null for a new source, and for one whose reading
 * failed. Rejects with ApiError, and when it is aborted.
 */
export async function knownItem(
  environment: EnvironmentName,
  source: Source,
  lookUp: LookUp,
): Promise<LibraryItem | null> {
  const { signal } = lookUp;
  const sha256 = source.file === null ? undefined : await hashOfFile(source.file, lookUp);
  // A file that cannot be read is told by its upload.
  if (sha256 === null) return null;
  const query = sha256 === undefined ? { url: source.address ?? '' } : { sha256 };
  const { items } = await dataOf(api[environment].GET('/library/lookup', { params: { query }, signal }));
  const isSite = workOfOperation(source.operationId).takes === 'site';
  const ofKind = ({ kind }: LibraryItem) => source.file !== null || (kind === 'site' || kind === 'page') === isSite;
  return items.find((item) => item.state !== 'failed' && ofKind(item)) ?? null;
}

type Told = { share: number } | { hash: string | null };

/** Null for a file that cannot be read. */
function hashOfFile(file: File, { signal, onProgress }: LookUp): Promise<string | null> {
  const worker = new Worker(new URL('./hash-worker.ts', import.meta.url), { type: 'module' });
  const hash = new Promise<string | null>((resolve, reject) => {
    worker.addEventListener('message', ({ data }: MessageEvent<Told>) => {
      if ('share' in data) onProgress(data.share);
      else resolve(data.hash);
    });
    worker.addEventListener('error', () => resolve(null));
    signal.addEventListener('abort', () => reject(signal.reason));
    worker.postMessage(file);
  });
  return hash.finally(() => worker.terminate());
}
