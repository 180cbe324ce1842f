/** What the workers need to make music and soundscapes, read from a request. */

import type { Background, MusicBrief, SceneLayer } from '../../../workers/audio/tasks.ts';
import type { JobFiles } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { descriptionInEnglish } from './foreign-description.ts';
import { audioKindOf } from './kind-of-audio.ts';
import { nameUnused, readMusic } from './music-brief.ts';
import { joinWordsWithAnd, PromptWords, takeLength } from './prompt-words.ts';
import {
  type AudioRequest,
  DURATION_SECONDS_DEFAULT,
  DURATION_SECONDS_MAX,
  type GivenAudioRequest,
  LOUDNESS_PRESETS,
  type LoudnessPreset,
} from './schema.ts';
import { countedSeconds, nearestScenes, readScene } from './sound-scene.ts';

export interface ReadSound {
  brief: MusicBrief | null;
  layers: SceneLayer[];
  warnings: Said[];
}

/** A description of music, with the sounds under it. */
export function musicOf(prompt: string, tempo: number | null): ReadSound & { brief: MusicBrief } {
  const { brief, warnings, words } = readMusic(descriptionInEnglish(prompt) ?? prompt, tempo);
  const scene = readScene(words, true);
  const all = [...warnings, ...scene.warnings];
  nameUnused(words, all);
  return { brief, layers: scene.layers, warnings: all };
}

/** Errors: `invalid_request` when no sound is known, with those that are nearest. */
export function soundscapeOf(prompt: string, path = 'prompt'): ReadSound {
  const words = new PromptWords(descriptionInEnglish(prompt) ?? prompt);
  takeLength(words);
  const { layers, warnings } = readScene(words);
  if (layers.length === 0) {
    const unknown = words.unusedWords();
    const shown = joinWordsWithAnd(unknown);
    const nearest = nearestScenes(unknown).join(', ');
    const message = say`These sounds cannot be rendered: ${shown}. The nearest are: ${nearest}.
      The guide to audio lists all sounds; give a voice to have the words read aloud.`;
    throw refusedAudioField(path, message);
  }
  nameUnused(words, warnings);
  return { brief: null, layers, warnings };
}

/** A request with its length: the given one, else the one that a description of music or sounds states. */
export function withAudioDefaults(request: GivenAudioRequest): AudioRequest {
  return { ...request, durationSeconds: request.durationSeconds ?? statedSeconds(request) };
}

function statedSeconds(request: GivenAudioRequest): number {
  const kind = audioKindOf(request);
  if (kind === 'speech') return DURATION_SECONDS_DEFAULT;
  const words = new PromptWords(descriptionInEnglish(request.prompt) ?? request.prompt);
  const stated = takeLength(words)?.seconds ?? null;
  const counted = stated === null && kind === 'soundscape' ? countedSeconds(readScene(words).layers) : null;
  const seconds = stated ?? counted ?? DURATION_SECONDS_DEFAULT;
  return Math.min(DURATION_SECONDS_MAX, Math.max(1, Math.round(seconds)));
}

/** Names a length in the prompt that the sound does not have. */
export function lengthWarnings({ prompt, durationSeconds }: AudioRequest): Said[] {
  const stated = takeLength(new PromptWords(prompt));
  if (stated === null || stated.seconds === durationSeconds) return [];
  return [
    say`The length is ${durationSeconds} s, not “${stated.text}”:
      durationSeconds takes 1 to ${DURATION_SECONDS_MAX} whole seconds.`,
  ];
}

/** What plays under speech. Errors: `invalid_request` when it describes neither music nor sounds. */
export function backgroundOf(prompt: string, durationSeconds: number): { background: Background; warnings: Said[] } {
  const kind = audioKindOf({ prompt });
  if (kind === 'speech') {
    throw refusedAudioField('background', say`Describe music or sounds, such as “soft piano” or “rain on a roof”.`);
  }
  const { brief, layers, warnings } = kind === 'music' ? musicOf(prompt, null) : soundscapeOf(prompt, 'background');
  const stated = takeLength(new PromptWords(prompt));
  if (stated !== null) warnings.push(say`It plays as long as the speech, not “${stated.text}”.`);
  return { background: { music: brief, scene: layers, durationSeconds }, warnings };
}

/** The same prompt, tempo, length and seed give the same sound. */
export function seedOf({ prompt, tempo, durationSeconds, seed }: AudioRequest): string {
  return JSON.stringify([prompt, tempo ?? null, durationSeconds, seed]);
}

export function presetOf(kind: string, { loudness }: AudioRequest): LoudnessPreset {
  return loudness ?? (kind === 'speech' ? 'podcast' : 'stream');
}

const TITLE_CHARS = 80;

export function soundTitleOf(prompt: string): string {
  const line = prompt.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return line.length <= TITLE_CHARS ? line : `${line.slice(0, TITLE_CHARS - 1).toWellFormed()}…`;
}

/** What both tasks need. */
export function renderCommon(request: AudioRequest, files: JobFiles, fileName: string, renderSeconds: number) {
  return {
    seed: seedOf(request),
    durationSeconds: request.durationSeconds,
    renderSeconds,
    sampleRate: request.sampleRate,
    outputFolder: files.folder,
    fileName,
    title: soundTitleOf(request.prompt),
    goal: LOUDNESS_PRESETS[presetOf('music', request)],
  };
}

export function refusedAudioField(path: string, message: Said): QuarryError {
  return new QuarryError('invalid_request', `${path}: ${message}`, { fields: [{ path, message }] });
}
