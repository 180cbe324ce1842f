/**
 * Tells whether the channels of a recording are people of their own, as of a call or an interview, and whose turn it is
 * in each moment. A microphone also hears the others, only softer: levels are compared relative to the loudest of each
 * channel, so that a microphone with a higher gain is not taken for the one that is spoken into.
 */

import { itemAt } from '../../src-server/platform/item-at.ts';

const FRAME_SECONDS = 0.1;

const SILENCE_DB = -100;

/** The loudest frames but for slams and clicks. */
const LOUDEST_SHARE = 0.995;

/** A channel with no louder frame is silent, and one this far below the loudest channel nearly so. */
const SOUNDING_DB = -58;

const NEARLY_SILENT_DB = 45;

/** Frames with sound in any channel, below its loudest. */
const ACTIVE_DB = -25;

/** A channel this much above all others has the frame for its own. */
const OWN_DB = 8;

/** Channels with less between them have one sound, such as the music of a podcast's opening. */
const SHARED_DB = 3;

/** What a channel of one person needs of its own: seconds, and a share of the time with sound. */
const OWN_SECONDS_MIN = 1;

const OWN_SHARE_MIN = 0.03;

/** Shares of the time without shared sound in which one channel stands out: with turns, and without. */
const TURNS_SHARE = 0.6;

const APART_SHARE = 0.35;

/** Correlation of the levels of two channels with one source is near 1. */
const APART_CORRELATION = 0.3;

/** Levels below this do not count for correlation. */
const CORRELATED_DB = -40;

/** What another microphone hears of a voice has less of its power; softer frames are the noise of the room. */
const AUDIBLE_SHARE = 0.15;

const AUDIBLE_DB = -30;

/** A soft voice alone. */
const ALONE_SHARE = 0.8;

/** A microphone opens this long before its voice, and closes this long after. */
const OPEN_FRAMES = 2;

/** Two filters of this kind leave little of hum and offsets. */
const HIGH_PASS_HZ = 200;

/** How the channels of a recording are related. */
export interface ChannelRelation {
  /** Those with more than near silence. */
  sounding: number[];
  /** Those with sound that no other has louder, among the sounding. */
  own: number[];
  /** Nobody needs to ask: they hold different people. */
  areApart: boolean;
}

/** Takes portions of samples channel by channel; keeps one number for each tenth of a second. */
export class ChannelLevels {
  readonly #frameSamples: number;
  readonly #channels: LevelMeter[];

  constructor(sampleRate: number, channels: number) {
    this.#frameSamples = Math.round(sampleRate * FRAME_SECONDS);
    this.#channels = Array.from({ length: channels }, () => new LevelMeter(sampleRate, this.#frameSamples));
  }

