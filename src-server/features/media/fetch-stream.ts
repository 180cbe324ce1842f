/**
 * Fetches a stream of HLS or DASH, part by part, into one local file. Threats: playlists, parts and keys on forbidden
 * addresses, playlists without end, and streams larger than the limit. Every request goes through the guarded client;
 * FFmpeg reads the local files only.
 */

import { createDecipheriv } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type {
  PicturePart,
  Playlist,
  Rendition,
  StreamAddress,
  StreamPart,
  StreamRun,
} from '../../../workers/media/tasks.ts';
import { systemClock } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import { writeChunks } from '../../platform/files/uploads.ts';
import { itemAt } from '../../platform/item-at.ts';
import { sourceTooLarge, statusError } from '../../platform/net/fetch-errors.ts';
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts';
import type { GuardedClient } from '../../platform/net/guarded-client.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { HOUR_MS, MIB, MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import { joinRuns, type WrittenRun } from './join-runs.ts';
import type { MediaReader } from './media-reader.ts';
import { DURATION_MAX_SECONDS } from './probe.ts';
import type { AudioTrack } from './schema.ts';
import { formatSpans, type Span } from './source-seconds.ts';

/** Twelve hours in parts of two seconds with signed addresses of 200 characters. */
const PLAYLIST_BYTES_MAX = 8 * MIB;

const PLAYLIST_LIMIT_MS = MINUTE_MS;

const PARSE_LIMIT_MS = 30 * SECOND_MS;

/** Ten seconds of 8K video. */
const PART_BYTES_MAX = 64 * MIB;

const PART_LIMIT_MS = 2 * MINUTE_MS;

const KEY_BYTES = 16;

const REDIRECTS = 5;

const TRIES = 2;

/** Parts fetched ahead of the one that is written. */
const AHEAD = 3;

/** After this many missing parts in a row the stream counts as gone. */
const MISSING_IN_A_ROW_MAX = 8;

/** An advertisement of several minutes may be gone from a stream of several runs. */
const MISSING_IN_RUNS_MAX = 60;

/** Bytes decrypted before other work gets its turn. */
const SLICE_BYTES = MIB;

const JOIN_LIMIT_MS = HOUR_MS;

/** Of a stream in two parts, the share of the sound in the progress. */
const SOUND_SHARE = 0.2;

