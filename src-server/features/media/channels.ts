/**
 * Recordings with one person on each channel, or on each track. Each is heard for itself, as if all were recorded one
 * after the other; its words then get their places in time and the name of the channel.
 */

import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { ChannelSounds, Decoded, HeardChannels, SampleRange } from '../../../workers/media/tasks.ts';
import { QuarryError } from '../../platform/errors.ts';
import { itemAt } from '../../platform/item-at.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { extractChannels, SAMPLE_RATE } from './extract-audio.ts';
import type { MediaReader } from './media-reader.ts';
import { DURATION_MAX_SECONDS, type Probe } from './probe.ts';
import type { AudioTrack, ChannelsOption, HeardChannel, MediaOptions } from './schema.ts';
import type { FoundSpeech } from './speech.ts';

/** People on channels of their own. More cannot be told apart in a text. */
const CHANNELS_MAX = 16;

/** Of all channels together. */
const SECONDS_MAX = 4 * DURATION_MAX_SECONDS;

const STEREO_NAMES = ['Left', 'Right'] as const;

/** Channels or tracks that may hold a person each. */
interface ChannelPlan {
  /** One, whose channels are read, or several, each of them a channel. */
  trackNumbers: number[];
  names: string[];
  /** Decoding the mix tells whether they are apart. */
  isStereo: boolean;
}

/** The channels that are read for themselves. */
export interface ReadChannels {
  channels: Omit<HeardChannel, 'speechSeconds'>[];
  files: string[];
  /** Length of each. */
  samples: number;
  dominant: SampleRange[][];
}

type ChannelOptions = Pick<MediaOptions, 'channels' | 'speakers' | 'audioTrack'>;

interface ChannelSource {
  path: string;
  clockRunsOn: boolean;
  probe: Probe;
  /** The one that is heard without this. */
  track: AudioTrack;
  /** Number in its file. */
  trackNumber: number;
  options: ChannelOptions;
}

/** Which channels or tracks could be apart; null where there is one, and where nothing speaks for more. */
export function planChannels({ probe, track, trackNumber, options }: ChannelSource): ChannelPlan | null {
  const { audioTracks } = probe;
  const { channels: wish = 'auto', speakers } = options;
  if (wish === 'mixed') return null;
  const plan = tracksApart(probe, track, options) ?? channelsApart(audioTracks[trackNumber - 1], trackNumber);
  if (plan === null || wish === 'separate') return plan;
  // Several people may share a microphone: diarization separates them by voice.
  const isShared = typeof speakers === 'number' && speakers > plan.names.length;
  const seconds = (probe.durationSeconds ?? 0) * plan.names.length;
  return isShared || plan.names.length > CHANNELS_MAX || seconds > SECONDS_MAX ? null : plan;
}

/** The tracks of a recorder. Those of films are languages. */
function tracksApart({ audioTracks }: Probe, track: AudioTrack, { channels, audioTrack }: ChannelOptions) {
  if (audioTracks.length < 2 || audioTracks.length !== track.of || audioTrack !== undefined) return null;
  const languages = new Set(audioTracks.map(({ language }) => language));
  if (languages.size > 1 && channels !== 'separate') return null;
  const names = audioTracks.map(({ title }, index) => title ?? `Track ${index + 1}`);
  return { trackNumbers: names.map((_, index) => index + 1), names: distinctNames(names), isStereo: false };
}

function channelsApart(track: Probe['audioTracks'][number] | undefined, trackNumber: number): ChannelPlan | null {
  const count = track?.channels ?? 1;
  if (track === undefined || count < 2) return null;
  const isStereo = count === STEREO_NAMES.length;
  // Channels with places, such as those of films, are no people.
  const names = Array.from({ length: count }, (_, index) => `Channel ${index + 1}`);
  return { trackNumbers: [trackNumber], names: isStereo ? [...STEREO_NAMES] : names, isStereo };
}

