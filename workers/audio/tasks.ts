/** Where a sound's loudness is brought to. */
export interface LoudnessGoal {
  lufs: number;
  truePeakDbtp: number;
}

/** What `<fileName>.wav` and `<fileName>.mp3` hold. */
export interface FinishedSound {
  durationSeconds: number;
  sampleRate: number;
  channels: number;
  wavBytes: number;
  mp3Bytes: number;
  mp3KilobitsPerSecond: number;
  analysis: {
    /** Null where the sound is too short or too quiet to be measured. */
    integratedLufs: number | null;
    loudnessRangeLu: number | null;
    truePeakDbtp: number | null;
    rmsDbfs: number | null;
    clippedSamples: number;
    /** 0 to 1, evenly over the sound. */
    peaks: number[];
  };
}

/** Who speaks: the voice that comes with the product, an installed neural voice, or a server of the owner's. */
export type Speaker =
  | { engine: 'flite'; voice: string; stretch: number; pitchHz: number | null }
  /** A folder in the form of sherpa-onnx: a VITS model, its tokens, and a lexicon or eSpeak's data. */
  | { engine: 'vits'; modelFolder: string; threads: number }
  /** Speaks the OpenAI protocol; `url` ends before `/audio/speech`. */
  | { engine: 'server'; url: string; model: string; voice: string; key: string | null };

/** Speaks a text into .wav and .mp3, with captions by the times at which its words were synthesised. */
export interface RenderSpeechInput {
  text: string;
  speaker: Speaker;
  maxSeconds: number;
  /** Whether it ends in the middle of a sentence, as a preview does. */
  endsAnywhere: boolean;
  includeCaptions: boolean;
  outputFolder: string;
  /** Without an ending. */
  fileName: string;
  title: string;
  goal: LoudnessGoal;
}
export interface RenderSpeechOutput extends FinishedSound {
  /** What the ceiling left out; null where everything was said. */
  omitted: { characters: number; text: string } | null;
  /** Runs of letters, and sentences, that the voice has no sounds for. */
  unspokenRuns: number;
  /** False where the engine does not tell when words sound: their times are then estimated within each sentence. */
  wordsTimed: boolean;
}

/** Composes and plays a piece of music into .wav and .mp3. */
export interface RenderMusicInput {
  prompt: string;
  /** Beats per minute; null lets the style choose. */
  tempo: number | null;
  /** Length of the whole piece. */
  durationSeconds: number;
  /** How much of its beginning is rendered. */
  renderSeconds: number;
  outputFolder: string;
  fileName: string;
  title: string;
  goal: LoudnessGoal;
}
export interface RenderMusicOutput extends FinishedSound {
  music: MusicFacts;
}

export interface MusicFacts {
  genre: string;
  mood: string;
  key: string;
  tempo: number;
  timeSignature: string;
  instruments: string[];
  sections: { name: string; startSeconds: number; bars: number }[];
}

declare module '../../src-server/platform/pool/worker-pool.ts' {
  interface TaskMap {
    'render-speech': { input: RenderSpeechInput; output: RenderSpeechOutput };
    'render-music': { input: RenderMusicInput; output: RenderMusicOutput };
  }
}
