import { z } from 'zod';
import { Chunk } from '../../chunk.ts';
import { JobFile } from '../documents/schema.ts';

/** One word of a segment with the punctuation at its end. Seconds from the beginning of the source. */
export const TranscriptWord = z
  .object({ start: z.number().min(0), end: z.number().min(0), text: z.string() })
  .meta({ id: 'TranscriptWord' });
export type TranscriptWord = z.infer<typeof TranscriptWord>;

/** What was said, and when. Times are seconds from the beginning of the source. */
export const TranscriptSegment = z
  .object({
    start: z.number().min(0),
    end: z.number().min(0),
    text: z.string(),
    words: z
      .array(TranscriptWord)
      .optional()
      .describe('Where the engine times each word; they lie within the segment.'),
  })
  .meta({ id: 'TranscriptSegment' });
export type TranscriptSegment = z.infer<typeof TranscriptSegment>;

/** The transcript as subtitles. */
export const Captions = z.object({ srt: JobFile, vtt: JobFile }).meta({ id: 'Captions' });

/** A picture of the video, and the text that was read from it. */
export const CapturedFrame = z
  .object({
    seconds: z.number().min(0).describe('When it is shown.'),
    text: z.string().describe('What was read from it; empty where nothing was.'),
    confidence: z.number().min(0).max(100).nullable(),
    image: JobFile,
  })
  .meta({ id: 'CapturedFrame' });
export type CapturedFrame = z.infer<typeof CapturedFrame>;

/** Which of a file's sound tracks was listened to. */
export const AudioTrack = z
  .object({
    number: z.int().min(1).describe('Its place among the sound tracks, from 1.'),
    of: z.int().min(1).describe('How many sound tracks the file has.'),
    language: z.string().nullable().describe('As the file states it, ISO 639; null where it does not.'),
    chosenBy: z
      .enum(['only', 'language', 'default', 'first'])
      .describe(
        'The only one, that of the language asked for, the one marked as default, or none of these: the first.',
      ),
  })
  .meta({ id: 'AudioTrack' });
export type AudioTrack = z.infer<typeof AudioTrack>;

export const MediaFacts = z
  .object({
    durationSeconds: z.number().min(0),
    speechSeconds: z.number().min(0).describe('How much of it was given to the recogniser; the rest is silence.'),
    speechFoundBy: z
      .enum(['silero-vad', 'loudness'])
      .nullable()
      .describe('The detector: the installed voice activity model, or loudness where none is; null without sound.'),
    audioTrack: AudioTrack.nullable().describe('Null without sound.'),
    audioCodec: z.string().nullable(),
    videoCodec: z.string().nullable(),
    width: z.int().min(0).nullable().describe('Pixels, as it is shown.'),
    height: z.int().min(0).nullable(),
  })
  .meta({ id: 'MediaFacts' });
export type MediaFacts = z.infer<typeof MediaFacts>;

/** What of the source the transcript covers, in seconds from its beginning. */
export const CoveredSpan = z
  .object({
    startSeconds: z.number().min(0).describe('Where the sound begins; without sound, the pictures.'),
    endSeconds: z.number().min(0).describe('Where it ends. Before `media.durationSeconds` where the source is cut.'),
    durationSeconds: z.number().min(0).describe('Seconds of this span that could be read; the rest are gaps.'),
  })
  .meta({ id: 'CoveredSpan' });
export type CoveredSpan = z.infer<typeof CoveredSpan>;

export const TranscriptFacts = z
  .object({
    model: z.string().nullable().describe('The model that listened; null where nothing was there to be heard.'),
    engine: z.enum(['sherpa-onnx', 'whisper.cpp']).nullable(),
    language: z.string().nullable().describe('As asked for, or as the model knows it.'),
    words: z.int().min(0),
    wordTimes: z.boolean().describe('Whether segments have `words`; false where the engine or its model times none.'),
  })
  .meta({ id: 'TranscriptFacts' });

export const TranscriptResult = z.object({
  chunks: z.array(Chunk).describe('Text with times, then what was read from frames.'),
  segments: z.array(TranscriptSegment),
  captions: Captions,
  frames: z.array(CapturedFrame).optional().describe('With captureFrames.'),
  media: MediaFacts,
  covered: CoveredSpan.describe('What of the source could be read; of captions, what they cover.'),
  transcript: TranscriptFacts,
  files: z.array(JobFile),
  warnings: z.array(z.string()).describe('What could not be heard or read, in sentences.'),
});