  /** Samples of one channel are `stride` apart, and begin at `first`. */
  addChannelSamples(channel: number, samples: Float32Array, first = 0, stride = 1): void {
    itemAt(this.#channels, channel).addLevelSamples(samples, first, stride);
  }

  relateChannels(): ChannelRelation {
    const loudest = this.#channels.map(({ levels }) => loudestOf(levels));
    const most = Math.max(SILENCE_DB, ...loudest);
    const isSounding = (level: number) => level >= SOUNDING_DB && level >= most - NEARLY_SILENT_DB;
    const sounding = loudest.flatMap((level, channel) => (isSounding(level) ? [channel] : []));
    const relative = sounding.map((channel) => this.#relativeLevels(channel, itemAt(loudest, channel)));
    const { active, shared, owned } = countOwnFrames(relative);
    const least = Math.max(OWN_SECONDS_MIN / FRAME_SECONDS, active * OWN_SHARE_MIN);
    const own = sounding.filter((_, index) => itemAt(owned, index) >= least);
    const share = owned.reduce((sum, frames) => sum + frames, 0) / Math.max(1, active - shared);
    const isTurns = share >= TURNS_SHARE;
    const isApart = isTurns || (share >= APART_SHARE && highestCorrelation(relative) < APART_CORRELATION);
    return { sounding, own, areApart: own.length > 1 && isApart };
  }

  /**
   * The factor for each frame of each of these channels, from 0 to 1: its share of the sound in all of them, as mixers
   * with several open microphones do; none where nothing near is its own. `shares` are those of power.
   */
  shareSound(channels: readonly number[]): { frameSamples: number; shares: Float32Array[]; gains: Float32Array[] } {
    const relative = channels.map((channel) => {
      return this.#relativeLevels(channel, loudestOf(itemAt(this.#channels, channel).levels));
    });
    const frames = Math.max(0, ...relative.map(({ length }) => length));
    const shares = channels.map(() => new Float32Array(frames));
    for (let frame = 0; frame < frames; frame += 1) {
      const powers = relative.map((levels) => 10 ** ((levels[frame] ?? SILENCE_DB) / 10));
      const sum = powers.reduce((all, power) => all + power, 0);
      for (const [index, power] of powers.entries()) itemAt(shares, index)[frame] = power / sum;
    }
    const gains = shares.map((one, index) => openGains(one, itemAt(relative, index)));
    return { frameSamples: this.#frameSamples, shares, gains };
  }

  #relativeLevels(channel: number, loudest: number): Float32Array {
    return Float32Array.from(itemAt(this.#channels, channel).levels, (level) => level - loudest);
  }
}

class LevelMeter {
  readonly levels: number[] = [];
  readonly #frameSamples: number;
  readonly #pole: number;
  #before: [number, number] = [0, 0];
  #passed: [number, number] = [0, 0];
  #sum = 0;
  #count = 0;

  constructor(sampleRate: number, frameSamples: number) {
    this.#frameSamples = frameSamples;
    this.#pole = Math.exp((-2 * Math.PI * HIGH_PASS_HZ) / sampleRate);
  }

  addLevelSamples(samples: Float32Array, first: number, stride: number): void {
    let [beforeOne, beforeTwo] = this.#before;
    let [one, two] = this.#passed;
    for (let at = first; at < samples.length; at += stride) {
      const sample = samples[at] ?? 0;
      one = this.#pole * (one + sample - beforeOne);
      beforeOne = sample;
      two = this.#pole * (two + one - beforeTwo);
      beforeTwo = one;
      this.#sum += two * two;
      this.#count += 1;
      if (this.#count === this.#frameSamples) this.#closeLevelFrame();
    }
    this.#before = [beforeOne, beforeTwo];
    this.#passed = [one, two];
  }

  #closeLevelFrame(): void {
    this.levels.push(Math.max(SILENCE_DB, 10 * Math.log10(this.#sum / this.#count + 1e-12)));
    this.#sum = 0;
    this.#count = 0;
  }
}

/** Gains that fall before and after what a channel has of its own, and are zero where that is not near. */
function openGains(shares: Float32Array, levels: Float32Array): Float32Array {
  const opens = (frame: number) => {
    const share = shares[frame] ?? 0;
    return share >= ALONE_SHARE || (share >= AUDIBLE_SHARE && (levels[frame] ?? SILENCE_DB) >= AUDIBLE_DB);
  };
  let openUntil = -1;
  let next = 0;
  return shares.map((share, frame) => {
    for (; next <= frame + OPEN_FRAMES && next < shares.length; next += 1) {
      if (opens(next)) openUntil = next + OPEN_FRAMES;
    }
    if (frame > openUntil) return 0;
    return opens(frame) ? Math.sqrt(share) : share;
  });
}

function loudestOf(levels: readonly number[]): number {
  const sorted = Float32Array.from(levels).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * LOUDEST_SHARE))] ?? SILENCE_DB;
}

/** How many frames have sound, in how many it is one sound, and how many each channel has for its own. */
function countOwnFrames(relative: readonly Float32Array[]): { active: number; shared: number; owned: number[] } {
  const owned = relative.map(() => 0);
  let [active, shared] = [0, 0];
  const frames = Math.max(0, ...relative.map(({ length }) => length));
  for (let frame = 0; frame < frames; frame += 1) {
    let [loudest, next, owner] = [SILENCE_DB, SILENCE_DB, 0];
    for (const [index, levels] of relative.entries()) {
      const level = levels[frame] ?? SILENCE_DB;
      if (level > loudest) [loudest, next, owner] = [level, loudest, index];
      else if (level > next) next = level;
    }
    if (loudest < ACTIVE_DB) continue;
    active += 1;
    if (loudest - next < SHARED_DB) shared += 1;
    if (loudest - next >= OWN_DB) owned[owner] = (owned[owner] ?? 0) + 1;
  }
  return { active, shared, owned };
}

/** The highest correlation of the levels of two channels; 1 for fewer. */
function highestCorrelation(relative: readonly Float32Array[]): number {
  let highest = -1;
  for (const [index, one] of relative.entries()) {
    for (const other of relative.slice(0, index)) highest = Math.max(highest, correlationOf(one, other));
  }
  return relative.length < 2 ? 1 : highest;
}

function correlationOf(one: Float32Array, other: Float32Array): number {
  const length = Math.min(one.length, other.length);
  const [first, second] = [one, other].map((levels) => centred(levels.subarray(0, length)));
  let [both, ofFirst, ofSecond] = [0, 0, 0];
  for (let frame = 0; frame < length; frame += 1) {
    const [a, b] = [first?.[frame] ?? 0, second?.[frame] ?? 0];
    both += a * b;
    ofFirst += a * a;
    ofSecond += b * b;
  }
  return ofFirst === 0 || ofSecond === 0 ? 0 : both / Math.sqrt(ofFirst * ofSecond);
}

/** Levels around their mean. */
function centred(levels: Float32Array): Float32Array {
  const raised = levels.map((level) => Math.max(CORRELATED_DB, level));
  const mean = raised.reduce((sum, level) => sum + level, 0) / Math.max(1, raised.length);
  return raised.map((level) => level - mean);
}
