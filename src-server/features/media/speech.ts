/** Chooses the speech model for a language, and transcribes with it window by window. */

import type { FindSpeechOutput } from '../../../workers/media/tasks.ts';
import type { JobProgress } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import type { StagePlan } from './estimate.ts';
import { SAMPLE_RATE } from './extract-audio.ts';

/**
 * The model hears 30 seconds in one step; sherpa-onnx takes 29.5 and drops the rest. whisper.cpp would walk through any
 * length, but its steps then end where it believes a sentence to end, so that it takes half as many again.
 */
const WINDOW_SECONDS = 29;

const DETECT_LIMIT_MS = 30 * MINUTE_MS;

export interface FoundSpeech extends FindSpeechOutput {
  /** A voice activity model is installed and could not be used. */
  detectorFailed: boolean;
}

/** Where somebody speaks. Errors: those of the task, and the signal's reason. */
export async function findSpeech(
  parts: { runTask: RunTask; detector(): Promise<string | null> },
  plan: StagePlan,
  request: { pcmPath: string; accountId: string; signal: AbortSignal; onProgress(progress: JobProgress): void },
): Promise<FoundSpeech> {
  const { pcmPath, accountId, signal, onProgress } = request;
  const detect = async (detectorPath: string | null) => {
    const input = { pcmPath, sampleRate: SAMPLE_RATE, detectorPath, windowMaxSeconds: WINDOW_SECONDS };
    // A model takes minutes for a day of sound; loudness takes seconds.
    const watch = { signal, accountId, timeLimitMs: DETECT_LIMIT_MS, onProgress, heavy: detectorPath !== null };
    const found = await parts.runTask('find-speech', input, watch);
    await plan.learn('speech', found.durationSeconds, found.tookSeconds);
    return found;
  };
  const detectorPath = await parts.detector();
  try {
    return { ...(await detect(detectorPath)), detectorFailed: false };
  } catch (error) {
    signal.throwIfAborted();
    if (detectorPath === null || !(error instanceof QuarryError) || error.code !== 'engine_failed') throw error;
    // Whoever has a broken model still gets the words; that loudness stood in is said in the answer.
    return { ...(await detect(null)), detectorFailed: true };
  }
}

/** Which model listens, and with which engine. */

/** What the models folder offers, as the engine sees it. */
interface SpeechModel {
  name: string;
  format: string;
  path: string;
  sizeBytes: number;
}

/** A model that can be fetched. */
export interface SpeechModelOffer {
  name: string;
  /** Its title and size, as in `Whisper base (161 MB)`. */
  offer: string;
}

export interface SpeechModelFiles {
  list(): Promise<SpeechModel[]>;
  /** The model to install first, which needs no whisper-cli; null where the catalogue recommends none. */
  recommended(): SpeechModelOffer | null;
  /** Notes the use of it. Errors: `model_not_installed` for one of the catalogue, `invalid_request` otherwise. */
  require(name: string): Promise<SpeechModel>;
}

export interface SpeechChoice {
  model: SpeechModel;
  engine: 'sherpa-onnx' | 'whisper.cpp';
  /** What the model is told: ISO 639-1, null where it finds out by itself. */
  language: string | null;
}

/** The sizes Whisper comes in, the best last. */
const SIZES = ['tiny', 'base', 'small', 'medium', 'large'];

const ENGLISH_ONLY = /\.en(\b|$)/;

const AUTO = 'auto';

/**
 * The model that was asked for, or the best of those that know the language. Errors: `model_not_installed`, which says
 * how to install it; `invalid_request` for a name nothing has, or a model that does not know the language.
 */
export async function chooseSpeechModel(
  files: SpeechModelFiles,
  asked: { transcriptionModel?: string | undefined; language?: string | undefined },
  /** Fails where models in ggml format cannot be listened with. */
  checkWhisperCli: () => Promise<void>,
): Promise<SpeechChoice> {
  const language = shortCode(asked.language);
  if (asked.transcriptionModel !== undefined && asked.transcriptionModel !== AUTO) {
    const model = await files.require(asked.transcriptionModel).catch((error: unknown) => {
      if (error instanceof QuarryError && error.code === 'invalid_request') throw unknownModel(error.message);
      throw error;
    });
    if (!knows(model, language)) throw unknownModel(`The model ${model.name} knows English only.`);
    return choiceOf(model, language);
  }
  const able = (await files.list()).filter((model) => knows(model, language));
  const hasWhisperCli = await checkWhisperCli().then(
    () => true,
    () => false,
  );
  const usable = hasWhisperCli ? able : able.filter(isOnnx);
  const [best] = usable.sort(
    (a, b) => rank(b) - rank(a) || Number(isOnnx(b)) - Number(isOnnx(a)) || b.sizeBytes - a.sizeBytes,
  );
  if (best === undefined) throw noneInstalled(able.length > 0, language, files.recommended());
  return choiceOf(await files.require(best.name), language);
}

function choiceOf(model: SpeechModel, language: string | null): SpeechChoice {
  const engine = isOnnx(model) ? 'sherpa-onnx' : 'whisper.cpp';
  return { model, engine, language: ENGLISH_ONLY.test(model.name) ? 'en' : language };
}

/** The engine that ships reads it, at about three times the speed of whisper.cpp. */
function isOnnx({ format }: SpeechModel): boolean {
  return format === 'onnx-folder';
}

function knows(model: SpeechModel, language: string | null): boolean {
  return language === null || language === 'en' || !ENGLISH_ONLY.test(model.name);
}

function rank({ name }: SpeechModel): number {
  return SIZES.findIndex((size) => name.includes(size));
}

/** `eng`, `en-US` and `en` are `en`. */
function shortCode(language: string | undefined): string | null {
  if (language === undefined) return null;
  const [canonical = language] = Intl.getCanonicalLocales(language);
  return canonical.split('-')[0] ?? null;
}

function unknownModel(message: string): QuarryError {
  const path = 'options.transcriptionModel';
  return new QuarryError('invalid_request', `${path}: ${message}`, { fields: [{ path, message }] });
}

function noneInstalled(needsEngine: boolean, language: string | null, first: SpeechModelOffer | null): QuarryError {
  const missing = needsEngine
    ? 'The installed speech models need whisper-cli, which is not on this machine.'
    : `No speech model${language === null ? '' : ` for ${nameOf(language)}`} is installed.`;
  const mend =
    first === null
      ? 'Install a speech model in ONNX format on the Models page.'
      : `Install ${first.offer} to continue: on the Models page, or with POST /admin/models/${first.name}/install.`;
  return new QuarryError('model_not_installed', `${missing} ${mend}`);
}

/** `German` for `de`; the code itself where it names no known language. */
function nameOf(language: string): string {
  return new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language;
}
