/**
 * A speech recogniser in a process of its own: a native engine that aborts takes this process down and no other, and
 * ending it stops its work at once and gives the memory back. It ends when its owner has ended.
 */

import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import type { OfflineRecognizer, OfflineResult, Vad } from 'sherpa-onnx-node';
import sherpa from 'sherpa-onnx-node';
import { standBack } from '../../src-server/platform/process/bound-process.ts';
import type { EngineCheck } from '../../src-server/platform/rpc/child-process.ts';
import { ownerLine } from '../../src-server/platform/rpc/lines.ts';
import { type Callback, serveMethods } from '../../src-server/platform/rpc/rpc.ts';
import {
  type HotwordFiles,
  recogniserConfig,
  recognizedLanguage,
  type SpokenSegment,
  segmentsOf,
} from './sherpa-config.ts';
import type { SherpaModel, SpeakerModel } from './tasks.ts';
import { openVoiceFinder, printOf, type VoiceFinder, voicesIn, type WindowVoice } from './voices.ts';

export interface Speech extends EngineCheck {
  load(request: LoadRequest): Promise<void>;
  listen(window: PcmWindow): Promise<Hearing>;
  /** Finds the ranges of samples with speech in the whole file, in order. `onBytes` reports the bytes read so far. */
  detect(request: DetectRequest, onBytes: Callback<[bytes: number]>): Promise<[from: number, to: number][]>;
  loadSpeakers(request: { model: SpeakerModel; threads: number }): Promise<void>;
  /** The voices in one window of the segmentation model. */
  voices(window: PcmWindow): Promise<WindowVoice[]>;
  /** The print of the one voice in this sound; null where the model hears nothing. */
  print(window: PcmWindow): Promise<number[] | null>;
}

interface LoadRequest {
  model: SherpaModel;
  language: string | null;
  toEnglish: boolean;
  threads: number;
  hotwords: HotwordFiles | null;
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
  /** Factor for the samples: the model does not hear quiet speech. */
  gain: number;
}

interface Hearing {
  segments: SpokenSegment[];
  language: string | null;
}

const SAMPLE_BYTES = 2;

/** With fewer samples the engine reads out of bounds. */
const SAMPLES_MIN = 1600;

let voiceFinder: VoiceFinder | null = null;

let loaded: { recognizer: OfflineRecognizer; byPiece: boolean } | null = null;

// Before the engine starts threads of its own, which inherit the priority.
standBack(process.pid);

serveMethods<Speech>(
  {
    // The engine is loaded with this file.
    check: async () => undefined,
    load: async ({ model, ...choice }) => {
      const config = recogniserConfig(model, choice);
      // Moonshine returns no times at all: each piece is a segment.
      loaded = { recognizer: new sherpa.OfflineRecognizer(config), byPiece: model.family === 'moonshine' };
    },
    listen: async (window) => hearPcmWindow(window),
    detect: (request, onBytes) => detectSpeech(request, onBytes),
    loadSpeakers: async ({ model, threads }) => {
      voiceFinder = openVoiceFinder(model, threads);
    },
    voices: async (window) => voicesIn(loadedFinder(), readPieces(window), window.sampleRate),
    print: async (window) => {
      const samples = readPieces(window);
      return printOf(loadedFinder().extractor, samples, [[0, samples.length]], window.sampleRate);
    },
  },
  ownerLine,
);

function loadedFinder(): VoiceFinder {
  if (voiceFinder === null) throw new Error('No speaker model is loaded.');
  return voiceFinder;
}

function hearPcmWindow({ pieces, ...sound }: PcmWindow): Hearing {
  if (loaded === null) throw new Error('No model is loaded.');
  const { recognizer, byPiece } = loaded;
  const streams = byPiece ? pieces.map((piece) => [piece]) : [pieces];
  const segments: SpokenSegment[] = [];
  let language: string | null = null;
  let before = 0;
  for (const together of streams) {
    const samples = readPieces({ ...sound, pieces: together });
    const seconds = samples.length / sound.sampleRate;
    if (samples.length >= SAMPLES_MIN) {
      const result = recognizeWave(recognizer, { sampleRate: sound.sampleRate, samples });
      const heard = segmentsOf(result, seconds, jointsOf(together, sound.sampleRate));
      segments.push(
        ...heard.map((segment) => ({ ...segment, start: segment.start + before, end: segment.end + before })),
      );
      language ??= recognizedLanguage(result);
    }
    before += seconds;
  }
  return { segments, language };
}

function recognizeWave(
  recognizer: OfflineRecognizer,
  wave: { sampleRate: number; samples: Float32Array },
): OfflineResult {
  const stream = recognizer.createStream();
  stream.acceptWaveform(wave);
  recognizer.decode(stream);
  return recognizer.getResult(stream);
}

/** Seconds at which the pieces of a window meet. */
function jointsOf(pieces: PcmWindow['pieces'], sampleRate: number): number[] {
  let samples = 0;
  return pieces.slice(0, -1).map(([from, to]) => {
    samples += to - from;
    return samples / sampleRate;
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
  { modelPath, pcmPath, sampleRate, gain }: DetectRequest,
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
    judgeSpeechWindows(detector, portion.subarray(0, whole), gain);
    rest = portion.subarray(whole);
    takeDetectedRanges(detector, ranges);
    void onBytes(bytesRead);
  }
  judgeSpeechWindows(detector, Buffer.concat([rest, Buffer.alloc(WINDOW_SAMPLES * SAMPLE_BYTES - rest.length)]), gain);
  detector.flush();
  takeDetectedRanges(detector, ranges);
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

function judgeSpeechWindows(detector: Vad, bytes: Buffer, gain: number): void {
  for (let at = 0; at + WINDOW_SAMPLES * SAMPLE_BYTES <= bytes.length; at += WINDOW_SAMPLES * SAMPLE_BYTES) {
    const samples = new Float32Array(WINDOW_SAMPLES);
    for (let index = 0; index < WINDOW_SAMPLES; index += 1) {
      const sample = (bytes.readInt16LE(at + index * SAMPLE_BYTES) / 32768) * gain;
      samples[index] = Math.max(-1, Math.min(1, sample));
    }
    detector.acceptWaveform(samples);
  }
}

function takeDetectedRanges(detector: Vad, ranges: [number, number][]): void {
  while (!detector.isEmpty()) {
    const { start, samples } = detector.front(false);
    ranges.push([start, start + samples.length]);
    detector.pop();
  }
}
