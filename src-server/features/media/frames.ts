/** Reads text in video frames: slides, burned-in captions, screens. */

import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Decoded, PicturePart, Pictures } from '../../../workers/media/tasks.ts';
import type { ProgressReport } from '../../operation.ts';
import { inParallel } from '../../platform/concurrency.ts';
import { QuarryError } from '../../platform/errors.ts';
import { itemAt } from '../../platform/item-at.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import type { OcrModels, RecognitionModel, RecognizedText } from '../documents/schema.ts';
import { keepCheckpoint } from './checkpoint.ts';
import type { MediaReader } from './media-reader.ts';
import type { CapturedFrame } from './schema.ts';
import { formatSpans } from './source-seconds.ts';

const SELECT_LIMIT_MS = MINUTE_MS;

const RECOGNITION_LIMIT_MS = MINUTE_MS;

/** Recognition takes about a second per frame. This bounds a video to minutes even when every frame differs. */
const RECOGNIZED_MAX = 300;

/** Extracting frames is half of the progress, reading them the other half. */
const EXTRACTED_SHARE = 0.5;

interface FramesRequest {
  source: Source;
  intervalSeconds: number;
  language: string | undefined;
  job: {
    accountId: string;
    filesFolder: string;
    workFolder: string;
    urlOf(name: string): string;
    progress(progress: ProgressReport): void;
  };
  signal: AbortSignal;
  warnings: Said[];
  onProgress(share: number, message: Said): void;
}

export interface ReadFrames {
  frames: CapturedFrame[];
  /** Null when the frames could not be decoded. */
  decoded: Decoded | null;
}

interface FrameParts {
  runTask: RunTask;
  media: MediaReader;
  ocr: OcrModels;
  threads: number;
}

/** Frames that show something new, with their text. Errors: those of the stages, as QuarryError. */
export async function readFrames(parts: FrameParts, request: FramesRequest): Promise<ReadFrames> {
  const { job, source, intervalSeconds } = request;
  const folder = join(job.workFolder, 'frames');
  await mkdir(folder, { recursive: true });
  const reportFrameExtraction = (share: number) => request.onProgress(share * EXTRACTED_SHARE, say`Taking pictures`);
  reportFrameExtraction(0);
  const pictures = await keepCheckpoint(job.workFolder, 'pictures', () =>
    extractFrames(
      parts.media,
      source,
      { folder, intervalSeconds },
      { signal: request.signal, onProgress: reportFrameExtraction },
    ),
  );
  const unread = pictures.unreadParts.flatMap((index) => source.parts?.[index] ?? []);
  if (unread.length > 0) request.warnings.push(unreadPictures(unread));
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
  const { names, seconds } = pictures;
  const { keep, leftOut } = await parts.runTask(
    'select-frames',
    { thumbnailsPath: join(folder, THUMBNAILS_NAME), thumbnail: THUMBNAIL, count: names.length, most: RECOGNIZED_MAX },
    { signal, accountId: job.accountId, timeLimitMs: SELECT_LIMIT_MS },
  );
  if (names.length === FRAMES_MAX) warnings.push(tooManyPictures(seconds.at(-1) ?? 0));
  if (leftOut > 0) warnings.push(tooManyChanges(keep.length, leftOut));
  const model = await recognitionModelFor(parts.ocr, request);
  let done = 0;
  return inParallel(keep, parts.threads, signal, async ({ index, isNewScene }, together) => {
    const name = itemAt(names, index);
    const text = await keepCheckpoint(job.workFolder, `read-${name}`, () =>
      parts.runTask(
        'recognize-text',
        { source: { kind: 'image', path: join(folder, name) }, model, layout: 'frame' },
        { signal: together, accountId: job.accountId, timeLimitMs: RECOGNITION_LIMIT_MS },
      ),
    );
    done += 1;
    const share = EXTRACTED_SHARE + (1 - EXTRACTED_SHARE) * (done / keep.length);
    request.onProgress(
      share,
      keep.length === 1 ? say`Read ${done} of 1 picture` : say`Read ${done} of ${keep.length} pictures`,
    );
    return { name, seconds: seconds[index] ?? 0, isNewScene, text };
  });
}

