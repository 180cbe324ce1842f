/** Which model listens, and with which engine. */
import { QuarryError } from '../../contract/index.ts';

/** What the models folder offers, as the engine sees it. */
export interface SpeechModel {
  name: string;
  format: string;
  path: string;
  sizeBytes: number;
}

export interface SpeechModelFiles {
  list(): Promise<SpeechModel[]>;
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
  const usable = hasWhisperCli ? able : able.filter(({ format }) => format === 'onnx-folder');
  const [best] = usable.sort((a, b) => rank(b) - rank(a) || b.sizeBytes - a.sizeBytes);
  if (best === undefined) throw noneInstalled(able.length > 0);
  return choiceOf(await files.require(best.name), language);
}

function choiceOf(model: SpeechModel, language: string | null): SpeechChoice {
  const engine = model.format === 'onnx-folder' ? 'sherpa-onnx' : 'whisper.cpp';
  return { model, engine, language: ENGLISH_ONLY.test(model.name) ? 'en' : language };
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

function noneInstalled(needsEngine: boolean): QuarryError {
  const how = needsEngine
    ? 'The speech models that are installed need whisper-cli: install it, or a model in ONNX format.'
    : 'No speech model for this language is installed. Install one on the Models page, or with ' +
      'POST /admin/models/whisper-base/install.';
  return new QuarryError('model_not_installed', how);
}
