/**
 * The subtitles of an HLS stream: a group of its master playlist, each a playlist of small WebVTT files. They count as
 * captions of the source. A failure is not an error: the sound remains.
 */

import type { ReadCaptionsOutput, StreamPart, StreamSubtitles } from '../../../workers/media/tasks.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts';
import type { GuardedClient } from '../../platform/net/guarded-client.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';
import { STREAM_ADDRESS } from './fetch-stream.ts';
import type { TranscriptSegment } from './schema.ts';

const FETCH_LIMIT_MS = 30 * SECOND_MS;

const PARSE_LIMIT_MS = 30 * SECOND_MS;

const BYTES_MAX = 8 * MIB;

const REDIRECTS = 5;

/** Three hours in parts of six seconds. */
const PARTS_MAX = 1800;

interface CaptionParts {
  client: GuardedClient;
  runTask: RunTask;
  accountId: string;
  policy: FetchPolicy;
  signal: AbortSignal;
}

interface StreamCaptions extends ReadCaptionsOutput {
  language: string | null;
}

/** Null where the address is no stream, or has no subtitles in its language. Errors: the signal's reason. */
export async function readStreamCaptions(
  parts: CaptionParts,
  url: string,
  language: string | null,
): Promise<StreamCaptions | null> {
  if (!STREAM_ADDRESS.test(url)) return null;
  try {
    const playlist = await readStreamPlaylist(parts, url, language);
    if (playlist?.kind !== 'choice') return null;
    const chosen = fittingSubtitles(playlist.subtitles, language);
    if (chosen === null) return null;
    const read = await readSubtitleParts(parts, chosen);
    return read === null || read.segments.length === 0 ? null : { ...read, language: chosen.language ?? language };
  } catch (error) {
    parts.signal.throwIfAborted();
    if (!(error instanceof QuarryError)) throw error;
    return null;
  }
}

/** Those in the language of the speech; of an unknown language the default ones, or the only ones. */
function fittingSubtitles(all: readonly StreamSubtitles[], language: string | null): StreamSubtitles | null {
  const primary = (tag: string | null) => tag?.toLowerCase().split('-')[0] ?? null;
  if (language !== null) return all.find((one) => primary(one.language) === primary(language)) ?? null;
  return all.find(({ isDefault }) => isDefault) ?? (all.length === 1 ? (all[0] ?? null) : null);
}

async function readStreamPlaylist(
  { runTask, accountId, signal, ...rest }: CaptionParts,
  url: string,
  language: string | null,
) {
  const { status, body, finalUrl, truncated } = await fetchSmall({ ...rest, signal }, url);
  if (status !== 200 || truncated) return null;
  const input = { body: new Uint8Array(body), url: finalUrl, language, wantsPictures: false };
  return runTask('read-playlist', input, { accountId, signal, timeLimitMs: PARSE_LIMIT_MS });
}

function fetchSmall({ client, policy, signal }: Pick<CaptionParts, 'client' | 'policy' | 'signal'>, url: string) {
  return client.request(url, {
    policy,
    signal,
    totalTimeoutMs: FETCH_LIMIT_MS,
    maxResponseBytes: BYTES_MAX,
    followRedirects: REDIRECTS,
  });
}

/** Null for subtitles that are encrypted, parts of one file, or too many: they are no better than what is heard. */
async function readSubtitleParts(parts: CaptionParts, { url, language }: StreamSubtitles) {
  const playlist = await readStreamPlaylist(parts, url, language);
  if (playlist?.kind !== 'runs') return null;
  const files = playlist.runs.flatMap((run) => run.parts);
  if (files.length > PARTS_MAX || files.some(({ key, range }) => key !== null || range !== null)) return null;
  const joined = new JoinedCues();
  for (const file of files) {
    const read = await readSubtitleFile(parts, file, language);
    if (read === null) return null;
    joined.addCues(read);
  }
  return joined.captions();
}

interface SubtitleFile extends ReadCaptionsOutput {
  /** Seconds of the stream's clock where the file's own begins; null where it does not say. */
  clock: number | null;
}

async function readSubtitleFile(
  parts: CaptionParts,
  { url }: StreamPart,
  language: string | null,
): Promise<SubtitleFile | null> {
  const { runTask, accountId, signal } = parts;
  const { status, body } = await fetchSmall(parts, url);
  if (status !== 200) return null;
  const clock = clockOf(Buffer.from(body.subarray(0, CLOCK_BYTES)).toString('latin1'));
  const input = { body: new Uint8Array(body), language };
  const read = await runTask('read-captions', input, { accountId, signal, timeLimitMs: PARSE_LIMIT_MS });
  return { ...read, clock };
}

/** The line stands in the head of the file. */
const CLOCK_BYTES = 1024;

const CLOCK_RATE = 90_000;

/** `X-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000` */
function clockOf(head: string): number | null {
  const line = /^X-TIMESTAMP-MAP=([^\r\n]{1,200})/m.exec(head)?.[1];
  const ticks = /MPEGTS:(\d{1,12})/.exec(line ?? '')?.[1];
  const local = /LOCAL:(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2}(?:\.\d{1,6})?)/.exec(line ?? '');
  if (ticks === undefined || local === null) return null;
  const [hours = 0, minutes = 0, seconds = 0] = local.slice(1).map((part) => Number(part ?? 0));
  return Number(ticks) / CLOCK_RATE - (hours * 3600 + minutes * 60 + seconds);
}

/** A cue that reaches into the next file is in both. */
class JoinedCues {
  readonly #segments = new Map<string, TranscriptSegment>();
  readonly #letters = { source: 0, delivered: 0, copies: 0, beyond: 0 };
  /** Of the first file: the times of the stream begin there. */
  #first: number | null = null;

  addCues({ segments, letters, clock }: SubtitleFile): void {
    this.#first ??= clock;
    const shift = clock === null || this.#first === null ? 0 : clock - this.#first;
    for (const name of ['source', 'delivered', 'copies', 'beyond'] as const) this.#letters[name] += letters[name];
    for (const { start, end, text, ...rest } of segments) {
      const placed = { ...rest, text, start: roundCue(start + shift), end: roundCue(end + shift) };
      const key = `${placed.start} ${text}`;
      const known = this.#segments.get(key);
      if (known !== undefined) {
        const count = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
        this.#letters.delivered -= count;
        this.#letters.copies += count;
        known.end = Math.max(known.end, placed.end);
      } else this.#segments.set(key, placed);
    }
  }

  captions(): ReadCaptionsOutput {
    const segments = [...this.#segments.values()].sort((one, other) => one.start - other.start);
    return { segments, letters: this.#letters };
  }
}

function roundCue(seconds: number): number {
  return Math.max(0, Math.round(seconds * 1000) / 1000);
}
