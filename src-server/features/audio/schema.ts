import { z } from 'zod';
import { JobFile, type JobHandle, type Travel, webhookUrl } from '../../operation.ts';
import type { ModelFacts } from '../../platform/model-facts.ts';
import { Doubt } from '../../platform/source-account.ts';
import { languageCode } from '../../platform/text/language.ts';
import { say } from '../../platform/text/say.ts';
import { Warnings } from '../../platform/warnings.ts';

type KindOfAudio = 'speech' | 'music' | 'soundscape';

export interface AudioService {
  /**
   * Errors: `invalid_request` for an unknown voice, for markup that is not supported, for text that no voice can
   * speak, and for sounds that cannot be rendered; `model_not_installed` where a voice can be installed.
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
    job: Pick<JobHandle, 'id' | 'accountId' | 'files' | 'progress' | 'choices'>,
    signal: AbortSignal,
  ): Promise<AudioResult>;
  /**
   * What a node needs to speak the text. Null where it needs none: built-in voices speak faster than a job travels, a
   * speech server is asked from here, and speech that somebody hears as it is spoken stays. Errors: those of `check`.
   *
   * @param models null: those of this machine
   */
  travels(
    request: AudioRequest,
    jobId: string | null,
    models: readonly ModelFacts[] | null,
  ): Promise<Pick<Travel, 'models' | 'choices'> | null>;
}

/** Maximum and default duration of a request, in seconds. */
export const DURATION_SECONDS_MAX = 300;

export const DURATION_SECONDS_DEFAULT = 60;

export const PROMPT_CHARS_MAX = 20_000;

const TEMPO_MIN = 20;

const TEMPO_MAX = 300;

/** Integrated loudness in LUFS and true peak ceiling in dBTP, by playback target. */
export const LOUDNESS_PRESETS = {
  podcast: { lufs: -16, truePeakDbtp: -1 },
  stream: { lufs: -14, truePeakDbtp: -1 },
  broadcast: { lufs: -23, truePeakDbtp: -1 },
  audiobook: { lufs: -20, truePeakDbtp: -3 },
} as const;

export type LoudnessPreset = keyof typeof LOUDNESS_PRESETS;

const PRESET_NAMES = Object.keys(LOUDNESS_PRESETS) as [LoudnessPreset, ...LoudnessPreset[]];

/** Name of a voice in requests and URLs. */
export const VoiceSlug = z.string().regex(/^[a-z][a-z0-9-]{0,79}$/, say`Give the slug of a voice, such as clara.`);

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
    recommended: z.boolean().describe('Of the voices that are here, the best one of its language.'),
    aliases: z.array(z.string()).describe('Former slugs, which still select this voice.'),
    description: z.string(),
    tones: z.array(z.string()).describe('Words in a prompt that select this voice if none is named.'),
    sampleUrl: z.url().describe('A short .wav of the voice.'),
    sampleText: z.string().describe('The words of the sample.'),
  })
  .meta({ id: 'Voice' });

export type Voice = z.infer<typeof Voice>;

const AudioFormat = z
  .object({
    url: z.string(),
    sizeBytes: z.int().min(0),
    mediaType: z.enum(['audio/wav', 'audio/mpeg', 'audio/ogg', 'audio/flac', 'audio/mp4', 'audio/midi']),
  })
  .meta({ id: 'AudioFormat' });

const Pair = { wav: AudioFormat, mp3: AudioFormat };

/** Formats beside .wav and .mp3. */
export const EXTRA_FORMATS = ['opus', 'flac', 'm4b', 'midi'] as const;

const SAMPLE_RATES = [44_100, 48_000] as const;

const SEED_MAX = 2 ** 32 - 1;

const BACKGROUND_CHARS_MAX = 600;

/** Clips of the opening seconds, one per format. */
export const AudioPreviews = z
  .object({ ...Pair, durationSeconds: z.number().min(0) })
  .meta({ id: 'AudioPreviews', description: 'Clips of the opening seconds.' });

export type AudioPreviews = z.infer<typeof AudioPreviews>;

