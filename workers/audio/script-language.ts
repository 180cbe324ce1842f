/** The language of a text to speak, by its common words: prompts are short, and a foreign name is no foreign text. */

import { detectAll } from 'tinyld/heavy';
import { SAMPLE_CHARACTERS } from '../../src-server/platform/source-account.ts';
import { weighCommonWords } from '../documents/common-words.ts';
import { detectLanguage } from '../documents/language.ts';
import { weighEverydayWords } from './everyday-words.ts';
import type { SpokenLanguage } from './tasks.ts';

/** How much heavier the common words of another language must be than those of English. */
const AHEAD = 1.25;

/** Weight and share of common words from which the language of a few words is certain. */
const WEIGHT_MIN = 0.6;

const SHARE_MIN = 0.4;

/** Languages whose words are nearly as heavy: the letters decide between them. */
const NEARLY = 0.7;

/** By tinyld, from 0 to 1, where the words say nothing. */
const LETTERS_MIN = 0.1;

const LETTERS_AHEAD = 2;

/** Languages in Latin script that prompts are in. */
const CANDIDATES = 'en de fr es it pt nl sv da no fi pl cs sk hu ro tr vi id hr et lv lt'.split(' ');

const OTHER_SCRIPTS = 'ja zh ko ru uk bg el ar he hi bn ta te th hy'.split(' ');

/** One or two words that are no longer say nothing: "hi" and "sit" are words of several languages. */
const SHORT_WORDS_MAX = 2;

const SHORT_LETTERS = 3;

/** Endings and beginnings that only words of English have. */
const ENGLISH_SHAPE = /(?:ing|ght|tion|ness|ful|less|ly|ed|th|ck)$|^(?:wh|th|sh|kn|wr)\p{L}{2}/u;

/** Passages in another language than the text. */
const DOUBTS_MAX = 20;

/** Shorter sentences are names and exclamations. */
const SENTENCE_WORDS_MIN = 4;

const SENTENCE = /[^.!?…\n]+[.!?…]*/gu;

/** The language of a text, and the passages that are probably in another one. */
export function judgeLanguage(text: string): SpokenLanguage {
  const { language, maybe } = judgeScriptLanguage(text);
  const whole = maybe === null ? [] : [{ language: maybe, quote: quoteScriptSample(text) }];
  return { language, doubts: [...whole, ...otherSentences(text, language ?? maybe ?? 'en')].slice(0, DOUBTS_MAX) };
}

/** `maybe`: another language than English that the text may be in. */
interface Judgement {
  language: string | null;
  maybe: string | null;
}

const ENGLISH: Judgement = { language: 'en', maybe: null };

const UNKNOWN: Judgement = { language: null, maybe: null };

function judgeScriptLanguage(text: string): Judgement {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const isLatin = (text.match(/\p{sc=Latn}/gu)?.length ?? 0) * 2 > words.join('').length;
  if (!isLatin || isTooShort(words) || text.length > SHORT_CHARS) return judgeByCommonWords(text);
  const { language, score, lead, isByWords, hasNoEnglish, isShown } = evidenceFor(text);
  const isEnglishShaped = words.some((word) => ENGLISH_SHAPE.test(word));
  if (language === 'en') {
    return lead >= LIKELY.lead && (score >= LIKELY.score || isEnglishShaped) ? ENGLISH : judgeByCommonWords(text);
  }
  const isPlain = hasNoEnglish && (words.length > 1 || isShown);
  const isForeign = isByWords || (isPlain && !isEnglishShaped);
  if (!isForeign) return judgeByCommonWords(text);
  if (score >= LIKELY.score && lead >= LIKELY.lead) return { language, maybe: null };
  return score >= ASKED_SCORE ? { language: null, maybe: language } : UNKNOWN;
}

/** A text that is in no other language may be in the one that fits it best. */
const ASKED_SCORE = 0.2;

/** Texts up to this length are judged by everyday words and letters, too. */
const SHORT_CHARS = 200;

/** Evidence that decides. */
const LIKELY = { score: 0.5, lead: 0.03 };

/** Of letters that tinyld knows of one language alone. */
const ONLY_THERE = 1;

/** Weight of the letters beside the words. */
const LETTERS_SHARE = 3;

interface Evidence {
  language: string;
  score: number;
  /** How much less the next language has. */
  lead: number;
  /** Whether more of its words are known than of English ones: letters of names in an English text prove nothing. */
  isByWords: boolean;
  hasNoEnglish: boolean;
  /** Whether letters show it that no other language has in this way: they may be those of a single word. */
  isShown: boolean;
}

