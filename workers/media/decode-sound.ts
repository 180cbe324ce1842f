/** Decodes an audio track to samples for recognition, and to peaks for a waveform. */

import { closeSync, openSync, writeSync } from 'node:fs';
import { AVERROR_EAGAIN, AVERROR_EOF, type AVSampleFormat } from 'node-av/constants';
import {
  avChannelLayoutDefault,
  avChannelLayoutDescribe,
  avGetSampleFmtName,
  type FilterContext,
  FilterGraph,
  Frame,
  type Stream,
} from 'node-av/lib';
import { isDiskFull, QuarryError } from '../../src-server/platform/errors.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { ChannelLevels } from './channel-levels.ts';
import { LowNoise } from './low-noise.ts';
import {
  listSoundTrack,
  type MediaFile,
  mediaFailure,
  packetEndSeconds,
  StreamDecoder,
  withMedia,
} from './media-file.ts';
import type { Decoded, DecodedSound, DecodeSoundInput, MeasurePeaksInput } from './tasks.ts';

const PROGRESS_INTERVAL_MS = 200;

const DAMAGED = say`The sound of the file could not be read: it is damaged. Send an intact copy.`;

/** Shorter gaps come from recorders that drop a packet now and then. */
const GAP_MIN_SECONDS = 0.5;

const GAPS_MAX = 200;

/** Levels are measured per second. */
const LEVEL_SECONDS = 1;

const STEREO_CHANNELS = 2;

const SIDES = [0, 1] as const;

/** Multi-speaker recordings use one channel per speaker. More channels without a layout are not taken for surround. */
const GUESSED_CHANNELS_MAX = 2;

/**
 * Writes the mean of the channels. Where two channels cancel each other out in it, the louder one is written instead.
 */
export async function decodeSound(
  input: DecodeSoundInput,
  onSeconds: (seconds: number) => void,
): Promise<DecodedSound> {
  const [levels, lowNoise] = [new StereoLevels(), new LowNoise(input.sampleRate)];
  const channels = new ChannelLevels(input.sampleRate, STEREO_CHANNELS);
  const meters = { levels, lowNoise, channels };
  const written = await writeSound(input, onSeconds, { filters: [], side: null, meters });
  const decoded = { ...written, channelsAreApart: channels.relateChannels().areApart };
  const side = levels.sideToHear();
  const filters = input.isFiltered ? lowNoise.noiseFilters() : [];
  if (side === null && filters.length === 0) return decoded;
  // The second pass reports no progress: it would restart at zero.
  await writeSound(input, () => undefined, { filters, side, meters: null });
  return decoded;
}

interface Pass {
  filters: readonly string[];
  /** The channel to write; null for the mean. */
  side: 0 | 1 | null;
  meters: { levels: StereoLevels; lowNoise: LowNoise; channels: ChannelLevels } | null;
}

async function writeSound(
  { path, range, trackNumber, mostSeconds, sampleRate, targetPath, clockRunsOn }: DecodeSoundInput,
  onSeconds: (seconds: number) => void,
  { filters: cleaning, side, meters }: Pass,
): Promise<Decoded> {
  return withMedia({ path, range, clockRunsOn }, async (file) => {
    const track = trackOf(file, trackNumber);
    const isStereo = !listSoundTrack(track).isMono && mixFilters(track).length === 0;
    const layout = isStereo ? 'stereo' : 'mono';
    const fixedRateFilters = (firstSample: number) => [
      ...mixFilters(track),
      `aresample=${sampleRate}:async=1:first_pts=${firstSample}`,
      ...cleaning,
      `aformat=sample_fmts=flt:channel_layouts=${layout}`,
      `asetnsamples=n=${sampleRate * LEVEL_SECONDS}:p=0`,
    ];
    const target = openSync(targetPath, 'w');
    let left = Math.round(mostSeconds * sampleRate);
    try {
      return await readTrack(
        file,
        track,
        { mostSeconds, sampleRate, filters: fixedRateFilters, onSeconds },
        (samples) => {
          for (const side of isStereo ? SIDES : []) {
            meters?.channels.addChannelSamples(side, samples, side, STEREO_CHANNELS);
          }
          const mono = isStereo ? mixStereo(samples, side, meters?.levels ?? null) : samples;
          meters?.lowNoise.addNoiseSamples(mono);
          const bytes = toPcm(mono.subarray(0, left));
          left -= Math.min(left, mono.length);
          writeSync(target, bytes);
        },
      );
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      throw new QuarryError('storage_full', 'The disk is full. Free some space and try again.', { cause: error });
    } finally {
      closeSync(target);
    }
  });
}

