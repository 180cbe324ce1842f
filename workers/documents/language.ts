/** The language of a text. */

import { detectAll } from 'tinyld';
import { byName } from '../../src-server/platform/records.ts';
import { hasCommonWords, type WordEvidence, weighCommonWords } from './common-words.ts';
import type { DetectLanguageInput, DetectLanguageOutput } from './tasks.ts';

/** The first letters decide as well as the whole text, in a quarter of a millisecond. */
const SAMPLE_CHARS = 600;

/** Text of a few words is a guess. One sign of Chinese or Korean is about a word. */
const MIN_WORDS = 12;

const MIN_SIGNS = 12;

const SIGNS = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}]/gu;

/** By tinyld, from 0 to 1: code and lists of names stay below. */
const MIN_ACCURACY = 0.1;

/** How much more evidence the language has than the next one. */
const WORDS_AHEAD = 1.3;

const LETTERS_AHEAD = 1.2;

/** Share of common words in a text of their language, at least: sentences have a third to a half, lists less. */
const COMMON_SHARE_MIN = 0.15;

/** Different common words, at least. */
const COMMON_WORDS_MIN = 3;

/** Share of the letters that must not be Latin in a text of a language with another script. */
const OTHER_SCRIPT_SHARE = 0.4;

/** The same if the letters agree. */
const COMMON_SHARE_MIN_AGREED = 0.08;

/** The same if the letters are of one language only. */
const COMMON_SHARE_MIN_CERTAIN = 0.05;

const CERTAIN_ACCURACY = 0.9;

/** Letters that a Cyrillic alphabet has not: they decide between neighbours. */
const LETTERS_OF_OTHERS: Readonly<Record<string, RegExp>> = byName({
  ru: /[іїєґўјљњћђѓќ]/giu,
  uk: /[ыэўъјљњћђѓќ]/giu,
  be: /[иїєґщъјљњћђѓќ]/giu,
  bg: /[ыэіїєґўјљњћђѓќ]/giu,
  mk: /[ыэіїєґўщъйћђ]/giu,
  sr: /[ыэіїєґўщъйѓќ]/giu,
});

/** Share of the letters; less is a foreign name. */
const OTHERS_SHARE_MAX = 0.01;

/**
 * Languages without a list of words whose texts always have Latin letters beyond a to z. tinyld finds them in names of
 * goods and people.
 */
const WITH_MARKED_LETTERS = new Set(['et', 'ga', 'is', 'lt', 'lv', 'sk', 'vi']);

const MARKED_LETTERS = /(?![A-Za-z])\p{sc=Latn}/gu;

/** Share of the letters. A page that was recognised in another language has few. */
const MARKED_SHARE_MIN = 0.01;

/**
 * Languages that sources are written in. tinyld also knows Latin, Klingon, Volapük and others, and finds them in
 * technical English.
 */
const CANDIDATES = (
  'en de fr es it pt nl sv da no fi pl cs sk hu ro tr ru uk be bg mk sr el ar he fa ur hi bn ta te gu kn th my km ja ' +
  'ko zh vi id hy ka kk mn et lv lt is ga af tl am'
).split(' ');

/** ISO 639-1 code, or null without enough evidence. Common words decide, letters where there are no lists of words. */
export function guessLanguage(text: string): string | null {
  const sample = text.slice(0, SAMPLE_CHARS);
  const words = sample.match(/\p{L}+/gu)?.length ?? 0;
  const signs = sample.match(SIGNS)?.length ?? 0;
  if (words < MIN_WORDS && signs < MIN_SIGNS) return null;
  const common = weighCommonWords(sample);
  return languageOfWords(common) ?? languageOfLetters(sample, common);
}

function languageOfWords(common: WordEvidence): string | null {
  const [[language, weight] = ['', 0], [, next] = ['', 0]] = common.weights;
  const isCommon = common.knownIn(language) >= common.words * COMMON_SHARE_MIN;
  return isCommon && common.differentIn(language) >= COMMON_WORDS_MIN && weight >= next * WORDS_AHEAD ? language : null;
}

function languageOfLetters(text: string, common: WordEvidence): string | null {
  const [best, next] = detectAll(text, { only: CANDIDATES.filter((language) => !hasLettersOfOthers(language, text)) });
  if (best === undefined || best.accuracy < MIN_ACCURACY) return null;
  if (best.accuracy < (next?.accuracy ?? 0) * LETTERS_AHEAD) return null;
  if (!isInScriptOf(best.lang, text) || lacksMarkedLetters(best.lang, text)) return null;
  const share = best.accuracy >= CERTAIN_ACCURACY ? COMMON_SHARE_MIN_CERTAIN : COMMON_SHARE_MIN_AGREED;
  const isKnown = common.knownIn(best.lang) >= common.words * share;
  return isKnown || !hasCommonWords(best.lang) ? best.lang : null;
}

function hasLettersOfOthers(language: string, text: string): boolean {
  const others = LETTERS_OF_OTHERS[language];
  return others !== undefined && (text.match(others)?.length ?? 0) > text.length * OTHERS_SHARE_MAX;
}

function lacksMarkedLetters(language: string, text: string): boolean {
  if (!WITH_MARKED_LETTERS.has(language)) return false;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return (text.match(MARKED_LETTERS)?.length ?? 0) < letters * MARKED_SHARE_MIN;
}

function isInScriptOf(language: string, text: string): boolean {
  const isLatin = new Intl.Locale(language).maximize().script === 'Latn';
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const other = letters - (text.match(/\p{sc=Latn}/gu)?.length ?? 0);
  return isLatin ? other < letters / 2 : other >= letters * OTHER_SCRIPT_SHARE;
}

/** Share of the letters that one script must have to decide the language of a few words. */
const SCRIPT_SHARE = 0.5;

/** Fewer letters of a script decide nothing. */
const SCRIPT_LETTERS_MIN = 4;

/** Scripts, each with the language that most texts in it are written in. A script above another is found first. */
const SCRIPTS: readonly (readonly [letter: RegExp, language: string])[] = [
  [/[\p{sc=Hira}\p{sc=Kana}]/gu, 'ja'],
  [/\p{sc=Hang}/gu, 'ko'],
  [/\p{sc=Han}/gu, 'zh'],
  [/\p{sc=Cyrl}/gu, 'ru'],
  [/\p{sc=Grek}/gu, 'el'],
  [/\p{sc=Arab}/gu, 'ar'],
  [/\p{sc=Hebr}/gu, 'he'],
  [/\p{sc=Deva}/gu, 'hi'],
  [/\p{sc=Beng}/gu, 'bn'],
  [/\p{sc=Taml}/gu, 'ta'],
  [/\p{sc=Telu}/gu, 'te'],
  [/\p{sc=Thai}/gu, 'th'],
  [/\p{sc=Armn}/gu, 'hy'],
  [/\p{sc=Geor}/gu, 'ka'],
];

/** Few words decide by their script; Latin letters say nothing. */
export function detectLanguage({ text }: DetectLanguageInput): DetectLanguageOutput {
  return { language: guessLanguage(text) ?? languageOfScript(text) };
}

function languageOfScript(text: string): string | null {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const countPatternMatches = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const found = SCRIPTS.find(
    ([letter]) => countPatternMatches(letter) >= Math.max(SCRIPT_LETTERS_MIN, SCRIPT_SHARE * letters),
  );
  return found?.[1] ?? null;
}