function distinctNames(names: readonly string[]): string[] {
  return names.map((name, index) => (names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} ${index + 1}`));
}

/** Whether channels are looked at before the mix is: for stereo the mix tells. */
export function isFirstApart(plan: ChannelPlan, { probe, trackNumber, options }: ChannelSource): boolean {
  if (options.channels === 'separate') return true;
  return plan.trackNumbers.length > 1 || (probe.audioTracks[trackNumber - 1]?.unplacedChannels ?? 0) > 0;
}

/**
 * Reads the channels where they are apart. Null where they are not, with a warning where that was asked for. Errors:
 * those of `extractAudio`, and `source_too_large` for too many.
 */
export async function readChannelsApart(
  media: MediaReader,
  source: ChannelSource,
  plan: ChannelPlan,
  folder: string,
  watch: { signal: AbortSignal; onProgress(share: number): void },
): Promise<{ read: ReadChannels | null; decoded: Decoded | null; warnings: Said[] }> {
  const { path, clockRunsOn, probe } = source;
  const isAsked = source.options.channels === 'separate';
  const { trackNumbers, names } = plan;
  if ((probe.durationSeconds ?? 0) * names.length > SECONDS_MAX) throw tooMuchSound();
  await mkdir(folder, { recursive: true });
  const place = { path, clockRunsOn, probe, trackNumbers, channels: names.length, channelsMax: CHANNELS_MAX, isAsked };
  const found = await extractChannels(media, place, folder, watch);
  if (found === null) return { read: null, decoded: null, warnings: isAsked ? [CHAINED] : [] };
  if (isAsked && found.own.length > CHANNELS_MAX) throw tooManyChannels(found.own.length);
  if (found.files.length === 0) return { read: null, decoded: null, warnings: isAsked ? [ALIKE] : [] };
  const channels = found.own.map((channel) => ({
    name: itemAt(names, channel),
    track: trackNumbers.length > 1 ? itemAt(trackNumbers, channel) : itemAt(trackNumbers, 0),
    channel: trackNumbers.length > 1 ? null : channel + 1,
  }));
  const { files, samples, dominant, decoded } = found;
  const warnings = [...(isAsked ? [] : [chosenByItself(channels)]), ...leftOutWarnings(found, names)];
  return { read: { channels, files, samples, dominant }, decoded, warnings };
}

/** What to say where channels were asked for and there is only one. */
export function oneChannelWarnings(wish: ChannelsOption | undefined): Said[] {
  return wish === 'separate' ? [say`The recording has one channel: there was nothing to read apart.`] : [];
}

const CHAINED = say`The file is a chain of recordings: their channels were read together.`;

const ALIKE = say`The channels hold the same sound, or none: they were read together.`;

function chosenByItself(channels: ReadChannels['channels']): Said {
  const names = channels.map(({ name }) => name).join(', ');
  return channels.every(({ channel }) => channel === null)
    ? say`The tracks hold different people: each was transcribed for itself (${names}). Mix them with \`channels\`.`
    : say`The channels hold different people: each was transcribed for itself (${names}). Mix them with \`channels\`.`;
}

function leftOutWarnings({ sounding, own }: ChannelSounds, names: readonly string[]): Said[] {
  const named = (channels: readonly number[]) => channels.map((channel) => itemAt(names, channel)).join(', ');
  const quiet = names.flatMap((_, channel) => (sounding.includes(channel) ? [] : [channel]));
  const echoes = sounding.filter((channel) => !own.includes(channel));
  return [
    ...(quiet.length === 0 ? [] : [say`Nearly silent, and left out: ${named(quiet)}.`]),
    ...(echoes.length === 0 ? [] : [say`Left out, because others have the same sound louder: ${named(echoes)}.`]),
  ];
}

function tooManyChannels(count: number): QuarryError {
  const message = say`${count} channels have sound of their own; at most ${CHANNELS_MAX} are read apart.
    Leave channels out, or ask for \`channels: mixed\`.`;
  return new QuarryError('source_too_large', message);
}

function tooMuchSound(): QuarryError {
  const message = say`The channels together are longer than 48 hours. Split the recording into parts.`;
  return new QuarryError('source_too_large', message);
}

/** What was found in each channel, as if they were recorded one after the other. */
export function layEndToEnd(found: readonly FoundSpeech[], { samples }: Pick<ReadChannels, 'samples'>): FoundSpeech {
  const laidRanges = (rangesOf: (one: FoundSpeech) => readonly SampleRange[]) =>
    found.flatMap((one, index) => rangesOf(one).map((range) => moveRange(range, index * samples)));
  const sumOf = (secondsOf: (one: FoundSpeech) => number) => found.reduce((sum, one) => sum + secondsOf(one), 0);
  return {
    foundBy: itemAt(found, 0).foundBy,
    durationSeconds: (samples * found.length) / SAMPLE_RATE,
    speechSeconds: sumOf(({ speechSeconds }) => speechSeconds),
    tookSeconds: sumOf(({ tookSeconds }) => tookSeconds),
    windows: found.flatMap(({ windows }, index) =>
      windows.map(({ pieces }) => ({ pieces: pieces.map((range) => moveRange(range, index * samples)) })),
    ),
    speech: laidRanges(({ speech }) => speech),
    sounds: laidRanges(({ sounds }) => sounds),
    lacksSpeech: found.every(({ lacksSpeech }) => lacksSpeech),
    detectorFailed: found.some(({ detectorFailed }) => detectorFailed),
  };
}

/** The same on the clock of the file. Ranges of different channels may overlap. */
export function placeOnClock(laid: FoundSpeech, { samples }: Pick<ReadChannels, 'samples'>): FoundSpeech {
  const place = (range: SampleRange) => moveRange(range, -channelOf(range[0], samples) * samples);
  return {
    ...laid,
    durationSeconds: samples / SAMPLE_RATE,
    windows: laid.windows.map(({ pieces }) => ({ pieces: pieces.map(place) })),
    speech: laid.speech.map(place),
    sounds: laid.sounds.map(place),
  };
}

function moveRange([from, to]: SampleRange, by: number): SampleRange {
  return [from + by, to + by];
}

function channelOf(sample: number, samples: number): number {
  return Math.floor(sample / Math.max(1, samples));
}

/** Speech of each channel. */
export function heardChannels({ channels, samples }: ReadChannels, laid: FoundSpeech): HeardChannel[] {
  const seconds = channels.map(() => 0);
  for (const [from, to] of laid.speech) {
    const channel = channelOf(from, samples);
    seconds[channel] = (seconds[channel] ?? 0) + (to - from) / SAMPLE_RATE;
  }
  return channels.map((channel, index) => {
    return { ...channel, speechSeconds: Math.round(itemAt(seconds, index) * 1000) / 1000 };
  });
}

/** What places the words of channels that were heard one after the other. */
export function describeHeardChannels({ channels, samples, dominant }: ReadChannels): HeardChannels {
  const seconds = (range: SampleRange): SampleRange => [range[0] / SAMPLE_RATE, range[1] / SAMPLE_RATE];
  return {
    names: channels.map(({ name }) => name),
    seconds: samples / SAMPLE_RATE,
    dominant: dominant.map((ranges) => ranges.map(seconds)),
  };
}

/** The place in the file of what was heard in one of its channels. */
export function placeHeard<Timed extends { start: number; end: number }>(timed: Timed, seconds: number): Timed {
  const before = Math.floor(timed.start / seconds) * seconds;
  return { ...timed, start: Math.max(0, timed.start - before), end: Math.min(seconds, timed.end - before) };
}

/** Joins the files of channels, which are removed, into one. Returns how many there were. */
export async function joinChannels(files: readonly string[], targetPath: string, signal: AbortSignal): Promise<number> {
  await rm(targetPath, { force: true });
  for (const file of files) {
    await pipeline(createReadStream(file), createWriteStream(targetPath, { flags: 'a' }), { signal });
  }
  for (const file of files) await rm(file, { force: true });
  return files.length;
}