/** The loudest sample of each slice. */
export async function measurePeaks(input: MeasurePeaksInput): Promise<number[]> {
  const { path, trackNumber, mostSeconds, sampleRate, sliceSamples } = input;
  const peaks: number[] = [];
  await withMedia({ path }, async (file) => {
    const track = trackOf(file, trackNumber);
    const clockAlignedFilters = (firstSample: number) => [
      ...mixFilters(track),
      // Aligned with the file's clock, as the displayed words are.
      `aresample=${sampleRate}:async=1:first_pts=${firstSample}`,
      'aformat=sample_fmts=flt',
      `asetnsamples=n=${sliceSamples}:p=0`,
    ];
    const how = { mostSeconds, sampleRate, filters: clockAlignedFilters, onSeconds: () => undefined };
    await readTrack(file, track, how, (samples) => {
      peaks.push(samples.reduce((loudest, sample) => Math.max(loudest, Math.abs(sample)), 0));
    });
  });
  return peaks;
}

/** Reads the sound of a file in blocks of a second, each as one array of samples for each channel. */
export async function readSoundBlocks(
  path: string,
  { channels, sampleRate }: { channels: 1 | 2; sampleRate: number },
  onBlock: (block: Float32Array[]) => void,
): Promise<void> {
  await withMedia({ path }, async (file) => {
    const filters = () => [
      `aformat=sample_fmts=flt:channel_layouts=${channels === 1 ? 'mono' : 'stereo'}`,
      `asetnsamples=n=${sampleRate}:p=0`,
    ];
    const how = { mostSeconds: Number.POSITIVE_INFINITY, sampleRate, filters, onSeconds: () => undefined };
    await readTrack(file, trackOf(file, 1), how, (samples) => {
      const split = (channel: number) =>
        Float32Array.from({ length: samples.length / channels }, (_, at) => samples[at * channels + channel] ?? 0);
      onBlock(Array.from({ length: channels }, (_, channel) => split(channel)));
    });
  });
}

/** Errors: `corrupt_input` without the track. */
export function trackOf(file: MediaFile, trackNumber: number): Stream {
  const track = file.audio[trackNumber - 1];
  // A part of a file may lack the tracks of the first.
  if (track === undefined) throw mediaFailure(0, DAMAGED, `There is no audio track ${trackNumber}.`);
  return track;
}

/**
 * Filters that mix channels without a layout, each with the same weight. A single sounding channel keeps more of its
 * loudness than in the mean, and three identical ones are not too loud.
 */
export function mixFilters({ codecpar }: Stream): string[] {
  const { order, nbChannels } = codecpar.channelLayout;
  if (order !== 0 || nbChannels <= GUESSED_CHANNELS_MAX) return [];
  const share = (1 / Math.sqrt(nbChannels)).toFixed(3);
  return [`pan=mono|c0=${Array.from({ length: nbChannels }, (_, index) => `${share}*c${index}`).join('+')}`];
}

export interface HowToRead {
  mostSeconds: number;
  sampleRate: number;
  /** Filters from decoded frames to samples; `firstSample` is the number of the first sample to produce. */
  filters(firstSample: number): string[];
  onSeconds(seconds: number): void;
}

