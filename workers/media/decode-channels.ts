/** Decodes each channel of a track, or each of several tracks, to samples of its own. */

import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isDiskFull, QuarryError } from '../../src-server/platform/errors.ts';
import { itemAt } from '../../src-server/platform/item-at.ts';
import { ChannelLevels, type ChannelRelation } from './channel-levels.ts';
import { mixFilters, readTrack, toPcm, trackOf } from './decode-sound.ts';
import { LowNoise } from './low-noise.ts';
import { withMedia } from './media-file.ts';
import type { ChannelSounds, DecodeChannelsInput, Decoded, SampleRange } from './tasks.ts';

/** Of the power in all channels. */
const DOMINANT_SHARE = 0.5;

/**
 * Writes the channels with sound of their own as `channel-1.pcm` …, all of one length, each softer where another is
 * spoken into. Writes none where the channels hold the same, or where they need not be apart and are not.
 */
export async function decodeChannels(
  input: DecodeChannelsInput,
  onSeconds: (seconds: number) => void,
): Promise<ChannelSounds> {
  const { sampleRate, channels, isAsked, channelsMax } = input;
  const levels = new ChannelLevels(sampleRate, channels);
  const noises = Array.from({ length: channels }, () => new LowNoise(sampleRate));
  const decoded = await readChannels(input, [], onSeconds, (channel, samples) => {
    levels.addChannelSamples(channel, samples);
    itemAt(noises, channel).addNoiseSamples(samples);
  });
  const relation = levels.relateChannels();
  const found = { ...relation, decoded, samples: 0, dominant: [] };
  const isApart = isAsked ? relation.own.length > 0 : relation.areApart;
  if (!isApart || relation.own.length > channelsMax) return { ...found, files: [] };
  const filters = [...new Set(noises.flatMap((noise) => noise.noiseFilters()))];
  const { samples, dominant } = await writeChannels(input, filters, relation, levels);
  return { ...found, samples, dominant, files: relation.own.map((channel) => channelFile(input, channel)) };
}

function channelFile({ targetFolder }: DecodeChannelsInput, channel: number): string {
  return join(targetFolder, `channel-${channel + 1}.pcm`);
}

/** Writes the channels of a relation, and returns their length and where each of them dominates. */
async function writeChannels(
  input: DecodeChannelsInput,
  filters: readonly string[],
  { own }: ChannelRelation,
  levels: ChannelLevels,
): Promise<{ samples: number; dominant: SampleRange[][] }> {
  const { frameSamples, shares, gains } = levels.shareSound(own);
  const files = new Map(own.map((channel) => [channel, openSync(channelFile(input, channel), 'w')]));
  const written = new Map(own.map((channel) => [channel, 0]));
  try {
    await readChannels(
      input,
      filters,
      () => undefined,
      (channel, samples) => {
        const file = files.get(channel);
        if (file === undefined) return;
        const at = written.get(channel) ?? 0;
        applyGains(samples, at, itemAt(gains, own.indexOf(channel)), frameSamples);
        writeSync(file, toPcm(samples));
        written.set(channel, at + samples.length);
      },
    );
    const longest = Math.max(0, ...written.values());
    for (const [channel, file] of files)
      writeSync(file, toPcm(new Float32Array(longest - (written.get(channel) ?? 0))));
    return { samples: longest, dominant: shares.map((one) => dominantRanges(one, frameSamples)) };
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    throw new QuarryError('storage_full', 'The disk is full. Free some space and try again.', { cause: error });
  } finally {
    for (const file of files.values()) closeSync(file);
  }
}

/** Reads one track with its channels, or several tracks as one channel each. Samples are valid during the call. */
async function readChannels(
  input: DecodeChannelsInput,
  filters: readonly string[],
  onSeconds: (seconds: number) => void,
  onSamples: (channel: number, samples: Float32Array) => void,
): Promise<Decoded> {
  const { path, clockRunsOn, trackNumbers, channels, sampleRate, mostSeconds } = input;
  const [first] = trackNumbers;
  const isOneTrack = trackNumbers.length === 1;
  let decoded: Decoded | null = null;
  for (const [index, trackNumber] of (isOneTrack ? [first ?? 1] : trackNumbers).entries()) {
    const one = await withMedia({ path, clockRunsOn }, (file) => {
      const track = trackOf(file, trackNumber);
      const fixedRateFilters = (firstSample: number) => [
        ...(isOneTrack ? [] : mixFilters(track)),
        `aresample=${sampleRate}:async=1:first_pts=${firstSample}`,
        ...filters,
        `aformat=sample_fmts=flt${isOneTrack ? '' : ':channel_layouts=mono'}`,
        `asetnsamples=n=${sampleRate}:p=0`,
      ];
      const how = { mostSeconds, sampleRate, filters: fixedRateFilters, onSeconds };
      return readTrack(file, track, how, (samples, count) => {
        if (!isOneTrack) onSamples(index, samples.slice());
        else splitInterleaved(samples, count, channels, onSamples);
      });
    });
    decoded = decoded === null ? one : mergeTrackReports(decoded, one);
  }
  return decoded as Decoded;
}

/** A file may change its number of channels: those that are missing are silent. */
function splitInterleaved(
  samples: Float32Array,
  count: number,
  channels: number,
  onSamples: (channel: number, samples: Float32Array) => void,
): void {
  const stride = Math.round(samples.length / Math.max(1, count));
  for (let channel = 0; channel < channels; channel += 1) {
    const one = new Float32Array(count);
    if (channel < stride) for (let at = 0; at < count; at += 1) one[at] = samples[at * stride + channel] ?? 0;
    onSamples(channel, one);
  }
}

/** What was decoded of tracks side by side. */
function mergeTrackReports(one: Decoded, other: Decoded): Decoded {
  return {
    startSeconds: Math.min(one.startSeconds, other.startSeconds),
    endSeconds: Math.max(one.endSeconds, other.endSeconds),
    soundSeconds: Math.max(one.soundSeconds, other.soundSeconds),
    gaps: one.soundSeconds >= other.soundSeconds ? one.gaps : other.gaps,
    damage: { parts: one.damage.parts + other.damage.parts, places: Math.max(one.damage.places, other.damage.places) },
  };
}

/** A gain rises in the frame before, so that no beginning of a word is lost, in a straight line. */
function applyGains(samples: Float32Array, from: number, gains: Float32Array, frameSamples: number): void {
  if (gains.length === 0) return;
  const gainBefore = (frame: number) => Math.max(gains[frame - 1] ?? 0, gains[Math.min(gains.length - 1, frame)] ?? 0);
  for (let at = 0; at < samples.length; at += 1) {
    const place = (from + at) / frameSamples;
    const frame = Math.floor(place);
    const [gain, next] = [gainBefore(frame), gainBefore(frame + 1)];
    samples[at] = (samples[at] ?? 0) * (gain + (next - gain) * (place - frame));
  }
}

/** Where a channel has most of the sound of all. */
function dominantRanges(shares: Float32Array, frameSamples: number): SampleRange[] {
  const ranges: SampleRange[] = [];
  for (const [frame, share] of shares.entries()) {
    if (share < DOMINANT_SHARE) continue;
    const [from, to] = [frame * frameSamples, (frame + 1) * frameSamples];
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === from) last[1] = to;
    else ranges.push([from, to]);
  }
  return ranges;
}