function unreadPictures(parts: readonly PicturePart[]): Said {
  const spans = parts.map(({ startSeconds, endSeconds }) => ({ start: startSeconds, end: endSeconds }));
  return say`Parts of the stream whose pictures could not be read: ${formatSpans(spans)}.`;
}

function tooManyPictures(lastSeconds: number): Said {
  const until = Math.floor(lastSeconds);
  return say`Pictures were taken up to second ${until}: ${FRAMES_MAX} is the limit. Use a longer frameIntervalSeconds.`;
}

function tooManyChanges(read: number, leftOut: number): Said {
  return say`Text was read in the ${read} pictures that changed most; ${leftOut} others with changes were not read.
      Use a longer frameIntervalSeconds, or split the video.`;
}

/** The model for the requested language. English is the fallback when its data is not installed. */
async function recognitionModelFor(ocr: OcrModels, { language, warnings }: FramesRequest): Promise<RecognitionModel> {
  try {
    return await ocr.modelFor(language ?? 'en');
  } catch (error) {
    if (!(error instanceof QuarryError) || error.code !== 'model_not_installed') throw error;
    warnings.push(say`The pictures were read as English. ${error.message}`);
    return ocr.modelFor('en');
  }
}

// Extracts one frame per interval for reading, and a small grey copy of each for comparison.

const FRAMES_MAX = 2000;

/** Wider frames do not improve recognition. */
const WIDTH_MAX = 1280;

const THUMBNAILS_NAME = 'thumbnails.gray';

const THUMBNAIL = { width: 160, height: 90 };

/**
 * From this interval on, only key frames are decoded at first, at a small part of the cost. That is enough when key
 * frames are dense.
 */
const KEYFRAMES_FROM_SECONDS = 10;

/** Progress share of the key-frame pass when a full pass has to follow. */
const KEYFRAMES_SHARE = 0.1;

/** Two frames may be further apart than the requested interval by this factor. */
const GAP_SHARE = 1.5;

const LIMIT_MIN_MS = 10 * MINUTE_MS;

/** CPU time of all threads, per second of the video. */
const LIMIT_SHARE = 6;

type ExtractedFrames = Pictures;

interface Source {
  path: string;
  clockRunsOn: boolean;
  /** Of a stream whose parts are files of their own. */
  parts?: readonly PicturePart[] | undefined;
  durationSeconds: number;
}

interface Target {
  folder: string;
  intervalSeconds: number;
}

interface Watch {
  signal: AbortSignal;
  onProgress(share: number): void;
}

/** Errors: `corrupt_input`, `out_of_memory`, `engine_failed`, `timeout`, and the signal's reason. */
export async function extractFrames(
  media: MediaReader,
  source: Source,
  target: Target,
  watch: Watch,
): Promise<ExtractedFrames> {
  const { signal } = watch;
  let shareDone = 0;
  if (target.intervalSeconds >= KEYFRAMES_FROM_SECONDS) {
    const reportKeyframes = (share: number) => watch.onProgress(share * KEYFRAMES_SHARE);
    const quick = await takePictures(media, source, target, { signal, onProgress: reportKeyframes }, true);
    if (areDense(quick.seconds, source, target)) return quick;
    await rm(target.folder, { recursive: true, force: true });
    await mkdir(target.folder, { recursive: true });
    shareDone = KEYFRAMES_SHARE;
  }
  const onProgress = (share: number) => watch.onProgress(shareDone + (1 - shareDone) * share);
  const frames = await takePictures(media, source, target, { signal, onProgress }, false);
  if (frames.names.length === 0) {
    throw new QuarryError('corrupt_input', say`No picture of the video could be read. Send an intact copy.`);
  }
  return frames;
}

/** Whether frames cover the video at about the requested interval, up to its end. */
function areDense(seconds: readonly number[], { durationSeconds }: Source, { intervalSeconds }: Target): boolean {
  const [first] = seconds;
  if (first === undefined || first > intervalSeconds * (GAP_SHARE - 1)) return false;
  const ends = seconds.length === FRAMES_MAX ? seconds : [...seconds, durationSeconds];
  return ends.every((end, index) => end - (ends[index - 1] ?? 0) <= intervalSeconds * GAP_SHARE);
}