/** Feeds the samples of a track to `onSamples`. The video track is read as well, to know where the file ends. */
export async function readTrack(
  file: MediaFile,
  track: Stream,
  { mostSeconds, sampleRate, filters, onSeconds }: HowToRead,
  /** Gets samples of all channels in turn, and how many each has. They are valid during the call. */
  onSamples: (samples: Float32Array, count: number) => void,
): Promise<Decoded> {
  const { startSeconds, video } = file;
  const decoder = new StreamDecoder(track, startSeconds);
  const sound = new SoundGraph(filters, (samples, count) => {
    produced += count;
    onSamples(samples, count);
  });
  let produced = 0;
  let first: number | null = null;
  let soundSeconds = 0;
  let endSeconds = 0;
  let frameEnd = 0;
  const gaps: Decoded['gaps'] = [];
  let reportedAt = performance.now();
  const onFrame = (frame: Frame, seconds: number) => {
    if (seconds >= mostSeconds) return;
    first ??= Math.max(0, seconds);
    if (soundSeconds > 0 && seconds - frameEnd >= GAP_MIN_SECONDS && gaps.length < GAPS_MAX)
      gaps.push([frameEnd, seconds]);
    frameEnd = seconds + frame.nbSamples / frame.sampleRate;
    soundSeconds += frame.nbSamples / frame.sampleRate;
    sound.pushSoundFrame(frame, seconds, produced);
  };
  for await (const packets of file.readPacketBatches(video === null ? [track] : [track, video])) {
    for (const packet of packets) {
      if (packet.streamIndex === track.index) decoder.decodePacket(packet, onFrame);
      else if (video !== null) endSeconds = Math.max(endSeconds, packetEndSeconds(packet, video, startSeconds) ?? 0);
    }
    if (performance.now() - reportedAt >= PROGRESS_INTERVAL_MS) {
      reportedAt = performance.now();
      onSeconds(Math.max(produced / sampleRate, endSeconds));
    }
    if (produced >= mostSeconds * sampleRate) break;
  }
  decoder.decodePacket(null, onFrame);
  sound.drainSoundGraph();
  if (first === null && decoder.damagedParts > 0) throw mediaFailure(0, DAMAGED);
  return {
    startSeconds: first ?? 0,
    endSeconds: Math.min(mostSeconds, Math.max(endSeconds, produced / sampleRate)),
    soundSeconds,
    gaps,
    damage: { parts: decoder.damagedParts, places: file.damagedPlaces },
  };
}

/** Runs decoded frames through filters. Frames of another format get filters of their own, which continue in time. */
export class SoundGraph {
  readonly #filters: (firstSample: number) => string[];
  readonly #onSamples: (samples: Float32Array, count: number) => void;
  readonly #out = new Frame();
  #format = '';
  #graph: FilterGraph | null = null;
  #source: FilterContext | null = null;
  #sink: FilterContext | null = null;

  constructor(filters: HowToRead['filters'], onSamples: (samples: Float32Array, count: number) => void) {
    this.#filters = filters;
    this.#onSamples = onSamples;
    this.#out.alloc();
  }

  pushSoundFrame(frame: Frame, seconds: number, produced: number): void {
    const { nbChannels, order } = frame.channelLayout;
    if (order === 0 && nbChannels <= GUESSED_CHANNELS_MAX) frame.channelLayout = avChannelLayoutDefault(nbChannels);
    const layout = avChannelLayoutDescribe(frame.channelLayout);
    const rate = frame.sampleRate;
    const name = avGetSampleFmtName(frame.format as AVSampleFormat);
    const format = `time_base=1/${rate}:sample_rate=${rate}:sample_fmt=${name}:channel_layout=${layout}`;
    if (format !== this.#format) {
      this.drainSoundGraph();
      this.#openSoundGraph(format, produced);
    }
    frame.pts = BigInt(Math.round(seconds * rate));
    this.#addSoundFrame(frame);
  }

  /** Gives out what the filters still hold. */
  drainSoundGraph(): void {
    if (this.#graph === null) return;
    this.#addSoundFrame(null);
    this.#graph.free();
    this.#graph = null;
  }

  #openSoundGraph(format: string, firstSample: number): void {
    this.#graph = openGraph([`abuffer@in=${format}`, ...this.#filters(firstSample), 'abuffersink@out'].join(','));
    this.#source = this.#graph.getFilter('abuffer@in');
    this.#sink = this.#graph.getFilter('abuffersink@out');
    this.#format = format;
  }

