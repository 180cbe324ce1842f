/** Fetches the file or stream of a hosted video, from a URL on its page or with yt-dlp. */

import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { QuarryError } from '../../platform/errors.ts';
import type { FileKind } from '../../platform/files/kinds.ts';
import { sniffFile } from '../../platform/files/sniff.ts';
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts';
import type { ProxyConnectDeps } from '../../platform/net/guarded-proxy.ts';
import { say } from '../../platform/text/say.ts';
import { HOUR_MS } from '../../platform/units.ts';
import {
  type Fetched,
  type FetchedMedia,
  fetchStream,
  STREAM_ADDRESS,
  type StreamParts,
  type StreamTarget,
} from './fetch-stream.ts';
import type { FfmpegLocator } from './ffmpeg.ts';
import { type Described, describeVideo, fetchVideo, type YtDlpLocator, type YtDlpRun } from './yt-dlp.ts';

const FETCH_LIMIT_MS = 2 * HOUR_MS;

/** At most this many URLs of a page are tried: each may be slow and empty, and a page may list thousands. */
export const TRIED_MAX = 16;

interface FetchJob {
  accountId: string;
  workFolder: string;
  policy: FetchPolicy;
  maxBytes: number;
}

export interface DirectTarget extends StreamTarget {
  job: FetchJob;
}

/**
 * Fetches the first URL that returns a media file or a stream. Errors: the error of the first URL when all
 * fail, and the signal's reason.
 */
export async function fetchDirectly(
  parts: StreamParts,
  urls: readonly string[],
  target: DirectTarget,
): Promise<FetchedMedia> {
  let failure: unknown = null;
  for (const url of urls.slice(0, TRIED_MAX)) {
    try {
      return STREAM_ADDRESS.test(url)
        ? await fetchStream(parts, url, target)
        : await fetchVideoFile(parts, url, target);
    } catch (error) {
      target.signal.throwIfAborted();
      failure ??= error;
    }
  }
  throw failure;
}

async function fetchVideoFile(parts: StreamParts, url: string, target: DirectTarget): Promise<FetchedMedia> {
  const { path, job, signal, onProgress } = target;
  await parts.client.fetchToFile(url, {
    path,
    maxBytes: job.maxBytes,
    policy: job.policy,
    totalTimeoutMs: FETCH_LIMIT_MS,
    signal,
    onProgress: ({ receivedBytes, totalBytes }) => {
      const share = totalBytes === null || totalBytes === 0 ? null : receivedBytes / totalBytes;
      onProgress({ receivedBytes, totalBytes, share });
    },
  });
  const { kind, label } = await sniffFile(path, null);
  if (kind === 'playlist') return fetchStream(parts, url, target);
  refuseOther(kind, label);
  return { warnings: [], clockRunsOn: false, stream: null };
}

/** Refuses files that are not media: sign-in pages, images, caption files. */
export function refuseOther(kind: FileKind, label: string): void {
  // FFmpeg reads formats that have no known signature.
  if (['video', 'audio', 'unknown'].includes(kind)) return;
  const message = say`The address returned ${label}, not a video. Give the address of a video.`;
  throw new QuarryError('unsupported_media', message);
}

export interface YtDlpDeps {
  ffmpeg: FfmpegLocator;
  ytDlp: YtDlpLocator;
  /** Called when yt-dlp has found or fetched a video. */
  onYtDlpSuccess(): Promise<void>;
  /** Test hooks of the guarded client, for yt-dlp's connections. */
  network: Omit<ProxyConnectDeps, 'privateHost'>;
}

/** Runs yt-dlp with the guarded proxy as its only network access. Errors: those of yt-dlp.ts. */
export class GuardedYtDlp {
  readonly #deps: YtDlpDeps;
  readonly #job: FetchJob;
  readonly #signal: AbortSignal;

  constructor(deps: YtDlpDeps, job: FetchJob, signal: AbortSignal) {
    this.#deps = deps;
    this.#job = job;
    this.#signal = signal;
  }

  describeWithYtDlp(url: string): Promise<Described> {
    return this.#runGuardedYtDlp((run) => describeVideo(run, url));
  }

  async fetchWithYtDlp(url: string, target: { path: string; onProgress(fetched: Fetched): void }): Promise<void> {
    const folder = join(this.#job.workFolder, 'yt-dlp');
    await mkdir(folder, { recursive: true });
    const { maxBytes } = this.#job;
    const { onProgress } = target;
    await rename(
      await this.#runGuardedYtDlp((run) => fetchVideo(run, url, { folder, maxBytes, onProgress })),
      target.path,
    );
  }

  async #runGuardedYtDlp<Value>(work: (run: YtDlpRun) => Promise<Value>): Promise<Value> {
    const tool = await this.#deps.ytDlp.locate();
    const ffmpeg = await this.#deps.ffmpeg.find();
    const { privateHost } = this.#job.policy;
    const { openGuardedProxy } = await import('../../platform/net/guarded-proxy.ts');
    await using proxy = await openGuardedProxy({ ...this.#deps.network, privateHost });
    const value = await work({ tool, proxyUrl: proxy.url, ffmpegPath: ffmpeg?.path ?? null, signal: this.#signal });
    await this.#deps.onYtDlpSuccess();
    return value;
  }
}
