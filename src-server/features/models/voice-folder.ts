/** Detects which synthesiser a folder holds, from the names of its files and the facts that its model states. */

import { open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { byName } from '../../platform/records.ts';
import { languageCode } from '../../platform/text/language.ts';
import type { VoiceFolder } from './schema.ts';

/** Turns mel frames into sound; Matcha models need one, which is published apart from them. */
const VOCODER = /^(?:vocos|hifigan|vocoder).*\.onnx$/i;

const SPEECH_DATA = 'espeak-ng-data';

/** ONNX files end with the model's metadata. */
const METADATA_BYTES = 64 * 1024;

/** Speakers of a model that are offered; one model has 904. */
const SPEAKERS_MAX = 120;

/** The first letter of Kokoro's speakers is their language. For Japanese the engine has no pronunciation. */
const KOKORO_LANGUAGES: Readonly<Record<string, string>> = byName({
  a: 'en-US',
  b: 'en-GB',
  e: 'es',
  f: 'fr',
  h: 'hi',
  i: 'it',
  p: 'pt-BR',
  z: 'zh',
});

/** What is needed beyond these is in `files`. Null when the folder holds no voice. */
export async function voiceFolderOf(path: string, names: ReadonlySet<string>): Promise<VoiceFolder | null> {
  if (!names.has('tokens.txt')) return null;
  const models = [...names]
    .filter((name) => name.endsWith('.onnx'))
    .sort((a, b) => voiceFilePreference(a) - voiceFilePreference(b));
  const model = models.find((name) => !VOCODER.test(name));
  if (model === undefined) return null;
  const lexicons = [...names].filter((name) => /^lexicon.*\.txt$/.test(name)).sort();
  if (!names.has(SPEECH_DATA) && lexicons.length === 0) return null;
  const facts = await metadataOf(join(path, model));
  const vocoder = models.find((name) => VOCODER.test(name)) ?? (await besideFolder(path));
  const family = voiceFamilyOf(facts, names, vocoder !== null);
  if (family === null || (family === 'vits' && models.length > 1)) return null;
  return {
    family,
    files: {
      model: join(path, model),
      tokens: join(path, 'tokens.txt'),
      lexicon: lexicons.map((name) => join(path, name)).join(','),
      dataFolder: names.has(SPEECH_DATA) ? join(path, SPEECH_DATA) : '',
      ...omitUndefined({
        voices: family === 'kokoro' || family === 'kitten' ? join(path, 'voices.bin') : undefined,
        vocoder: family === 'matcha' && vocoder !== null ? join(path, vocoder) : undefined,
      }),
    },
    speakers: voiceSpeakersOf(family, facts),
    language: family === 'kokoro' ? null : languageOfFacts(facts),
  };
}

function voiceFamilyOf(
  facts: ReadonlyMap<string, string>,
  names: ReadonlySet<string>,
  hasVocoder: boolean,
): VoiceFolder['family'] | null {
  const type = facts.get('model_type') ?? '';
  if (names.has('voices.bin')) return names.has(SPEECH_DATA) ? (type.startsWith('kitten') ? 'kitten' : 'kokoro') : null;
  if (!type.startsWith('matcha')) return 'vits';
  return hasVocoder ? 'matcha' : null;
}

/** A vocoder that lies beside the folder serves all models there. */
async function besideFolder(path: string): Promise<string | null> {
  const beside = (await readdir(dirname(path))).find((name) => VOCODER.test(name));
  return beside === undefined ? null : join('..', beside);
}

export function isVocoder(fileName: string): boolean {
  return VOCODER.test(fileName);
}

function voiceFilePreference(fileName: string): number {
  return fileName.includes('int8') ? 1 : 0;
}

function voiceSpeakersOf(family: VoiceFolder['family'], facts: ReadonlyMap<string, string>): VoiceFolder['speakers'] {
  const named = facts.get('speaker_names')?.split(',').filter(Boolean) ?? [];
  const count = Math.min(SPEAKERS_MAX, Number(facts.get('n_speakers') ?? 0) || 0);
  const names = named.length > 0 ? named.slice(0, SPEAKERS_MAX) : Array.from({ length: count }, (_, id) => `${id + 1}`);
  return names.flatMap((name, id) => {
    const language = family === 'kokoro' ? (KOKORO_LANGUAGES[name[0] ?? ''] ?? null) : null;
    if (family === 'kokoro' && language === null && /^[a-z][fm]_/.test(name)) return [];
    return [{ id, name, gender: genderOf(name), language }];
  });
}

/** `af_heart`, `expr-voice-2-f`. */
function genderOf(name: string): 'female' | 'male' | null {
  const letter = /^[a-z]([fm])(?:_|$)/.exec(name)?.[1] ?? /-([fm])$/i.exec(name)?.[1]?.toLowerCase();
  return letter === undefined ? null : letter === 'f' ? 'female' : 'male';
}

/** Piper states the voice of its pronunciation, `de` or `en-us`; others state a name. */
function languageOfFacts(facts: ReadonlyMap<string, string>): string | null {
  const voice = languageCode(facts.get('voice'));
  if (voice !== null) return voice;
  const name = facts.get('language')?.toLowerCase() ?? '';
  return NAMES.get(name) ?? null;
}

const NAMES = new Map(
  [
    'en',
    'de',
    'fr',
    'es',
    'it',
    'pt',
    'nl',
    'pl',
    'ru',
    'uk',
    'zh',
    'tr',
    'ar',
    'sv',
    'da',
    'fi',
    'cs',
    'hu',
    'ro',
    'el',
  ].map((code) => [new Intl.DisplayNames('en', { type: 'language' }).of(code)?.toLowerCase() ?? code, code] as const),
);

/** The metadata of an ONNX file: pairs of strings at its end. Empty when there are none. */
async function metadataOf(path: string): Promise<ReadonlyMap<string, string>> {
  const { size } = await stat(path);
  const length = Math.min(size, METADATA_BYTES);
  const bytes = Buffer.alloc(length);
  const file = await open(path, 'r');
  try {
    await file.read(bytes, 0, length, size - length);
  } finally {
    await file.close();
  }
  const facts = new Map<string, string>();
  for (const key of ['model_type', 'speaker_names', 'n_speakers', 'voice', 'language']) {
    const text = readModelMetadata(bytes, key);
    if (text !== null) facts.set(key, text);
  }
  return facts;
}

const KEY_TAG = 0x0a;

const VALUE_TAG = 0x12;

function readModelMetadata(bytes: Buffer, key: string): string | null {
  const at = bytes.lastIndexOf(Buffer.from([KEY_TAG, key.length, ...Buffer.from(key), VALUE_TAG]));
  if (at < 0) return null;
  let length = 0;
  let from = at + key.length + 3;
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = bytes[from] ?? 0;
    from += 1;
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return from + length <= bytes.length ? bytes.toString('utf8', from, from + length) : null;
}
