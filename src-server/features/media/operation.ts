import { z } from 'zod';
import { defineOperation, extractionRequest, languageHint, segmentLength, speechModelName } from '../../operation.ts';
import { HostedVideoResult, SubtitleOptions, TranscriptResult } from './schema.ts';

/** A shorter interval shows nothing that a reader could follow. */
const FRAME_INTERVAL_MIN_SECONDS = 1;

const FRAME_INTERVAL_MAX_SECONDS = 3600;

const FRAME_INTERVAL_DEFAULT_SECONDS = 30;

const AUDIO_TRACKS_MAX = 100;

const audioTrack = () =>
  z
    .int()
    .min(1)
    .max(AUDIO_TRACKS_MAX)
    .describe('Number of the sound track, where the file has several. By default the language decides, then the file.');

export const extractVideo = defineOperation({
  id: 'extract/video',
  summary: 'Transcribe a video or audio file',
  description: `Reads MP4, MOV, MKV, WebM, AVI, MPEG, MP3, WAV, FLAC and others, judged by their bytes, and writes down
what is said: \`segments\` with their times, chunks of about \`segmentLength\` characters that end where sentences do,
and caption files (.srt, .vtt), which \`subtitles\` lays out by the rules of broadcasters.
Silence is skipped. \`covered\` is the span that could be read; of a file that is cut or
damaged \`warnings\` say what is missing. \`file\` is what the file states about itself: title, date, chapters, and its
subtitle tracks as .srt and .vtt files. With \`captureFrames\` a picture is taken every
\`frameIntervalSeconds\`, and the text in those that show something new becomes chunks of kind \`frame-text\`.
\`transcriptionModel\` names an installed speech model; without it the best one is used. Where the model is not
installed the request is refused with 503 and nothing is charged.`,
  mode: 'job',
  price: { amount: 280_000, timeoutSeconds: 900 },
  idPrefix: 'job',
  queueClass: 'heavy',
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
        audioTrack: audioTrack().optional(),
        subtitles: SubtitleOptions.optional().describe('Layout of the caption files.'),
      })
      .prefault({}),
  ),
  source: { kinds: ['video', 'audio'], sizeLimit: 'video' },
  result: TranscriptResult,
  example: { request: { sourceUrl: 'https://media.example/talk.mp4', options: { captureFrames: true } } },
  uses: ['media'],
  retry: { attempts: 3, baseDelaySeconds: 10 },
  // Twelve hours of media at the pace of speech.
  timeLimitSeconds: 43_200,
  firstRun: { seconds: 30, secondsPerMegabyte: 2 },
  admit: async (request, ports) => {
    await (await ports.use('media')).admit(request.options);
    return undefined;
  },
  run: async (request, ports, signal) =>
    (await ports.use('media')).extract(ports.source, request.options, ports, signal),
});

export const extractHostedVideo = defineOperation({
  id: 'extract/hosted-video',
  summary: 'Transcribe a video that is hosted on the web',
  description: `Takes the address of a public or unlisted video, or of a podcast's feed, finds the video and who
made it, and gives its words with times. Official captions come first (\`includeCaptions\`): where they are whole
nothing else is needed, and their gaps are filled by speech recognition; \`warnings\` say what they leave out where that
cannot be done. With \`includeCaptions\` false the words are
those of the recogniser alone. \`captureChapters\` adds the chapters. Private videos are not taken: export them and
send the file to \`/extract/video\`. A file sent here is transcribed as there.`,
  mode: 'job',
  price: { amount: 240_000, timeoutSeconds: 900 },
  idPrefix: 'job',
  queueClass: 'heavy',
  request: extractionRequest(
    z
      .strictObject({
        transcriptionModel: speechModelName().optional(),
        includeCaptions: z
          .boolean()
          .default(true)
          .describe('Take official captions where there are any; false gives raw speech recognition.'),
        captureChapters: z.boolean().default(true).describe('Include chapter markers.'),
        segmentLength: segmentLength(800),
        audioTrack: audioTrack().optional(),
        subtitles: SubtitleOptions.optional().describe('Layout of the caption files.'),
      })
      .prefault({}),
  ),
  source: { kinds: ['video', 'audio'], sizeLimit: 'video', urlIsPage: true },
  result: HostedVideoResult,
  example: { request: { sourceUrl: 'https://videos.example/watch/harbour-talk' } },
  uses: ['media', 'hostedVideo'],
  retry: { attempts: 3, baseDelaySeconds: 15 },
  // Twelve hours of media at the pace of speech.
  timeLimitSeconds: 43_200,
  firstRun: { seconds: 60, secondsPerMegabyte: 0 },
  admit: async ({ sourceUrl, options }, ports) => {
    // Complete captions need no model, but only the run finds them. A paying caller must not buy a run that fails
    // without.
    const mayDoWithout = sourceUrl !== undefined && options.includeCaptions && options.transcriptionModel === undefined;
    if (!(ports.isOwner && mayDoWithout)) await (await ports.use('media')).admit(options);
    return undefined;
  },
  run: async (request, ports, signal) => {
    if (request.sourceUrl !== undefined) {
      const hostedVideo = await ports.use('hostedVideo');
      return hostedVideo.extract(request.sourceUrl, request.options, ports, signal);
    }
    const media = await ports.use('media');
    const options = { ...request.options, captureFrames: false, frameIntervalSeconds: 1 };
    const { frames: _none, ...result } = await media.extract(ports.source, options, ports, signal);
    const { durationSeconds } = result.media;
    const { file } = result;
    const unknown = { url: null, publishedAt: null, thumbnailUrl: null };
    const title = file?.title ?? request.sourceName ?? null;
    const video = { ...unknown, title, channel: file?.artist ?? null, durationSeconds, foundBy: 'file' as const };
    return {
      ...result,
      video,
      ...(request.options.captureChapters ? { chapters: file?.chapters ?? [] } : {}),
      source: 'speech' as const,
    };
  },
});
