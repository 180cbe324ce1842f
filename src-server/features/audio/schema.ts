import { z } from 'zod';
import { JobFile, type JobHandle, webhookUrl } from '../../operation.ts';
import { languageCode } from '../../platform/text/language.ts';

type KindOfAudio = 'speech' | 'music';

export interface AudioService {
  /**
   * Errors: `invalid_request` for an unknown voice, for markup that is not supported, or for text that no voice can
   * speak; `model_not_installed` where one can be installed.
   */
  check(kind: KindOfAudio, request: AudioRequest): Promise<void>;
  /** Writes `preview.wav` and `preview.mp3` to the job's files. Returns null when that takes too long. */
  preview(
    kind: KindOfAudio,
    request: AudioRequest,
    job: Pick<JobHandle, 'accountId' | 'files'>,
    signal: AbortSignal,
  ): Promise<AudioPreviews | null>;
  /** Writes `audio.wav`, `audio.mp3` and captions to the job's files. Errors: `engine_failed`, `timeout`. */
  render(
    kind: KindOfAudio,
    request: AudioRequest,
    job: Pick<JobHandle, 'id' | 'accountId' | 'files' | 'progress'>,
    signal: AbortSignal,
  ): Promise<AudioResult>;
}

/** Maximum and default duration of a request, in seconds. */
const DURATION_SECONDS_MAX = 300;

const DURATION_SECONDS_DEFAULT = 60;

const PROMPT_CHARS_MAX = 20_000;

const TEMPO_MIN = 20;

const TEMPO_MAX = 300;

/** Integrated loudness in LUFS and true peak ceiling in dBTP, by playback target. */
export const LOUDNESS_PRESETS = {
  podcast: { lufs: -16, truePeakDbtp: -1 },
  stream: { lufs: -14, truePeakDbtp: -1 },
  broadcast: { lufs: -23, truePeakDbtp: -1 },
} as const;

export type LoudnessPreset = keyof typeof LOUDNESS_PRESETS;

const PRESET_NAMES = Object.keys(LOUDNESS_PRESETS) as [LoudnessPreset, ...LoudnessPreset[]];

/** Name of a voice in requests and URLs. */
export const VoiceSlug = z.string().regex(/^[a-z][a-z0-9-]{0,79}$/, 'Give the slug of a voice, such as clara.');

const VOICE_KINDS = ['natural', 'built-in', 'server'] as const;

/** Speakers of a script. */
const SPEAKERS_MAX = 50;

const SPEED_MIN = 0.5;

const SPEED_MAX = 2;

export const Voice = z
  .object({
    slug: VoiceSlug,
    name: z.string(),
    language: z.string().describe('BCP 47 tag; `und` when unknown.'),
    kind: z.enum(VOICE_KINDS).describe('A natural voice of the models folder, a built-in one, or one of a server.'),
    gender: z.enum(['female', 'male']).nullable(),
    model: z.string().nullable().describe('The installed model of a natural voice.'),
    aliases: z.array(z.string()).describe('Former slugs, which still select this voice.'),
    description: z.string(),
    tones: z.array(z.string()).describe('Words in a prompt that select this voice if none is named.'),
    sampleUrl: z.url().describe('A short .wav of the voice.'),
  })
  .meta({ id: 'Voice' });

export type Voice = z.infer<typeof Voice>;

const AudioFormat = z
  .object({
    url: z.string(),
    sizeBytes: z.int().min(0),
    mediaType: z.enum(['audio/wav', 'audio/mpeg']),
  })
  .meta({ id: 'AudioFormat' });

const Pair = { wav: AudioFormat, mp3: AudioFormat };

/** Clips of the opening seconds, one per format. */
export const AudioPreviews = z
  .object({ ...Pair, durationSeconds: z.number().min(0) })
  .meta({ id: 'AudioPreviews', description: 'Clips of the opening seconds.' });

export type AudioPreviews = z.infer<typeof AudioPreviews>;

