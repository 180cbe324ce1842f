/** Chooses the voice of each speaker of a script. */

import type { ReadScriptOutput } from '../../../workers/audio/tasks.ts';
import { QuarryError } from '../../platform/errors.ts';
import { type Doubt, SAMPLE_CHARACTERS } from '../../platform/source-account.ts';
import { languageCode } from '../../platform/text/language.ts';
import { type Said, say } from '../../platform/text/say.ts';
import type { CatalogueModel } from '../models/schema.ts';
import { notInstalled } from '../models/service.ts';
import { joinWordsWithAnd } from './prompt-words.ts';
import type { AudioRequest } from './schema.ts';
import { genderOfSpeaker } from './speaker-gender.ts';
import {
  languageNameOfTag,
  type SpeakingVoice,
  speaksLanguage,
  type Voices,
  voiceForTone,
  voiceSlug,
} from './voices.ts';

export interface Cast {
  /** One per speaker of the script. */
  voices: [SpeakingVoice, ...SpeakingVoice[]];
  /** BCP 47 tag of the text. */
  language: string;
  /** What chose the voice of the first speaker. */
  chosenBy: 'request' | 'tone' | 'language';
  warnings: Said[];
  /** Passages whose language the voices do not speak. */
  doubts: Doubt[];
}

interface Casting {
  voices: Voices;
  offered: readonly CatalogueModel[];
  request: Pick<AudioRequest, 'prompt' | 'voice' | 'voices' | 'language'>;
  script: ReadScriptOutput;
}

/**
 * Named voices first, then other voices of the language, natural ones before the others. Errors: `model_not_installed`
 * for a voice or a language that can be installed; `invalid_request` for an unknown voice, or for text that no voice
 * can speak.
 */
export function castOf(casting: Casting): Cast {
  const { request, script } = casting;
  const language =
    request.language ?? script.language ?? languageOfVoice(casting) ?? promptLanguageOf(script, request.prompt);
  const named = script.speakers.map((speaker) => slugFor(casting, speaker));
  const chosen = named.map((wish) => (wish === null ? null : namedVoice(casting, wish.path, wish.slug, language)));
  const free = automaticVoices(
    casting,
    language,
    chosen.every((voice) => voice !== null),
  );
  const used = new Set(chosen);
  const warnings: Said[] = [];
  let shared = false;
  const voices = chosen.map((voice, index) => {
    if (voice !== null) return voice;
    const [only] = free;
    if (script.speakers.length === 1 && only !== undefined) return voiceForPromptTone(free, request.prompt);
    const gender = genderOfSpeaker(script.speakers[index]?.name ?? null);
    const fitting = free.filter((voice) => gender !== null && voice.gender === gender);
    const isFree = (candidate: SpeakingVoice) => !used.has(candidate);
    const shareable = fitting.length > 0 ? fitting : free;
    const next = fitting.find(isFree) ?? free.find(isFree) ?? shareable[index % shareable.length];
    if (next === undefined) throw unspeakableLanguageError(casting, language);
    shared ||= used.has(next);
    used.add(next);
    return next;
  });
  const [first, ...others] = voices;
  if (first === undefined) throw unspeakableLanguageError(casting, language);
  if (isTooShort(casting)) {
    warnings.push(
      say`The text is too short to tell its language: ${first.name} reads it as ${languageNameOfTag(language)}.`,
    );
  }
  if (shared) {
    warnings.push(
      say`The script has more speakers than there are voices for ${languageNameOfTag(language)}; some share a voice.`,
    );
  }
  if (script.directions.length > 0) {
    const shown = joinWordsWithAnd(script.directions);
    warnings.push(
      say`The voices take no directions, which are left out: ${shown}. Use SSML for pace, pitch and emphasis.`,
    );
  }
  for (const [index, wish] of named.entries()) {
    const voice = voices[index];
    if (wish !== null && voice?.aliases.includes(wish.slug) && voice.kind === 'built-in')
      warnings.push(aliasOf(wish.slug, voice));
  }
  const chosenBy = named[0] != null ? 'request' : first.kind === 'built-in' ? 'tone' : 'language';
  const region = languageCode(language) === languageCode(first.language) && !language.includes('-');
  const doubts = languageDoubtsOf(casting, [first, ...others], language);
  const [doubt] = doubts;
  if (doubt !== undefined) warnings.push(doubtWarning(doubt, first));
  return {
    voices: [first, ...others],
    language: region ? first.language : language,
    chosenBy,
    warnings,
    doubts: doubts.map(({ quote }) => ({ reason: 'other-language', quote })),
  };
}

/** Words that are so short and so few are words of several languages. */
const SHORT_TEXT = /^\P{L}*\p{L}{1,3}(?:\P{L}+\p{L}{1,3})?\P{L}*$/u;

/** Nobody says the language, and the text does not show it. */
function isTooShort({ request, script }: Casting): boolean {
  const { prompt, language, voice, voices } = request;
  if ((language ?? voice ?? voices) !== undefined || script.language !== null) return false;
  return SHORT_TEXT.test(prompt);
}

/** Of a named voice, for a text whose language is in doubt. */
function languageOfVoice({ voices, request, script }: Casting): string | null {
  if (request.voice === undefined || foreignOf(request.prompt) !== null) return null;
  const language = voices.find(({ slug }) => slug === request.voice)?.language ?? 'und';
  const maybe = script.doubts.find((doubt) => doubt.language === languageCode(language));
  return maybe === undefined ? null : language;
}

type OtherLanguage = ReadScriptOutput['doubts'][number];

