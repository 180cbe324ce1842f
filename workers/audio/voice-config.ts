import type { VoiceFolder } from '../../src-server/features/models/schema.ts';
import { byName } from '../../src-server/platform/records.ts';

/** What sherpa-onnx needs to load each family of voices. */
export function voiceConfig({ family, files }: VoiceFolder, threads: number) {
  const { model, tokens, lexicon, dataFolder: dataDir, voices = '', vocoder = '' } = files;
  const common = { tokens, dataDir };
  const families = {
    vits: { vits: { ...common, model, lexicon } },
    // A model of several languages takes a lexicon or a language.
    kokoro: { kokoro: { ...common, model, voices, lexicon, lang: lexicon === '' ? 'en-us' : '' } },
    kitten: { kitten: { ...common, model, voices } },
    matcha: { matcha: { ...common, acousticModel: model, vocoder, lexicon } },
  };
  return {
    model: { ...families[family], numThreads: threads, provider: 'cpu', debug: false },
    maxNumSentences: 1,
  };
}

/** espeak-ng's names of languages, where they are not the code of the language. */
const ESPEAK_NAMES: Readonly<Record<string, string>> = byName({
  en: 'en-us',
  'en-US': 'en-us',
  'en-GB': 'en-gb',
  'pt-BR': 'pt-br',
  pt: 'pt-br',
  // Chinese signs are looked up in the lexicon; the rest is read as English.
  zh: 'en-us',
});

export function espeakName(language: string | null): string {
  return language === null ? '' : (ESPEAK_NAMES[language] ?? language);
}
