/** The text in a video's pictures: slides, captions that are part of the picture, screens. */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecognitionModel } from '../../../workers/tasks.ts';
import { type CapturedFrame, type JobProgress, QuarryError } from '../../contract/index.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import type { OcrModels } from '../documents/pdf.ts';
import { kept } from './checkpoint.ts';
import type { Decoded } from './decode-report.ts';
import { type ExtractedFrames, extractFrames, FRAMES_MAX } from './extract-frames.ts';
import type { FfmpegLocator } from './ffmpeg.ts';
import { withoutRepeats } from './frame-repeats.ts';
import type { Probe } from './probe.ts';

const SELECT_LIMIT_MS = MINUTE_MS;
const RECOGNITION_LIMIT_MS = MINUTE_MS;
/** Recognition takes about a second for each: minutes for the whole video, also where every picture differs. */
const RECOGNIZED_MAX = 300;
/** Getting the pictures is half of it, reading them the other. */
const EXTRACTED_SHARE = 0.5;

export interface FramesRequest {
  source: { path: string; probe: Pick<Probe, 'format' | 'videoCodec'>; durationSeconds: number };
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

export interface ReadFrames {
  frames: CapturedFrame[];
  /** Null where the pictures could not be read. */
  decoded: Decoded | null;
}

interface FrameParts {
  runTask: RunTask;
  ffmpeg: FfmpegLocator;
  ocr: OcrModels;
  threads: number;
}

/** Pictures that show something new, with what was read from each. Errors: those of the stages, as QuarryError. */
export async function readFrames(parts: FrameParts, request: FramesRequest): Promise<ReadFrames> {
  const { job, source, intervalSeconds } = request;
  const folder = join(job.workFolder, 'frames');
  await mkdir(folder, { recursive: true });
  const ffmpeg = await parts.ffmpeg.locate();
  const onProgress = (share: number) => request.onProgress(share * EXTRACTED_SHARE, 'Taking pictures');
  onProgress(0);
  const pictures = await kept(job.workFolder, 'pictures', () =>
    extractFrames(ffmpeg, source, { folder, intervalSeconds }, { signal: request.signal, onProgress }),
  );
  const frames = withoutRepeats(await recognizeNew(parts, request, folder, pictures));
  await Promise.all(frames.map(({ name }) => copyFile(join(folder, name), join(job.filesFolder, name))));
  return {
    frames: frames.map(({ name, seconds, text }) => ({
      seconds,
      text: text.text.trim(),
      confidence: text.confidence,
      image: { name, url: job.urlOf(name) },
    })),
    decoded: pictures.decoded,
  };
}

async function recognizeNew(parts: FrameParts, request: FramesRequest, folder: string, pictures: ExtractedFrames) {
  const { job, signal, warnings } = request;
  const { names, seconds, thumbnail } = pictures;
  const { keep, leftOut } = await parts.runTask(
    'select-frames',
    { thumbnailsPath: join(folder, pictures.thumbnailsName), thumbnail, count: names.length, most: RECOGNIZED_MAX },
    { signal, accountId: job.accountId, timeLimitMs: SELECT_LIMIT_MS },
  );
  if (names.length === FRAMES_MAX) warnings.push(tooManyPictures(seconds.at(-1) ?? 0));
  if (leftOut > 0) warnings.push(tooManyChanges(keep.length, leftOut));
  const model = await modelFor(parts.ocr, request);
  let done = 0;
  return inParallel(keep, parts.threads, signal, async ({ index, isNewScene }, together) => {
    const name = names[index] as string;
    const text = await kept(job.workFolder, `read-${name}`, () =>
      parts.runTask(
        'recognize-text',
        { source: { kind: 'image', path: join(folder, name) }, model, layout: 'frame' },
        { signal: together, accountId: job.accountId, timeLimitMs: RECOGNITION_LIMIT_MS },
      ),
    );
    done += 1;
    const share = EXTRACTED_SHARE + (1 - EXTRACTED_SHARE) * (done / keep.length);
    request.onProgress(share, `Read ${done} of ${keep.length} pictures`);
    return { name, seconds: seconds[index] ?? 0, isNewScene, text };
  });
}

function tooManyPictures(lastSeconds: number): string {
  const until = Math.floor(lastSeconds);
  return `Pictures were taken up to second ${until}: ${FRAMES_MAX} is the limit. Use a longer frameIntervalSeconds.`;
}

function tooManyChanges(read: number, leftOut: number): string {
  return (
    `Text was read in the ${read} pictures that changed most; ${leftOut} others with changes were not read. ` +
    'Use a longer frameIntervalSeconds, or split the video.'
  );
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
