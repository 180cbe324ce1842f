/**
 * Groups voice prints by speaker. sherpa-onnx clusters with complete linkage, so that one bad window becomes a speaker
 * and, with the number given, two true speakers become one. Average linkage over whole recordings does not, and groups
 * too small to be a speaker join the nearest one.
 */

import { itemAt, knownValue } from '../../src-server/platform/item-at.ts';
/** A voice in one window of sound. */
export interface VoicePrint {
  /** Any length but zero; only its direction counts. */
  vector: Float32Array;
  /** Seconds that it was computed from: its weight. */
  seconds: number;
}

export interface ClusterOptions {
  /** Cosine between groups from which they are one speaker, where `count` is null. */
  threshold: number;
  /** The number of speakers, if known. */
  count: number | null;
  /** Groups with fewer seconds are no speaker of their own. */
  leastSeconds: number;
}

/** Above this many, prints are first grouped in blocks, because time grows with the square of their number. */
const BLOCK_PRINTS = 1500;

/** Groups left of each block: far more than there are speakers. */
const BLOCK_GROUPS = 100;

interface Group {
  /** Sum of the unit vectors, times their seconds. */
  sum: Float64Array;
  seconds: number;
}

/** Two groups that become one, each named by one of its prints. */
interface Merge {
  one: number;
  other: number;
  cosine: number;
}

/** Groups more alike than this share of the way from the threshold to 1 are one voice, whatever the count. */
const SURE_SHARE = 0.3;

/** The direction of each speaker's voice, the one with the most seconds first. Empty without prints. */
export function clusterVoices(prints: readonly VoicePrint[], options: ClusterOptions): Float32Array[] {
  const groups = reduceVoiceGroups(prints.map(groupOf));
  const chosen = options.count === null ? byThreshold(groups, options) : byCount(groups, options.count, options);
  return chosen
    .sort((one, other) => other.seconds - one.seconds)
    .map(({ sum }) => Float32Array.from(normalizedVoiceVector(sum)));
}

function byThreshold(groups: readonly Group[], { threshold, leastSeconds }: ClusterOptions): Group[] {
  for (const { formed, next } of clusteringLevels(groups, mergeAll(groups))) {
    if (next < threshold) return speakersAmong(formed, leastSeconds);
  }
  return [];
}

/** The last level with this number of speakers: prints that join late are the unclear ones. */
function byCount(groups: readonly Group[], count: number, { threshold, leastSeconds }: ClusterOptions): Group[] {
  const sure = threshold + (1 - threshold) * SURE_SHARE;
  let chosen: Group[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (const { formed, next } of clusteringLevels(groups, mergeAll(groups))) {
    if (next >= sure) continue;
    const speakers = speakersAmong(formed, leastSeconds);
    const off = Math.abs(speakers.length - count);
    if (off <= least) [chosen, least] = [speakers, off];
  }
  return chosen;
}

/** Groups large enough to be a speaker; the largest one where none is. */
function speakersAmong(formed: readonly Group[], leastSeconds: number): Group[] {
  const speakers = formed.filter(({ seconds }) => seconds >= leastSeconds);
  if (speakers.length > 0 || formed.length === 0) return speakers;
  return [formed.reduce((most, group) => (group.seconds > most.seconds ? group : most))];
}

export function voiceprintCosine(one: Float32Array, other: Float32Array): number {
  const length = Math.sqrt(dotProduct(one, one) * dotProduct(other, other));
  return length === 0 ? 0 : dotProduct(one, other) / length;
}

function groupOf({ vector, seconds }: VoicePrint): Group {
  return { sum: normalizedVoiceVector(vector).map((value) => value * seconds), seconds };
}

function normalizedVoiceVector(vector: Float32Array | Float64Array): Float64Array {
  const length = Math.sqrt(dotProduct(vector, vector));
  return Float64Array.from(vector, (value) => (length === 0 ? 0 : value / length));
}

function dotProduct(one: Float32Array | Float64Array, other: Float32Array | Float64Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}

function joinVoiceGroups(groups: readonly Group[]): Group {
  const sum = new Float64Array(groups[0]?.sum.length ?? 0);
  let seconds = 0;
  for (const group of groups) {
    seconds += group.seconds;
    for (let index = 0; index < sum.length; index += 1) sum[index] = (sum[index] ?? 0) + (group.sum[index] ?? 0);
  }
  return { sum, seconds };
}

/** Mean cosine of all pairs, weighted by their seconds: the sums hold it, so no table of pairs is needed. */
function meanGroupLikeness(one: Group, other: Group): number {
  return dotProduct(one.sum, other.sum) / (one.seconds * other.seconds);
}

function reduceVoiceGroups(groups: readonly Group[]): Group[] {
  if (groups.length <= BLOCK_PRINTS) return [...groups];
  const left: Group[] = [];
  for (let start = 0; start < groups.length; start += BLOCK_PRINTS) {
    const block = groups.slice(start, start + BLOCK_PRINTS);
    for (const { formed } of clusteringLevels(block, mergeAll(block))) {
      if (formed.length > BLOCK_GROUPS) continue;
      left.push(...formed);
      break;
    }
  }
  return reduceVoiceGroups(left);
}

/** All merges down to one group, by chains of nearest neighbours. */
function mergeAll(groups: readonly Group[]): Merge[] {
  const open = new Map(groups.entries());
  const merges: Merge[] = [];
  const chain: number[] = [];
  while (open.size > 1) {
    if (chain.length === 0) chain.push(open.keys().next().value as number);
    const last = itemAt(chain, -1);
    const nearest = nearestOf(last, chain.at(-2), open);
    if (nearest.id !== chain.at(-2)) {
      chain.push(nearest.id);
      continue;
    }
    chain.splice(-2);
    merges.push({ one: last, other: nearest.id, cosine: nearest.cosine });
    open.set(last, joinVoiceGroups([knownValue(open, last), knownValue(open, nearest.id)]));
    open.delete(nearest.id);
  }
  return merges.sort((one, other) => other.cosine - one.cosine);
}

/** Ties go to the one before in the chain, so that the chain ends. */
function nearestOf(id: number, before: number | undefined, open: ReadonlyMap<number, Group>) {
  const group = knownValue(open, id);
  const nearest = { id: -1, cosine: Number.NEGATIVE_INFINITY };
  const considerNearestGroup = (candidate: number, other: Group) => {
    const cosine = meanGroupLikeness(group, other);
    if (cosine > nearest.cosine) Object.assign(nearest, { id: candidate, cosine });
  };
  if (before !== undefined) considerNearestGroup(before, knownValue(open, before));
  for (const [candidate, other] of open)
    if (candidate !== id && candidate !== before) considerNearestGroup(candidate, other);
  return nearest;
}

/** The groups after each number of merges, from none to all, and the cosine of the next merge. */
function* clusteringLevels(
  groups: readonly Group[],
  merges: readonly Merge[],
): Generator<{ formed: Group[]; next: number }> {
  const places = groups.map((_, index) => index);
  const mergedGroupPlace = (id: number): number => (places[id] === id ? id : mergedGroupPlace(places[id] ?? 0));
  const open = new Map(groups.entries());
  for (let done = 0; done <= merges.length; done += 1) {
    const next = merges[done];
    yield { formed: [...open.values()], next: next?.cosine ?? Number.NEGATIVE_INFINITY };
    if (next === undefined) return;
    const [one, other] = [mergedGroupPlace(next.one), mergedGroupPlace(next.other)];
    open.set(one, joinVoiceGroups([knownValue(open, one), knownValue(open, other)]));
    open.delete(other);
    places[other] = one;
  }
}
