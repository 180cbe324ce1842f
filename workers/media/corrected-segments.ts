import type { TranscriptSegment } from '../../src-server/features/media/schema.ts';
import type { Chunk } from '../../src-server/operation.ts';

/** A word of a transcript. */
interface Unit {
  text: string;
  segment: number;
  /** Null where the words of its segment are not timed. */
  timed: NonNullable<TranscriptSegment['words']>[number] | null;
}

/** Larger comparisons replace the text of a chunk as a whole. */
const COMPARED_MAX = 4_000_000;

/**
 * Segments with the corrections of their chunks: words that stay keep their times, others share the time of the words
 * that they replace. A chunk whose former text is not that of the segments changes nothing.
 */
export function correctedSegments(
  segments: readonly TranscriptSegment[],
  chunks: readonly Pick<Chunk, 'kind' | 'text' | 'originalText'>[],
): TranscriptSegment[] {
  const spoken = chunks.filter(({ kind }) => kind === 'text');
  if (spoken.every(({ originalText }) => originalText === undefined)) return [...segments];
  const units = segments.flatMap(unitsOf);
  const corrected: Unit[] = [];
  let place = 0;
  for (const { text, originalText } of spoken) {
    const former = wordsOf(originalText ?? text).join('');
    const from = place;
    for (let letters = 0; letters < former.length && place < units.length; place += 1) {
      letters += (units[place] as Unit).text.length;
    }
    const own = units.slice(from, place);
    const isSame = own.map((unit) => unit.text).join('') === former;
    corrected.push(...(originalText !== undefined && isSame ? replaced(own, wordsOf(text)) : own));
  }
  corrected.push(...units.slice(place));
  const bySegment = Map.groupBy(corrected, ({ segment }) => segment);
  return segments.flatMap((segment, index) => withUnits(segment, bySegment.get(index) ?? []));
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}

function unitsOf({ text, words }: TranscriptSegment, segment: number): Unit[] {
  const texts = wordsOf(text);
  const isTimed = words?.length === texts.length;
  return texts.map((word, index) => ({ text: word, segment, timed: (isTimed && words[index]) || null }));
}

/** A segment of which all words were removed goes. */
function withUnits({ words: _former, ...segment }: TranscriptSegment, units: readonly Unit[]): TranscriptSegment[] {
  if (units.length === 0) return [];
  const text = units.map((unit) => unit.text).join(' ');
  const words = units.flatMap((unit) => (unit.timed === null ? [] : [{ ...unit.timed, text: unit.text }]));
  return [words.length === units.length ? { ...segment, text, words } : { ...segment, text }];
}

function replaced(units: readonly Unit[], words: readonly string[]): Unit[] {
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
    if (base.timed === null) return [{ ...base, text }];
    const { start, end } = base.timed;
    if (former.length === 0) return [{ ...base, text, timed: { ...base.timed, start: end, end } }];
    const at = (place: number) => start + (end - start) * Math.min(1, Math.max(0, place - Math.floor(index * share)));
    return [{ ...base, text, timed: { ...base.timed, start: at(index * share), end: at((index + 1) * share) } }];
  });
}

/** Places of the words that stay: a longest common subsequence. */
function commonPlaces(units: readonly Unit[], words: readonly string[]): [unit: number, word: number][] {
  const [rows, columns] = [units.length + 1, words.length + 1];
  if (rows * columns > COMPARED_MAX) return [];
  const lengths = new Uint32Array(rows * columns);
  const at = (unit: number, word: number) => lengths[unit * columns + word] as number;
  for (let unit = units.length - 1; unit >= 0; unit -= 1) {
    for (let word = words.length - 1; word >= 0; word -= 1) {
      const isSame = units[unit]?.text === words[word];
      lengths[unit * columns + word] = isSame
        ? at(unit + 1, word + 1) + 1
        : Math.max(at(unit + 1, word), at(unit, word + 1));
    }
  }
  const places: [number, number][] = [];
  for (let [unit, word] = [0, 0]; unit < units.length && word < words.length; ) {
    if (units[unit]?.text === words[word]) {
      places.push([unit, word]);
      [unit, word] = [unit + 1, word + 1];
    } else if (at(unit + 1, word) >= at(unit, word + 1)) unit += 1;
    else word += 1;
  }
  return places;
}
