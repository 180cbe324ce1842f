import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { TaskContext } from '../tasks.ts';
import { startSpeechChild } from './speech-child.ts';
import { LoudnessTrack, withRoom } from './speech-detector.ts';
import { packWindows, windowSamples } from './speech-windows.ts';
import type { FindSpeechInput, FindSpeechOutput, SampleRange } from './tasks.ts';

const SAMPLE_BYTES = 2;
const PORTION_BYTES = 1 << 20;

/**
 * Where somebody speaks, by the model where there is one, in a child process of its own. Errors: `engine_failed` where
 * the model cannot be read, and the signal's reason.
 */
export async function findSpeech(input: FindSpeechInput, context: TaskContext): Promise<FindSpeechOutput> {
  const { pcmPath, sampleRate, windowMaxSeconds, detectorPath } = input;
  const startedAt = performance.now();
  const { size } = await stat(pcmPath);
  const track = new LoudnessTrack(sampleRate);
  const say = (bytes: number) => context.progress((bytes * 100) / size, 'listening', 'Looking for speech');
  // Where a stretch is cut is decided by loudness in any case; the two look at the file at the same time. When one
  // fails the other is stopped: this thread goes on to another task.
  const failed = new AbortController();
  const together = { ...context, signal: AbortSignal.any([context.signal, failed.signal]) };
  const [ranges] = await Promise.all([
    detectorPath === null || size === 0 ? null : detect({ ...input, detectorPath }, together, say),
    measure(track, pcmPath, together.signal, detectorPath === null ? say : () => undefined),
  ]).catch((error: unknown) => {
    failed.abort(error);
    throw error;
  });
  const speech = ranges === null ? track.speech() : withRoom(ranges, sampleRate, track.samples);
  const windows = packWindows(speech, Math.floor(windowMaxSeconds * sampleRate), (from, to) =>
    track.quietestBetween(from, to),
  );
  const speechSamples = windows.reduce((sum, window) => sum + windowSamples(window), 0);
  return {
    foundBy: detectorPath === null ? 'loudness' : 'silero-vad',
    durationSeconds: track.samples / sampleRate,
    speechSeconds: speechSamples / sampleRate,
    tookSeconds: (performance.now() - startedAt) / 1000,
    windows,
  };
}

async function detect(
  { detectorPath, pcmPath, sampleRate }: FindSpeechInput & { detectorPath: string },
  context: TaskContext,
  onBytes: (bytes: number) => void,
): Promise<SampleRange[]> {
  const child = startSpeechChild(context);
  try {
    const command = { kind: 'detect', modelPath: detectorPath, pcmPath, sampleRate } as const;
    return (await child.ask(command, 'detected', { detecting: ({ bytes }) => onBytes(bytes) })).ranges;
  } finally {
    child.close();
  }
}

async function measure(
  track: LoudnessTrack,
  pcmPath: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const bytes of createReadStream(pcmPath, { highWaterMark: PORTION_BYTES, signal })) {
    const portion = rest.length === 0 ? (bytes as Buffer) : Buffer.concat([rest, bytes as Buffer]);
    const whole = portion.length - (portion.length % SAMPLE_BYTES);
    // A copy, since samples must begin at an even address.
    track.add(new Int16Array(new Uint8Array(portion.subarray(0, whole)).buffer));
    rest = portion.subarray(whole);
    onBytes(track.samples * SAMPLE_BYTES);
  }
}
