/** Puts the words of channels, which were heard one after the other, in their order in time. */

import type { TranscriptSegment } from '../../src-server/features/media/schema.ts';
import { itemAt } from '../../src-server/platform/item-at.ts';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import { type Said, say } from '../../src-server/platform/text/say.ts';
import type { HeardChannels } from './tasks.ts';

interface ChannelSegment {
  segment: TranscriptSegment;
  channel: number;
}

interface MergedChannels {
  /** In order of their starts, each with the name of its channel. */
  segments: TranscriptSegment[];
  /** Sentences that a microphone heard of the speaker of another. */
  crossTalk: number;
}

export function mergeChannels(laid: readonly TranscriptSegment[], channels: HeardChannels): MergedChannels {
  const placed = laid
    .map((segment) => placeInChannel(segment, channels))
    .sort((one, other) => one.segment.start - other.segment.start);
  const kept = placed.filter((one, index) => !isCrossTalk(one, neighboursOf(placed, index), channels));
  return { segments: kept.map(({ segment }) => segment), crossTalk: placed.length - kept.length };
}

function placeInChannel(segment: TranscriptSegment, { names, seconds }: HeardChannels): ChannelSegment {
  const channel = Math.min(names.length - 1, Math.floor(segment.start / seconds));
  const speaker = itemAt(names, channel);
  const place = <Timed extends { start: number; end: number }>(timed: Timed) => ({
    ...timed,
    start: roundPlaced(Math.max(0, timed.start - channel * seconds)),
    end: roundPlaced(Math.min(seconds, timed.end - channel * seconds)),
    speaker,
  });
  const { words, ...rest } = segment;
  return { channel, segment: { ...place(rest), ...omitUndefined({ words: words?.map(place) }) } };
}

function roundPlaced(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/** Segments last rarely longer; one that began before is not searched for. */
const LOOK_AROUND = 16;

function neighboursOf(placed: readonly ChannelSegment[], index: number): ChannelSegment[] {
  return placed.slice(Math.max(0, index - LOOK_AROUND), index + LOOK_AROUND);
}

/** Share of the words of a sentence that were also heard in another channel. */
const SAME_WORDS_SHARE = 0.7;

/** A channel with less of the sound than this did not say it. */
const SAID_SHARE = 0.35;

/** Another channel has most of the sound meanwhile, and the same words. */
function isCrossTalk(
  { segment, channel }: ChannelSegment,
  others: readonly ChannelSegment[],
  { dominant }: HeardChannels,
): boolean {
  if (dominantShare(segment, dominant[channel] ?? []) >= SAID_SHARE) return false;
  const heard = others.filter((other) => other.channel !== channel && overlaps(other.segment, segment));
  const words = wordsOf(segment.text);
  const elsewhere = new Set(heard.flatMap((other) => wordsOf(other.segment.text)));
  const same = words.filter((word) => elsewhere.has(word)).length;
  return words.length > 0 && same >= words.length * SAME_WORDS_SHARE;
}

function overlaps(one: TranscriptSegment, other: TranscriptSegment): boolean {
  return one.start < other.end && other.start < one.end;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
}

/** Share of a segment in ordered ranges. */
function dominantShare({ start, end }: TranscriptSegment, ranges: readonly (readonly [number, number])[]): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (itemAt(ranges, middle)[1] <= start) low = middle + 1;
    else high = middle;
  }
  let seconds = 0;
  for (let at = low; at < ranges.length; at += 1) {
    const [from, to] = itemAt(ranges, at);
    if (from >= end) break;
    seconds += Math.min(to, end) - Math.max(from, start);
  }
  return seconds / Math.max(0.001, end - start);
}

export function crossTalkWarnings(count: number): Said[] {
  if (count === 0) return [];
  return count === 1
    ? [say`Heard a second time, softer, through the microphone of another: 1 sentence was left out.`]
    : [say`Heard a second time, softer, through the microphone of another: ${count} sentences were left out.`];
}