export const AudioRequest = z.strictObject({
  prompt: z
    .string()
    .max(PROMPT_CHARS_MAX)
    .regex(/[\p{L}\p{N}]/u, say`Give a prompt with at least one letter or digit.`)
    .describe('The text to speak, or a description of music or sounds.'),
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
    .refine((tag) => languageCode(tag) !== null, say`Give a language tag, such as en or de-AT.`)
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
    .optional()
    .describe(
      'Exact length of music and soundscapes, maximum length of speech. Default: what a description of music or ' +
        'sounds states, such as “30 seconds of rain”; that of the sounds where all are counted, such as “three ' +
        `knocks”; else ${DURATION_SECONDS_DEFAULT}.`,
    ),
  loudness: z
    .enum(PRESET_NAMES)
    .optional()
    .describe(
      'Target loudness: podcast (-16 LUFS), stream (-14), broadcast (-23). Default: podcast for speech, else stream.',
    ),
  includeCaptions: z.boolean().default(false).describe('Whether to write subtitles (.vtt, .srt) for speech.'),
  background: z
    .string()
    .max(BACKGROUND_CHARS_MAX)
    .regex(/[\p{L}\p{N}]/u, say`Describe music or sounds.`)
    .optional()
    .describe('Music or sounds under speech, such as “soft piano” or “rain on a roof”.'),
  seed: z
    .int()
    .min(0)
    .max(SEED_MAX)
    .default(0)
    .describe('Another seed gives another piece or soundscape; the same one gives the same file.'),
  formats: z
    .array(z.enum(EXTRA_FORMATS))
    .max(EXTRA_FORMATS.length)
    .default([])
    .describe('Files beside .wav and .mp3: opus, flac, m4b (with chapters), midi (music only).'),
  stems: z.boolean().default(false).describe('Whether to write a .wav for each part of a piece of music.'),
  seamless: z.boolean().default(false).describe('Whether a soundscape can be repeated without a gap.'),
  sampleRate: z
    .literal(SAMPLE_RATES)
    .default(SAMPLE_RATES[0])
    .describe('Of music and soundscapes, in Hz. Speech has the rate of its voice.'),
  webhookUrl: webhookUrl().optional(),
});

export type GivenAudioRequest = z.output<typeof AudioRequest>;

/** With the length that it gets. */
export type AudioRequest = GivenAudioRequest & { durationSeconds: number };

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

const SoundLayer = z.object({
  name: z.string(),
  distance: z.number().min(0).max(1).describe('0 near, 1 far.'),
  intensity: z.number().min(0).max(1).describe('0 light, 1 heavy.'),
  traits: z
    .array(z.string())
    .optional()
    .describe('What else the description says of it: `slow`, `3 times`, `on gravel`, `passing`. Absent for nothing.'),
});

export type MusicFacts = z.infer<typeof MusicFacts>;

export const AudioResult = z.object({
  kind: z.enum(['speech', 'music', 'soundscape']),
  durationSeconds: z.number().min(0),
  sampleRate: z.int().min(1),
  channels: z.int().min(1).max(2),
  audio: z.object({
    ...Pair,
    opus: AudioFormat.optional(),
    flac: AudioFormat.optional(),
    m4b: AudioFormat.optional(),
    midi: AudioFormat.optional(),
  }),
  seed: z.int().min(0),
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
    .describe('Null for music and soundscapes; of a script, the voice of its first speaker.'),
  music: MusicFacts.nullable().describe('What was composed, under speech too; null without music.'),
  sounds: z.array(SoundLayer).describe('The layers of a soundscape, or the sounds under speech or music.'),
  instruments: z
    .enum(['sampled', 'synthesised'])
    .nullable()
    .describe('Whether music was played with a SoundFont or the built-in synthesiser; null without music.'),
  chapters: z
    .array(z.object({ title: z.string(), startSeconds: z.number().min(0) }))
    .describe('Chapters of speech, from its headings.'),
  speakers: z
    .array(z.object({ name: z.string().nullable(), voice: z.string().describe('Slug.') }))
    .describe('The speakers of a script in the order of their first lines; the narrator has no name. Empty for music.'),
  captions: z
    .object({ vtt: z.string(), srt: z.string() })
    .nullable()
    .describe('URLs, with includeCaptions and speech.'),
  analysis: AudioAnalysis,
  omitted: z
    .object({ characters: z.int().min(1), text: z.string().describe('Start of the omitted text.') })
    .nullable()
    .describe('Text beyond durationSeconds.'),
  doubts: z
    .array(Doubt)
    .optional()
    .describe('Passages that are probably in a language which the voice does not speak. Absent where there are none.'),
  files: z.array(JobFile),
  warnings: Warnings.describe('Parts of the request that were not met, in sentences.'),
});

export type AudioResult = z.input<typeof AudioResult>;

declare module '../../operation.ts' {
  interface Services {
    audio: AudioService;
  }
}