/** Addresses of playlists. Others are known by their bytes. */
export const STREAM_ADDRESS = /\.(m3u8|mpd)($|[?#])/i;

/** Progress of a download. */
export interface Fetched {
  receivedBytes: number;
  /** Null when unknown; an estimate for segmented streams. */
  totalBytes: number | null;
  /** From 0 to 1; null when unknown. */
  share: number | null;
}

export function stillLive(): QuarryError {
  return new QuarryError('unsupported_media', say`The video is live. Send its address again when it has ended.`);
}

export interface StreamParts {
  client: GuardedClient;
  runTask: RunTask;
  /** Joins sound and pictures that a stream keeps apart. */
  media: MediaReader;
}

export interface StreamTarget {
  path: string;
  job: { accountId: string; policy: FetchPolicy; maxBytes: number };
  /** Preferred language of the sound, BCP 47. */
  language: string | null;
  /** Number of the audio track, from 1. Without it the language or the stream decides. */
  audioTrack?: number | undefined;
  /** Where pictures go that cannot be in one file with the sound; null where none are wanted. */
  picturesPath: string | null;
  signal: AbortSignal;
  onProgress(fetched: Fetched): void;
}

export interface FetchedMedia {
  /** About parts that are missing. */
  warnings: Said[];
  /** Parts are missing of a stream whose clock does not restart: its jumps are gaps. */
  clockRunsOn: boolean;
  /** What the playlist states; null for a file. */
  stream: StreamSeconds | null;
  /** The track that was taken where several runs were joined into a file with one track. */
  audioTrack?: AudioTrack;
  /** Pictures in a file of their own, each part with a clock of its own. */
  pictures?: { path: string; parts: readonly PicturePart[] };
}

/** What the playlist of a stream states, in seconds of the stream. */
export interface StreamSeconds {
  seconds: number;
  /** Parts that could not be fetched or read. */
  damaged: Span[];
  /** What the playlist states, but its parts do not hold. */
  missing: Span[];
  /** How much playlists may round the lengths of their parts. */
  toleranceSeconds: number;
}

/**
 * Writes the stream to the target path. Sound and pictures that are kept apart are joined; pictures that cannot be read
 * are a warning. Errors: `source_unreachable`, `source_forbidden`, `source_too_large`, `unsupported_media` for live and
 * protected streams, `corrupt_input`, `out_of_memory`, `timeout`, `storage_full`, and the signal's reason.
 */
export async function fetchStream(parts: StreamParts, url: string, target: StreamTarget): Promise<FetchedMedia> {
  const reader = new PlaylistReader(parts, target);
  const { sound, pictures } = await reader.readRenditions(url);
  const { path, picturesPath } = target;
  if (pictures !== null && picturesPath !== null) {
    return fetchBoth(parts, sound, pictures, { ...target, picturesPath });
  }
  const { runs, ...fetched } = await new RenditionFetch(parts, target).fetchRendition(sound);
  // A file begins with its first sound, whatever is missing before.
  const isLate = (runs[0]?.startSeconds ?? 0) > 0 && picturesPath === null;
  if (isOneRun(sound) && !isLate) return fetched;
  if (picturesPath === null) return joinedRuns(parts, { path, runs }, fetched, target);
  await rename(path, picturesPath);
  const heard = await joinedRuns(parts, { path: picturesPath, runs }, fetched, target);
  return { ...heard, pictures: { path: picturesPath, parts: picturePartsOf(runs) } };
}

function isOneRun(rendition: Rendition): boolean {
  return rendition.kind === 'file' || rendition.runs.length === 1;
}

function picturePartsOf(runs: readonly WrittenRun[]): PicturePart[] {
  return runs.map(({ range, startSeconds, endSeconds, clockRunsOn }) => {
    return { range, startSeconds, endSeconds, clockRunsOn };
  });
}

/** A file of runs. */
interface RunsFile {
  path: string;
  runs: readonly WrittenRun[];
}

/** Puts one sound file at the target path. */
async function joinedRuns(
  { media }: StreamParts,
  { path, runs }: RunsFile,
  { warnings, stream }: FetchedMedia,
  { path: targetPath, signal, ...wish }: StreamTarget,
): Promise<FetchedMedia> {
  const joined = await joinRuns(media, { path, targetPath, runs, wish, signal });
  const unread = joined.unread.length === 0 ? [] : [unreadParts(joined.unread)];
  const damaged = [...(stream?.damaged ?? []), ...joined.unread].toSorted((one, other) => one.start - other.start);
  return {
    warnings: [...warnings, ...unread],
    clockRunsOn: false,
    stream: stream === null ? null : { ...stream, damaged, missing: joined.missing },
    audioTrack: joined.audioTrack,
  };
}

function unreadParts(spans: readonly Span[]): Said {
  return say`Parts of the stream whose sound could not be read: ${formatSpans(spans)}.`;
}

/** Finds the pictures, which may take a playlist of their own. */
type PicturesOf = () => Promise<Rendition>;

/** Puts the sound at the target path: as it came, or joined where it does not begin at zero or has several clocks. */
async function placeSound(
  parts: StreamParts,
  file: RunsFile,
  fetched: FetchedMedia,
  target: StreamTarget,
): Promise<FetchedMedia> {
  const [first, second] = file.runs;
  if (second !== undefined || (first?.startSeconds ?? 0) > 0) return joinedRuns(parts, file, fetched, target);
  await rename(file.path, target.path);
  return fetched;
}

/** Sound and pictures, joined into one file where each has one clock. */
async function fetchBoth(
  parts: StreamParts,
  sound: Rendition,
  pictures: PicturesOf,
  target: StreamTarget & { picturesPath: string },
): Promise<FetchedMedia> {
  const { path, picturesPath, job, signal, onProgress } = target;
  const paths = { sound: `${path}.sound`, pictures: `${path}.pictures`, joined: `${path}.joined` };
  const soundFetch = new RenditionFetch(parts, {
    ...target,
    path: paths.sound,
    onProgress: (fetched) =>
      onProgress({ ...fetched, totalBytes: null, share: scaledShare(fetched.share, 0, SOUND_SHARE) }),
  });
  const { runs: heardRuns, ...heard } = await soundFetch.fetchRendition(sound);
  const soundFile = { path: paths.sound, runs: heardRuns };
  try {
    const { size } = await stat(paths.sound);
    const picturesFetch = new RenditionFetch(parts, {
      ...target,
      path: paths.pictures,
      job: { ...job, maxBytes: job.maxBytes - size },
      onProgress: ({ receivedBytes, share }) =>
        onProgress({
          receivedBytes: size + receivedBytes,
          totalBytes: null,
          share: scaledShare(share, SOUND_SHARE, 1),
        }),
    });
    const { runs, ...seen } = await picturesFetch.fetchRendition(await pictures());
    const told = seen.warnings.map((text) => say`Pictures: ${text}`);
    if (runs.length > 1 || heardRuns.length > 1) {
      const whole = {
        range: { start: 0, end: (await stat(paths.pictures)).size },
        startSeconds: 0,
        clockRunsOn: false,
      };
      const ofFile = [{ ...whole, endSeconds: DURATION_MAX_SECONDS }];
      await rename(paths.pictures, picturesPath);
      const placed = await placeSound(parts, soundFile, heard, target);
      const shown = { path: picturesPath, parts: runs.length === 0 ? ofFile : picturePartsOf(runs) };
      return { ...placed, warnings: [...placed.warnings, ...told], pictures: shown };
    }
    const input = {
      sound: { path: paths.sound, clockRunsOn: heard.clockRunsOn, offsetSeconds: soundFetch.missingAtStart },
      pictures: { path: paths.pictures, clockRunsOn: seen.clockRunsOn, offsetSeconds: picturesFetch.missingAtStart },
      targetPath: paths.joined,
    };
    const limits = { signal, timeLimitMs: JOIN_LIMIT_MS, what: 'Joining sound and pictures' };
    await parts.media.use((program) => program.joinTracks(input), limits);
    await rename(paths.joined, path);
    // The joined file has the times of the stream.
    return { warnings: [...heard.warnings, ...told], clockRunsOn: false, stream: heard.stream };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof QuarryError) || FATAL.includes(error.code)) throw error;
    const placed = await placeSound(parts, soundFile, heard, target);
    return { ...placed, warnings: [...placed.warnings, say`Only the sound of the stream was read: ${error.message}`] };
  } finally {
    await Promise.all(Object.values(paths).map((one) => rm(one, { force: true })));
  }
}

