/**
 * Fetches a stream of HLS or DASH, part by part, into one local file. Threats: playlists, parts and keys on forbidden
 * addresses, playlists without end, and streams larger than the limit. Every request goes through the guarded client;
 * FFmpeg reads the local files only.
 */

import { createDecipheriv } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { Playlist, Rendition, StreamAddress, StreamPart } from '../../../workers/media/tasks.ts';
import { systemClock } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import { writeChunks } from '../../platform/files/uploads.ts';
import { sourceTooLarge, statusError } from '../../platform/net/fetch-errors.ts';
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts';
import type { GuardedClient } from '../../platform/net/guarded-client.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { HOUR_MS, MIB, MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import type { MediaReader } from './media-reader.ts';
import { DURATION_MAX_SECONDS } from './probe.ts';

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

const SPANS_SHOWN = 5;

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
  return new QuarryError('unsupported_media', 'The video is live. Send its address again when it has ended.');
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
  wantsPictures: boolean;
  signal: AbortSignal;
  onProgress(fetched: Fetched): void;
}

export interface FetchedMedia {
  /** About parts that are missing. */
  warnings: string[];
  /** Parts are missing of a stream whose clock does not restart: its jumps are gaps. */
  clockRunsOn: boolean;
}

/**
 * Writes the stream to the target path. Sound and pictures that are kept apart are joined; pictures that cannot be read
 * are a warning. Errors: `source_unreachable`, `source_forbidden`, `source_too_large`, `unsupported_media` for live and
 * protected streams, `corrupt_input`, `out_of_memory`, `timeout`, `storage_full`, and the signal's reason.
 */
export async function fetchStream(parts: StreamParts, url: string, target: StreamTarget): Promise<FetchedMedia> {
  const reader = new PlaylistReader(parts, target);
  const { sound, pictures } = await reader.read(url);
  if (pictures === null) return new RenditionFetch(parts, target).fetch(sound);
  return fetchBoth(parts, sound, pictures, target);
}

/** Finds the pictures, which may take a playlist of their own. */
type PicturesOf = () => Promise<Rendition>;

/** Sound and pictures, joined into one file. */
async function fetchBoth(
  parts: StreamParts,
  sound: Rendition,
  pictures: PicturesOf,
  target: StreamTarget,
): Promise<FetchedMedia> {
  const { path, job, signal, onProgress } = target;
  const paths = { sound: `${path}.sound`, pictures: `${path}.pictures`, joined: `${path}.joined` };
  const soundFetch = new RenditionFetch(parts, {
    ...{ ...target, path: paths.sound },
    onProgress: (fetched) =>
      onProgress({ ...fetched, totalBytes: null, share: shareOf(fetched.share, 0, SOUND_SHARE) }),
  });
  const heard = await soundFetch.fetch(sound);
  try {
    const { size } = await stat(paths.sound);
    const picturesFetch = new RenditionFetch(parts, {
      ...{ ...target, path: paths.pictures, job: { ...job, maxBytes: job.maxBytes - size } },
      onProgress: ({ receivedBytes, share }) =>
        onProgress({ receivedBytes: size + receivedBytes, totalBytes: null, share: shareOf(share, SOUND_SHARE, 1) }),
    });
    const seen = await picturesFetch.fetch(await pictures());
    const input = {
      sound: { path: paths.sound, clockRunsOn: heard.clockRunsOn, offsetSeconds: soundFetch.missingAtStart },
      pictures: { path: paths.pictures, clockRunsOn: seen.clockRunsOn, offsetSeconds: picturesFetch.missingAtStart },
      targetPath: paths.joined,
    };
    const limits = { signal, timeLimitMs: JOIN_LIMIT_MS, what: 'Joining sound and pictures' };
    await parts.media.use((program) => program.joinTracks(input), limits);
    await rename(paths.joined, path);
    // The joined file has the times of the stream.
    return { warnings: [...heard.warnings, ...seen.warnings.map((text) => `Pictures: ${text}`)], clockRunsOn: false };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof QuarryError) || FATAL.includes(error.code)) throw error;
    await rename(paths.sound, path);
    return { ...heard, warnings: [...heard.warnings, `Only the sound of the stream was read: ${error.message}`] };
  } finally {
    await Promise.all(Object.values(paths).map((one) => rm(one, { force: true })));
  }
}

