import type { TranscriptSegment } from '../../src-server/features/media/schema.ts';
import type { Chunk } from '../../src-server/operation.ts';

/** Samples of a sound file, from and up to. */
export type SampleRange = [from: number, to: number];

/**
 * What a recogniser is given at once: stretches of speech, one behind the other, with the long silences between them
 * left out.
 */
export interface SpeechWindow {
  pieces: SampleRange[];
}

/** Finds where somebody speaks, and cuts that into windows. */
export interface FindSpeechInput {
  /** One channel of 16-bit samples without a header. */
  pcmPath: string;
  sampleRate: number;
  /** A voice activity model that sherpa-onnx reads; without one loudness decides. */
  detectorPath: string | null;
  /** The recogniser takes no more at once. */
  windowMaxSeconds: number;
}

export interface FindSpeechOutput {
  foundBy: 'silero-vad' | 'loudness';
  durationSeconds: number;
  speechSeconds: number;
  /** Without the wait for a thread. */
  tookSeconds: number;
  windows: SpeechWindow[];
}

export type SpeechEngine =
  | { kind: 'sherpa-onnx'; modelFolder: string }
  | { kind: 'whisper.cpp'; modelPath: string; programPath: string };

/** Listens to the windows in a child process that ends with the task. */
export interface TranscribeInput {
  engine: SpeechEngine;
  pcmPath: string;
  sampleRate: number;
  windows: SpeechWindow[];
  /** ISO 639-1; null lets the model decide. */
  language: string | null;
  threads: number;
  /** A folder of its own: keeps each window's words, so that an interrupted task goes on where it was. */
  partsFolder: string;
}

export interface TranscribeOutput {
  segments: TranscriptSegment[];
  /** As the model heard it; null where it does not say. */
  language: string | null;
  /** Without the wait for a thread; null where an earlier run had done a part of it. */
  tookSeconds: number | null;
}

/** Selects the pictures that show something new. */
export interface SelectFramesInput {
  /** Grey thumbnails, one after the other. */
  thumbnailsPath: string;
  /** Pixels of each. */
  thumbnail: { width: number; height: number };
  count: number;
  /** Selects no more than these. */
  most: number;
}

export interface SelectFramesOutput {
  /** In order. `isNewScene`: the whole picture differs, not only a part of it. */
  keep: { index: number; isNewScene: boolean }[];
  /** Pictures with something new beyond `most`. */
  leftOut: number;
}

export interface WriteTranscriptInput {
  /** What somebody wrote: it is believed, and goes before what was heard. */
  captions: TranscriptSegment[];
  heard: TranscriptSegment[];
  frames: { seconds: number; text: string }[];
  segmentLength: number;
  language: string | null;
  /** Gets transcript.srt, .vtt, .txt and .json, and chunks.jsonl. */
  outputFolder: string;
}

export interface WriteTranscriptOutput {
  chunks: Chunk[];
  segments: TranscriptSegment[];
  words: number;
  warnings: string[];
}

/** What a server said about a video: a page or a feed, or the three answers of PeerTube's interface. */
export type ReadVideoPageInput =
  | { kind: 'page'; url: string; body: Uint8Array }
  | { kind: 'peertube'; url: string; video: Uint8Array; captions: Uint8Array | null; chapters: Uint8Array | null };

/** A video as its own page describes it. Addresses are absolute. */
export interface VideoPage {
  title: string | null;
  channel: string | null;
  /** ISO 8601. */
  publishedAt: string | null;
  durationSeconds: number | null;
  thumbnailUrl: string | null;
  language: string | null;
  /** Where the video itself is, the most likely first. */
  mediaUrls: string[];
  captions: { url: string; language: string | null }[];
  chapters: VideoChapter[];
}

export interface VideoChapter {
  title: string;
  startSeconds: number;
  endSeconds: number | null;
}

/** A caption file, WebVTT or SubRip. */
export interface ReadCaptionsInput {
  body: Uint8Array;
  /** Of what is said, where it is known: it tells old encodings apart. */
  language: string | null;
}

export interface ReadCaptionsOutput {
  segments: TranscriptSegment[];
}

declare module '../../src-server/platform/pool/worker-pool.ts' {
  interface TaskMap {
    'find-speech': { input: FindSpeechInput; output: FindSpeechOutput };
    transcribe: { input: TranscribeInput; output: TranscribeOutput };
    'select-frames': { input: SelectFramesInput; output: SelectFramesOutput };
    'write-transcript': { input: WriteTranscriptInput; output: WriteTranscriptOutput };
    'read-video-page': { input: ReadVideoPageInput; output: VideoPage | null };
    'read-captions': { input: ReadCaptionsInput; output: ReadCaptionsOutput };
  }
}
