import { type Reading, readEnglish, spokenOf } from '../../src-server/platform/text/spoken-english.ts';
import { defineSpokenRule, END, type Rule } from '../../src-server/platform/text/spoken-rule.ts';
import type { ReadingRules, Speaker } from './tasks.ts';
import { utterancesOf } from './word-times.ts';

/** One sentence or part of one, as written and as it is said. */
export interface SpokenText {
  words: Reading[];
  /** What the engine gets. */
  spoken: string;
  leftOut: number;
}

/** Splits a text into utterances, and reads each by the rules of its language. */
export function spokenTexts(text: string, speaker: Speaker, reading: ReadingRules): SpokenText[] {
  const isEnglish = /^en\b/i.test(reading.language);
  const own = Object.entries(reading.lexicon);
  const rules = isEnglish || speaker.engine === 'flite' ? ownRules(own) : [];
  const dayFirst = /^en-(?:GB|AU|NZ|IE)/i.test(reading.language);
  return utterancesOf(text).map((written) => {
    // The built-in voices know English alone. A server reads as it does.
    if (speaker.engine === 'flite' || (isEnglish && speaker.engine === 'neural')) {
      const { readings, leftOut } = readEnglish(written, dayFirst, rules);
      return { words: readings, spoken: spokenOf(readings), leftOut };
    }
    const spoken = own.reduce(
      (said, [word, as]) => said.replace(wordPattern(word), () => as),
      datesIn(written, reading),
    );
    return { words: written.split(' ').map((word) => ({ written: word, spoken: word })), spoken, leftOut: 0 };
  });
}

function ownRules(own: readonly (readonly [string, string])[]): Rule[] {
  return own
    .toSorted(([one], [other]) => other.length - one.length)
    .map(([word, as]) => defineSpokenRule(`${escapeRegExp(word)}${END}`, () => as, 'uyi'));
}

function wordPattern(word: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])${escapeRegExp(word)}${END}`, 'giu');
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}

const ISO_DATE = /(?<![\d-])(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?![\d-])/g;

/** Dates of ISO 8601 in the words of a language. The engine reads numbers itself. */
function datesIn(text: string, { language }: ReadingRules): string {
  return text.replace(ISO_DATE, (date) => {
    const parsed = new Date(`${date}T00:00:00Z`);
    return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(parsed);
  });
}
