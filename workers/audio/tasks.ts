import type { AudioAnalysis, MusicFacts } from '../../src-server/features/audio/schema.ts';
import type { VoiceFolder } from '../../src-server/features/models/schema.ts';

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
  | { engine: 'flite'; voice: string }
  /** A speaker of a model that sherpa-onnx runs. `language` is a BCP 47 tag for models that know several. */
  | { engine: 'neural'; model: VoiceFolder; speakerId: number; language: string | null; threads: number }
  /** A server that speaks the OpenAI protocol; `url` is the base before `/audio/speech`. */
  | { engine: 'server'; url: string; model: string; voice: string; key: string | null };

/** What one voice says without a change of manner. */
export interface Passage {
  /** Without markup; each line ends a sentence. Empty for a pause alone. */
  text: string;
  /** Index in the list of speakers. */
  speaker: number;
  /** Factor of the voice's own pace. */
  speed: number;
  gainDb: number;
  /** Change of the pitch. */
  semitones: number;
  /** Silence before it. */
  pauseSeconds: number;
}

/** Reads markup, the lines of speakers and pauses of a prompt. Errors: `invalid_request` that names `prompt`. */
export interface ReadScriptInput {
  text: string;
  /** Names of the speakers that the request knows. */
  names: readonly string[];
}
export interface ReadScriptOutput {
  passages: Passage[];
  /** The narrator has no name. `voice` is named by the script itself. */
  speakers: { name: string | null; voice: string | null }[];
  /** ISO 639-1 code; null without enough evidence. */
  language: string | null;
}

/** How a text becomes words. */
export interface ReadingRules {
  /** BCP 47 tag of the text. */
  language: string;
  /** The owner's pronunciations: a word, and how it is spelled as it sounds. */
  lexicon: Readonly<Record<string, string>>;
}

/** Formats that can be written while the sound is made: mono, 24 kHz. `pcm` is 16-bit little endian. */
export type LiveFormat = 'mp3' | 'wav' | 'pcm';

/** A stretch of the speech in its live format. The parts follow each other in the file. */
export interface LivePart {
  /** From 0. A second run of the same input numbers its parts alike. */
  number: number;
  bytes: Uint8Array;
}

/** Speaks passages into .wav and .mp3, with captions timed by the synthesised words. */
export interface RenderSpeechInput {
  passages: readonly Passage[];
  speakers: readonly Speaker[];
  reading: ReadingRules;
  maxSeconds: number;
  /** True if the text may end within a sentence, as a preview does. */
  endsAnywhere: boolean;
  includeCaptions: boolean;
  outputFolder: string;
  /** Without extension. */
  fileName: string;
  title: string;
  goal: LoudnessGoal;
  /** Set to send each sentence as a part as soon as it is spoken. */
  live?: LiveFormat | undefined;
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
    'read-script': { input: ReadScriptInput; output: ReadScriptOutput };
    'render-speech': { input: RenderSpeechInput; output: RenderSpeechOutput; part: LivePart };
    'render-music': { input: RenderMusicInput; output: RenderMusicOutput };
  }
}
