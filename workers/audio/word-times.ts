import type { Reading } from '../../src-server/platform/text/spoken-english.ts';
import { wholeSlice } from '../../src-server/platform/text/strings.ts';
import { PAUSE, type Phone, pronounceWords } from './flite.ts';

/** A word and its time, in seconds from the start of the sound. */
export interface SpokenWord {
  text: string;
  /** True if no blank precedes it. */
  goesOn: boolean;
  start: number;
  end: number;
  /** True for the last word of a sentence or of a separately spoken part. */
  endsUtterance: boolean;
  /** In a script of several speakers. */
  speaker?: string | undefined;
}

/**
 * The times at which the words of an utterance were synthesised. The synthesiser reports when each phone ends; the
 * pronunciation of each word in isolation assigns the phones to words.
 */
export async function wordTimes(readings: readonly Reading[], phones: readonly Phone[]): Promise<SpokenWord[]> {
  const words = soundingWords(readings);
  const groups = await phonesOfWords(words.map(({ spoken }) => spoken));
  const spoken = phones.flatMap((phone, index) =>
    phone.name === PAUSE ? [] : [{ name: phone.name, start: phones[index - 1]?.end ?? 0, end: phone.end }],
  );
  const owners = alignPhonesToWords(
    spoken.map(({ name }) => name),
    groups,
  );
  const times = words.map(
    ({ written }): SpokenWord => ({
      text: written,
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
  return settleWordTimes(times, phones.at(-1)?.end ?? 0);
}

/** One run for all words; one run per word if the pauses do not match the words. */
async function phonesOfWords(words: readonly string[]): Promise<string[][]> {
  const together = await pronounceWords(words);
  if (together.length === words.length) return together;
  const apart: string[][] = [];
  for (const word of words) apart.push((await pronounceWords([word])).flat());
  return apart;
}

/**
 * For each phone of the utterance, the index of its word: the cheapest alignment with the phones of the isolated words,
 * because a word may sound slightly different in a sentence.
 */
export function alignPhonesToWords(spoken: readonly string[], groups: readonly (readonly string[])[]): number[] {
  const expected = groups.flatMap((group, word) => group.map((name) => ({ name, word })));
  const rows = spoken.length + 1;
  const columns = expected.length + 1;
  const cost = new Uint16Array(rows * columns);
  for (let row = 0; row < rows; row += 1) cost[row * columns] = row;
  for (let column = 0; column < columns; column += 1) cost[column] = column;
  const alignmentCost = (row: number, column: number) => cost[row * columns + column] ?? 0;
  const substitutionCost = (row: number, column: number) =>
    alignmentCost(row - 1, column - 1) + (spoken[row - 1] === expected[column - 1]?.name ? 0 : 1);
  for (let row = 1; row < rows; row += 1) {
    for (let column = 1; column < columns; column += 1) {
      const best = Math.min(
        substitutionCost(row, column),
        alignmentCost(row - 1, column) + 1,
        alignmentCost(row, column - 1) + 1,
      );
      cost[row * columns + column] = best;
    }
  }
  const owners: number[] = new Array(spoken.length).fill(0);
  let row = rows - 1;
  let column = columns - 1;
  while (row > 0) {
    if (column > 0 && alignmentCost(row, column) === substitutionCost(row, column)) {
      owners[row - 1] = expected[column - 1]?.word ?? 0;
      row -= 1;
      column -= 1;
    } else if (column === 0 || alignmentCost(row, column) === alignmentCost(row - 1, column) + 1) {
      owners[row - 1] = expected[Math.max(0, column - 1)]?.word ?? 0;
      row -= 1;
    } else column -= 1;
  }
  return owners;
}

/** A word without phones gets zero length at the end of the word before it. */
function settleWordTimes(times: SpokenWord[], end: number): SpokenWord[] {
  let at = times.find(({ start }) => !Number.isNaN(start))?.start ?? end;
  return times.map((word, index) => {
    const start = Number.isNaN(word.start) ? at : word.start;
    at = Number.isNaN(word.end) ? start : word.end;
    return { ...word, start, end: at, endsUtterance: index === times.length - 1 };
  });
}

// Splits text into utterances to speak, and into the words of captions.

/** Longer utterances are cut at a comma or a blank, because the synthesiser's memory grows with their length. */
const UTTERANCE_CHARS_MAX = 280;

const SPOKEN = /[\p{L}\p{N}]/u;

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });

/** A full stop after these does not end a sentence. After "etc." a capital letter begins another one. */
const ABBREVIATION = /(?:^|\s)(?:Mr|Mrs|Ms|Dr|Prof|vs|e\.g|i\.e)\.$/i;

/** Those that also stand at the end of a sentence, and initials: what follows decides. */
const MAYBE_LAST = /(?:^|\s)(?:St|Sr|Jr|\p{Lu}|(?:\p{Lu}\.)+\p{Lu})\.$/u;

/** Words that begin sentences, and are no names. */
const STARTER = new RegExp(
  '^(?:The|An?|He|She|It|We|They|You|I|This|That|These|Those|There|Then|Now|But|And|So|If|When|Where|What|Who|How' +
    '|Why|In|On|At|For|To|My|Our|Your|His|Her|Its|Their|Please|Let|Do|Yes|No|Nobody|Everybody|After|Before)\\b',
);

/** "5 p.m. Monday", "fig. A". */
const HOUR = /(?:^|\s)[ap]\.m\.$/i;

const DAY_OR_ZONE = /^(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|[A-Z]{2,4}\b|Eastern|Pacific|Central)/;

const NUMBERED = /(?:^|\s)(?:fig|vol|ch|pp?|ca|approx|eq|sec|nos?)\.$/i;

const NUMBER_AFTER = /^(?:\d|\p{Lu}(?!\p{L}))/u;

/** "No. 5" is a number, and "No. Come in." an answer. */
const NUMBER_SIGN = /(?:^|\s)No\.$/i;

/** A mark without a blank behind it, as in an address, ends no sentence. */
const INSIDE_WORD = /[.?!]$/;

/** The number of a list item, spoken together with the item. */
const ITEM_NUMBER = /^\d{1,3}[.)]$/;

