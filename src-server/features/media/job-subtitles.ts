/** Subtitles of a finished job, made again with other options, and videos that carry them. */

import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RewriteSubtitlesOutput } from '../../../workers/media/tasks.ts';
import { OWNER } from '../../context.ts';
import { Mutex } from '../../platform/concurrency.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { say, tell } from '../../platform/text/say.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import type { FfmpegLocator } from './ffmpeg.ts';
import type { MediaReader } from './media-reader.ts';
import type { SubtitledVideo, SubtitleOptions } from './schema.ts';
import { subtitleStyleOf } from './subtitle-style.ts';
import { renderVideo, VIDEO_FILES, type VideoForm } from './subtitled-video.ts';

const WRITE_LIMIT_MS = 2 * MINUTE_MS;

interface JobSubtitlesDeps {
  runTask: RunTask;
  log: Logger;
  tools: { ffmpeg: FfmpegLocator; media: MediaReader };
  folders: {
    filesFolderPath(jobId: string): string;
    workFolderPath(jobId: string): string;
    sourceFolderPath(jobId: string): string;
  };
  /** Held by whatever writes the files of finished jobs. */
  writing: Mutex;
  jobChanged(jobId: string): void;
}

interface Making {
  state: Omit<SubtitledVideo, 'files'>;
  abort: AbortController;
  listeners: Set<() => void>;
}

export class JobSubtitles {
  readonly #deps: JobSubtitlesDeps;
  /** One video at a time: jobs go first. */
  readonly #rendering = new Mutex();
  /** The last video of each job, since the start of the server. */
  readonly #makings = new Map<string, Making>();

  constructor(deps: JobSubtitlesDeps) {
    this.#deps = deps;
  }

  /** Errors: `conflict` for a job without a transcript. */
  rewriteJobSubtitles(jobId: string, options: SubtitleOptions, signal: AbortSignal): Promise<RewriteSubtitlesOutput> {
    const { runTask, jobChanged } = this.#deps;
    const folder = this.#transcriptFolder(jobId);
    return this.#deps.writing.runExclusive(async () => {
      const input = { folder, style: subtitleStyleOf(options) };
      const watch = { signal, accountId: OWNER.accountId, timeLimitMs: WRITE_LIMIT_MS };
      const written = await runTask('rewrite-subtitles', input, watch);
      jobChanged(jobId);
      return written;
    });
  }

  /** Starts a video. Errors: `conflict` without a transcript or while another is made, `engine_unavailable`. */
  async startSubtitledVideo(jobId: string, form: VideoForm): Promise<SubtitledVideo> {
    this.#transcriptFolder(jobId);
    await this.#deps.tools.ffmpeg.locate();
    const before = this.#makings.get(jobId);
    if (before !== undefined && isSubtitledVideoUnderWay(before.state)) {
      throw new QuarryError('conflict', 'A video of this job is being made. Wait for it, or cancel it first.');
    }
    const making: Making = {
      state: { form, status: 'waiting', percent: 0, error: null },
      abort: new AbortController(),
      listeners: before?.listeners ?? new Set(),
    };
    this.#makings.set(jobId, making);
    void this.#rendering.runExclusive(() => this.#renderSubtitledVideo(jobId, making));
    return this.viewSubtitledVideo(jobId);
  }

  async #renderSubtitledVideo(jobId: string, making: Making): Promise<void> {
    const { tools, folders, log } = this.#deps;
    const changeMakingState = (state: Partial<Making['state']>) => {
      making.state = { ...making.state, ...state };
      for (const listener of making.listeners) listener();
    };
    const { signal } = making.abort;
    const onShare = (share: number) => changeMakingState({ percent: Math.floor(share * 100) });
    try {
      signal.throwIfAborted();
      changeMakingState({ status: 'making' });
      const paths = {
        sourcePath: folders.sourceFolderPath(jobId),
        filesFolder: folders.filesFolderPath(jobId),
        workFolder: join(folders.workFolderPath(jobId), 'subtitled-video'),
      };
      await renderVideo(tools, making.state.form as VideoForm, paths, { signal, onShare });
      changeMakingState({ status: 'made', percent: 100 });
    } catch (error) {
      if (signal.aborted) {
        changeMakingState({ status: 'cancelled' });
        return;
      }
      log.warn({ err: error, jobId }, 'A video with subtitles could not be made.');
      const { code, message } =
        error instanceof QuarryError
          ? error
          : ({ code: 'internal', message: 'The video could not be made. The log has the reason.' } as const);
      changeMakingState({ status: 'failed', error: { code, message } });
    }
  }

  /** The video that is made, and those that are there. */
  async viewSubtitledVideo(jobId: string): Promise<SubtitledVideo> {
    const idle = { form: null, status: 'idle', percent: 0, error: null } as const;
    const folder = this.#deps.folders.filesFolderPath(jobId);
    const files = Object.values(VIDEO_FILES).filter((name) => existsSync(join(folder, name)));
    const sizes = files.map(async (name) => ({ name, sizeBytes: (await stat(join(folder, name))).size }));
    return { ...(this.#makings.get(jobId)?.state ?? idle), files: await Promise.all(sizes) };
  }

  watchSubtitledVideo(jobId: string, onChange: () => void): () => void {
    const listeners = this.#makings.get(jobId)?.listeners;
    listeners?.add(onChange);
    return () => listeners?.delete(onChange);
  }

  /** Errors: `not_found` when none is made. */
  stopSubtitledVideo(jobId: string): void {
    const making = this.#makings.get(jobId);
    if (making === undefined || !isSubtitledVideoUnderWay(making.state)) {
      throw new QuarryError('not_found', 'No video of this job is being made.');
    }
    making.abort.abort(new QuarryError('cancelled', say`The video was cancelled.`));
  }

  /** Cancels all videos and waits for the end of the program. */
  async closeJobSubtitles(): Promise<void> {
    for (const { abort } of this.#makings.values()) abort.abort(new QuarryError('cancelled', tell`The server stops.`));
    await this.#rendering.runExclusive(async () => undefined);
  }

  #transcriptFolder(jobId: string): string {
    const folder = this.#deps.folders.filesFolderPath(jobId);
    if (existsSync(join(folder, 'transcript.json'))) return folder;
    throw new QuarryError('conflict', 'The job has no transcript. Choose a finished job of a video or recording.');
  }
}

/** Whether a video is being made. */
export function isSubtitledVideoUnderWay({ status }: Pick<SubtitledVideo, 'status'>): boolean {
  return status === 'waiting' || status === 'making';
}