/** What ends a job even if its sound could be read. */
const FATAL: readonly string[] = ['source_forbidden', 'storage_full'];

function scaledShare(share: number | null, from: number, to: number): number | null {
  return share === null ? null : from + share * (to - from);
}

/** Reads the playlists that lead to the renditions of a stream. */
class PlaylistReader {
  readonly #parts: StreamParts;
  readonly #target: StreamTarget;

  constructor(parts: StreamParts, target: StreamTarget) {
    this.#parts = parts;
    this.#target = target;
  }

  async readRenditions(url: string): Promise<{ sound: Rendition; pictures: PicturesOf | null }> {
    const playlist = await this.#read(url);
    if (playlist.kind !== 'choice') {
      const sound = requireRendition(playlist);
      const { pictures } = sound;
      return { sound, pictures: pictures === null ? null : async () => pictures };
    }
    const sound = requireRendition(await this.#read(playlist.url));
    const { picturesUrl } = playlist;
    if (picturesUrl === null) return { sound, pictures: null };
    return { sound, pictures: async () => requireRendition(await this.#read(picturesUrl)) };
  }

  async #read(url: string): Promise<Playlist> {
    const { client, runTask } = this.#parts;
    const { job, signal, language, picturesPath } = this.#target;
    const { status, headers, body, truncated, finalUrl } = await client.request(url, {
      policy: job.policy,
      signal,
      totalTimeoutMs: PLAYLIST_LIMIT_MS,
      maxResponseBytes: PLAYLIST_BYTES_MAX,
      followRedirects: REDIRECTS,
    });
    if (status < 200 || status > 299) throw statusError(status, headers, new URL(url).host, systemClock);
    if (truncated) {
      const message = say`The playlist of the stream is longer than 8 MB. Send the video as a file.`;
      throw new QuarryError('source_too_large', message);
    }
    const input = { body: new Uint8Array(body), url: finalUrl, language, wantsPictures: picturesPath !== null };
    return runTask('read-playlist', input, { accountId: job.accountId, signal, timeLimitMs: PARSE_LIMIT_MS });
  }
}

function requireRendition(playlist: Playlist): Exclude<Playlist, { kind: 'live' | 'choice' }> {
  if (playlist.kind === 'live') throw stillLive();
  if (playlist.kind === 'choice') {
    throw new QuarryError(
      'corrupt_input',
      say`The playlists of the stream only lead to each other. Check the address.`,
    );
  }
  return playlist;
}

function partsOfRuns(runs: readonly StreamRun[]): StreamPart[] {
  return runs.flatMap(({ parts }) => parts);
}

const PACKET_BYTES = 188;

const SYNC_BYTE = 0x47;

/** A transport stream needs no initialisation segment, whatever the playlist named for the parts before. */
function isTransportStream(part: Buffer): boolean {
  return part[0] === SYNC_BYTE && part[PACKET_BYTES] === SYNC_BYTE;
}

/** Old playlists state whole seconds. */
function roundingOf(seconds: number): number {
  return Number.isInteger(seconds) ? 0.5 : 0.02;
}

class RenditionFetch {
  readonly #parts: StreamParts;
  readonly #target: StreamTarget;
  readonly #keys = new Map<string, Promise<Buffer>>();
  readonly #missing: Span[] = [];
  #missingCount = 0;
  #head: { key: string; content: Buffer | MissingPart } | null = null;
  #receivedBytes = 0;

  constructor(parts: StreamParts, target: StreamTarget) {
    this.#parts = parts;
    this.#target = target;
  }

  /** Seconds of missing parts at the beginning. */
  get missingAtStart(): number {
    const [first] = this.#missing;
    return first?.start === 0 ? first.end : 0;
  }

  async fetchRendition(playlist: Rendition): Promise<FetchedMedia & { runs: WrittenRun[] }> {
    if (playlist.kind === 'file') {
      await this.#fetchRenditionFile(playlist.url);
      return { warnings: [], clockRunsOn: false, stream: null, runs: [] };
    }
    const { runs } = playlist;
    const seconds = runs.reduce((end, run) => Math.max(end, run.startSeconds + run.seconds), 0);
    if (seconds > DURATION_MAX_SECONDS) {
      throw new QuarryError('source_too_large', say`The stream is longer than 12 hours. Send it in parts, as files.`);
    }
    const written = await this.#writeStreamRuns(runs, seconds);
    const all = partsOfRuns(runs);
    const toleranceSeconds = all.reduce((sum, part) => sum + roundingOf(part.seconds), 0);
    const stream = { seconds, damaged: this.#missing, missing: [], toleranceSeconds };
    const clockRunsOn = written[0]?.clockRunsOn ?? false;
    return { warnings: this.#missingWarnings(all.length), clockRunsOn, stream, runs: written };
  }

  async #fetchRenditionFile(url: string): Promise<void> {
    const { path, job, signal, onProgress } = this.#target;
    await this.#parts.client.fetchToFile(url, {
      path,
      maxBytes: job.maxBytes,
      policy: job.policy,
      signal,
      totalTimeoutMs: PART_LIMIT_MS * 60,
      onProgress: ({ receivedBytes, totalBytes }) => {
        onProgress({ receivedBytes, totalBytes, share: totalBytes ? receivedBytes / totalBytes : null });
      },
    });
  }

  async #writeStreamRuns(runs: readonly StreamRun[], seconds: number): Promise<WrittenRun[]> {
    const { path, job } = this.#target;
    const partial = `${path}.part`;
    const written: WrittenRun[] = [];
    // Left by an interrupted fetch.
    await rm(partial, { force: true });
    await writeChunks(this.#streamRunChunks(runs, seconds, written), partial, {
      maxBytes: job.maxBytes,
      tooLarge: () => sourceTooLarge(job.maxBytes),
    });
    await rename(partial, path);
    return written;
  }

  /** The bytes of the runs in order. Adds each run with its place in the file to `written`. */
  async *#streamRunChunks(
    runs: readonly StreamRun[],
    seconds: number,
    written: WrittenRun[],
  ): AsyncGenerator<Uint8Array> {
    const contents = this.#streamPartContents(partsOfRuns(runs));
    let position = 0;
    let inARow = 0;
    let done = 0;
    const all = partsOfRuns(runs).length;
    for (const run of runs) {
      const head = await this.#fetchRunHead(run);
      const open = { range: { start: position, end: position }, hasParts: false, missing: 0, firstSeconds: 0 };
      let at = run.startSeconds;
      if (run.parts.length === 0) this.#recordMissingSpan({ start: at, end: at + run.seconds }, 0);
      for (const part of run.parts) {
        const { value } = await contents.next();
        const content = head instanceof MissingPart ? head : (value as Buffer | MissingPart);
        const end = at + part.seconds;
        if (content instanceof MissingPart) {
          inARow += 1;
          open.missing += 1;
          this.#recordMissingSpan({ start: at, end });
          const isGone = inARow >= (runs.length === 1 ? MISSING_IN_A_ROW_MAX : MISSING_IN_RUNS_MAX);
          if (isGone || this.#missingCount === all) throw content.cause;
        } else {
          inARow = 0;
          const isBare = open.hasParts || head === null || head instanceof MissingPart || isTransportStream(content);
          const bytes = isBare ? [content] : [head, content];
          if (!open.hasParts) open.firstSeconds = at;
          open.hasParts = true;
          for (const one of bytes) yield* contentSlices(one);
          position += bytes.reduce((sum, one) => sum + one.length, 0);
          this.#receivedBytes += content.length;
        }
        at = end;
        done += 1;
        this.#reportStreamShare(seconds > 0 ? at / seconds : done / all);
      }
      if (!open.hasParts) continue;
      written.push({
        range: { start: open.range.start, end: position },
        startSeconds: open.firstSeconds,
        endSeconds: run.startSeconds + run.seconds,
        clockRunsOn: open.missing > 0 && !run.clockRestarts,
        toleranceSeconds: run.parts.reduce((sum, part) => sum + roundingOf(part.seconds), 0),
      });
    }
  }

  #reportStreamShare(share: number): void {
    const totalBytes = share > 0 ? this.#receivedBytes / share : null;
    this.#target.onProgress({ receivedBytes: this.#receivedBytes, totalBytes, share: Math.min(1, share) });
  }

  /** The contents of the parts in order, a few parts ahead. */
  async *#streamPartContents(parts: readonly StreamPart[]): AsyncGenerator<Buffer | MissingPart> {
    const ahead: Promise<Buffer | MissingPart>[] = [];
    for (const index of parts.keys()) {
      for (let next = index + ahead.length; ahead.length <= AHEAD && next < parts.length; next += 1) {
        const fetching = this.#fetchOrMiss(itemAt(parts, next));
        // A failure is thrown when its turn comes.
        fetching.catch(() => undefined);
        ahead.push(fetching);
      }
      yield await (ahead.shift() as Promise<Buffer | MissingPart>);
    }
  }

  /** Runs often share their initialisation segment: one after the other it is fetched once. */
  async #fetchRunHead({ head }: StreamRun): Promise<Buffer | MissingPart | null> {
    if (head === null) return null;
    const key = JSON.stringify([head.url, head.range]);
    if (this.#head?.key !== key) this.#head = { key, content: await this.#fetchOrMiss(head) };
    return this.#head.content;
  }

  #recordMissingSpan(span: Span, count = 1): void {
    this.#missingCount += count;
    const last = this.#missing.at(-1);
    if (last !== undefined && last.end === span.start) last.end = span.end;
    else this.#missing.push(span);
  }

  #missingWarnings(count: number): Said[] {
    if (this.#missing.length === 0) return [];
    const where = formatSpans(this.#missing);
    if (this.#missingCount === 0) return [say`Periods of the stream without sound that could be read: ${where}.`];
    return [say`Parts of the stream that could not be fetched: ${this.#missingCount} of ${count} (${where}).`];
  }

  /** A part that its host does not have is missing. An address that must not be fetched ends the job. */
  async #fetchOrMiss(part: StreamAddress): Promise<Buffer | MissingPart> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#fetchPart(part);
      } catch (error) {
        this.#target.signal.throwIfAborted();
        if (!(error instanceof MissingPart)) throw error;
        if (tries === TRIES) return error;
      }
    }
  }

  async #fetchPart({ url, range, key }: StreamAddress): Promise<Buffer> {
    const content = await this.#fetchStreamBytes(url, range, PART_BYTES_MAX);
    if (key === null) return content;
    const secret = this.#keys.get(key.url) ?? this.#fetchStreamBytes(key.url, null, KEY_BYTES + 1);
    secret.catch(() => this.#keys.delete(key.url));
    this.#keys.set(key.url, secret);
    return decryptStreamPart(content, await secret, key.iv, url);
  }

  /** Errors: `MissingPart`, and what ends the whole fetch. */
  async #fetchStreamBytes(url: string, range: StreamAddress['range'], maxBytes: number): Promise<Buffer> {
    const { job, signal } = this.#target;
    const { host } = new URL(url);
    const asked = range === null ? {} : { range: `bytes=${range.start}-${range.end - 1}` };
    const response = await this.#parts.client
      .request(url, {
        headers: { ...asked, 'accept-encoding': 'identity' },
        policy: job.policy,
        signal,
        totalTimeoutMs: PART_LIMIT_MS,
        maxResponseBytes: Math.min(maxBytes, job.maxBytes),
        followRedirects: REDIRECTS,
      })
      .catch((error: unknown) => {
        const isGone = error instanceof QuarryError && ['source_unreachable', 'timeout'].includes(error.code);
        throw isGone ? new MissingPart(error) : error;
      });
    const { status, headers, body, truncated } = response;
    if (status < 200 || status > 299) throw new MissingPart(statusError(status, headers, host, systemClock));
    // A host without support for ranges sends everything.
    const ignoredRange = range !== null && status !== 206;
    if (ignoredRange && body.length >= range.end) return body.subarray(range.start, range.end);
    if (truncated || ignoredRange) throw sourceTooLarge(Math.min(maxBytes, job.maxBytes));
    return body;
  }
}

/** A part that could not be fetched, with the public error. */
class MissingPart extends Error {
  constructor(cause: QuarryError) {
    super(cause.message, { cause });
  }
}

function* contentSlices(content: Buffer): Generator<Uint8Array> {
  for (let at = 0; at < content.length; at += SLICE_BYTES) yield content.subarray(at, at + SLICE_BYTES);
}

/** Errors: `MissingPart` for a wrong key. */
async function decryptStreamPart(content: Buffer, key: Buffer, iv: string, url: string): Promise<Buffer> {
  try {
    const decipher = createDecipheriv('aes-128-cbc', key, Buffer.from(iv, 'hex'));
    const plain: Buffer[] = [];
    for (const slice of contentSlices(content)) {
      plain.push(decipher.update(slice));
      await setImmediate();
    }
    return Buffer.concat([...plain, decipher.final()]);
  } catch (cause) {
    const message = say`A part of the stream from ${new URL(url).host} could not be decrypted. Check its key.`;
    throw new MissingPart(new QuarryError('corrupt_input', message, { cause }));
  }
}
