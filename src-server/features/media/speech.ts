import type { FindSpeechOutput } from '../../../workers/tasks.ts';
import { type JobProgress, QuarryError } from '../../contract/index.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import type { StagePlan } from './estimate.ts';
import { SAMPLE_RATE } from './extract-audio.ts';

/**
 * The model hears 30 seconds in one step; sherpa-onnx takes 29.5 and drops the rest. whisper.cpp would walk through any
 * length, but its steps then end where it believes a sentence to end, so that it takes half as many again.
 */
const WINDOW_SECONDS = 29;
const DETECT_LIMIT_MS = 30 * MINUTE_MS;

export interface FoundSpeech extends FindSpeechOutput {
  /** A voice activity model is installed and could not be used. */
  detectorFailed: boolean;
}

/** Where somebody speaks. Errors: those of the task, and the signal's reason. */
export async function findSpeech(
  parts: { runTask: RunTask; detector(): Promise<string | null> },
  plan: StagePlan,
  request: { pcmPath: string; accountId: string; signal: AbortSignal; onProgress(progress: JobProgress): void },
): Promise<FoundSpeech> {
  const { pcmPath, accountId, signal, onProgress } = request;
  const detect = async (detectorPath: string | null) => {
    const input = { pcmPath, sampleRate: SAMPLE_RATE, detectorPath, windowMaxSeconds: WINDOW_SECONDS };
    // A model takes minutes for a day of sound; loudness takes seconds.
    const watch = { signal, accountId, timeLimitMs: DETECT_LIMIT_MS, onProgress, heavy: detectorPath !== null };
    const found = await parts.runTask('find-speech', input, watch);
    await plan.learn('speech', found.durationSeconds, found.tookSeconds);
    return found;
  };
  const detectorPath = await parts.detector();
  try {
    return { ...(await detect(detectorPath)), detectorFailed: false };
  } catch (error) {
    signal.throwIfAborted();
    if (detectorPath === null || !(error instanceof QuarryError) || error.code !== 'engine_failed') throw error;
    // Whoever has a broken model still gets the words; that loudness stood in is said in the answer.
    return { ...(await detect(null)), detectorFailed: true };
  }
}