/** What ends a job even if its sound could be read. */
const FATAL: readonly string[] = ['source_forbidden', 'storage_full'];

function shareOf(share: number | null, from: number, to: number): number | null {
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

  async read(url: string): Promise<{ sound: Rendition; pictures: PicturesOf | null }> {
    const playlist = await this.#read(url);
    if (playlist.kind !== 'choice') {
      const sound = rendition(playlist);
      const { pictures } = sound;
      return { sound, pictures: pictures === null ? null : async () => pictures };
    }
    const sound = rendition(await this.#read(playlist.url));
    const { picturesUrl } = playlist;
    if (picturesUrl === null) return { sound, pictures: null };
    return { sound, pictures: async () => rendition(await this.#read(picturesUrl)) };
  }

  async #read(url: string): Promise<Playlist> {
    const { client, runTask } = this.#parts;
    const { job, signal, language, wantsPictures } = this.#target;
    const { status, headers, body, truncated, finalUrl } = await client.request(url, {
      policy: job.policy,
      signal,
      totalTimeoutMs: PLAYLIST_LIMIT_MS,
      maxResponseBytes: PLAYLIST_BYTES_MAX,
      followRedirects: REDIRECTS,
    });
    if (status < 200 || status > 299) throw statusError(status, headers, new URL(url).host, systemClock);
    if (truncated) {
      const message = 'The playlist of the stream is longer than 8 MB. Send the video as a file.';
      throw new QuarryError('source_too_large', message);
    }
    const input = { body: new Uint8Array(body), url: finalUrl, language, wantsPictures };
    return runTask('read-playlist', input, { accountId: job.accountId, signal, timeLimitMs: PARSE_LIMIT_MS });
  }
}

function rendition(playlist: Playlist): Exclude<Playlist, { kind: 'live' | 'choice' }> {
  if (playlist.kind === 'live') throw stillLive();
  if (playlist.kind === 'choice') {
    throw new QuarryError('corrupt_input', 'The playlists of the stream only lead to each other. Check the address.');
  }
  return playlist;
}

interface Span {
  start: number;
  end: number;
}

class RenditionFetch {
  readonly #parts: StreamParts;
  readonly #target: StreamTarget;
  readonly #keys = new Map<string, Promise<Buffer>>();
  readonly #missing: Span[] = [];
  #missingCount = 0;
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

  async fetch(playlist: Rendition): Promise<FetchedMedia> {
    const warnings: string[] = [];
    if (playlist.kind === 'file') {
      await this.#fetchFile(playlist.url);
      return { warnings, clockRunsOn: false };
    }
    const seconds = playlist.parts.reduce((sum, part) => sum + part.seconds, 0);
    if (seconds > DURATION_MAX_SECONDS) {
      throw new QuarryError('source_too_large', 'The stream is longer than 12 hours. Send it in parts, as files.');
    }
    await this.#write(playlist, seconds);
    if (playlist.changesFormat) warnings.push('The stream changes its format: what follows the change may be missing.');
    const clockRunsOn = playlist.clockRunsOn && this.#missingCount > 0;
    return { warnings: [...warnings, ...this.#missingWarnings(playlist.parts.length)], clockRunsOn };
  }

  async #fetchFile(url: string): Promise<void> {
    const { path, job, signal, onProgress } = this.#target;
    await this.#parts.client.fetchToFile(url, {
      ...{ path, maxBytes: job.maxBytes, policy: job.policy, signal },
      totalTimeoutMs: PART_LIMIT_MS * 60,
      onProgress: ({ receivedBytes, totalBytes }) => {
        onProgress({ receivedBytes, totalBytes, share: totalBytes ? receivedBytes / totalBytes : null });
      },
    });
  }

  async #write(playlist: Extract<Rendition, { kind: 'parts' }>, seconds: number): Promise<void> {
    const { path, job } = this.#target;
    const partial = `${path}.part`;
    // Left by an interrupted fetch.
    await rm(partial, { force: true });
    await writeChunks(this.#chunks(playlist, seconds), partial, {
      maxBytes: job.maxBytes,
      tooLarge: () => sourceTooLarge(job.maxBytes),
    });
    await rename(partial, path);
  }

  /** The bytes of the parts in order, a few parts ahead. */
  async *#chunks({ head, parts }: Extract<Rendition, { kind: 'parts' }>, seconds: number): AsyncGenerator<Uint8Array> {
    if (head !== null) yield* slices(await this.#fetchPart(head));
    const ahead: Promise<Buffer | MissingPart>[] = [];
    let inARow = 0;
    let at = 0;
    for (const [index, part] of parts.entries()) {
      for (let next = index + ahead.length; ahead.length <= AHEAD && next < parts.length; next += 1) {
        const fetching = this.#fetchOrMiss(parts[next] as StreamPart);
        // A failure is thrown when its turn comes.
        fetching.catch(() => undefined);
        ahead.push(fetching);
      }
      const content = await (ahead.shift() as Promise<Buffer | MissingPart>);
      const end = at + part.seconds;
      if (content instanceof MissingPart) {
        inARow += 1;
        this.#miss({ start: at, end });
        if (inARow >= MISSING_IN_A_ROW_MAX || this.#missingCount === parts.length) throw content.cause;
      } else {
        inARow = 0;
        this.#receivedBytes += content.length;
        yield* slices(content);
      }
      at = end;
      const share = seconds > 0 ? at / seconds : (index + 1) / parts.length;
      const totalBytes = share > 0 ? this.#receivedBytes / share : null;
      this.#target.onProgress({ receivedBytes: this.#receivedBytes, totalBytes, share });
    }
  }

  #miss(span: Span): void {
    this.#missingCount += 1;
    const last = this.#missing.at(-1);
    if (last !== undefined && last.end === span.start) last.end = span.end;
    else this.#missing.push(span);
  }

  #missingWarnings(count: number): string[] {
    if (this.#missingCount === 0) return [];
    const spans = this.#missing
      .slice(0, SPANS_SHOWN)
      .map(({ start, end }) => `${start.toFixed(1)}–${end.toFixed(1)} s`);
    const more = this.#missing.length > SPANS_SHOWN ? ' and later' : '';
    const where = `${spans.join(', ')}${more}`;
    return [`Parts of the stream that could not be fetched: ${this.#missingCount} of ${count} (${where}).`];
  }

  /** A part that its host does not have is missing. An address that must not be fetched ends the job. */
  async #fetchOrMiss(part: StreamPart): Promise<Buffer | MissingPart> {
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
    const content = await this.#get(url, range, PART_BYTES_MAX);
    if (key === null) return content;
    const secret = this.#keys.get(key.url) ?? this.#get(key.url, null, KEY_BYTES + 1);
    secret.catch(() => this.#keys.delete(key.url));
    this.#keys.set(key.url, secret);
    return decrypted(content, await secret, key.iv, url);
  }

  /** Errors: `MissingPart`, and what ends the whole fetch. */
  async #get(url: string, range: StreamAddress['range'], maxBytes: number): Promise<Buffer> {
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

function* slices(content: Buffer): Generator<Uint8Array> {
  for (let at = 0; at < content.length; at += SLICE_BYTES) yield content.subarray(at, at + SLICE_BYTES);
}

/** Errors: `MissingPart` for a wrong key. */
async function decrypted(content: Buffer, key: Buffer, iv: string, url: string): Promise<Buffer> {
  try {
    const decipher = createDecipheriv('aes-128-cbc', key, Buffer.from(iv, 'hex'));
    const plain: Buffer[] = [];
    for (const slice of slices(content)) {
      plain.push(decipher.update(slice));
      await setImmediate();
    }
    return Buffer.concat([...plain, decipher.final()]);
  } catch (cause) {
    const message = `A part of the stream from ${new URL(url).host} could not be decrypted. Check its key.`;
    throw new MissingPart(new QuarryError('corrupt_input', message, { cause }));
  }
}