/** Passages in languages that no voice of the script speaks, also where the request names another language. */
function languageDoubtsOf({ request, script }: Casting, voices: Voices, language: string): OtherLanguage[] {
  const isOther =
    request.language !== undefined && script.language !== null && languageCode(language) !== script.language;
  const whole = isOther ? [{ language: script.language ?? '', quote: promptQuoteOf(request.prompt) }] : [];
  return [...whole, ...script.doubts].filter((doubt) =>
    voices.every((voice) => speaksLanguage(voice, doubt.language) === false),
  );
}

function promptQuoteOf(text: string): string {
  const line = text
    .slice(0, SAMPLE_CHARACTERS * 2)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= SAMPLE_CHARACTERS ? line : `${line.slice(0, SAMPLE_CHARACTERS - 1).toWellFormed()}…`;
}

function doubtWarning({ language, quote }: OtherLanguage, voice: SpeakingVoice): Said {
  const [own, other] = [languageNameOfTag(voice.language), languageNameOfTag(language)];
  return say`“${quote}” is probably ${other}, and ${voice.name} speaks ${own}.
    It may sound wrong; set language and voice to the language of the text.`;
}

function aliasOf(slug: string, { name }: SpeakingVoice): Said {
  return say`${slug} is a former name of ${name}, which spoke. Use speed for another pace.`;
}

interface Wish {
  slug: string;
  /** The field that names it. */
  path: string;
}

function slugFor({ request, script }: Casting, speaker: ReadScriptOutput['speakers'][number]): Wish | null {
  if (speaker.voice !== null) return { slug: speaker.voice, path: 'prompt' };
  const { name } = speaker;
  const entry = Object.entries(request.voices ?? {}).find(([known]) => known.toLowerCase() === name?.toLowerCase());
  if (entry !== undefined) return { slug: entry[1], path: `voices.${entry[0]}` };
  // One voice for the narrator, or for a text without speakers.
  const isNarrator = name === null || script.speakers.length === 1;
  return isNarrator && request.voice !== undefined ? { slug: request.voice, path: 'voice' } : null;
}

function namedVoice(casting: Casting, path: string, slug: string, language: string): SpeakingVoice {
  const { voices, offered } = casting;
  const voice = voices.find((one) => one.slug === slug) ?? voices.find(({ aliases }) => aliases.includes(slug));
  if (voice === undefined) {
    const model = offered.find(({ name }) => slug === voiceSlug(name) || slug.startsWith(`${voiceSlug(name)}-`));
    if (model !== undefined) throw notInstalled(model.name, 'voice');
    const all = voices.map((one) => one.slug);
    const listed =
      all.length > 12 ? `${all.slice(0, 12).join(', ')} and others; GET /voices lists them` : all.join(', ');
    throw refusedVoiceField(path, say`There is no voice ${slug.slice(0, 80)}. There are: ${listed}.`);
  }
  if (speaksLanguage(voice, language) !== false) return voice;
  if (voices.every((one) => speaksLanguage(one, language) === false)) throw unspeakableLanguageError(casting, language);
  const message = say`${voice.name} speaks ${languageNameOfTag(voice.language)}, and the text is
    ${languageNameOfTag(language)}. Choose another voice, or set language to the language of the text.`;
  throw refusedVoiceField(path, message);
}

/** Voices that speak a language, the best first, else those whose language is unknown. */
function automaticVoices(casting: Casting, language: string, isNeedless: boolean): SpeakingVoice[] {
  const able = casting.voices
    .filter((voice) => speaksLanguage(voice, language) === true)
    .toSorted((one, other) => one.rank - other.rank);
  const found = able.length > 0 ? able : casting.voices.filter((voice) => speaksLanguage(voice, language) === null);
  if (found.length === 0 && !isNeedless) throw unspeakableLanguageError(casting, language);
  return found;
}

/** Of built-in voices, the one that fits the tone; a natural voice comes before them. */
function voiceForPromptTone(voices: readonly SpeakingVoice[], prompt: string): SpeakingVoice {
  const [first, ...others] = voices;
  if (first === undefined) throw new Error('There is no voice to choose from.');
  return first.kind === 'built-in' ? voiceForTone([first, ...others], prompt) : first;
}

function unspeakableLanguageError({ offered }: Casting, language: string): QuarryError {
  const code = languageCode(language);
  const name = language === 'und' ? say`this script` : languageNameOfTag(language);
  if (code !== null && offered.some(({ languages }) => languages?.includes(code))) {
    const message = say`No voice for ${name} is installed.
      Install one on the Models page, or name a speech server in the settings.`;
    return new QuarryError('model_not_installed', message, { missing: { need: 'voice', language: code } });
  }
  return refusedVoiceField(
    'prompt',
    say`No voice speaks ${name}: the built-in voices speak English. To continue, install a voice of its language into
      the models folder, or name a speech server in the settings.`,
  );
}

/** BCP 47 tag of a text; `und` when nothing but its script is known. */
export function promptLanguageOf({ language }: Pick<ReadScriptOutput, 'language'>, prompt: string): string {
  return language ?? foreignOf(prompt) ?? 'en';
}

/** `und` for text mainly in other scripts than Latin, of unknown language. Numbers and names occur in all texts. */
function foreignOf(prompt: string): string | null {
  const latin = prompt.match(/\p{Script=Latin}/gu)?.length ?? 0;
  const letters = prompt.match(/\p{L}/gu)?.length ?? 0;
  const digits = /[0-9]/.test(prompt);
  if (letters === 0) return digits ? null : 'und';
  return letters - latin > latin ? 'und' : null;
}

function refusedVoiceField(path: string, message: Said): QuarryError {
  return new QuarryError('invalid_request', `${path}: ${message}`, { fields: [{ path, message }] });
}
