/**
 * Transcribes a hosted video. The page itself is tried before yt-dlp, official captions before the recogniser. Results
 * of finding and fetching are kept in the job's work folder, so an interrupted job resumes.
 */

import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import type { CaptionLetters, ReadCaptionsOutput, VideoPage } from '../../../workers/media/tasks.ts';
import type { AppContext } from '../../context.ts';
import { engineJob } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import { sniffFile } from '../../platform/files/sniff.ts';
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts';
import type { GuardedClient } from '../../platform/net/guarded-client.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import type { SourceAccount } from '../../platform/source-account.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { sanitizeOneLine } from '../../platform/text/strings.ts';
import { countText, MIB, MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import { captionsOf, keepCheckpoint, type MediaJob, transcriptFiles } from './checkpoint.ts';
import { type Fetched, type FetchedMedia, stillLive } from './fetch-stream.ts';
import { fetchDirectly, GuardedYtDlp, refuseOther, TRIED_MAX, type YtDlpDeps } from './fetch-video.ts';
import { findVideo } from './find-video.ts';
import type { MediaReader } from './media-reader.ts';
import { probeMedia } from './probe.ts';
import type {
  CoveredSpan,
  HostedVideoFacts,
  HostedVideoOptions,
  HostedVideoResult,
  HostedVideoService,
  TranscriptSegment,
} from './schema.ts';
import { type VideoEngine, videosOf } from './service.ts';
import { formatSpan } from './source-seconds.ts';
import { type VoicesOf, wantsSpeakers } from './speakers.ts';
import { readStreamCaptions } from './stream-captions.ts';
import { subtitleStyleOf } from './subtitle-style.ts';
import { toolsOf } from './tools.ts';
import { type Described, FetchProgress, isEndless, undecidedStream } from './yt-dlp.ts';

/** Limit for caption files and stream playlists. */
const SMALL_FILE_BYTES_MAX = 16 * MIB;

const SMALL_FILE_LIMIT_MS = MINUTE_MS;

const PARSE_LIMIT_MS = 30 * SECOND_MS;

const WRITE_LIMIT_MS = 2 * MINUTE_MS;

const REDIRECTS = 5;

interface HostedVideoEngineDeps extends YtDlpDeps {
  media: MediaReader;
  client: GuardedClient;
  runTask: RunTask;
  videos: VideoEngine;
}

interface HostedVideoJob extends MediaJob {
  policy: FetchPolicy;
  maxBytes: number;
}

type Result = z.output<typeof HostedVideoResult>;

export interface HostedVideoEngine {
  /**
   * Errors: `source_unreachable`, `source_forbidden`, `source_too_large`, `unsupported_media`, `engine_unavailable`,
   * `model_not_installed`, `engine_failed`, `timeout`, and the signal's reason.
   */
  extract(url: string, options: HostedVideoOptions, job: HostedVideoJob, signal: AbortSignal): Promise<Result>;
  /** See `HostedVideoService`. */
  gather(url: string, options: HostedVideoOptions, job: HostedVideoJob, signal: AbortSignal): Promise<boolean>;
}

interface Found {
  page: VideoPage;
  by: 'page' | 'yt-dlp';
}

export function createHostedVideoEngine(deps: HostedVideoEngineDeps): HostedVideoEngine {
  return {
    async extract(url, options, job, signal) {
      await mkdir(job.workFolder, { recursive: true });
      const result = await new HostedVideoRun(deps, url, options, job, signal).runHostedVideo();
      await rm(job.workFolder, { recursive: true, force: true });
      return result;
    },
    async gather(url, options, job, signal) {
      await mkdir(job.workFolder, { recursive: true });
      return new HostedVideoRun(deps, url, options, job, signal).gatherVideo();
    },
  };
}

class HostedVideoRun {
  readonly #deps: HostedVideoEngineDeps;
  readonly #url: string;
  readonly #options: HostedVideoOptions;
  readonly #job: HostedVideoJob;
  readonly #signal: AbortSignal;
  readonly #ytDlp: GuardedYtDlp;
  readonly #startedAt = performance.now();

  constructor(
    deps: HostedVideoEngineDeps,
    url: string,
    options: HostedVideoOptions,
    job: HostedVideoJob,
    signal: AbortSignal,
  ) {
    this.#deps = deps;
    this.#url = url;
    this.#options = options;
    this.#job = job;
    this.#signal = signal;
    this.#ytDlp = new GuardedYtDlp(deps, job, signal);
  }

  /** False where only `extract` can say what the answer is. */
  async gatherVideo(): Promise<boolean> {
    const { found, captions, isEnough } = await this.#lookUpVideo();
    try {
      if (isEnough && captions !== null) {
        const durationSeconds = found.page.durationSeconds ?? (await this.#measureVideoSeconds(found));
        if (durationSeconds !== null && areWhole(captions.segments, durationSeconds)) return false;
      }
      await this.#fetchFoundVideo(found, 0);
      return true;
    } catch (error) {
      this.#signal.throwIfAborted();
      if (isEnough && error instanceof QuarryError) return false;
      throw error;
    }
  }

  async #lookUpVideo() {
    this.#reportVideoProgress(0, 'looking', say`Looking for the video`);
    const found = await keepCheckpoint(this.#job.workFolder, 'found', () => this.#findHostedPage());
    // Captions are in the language of the video.
    const takesCaptions = this.#options.includeCaptions && this.#options.translate === undefined;
    const captions = takesCaptions
      ? await keepCheckpoint(this.#job.workFolder, 'captions', () => this.#readCaptions(found.page))
      : null;
    // Only the sound tells who speaks.
    return { found, captions, isEnough: captions !== null && !wantsSpeakers(this.#options.speakers) };
  }

  async runHostedVideo(): Promise<Result> {
    const { found, captions, isEnough } = await this.#lookUpVideo();
    const facts = {
      video: hostedVideoFacts(this.#url, found.page, found.by),
      chapters: this.#options.captureChapters ? found.page.chapters : undefined,
    };
    const verdict = isEnough && captions !== null ? await this.#judgeCaptions(found, captions) : null;
    if (captions !== null && verdict !== null) {
      const durationSeconds = facts.video.durationSeconds ?? verdict.durationSeconds;
      const video = { ...facts.video, durationSeconds };
      return { ...(await this.#writeCaptionResult(captions, verdict)), ...facts, video, source: 'captions' };
    }
    // Check the model before fetching gigabytes.
    await this.#deps.videos.admit(this.#options);
    const { path, spentSeconds, warnings, ...media } = await this.#fetchToHear(found);
    const { size } = await stat(path);
    const source = { path, fileName: null, sizeBytes: size, kind: 'video', ...media } as const;
    const options = { ...this.#options, captureFrames: false, frameIntervalSeconds: 1 };
    const { frames: _none, ...result } = await this.#deps.videos.extract(
      source,
      options,
      { ...this.#job, spentSeconds },
      this.#signal,
      captions?.segments,
    );
    return {
      ...result,
      ...completedPageFacts(facts, result),
      source: captions === null ? 'speech' : 'captions-and-speech',
      warnings: [...warnings, ...cutWarnings(captions), ...result.warnings],
    };
  }

  /**
   * Returns a verdict when the captions are the full answer: they are complete, or the rest cannot be transcribed,
   * which `warnings` explain. Returns null when the rest can be transcribed. A model named in the request must be
   * installed.
   */
  async #judgeCaptions(found: Found, { segments }: Captions): Promise<Verdict | null> {
    let durationSeconds = found.page.durationSeconds;
    try {
      durationSeconds ??= await this.#measureVideoSeconds(found);
      if (durationSeconds !== null && areWhole(segments, durationSeconds)) return { durationSeconds, warnings: [] };
      await this.#deps.videos.admit(this.#options);
      await this.#fetchToHear(found);
      return null;
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!(error instanceof QuarryError)) throw error;
      const isNotInstalled = error.code === 'model_not_installed' || error.code === 'engine_unavailable';
      if (isNotInstalled && this.#options.transcriptionModel !== undefined) throw error;
      return { durationSeconds, warnings: [whyNotHeard(segments, durationSeconds, error)] };
    }
  }

  /** Length of the video as its file states it; null when the file states none. */
  async #measureVideoSeconds(found: Found): Promise<number | null> {
    const { path } = await this.#fetchFoundVideo(found, 0);
    const { durationSeconds, durationIsGuessed } = await probeMedia(this.#deps.media, path, this.#signal);
    return durationIsGuessed ? null : durationSeconds;
  }

  /** Tries the page first: it costs one request, and keeps working when a downloader is outdated. */
  async #findHostedPage(): Promise<Found> {
    const { client, runTask } = this.#deps;
    const { accountId, policy } = this.#job;
    const page = await findVideo({ client, runTask, accountId, policy, signal: this.#signal }, this.#url);
    if (page !== null) return { page: await this.#withChapters(page), by: 'page' };
    this.#reportVideoProgress(1, 'looking', say`Searching with yt-dlp`);
    const described = await this.#ytDlp.describeWithYtDlp(this.#url);
    await this.#refuseEndless(undecidedStream(described));
    return { page: describedVideoPage(described), by: 'yt-dlp' };
  }

  /** Reads the chapters of a track, where the page states none. A failure is not an error: the words remain. */
  async #withChapters(page: VideoPage): Promise<VideoPage> {
    if (page.chapters.length > 0 || !this.#options.captureChapters) return page;
    for (const url of page.chapterTracks.slice(0, TRIED_MAX)) {
      const { segments } = await this.#readCaptionFile(url, null);
      const chapters = segments.map(({ start, end, text }) => ({ title: text, startSeconds: start, endSeconds: end }));
      if (chapters.length > 0) return { ...page, chapters };
    }
    for (const url of page.chapterFiles.slice(0, TRIED_MAX)) {
      const chapters = await this.#readChapterFile(url);
      if (chapters.length > 0) return { ...page, chapters };
    }
    return page;
  }

  /** The chapters of a podcast; none when their file cannot be fetched or read. */
  async #readChapterFile(url: string): Promise<VideoPage['chapters']> {
    try {
      const { status, body } = await this.#readSmall(url);
      if (status !== 200) return [];
      const watch = { accountId: this.#job.accountId, signal: this.#signal, timeLimitMs: PARSE_LIMIT_MS };
      const input = { kind: 'chapters' as const, url, body: new Uint8Array(body) };
      return (await this.#deps.runTask('read-video-page', input, watch))?.chapters ?? [];
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!(error instanceof QuarryError)) throw error;
      return [];
    }
  }

  /** Refuses a live stream, which would record until the time limit. */
  async #refuseEndless(playlistUrl: string | null): Promise<void> {
    if (playlistUrl === null) return;
    const { body } = await this.#readSmall(playlistUrl);
    if (isEndless(Buffer.from(body).toString('utf8'))) throw stillLive();
  }

  #readSmall(url: string) {
    return this.#deps.client.request(url, {
      policy: this.#job.policy,
      signal: this.#signal,
      totalTimeoutMs: SMALL_FILE_LIMIT_MS,
      maxResponseBytes: SMALL_FILE_BYTES_MAX,
      followRedirects: REDIRECTS,
    });
  }

  /** Fetches the file. Also returns the seconds the run took to get it. */
  async #fetchToHear(found: Found): Promise<FetchedVideo> {
    return this.#fetchFoundVideo(
      found,
      await this.#deps.videos.expectSeconds(found.page.durationSeconds, this.#options),
    );
  }

  async #fetchFoundVideo({ page, by }: Found, laterSeconds: number): Promise<FetchedVideo> {
    const path = join(this.#job.workFolder, 'media');
    const media = await keepCheckpoint(this.#job.workFolder, 'fetched', async () => {
      const progress = new FetchProgress(this.#startedAt, laterSeconds, (shown) => this.#job.progress(shown));
      const reportFetchedBytes = (fetched: Fetched) => progress.reportFetchProgress(fetched);
      if (by === 'page') {
        const wish = { language: page.language, picturesPath: null, signal: this.#signal };
        const target = { path, job: this.#job, ...wish, onProgress: reportFetchedBytes };
        return fetchDirectly(this.#deps, page.mediaUrls, target);
      }
      await this.#ytDlp.fetchWithYtDlp(this.#url, { path, onProgress: reportFetchedBytes });
      const { kind, label } = await sniffFile(path, null);
      refuseOther(kind, label);
      return { warnings: [], clockRunsOn: false, stream: null };
    });
    return { path, ...media, spentSeconds: (performance.now() - this.#startedAt) / SECOND_MS };
  }

  /** Reads the first usable of a few caption files. A failure is not an error: the sound remains. */
  async #readCaptions({ captions, language, mediaUrls }: VideoPage): Promise<Captions | null> {
    const wanted = language?.split('-')[0]?.toLowerCase();
    const fitsVideoLanguage = (caption: VideoPage['captions'][number]) =>
      caption.language?.toLowerCase().split('-')[0] === wanted;
    const fitting = [...captions].sort((a, b) => Number(fitsVideoLanguage(b)) - Number(fitsVideoLanguage(a)));
    for (const caption of fitting.slice(0, TRIED_MAX)) {
      const read = await this.#readCaptionFile(caption.url, caption.language ?? language);
      if (read.segments.length > 0) return { ...read, language: caption.language ?? language };
    }
    return this.#readStreamCaptions(mediaUrls, language);
  }

  async #readStreamCaptions(mediaUrls: readonly string[], language: string | null): Promise<Captions | null> {
    const { client, runTask } = this.#deps;
    const { accountId, policy } = this.#job;
    const parts = { client, runTask, accountId, policy, signal: this.#signal };
    const [stream] = mediaUrls;
    return stream === undefined ? null : readStreamCaptions(parts, stream, language);
  }

  /** The cues of a file; none when it cannot be fetched or read. */
  async #readCaptionFile(url: string, language: string | null): Promise<ReadCaptionsOutput> {
    const nothing = { segments: [], letters: { source: 0, delivered: 0, copies: 0, beyond: 0 } };
    try {
      const { status, body } = await this.#readSmall(url);
      if (status !== 200) return nothing;
      const watch = { accountId: this.#job.accountId, signal: this.#signal, timeLimitMs: PARSE_LIMIT_MS };
      const input = { body: new Uint8Array(body), language };
      return await this.#deps.runTask('read-captions', input, watch);
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!(error instanceof QuarryError)) throw error;
      return nothing;
    }
  }

  async #writeCaptionResult({ segments, language, letters }: Captions, { durationSeconds, warnings }: Verdict) {
    const { accountId, filesFolder, urlOf } = this.#job;
    const input = {
      captions: segments,
      heard: [],
      evidence: null,
      frames: [],
      turns: null,
      segmentLength: this.#options.segmentLength,
      language,
      subtitles: subtitleStyleOf(this.#options.subtitles),
      textTimes: this.#options.textTimes === true ? true : undefined,
      outputFolder: filesFolder,
    };
    const watch = { accountId, signal: this.#signal, timeLimitMs: WRITE_LIMIT_MS };
    const written = await this.#deps.runTask('write-transcript', input, watch);
    const captionFileLink = (name: string) => ({ name, url: urlOf(name) });
    const none = {
      speechFoundBy: null,
      audioTrack: null,
      audioCodec: null,
      videoCodec: null,
      width: null,
      height: null,
    };
    return {
      chunks: written.chunks,
      segments: written.segments,
      captions: captionsOf(written.segments, captionFileLink),
      file: null,
      media: { durationSeconds: durationSeconds ?? segments.at(-1)?.end ?? 0, speechSeconds: 0, ...none },
      transcript: { model: null, engine: null, language, words: written.words, ...WITHOUT_WORD_TIMES },
      files: transcriptFiles(written.segments).map(captionFileLink),
      covered: coveredByCaptions(segments, durationSeconds),
      account: accountCaptions(letters),
      warnings: [...warnings, ...captionWarnings(segments, letters), ...written.warnings],
    };
  }

  #reportVideoProgress(percent: number, stage: string, message: Said): void {
    this.#job.progress({ percent, stage, message });
  }
}

const WITHOUT_WORD_TIMES = {
  wordTimes: false,
  wordTimesEstimated: false,
  confidence: null,
  languageConfidence: null,
  translatedTo: null,
};

/** What is missing, and why it was not transcribed. */
function whyNotHeard(
  segments: readonly TranscriptSegment[],
  durationSeconds: number | null,
  { message }: QuarryError,
): Said {
  if (durationSeconds === null) {
    return say`The length of the video is unknown: the captions may not cover all of it. ${message}`;
  }
  const missing = Math.round(missingSeconds(segments, durationSeconds));
  return say`The captions leave out ${missing} s of ${Math.round(durationSeconds)} s, which were not heard. ${message}`;
}

interface FetchedVideo extends FetchedMedia {
  path: string;
  spentSeconds: number;
}

/** Facts to return with captions that are the full answer. */
interface Verdict {
  durationSeconds: number | null;
  warnings: Said[];
}

interface Captions extends ReadCaptionsOutput {
  language: string | null;
}

/** More lost letters than this, or this share, are said. */
const LOST_LETTERS = 20;

const LOST_SHARE = 0.01;

function accountCaptions({ source, delivered, copies, beyond }: CaptionLetters): SourceAccount {
  const whole = Math.max(source, delivered);
  const rest = Math.max(0, whole - delivered - copies);
  // Cues beyond the limit are not read: what is left are their letters.
  const cut = beyond > 0 ? rest : 0;
  const leftOut: SourceAccount['leftOut'] = [];
  if (copies > 0)
    leftOut.push({ reason: 'repeated-caption', count: Math.min(copies, whole - delivered), where: 'whole file' });
  if (cut > 0) leftOut.push({ reason: 'over-limit', count: cut, where: `the last ${countText(beyond, 'cue')}` });
  return { unit: 'letters', source: whole, delivered, leftOut, unexplained: rest - cut };
}

function captionWarnings(segments: readonly TranscriptSegment[], letters: CaptionLetters): Said[] {
  const { source, unexplained } = accountCaptions(letters);
  const isLost = unexplained > LOST_LETTERS || unexplained > source * LOST_SHARE;
  const lost = say`Of ${source} letters of the captions ${unexplained} could not be read: their times are damaged.`;
  return [...cutWarnings({ segments, letters }), ...(isLost ? [lost] : [])];
}

function cutWarnings(captions: { segments: readonly TranscriptSegment[]; letters: CaptionLetters } | null): Said[] {
  const beyond = captions?.letters.beyond ?? 0;
  if (captions === null || beyond === 0) return [];
  const until = formatSpan({ start: 0, end: captions.segments.at(-1)?.end ?? 0 });
  return [say`The caption file has too many cues: the last ${beyond} were left out, the others cover ${until}.`];
}

/** A gap in the captions that is shorter than both this and a tenth of the video is silence in the video. */
const GAP_MIN_SECONDS = 60;

/** Captions that miss more than this share of the video are incomplete. */
const GAP_SHARE = 0.1;

/** Seconds of the video without captions. */
export function missingSeconds(captions: readonly TranscriptSegment[], durationSeconds: number): number {
  const end = { start: durationSeconds, end: durationSeconds };
  return gapsIn([{ start: 0, end: 0 }, ...captions, end], durationSeconds);
}

/** Whether the captions miss too little to be worth transcribing. */
export function areWhole(captions: readonly TranscriptSegment[], durationSeconds: number): boolean {
  return missingSeconds(captions, durationSeconds) <= durationSeconds * GAP_SHARE;
}

/** The span from the first caption to the end of the last. Null as duration means that end. */
export function coveredByCaptions(captions: readonly TranscriptSegment[], durationSeconds: number | null): CoveredSpan {
  const startSeconds = captions.reduce((first, { start }) => Math.min(first, start), captions[0]?.start ?? 0);
  const endSeconds = captions.reduce((last, { end }) => Math.max(last, end), startSeconds);
  const gaps = gapsIn(captions, durationSeconds ?? endSeconds);
  return { startSeconds, endSeconds, durationSeconds: Math.max(0, endSeconds - startSeconds - gaps) };
}

type Span = Pick<TranscriptSegment, 'start' | 'end'>;

/** Total of the gaps that count in a video of this length, in seconds. */
function gapsIn(spans: readonly Span[], durationSeconds: number): number {
  const least = Math.min(GAP_MIN_SECONDS, durationSeconds * GAP_SHARE);
  let missing = 0;
  let end = spans[0]?.end ?? 0;
  for (const span of spans.toSorted((one, other) => one.start - other.start)) {
    if (span.start - end >= least) missing += span.start - end;
    end = Math.max(end, span.end);
  }
  return missing;
}

/** Supported caption formats, the best first. */
const READABLE = ['vtt', 'srt', 'ass', 'ssa', 'ttml', 'dfxp'];

/** Converts yt-dlp's description to the form that pages are read into. */
export function describedVideoPage(video: Described): VideoPage {
  const day = /^(\d{4})(\d{2})(\d{2})$/.exec(video.upload_date ?? '');
  const captions = Object.entries(video.subtitles ?? {}).flatMap(([language, files]) => {
    const [readable] = READABLE.flatMap((wanted) => files.find(({ ext }) => ext === wanted) ?? []);
    return readable === undefined ? [] : [{ url: readable.url, language }];
  });
  return {
    title: sanitizeOneLine(video.title),
    channel: sanitizeOneLine(video.channel) ?? sanitizeOneLine(video.uploader),
    publishedAt: day === null ? null : `${day[1]}-${day[2]}-${day[3]}T00:00:00.000Z`,
    durationSeconds: video.duration ?? null,
    thumbnailUrl: video.thumbnail ?? null,
    language: video.language ?? null,
    mediaUrls: [],
    captions,
    chapterTracks: [],
    chapterFiles: [],
    embedUrls: [],
    people: [],
    chapters: (video.chapters ?? []).map((chapter) => ({
      title: sanitizeOneLine(chapter.title) ?? '',
      startSeconds: chapter.start_time,
      endSeconds: chapter.end_time ?? null,
    })),
  };
}

type PageFacts = Pick<Result, 'video' | 'chapters'>;

/** What the page leaves out, as the file states it. */
function completedPageFacts(
  { video, chapters }: PageFacts,
  { file, media }: Pick<Result, 'file' | 'media'>,
): PageFacts {
  return {
    video: {
      ...video,
      title: video.title ?? file?.title ?? null,
      channel: video.channel ?? file?.artist ?? null,
      durationSeconds: video.durationSeconds ?? media.durationSeconds,
    },
    chapters: chapters === undefined ? undefined : chapters.length > 0 ? chapters : (file?.chapters ?? []),
  };
}

/** The video as the result shows it. */
function hostedVideoFacts(url: string, page: VideoPage, foundBy: HostedVideoFacts['foundBy']): HostedVideoFacts {
  const { title, channel, publishedAt, durationSeconds, thumbnailUrl, people } = page;
  const named = omitUndefined({ people: people.length === 0 ? undefined : people });
  return { url, title, channel, publishedAt, durationSeconds, thumbnailUrl, ...named, foundBy };
}

/** @param voicesOf the remembered voices for a job */
export async function openHostedVideo(context: AppContext, voicesOf: VoicesOf): Promise<HostedVideoService> {
  const { media, ffmpeg, ytDlp, ytDlpRelease } = toolsOf(context);
  const engine = createHostedVideoEngine({
    client: context.client,
    runTask: context.pool.run,
    videos: await videosOf(context),
    media,
    ffmpeg,
    ytDlp,
    onYtDlpSuccess: () => ytDlpRelease.noteSuccess(),
    network: { ...context.options.network },
  });
  return {
    gather: (url, options, job, signal) => engine.gather(url, options, engineJob(job), signal),
    extract: (url, options, job, signal) =>
      engine.extract(url, options, { ...engineJob(job), voices: voicesOf(job) }, signal),
  };
}