  #addSoundFrame(frame: Frame | null): void {
    const added = this.#source?.buffersrcAddFrameSync(frame) ?? 0;
    if (added < 0 && added !== AVERROR_EOF) throw mediaFailure(added, DAMAGED);
    for (;;) {
      const code = this.#sink?.buffersinkGetFrameSync(this.#out) ?? AVERROR_EOF;
      if (code === AVERROR_EAGAIN || code === AVERROR_EOF) return;
      if (code < 0) throw mediaFailure(code, DAMAGED);
      const bytes = this.#out.data?.[0] ?? Buffer.alloc(0);
      const count = this.#out.nbSamples;
      const floats = new Float32Array(bytes.buffer, bytes.byteOffset, count * this.#out.channels);
      this.#onSamples(floats, count);
      this.#out.unref();
    }
  }
}

/** A filter graph that names its own source and sinks. Errors: `corrupt_input`, `out_of_memory`. */
export function openGraph(description: string): FilterGraph {
  const graph = new FilterGraph();
  graph.alloc();
  const parsed = graph.parsePtr(description);
  const code = parsed < 0 ? parsed : graph.configSync();
  if (code < 0)
    throw mediaFailure(code, say`The file uses a format that could not be converted. Send a version in MP4.`);
  return graph;
}

/** Interleaved stereo to one channel. */
function mixStereo(stereo: Float32Array, side: 0 | 1 | null, levels: StereoLevels | null): Float32Array {
  const mono = new Float32Array(stereo.length / STEREO_CHANNELS);
  const power = { left: 0, right: 0, mix: 0 };
  for (let index = 0; index < mono.length; index += 1) {
    const left = stereo[2 * index] ?? 0;
    const right = stereo[2 * index + 1] ?? 0;
    const mean = (left + right) / 2;
    mono[index] = side === null ? mean : side === 0 ? left : right;
    power.left += left * left;
    power.right += right * right;
    power.mix += mean * mean;
  }
  levels?.addStereoPower(power, mono.length);
  return mono;
}

/** 16-bit samples. */
export function toPcm(samples: Float32Array): Uint8Array {
  const pcm = new Int16Array(samples.length);
  for (let index = 0; index < pcm.length; index += 1) {
    pcm[index] = Math.max(-32_768, Math.min(32_767, Math.round((samples[index] ?? 0) * 32_768)));
  }
  return new Uint8Array(pcm.buffer);
}

/** A channel below this level is silent. */
const SOUNDING_DB = -50;

/** Uncorrelated channels lose 3 dB in their mean, a single sounding channel loses 6. */
const CANCELLED_DB = 12;

/** Share of the seconds with sound. */
const CANCELLED_SHARE = 0.1;

/**
 * Detects whether the two channels of a track cancel each other out in the mix. A cable with reversed polarity inverts
 * one channel: listeners hear it, but the mean of both is silence. Tracks with more channels are mixed to stereo first.
 */
class StereoLevels {
  #sounding = 0;
  #cancelled = 0;
  /** Loudness each channel loses in the seconds where both cancel each other out. */
  readonly #lost: [number, number] = [0, 0];

  /** Adds the summed squares of a second. */
  addStereoPower({ left, right, mix }: { left: number; right: number; mix: number }, samples: number): void {
    const meanDecibels = (power: number) => 10 * Math.log10(power / samples);
    const loudest = meanDecibels(Math.max(left, right));
    if (loudest < SOUNDING_DB) return;
    this.#sounding += 1;
    if (meanDecibels(mix) >= loudest - CANCELLED_DB) return;
    this.#cancelled += 1;
    this.#lost[0] += left / samples;
    this.#lost[1] += right / samples;
  }

  /** The channel to use instead of the mean; null when the mean loses nothing. */
  sideToHear(): 0 | 1 | null {
    if (this.#sounding === 0 || this.#cancelled / this.#sounding < CANCELLED_SHARE) return null;
    return this.#lost[1] > this.#lost[0] ? 1 : 0;
  }
}
