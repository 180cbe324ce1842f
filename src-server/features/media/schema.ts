import { z } from 'zod';
import { annotations, Chunk, JobFile, type JobHandle, type TravelChoices } from '../../operation.ts';
import { ERROR_CODES } from '../../platform/error-codes.ts';
import type { LocalSource } from '../../platform/files/uploads.ts';
import type { ModelFacts } from '../../platform/model-facts.ts';
import { Doubt, resultAccount } from '../../platform/source-account.ts';
import { Warnings } from '../../platform/warnings.ts';
import { Digest, Extracted } from '../fields/schema.ts';

export interface MediaOptions {
  /** Name of a speech model. `auto` or none selects the best installed one. */
  transcriptionModel?: string | undefined;
  language?: string | undefined;
  /** Number of the audio track, from 1. Without it the language or the file decides. */
  audioTrack?: number | undefined;
  channels?: ChannelsOption | undefined;
  segmentLength: number;
  captureFrames: boolean;
  frameIntervalSeconds: number;
  /** Who speaks: true finds the number of speakers. */
  speakers?: boolean | number | undefined;
  /** Names and terms that the recogniser should know. */
  vocabulary?: readonly string[] | undefined;
  translate?: 'en' | undefined;
  subtitles?: SubtitleOptions | undefined;
  textTimes?: boolean | undefined;
}

/** Whether each channel, or each track, is a person of its own. */
export type ChannelsOption = 'auto' | 'mixed' | 'separate';

export interface HostedVideoOptions {
  channels?: ChannelsOption | undefined;
  transcriptionModel?: string | undefined;
  vocabulary?: readonly string[] | undefined;
  translate?: 'en' | undefined;
  speakers?: boolean | number | undefined;
  includeCaptions: boolean;
  captureChapters: boolean;
  segmentLength: number;
  subtitles?: SubtitleOptions | undefined;
  textTimes?: boolean | undefined;
}

export interface HostedVideoService {
  /**
   * Finds the video and fetches it into the work folder. False where its captions are the whole answer, or it cannot be
   * fetched: `extract` says so. Errors: those of `extract`.
   */
  gather(url: string, options: HostedVideoOptions, job: JobHandle, signal: AbortSignal): Promise<boolean>;
  /**
   * Finds and transcribes the video of a page. Errors: those of MediaService, and `source_unreachable`,
   * `source_forbidden` with advice.
   */
  extract(
    url: string,
    options: HostedVideoOptions,
    job: JobHandle,
    signal: AbortSignal,
  ): Promise<z.output<typeof HostedVideoResult>>;
}

interface MediaTravel {
  transcriptionModel: string;
  models: string[];
  choices: TravelChoices;
}

export interface MediaService {
  /** Errors: `model_not_installed`, `engine_unavailable`, `invalid_request` for an unknown model. */
  admit(options: Pick<MediaOptions, 'transcriptionModel' | 'language' | 'speakers' | 'translate'>): Promise<void>;
  /**
   * What a node needs for the same result: the models that this machine would use, or those of a node. Null where the
   * work needs whisper-cli. Errors: those of `admit`.
   *
   * @param models null: those of this machine
   */
  travels(options: MediaOptions, models: readonly ModelFacts[] | null, accountId: string): Promise<MediaTravel | null>;
  /** Notes the remembered voices that a node has recognised. */
  heard(speakers: readonly Speaker[], accountId: string): void;
  /**
   * Transcribes a video or audio file, or the stream of a playlist that was fetched from `url`. Writes transcript.srt,
   * .vtt, .txt and .json, chunks.jsonl and the captured frames to the job's folder. Errors: `corrupt_input`,
   * `unsupported_media`, `source_too_large`, `model_not_installed`, `engine_unavailable`, `engine_failed`, `timeout`;
   * for a stream also `source_unreachable` and `source_forbidden`.
   */
  extract(
    source: LocalSource & { url: string | null },
    options: MediaOptions,
    job: JobHandle,
    signal: AbortSignal,
  ): Promise<z.output<typeof TranscriptResult>>;
}

const Confidence = z
  .number()
  .min(0)
  .max(1)
  .describe('How sure the engine is, from 0 to 1; absent where it does not say.');

