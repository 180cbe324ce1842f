import { z } from 'zod';
import {
  defineOperation,
  extractionRequest,
  type JobHandle,
  languageHint,
  segmentLength,
  speechModelName,
  type Travel,
  type TravelPorts,
  travelWith,
} from '../../operation.ts';
import { type FileKind, kindsReadAs } from '../../platform/files/kinds.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { say } from '../../platform/text/say.ts';
import { admitReading, digestOption, schemaOption, withReading, withTextModel } from '../fields/schema.ts';
import { HostedVideoResult, type MediaOptions, SubtitleOptions, TranscriptResult } from './schema.ts';

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

function channelsOption() {
  return z
    .enum(['auto', 'mixed', 'separate'])
    .default('auto')
    .describe(
      'Calls and interviews often have one person on each channel, or on each track: `separate` transcribes each for ' +
        'itself, and its name is the speaker. `auto` does so where they hold different people, and says it.',
    );
}

/** More speakers cannot be distinguished by their voices. */
const SPEAKERS_MAX = 50;

function speakersOption() {
  return z
    .union([z.boolean(), z.int().min(1).max(SPEAKERS_MAX)])
    .default(false)
    .describe('Find who speaks: true, or the number of speakers where it is known. Needs a speaker model.');
}

/** What the recogniser keeps in mind is bounded: about 200 words. */
const TERMS_MAX = 100;

const TERM_CHARS_MAX = 60;

function vocabularyOption() {
  return z
    .array(z.string().trim().min(1).max(TERM_CHARS_MAX).refine(isOneLine, say`Give a name or term in one line.`))
    .max(TERMS_MAX)
    .default([])
    .describe(
      'Names and terms to expect. Whisper models in ggml format and Zipformer transducers take them; others warn.',
    );
}

/** Finished stages of a talk, and the parts of its transcript. The decoded sound is larger than the file. */
const CHECKPOINTS = /^(speech-found\.json|heard-[^/]+\/[^/]+)$/;

/** Files of a hosted video that this machine has found and fetched. */
const FETCHED = /^(found\.json|captions\.json|fetched\.json|media)$/;

type TalkOptions = MediaOptions & { schema?: Record<string, unknown> | undefined; digest?: boolean };

/**
 * Speech recognition travels, with the models of this machine or of a node. Streams stay.
 *
 * @param source null before it is fetched
 */
function travelsWith(
  options: TalkOptions,
  source: { kind: FileKind } | null,
  { use, nodes, accountId }: TravelPorts<'media' | 'fields'>,
  requestOf: (transcriptionModel: string) => Record<string, unknown>,
): Promise<Travel | null> {
  if (source !== null && source.kind !== 'video' && source.kind !== 'audio') return Promise.resolve(null);
  return travelWith(nodes, 'speech', async (there) => {
    const found = await (await use('media')).travels(options, there, accountId);
    if (found === null) return null;
    const { transcriptionModel, models, choices } = found;
    return withTextModel(options, { use }, there, { models, choices, request: requestOf(transcriptionModel) });
  });
}

/** Names of jobs go along; targets of webhooks and addresses stay. */
function requestFor<Options extends object>(
  { sourceName }: { sourceName?: string | undefined },
  options: Options & { transcriptionModel: string },
  sourceUrl?: string,
) {
  const names = sourceName === undefined ? {} : { sourceName };
  return { options, ...names, ...omitUndefined({ sourceUrl }) };
}

function isOneLine(term: string): boolean {
  return !/\p{Cc}/u.test(term);
}

function textTimes() {
  return z.boolean().default(false).describe('Begin each line of transcript.txt with its time: `[1:02:03]`.');
}

function translateOption() {
  return z.enum(['en']).optional().describe('Write English, whatever is spoken. Needs a Whisper model.');
}

export const extractVideo = defineOperation({
  id: 'extract/video',
  summary: 'Transcribe a video or audio file',
  description: `Reads MP4, MOV, MKV, WebM, AVI, MPEG, MP3, WAV, FLAC and others, judged by their bytes, and writes down
what is said: \`segments\` with their times, chunks of about \`segmentLength\` characters that end where sentences do,
and caption files (.srt, .vtt), which \`subtitles\` lays out by the rules of broadcasters.
\`sourceUrl\` may be the address of a stream, in HLS or DASH.
Silence is skipped. \`covered\` is the span that could be read; of a file that is cut or
damaged \`warnings\` say what is missing. \`file\` is what the file states about itself: title, date, chapters, and its
subtitle tracks as .srt and .vtt files. With \`speakers\` each segment, word and chunk has its \`speaker\`. With
\`captureFrames\` a picture is taken every
\`frameIntervalSeconds\`, and the text in those that show something new becomes chunks of kind \`frame-text\`.
\`transcriptionModel\` names an installed speech model; without it the best one is used. Where the model is not
installed the request is refused with 503 and nothing is charged. With \`schema\`, a text model on this machine reads
the values of a JSON Schema from the transcript, each with its source. With \`digest\` it writes title, summary,
chapters and action items, each with its second.`,
  words: {
    group: 'transcribe',
    icon: 'captions',
    name: 'Transcribe a recording',
    short: 'Transcribe',
    noun: 'Talk',
    plural: 'Talks from files',
    doing: 'Transcribing',
    leads: { label: 'Transcribe', about: 'A video or recording, to words with times', plural: 'Talks' },
  },
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
        speakers: speakersOption(),
        channels: channelsOption(),
        vocabulary: vocabularyOption(),
        translate: translateOption(),
        segmentLength: segmentLength(900),
        language: languageHint().optional(),
        audioTrack: audioTrack().optional(),
        schema: schemaOption().optional(),
        digest: digestOption(),
        subtitles: SubtitleOptions.optional().describe('Layout of the caption files.'),
        textTimes: textTimes(),
      })
      .prefault({}),
  ),
  source: { kinds: kindsReadAs('recording'), fetchedKinds: kindsReadAs('stream'), sizeLimit: 'video' },
  result: TranscriptResult,
  example: { request: { sourceUrl: 'https://media.example/talk.mp4', options: { captureFrames: true } } },
  uses: ['media', 'fields'],
  retry: { attempts: 3, baseDelaySeconds: 10 },
  // Twelve hours of media at the pace of speech.
  timeLimitSeconds: 43_200,
  firstRun: { seconds: 30, secondsPerMegabyte: 2 },
  admit: async (request, ports) => {
    await (await ports.use('media')).admit(request.options);
    return admitReading(request.options, ports);
  },
  travels: (request, source, ports) =>
    travelsWith(request.options, source, ports, (transcriptionModel) =>
      requestFor(request, { ...request.options, transcriptionModel }),
    ),
  arrived: async ({ speakers = [] }, { use, accountId }) => (await use('media')).heard(speakers, accountId),
  checkpoints: CHECKPOINTS,
  run: async ({ sourceUrl, options }, ports, signal) => {
    const media = await ports.use('media');
    const source = { ...ports.source, url: sourceUrl ?? null };
    return withReading(options, ports, signal, (job) => media.extract(source, options, job, signal));
  },
});

