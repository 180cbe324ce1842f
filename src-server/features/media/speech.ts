/** Chooses the speech model for a language and transcribes window by window. */

import type { FindSpeechOutput } from '../../../workers/media/tasks.ts';
import type { ProgressReport } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { languageCode } from '../../platform/text/language.ts';
import { type Said, saidElsewhere, saidTogether, say } from '../../platform/text/say.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import { type CatalogueModel, offerOf, type SpeechFolder } from '../models/schema.ts';
import type { StagePlan } from './estimate.ts';
import { SAMPLE_RATE } from './extract-audio.ts';

/**
 * The model reads 30 seconds per step. sherpa-onnx takes 29.5 and drops the rest. whisper.cpp accepts any length, but
 * then ends each step at a sentence boundary that it guesses, which takes half as long again.
 */
const WINDOW_SECONDS = 29;

const DETECT_LIMIT_MS = 30 * MINUTE_MS;

export interface FoundSpeech extends FindSpeechOutput {
  /** A voice activity model is installed and failed. */
  detectorFailed: boolean;
}

/** Finds the spans with speech. Errors: those of the task, and the signal's reason. */
export async function findSpeechSpans(
  parts: { runTask: RunTask; detector(): Promise<string | null> },
  plan: StagePlan,
  request: { pcmPath: string; accountId: string; signal: AbortSignal; onProgress(progress: ProgressReport): void },
): Promise<FoundSpeech> {
  const { pcmPath, accountId, signal, onProgress } = request;
  const detectSpeechWith = async (detectorPath: string | null) => {
    const input = { pcmPath, sampleRate: SAMPLE_RATE, detectorPath, windowMaxSeconds: WINDOW_SECONDS };
    // A model takes minutes for a day of sound, loudness takes seconds.
    const watch = { signal, accountId, timeLimitMs: DETECT_LIMIT_MS, onProgress, heavy: detectorPath !== null };
    const found = await parts.runTask('find-speech', input, watch);
    await plan.learnStagePace('speech', found.durationSeconds, found.tookSeconds);
    return found;
  };
  const detectorPath = await parts.detector();
  try {
    return { ...(await detectSpeechWith(detectorPath)), detectorFailed: false };
  } catch (error) {
    signal.throwIfAborted();
    if (detectorPath === null || !(error instanceof QuarryError) || error.code !== 'engine_failed') throw error;
    // If the voice activity model fails, fall back to loudness and add a warning.
    return { ...(await detectSpeechWith(null)), detectorFailed: true };
  }
}

// Selects the model and its engine.

/** An installed model, as the engine sees it. */
interface SpeechModel {
  name: string;
  format: string;
  path: string;
  sizeBytes: number;
  /** Languages that it knows; null when it knows many, or when unknown. */
  languages: readonly string[] | null;
  /** Languages for which it comes before others. */
  recommendedFor: readonly string[];
  /** The recogniser in a folder. */
  speech: SpeechFolder | null;
}

/** A model that can be installed. */
export interface SpeechModelOffer {
  name: string;
  /** Title and size, as in `Whisper base (161 MB)`. */
  offer: string;
}

export interface SpeechModelFiles {
  list(): Promise<SpeechModel[]>;
  /** The recommended model, which does not need whisper-cli; null when the catalogue recommends none. */
  recommended(): SpeechModelOffer | null;
  /**
   * Returns a model and marks it as used. Errors: `model_not_installed` for one in the catalogue, else
   * `invalid_request`.
   */
  require(name: string): Promise<SpeechModel>;
}

export interface SpeechChoice {
  model: SpeechModel;
  engine: 'sherpa-onnx' | 'whisper.cpp';
  /** ISO 639-1 language passed to the model; null for automatic detection. */
  language: string | null;
}

/** Sizes and names of models, the best last. */
const SIZES = ['tiny', 'base', 'small', 'medium', 'large', 'parakeet'];

const ENGLISH_ONLY = /\.en(\b|$)/;

const AUTO = 'auto';

/**
 * The requested model, or the best installed one for the language. Errors: `model_not_installed`, with install
 * instructions; `invalid_request` for an unknown name, or a model that does not support the language.
 */
export async function chooseSpeechModel(
  files: SpeechModelFiles,
  asked: {
    transcriptionModel?: string | undefined;
    language?: string | undefined;
    translate?: 'en' | undefined;
  },
  /** Throws when models in ggml format cannot be run. */
  checkWhisperCli: () => Promise<unknown>,
): Promise<SpeechChoice> {
  const language = languageCode(asked.language);
  if (asked.transcriptionModel !== undefined && asked.transcriptionModel !== AUTO) {
    const model = await files.require(asked.transcriptionModel).catch((error: unknown) => {
      if (error instanceof QuarryError && error.code === 'invalid_request')
        throw unknownModel(saidElsewhere(error.message));
      throw error;
    });
    if (!canHearLanguage(model, language))
      throw unknownModel(say`The model ${model.name} does not support ${spokenLanguageName(language ?? '')}.`);
    if (asked.translate !== undefined && !canTranslateSpeech(model))
      throw cannotTranslate(say`The model ${model.name} cannot translate.`);
    return speechChoiceOf(model, language);
  }
  const knowing = (await files.list()).filter((model) => canHearLanguage(model, language));
  const able = asked.translate === undefined ? knowing : knowing.filter(canTranslateSpeech);
  if (able.length === 0 && knowing.length > 0) throw cannotTranslate(say`No installed speech model can translate.`);
  const hasWhisperCli = await checkWhisperCli().then(
    () => true,
    () => false,
  );
  const usable = hasWhisperCli ? able : able.filter(isOnnx);
  const [best] = usable.sort(
    (a, b) =>
      languageFitness(b, language) - languageFitness(a, language) ||
      speechModelRank(b) - speechModelRank(a) ||
      Number(isOnnx(b)) - Number(isOnnx(a)) ||
      b.sizeBytes - a.sizeBytes,
  );
  if (best === undefined) throw noSpeechModelInstalled(able.length > 0, language, files.recommended());
  return speechChoiceOf(await files.require(best.name), language);
}

