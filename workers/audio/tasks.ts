import type { AudioAnalysis, MusicFacts } from '../../src-server/features/audio/schema.ts';

/** Target loudness of a sound. */
export interface LoudnessGoal {
  lufs: number;
  truePeakDbtp: number;
}

/** Facts about `<fileName>.wav` and `<fileName>.mp3`. */
export interface FinishedSound {
  durationSeconds: number;
  sampleRate: number;
  channels: number;
  wavBytes: number;
  mp3Bytes: number;
  mp3KilobitsPerSecond: number;
  analysis: Omit<AudioAnalysis, 'targetLufs' | 'preset'>;
}

/** The voice: built in, an installed neural voice, or a speech server of the owner. */
export type Speaker =
  | { engine: 'flite'; voice: string; stretch: number; pitchHz: number | null }
  /** A folder in sherpa-onnx's layout: a VITS model, its tokens, and a lexicon or eSpeak's data. */
  | { engine: 'vits'; modelFolder: string; threads: number }
  /** A server that speaks the OpenAI protocol; `url` is the base before `/audio/speech`. */
  | { engine: 'server'; url: string; model: string; voice: string; key: string | null };

/** Speaks a text into .wav and .mp3, with captions timed by the synthesised words. */
export interface RenderSpeechInput {
  text: string;
  speaker: Speaker;
  maxSeconds: number;
  /** True if the text may end within a sentence, as a preview does. */
  endsAnywhere: boolean;
  includeCaptions: boolean;
  outputFolder: string;
  /** Without extension. */
  fileName: string;
  title: string;
  goal: LoudnessGoal;
}
export interface RenderSpeechOutput extends FinishedSound {
  /** The text beyond the ceiling; null if everything was spoken. */
  omitted: { characters: number; text: string } | null;
  /** Letter runs and sentences for which the voice has no sounds. */
  unspokenRuns: number;
  /** False if the engine reports no word times; they are then estimated within each sentence. */
  wordsTimed: boolean;
}

/** Composes and plays a piece of music into .wav and .mp3. */
export interface RenderMusicInput {
  prompt: string;
  /** Beats per minute; null lets the style choose. */
  tempo: number | null;
  /** Length of the whole piece. */
  durationSeconds: number;
  /** Seconds rendered, from the start. */
  renderSeconds: number;
  outputFolder: string;
  fileName: string;
  title: string;
  goal: LoudnessGoal;
}
export interface RenderMusicOutput extends FinishedSound {
  music: MusicFacts;
}

declare module '../../src-server/platform/pool/worker-pool.ts' {
  interface TaskMap {
    'render-speech': { input: RenderSpeechInput; output: RenderSpeechOutput };
    'render-music': { input: RenderMusicInput; output: RenderMusicOutput };
  }
}
