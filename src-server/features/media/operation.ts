import { z } from 'zod';
import {
  extractionRequest,
  languageHint,
  segmentLength,
  speechModelName,
  TranscriptResult,
} from '../../contract/index.ts';
import { defineOperation } from '../../operation.ts';

/** More often than this shows nothing that a reader could follow. */
const FRAME_INTERVAL_MIN_SECONDS = 1;
const FRAME_INTERVAL_MAX_SECONDS = 3600;
const FRAME_INTERVAL_DEFAULT_SECONDS = 30;

export const extractVideo = defineOperation({
  id: 'extract/video',
  summary: 'Transcribe a video or audio file',
  description: `Reads MP4, MOV, MKV, WebM, AVI, MPEG, MP3, WAV, FLAC and others, judged by their bytes, and writes down
what is said: \`segments\` with their times, chunks of about \`segmentLength\` characters that end where sentences do,
and caption files (.srt, .vtt). Silence is skipped. \`covered\` is the span that could be read; of a file that is cut or
damaged \`warnings\` say what is missing. With \`captureFrames\` a picture is taken every
\`frameIntervalSeconds\`, and the text in those that show something new becomes chunks of kind \`frame-text\`.
\`transcriptionModel\` names an installed speech model; without it the best one is used. Where the model is not
installed the request is refused with 503 and nothing is charged.`,
  mode: 'job',
  price: { amount: 280_000, timeoutSeconds: 900 },
  idPrefix: 'job',
  lane: 'heavy',
  request: extractionRequest(
    z
      .strictObject({
        transcriptionModel: speechModelName().optional(),
        captureFrames: z.boolean().default(false).describe('Take pictures of the video and read the text in them.'),
        frameIntervalSeconds: z
          .number()
          .min(FRAME_INTERVAL_MIN_SECONDS)
          .max(FRAME_INTERVAL_MAX_SECONDS)
          .default(FRAME_INTERVAL_DEFAULT_SECONDS)
          .describe('Seconds between two pictures, where captureFrames is true.'),
        segmentLength: segmentLength(900),
        language: languageHint().optional(),
      })
      .prefault({}),
  ),
  source: { kinds: ['video', 'audio'], sizeLimit: 'video' },
  result: TranscriptResult,
  example: { request: { sourceUrl: 'https://media.example/talk.mp4', options: { captureFrames: true } } },
  retry: { attempts: 3, baseDelaySeconds: 10 },
  // Twelve hours of speech at its own pace.
  timeLimitSeconds: 43_200,
  firstRun: { seconds: 30, secondsPerMegabyte: 2 },
  admit: async (request, ports) => {
    await ports.media.admit(request.options);
    return undefined;
  },
  run: (request, ports, signal) => ports.media.extract(ports.source, request.options, signal),
});
