/** The text that stands in a video's pictures: slides, captions that are part of the picture, screens. */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecognitionModel } from '../../../workers/tasks.ts';
import { type CapturedFrame, type JobProgress, QuarryError } from '../../contract/index.ts';
import { MINUTE_MS } from '../../lib/units.ts';
import { inParallel } from '../in-parallel.ts';
import type { OcrModels } from '../pdf-engine.ts';
import type { RunTask } from '../worker-pool.ts';
import { extractFrames } from './extract-frames.ts';
import type { FfmpegLocator } from './ffmpeg.ts';
import { kept } from './kept-values.ts';

const SELECT_LIMIT_MS = MINUTE_MS;
const RECOGNITION_LIMIT_MS = MINUTE_MS;
/** Getting the pictures is half of it, reading them the other. */
const EXTRACTED_SHARE = 0.5;

export interface FramesRequest {
  source: { path: string; durationSeconds: number };
  intervalSeconds: number;
  language: string | undefined;
  job: {
    accountId: string;
    filesFolder: string;
    workFolder: string;
    urlOf(name: string): string;
    progress(progress: JobProgress): void;
  };
  signal: AbortSignal;
  warnings: string[];
  onProgress(share: number, message: string): void;
}

interface FrameParts {
  runTask: RunTask;
  ffmpeg: FfmpegLocator;
  ocr: OcrModels;
  threads: number;
}

/** Pictures that show something new, with what was read from each. Errors: those of the stages, as QuarryError. */
export async function readFrames(parts: FrameParts, request: FramesRequest): Promise<CapturedFrame[]> {
  const { job, signal, source, intervalSeconds } = request;
  const folder = join(job.workFolder, 'frames');
  await mkdir(folder, { recursive: true });
  const ffmpeg = await parts.ffmpeg.locate();
  request.onProgress(0, 'Taking pictures');
  const { names, seconds, thumbnailsName, thumbnailBytes } = await kept(job.workFolder, 'frames', () =>
    extractFrames(
      ffmpeg,
      source,
      { folder, intervalSeconds },
      {
        signal,
        onProgress: (share) => request.onProgress(share * EXTRACTED_SHARE, 'Taking pictures'),
      },
    ),
  );
  const thumbnailsPath = join(folder, thumbnailsName);
  const { keep } = await parts.runTask(
    'select-frames',
    { thumbnailsPath, thumbnailBytes, seconds },
    { signal, accountId: job.accountId, timeLimitMs: SELECT_LIMIT_MS },
  );
  const model = await modelFor(parts.ocr, request);
  let done = 0;
  return inParallel(keep, parts.threads, signal, async (index, together) => {
    const name = names[index] as string;
    const text = await kept(job.workFolder, `read-${name}`, () =>
      parts.runTask(
        'recognize-text',
        { source: { kind: 'image', path: join(folder, name) }, model, layout: 'frame' },
        { signal: together, accountId: job.accountId, timeLimitMs: RECOGNITION_LIMIT_MS },
      ),
    );
    await copyFile(join(folder, name), join(job.filesFolder, name));
    done += 1;
    const share = EXTRACTED_SHARE + (1 - EXTRACTED_SHARE) * (done / keep.length);
    request.onProgress(share, `Read ${done} of ${keep.length} pictures`);
    return {
      seconds: seconds[index] ?? 0,
      text: text.text.trim(),
      confidence: text.confidence,
      image: { name, url: job.urlOf(name) },
    };
  });
}

/** The language of the request; English stands in for one whose data is not installed. */
async function modelFor(ocr: OcrModels, { language, warnings }: FramesRequest): Promise<RecognitionModel> {
  try {
    return await ocr.modelFor(language ?? 'en');
  } catch (error) {
    if (!(error instanceof QuarryError) || error.code !== 'model_not_installed') throw error;
    warnings.push(`The pictures were read as English. ${error.message}`);
    return ocr.modelFor('en');
  }
}
