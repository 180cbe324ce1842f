import type { TranscriptSegment } from '../../src-server/features/media/schema.ts';
import type { SpeechFolder } from '../../src-server/features/models/schema.ts';
import type { Chunk } from '../../src-server/operation.ts';

/** Samples of a sound file; the end is exclusive. */
export type SampleRange = [from: number, to: number];

/** Input of one recogniser call: consecutive stretches of speech without the long silences between them. */
export interface SpeechWindow {
  pieces: SampleRange[];
}

/** Finds speech and packs it into windows. */
export interface FindSpeechInput {
  /** 16-bit mono samples without a header. */
  pcmPath: string;
  sampleRate: number;
  /** A voice activity model for sherpa-onnx; null decides by loudness. */
  detectorPath: string | null;
  /** The recogniser's limit for one call. */
  windowMaxSeconds: number;
}

export interface FindSpeechOutput {
  foundBy: 'silero-vad' | 'loudness';
  durationSeconds: number;
  speechSeconds: number;
  /** Without the wait for a thread. */
  tookSeconds: number;
  windows: SpeechWindow[];
  /** Stretches of speech without padding. */
  speech: SampleRange[];
}

export type SpeechEngine =
  | { kind: 'sherpa-onnx'; model: SherpaModel }
  | { kind: 'whisper.cpp'; modelPath: string; programPath: string };

/** A recogniser of sherpa-onnx. `files` has the path of each part. */
export type SherpaModel = SpeechFolder;

/** Transcribes windows in a child process that ends with the task. */
export interface TranscribeInput {
  engine: SpeechEngine;
  pcmPath: string;
  sampleRate: number;
  windows: SpeechWindow[];
  /** Where speech was found; segments start at the beginnings of its stretches. */
  speech: SampleRange[];
  durationSeconds: number;
  /** ISO 639-1; null lets the model detect the language. */
  language: string | null;
  threads: number;
  /** A folder of its own for the result of each window, from which an interrupted task resumes. */
  partsFolder: string;
}

export interface TranscribeOutput {
  segments: TranscriptSegment[];
  /** As detected by the model; null if it reports none. */
  language: string | null;
  /** Without the wait for a thread; null if an earlier run did part of the work. */
  tookSeconds: number | null;
}

/** Selects the pictures with new content. */
export interface SelectFramesInput {
  /** Consecutive grey thumbnails. */
  thumbnailsPath: string;
  /** Size of each in pixels. */
  thumbnail: { width: number; height: number };
  count: number;
  /** Upper bound on the selection. */
  most: number;
}

export interface SelectFramesOutput {
  /** In order. `isNewScene`: the whole picture differs, not only part of it. */
  keep: { index: number; isNewScene: boolean }[];
  /** Pictures with new content beyond `most`. */
  leftOut: number;
}

export interface WriteTranscriptInput {
  /** Captions written by people; they take precedence over recognised speech. */
  captions: TranscriptSegment[];
  heard: TranscriptSegment[];
  frames: { seconds: number; text: string }[];
  segmentLength: number;
  language: string | null;
  /** Receives transcript.srt, .vtt, .txt and .json, and chunks.jsonl. */
  outputFolder: string;
}

export interface WriteTranscriptOutput {
  chunks: Chunk[];
  segments: TranscriptSegment[];
  words: number;
  warnings: string[];
}

/** A server's response about a video: a page or feed, or the three responses of PeerTube's API. */
export type ReadVideoPageInput =
  | { kind: 'page'; url: string; body: Uint8Array }
  | { kind: 'peertube'; url: string; video: Uint8Array; captions: Uint8Array | null; chapters: Uint8Array | null };

/** A video as described by its page. Addresses are absolute. */
export interface VideoPage {
  title: string | null;
  channel: string | null;
  /** ISO 8601. */
  publishedAt: string | null;
  durationSeconds: number | null;
  thumbnailUrl: string | null;
  language: string | null;
  /** Addresses of the video, most likely first. */
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
  /** Language of the speech, if known; it selects between old encodings. */
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