async function takePictures(
  media: MediaReader,
  { path, clockRunsOn, durationSeconds, parts }: Source,
  { folder, intervalSeconds }: Target,
  { signal, onProgress }: Watch,
  keyFramesOnly: boolean,
): Promise<ExtractedFrames> {
  const input = {
    path,
    clockRunsOn,
    parts,
    folder,
    intervalSeconds,
    keyFramesOnly,
    picturesMax: FRAMES_MAX,
    widthMax: WIDTH_MAX,
    thumbnail: THUMBNAIL,
    thumbnailsName: THUMBNAILS_NAME,
  };
  const onSeconds = (seconds: number) => {
    if (durationSeconds > 0) onProgress(Math.min(1, seconds / durationSeconds));
  };
  return media.use((program) => program.takePictures(input, onSeconds), {
    signal,
    timeLimitMs: Math.max(LIMIT_MIN_MS, durationSeconds * LIMIT_SHARE * SECOND_MS),
    what: 'Reading the pictures',
  });
}

/**
 * Below this confidence, a short word may be a shape that looks like letters and reads differently in the next frame.
 */
const SURE_CONFIDENCE = 70;

/** Shapes rarely look like this many letters, so longer words count even at low confidence. */
const LONG_WORD = 4;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Moving shapes beside a slide are read as one or two letters now and then. Digits always count. */
const NOISE = /^\p{L}{1,2}$/u;

/** Share of the letters of both texts that is noise. "Option A" and "Option B" are two slides. */
const NOISE_SHARE = 0.05;

/** A video frame with the text read from it. */
interface ReadFrame {
  text: Pick<RecognizedText, 'lines'>;
  /** The whole frame differs from the scene before, not only a part of it. */
  isNewScene: boolean;
}

/**
 * Drops frames whose text nearly equals that of the frame kept before: each confident word of one is in the other,
 * apart from a few letters of noise. A frame without words is kept when it shows a new scene.
 */
function withoutRepeats<Frame extends ReadFrame>(frames: readonly Frame[]): Frame[] {
  const kept: Frame[] = [];
  let before: Words | null = null;
  let sceneChanged = false;
  for (const frame of frames) {
    const words = recognizedWords(frame.text);
    sceneChanged ||= frame.isNewScene;
    const isRepeat = before !== null && haveSameText(before, words);
    const hasText = words.sure.size > 0;
    if (isRepeat && (hasText || !sceneChanged)) continue;
    kept.push(frame);
    before = words;
    sceneChanged = false;
  }
  return kept;
}

/** Number of occurrences by word. */
type Counts = Map<string, number>;

interface Words {
  all: Counts;
  sure: Counts;
}

function recognizedWords({ lines }: Pick<RecognizedText, 'lines'>): Words {
  const read = lines.flatMap((line) =>
    line.words.flatMap(({ text, confidence }) =>
      (text.normalize('NFKC').toLowerCase().match(WORD) ?? []).map((word) => ({ word, confidence })),
    ),
  );
  const sure = read.filter(({ word, confidence }) => confidence >= SURE_CONFIDENCE || word.length >= LONG_WORD);
  return { all: wordOccurrences(read.map(({ word }) => word)), sure: wordOccurrences(sure.map(({ word }) => word)) };
}

function wordOccurrences(words: readonly string[]): Counts {
  const counts: Counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function haveSameText(one: Words, other: Words): boolean {
  const missing = [...missingIn(other.all, one.sure), ...missingIn(one.all, other.sure)];
  if (!missing.every((word) => NOISE.test(word))) return false;
  const letters = countLetters(one.all) + countLetters(other.all);
  return missing.join('').length <= letters * NOISE_SHARE;
}

function missingIn(whole: Counts, part: Counts): string[] {
  return [...part].flatMap(([word, times]) =>
    new Array<string>(Math.max(0, times - (whole.get(word) ?? 0))).fill(word),
  );
}

function countLetters(counts: Counts): number {
  return [...counts].reduce((sum, [word, times]) => sum + word.length * times, 0);
}