/** One word of a segment, with trailing punctuation. Seconds from the start of the source. */
export const TranscriptWord = z
  .object({
    start: z.number().min(0),
    end: z.number().min(0),
    text: z.string(),
    confidence: Confidence.optional(),
    speaker: z.string().optional().describe('With `speakers`.'),
  })
  .meta({ id: 'TranscriptWord' });

export type TranscriptWord = z.infer<typeof TranscriptWord>;

/** A spoken segment. Times are seconds from the start of the source. */
export const TranscriptSegment = z
  .object({
    start: z.number().min(0),
    end: z.number().min(0),
    text: z.string(),
    confidence: Confidence.optional(),
    speaker: z.string().optional().describe('With `speakers`: `Speaker 1` … or the given name.'),
    words: z
      .array(TranscriptWord)
      .optional()
      .describe('Each word with its time, within the segment; absent in captions.'),
  })
  .meta({ id: 'TranscriptSegment' });

export type TranscriptSegment = z.infer<typeof TranscriptSegment>;

/** A segment as soon as it is heard, before speakers are known. */
export interface LiveSegment extends Pick<TranscriptSegment, 'start' | 'end' | 'text'> {
  /** From 0, in the order of the file. */
  index: number;
}

/** The transcript as subtitles. */
const Captions = z
  .object({
    srt: JobFile,
    vtt: JobFile,
    words: JobFile.optional().describe('WebVTT with the time of each word, where words are timed.'),
  })
  .meta({ id: 'Captions' });

const SubtitlePreset = z.enum(['standard', 'netflix', 'netflix-children', 'youtube']);

export type SubtitlePreset = z.infer<typeof SubtitlePreset>;

/** Limits of the subtitle files. No `minSeconds` exceeds a `maxSeconds`. */
export const SubtitleOptions = z
  .strictObject({
    preset: SubtitlePreset.default('standard').describe(
      'Fills what is not given. `standard` alone follows the segments; the others divide the text by their limits.',
    ),
    lineChars: z.int().min(16).max(80).optional().describe('Characters per line; wide ones count twice.'),
    lines: z.int().min(1).max(3).optional().describe('Lines per subtitle.'),
    charsPerSecond: z.number().min(5).max(50).optional().describe('Reading speed.'),
    minSeconds: z.number().min(0.3).max(2).optional().describe('Shortest time on the screen.'),
    maxSeconds: z.number().min(2).max(30).optional().describe('Longest time on the screen.'),
    gapSeconds: z.number().min(0).max(1).optional().describe('Least time between two subtitles.'),
  })
  .meta({ id: 'SubtitleOptions' });

export type SubtitleOptions = z.input<typeof SubtitleOptions>;

/** A video with the subtitles of a job. */
export const SubtitledVideo = z
  .object({
    form: z.enum(['track-mp4', 'track-mkv', 'burned-in']).nullable().describe('Null before the first.'),
    status: z.enum(['idle', 'waiting', 'making', 'made', 'failed', 'cancelled']),
    percent: z.int().min(0).max(100),
    error: z.object({ code: z.enum(ERROR_CODES), message: z.string() }).nullable(),
    files: z
      .array(z.object({ name: z.string(), sizeBytes: z.int().min(0) }))
      .describe('Finished videos, as files of the job.'),
  })
  .meta({ id: 'SubtitledVideo' });

export type SubtitledVideo = z.infer<typeof SubtitledVideo>;

/** A video frame and the text read from it. */
export const CapturedFrame = z
  .object({
    seconds: z.number().min(0).describe('When it is shown.'),
    text: z.string().describe('What was read from it; empty where nothing was.'),
    confidence: z.number().min(0).max(100).nullable(),
    image: JobFile,
  })
  .meta({ id: 'CapturedFrame' });

export type CapturedFrame = z.infer<typeof CapturedFrame>;

/** The audio track that was transcribed. */
export const AudioTrack = z
  .object({
    number: z.int().min(1).describe('Its place among the sound tracks, from 1.'),
    of: z.int().min(1).describe('How many sound tracks the file has.'),
    language: z.string().nullable().describe('As the file states it, ISO 639; null where it does not.'),
    chosenBy: z
      .enum(['only', 'number', 'language', 'default', 'first'])
      .describe(
        'The only one, the one requested by number, that of the requested language, the one marked as default, or ' +
          'the first.',
      ),
  })
  .meta({ id: 'AudioTrack' });