export const extractHostedVideo = defineOperation({
  id: 'extract/hosted-video',
  summary: 'Transcribe a video that is hosted on the web',
  description: `Takes the address of a public or unlisted video, or of a podcast's feed, finds the video and who
made it, and gives its words with times. Official captions come first (\`includeCaptions\`): where they are whole
nothing else is needed, and their gaps are filled by speech recognition; \`warnings\` say what they leave out where that
cannot be done. With \`includeCaptions\` false the words are
those of the recogniser alone. \`captureChapters\` adds the chapters. Private videos are not taken: export them and
send the file to \`/extract/video\`. A file sent here is transcribed as there. With \`schema\`, a text model on this
machine reads the values of a JSON Schema from the transcript, each with its source. With \`digest\` it writes title,
summary, chapters and action items, each with its second.`,
  words: {
    group: 'transcribe',
    icon: 'captions',
    name: 'Transcribe a video page',
    short: 'Transcribe hosted videos',
    noun: 'Talk',
    plural: 'Talks from links',
    doing: 'Transcribing',
  },
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
        speakers: speakersOption(),
        channels: channelsOption(),
        vocabulary: vocabularyOption(),
        translate: translateOption(),
        segmentLength: segmentLength(800),
        audioTrack: audioTrack().optional(),
        schema: schemaOption().optional(),
        digest: digestOption(),
        subtitles: SubtitleOptions.optional().describe('Layout of the caption files.'),
        textTimes: textTimes(),
      })
      .prefault({}),
  ),
  source: { kinds: kindsReadAs('recording'), sizeLimit: 'video', urlIsPage: true },
  result: HostedVideoResult,
  example: { request: { sourceUrl: 'https://videos.example/watch/harbour-talk' } },
  uses: ['media', 'hostedVideo', 'fields'],
  retry: { attempts: 3, baseDelaySeconds: 15 },
  // Twelve hours of media at the pace of speech.
  timeLimitSeconds: 43_200,
  firstRun: { seconds: 60, secondsPerMegabyte: 0 },
  admit: async ({ sourceUrl, options }, ports) => {
    // Complete captions need no model, but only the run finds them. A paying caller must not buy a run that fails
    // without.
    const mayDoWithout =
      sourceUrl !== undefined &&
      options.includeCaptions &&
      options.transcriptionModel === undefined &&
      !options.speakers;
    if (!(ports.isOwner && mayDoWithout)) await (await ports.use('media')).admit(options);
    return admitReading(options, ports);
  },
  travels: (request, source, ports) => {
    const { sourceUrl } = request;
    const options = { ...request.options, captureFrames: false, frameIntervalSeconds: 1 };
    return travelsWith(options, source, ports, (transcriptionModel) =>
      // The address is in the result, and finds what was gathered. The node fetches nothing from it.
      requestFor(request, { ...request.options, transcriptionModel }, sourceUrl),
    );
  },
  gather: async ({ sourceUrl, options }, ports, signal) =>
    sourceUrl === undefined || (await ports.use('hostedVideo')).gather(sourceUrl, options, ports, signal),
  carries: FETCHED,
  arrived: async ({ speakers = [] }, { use, accountId }) => (await use('media')).heard(speakers, accountId),
  checkpoints: CHECKPOINTS,
  run: async (request, ports, signal) => {
    const { sourceUrl, options: asked } = request;
    if (sourceUrl !== undefined) {
      const hostedVideo = await ports.use('hostedVideo');
      return withReading(asked, ports, signal, (job) => hostedVideo.extract(sourceUrl, asked, job, signal));
    }
    const media = await ports.use('media');
    const options = { ...asked, captureFrames: false, frameIntervalSeconds: 1 };
    const source = { ...ports.source, url: null };
    const extractMediaSource = (job: JobHandle) => media.extract(source, options, job, signal);
    const { frames: _none, ...result } = await withReading(asked, ports, signal, extractMediaSource);
    const { durationSeconds } = result.media;
    const { file } = result;
    const unknown = { url: null, publishedAt: null, thumbnailUrl: null };
    const title = file?.title ?? request.sourceName ?? null;
    const video = { ...unknown, title, channel: file?.artist ?? null, durationSeconds, foundBy: 'file' as const };
    return {
      ...result,
      video,
      ...omitUndefined({ chapters: request.options.captureChapters ? (file?.chapters ?? []) : undefined }),
      source: 'speech' as const,
    };
  },
});
