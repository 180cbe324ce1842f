/** Gives each word of a transcript its speaker, and cuts segments where the speaker changes. */

import type { TranscriptSegment, TranscriptWord } from '../../src-server/features/media/schema.ts';
import { itemAt } from '../../src-server/platform/item-at.ts';
import type { SpeakerTurn } from './tasks.ts';

/** A word, or a whole segment whose words are not timed. */
interface Unit {
  start: number;
  end: number;
  /** How unlikely another speaker goes on here. */
  switchCost: number;
}

/** Costs of a change of speaker. A word outside of its speaker's turns costs 1. */
const SWITCH_COST = 1.5;

const SWITCH_COST_AT_PAUSE = 0.5;

const PAUSE_SECONDS = 0.35;

const SENTENCE_END = /[.!?…。！？]["'”’)\]]*$/u;

/** Cost of the speaker whose turn is nearest, for a word outside of all turns. */
const NEAREST_COST = 0.5;

/** Turns last rarely longer; one that began before is not searched for. */
const LOOK_BACK_TURNS = 64;

interface SpokenSegments {
  segments: TranscriptSegment[];
  /** The number of each speaker in the turns, by name. */
  speakerNumbers: Record<string, number>;
}

/**
 * Segments with the names of recognised speakers, and with `Speaker 1`, `Speaker 2`, … for the others, in the order in
 * which they first speak.
 *
 * @param names of speakers, by their number in the turns; no two alike
 */
export function withSpeakers(
  segments: readonly TranscriptSegment[],
  turns: readonly SpeakerTurn[],
  names: Readonly<Record<number, string>> = {},
): SpokenSegments {
  const count = turns.reduce((most, { speaker }) => Math.max(most, speaker + 1), 0);
  if (count === 0) return { segments: [...segments], speakerNumbers: {} };
  const placed = segments.map((segment) => ({ segment, words: placedWords(segment) }));
  const speakers = likeliestSpeakers(speechUnits(placed), turns, count);
  const numbers = new Map<number, number>();
  const assignedSpeakerName = (speaker: number) => {
    if (!numbers.has(speaker)) numbers.set(speaker, numbers.size + 1);
    return names[speaker] ?? `Speaker ${numbers.get(speaker)}`;
  };
  let next = 0;
  const spoken = placed.flatMap(({ segment, words }) => {
    const own = speakers.slice(next, next + Math.max(1, words.length));
    next += own.length;
    return splitBySpeaker(segment, words, own.map(assignedSpeakerName));
  });
  const named = [...numbers.keys()].map((speaker) => [assignedSpeakerName(speaker), speaker] as const);
  return { segments: spoken, speakerNumbers: Object.fromEntries(named) };
}

interface PlacedWord {
  word: TranscriptWord;
  /** Where it begins in the text of the segment. */
  at: number;
}

/** Empty where the words are not timed, or are not those of the text. */
function placedWords({ text, words = [] }: TranscriptSegment): PlacedWord[] {
  const placed: PlacedWord[] = [];
  let from = 0;
  for (const word of words) {
    const at = text.indexOf(word.text, from);
    if (at < 0) return [];
    placed.push({ word, at });
    from = at + word.text.length;
  }
  return placed;
}

function speechUnits(placed: readonly { segment: TranscriptSegment; words: readonly PlacedWord[] }[]): Unit[] {
  const units: Unit[] = [];
  let before: { end: number; text: string } | null = null;
  for (const { segment, words } of placed) {
    for (const { start, end, text } of words.length === 0 ? [segment] : words.map(({ word }) => word)) {
      const isPause = before === null || SENTENCE_END.test(before.text) || start - before.end > PAUSE_SECONDS;
      units.push({ start, end, switchCost: isPause ? SWITCH_COST_AT_PAUSE : SWITCH_COST });
      before = { end, text };
    }
  }
  return units;
}

/** The sequence of speakers with the least cost (Viterbi's algorithm). */
function likeliestSpeakers(units: readonly Unit[], turns: readonly SpeakerTurn[], count: number): number[] {
  const from: Uint8Array[] = [];
  let costs = new Array<number>(count).fill(0);
  let first = 0;
  for (const unit of units) {
    while (first < turns.length - 1 && itemAt(turns, first).end < unit.start) first += 1;
    const own = costsOf(unit, turns, Math.max(0, first - LOOK_BACK_TURNS), count);
    const cheapest = costs.indexOf(Math.min(...costs));
    const before = new Uint8Array(count);
    costs = own.map((cost, speaker) => {
      const stays = costs[speaker] ?? 0;
      const switches = (costs[cheapest] ?? 0) + unit.switchCost;
      before[speaker] = switches < stays ? cheapest : speaker;
      return cost + Math.min(stays, switches);
    });
    from.push(before);
  }
  const speakers: number[] = [];
  let speaker = costs.indexOf(Math.min(...costs));
  for (const before of from.toReversed()) {
    speakers.push(speaker);
    speaker = before[speaker] ?? 0;
  }
  return speakers.reverse();
}

/** For each speaker the share of the unit outside of the speaker's turns. */
function costsOf({ start, end }: Unit, turns: readonly SpeakerTurn[], first: number, count: number): number[] {
  const within = new Array<number>(count).fill(0);
  let nearest = { distance: Number.POSITIVE_INFINITY, speaker: 0 };
  for (let index = first; index < turns.length; index += 1) {
    const turn = itemAt(turns, index);
    const distance = Math.max(turn.start - end, start - turn.end);
    if (distance < nearest.distance) nearest = { distance, speaker: turn.speaker };
    if (turn.start >= end) break;
    const shared = Math.max(0, Math.min(end, turn.end) - Math.max(start, turn.start));
    within[turn.speaker] = (within[turn.speaker] ?? 0) + shared;
  }
  const length = Math.max(end - start, Number.EPSILON);
  const costs = within.map((seconds) => 1 - Math.min(1, seconds / length));
  if (within.every((seconds) => seconds === 0)) costs[nearest.speaker] = NEAREST_COST;
  return costs;
}

/** The segment, cut where the speaker changes. */
function splitBySpeaker(
  segment: TranscriptSegment,
  words: readonly PlacedWord[],
  names: readonly string[],
): TranscriptSegment[] {
  const { words: _, ...rest } = segment;
  if (words.length === 0) return [{ ...segment, speaker: itemAt(names, 0) }];
  const starts = names.flatMap((name, index) => (index === 0 || name !== names[index - 1] ? [index] : []));
  return starts.map((first, run) => {
    const next = starts[run + 1] ?? words.length;
    const speaker = itemAt(names, first);
    const own = words.slice(first, next).map(({ word }) => ({ ...word, speaker }));
    return {
      ...rest,
      start: run === 0 ? segment.start : itemAt(own, 0).start,
      end: next === words.length ? segment.end : itemAt(own, -1).end,
      text: segment.text.slice(run === 0 ? 0 : itemAt(words, first).at, words[next]?.at).trim(),
      speaker,
      words: own,
    };
  });
}