export type AudioTrack = z.infer<typeof AudioTrack>;

const HeardChannel = z
  .object({
    name: z.string().describe('`Left`, `Right`, `Channel 3` or the title of the track: the speaker of its words.'),
    track: z.int().min(1).describe('Number of its sound track.'),
    channel: z.int().min(1).nullable().describe('Its place in the track; null where the track is read as one.'),
    speechSeconds: z.number().min(0),
  })
  .meta({ id: 'HeardChannel' });

export type HeardChannel = z.infer<typeof HeardChannel>;

const MediaFacts = z
  .object({
    durationSeconds: z.number().min(0),
    speechSeconds: z.number().min(0).describe('How much of it was given to the recogniser; the rest is silence.'),
    speechFoundBy: z
      .enum(['silero-vad', 'loudness'])
      .nullable()
      .describe('The detector: the installed voice activity model, or loudness where none is; null without sound.'),
    audioTrack: AudioTrack.nullable().describe('Null without sound.'),
    channels: z
      .array(HeardChannel)
      .optional()
      .describe('The channels or tracks that were transcribed for themselves. Absent where they were mixed.'),
    audioCodec: z.string().nullable(),
    videoCodec: z.string().nullable(),
    width: z.int().min(0).nullable().describe('Pixels, as it is shown.'),
    height: z.int().min(0).nullable(),
  })
  .meta({ id: 'MediaFacts' });

export const VideoChapter = z
  .object({ title: z.string(), startSeconds: z.number().min(0), endSeconds: z.number().min(0).nullable() })
  .meta({ id: 'VideoChapter' });

/** A subtitle track of the file. */
const SubtitleTrack = z
  .object({
    number: z.int().min(1).describe('Its position among the subtitle tracks, from 1.'),
    codec: z.string(),
    language: z.string().nullable().describe('As the file states it, ISO 639.'),
    title: z.string().nullable(),
    cues: z.int().min(0).nullable().describe('Null for a track of pictures, as on discs.'),
    srt: JobFile.nullable().describe('Null for a track of pictures or without text.'),
    vtt: JobFile.nullable(),
  })
  .meta({ id: 'SubtitleTrack' });

/** What the file states about itself. */
export const MediaFileFacts = z
  .object({
    container: z.string().describe('As FFmpeg names it, such as `mov,mp4,m4a,3gp,3g2,mj2` or `matroska,webm`.'),
    bitRate: z.int().min(0).nullable().describe('Bits per second.'),
    title: z.string().nullable(),
    artist: z.string().nullable(),
    album: z.string().nullable(),
    date: z.string().nullable().describe('As written in the file.'),
    description: z.string().nullable(),
    chapters: z.array(VideoChapter),
    subtitles: z.array(SubtitleTrack),
  })
  .meta({ id: 'MediaFileFacts' });

export type MediaFileFacts = z.infer<typeof MediaFileFacts>;

/** The part of the source that the transcript covers, in seconds from its start. */
export const CoveredSpan = z
  .object({
    startSeconds: z.number().min(0).describe('Where the sound begins; without sound, the pictures.'),
    endSeconds: z.number().min(0).describe('Where it ends. Before `media.durationSeconds` where the source is cut.'),
    durationSeconds: z.number().min(0).describe('Seconds of this span that could be read; the rest are gaps.'),
  })
  .meta({ id: 'CoveredSpan' });

export type CoveredSpan = z.infer<typeof CoveredSpan>;

/** One of the speakers of a recording. */
export const Speaker = z
  .object({
    name: z.string().describe('`Speaker 1` … in the order in which they first speak, or the given name.'),
    seconds: z.number().min(0).describe('Length of the segments.'),
    words: z.int().min(0),
    voice: z
      .object({
        name: z.string(),
        similarity: z.number().min(-1).max(1).describe('Cosine of the two voices.'),
        recognised: z.boolean().describe('True: the speaker has this name. False: it may be this voice.'),
      })
      .optional()
      .describe('The remembered voice that this one is like. Absent where none is near, and for a given name.'),
  })
  .meta({ id: 'Speaker' });

