import type { TranscriptWord } from '../../src-server/contract/index.ts';
import type { SpeechWindow } from './tasks.ts';

/** Seconds from the beginning of the window. */
export interface HeardSegment {
  start: number;
  end: number;
  text: string;
  /** Where the engine times each word. */
  words?: TranscriptWord[];
}

/** What a recogniser heard in one window. */
export interface Heard {
  segments: HeardSegment[];
  language: string | null;
}

/** A window, and its place among all of the file. */
export interface NumberedWindow {
  index: number;
  window: SpeechWindow;
}

/** Who waits for what is heard. */
export interface HeardWatch {
  /** A window is done: said once for each, in their order. */
  onHeard(index: number, heard: Heard): Promise<void>;
  /** Share of a window that is done. */
  onProgress(index: number, share: number): void;
}

/** A recogniser that hears one window after the other. */
export interface Listener {
  /** Errors: `engine_failed`, and the signal's reason. */
  listen(windows: readonly NumberedWindow[], watch: HeardWatch): Promise<void>;
  close(): void;
}
