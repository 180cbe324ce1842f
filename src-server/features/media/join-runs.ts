/**
 * Joins the runs of a stream into one sound file on the clock of its playlist. Runs may differ in container, codec and
 * clock, so each is decoded as a file of its own.
 */

import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { ByteRange, EncodeSoundInput } from '../../../workers/media/tasks.ts';
import { QuarryError } from '../../platform/errors.ts';
import { say } from '../../platform/text/say.ts';
import { HOUR_MS, MINUTE_MS } from '../../platform/units.ts';
import type { MediaReader } from './media-reader.ts';
import { chooseAudioTrack, probeMedia } from './probe.ts';
import type { AudioTrack } from './schema.ts';
import type { Span } from './source-seconds.ts';

/** The recognisers hear 16 kHz, people more. */
const SAMPLE_RATE = 24_000;

const SAMPLE_BYTES = 2;

const WAV_HEADER_BYTES = 44;

const DECODE_LIMIT_MS = 10 * MINUTE_MS;

const ENCODE_LIMIT_MS = HOUR_MS;

/** A run may be longer than its playlist states. */
const SLACK_SECONDS = 30;

/** The last part of a run is often a little shorter than stated. */
const SHORT_SECONDS = 0.6;

/** A run in the file of all runs. */
export interface WrittenRun {
  range: ByteRange;
  /** Of the first part that was fetched. */
  startSeconds: number;
  endSeconds: number;
  /** Jumps of the clock are gaps. */
  clockRunsOn: boolean;
  /** How much the playlist may round its lengths. */
  toleranceSeconds: number;
}

interface RunsToJoin {
  /** The file of all runs. */
  path: string;
  /** Where the sound goes, which may be the same. */
  targetPath: string;
  runs: readonly WrittenRun[];
  wish: { language: string | null; audioTrack?: number | undefined };
  signal: AbortSignal;
}

interface JoinedRuns {
  audioTrack: AudioTrack;
  /** Runs without sound that could be read. */
  unread: Span[];
  /** What the playlist states, but a run does not hold. */
  missing: Span[];
}

/** Errors: that of the first run where none can be read, and the signal's reason. */
export async function joinRuns(
  media: MediaReader,
  { path, targetPath, runs, wish, signal }: RunsToJoin,
): Promise<JoinedRuns> {
  const [wav, piece, encoded] = [`${path}.wav`, `${path}.piece`, `${path}.flac`];
  const unread: Span[] = [];
  const missing: Span[] = [];
  let audioTrack: AudioTrack | null = null;
  let failure: unknown = null;
  let samples = 0;
  try {
    await writeHeader(wav, 0);
    for (const run of runs) {
      const { startSeconds: start, endSeconds: end } = run;
      try {
        const track = await decodeRun(media, { path, run, wish, signal, targetPath: piece });
        audioTrack ??= track;
        samples = Math.max(samples, Math.round(start * SAMPLE_RATE));
        // What lies between is silence, which the file system does not store.
        const place = WAV_HEADER_BYTES + samples * SAMPLE_BYTES;
        const target = createWriteStream(wav, { flags: 'r+', start: place });
        await pipeline(createReadStream(piece), target, { signal });
        samples += Math.floor(target.bytesWritten / SAMPLE_BYTES);
        const read = start + target.bytesWritten / SAMPLE_BYTES / SAMPLE_RATE;
        if (end - read > Math.max(SHORT_SECONDS, run.toleranceSeconds)) missing.push({ start: read, end });
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof QuarryError) || FATAL.includes(error.code)) throw error;
        failure ??= error;
        unread.push({ start, end });
      }
    }
    if (audioTrack === null) throw failure;
    await writeHeader(wav, samples * SAMPLE_BYTES);
    const limits = {
      signal,
      timeLimitMs: ENCODE_LIMIT_MS,
      what: 'Joining the parts of the stream',
    };
    const input: EncodeSoundInput = { path: wav, targetPath: encoded, format: 'flac', tags: {}, chapters: [] };
    await media.use((program) => program.encodeSound(input), limits);
    await rename(encoded, targetPath);
    return { audioTrack, unread, missing };
  } finally {
    await Promise.all([wav, piece, encoded].map((one) => rm(one, { force: true })));
  }
}

/** What ends a job whatever else could be read. */
const FATAL: readonly string[] = ['storage_full', 'invalid_request'];

interface RunToDecode extends Pick<RunsToJoin, 'path' | 'wish' | 'signal'> {
  run: WrittenRun;
  targetPath: string;
}

async function decodeRun(
  media: MediaReader,
  { path, run, wish, signal, targetPath }: RunToDecode,
): Promise<AudioTrack> {
  const { range, clockRunsOn, startSeconds, endSeconds } = run;
  const probe = await probeMedia(media, path, signal, range);
  const { language, audioTrack } = wish;
  const track = chooseAudioTrack(probe.audioTracks, { language: language ?? undefined, audioTrack });
  if (track === null) throw new QuarryError('unsupported_media', say`A part of the stream has no sound.`);
  const mostSeconds = endSeconds - startSeconds + SLACK_SECONDS;
  const input = {
    path,
    range,
    clockRunsOn,
    mostSeconds,
    targetPath,
    trackNumber: track.number,
    sampleRate: SAMPLE_RATE,
    isFiltered: false,
  };
  await media.use((program) => program.decodeSound(input, () => undefined), {
    signal,
    timeLimitMs: DECODE_LIMIT_MS,
    what: 'Reading a part of the stream',
  });
  return track;
}

/** A header of a .wav file; `bytes` of sound follow it. */
async function writeHeader(path: string, bytes: number): Promise<void> {
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(bytes + WAV_HEADER_BYTES - 8, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLE_RATE, 24);
  header.writeUInt32LE(SAMPLE_RATE * SAMPLE_BYTES, 28);
  header.writeUInt16LE(SAMPLE_BYTES, 32);
  header.writeUInt16LE(SAMPLE_BYTES * 8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(bytes, 40);
  const file = await open(path, bytes === 0 ? 'w' : 'r+');
  try {
    await file.write(header, 0, header.length, 0);
  } finally {
    await file.close();
  }
}
