import { wholeSlice } from '../../src-server/platform/text/strings.ts';
import { PAUSE, type Phone, pronounce } from './flite.ts';

/** A word and when it sounds, in seconds from the beginning of the sound. */
export interface SpokenWord {
  text: string;
  /** No blank stands before it. */
  goesOn: boolean;
  start: number;
  end: number;
  /** The last of a sentence, or of a part that is spoken by itself. */
  endsUtterance: boolean;
}

/**
 * The times at which the words of an utterance were synthesised. The synthesiser says when each phone ends; which
 * phones belong to which word follows from how each word is pronounced by itself.
 */
export async function wordTimes(utterance: string, phones: readonly Phone[]): Promise<SpokenWord[]> {
  const words = wordsOf(utterance);
  const groups = await phonesOfWords(words);
  const spoken = phones.flatMap((phone, index) =>
    phone.name === PAUSE ? [] : [{ name: phone.name, start: phones[index - 1]?.end ?? 0, end: phone.end }],
  );
  const owners = align(
    spoken.map(({ name }) => name),
    groups,
  );
  const times = words.map(
    (text): SpokenWord => ({
      text,
      goesOn: false,
      start: Number.NaN,
      end: Number.NaN,
      endsUtterance: false,
    }),
  );
  for (const [index, owner] of owners.entries()) {
    const word = times[owner];
    const phone = spoken[index];
    if (word === undefined || phone === undefined) continue;
    if (Number.isNaN(word.start)) word.start = phone.start;
    word.end = phone.end;
  }
  return settle(times, phones.at(-1)?.end ?? 0);
}

/** One run for all words; where the pauses do not come out one per word, one run for each. */
async function phonesOfWords(words: readonly string[]): Promise<string[][]> {
  const together = await pronounce(words);
  if (together.length === words.length) return together;
  const apart: string[][] = [];
  for (const word of words) apart.push((await pronounce([word])).flat());
  return apart;
}

/**
 * For each phone of the utterance, the index of the word it belongs to: the cheapest alignment with the words' own
 * phones, since a word in a sentence may sound a little different from the word alone.
 */
export function align(spoken: readonly string[], groups: readonly (readonly string[])[]): number[] {
  const expected = groups.flatMap((group, word) => group.map((name) => ({ name, word })));
  const rows = spoken.length + 1;
  const columns = expected.length + 1;
  const cost = new Uint16Array(rows * columns);
  for (let row = 0; row < rows; row += 1) cost[row * columns] = row;
  for (let column = 0; column < columns; column += 1) cost[column] = column;
  const at = (row: number, column: number) => cost[row * columns + column] ?? 0;
  const swap = (row: number, column: number) =>
    at(row - 1, column - 1) + (spoken[row - 1] === expected[column - 1]?.name ? 0 : 1);
  for (let row = 1; row < rows; row += 1) {
    for (let column = 1; column < columns; column += 1) {
      const best = Math.min(swap(row, column), at(row - 1, column) + 1, at(row, column - 1) + 1);
      cost[row * columns + column] = best;
    }
  }
  const owners: number[] = new Array(spoken.length).fill(0);
  let row = rows - 1;
  let column = columns - 1;
  while (row > 0) {
    if (column > 0 && at(row, column) === swap(row, column)) {
      owners[row - 1] = expected[column - 1]?.word ?? 0;
      row -= 1;
      column -= 1;
    } else if (column === 0 || at(row, column) === at(row - 1, column) + 1) {
      owners[row - 1] = expected[Math.max(0, column - 1)]?.word ?? 0;
      row -= 1;
    } else column -= 1;
  }
  return owners;
}

/** A word that no phone was found for stands, without length, where the word before it ends. */
function settle(times: SpokenWord[], end: number): SpokenWord[] {
  let at = times.find(({ start }) => !Number.isNaN(start))?.start ?? end;
  return times.map((word, index) => {
    const start = Number.isNaN(word.start) ? at : word.start;
    at = Number.isNaN(word.end) ? start : word.end;
    return { ...word, start, end: at, endsUtterance: index === times.length - 1 };
  });
}

/** Text as a voice says it: cut into utterances, and into the words that captions show. */

/** An utterance longer than this is cut at a comma, or at a blank: the synthesiser's memory grows with its length. */
const UTTERANCE_CHARS_MAX = 280;

const SPOKEN = /[\p{L}\p{N}]/u;

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });

/** After these a full stop ends no sentence. */
const ABBREVIATION = /(?:^|\s)(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|No|vs|etc|e\.g|i\.e)\.$/i;

/** The number of an item, which is said with what it counts. */
const ITEM_NUMBER = /^\d{1,3}[.)]$/;

/** Sentences in order, long ones in parts, none beyond its line; what has nothing to say in it is passed over. */
export function utterancesOf(text: string): string[] {
  return text
    .split('\n')
    .flatMap(sentencesOf)
    .flatMap((sentence) => parts(sentence.trim()))
    .filter((part) => SPOKEN.test(part));
}

function sentencesOf(line: string): string[] {
  const sentences: string[] = [];
  let open = '';
  for (const { segment } of SENTENCES.segment(line)) {
    open += segment;
    // Only what came last is looked at: a sentence may be all abbreviations.
    const end = segment.trim();
    if (ABBREVIATION.test(end) || ITEM_NUMBER.test(end)) continue;
    sentences.push(open);
    open = '';
  }
  return open === '' ? sentences : [...sentences, open];
}

function parts(sentence: string): string[] {
  const found: string[] = [];
  let rest = sentence;
  while (rest.length > UTTERANCE_CHARS_MAX) {
    const head = wholeSlice(rest, 0, UTTERANCE_CHARS_MAX);
    const comma = Math.max(head.lastIndexOf(', '), head.lastIndexOf('; '), head.lastIndexOf(': '));
    const blank = head.lastIndexOf(' ');
    const cut = comma > UTTERANCE_CHARS_MAX / 3 ? comma + 1 : blank > 0 ? blank : head.length;
    found.push(rest.slice(0, cut));
    rest = rest.slice(cut).trim();
  }
  return [...found, rest];
}

/** What captions show as words: blanks set them apart, and what has no sound goes with the word before it. */
export function wordsOf(utterance: string): string[] {
  const words: string[] = [];
  for (const token of utterance.split(' ')) {
    const last = words.length - 1;
    if (SPOKEN.test(token) || last < 0) words.push(token);
    else words[last] = `${words[last]} ${token}`;
  }
  return words.filter((word) => SPOKEN.test(word));
}
