import { QuarryError } from '../../platform/errors.ts';
import { say } from '../../platform/text/say.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import type { MediaReader } from './media-reader.ts';
import { chooseAudioTrack, DURATION_MAX_SECONDS, probeMedia, type TrackWish } from './probe.ts';

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

export interface SoundPeaks {
  /** The maximum of each equal part, relative to the overall maximum: 0 to 1, at most 400 values. */
  peaks: number[];
}

/**
 * Computes a waveform for display. The media program measures while it decodes, so the server holds no samples in
 * memory. One at a time: a picture must not delay jobs. With several audio tracks it shows the one that is transcribed
 * for that wish.
 *
 * Errors: `unsupported_media` without sound, `corrupt_input`, `out_of_memory`, `timeout`, `engine_failed`, and the
 * signal's reason.
 */
export function createSoundPeaks(
  media: MediaReader,
): (path: string, signal: AbortSignal, wish?: TrackWish) => Promise<SoundPeaks> {
  let before: Promise<unknown> = Promise.resolve();
  return (path, signal, wish = {}) => {
    const mine = before.then(async () => measureSoundPeaks(media, path, wish, signal));
    before = mine.catch(() => undefined);
    return mine;
  };
}

async function measureSoundPeaks(
  media: MediaReader,
  path: string,
  wish: TrackWish,
  signal: AbortSignal,
): Promise<SoundPeaks> {
  signal.throwIfAborted();
  const { durationSeconds, durationIsGuessed, audioTracks } = await probeMedia(media, path, signal);
  const track = chooseAudioTrack(audioTracks, wish);
  if (track === null) throw new QuarryError('unsupported_media', say`The recording has no sound.`);
  const isSure = durationSeconds !== null && !durationIsGuessed;
  const stated = durationSeconds === null ? SLICE_SECONDS : durationSeconds / PEAKS;
  const sliceSeconds = isSure ? stated : Math.max(stated, GUESSED_SLICE_SECONDS);
  const mostSeconds = isSure ? durationSeconds + SLACK_SECONDS : DURATION_MAX_SECONDS;
  const sliceSamples = Math.max(1, Math.ceil(sliceSeconds * SAMPLE_RATE));
  const input = { path, trackNumber: track.number, mostSeconds, sampleRate: SAMPLE_RATE, sliceSamples };
  const limits = { signal, timeLimitMs: LIMIT_MS, what: 'Measuring the sound' };
  const levels = await media.use((program) => program.measurePeaks(input), limits);
  // The video may outlast the sound. The waveform is as long as the player's timeline.
  const slices = isSure ? Math.round((durationSeconds * SAMPLE_RATE) / sliceSamples) : 0;
  while (levels.length > 0 && levels.length < slices) levels.push(0);
  return { peaks: waveformShape(levels) };
}

/** At most PEAKS values relative to the maximum. Silence is flat. */
function waveformShape(levels: readonly number[]): number[] {
  const together = Math.ceil(levels.length / PEAKS);
  const parts = Array.from({ length: Math.ceil(levels.length / Math.max(1, together)) }, (_, index) =>
    levels.slice(index * together, (index + 1) * together).reduce((loudest, one) => Math.max(loudest, one), 0),
  );
  const loudest = parts.reduce((most, one) => Math.max(most, one), 0);
  return parts.map((part) => (loudest === 0 ? 0 : Math.round((part / loudest) * 1000) / 1000));
}
