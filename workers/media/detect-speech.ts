import { createReadStream } from 'node:fs';
import sherpa, { type Vad } from 'sherpa-onnx-node';
import type { SpeechCommand } from './speech-protocol.ts';

const SAMPLE_BYTES = 2;
const PORTION_BYTES = 1 << 18;
/** Samples that the model judges at once; it knows no other number. */
const WINDOW_SAMPLES = 512;
const THRESHOLD = 0.5;
/** A pause within a sentence. Longer ones end a stretch of speech. */
const SILENCE_MIN_SECONDS = 0.4;
const SPEECH_MIN_SECONDS = 0.1;
/** Somebody who speaks on without a pause is cut: the detector holds a stretch in memory until it ends. */
const SPEECH_MAX_SECONDS = 30;
const BUFFER_SECONDS = 2 * SPEECH_MAX_SECONDS;

/** Stretches of speech, found by a voice activity model. The engine ends the process on a model it cannot read. */
export async function detectSpeech(
  { modelPath, pcmPath, sampleRate }: Extract<SpeechCommand, { kind: 'detect' }>,
  onBytes: (bytes: number) => void,
): Promise<[from: number, to: number][]> {
  const detector = openDetector(modelPath, sampleRate);
  const ranges: [number, number][] = [];
  let rest: Buffer = Buffer.alloc(0);
  let bytesRead = 0;
  for await (const bytes of createReadStream(pcmPath, { highWaterMark: PORTION_BYTES })) {
    bytesRead += (bytes as Buffer).length;
    const portion = rest.length === 0 ? (bytes as Buffer) : Buffer.concat([rest, bytes as Buffer]);
    const whole = portion.length - (portion.length % (WINDOW_SAMPLES * SAMPLE_BYTES));
    judge(detector, portion.subarray(0, whole));
    rest = portion.subarray(whole);
    take(detector, ranges);
    onBytes(bytesRead);
  }
  judge(detector, Buffer.concat([rest, Buffer.alloc(WINDOW_SAMPLES * SAMPLE_BYTES - rest.length)]));
  detector.flush();
  take(detector, ranges);
  return ranges;
}

function openDetector(model: string, sampleRate: number): Vad {
  const sileroVad = {
    model,
    threshold: THRESHOLD,
    minSilenceDuration: SILENCE_MIN_SECONDS,
    minSpeechDuration: SPEECH_MIN_SECONDS,
    maxSpeechDuration: SPEECH_MAX_SECONDS,
    windowSize: WINDOW_SAMPLES,
  };
  return new sherpa.Vad({ sileroVad, sampleRate, numThreads: 1, provider: 'cpu', debug: 0 }, BUFFER_SECONDS);
}

function judge(detector: Vad, bytes: Buffer): void {
  for (let at = 0; at + WINDOW_SAMPLES * SAMPLE_BYTES <= bytes.length; at += WINDOW_SAMPLES * SAMPLE_BYTES) {
    const samples = new Float32Array(WINDOW_SAMPLES);
    for (let index = 0; index < WINDOW_SAMPLES; index += 1) {
      samples[index] = bytes.readInt16LE(at + index * SAMPLE_BYTES) / 32768;
    }
    detector.acceptWaveform(samples);
  }
}

function take(detector: Vad, ranges: [number, number][]): void {
  while (!detector.isEmpty()) {
    const { start, samples } = detector.front(false);
    ranges.push([start, start + samples.length]);
    detector.pop();
  }
}
