/** The available voices: natural ones of the models folder, built-in ones, and those of a configured speech server. */

import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import type { Speaker } from '../../../workers/audio/tasks.ts';
import type { Settings } from '../../config.ts';
import { languageCode } from '../../platform/text/language.ts';
import type { CatalogueModel, VoiceFolder } from '../models/schema.ts';
import { type Voice, VoiceSlug } from './schema.ts';

const SLUG_CHARS_MAX = 80;

const PresetVoice = z.strictObject({
  slug: VoiceSlug,
  name: z.string(),
  language: z.string(),
  gender: z.enum(['female', 'male']),
  description: z.string(),
  aliases: z.array(VoiceSlug),
  tones: z.array(z.string().regex(/^[a-z]+$/)),
  flite: z.enum(['slt', 'rms', 'awb', 'kal16']),
});

export interface SpeakingVoice
  extends Pick<Voice, 'slug' | 'name' | 'kind' | 'gender' | 'model' | 'description' | 'recommended'> {
  /** Among the voices of its language, the best first. */
  rank: number;
  /** BCP 47; `und` when unknown. */
  language: string;
  aliases: readonly string[];
  tones: readonly string[];
  speaker: Speaker;
}

/** The first is the default. */
export type Voices = readonly [SpeakingVoice, ...SpeakingVoice[]];

/** Reads `resources/voices.json`. An invalid file is a start-up error. */
export async function readVoices(file: URL): Promise<Voices> {
  const [first, ...others] = z.tuple([PresetVoice], PresetVoice).parse(JSON.parse(await readFile(file, 'utf8')));
  const voices: Voices = [presetVoice(first), ...others.map(presetVoice)];
  const names = voices.flatMap(({ slug, aliases }) => [slug, ...aliases]);
  if (new Set(names).size < names.length) throw new Error('Two voices have the same slug.');
  return voices;
}

function presetVoice({ flite, ...voice }: z.infer<typeof PresetVoice>): SpeakingVoice {
  const speaker = { engine: 'flite', voice: flite } as const;
  return { ...voice, kind: 'built-in', model: null, speaker, rank: RANKS.builtIn, recommended: false };
}

export interface InstalledVoice {
  name: string;
  languages: readonly string[] | null;
  voice: VoiceFolder | null;
}

export interface VoiceSources {
  presets: Voices;
  installed(): Promise<readonly InstalledVoice[]>;
  /** Voices of the catalogue. */
  offered(): readonly CatalogueModel[];
  server(): Pick<Settings, 'speechServerUrl' | 'speechServerModel' | 'speechServerVoices'>;
  /** Key for the speech server. It never appears in settings, responses or logs. */
  serverKey(url: string): string | undefined;
}

/** All voices available now, natural ones first. */
export async function allVoices(sources: VoiceSources): Promise<Voices> {
  const offered = sources.offered();
  const installed = (await sources.installed()).flatMap((model) => {
    return modelSpeakersOf(model, offered);
  });
  const seen = new Set<string>();
  const unmarked = [...installed, ...sources.presets, ...serverVoices(sources)].filter(({ slug }) => {
    const isNew = !seen.has(slug);
    seen.add(slug);
    return isNew;
  });
  const best = bestByLanguage(unmarked);
  const [first, ...others] = unmarked.map((voice) => ({ ...voice, recommended: best.has(voice) }));
  return [first ?? sources.presets[0], ...others];
}

/** What counts first among the voices of a language; the models of the catalogue stand between the first two. */
const RANKS = { recommendedFor: 0, recommended: 1, byHand: 1000, builtIn: 2000, server: 3000 } as const;

/** As the catalogue recommends models of a language, then in its order. */
function modelRank(offered: readonly CatalogueModel[], known: CatalogueModel | undefined, language: string): number {
  if (known === undefined) return RANKS.byHand;
  if (known.recommendedFor?.includes(languageCode(language) ?? '')) return RANKS.recommendedFor;
  return known.recommended ? RANKS.recommended : RANKS.recommended + 1 + offered.indexOf(known);
}

/** Of each language the voice with the first rank. */
function bestByLanguage(voices: readonly SpeakingVoice[]): Set<SpeakingVoice> {
  const best = new Map<string | null, SpeakingVoice>();
  for (const voice of voices) {
    if (voice.language === 'und') continue;
    const code = languageCode(voice.language);
    const known = best.get(code);
    if (known === undefined || voice.rank < known.rank) best.set(code, voice);
  }
  return new Set(best.values());
}

