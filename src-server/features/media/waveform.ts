import { QuarryError } from '../../platform/errors.ts';
import { runTool } from '../../platform/process/run-tool.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import { type Ffmpeg, type FfmpegLocator, failureOfReading, QUIET, untrustedInput } from './ffmpeg.ts';
import { chooseAudioTrack, DURATION_MAX_SECONDS, mixFilters, probeMedia } from './probe.ts';

/** The resolution that a window can show. */
const PEAKS = 400;

/** Enough for a picture. An hour of sound takes two seconds of one core. */
const SAMPLE_RATE = 8000;

const LIMIT_MS = 5 * MINUTE_MS;

/** Length of a slice when the file does not state its duration. Slices are merged afterwards. */
const SLICE_SECONDS = 1;

/** Slice length when the duration is an estimate, which may be a thousand times too short. */
const GUESSED_SLICE_SECONDS = 0.05;

/** Beyond this slack, a gap in the timestamps must not become hours of silence. */
const SLACK_SECONDS = 30;

const DECIBELS_PER_TENFOLD = 20;

export interface SoundPeaks {
  /** The maximum of each equal part, relative to the overall maximum: 0 to 1, at most 400 values. */
  peaks: number[];
}

/**
 * Computes a waveform for display. ffmpeg measures while it decodes, so the server holds no samples in memory. One at a
 * time: a picture must not delay jobs. With several audio tracks it shows the one that is transcribed for that
 * language.
 *
 * Errors: `unsupported_media` without sound, `corrupt_input`, `out_of_memory`, `timeout`, `engine_unavailable`, and the
 * signal's reason.
 */
export function createSoundPeaks(
  ffmpeg: FfmpegLocator,
): (path: string, signal: AbortSignal, language?: string) => Promise<SoundPeaks> {
  let before: Promise<unknown> = Promise.resolve();
  return (path, signal, language) => {
    const mine = before.then(async () => measure(await ffmpeg.locate(), path, language, signal));
    before = mine.catch(() => undefined);
    return mine;
  };
}

async function measure(
  ffmpeg: Ffmpeg,
  path: string,
  language: string | undefined,
  signal: AbortSignal,
): Promise<SoundPeaks> {
  signal.throwIfAborted();
  const { durationSeconds, durationIsGuessed, audioTracks, width } = await probeMedia(ffmpeg, path, signal);
  const track = chooseAudioTrack(audioTracks, language);
  if (track === null) throw new QuarryError('unsupported_media', 'The recording has no sound.');
  const isSure = durationSeconds !== null && !durationIsGuessed;
  const stated = durationSeconds === null ? SLICE_SECONDS : durationSeconds / PEAKS;
  const sliceSeconds = isSure ? stated : Math.max(stated, GUESSED_SLICE_SECONDS);
  const mostSeconds = isSure ? durationSeconds + SLACK_SECONDS : DURATION_MAX_SECONDS;
  const sliceSamples = Math.max(1, Math.ceil(sliceSeconds * SAMPLE_RATE));
  const filters = [
    ...audioTracks.slice(track.number - 1, track.number).flatMap(mixFilters),
    // Aligned with the file's clock, as the displayed words are.
    `aresample=${SAMPLE_RATE}:async=1:first_pts=0`,
    `asetnsamples=n=${sliceSamples}:p=0`,
    'astats=metadata=1:reset=1:measure_overall=Peak_level:measure_perchannel=none',
    'ametadata=mode=print:key=lavfi.astats.Overall.Peak_level:file=-',
  ];
  const levels: number[] = [];
  const { code, said, timedOut } = await runTool({
    path: ffmpeg.path,
    args: [
      ...QUIET,
      ...['-v', 'error', '-nostats'],
      ...untrustedInput(path),
      ...['-map', `0:a:${track.number - 1}`, '-vn', '-sn', '-dn', '-t', String(mostSeconds), '-af', filters.join(',')],
      ...['-f', 'null', '-'],
      // ffmpeg starts a transport stream at the first requested track. Decode the video as well, and discard it.
      ...(width === null ? [] : ['-map', '0:V:0', '-c', 'copy', '-t', String(mostSeconds), '-f', 'null', '-']),
    ],
    signal,
    timeLimitMs: LIMIT_MS,
    onLine: (line) => {
      const level = /^lavfi\.astats\.Overall\.Peak_level=(-?[\d.]+|-inf)$/.exec(line)?.[1];
      if (level !== undefined) levels.push(level === '-inf' ? 0 : 10 ** (Number(level) / DECIBELS_PER_TENFOLD));
    },
  });
  if (timedOut) throw new QuarryError('timeout', 'The sound could not be measured in time.');
  if (code !== 0 && levels.length === 0) {
    throw failureOfReading(said, 'The sound of the file could not be read.');
  }
  // The video may outlast the sound. The waveform is as long as the player's timeline.
  const slices = isSure ? Math.round((durationSeconds * SAMPLE_RATE) / sliceSamples) : 0;
  while (levels.length > 0 && levels.length < slices) levels.push(0);
  return { peaks: shapeOf(levels) };
}

/** At most PEAKS values relative to the maximum. Silence is flat. */
function shapeOf(levels: readonly number[]): number[] {
  const together = Math.ceil(levels.length / PEAKS);
  const parts = Array.from({ length: Math.ceil(levels.length / Math.max(1, together)) }, (_, index) =>
    levels.slice(index * together, (index + 1) * together).reduce((loudest, one) => Math.max(loudest, one), 0),
  );
  const loudest = parts.reduce((most, one) => Math.max(most, one), 0);
  return parts.map((part) => (loudest === 0 ? 0 : Math.round((part / loudest) * 1000) / 1000));
}
