import { z } from 'zod';
import { extractionRequest, HostedVideoResult, segmentLength, speechModelName } from '../../contract/index.ts';
import { defineOperation } from '../../operation.ts';

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
  lane: 'heavy',
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
      })
      .prefault({}),
  ),
  source: { kinds: ['video', 'audio'], sizeLimit: 'video', urlIsPage: true },
  result: HostedVideoResult,
  example: { request: { sourceUrl: 'https://videos.example/watch/harbour-talk' } },
  retry: { attempts: 3, baseDelaySeconds: 15 },
  // Twelve hours of speech at its own pace.
  timeLimitSeconds: 43_200,
  firstRun: { seconds: 60, secondsPerMegabyte: 0 },
  admit: async ({ sourceUrl, options }, ports) => {
    // Whole captions need no recogniser, and nobody knows before whether there are any: who pays is not made to try.
    const mayDoWithout = sourceUrl !== undefined && options.includeCaptions && options.transcriptionModel === undefined;
    if (!(ports.isOwner && mayDoWithout)) await ports.media.admit(options);
    return undefined;
  },
  run: async (request, ports, signal) => {
    if (request.sourceUrl !== undefined) return ports.hostedVideo.extract(request.sourceUrl, request.options, signal);
    const options = { ...request.options, captureFrames: false, frameIntervalSeconds: 1 };
    const { frames: _none, ...result } = await ports.media.extract(ports.source, options, signal);
    const { durationSeconds } = result.media;
    const unknown = { url: null, channel: null, publishedAt: null, thumbnailUrl: null };
    const video = { ...unknown, title: request.sourceName ?? null, durationSeconds, foundBy: 'file' as const };
    return {
      ...result,
      video,
      ...(request.options.captureChapters ? { chapters: [] } : {}),
      source: 'speech' as const,
    };
  },
});