/** The speakers of an installed model; those that the catalogue names come first, in its order. */
function modelSpeakersOf(
  { name, languages, voice }: InstalledVoice,
  offered: readonly CatalogueModel[],
): SpeakingVoice[] {
  if (voice === null) return [];
  const known = offered.find((model) => model.name === name);
  const rankIn = (language: string) => modelRank(offered, known, language);
  const threads = Math.max(1, availableParallelism() - 1);
  const only = languages?.length === 1 ? (languages[0] ?? null) : null;
  const common = { kind: 'natural', model: name, aliases: [], tones: [], recommended: false } as const;
  if (voice.speakers.length <= 1) {
    const fact = known?.speakers?.[0];
    const language = fact?.language ?? only ?? voice.language ?? 'und';
    const gender = fact?.gender ?? voice.speakers[0]?.gender ?? null;
    const speaker = { engine: 'neural', model: voice, speakerId: 0, language: null, threads } as const;
    const description = describeVoice(name, gender, language);
    return [
      {
        ...common,
        slug: voiceSlug(name),
        rank: rankIn(language),
        name: voiceTitleOf(fact?.name ?? name),
        language,
        gender,
        description,
        speaker,
      },
    ];
  }
  const order = known?.speakers?.map((fact) => fact.name) ?? [];
  const voiceOrderRank = (one: string) => (order.includes(one) ? order.indexOf(one) : order.length);
  return voice.speakers
    .toSorted((one, other) => voiceOrderRank(one.name) - voiceOrderRank(other.name))
    .map((one, index) => {
      const fact = known?.speakers?.find((candidate) => candidate.name === one.name);
      const language = one.language ?? fact?.language ?? only ?? voice.language ?? 'und';
      const gender = one.gender ?? fact?.gender ?? null;
      return {
        ...common,
        slug: voiceSlug(`${name}-${one.name}`),
        rank: rankIn(language),
        // The model's own slug selects its first speaker.
        aliases: index === 0 ? [voiceSlug(name)] : [],
        name: `${voiceTitleOf(one.name)} (${name})`,
        language,
        gender,
        description: describeVoice(name, gender, language),
        speaker: { engine: 'neural', model: voice, speakerId: one.id, language: one.language, threads },
      };
    });
}

/** `Heart` for `af_heart`, `Speaker 12` for `12`. */
function voiceTitleOf(name: string): string {
  const plain = name.replace(/^[a-z][fm]_/, '').replace(/[_-]+/g, ' ');
  return /^\d+$/.test(plain) ? `Speaker ${plain}` : plain.charAt(0).toUpperCase() + plain.slice(1);
}

function describeVoice(model: string, gender: SpeakingVoice['gender'], language: string): string {
  const who = gender === null ? 'A natural voice' : `A natural ${gender === 'female' ? 'woman’s' : 'man’s'} voice`;
  return `${who} of the model ${model}${language === 'und' ? '' : `, in ${languageNameOfTag(language)}`}.`;
}

/** `German` for `de`. */
export function languageNameOfTag(tag: string): string {
  return new Intl.DisplayNames('en', { type: 'language' }).of(tag) ?? tag;
}

/** Slug of a voice in the models folder. */
export function voiceSlug(name: string): string {
  return speakerSlugOf(`voice-${name}`);
}

function serverVoices({ server, serverKey }: VoiceSources): SpeakingVoice[] {
  const { speechServerUrl, speechServerModel, speechServerVoices } = server();
  if (speechServerUrl === null) return [];
  const url = speechServerUrl.replace(/\/+$/, '');
  return speechServerVoices.map((voice) => ({
    slug: speakerSlugOf(`server-${voice}`),
    name: voice,
    language: 'und',
    kind: 'server',
    rank: RANKS.server,
    recommended: false,
    gender: null,
    model: null,
    aliases: [],
    description: 'A voice of the speech server.',
    tones: [],
    speaker: { engine: 'server', url, model: speechServerModel, voice, key: serverKey(url) ?? null },
  }));
}

function speakerSlugOf(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_CHARS_MAX)
    .replace(/-+$/, '');
}

/** Whether a voice speaks a language; null when that is unknown. */
export function speaksLanguage(voice: SpeakingVoice, language: string): boolean | null {
  return voice.language === 'und' ? null : languageCode(voice.language) === languageCode(language);
}

/** The voice that shares most words with the prompt; the first one of equals. */
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