export type Speaker = z.infer<typeof Speaker>;

/** A voice that later jobs of the owner recognise. */
export const RememberedVoice = z
  .object({
    id: z.string(),
    name: z.string(),
    model: z.string().describe('The speaker model that knows it. Jobs with another model do not recognise it.'),
    samples: z.int().min(1).describe('How many times it was remembered.'),
    seconds: z.number().min(0).describe('Sound that it was made from.'),
    createdAt: z.string(),
    lastHeardAt: z.string().describe('When it was last remembered or recognised.'),
  })
  .meta({ id: 'RememberedVoice' });

export type RememberedVoice = z.infer<typeof RememberedVoice>;

const TranscriptFacts = z
  .object({
    model: z.string().nullable().describe('The model that listened; null where nothing was there to be heard.'),
    engine: z.enum(['sherpa-onnx', 'whisper.cpp']).nullable(),
    language: z.string().nullable().describe('As asked for, or as the model knows it.'),
    languageConfidence: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe(
        'How sure a detected language is. whisper.cpp: the probability that the model states for the first half ' +
          'minute. sherpa-onnx: the share of the speech in windows for which the model detects this language, from ' +
          'three windows on. Null for a language that was asked for, and for models that detect none.',
      ),
    translatedTo: z.enum(['en']).nullable().describe('With `translate`: the language of the text.'),
    confidence: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe('Mean of the words; null where the engine does not say how sure it is.'),
    words: z.int().min(0),
    wordTimes: z.boolean().describe('Whether segments have `words`.'),
    wordTimesEstimated: z
      .boolean()
      .describe('Whether the times of words follow from their length, because the engine times none.'),
  })
  .meta({ id: 'TranscriptFacts' });

export const TranscriptResult = z.object({
  chunks: z.array(Chunk).describe('Text with times, then what was read from frames.'),
  segments: z.array(TranscriptSegment),
  speakers: z.array(Speaker).optional().describe('With `speakers`, and where channels are read apart.'),
  captions: Captions,
  frames: z.array(CapturedFrame).optional().describe('With captureFrames.'),
  media: MediaFacts,
  file: MediaFileFacts.nullable().describe('Null where only captions of a page were read.'),
  covered: CoveredSpan.describe('What of the source could be read; of captions, what they cover.'),
  transcript: TranscriptFacts,
  extracted: Extracted.optional().describe('With schema.'),
  digest: Digest.optional().describe('With digest.'),
  files: z.array(JobFile),
  account: resultAccount,
  doubts: z.array(Doubt).optional().describe('Places whose text may be wrong. Absent where there are none.'),
  annotations,
  warnings: Warnings.describe('What could not be heard or read, in sentences.'),
});

export const HostedVideoFacts = z
  .object({
    url: z.string().nullable().describe('The address that was given; null for a file.'),
    title: z.string().nullable(),
    channel: z.string().nullable(),
    publishedAt: z.string().nullable().describe('ISO 8601.'),
    durationSeconds: z.number().min(0).nullable(),
    thumbnailUrl: z.string().nullable(),
    people: z
      .array(z.object({ name: z.string(), role: z.string().nullable().describe('Such as `host` or `guest`.') }))
      .optional()
      .describe('Who is heard, as a podcast names them (`podcast:person`). Absent where nobody is named.'),
    foundBy: z.enum(['page', 'yt-dlp', 'file']).describe('Its own page’s markup, or yt-dlp.'),
  })
  .meta({ id: 'HostedVideoFacts' });

export type HostedVideoFacts = z.infer<typeof HostedVideoFacts>;

export const HostedVideoResult = TranscriptResult.omit({ frames: true }).extend({
  video: HostedVideoFacts,
  chapters: z
    .array(VideoChapter)
    .optional()
    .describe('With captureChapters: those of the page, else those of the file.'),
  source: z
    .enum(['captions', 'speech', 'captions-and-speech'])
    .describe('Where the words are from: official captions, speech recognition, or captions with their gaps filled.'),
});

declare module '../../operation.ts' {
  interface Services {
    media: MediaService;
    hostedVideo: HostedVideoService;
  }
}