function speechChoiceOf(model: SpeechModel, language: string | null): SpeechChoice {
  const engine = isOnnx(model) ? 'sherpa-onnx' : 'whisper.cpp';
  return { model, engine, language: ENGLISH_ONLY.test(model.name) ? 'en' : language };
}

/** The bundled engine reads ONNX models, at about three times the speed of whisper.cpp. */
function isOnnx({ format }: SpeechModel): boolean {
  return format === 'onnx-folder';
}

function canHearLanguage(model: SpeechModel, language: string | null): boolean {
  if (language === null) return true;
  return model.languages?.includes(language) ?? (language === 'en' || !ENGLISH_ONLY.test(model.name));
}

/** A model for this very language is best; one of few languages is the last choice where it may not know this one. */
function languageFitness({ languages, recommendedFor, speech }: SpeechModel, language: string | null): number {
  if (language !== null && recommendedFor.includes(language)) return 1;
  const isGeneral = languages === null && (speech === null || speech.family === 'whisper');
  return isGeneral || (language !== null && languages?.includes(language)) ? 0 : -1;
}

/** Trained on transcription alone. */
const NO_TRANSLATION = /turbo|distil/;

/** Whisper alone translates, and into English alone. */
function canTranslateSpeech({ name, speech }: SpeechModel): boolean {
  const isWhisper = speech === null || speech.family === 'whisper';
  return isWhisper && !ENGLISH_ONLY.test(name) && !NO_TRANSLATION.test(name);
}

function cannotTranslate(why: Said): QuarryError {
  const path = 'options.translate';
  const message = saidTogether([why, say`Use a Whisper model of many languages, such as Whisper base.`]);
  return new QuarryError('invalid_request', `${path}: ${message}`, { fields: [{ path, message }] });
}

/** What to say about terms of the vocabulary that the model did not take. */
export function vocabularyWarnings(
  { model }: SpeechChoice,
  vocabulary: readonly string[],
  unused: readonly string[],
): Said[] {
  if (unused.length === 0) return [];
  if (unused.length < vocabulary.length) {
    return [
      say`Terms of the vocabulary that ${model.name} cannot write, and that were not used: ${unused.join(', ')}.`,
    ];
  }
  return [
    say`The vocabulary was not used: ${model.name} takes none of it.
      Use a Whisper model in ggml format, or a Zipformer transducer.`,
  ];
}

const SPANS_SHOWN = 5;

/** What to say where the model detected other languages than that of the talk; empty where it did not. */
export function languageWarnings(
  language: string | null,
  others: readonly { language: string; start: number; end: number }[],
): Said[] {
  if (language === null || others.length === 0) return [];
  const spans = new Map<string, string[]>();
  for (const { language: other, start, end } of others) {
    spans.set(other, [...(spans.get(other) ?? []), `${start.toFixed(0)}–${end.toFixed(0)} s`]);
  }
  const found = [...spans].map(([other, where]) => {
    const more = where.length > SPANS_SHOWN ? ' and later' : '';
    return `${spokenLanguageName(other)} (${where.slice(0, SPANS_SHOWN).join(', ')}${more})`;
  });
  return [
    say`Most of the speech is in ${spokenLanguageName(language)}. Other languages were detected: ${found.join('; ')}.`,
  ];
}

function speechModelRank({ name }: SpeechModel): number {
  return SIZES.findIndex((size) => name.includes(size));
}

function unknownModel(message: Said): QuarryError {
  const path = 'options.transcriptionModel';
  return new QuarryError('invalid_request', `${path}: ${message}`, { fields: [{ path, message }] });
}

function noSpeechModelInstalled(
  needsEngine: boolean,
  language: string | null,
  first: SpeechModelOffer | null,
): QuarryError {
  const missing = needsEngine
    ? say`The installed speech models need whisper-cli, which is not on this machine.`
    : language === null
      ? say`No speech model is installed.`
      : say`No speech model for ${spokenLanguageName(language)} is installed.`;
  const mend =
    first === null
      ? say`Install a speech model in ONNX format on the Models page.`
      : say`Install ${first.offer} to continue: on the Models page, or with POST /admin/models/${first.name}/install.`;
  return new QuarryError('model_not_installed', say`${missing} ${mend}`, { missing: { need: 'speech', language } });
}

/** `German` for `de`; the code itself when it is not a known language. */
function spokenLanguageName(language: string): string {
  return new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language;
}

export function speechOffer(model: CatalogueModel | null): SpeechModelOffer | null {
  return model === null ? null : { name: model.name, offer: offerOf(model) };
}
