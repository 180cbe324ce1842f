import type { TranscriptSegment } from '../../src-server/features/media/schema.ts';
import type { Chunk } from '../../src-server/operation.ts';
import { itemAt } from '../../src-server/platform/item-at.ts';

/** A word of a transcript. */
interface Unit {
  text: string;
  /** White space before it in its segment. */
  gap: string;
  segment: number;
  /** Null where the words of its segment are not timed. */
  timed: NonNullable<TranscriptSegment['words']>[number] | null;
}

/** Larger comparisons replace the text of a chunk as a whole. */
const COMPARED_MAX = 4_000_000;

type SpokenChunk = Pick<Chunk, 'id' | 'kind' | 'text' | 'originalText'>;

/**
 * Segments with the corrections of their chunks: words that stay keep their times, others share the time of the words
 * that they replace. A chunk whose former text is not that of the segments changes nothing and is one of `unplaced`.
 */
export function correctedSegments(
  segments: readonly TranscriptSegment[],
  chunks: readonly SpokenChunk[],
): { segments: TranscriptSegment[]; unplaced: string[] } {
  const spoken = chunks.filter(({ kind }) => kind === 'text');
  const unplaced: string[] = [];
  if (spoken.every(({ originalText }) => originalText === undefined)) return { segments: [...segments], unplaced };
  const units = segments.flatMap(segmentUnits);
  const corrected: Unit[] = [];
  let place = 0;
  for (const { id, text, originalText } of spoken) {
    const former = correctedWords(originalText ?? text).join('');
    const from = place;
    for (let letters = 0; letters < former.length && place < units.length; place += 1) {
      letters += itemAt(units, place).text.length;
    }
    const own = units.slice(from, place);
    const isSame = own.map((unit) => unit.text).join('') === former;
    corrected.push(...(originalText !== undefined && isSame ? replaceUnitWords(own, correctedWords(text)) : own));
    if (originalText !== undefined && !isSame) unplaced.push(id);
  }
  corrected.push(...units.slice(place));
  const bySegment = Map.groupBy(corrected, ({ segment }) => segment);
  const before = Map.groupBy(units, ({ segment }) => segment);
  const changed = segments.flatMap((segment, index) =>
    withUnits(segment, bySegment.get(index) ?? [], before.get(index) ?? []),
  );
  return { segments: changed, unplaced };
}

function correctedWords(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}

function segmentUnits({ text, words }: TranscriptSegment, segment: number): Unit[] {
  const found = [...text.matchAll(/(\s*)(\S+)/g)];
  const isTimed = words?.length === found.length;
  return found.map(([, gap = '', word = ''], index) => {
    return { text: word, gap, segment, timed: (isTimed && words[index]) || null };
  });
}

/** A segment of which all words were removed goes. One whose words all stay is the same object. */
function withUnits(whole: TranscriptSegment, units: readonly Unit[], before: readonly Unit[]): TranscriptSegment[] {
  if (units.length === before.length && units.every((unit, index) => unit === before[index])) return [whole];
  if (units.length === 0) return [];
  const { words: _former, ...segment } = whole;
  const text = units.map((unit, index) => (index === 0 ? '' : unit.gap || ' ') + unit.text).join('');
  const words = units.flatMap((unit) => (unit.timed === null ? [] : [{ ...unit.timed, text: unit.text }]));
  const isTimed = words.length === units.length;
  // Members stay in their order.
  return [isTimed ? { ...whole, text, words } : { ...segment, text }];
}

function replaceUnitWords(units: readonly Unit[], words: readonly string[]): Unit[] {
  const result: Unit[] = [];
  let [unit, word] = [0, 0];
  for (const [nextUnit, nextWord] of [...commonPlaces(units, words), [units.length, words.length] as const]) {
    const former = units.slice(unit, nextUnit);
    const neighbour = units[unit - 1] ?? units[unit];
    result.push(...inPlaceOf(former, words.slice(word, nextWord), neighbour));
    const kept = units[nextUnit];
    if (kept !== undefined) result.push(kept);
    [unit, word] = [nextUnit + 1, nextWord + 1];
  }
  return result;
}

/** New words in the time of former ones; beside a neighbour, they have no length. */
function inPlaceOf(former: readonly Unit[], words: readonly string[], neighbour: Unit | undefined): Unit[] {
  const share = former.length / words.length;
  return words.flatMap((text, index) => {
    const base = former[Math.floor(index * share)] ?? neighbour;
    if (base === undefined) return [];
    if (base.timed === null) return [{ ...base, text, gap: ' ' }];
    const { start, end } = base.timed;
    if (former.length === 0) return [{ ...base, text, gap: ' ', timed: { ...base.timed, start: end, end } }];
    const interpolatedTime = (place: number) =>
      start + (end - start) * Math.min(1, Math.max(0, place - Math.floor(index * share)));
    const gap = former.length === words.length ? base.gap : ' ';
    return [
      {
        ...base,
        text,
        gap,
        timed: { ...base.timed, start: interpolatedTime(index * share), end: interpolatedTime((index + 1) * share) },
      },
    ];
  });
}

/** Places of the words that stay: a longest common subsequence. */
function commonPlaces(units: readonly Unit[], words: readonly string[]): [unit: number, word: number][] {
  const [rows, columns] = [units.length + 1, words.length + 1];
  if (rows * columns > COMPARED_MAX) return [];
  const lengths = new Uint32Array(rows * columns);
  const commonLengthAt = (unit: number, word: number) => lengths[unit * columns + word] ?? 0;
  for (let unit = units.length - 1; unit >= 0; unit -= 1) {
    for (let word = words.length - 1; word >= 0; word -= 1) {
      const isSame = units[unit]?.text === words[word];
      lengths[unit * columns + word] = isSame
        ? commonLengthAt(unit + 1, word + 1) + 1
        : Math.max(commonLengthAt(unit + 1, word), commonLengthAt(unit, word + 1));
    }
  }
  const places: [number, number][] = [];
  for (let [unit, word] = [0, 0]; unit < units.length && word < words.length; ) {
    if (units[unit]?.text === words[word]) {
      places.push([unit, word]);
      [unit, word] = [unit + 1, word + 1];
    } else if (commonLengthAt(unit + 1, word) >= commonLengthAt(unit, word + 1)) unit += 1;
    else word += 1;
  }
  return places;
}
