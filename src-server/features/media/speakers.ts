/** Finds who speaks in a recording: chooses the speaker model, and describes the speakers of a transcript. */

import { join } from 'node:path';
import type { FindSpeakersOutput, FindSpeechOutput, Likeness, SpeakerModel } from '../../../workers/media/tasks.ts';
import type { JobHandle, ProgressReport, TravelChoices } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { countWords } from '../../platform/text/words.ts';
import { HOUR_MS } from '../../platform/units.ts';
import type { Models } from '../models/service.ts';
import { SAMPLE_RATE } from './extract-audio.ts';
import type { Speaker, TranscriptSegment } from './schema.ts';
import { type SpeechModelOffer, speechOffer } from './speech.ts';

const FIND_LIMIT_MS = 6 * HOUR_MS;

/** Whether and how many speakers to find, as a request says it. */
export type SpeakersOption = boolean | number | undefined;

export function wantsSpeakers(option: SpeakersOption): boolean {
  return option !== undefined && option !== false;
}

export interface SpeakerModelFiles {
  /** The installed ones. */
  list(): Promise<readonly { name: string; path: string }[]>;
  /** The recommended model; null when the catalogue recommends none. */
  recommended(): SpeechModelOffer | null;
  /** Returns a model and marks it as used. Errors: `model_not_installed`. */
  require(name: string): Promise<{ path: string }>;
}

export function speakerFilesOf(models: Models): SpeakerModelFiles {
  return {
    list: () => models.installed('speakers'),
    require: (name) => models.requireInstalled(name, 'speakers'),
    recommended: () => speechOffer(models.recommendedModel('speakers')),
  };
}

/** The named model; else the recommended one if it is installed, or the first one. Errors: `model_not_installed`. */
export async function chooseSpeakerModel(
  files: SpeakerModelFiles,
  named?: string,
): Promise<SpeakerModel & { name: string }> {
  const first = files.recommended();
  const installed = await files.list();
  const wanted = installed.find(({ name }) => name === (named ?? first?.name));
  const model = named === undefined ? (wanted ?? installed[0]) : wanted;
  if (model === undefined) throw noSpeakerModelInstalled(first);
  const { path } = await files.require(model.name);
  return { name: model.name, segmentation: join(path, 'segmentation.onnx'), embedding: join(path, 'embedding.onnx') };
}

function noSpeakerModelInstalled(first: SpeechModelOffer | null): QuarryError {
  const mend =
    first === null
      ? say`Put a folder with segmentation.onnx and embedding.onnx into the models folder.`
      : say`Install ${first.offer} to continue: on the Models page, or with POST /admin/models/${first.name}/install.`;
  const missing = { need: 'speakers', language: null } as const;
  return new QuarryError('model_not_installed', say`No speaker model is installed. ${mend}`, { missing });
}

interface SpeakersRequest {
  model: SpeakerModel;
  option: SpeakersOption;
  found: FindSpeechOutput;
  pcmPath: string;
  partsFolder: string;
  accountId: string;
  threads: number;
  signal: AbortSignal;
  /** A thread has begun. */
  onStart(): void;
  onProgress(progress: ProgressReport): void;
}

/** Who speaks when. Errors: `engine_failed`, `timeout`, and the signal's reason. */
export async function findTurns(runTask: RunTask, request: SpeakersRequest): Promise<FindSpeakersOutput> {
  const { model, option, found, pcmPath, partsFolder, threads, accountId, signal } = request;
  const count = typeof option === 'number' ? option : null;
  const { segmentation, embedding } = model;
  const input = {
    model: { segmentation, embedding },
    pcmPath,
    sampleRate: SAMPLE_RATE,
    speech: found.speech,
    count,
    threads,
    partsFolder,
  };
  const { onStart, onProgress } = request;
  const watch = { signal, accountId, heavy: true, timeLimitMs: FIND_LIMIT_MS, onStart, onProgress };
  return runTask('find-speakers', input, watch);
}

/** A remembered voice, as a job compares it. */
export interface KnownVoice {
  id: string;
  name: string;
  model: string;
  vector: Float32Array;
}

/** The remembered voices of a job's account. */
export interface JobVoices {
  all(): KnownVoice[];
  /** Notes that these were recognised. */
  heard(ids: readonly string[]): void;
}