/** Sentences in order, long ones in parts, none across lines; text without anything to speak is skipped. */
export function utterancesOf(text: string): string[] {
  return text
    .split('\n')
    .flatMap(sentencesOf)
    .flatMap((sentence) => splitLongSentence(sentence.trim()))
    .filter((part) => SPOKEN.test(part));
}

function sentencesOf(line: string): string[] {
  const sentences: string[] = [];
  let open = '';
  for (const { segment, index } of SENTENCES.segment(line)) {
    open += segment;
    // Looks at the end only: a sentence may consist of abbreviations.
    const end = segment.trim();
    if (ABBREVIATION.test(end) || ITEM_NUMBER.test(end) || INSIDE_WORD.test(segment)) continue;
    if (goesOn(end, line.slice(index + segment.length))) continue;
    sentences.push(open);
    open = '';
  }
  return open === '' ? sentences : [...sentences, open];
}

/** Whether a sentence goes on after an abbreviation, by what follows. */
function goesOn(end: string, next: string): boolean {
  if (next === '') return false;
  if (MAYBE_LAST.test(end)) return !STARTER.test(next);
  if (HOUR.test(end)) return DAY_OR_ZONE.test(next);
  return NUMBERED.test(end) && (NUMBER_SIGN.test(end) ? /^\d/ : NUMBER_AFTER).test(next);
}

function splitLongSentence(sentence: string): string[] {
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

/** The words of captions: tokens without sound join the word before. */
export function soundingWords(readings: readonly Reading[]): Reading[] {
  const words: Reading[] = [];
  for (const reading of readings) {
    const last = words.at(-1);
    const sounds = SPOKEN.test(reading.spoken);
    if (last !== undefined && (!sounds || !SPOKEN.test(last.spoken))) {
      last.written = `${last.written} ${reading.written}`;
      last.spoken = `${last.spoken} ${reading.spoken}`.trim();
    } else words.push({ ...reading });
  }
  return words.filter(({ spoken }) => SPOKEN.test(spoken));
}
