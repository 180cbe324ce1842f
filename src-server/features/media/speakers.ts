/** Finds who speaks in a recording: chooses the speaker model, and describes the speakers of a transcript. */

import { join } from 'node:path';
import type { FindSpeechOutput, SpeakerModel, SpeakerTurn } from '../../../workers/media/tasks.ts';
import type { JobProgress } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { countWords } from '../../platform/text/words.ts';
import { HOUR_MS } from '../../platform/units.ts';
import { SAMPLE_RATE } from './extract-audio.ts';
import type { Speaker, TranscriptSegment } from './schema.ts';
import type { SpeechModelOffer } from './speech.ts';

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

/** The recommended model if it is installed, else the first one. Errors: `model_not_installed`. */
export async function chooseSpeakerModel(files: SpeakerModelFiles): Promise<SpeakerModel> {
  const first = files.recommended();
  const installed = await files.list();
  const model = installed.find(({ name }) => name === first?.name) ?? installed[0];
  if (model === undefined) throw noneInstalled(first);
  const { path } = await files.require(model.name);
  return { segmentation: join(path, 'segmentation.onnx'), embedding: join(path, 'embedding.onnx') };
}

function noneInstalled(first: SpeechModelOffer | null): QuarryError {
  const mend =
    first === null
      ? 'Put a folder with segmentation.onnx and embedding.onnx into the models folder.'
      : `Install ${first.offer} to continue: on the Models page, or with POST /admin/models/${first.name}/install.`;
  const missing = { need: 'speakers', language: null } as const;
  return new QuarryError('model_not_installed', `No speaker model is installed. ${mend}`, { missing });
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
  onProgress(progress: JobProgress): void;
}

/** Who speaks when. Errors: `engine_failed`, `timeout`, and the signal's reason. */
export async function findTurns(
  runTask: RunTask,
  request: SpeakersRequest,
): Promise<{ turns: SpeakerTurn[]; tookSeconds: number | null }> {
  const { model, option, found, pcmPath, partsFolder, threads, accountId, signal } = request;
  const count = typeof option === 'number' ? option : null;
  const input = { model, pcmPath, sampleRate: SAMPLE_RATE, speech: found.speech, count, threads, partsFolder };
  const { onStart, onProgress } = request;
  const watch = { signal, accountId, heavy: true, timeLimitMs: FIND_LIMIT_MS, onStart, onProgress };
  return runTask('find-speakers', input, watch);
}

/** The speakers of a transcript, in the order in which they first speak. */
export function speakersOf(segments: readonly TranscriptSegment[]): Speaker[] {
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
export function countWarnings(option: SpeakersOption, found: number): string[] {
  if (typeof option !== 'number' || found >= option || found === 0) return [];
  const heard = found === 1 ? 'one voice' : `${found} voices`;
  return [`You asked for ${option} speakers, but only ${heard} could be distinguished.`];
}