export const AudioRequest = z.strictObject({
  prompt: z
    .string()
    .max(PROMPT_CHARS_MAX)
    .regex(/[\p{L}\p{N}]/u, 'Give a prompt with at least one letter or digit.')
    .describe('The text to speak, or a description of the music.'),
  voice: VoiceSlug.optional().describe('A voice of GET /voices; by default one that fits the tone of the prompt.'),
  voices: z
    .record(z.string().trim().min(1).max(40), VoiceSlug)
    .refine((voices) => Object.keys(voices).length <= SPEAKERS_MAX, `Give at most ${SPEAKERS_MAX} speakers.`)
    .optional()
    .describe('Voices of a script whose lines begin with a name and a colon, by name: `{"ANNA": "clara"}`.'),
  speed: z
    .number()
    .min(SPEED_MIN)
    .max(SPEED_MAX)
    .default(1)
    .describe('Factor of the pace of speech. Music ignores it, with a warning.'),
  language: z
    .string()
    .max(35)
    .refine((tag) => languageCode(tag) !== null, 'Give a language tag, such as en or de-AT.')
    .optional()
    .describe('Language of the text, a BCP 47 tag; by default it is detected.'),
  tempo: z
    .number()
    .min(TEMPO_MIN)
    .max(TEMPO_MAX)
    .optional()
    .describe('Beats per minute for music. Speech ignores it, with a warning.'),
  durationSeconds: z
    .int()
    .min(1)
    .max(DURATION_SECONDS_MAX)
    .default(DURATION_SECONDS_DEFAULT)
    .describe('Exact length of music; maximum length of speech.'),
  loudness: z
    .enum(PRESET_NAMES)
    .optional()
    .describe(
      'Target loudness: podcast (-16 LUFS), stream (-14), broadcast (-23). Default: podcast; for music, stream.',
    ),
  includeCaptions: z.boolean().default(false).describe('Whether to write subtitles (.vtt, .srt) for speech.'),
  webhookUrl: webhookUrl().optional(),
});

export type AudioRequest = z.output<typeof AudioRequest>;

const AudioAnalysis = z
  .object({
    rmsDbfs: z.number().nullable().describe('Root mean square, in decibels below full scale; null for silence.'),
    integratedLufs: z.number().nullable().describe('ITU-R BS.1770-4; null if too short to measure.'),
    loudnessRangeLu: z.number().nullable().describe('EBU Tech 3342.'),
    truePeakDbtp: z.number().nullable().describe('Includes peaks between samples.'),
    clippedSamples: z.int().min(0),
    targetLufs: z.number(),
    preset: z.enum(PRESET_NAMES),
    peaks: z.array(z.number().min(0).max(1)).describe('The waveform for a player, at equal distances.'),
  })
  .meta({ id: 'AudioAnalysis' });

export type AudioAnalysis = z.infer<typeof AudioAnalysis>;

const MusicFacts = z.object({
  genre: z.string(),
  mood: z.string(),
  key: z.string(),
  tempo: z.number(),
  timeSignature: z.string(),
  instruments: z.array(z.string()),
  sections: z.array(z.object({ name: z.string(), startSeconds: z.number().min(0), bars: z.int().min(1) })),
});

export type MusicFacts = z.infer<typeof MusicFacts>;

export const AudioResult = z.object({
  kind: z.enum(['speech', 'music']),
  durationSeconds: z.number().min(0),
  sampleRate: z.int().min(1),
  channels: z.int().min(1).max(2),
  audio: z.object(Pair),
  voice: z
    .object({
      slug: z.string(),
      name: z.string(),
      language: z.string(),
      chosenBy: z
        .enum(['request', 'tone', 'language'])
        .describe('Whether the request named the voice, or the tone or the language of the prompt selected it.'),
    })
    .nullable()
    .describe('Null for music; of a script, the voice of its first speaker.'),
  speakers: z
    .array(z.object({ name: z.string().nullable(), voice: z.string().describe('Slug.') }))
    .describe('The speakers of a script in the order of their first lines; the narrator has no name. Empty for music.'),
  music: MusicFacts.nullable().describe('Null for speech.'),
  captions: z
    .object({ vtt: z.string(), srt: z.string() })
    .nullable()
    .describe('URLs, with includeCaptions and speech.'),
  analysis: AudioAnalysis,
  omitted: z
    .object({ characters: z.int().min(1), text: z.string().describe('Start of the omitted text.') })
    .nullable()
    .describe('Text beyond durationSeconds.'),
  files: z.array(JobFile),
  warnings: z.array(z.string()).describe('Parts of the request that were not met, in sentences.'),
});

export type AudioResult = z.input<typeof AudioResult>;

declare module '../../operation.ts' {
  interface Services {
    audio: AudioService;
  }
}
