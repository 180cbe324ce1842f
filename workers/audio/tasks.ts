import type { AudioAnalysis, MusicFacts } from '../../src-server/features/audio/schema.ts';
import type { VoiceFolder } from '../../src-server/features/models/schema.ts';
import type { Said } from '../../src-server/platform/text/say.ts';

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
/** The language of a text to speak. */
export interface SpokenLanguage {
  /** ISO 639-1 code; null without enough evidence. */
  language: string | null;
  /** Passages that are probably in another language, or the whole text if its language is in doubt. */
  doubts: { language: string; quote: string }[];
}

export interface ReadScriptOutput extends SpokenLanguage {
  passages: Passage[];
  /** The narrator has no name. `voice` is named by the script itself. */
  speakers: { name: string | null; voice: string | null }[];
  /** Stage directions that are not spoken: `[laughs]`. */
  directions: string[];
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
  /** For captions, one for each speaker of a script; null for the narrator. Absent for a single voice. */
  speakerNames?: readonly (string | null)[] | undefined;
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
  /** Null for speech alone. */
  background: Background | null;
  /** Of the background. */
  seed: string;
  /** The prompt, whose headings become chapters. */
  source: string;
  /** Set to send each sentence as a part as soon as it is spoken, without the background. */
  live?: LiveFormat | undefined;
}
export interface RenderSpeechOutput extends FinishedSound {
  /** The text beyond the ceiling; null if everything was spoken. */
  omitted: { characters: number; text: string } | null;
  /** Letter runs and sentences for which the voice has no sounds. */
  unspokenRuns: number;
  /** False if the engine reports no word times; they are then estimated within each sentence. */
  wordsTimed: boolean;
  /** Music under the speech. */
  music: MusicFacts | null;
  /** Headings of the text, where they are spoken. */
  chapters: { title: string; startSeconds: number }[];
}

/** A genre of `resources/music/genres.json`. Patterns are the sixteenths of a bar: `x` loud, `o` soft, `.` silent. */
export interface Genre {
  name: string;
  words: string[];
  /** Words that decide only where no genre is named. */
  hints: string[];
  /** Range in beats per minute. */
  tempo: [number, number];
  meter: string;
  mode: string;
  harmony: string;
  chords: string;
  melody: string;
  bass: string;
  arpeggio: string | null;
  comp: string;
  /** `r` root, `t` third, `f` fifth, `o` octave. */
  bassline: string;
  drums: Record<string, string> | null;
  /** Delay of the second eighth as a share of a beat: 0 is straight, 1/6 full swing. */
  swing: number;
  /** Notes of a melody, 0 to 1. */
  density: number;
  /** Notes are cut short. */
  short: boolean;
  texture: 'song' | 'ambient' | 'fugue';
}

/** An instrument of `resources/music/instruments.json`. */
export interface Instrument {
  name: string;
  words: string[];
  /** General MIDI, from 0. */
  program: number;
  /** Sound of the built-in synthesiser. */
  synth: string;
  role: 'chords' | 'lead' | 'bass';
  /** MIDI numbers. */
  range: [number, number];
  /** Relative loudness. */
  gain: number;
}

/** A time signature: beats of the tempo in a bar, and pattern steps in a beat. */
export interface Meter {
  name: string;
  beats: number;
  stepsPerBeat: number;
}

/** What a prompt asks of the composer. Null leaves the choice to the seed. */
export interface MusicBrief {
  genre: Genre;
  /** Roman numerals of four or more bars each. */
  progressions: string[];
  mood: string;
  tonic: string | null;
  /** As shown: `minor`, `dorian`. */
  mode: string;
  /** The range to choose from; equal ends where the tempo is given. */
  tempo: [number, number];
  meter: Meter;
  chords: Instrument | null;
  melody: Instrument | null;
  bass: Instrument | null;
  arpeggio: Instrument | null;
  hasDrums: boolean;
  /** Names of sections in order; null for the usual form. */
  form: string[] | null;
  fadesOut: boolean;
  density: number;
  /** 0 to 1. */
  strength: number;
}

/** A layer of a soundscape. */
export interface SceneLayer {
  scene: string;
  /** 0 near, 1 far. */
  distance: number;
  /** 0 light, 1 heavy. */
  intensity: number;
  /** Frequency of a tone. */
  hertz: number | null;
  /** Beats of a binaural tone per second. */
  beatHertz: number | null;
  wave: 'sine' | 'square' | 'sawtooth' | 'triangle';
  /** What rain falls on. */
  surface: 'open' | 'tin' | 'window' | 'leaves' | 'tent';
  /** What is stepped on, such as `gravel`; null for what is usual. */
  ground: string | null;
  /** Factor of the pace. */
  rate: number;
  /** Size as a factor of length and wavelength: 1 is usual, 1.5 bigger and lower. */
  scale: number;
  /** How many sound at once. */
  many: number;
  /** How often a single sound is heard, `gapSeconds` apart; null for as long as the sound lasts. */
  count: number | null;
  gapSeconds: number;
  motion: SceneMotion | null;
  /** Share of reverberation; null for that of its distance. */
  space: number | null;
  /** When it begins, as a share of the whole. */
  startShare: number;
}

/** What a sound does while it lasts. `starting` and `stopping` change the speed of a machine, the others its level. */
export type SceneMotion = 'passing' | 'approaching' | 'leaving' | 'starting' | 'stopping' | 'rising' | 'fading';

/** What plays under speech. */
export interface Background {
  music: MusicBrief | null;
  scene: SceneLayer[];
  /** Length for which music is composed; speech may end it sooner. */
  durationSeconds: number;
}

interface RenderCommon {
  seed: string;
  outputFolder: string;
  /** Without extension. */
  fileName: string;
  title: string;
  goal: LoudnessGoal;
  sampleRate: number;
  /** Length of the whole. */
  durationSeconds: number;
  /** Seconds rendered, from the start. */
  renderSeconds: number;
}

/** Composes and plays a piece of music into .wav and .mp3. */
export interface RenderMusicInput extends RenderCommon {
  brief: MusicBrief;
  /** Sounds under the piece. */
  scene: SceneLayer[];
  /** A SoundFont with General MIDI instruments; null plays the built-in synthesiser. */
  soundFontPath: string | null;
  /** Whether to write `<fileName>-<part>.wav` for each part. */
  stems: boolean;
  /** Whether to write `<fileName>.mid`. */
  midi: boolean;
}

export interface RenderMusicOutput extends FinishedSound {
  music: MusicFacts;
  /** Names of stems and MIDI. */
  otherFiles: string[];
  warnings: Said[];
}

/** Renders a soundscape into .wav and .mp3. */
export interface RenderSceneInput extends RenderCommon {
  layers: SceneLayer[];
  /** The end continues in the beginning. */
  seamless: boolean;
}

declare module '../../src-server/platform/pool/worker-pool.ts' {
  interface TaskMap {
    'read-script': { input: ReadScriptInput; output: ReadScriptOutput };
    'render-speech': { input: RenderSpeechInput; output: RenderSpeechOutput; part: LivePart };
    'render-scene': { input: RenderSceneInput; output: FinishedSound };
    'render-music': { input: RenderMusicInput; output: RenderMusicOutput };
  }
}
