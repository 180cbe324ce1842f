/** Samples of the voices. */

import { access, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { QuarryError } from '../../platform/errors.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { byName } from '../../platform/records.ts';
import { canonicalHash } from '../../platform/text/canonical-json.ts';
import { languageCode } from '../../platform/text/language.ts';
import { saidElsewhere } from '../../platform/text/say.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { LOUDNESS_PRESETS } from './schema.ts';
import type { SpeakingVoice, Voices } from './voices.ts';

/** Voice samples, rendered on first use and cached as files until the voice changes. */
const SAMPLE_LIMIT_MS = 60 * SECOND_MS;

const SAMPLE_SECONDS_MAX = 12;

const IDENTITY_HEX_CHARS = 16;

interface VoiceSampleDeps {
  runTask: RunTask;
  voices(): Promise<Voices>;
  /** Contains only samples. Created when missing. */
  folder: string;
}

/** Path of a voice sample. Errors: `not_found`; `engine_unavailable` for a voice that cannot speak now. */
export function createVoiceSamples({ runTask, voices, folder }: VoiceSampleDeps): (slug: string) => Promise<string> {
  /** Single-flight by name. After a failure, the next caller retries. */
  const speaking = new Map<string, Promise<void>>();
  return async (slug) => {
    const voice = (await voices()).find((candidate) => candidate.slug === slug || candidate.aliases.includes(slug));
    if (voice === undefined) throw new QuarryError('not_found', 'There is no such voice. GET /voices lists them.');
    const name = `${voice.slug}.${await identityOf(voice)}`;
    const path = join(folder, `${name}.wav`);
    if (!(await isThere(path))) {
      const spoken =
        speaking.get(name) ?? speakVoiceSample(runTask, voice, folder, name).finally(() => speaking.delete(name));
      speaking.set(name, spoken);
      await spoken;
    }
    return path;
  };
}

/** What the sample depends on, without secrets: a changed key or thread count gives the same voice. */
async function identityOf(voice: SpeakingVoice): Promise<string> {
  return canonicalHash([voiceSampleText(voice), await engineOf(voice)]).slice(0, IDENTITY_HEX_CHARS);
}

/** What a voice says of itself, by the code of its language; English for others. */
const GREETINGS: Readonly<Record<string, (name: string) => string>> = byName({
  en: (name) => `Hello, my name is ${name}. The tide turns at noon, and the boats come home.`,
  de: (name) => `Guten Tag, ich heiße ${name}. Am Mittag kommt die Flut, und die Boote kehren heim.`,
  fr: (name) => `Bonjour, je m’appelle ${name}. À midi la marée tourne, et les bateaux rentrent au port.`,
  es: (name) => `Hola, me llamo ${name}. Al mediodía cambia la marea y los barcos vuelven a casa.`,
  it: (name) => `Buongiorno, mi chiamo ${name}. A mezzogiorno cambia la marea e le barche tornano a casa.`,
  pt: (name) => `Olá, eu me chamo ${name}. Ao meio-dia a maré muda e os barcos voltam para casa.`,
  hi: (name) => `नमस्ते, मेरा नाम ${name} है। दोपहर में नावें घर लौटती हैं।`,
  zh: (name) => `你好，我叫${name}。中午潮水转向，船儿回家。`,
});

/** What a sample says. */
export function voiceSampleText({ name, language }: Pick<SpeakingVoice, 'name' | 'language'>): string {
  const greet = GREETINGS[languageCode(language) ?? 'en'] ?? GREETINGS.en;
  return greet?.(name.replace(/ \(.*\)$/, '')) ?? name;
}

async function engineOf({ speaker }: SpeakingVoice): Promise<unknown> {
  switch (speaker.engine) {
    case 'flite':
      return speaker;
    case 'neural': {
      const { engine, model, speakerId, language } = speaker;
      return {
        engine,
        family: model.family,
        speakerId,
        language,
        files: await sampleFilesIn(dirname(model.files.model)),
      };
    }
    case 'server': {
      const { engine, url, model, voice } = speaker;
      return { engine, url, model, voice };
    }
  }
}

/** Size and modification time of each file, which show a replaced file. */
async function sampleFilesIn(folder: string): Promise<unknown[]> {
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name) => {
      // Null for a dangling link.
      const file = await stat(join(folder, name)).catch(() => null);
      return [name, file?.size ?? null, file?.mtimeMs ?? null];
    }),
  );
}

/** Writes the sample atomically and removes the samples of earlier versions of this voice. */
async function speakVoiceSample(runTask: RunTask, voice: SpeakingVoice, folder: string, name: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const unfinished = `${name}.unfinished`;
  const input = {
    passages: [{ text: voiceSampleText(voice), speaker: 0, speed: 1, gainDb: 0, semitones: 0, pauseSeconds: 0 }],
    speakers: [voice.speaker],
    reading: { language: voice.language === 'und' ? 'en' : voice.language, lexicon: {} },
    maxSeconds: SAMPLE_SECONDS_MAX,
    endsAnywhere: false,
    includeCaptions: false,
    outputFolder: folder,
    fileName: unfinished,
    title: voice.name,
    goal: LOUDNESS_PRESETS.podcast,
    background: null,
    seed: '',
    source: '',
  };
  await runTask('render-speech', input, { accountId: 'voices', timeLimitMs: SAMPLE_LIMIT_MS }).catch(
    throwSampleUnavailable,
  );
  await rename(join(folder, `${unfinished}.wav`), join(folder, `${name}.wav`));
  // A slug contains no dot, so no other voice has files with this prefix.
  const stale = (await readdir(folder)).filter((file) => file.startsWith(`${voice.slug}.`) && file !== `${name}.wav`);
  for (const file of stale) await rm(join(folder, file), { force: true });
}

/** A broken voice, or an unreachable speech server, is not a fault of this server. The caller may retry. */
function throwSampleUnavailable(error: unknown): never {
  if (!(error instanceof QuarryError) || error.code !== 'engine_failed') throw error;
  throw new QuarryError('engine_unavailable', saidElsewhere(error.message), { cause: error });
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