/** The language for which common words, everyday words and letters speak most. */
function evidenceFor(text: string): Evidence {
  const common = new Map(weighCommonWords(text).weights);
  const everyday = weighEverydayWords(text);
  const letters = new Map(detectAll(text, { only: [...CANDIDATES] }).map(({ lang, accuracy }) => [lang, accuracy]));
  const wordsOf = (language: string) => (common.get(language) ?? 0) + (everyday.words.get(language) ?? 0);
  const ranked = CANDIDATES.map((language) => {
    const shapes = (everyday.letters.get(language) ?? 0) + LETTERS_SHARE * (letters.get(language) ?? 0);
    return { language, score: wordsOf(language) + shapes };
  }).sort((one, other) => other.score - one.score);
  const [best = { language: 'en', score: 0 }, next] = ranked;
  const hasOwnLetters = everyday.letters.has(best.language);
  const isShown = hasOwnLetters || letters.get(best.language) === ONLY_THERE;
  const [own, english] = [wordsOf(best.language), wordsOf('en')];
  const isByWords = best.language === 'en' || own > english || (hasOwnLetters && own > 0 && own === english);
  return { ...best, lead: best.score - (next?.score ?? 0), isByWords, hasNoEnglish: english === 0, isShown };
}

function judgeByCommonWords(text: string): Judgement {
  const { language: known } = detectLanguage({ text });
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const isLatin = (text.match(/\p{sc=Latn}/gu)?.length ?? 0) * 2 > words.join('').length;
  if (!isLatin) return { language: known ?? detectAll(text, { only: OTHER_SCRIPTS })[0]?.lang ?? null, maybe: null };
  const common = weighCommonWords(text);
  const english = common.weights.find(([language]) => language === 'en')?.[1] ?? 0;
  const others = common.weights.filter(([language]) => language !== 'en');
  const [, weight] = others[0] ?? ['', 0];
  const heaviest = others.filter(([, one]) => one >= weight * NEARLY).map(([language]) => language);
  if (weight > english * AHEAD) {
    const language = byLetters(text, heaviest);
    const share = Math.max(...heaviest.map((one) => common.knownIn(one))) / Math.max(1, common.words);
    const isAgreed = share >= SHARE_MIN || byLetters(text, CANDIDATES) === language;
    const isCertain = weight >= WEIGHT_MIN && isAgreed;
    if (isTooShort(words)) return UNKNOWN;
    if (isCertain || known === language) return { language, maybe: null };
    return words.length < 2 ? UNKNOWN : { language: null, maybe: language };
  }
  if (known !== null) return { language: known, maybe: null };
  const isShaped = words.some((word) => ENGLISH_SHAPE.test(word));
  if (isShaped) return english > 0 ? ENGLISH : UNKNOWN;
  if (english >= WEIGHT_MIN || (english > 0 && weight < english * NEARLY)) return ENGLISH;
  return languageOfFewWords(text, words.length, english > 0 ? ['en', ...heaviest] : CANDIDATES);
}

function isTooShort(words: readonly string[]): boolean {
  return words.length <= SHORT_WORDS_MAX && words.every((word) => word.length <= SHORT_LETTERS);
}

/** Words say little: letters may raise a doubt, but decide nothing. */
function languageOfFewWords(text: string, words: number, candidates: string[]): Judgement {
  const [best, next] = detectAll(text, { only: candidates });
  if (words < 2 || best === undefined || best.accuracy < LETTERS_MIN) return UNKNOWN;
  if (best.accuracy < LETTERS_AHEAD * (next?.accuracy ?? 0)) return UNKNOWN;
  return best.lang === 'en' ? ENGLISH : { language: null, maybe: best.lang };
}

/** The language whose letters fit best; the first one where the letters say nothing. */
function byLetters(text: string, languages: string[]): string | null {
  const [best] = languages.length < 2 ? [] : detectAll(text, { only: languages });
  return best?.lang ?? languages[0] ?? null;
}

function otherSentences(text: string, language: string): SpokenLanguage['doubts'] {
  const sentences = text.match(SENTENCE) ?? [];
  if (sentences.length < 2) return [];
  return sentences.flatMap((sentence) => {
    if ((sentence.match(/\p{L}+/gu)?.length ?? 0) < SENTENCE_WORDS_MIN) return [];
    const { language: own } = judgeScriptLanguage(sentence);
    return own === null || own === language ? [] : [{ language: own, quote: quoteScriptSample(sentence) }];
  });
}

function quoteScriptSample(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= SAMPLE_CHARACTERS ? line : `${line.slice(0, SAMPLE_CHARACTERS - 1).toWellFormed()}…`;
}
