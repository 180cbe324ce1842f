/**
 * Who can speak: the voices that come with the product, as data; neural voices in the models folder; and those of a
 * speech server that the owner named.
 */
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import type { Speaker } from '../../../workers/audio/tasks.ts';
import { type Settings, VoiceSlug } from '../../contract/index.ts';

const SLUG_CHARS_MAX = 40;

const PresetVoice = z.strictObject({
  slug: VoiceSlug,
  name: z.string(),
  language: z.string(),
  description: z.string(),
  tones: z.array(z.string().regex(/^[a-z]+$/)),
  flite: z.strictObject({
    voice: z.enum(['slt', 'rms', 'awb', 'kal16']),
    stretch: z.number().min(0.5).max(2),
    pitchHz: z.number().min(50).max(400).nullable(),
  }),
});

export interface SpeakingVoice {
  slug: string;
  name: string;
  /** BCP 47; `und` where nobody says. */
  language: string;
  description: string;
  tones: readonly string[];
  speaker: Speaker;
}

/** The first is taken where nothing speaks for another. */
export type Voices = readonly [SpeakingVoice, ...SpeakingVoice[]];

/** Reads `resources/voices.json`; a broken one does not start. */
export async function readVoices(file: URL): Promise<Voices> {
  const [first, ...others] = z.tuple([PresetVoice], PresetVoice).parse(JSON.parse(await readFile(file, 'utf8')));
  const voices: Voices = [presetVoice(first), ...others.map(presetVoice)];
  if (new Set(voices.map(({ slug }) => slug)).size < voices.length) throw new Error('Two voices have the same slug.');
  return voices;
}

function presetVoice({ flite, ...voice }: z.infer<typeof PresetVoice>): SpeakingVoice {
  return { ...voice, speaker: { engine: 'flite', ...flite } };
}

/** A voice of the models folder. */
export interface InstalledVoice {
  name: string;
  language: string | null;
  path: string;
}

export interface VoiceSources {
  presets: Voices;
  installed(): Promise<readonly InstalledVoice[]>;
  server(): Pick<Settings, 'speechServerUrl' | 'speechServerModel' | 'speechServerVoices'>;
  /** Of the speech server; kept out of settings, answers and logs. */
  serverKey: string | undefined;
}

/** All voices there are now, those of the product first. */
export async function allVoices(sources: VoiceSources): Promise<Voices> {
  const [first, ...presets] = sources.presets;
  const installed = (await sources.installed()).map(installedVoice);
  const seen = new Set<string>();
  const [, ...others] = [first, ...presets, ...installed, ...serverVoices(sources)].filter(({ slug }) => {
    const isNew = !seen.has(slug);
    seen.add(slug);
    return isNew;
  });
  return [first, ...others];
}

function installedVoice({ name, language, path }: InstalledVoice): SpeakingVoice {
  return {
    slug: slugOf(`voice-${name}`),
    name,
    language: language ?? 'und',
    description: 'A neural voice of the models folder.',
    tones: [],
    speaker: { engine: 'vits', modelFolder: path, threads: Math.max(1, availableParallelism() - 1) },
  };
}

function serverVoices({ server, serverKey }: VoiceSources): SpeakingVoice[] {
  const { speechServerUrl, speechServerModel, speechServerVoices } = server();
  if (speechServerUrl === null) return [];
  const url = speechServerUrl.replace(/\/+$/, '');
  return speechServerVoices.map((voice) => ({
    slug: slugOf(`server-${voice}`),
    name: voice,
    language: 'und',
    description: 'A voice of the speech server.',
    tones: [],
    speaker: { engine: 'server', url, model: speechServerModel, voice, key: serverKey ?? null },
  }));
}

function slugOf(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_CHARS_MAX)
    .replace(/-+$/, '');
}

/** The voice most of whose words the prompt has; of several with as many, the first. */
export function voiceForTone(voices: Voices, prompt: string): SpeakingVoice {
  const words = new Set(prompt.toLowerCase().match(/[a-z]+/g) ?? []);
  let best = voices[0];
  let bestScore = 0;
  for (const voice of voices) {
    const score = voice.tones.filter((tone) => words.has(tone)).length;
    if (score > bestScore) [best, bestScore] = [voice, score];
  }
  return best;
}
