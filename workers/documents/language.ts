/** The language of a text. */

import { detectAll } from 'tinyld';
import type { DetectLanguageInput, DetectLanguageOutput } from './tasks.ts';

/** The first letters decide as well as the whole text, in a quarter of a millisecond. */
const SAMPLE_CHARS = 600;

/** Text of a few words is a guess. One sign of Chinese or Korean is about a word. */
const MIN_WORDS = 12;

const MIN_SIGNS = 12;

const SIGNS = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}]/gu;

/** From 0 to 1, by tinyld: code and lists of names stay below. */
const MIN_ACCURACY = 0.1;

/** ISO 639-1 code, or null without enough evidence. */
export function guessLanguage(text: string): string | null {
  const sample = text.slice(0, SAMPLE_CHARS);
  const words = sample.match(/\p{L}+/gu)?.length ?? 0;
  const signs = sample.match(SIGNS)?.length ?? 0;
  if (words < MIN_WORDS && signs < MIN_SIGNS) return null;
  const [best] = detectAll(sample);
  return best !== undefined && best.accuracy >= MIN_ACCURACY ? best.lang : null;
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
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const found = SCRIPTS.find(([letter]) => count(letter) >= Math.max(SCRIPT_LETTERS_MIN, SCRIPT_SHARE * letters));
  return found?.[1] ?? null;
}
