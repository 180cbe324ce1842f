/**
 * A speech recogniser in a process of its own: a native engine that aborts takes this process down and no other, and
 * ending it stops its work at once and gives the memory back. It ends when its owner has ended.
 */

import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { OfflineRecognizer, OfflineResult, Vad } from 'sherpa-onnx-node';
import sherpa from 'sherpa-onnx-node';
import { standBack } from '../../src-server/platform/process/bound-process.ts';
import type { EngineCheck } from '../../src-server/platform/rpc/child-process.ts';
import { ownerLine } from '../../src-server/platform/rpc/lines.ts';
import { type Callback, serve } from '../../src-server/platform/rpc/rpc.ts';

export interface Speech extends EngineCheck {
  load(model: SpeechModel): Promise<void>;
  listen(window: PcmWindow): Promise<Hearing>;
  /** Finds the ranges of samples with speech in the whole file, in order. `onBytes` reports the bytes read so far. */
  detect(request: DetectRequest, onBytes: Callback<[bytes: number]>): Promise<[from: number, to: number][]>;
}

interface SpeechModel {
  modelFolder: string;
  language: string | null;
  threads: number;
}

interface PcmWindow {
  pcmPath: string;
  sampleRate: number;
  pieces: [from: number, to: number][];
}

interface DetectRequest {
  modelPath: string;
  pcmPath: string;
  sampleRate: number;
}

interface Hearing {
  segments: SpokenSegment[];
  language: string | null;
}

/** Times are seconds from the beginning of the window. */
export interface SpokenSegment {
  start: number;
  end: number;
  text: string;
  /** Where the model times its tokens. */
  tokens?: { text: string; start: number; end: number }[];
}

const SAMPLE_BYTES = 2;

/** With fewer samples the engine reads out of bounds. */
const SAMPLES_MIN = 1600;

let recognizer: OfflineRecognizer | null = null;

// Before the engine starts threads of its own, which inherit the priority.
standBack(process.pid);

serve<Speech>(
  {
    // The engine is loaded with this file.
    check: async () => undefined,
    load: async (model) => {
      recognizer = load(model);
    },
    listen: async (window) => listen(window),
    detect: (request, onBytes) => detectSpeech(request, onBytes),
  },
  ownerLine,
);

function load({ modelFolder, language, threads }: SpeechModel): OfflineRecognizer {
  return new sherpa.OfflineRecognizer({
    featConfig: { sampleRate: 16_000, featureDim: 80 },
    modelConfig: {
      whisper: {
        encoder: join(modelFolder, 'encoder.onnx'),
        decoder: join(modelFolder, 'decoder.onnx'),
        language: language ?? '',
        task: 'transcribe',
        tailPaddings: -1,
        enableSegmentTimestamps: 1,
        // Models exported without it log a line and return no times.
        enableTokenTimestamps: 1,
      },
      tokens: join(modelFolder, 'tokens.txt'),
      numThreads: threads,
      provider: 'cpu',
      debug: 0,
    },
    decodingMethod: 'greedy_search',
  });
}

function listen(window: PcmWindow): Hearing {
  if (recognizer === null) throw new Error('No model is loaded.');
  const samples = readPieces(window);
  if (samples.length < SAMPLES_MIN) return { segments: [], language: null };
  const stream = recognizer.createStream();
  stream.acceptWaveform({ sampleRate: window.sampleRate, samples });
  recognizer.decode(stream);
  const result = recognizer.getResult(stream);
  const seconds = samples.length / window.sampleRate;
  return { segments: segmentsOf(result, seconds), language: result.lang || null };
}

function segmentsOf(result: OfflineResult, seconds: number): SpokenSegment[] {
  const { segment_texts: texts = [], segment_timestamps: starts = [], segment_durations: durations = [] } = result;
  const tokens = timedTokens(result, seconds);
  if (texts.length === 0) {
    const text = result.text.trim();
    return text === '' ? [] : [{ start: 0, end: seconds, text, ...(tokens === null ? {} : { tokens }) }];
  }
  let used = 0;
  return texts.map((text, index) => {
    const start = Math.min(seconds, starts[index] ?? 0);
    const end = Math.min(seconds, endOf(start, durations[index] ?? 0, starts[index + 1] ?? seconds));
    const segment = { start, end, text: text.trim() };
    if (tokens === null) return segment;
    // The tokens of a segment are the ones that form its text.
    const first = used;
    for (let length = 0; used < tokens.length && length < text.length; used += 1) {
      length += tokens[used]?.text.length ?? 0;
    }
    return { ...segment, tokens: tokens.slice(first, used) };
  });
}

/** A sentence cut at the end of the window has no end time: it extends to the next one, or to the end. */
function endOf(start: number, duration: number, next: number): number {
  return duration > 0 ? start + duration : Math.max(start, next);
}

/** Null if the model has no token times. */
function timedTokens({ tokens = [], timestamps = [], durations = [] }: OfflineResult, seconds: number) {
  if (tokens.length === 0 || timestamps.length !== tokens.length) return null;
  return tokens.map((text, index) => {
    const start = timestamps[index] ?? 0;
    const duration = durations[index];
    return { text, start, end: duration === undefined ? (timestamps[index + 1] ?? seconds) : start + duration };
  });
}

function readPieces({ pcmPath, pieces }: PcmWindow): Float32Array {
  const total = pieces.reduce((sum, [from, to]) => sum + to - from, 0);
  const samples = new Float32Array(total);
  const file = openSync(pcmPath, 'r');
  try {
    let filled = 0;
    for (const [from, to] of pieces) {
      const bytes = Buffer.alloc((to - from) * SAMPLE_BYTES);
      const read = readSync(file, bytes, 0, bytes.length, from * SAMPLE_BYTES);
      for (let at = 0; at + 1 < read; at += SAMPLE_BYTES) samples[filled + at / 2] = bytes.readInt16LE(at) / 32768;
      filled += to - from;
    }
  } finally {
    closeSync(file);
  }
  return samples;
}

const PORTION_BYTES = 1 << 18;

/** Samples per call; the model accepts no other number. */
const WINDOW_SAMPLES = 512;

const THRESHOLD = 0.5;

/** Longer pauses end a stretch of speech. */
const SILENCE_MIN_SECONDS = 0.4;

const SPEECH_MIN_SECONDS = 0.1;

/** Longer speech without a pause is cut, because the detector keeps a stretch in memory until it ends. */
const SPEECH_MAX_SECONDS = 30;

const BUFFER_SECONDS = 2 * SPEECH_MAX_SECONDS;

/** Finds speech with a voice activity model. The engine ends the process if it cannot read the model. */
async function detectSpeech(
  { modelPath, pcmPath, sampleRate }: DetectRequest,
  onBytes: Callback<[bytes: number]>,
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
    void onBytes(bytesRead);
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
