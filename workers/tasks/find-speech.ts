import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FindSpeechInput, FindSpeechOutput } from '../media/media-tasks.ts';
import { LoudnessTrack } from '../media/speech-detector.ts';
import { packWindows, windowSamples } from '../media/speech-windows.ts';
import type { TaskContext } from '../tasks.ts';

const SAMPLE_BYTES = 2;
const PORTION_BYTES = 1 << 20;

export async function findSpeech(input: FindSpeechInput, context: TaskContext): Promise<FindSpeechOutput> {
  const { pcmPath, sampleRate, windowMaxSeconds } = input;
  const { size } = await stat(pcmPath);
  const track = new LoudnessTrack(sampleRate);
  let rest: Buffer = Buffer.alloc(0);
  for await (const bytes of createReadStream(pcmPath, { highWaterMark: PORTION_BYTES, signal: context.signal })) {
    const portion = rest.length === 0 ? (bytes as Buffer) : Buffer.concat([rest, bytes as Buffer]);
    const whole = portion.length - (portion.length % SAMPLE_BYTES);
    // A copy, since samples must begin at an even address.
    track.add(new Int16Array(new Uint8Array(portion.subarray(0, whole)).buffer));
    rest = portion.subarray(whole);
    context.progress((track.samples * SAMPLE_BYTES * 100) / size, 'listening', 'Looking for speech');
  }
  const windows = packWindows(track.speech(), Math.floor(windowMaxSeconds * sampleRate), (from, to) =>
    track.quietestBetween(from, to),
  );
  const speech = windows.reduce((sum, window) => sum + windowSamples(window), 0);
  return { durationSeconds: track.samples / sampleRate, speechSeconds: speech / sampleRate, windows };
}