/** Finds the remembered voices for a job, or an account. */
export type VoicesOf = (job: Pick<JobHandle, 'accountId' | 'choices'>) => JobVoices;

type SentVoices = NonNullable<TravelChoices['rememberedVoices']>;

/** Remembered voices on their way to a node. */
export function sentVoices(voices: readonly KnownVoice[]): SentVoices {
  return voices.map(({ id, name, model, vector }) => {
    const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
    return { id, name, model, vector: bytes.toString('base64') };
  });
}

/** The voices that came with a job. What it recognises is noted where they are remembered. */
export function receivedVoices({ rememberedVoices = [] }: TravelChoices): JobVoices {
  const voices = rememberedVoices.map((voice) => {
    const bytes = Uint8Array.from(Buffer.from(voice.vector, 'base64'));
    return { ...voice, vector: new Float32Array(bytes.buffer) };
  });
  return { all: () => voices, heard: () => undefined };
}

export interface VoiceMatch {
  voice: KnownVoice;
  similarity: number;
  /** False: a suggestion. */
  recognised: boolean;
}

/**
 * The remembered voice of each speaker, by the number of the speaker; undefined where none is near. A voice is
 * recognised once, and only where no other remembered voice is as near.
 */
export function matchVoices(
  speakers: readonly (readonly number[])[],
  { possible, sure }: Likeness,
  known: readonly KnownVoice[],
): (VoiceMatch | undefined)[] {
  const near = speakers
    .flatMap((vector, speaker) =>
      known.map((voice) => ({ speaker, voice, similarity: cosineSimilarity(voice.vector, vector) })),
    )
    .filter(({ similarity }) => similarity >= possible)
    .sort((one, other) => other.similarity - one.similarity);
  const matches: (VoiceMatch | undefined)[] = [];
  const taken = new Set<KnownVoice>();
  for (const { speaker, voice, similarity } of near) {
    if (matches[speaker] !== undefined) continue;
    const isSure = (other: (typeof near)[number]) => other.speaker === speaker && other.similarity >= sure;
    const recognised = similarity >= sure && !taken.has(voice) && near.filter(isSure).length === 1;
    if (recognised) taken.add(voice);
    matches[speaker] = { voice, similarity: Math.round(similarity * 1000) / 1000, recognised };
  }
  return matches;
}

/** NaN for vectors of different models. */
export function cosineSimilarity(one: ArrayLike<number>, other: ArrayLike<number>): number {
  if (one.length !== other.length) return Number.NaN;
  let [dot, ofOne, ofOther] = [0, 0, 0];
  for (let index = 0; index < one.length; index += 1) {
    const [a, b] = [one[index] ?? 0, other[index] ?? 0];
    dot += a * b;
    ofOne += a * a;
    ofOther += b * b;
  }
  return dot / Math.sqrt(ofOne * ofOther);
}

/** What to say about voices that are near but were not recognised, by the names of the speakers. */
export function voiceWarnings(speakers: readonly Speaker[]): Said[] {
  return speakers.flatMap(({ name, voice }) => {
    if (voice === undefined || voice.recognised) return [];
    return [say`${name} may be ${voice.name} (similarity ${voice.similarity}). Name the speaker if that is so.`];
  });
}

/** The speakers of a transcript, in the order in which they first speak. */
export function speakersInSegments(segments: readonly TranscriptSegment[]): Speaker[] {
  const speakers = new Map<string, Speaker>();
  for (const { speaker: name, start, end, text } of segments) {
    if (name === undefined) continue;
    const { seconds, words } = speakers.get(name) ?? { seconds: 0, words: 0 };
    const longer = Math.round((seconds + end - start) * 1000) / 1000;
    speakers.set(name, { name, seconds: longer, words: words + countWords(text) });
  }
  return [...speakers.values()];
}

/** What to say about a number of speakers that was not found; empty where there is nothing to say. */
export function countWarnings(option: SpeakersOption, found: number): Said[] {
  if (typeof option !== 'number' || found >= option || found === 0) return [];
  return found === 1
    ? [say`You asked for ${option} speakers, but only one voice could be distinguished.`]
    : [say`You asked for ${option} speakers, but only ${found} voices could be distinguished.`];
}
