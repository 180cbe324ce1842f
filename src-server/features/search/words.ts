/**
 * Text as the full-text index sees it, and queries in its language. Threat: a query is a stranger's text, and the
 * index has a language of its own with operators; every word is therefore handed over quoted, and nothing else is.
 */

import { createHash } from 'node:crypto';
import { byName } from '../../platform/records.ts';

/**
 * Scripts that are written without spaces: each character becomes a word, and a run of them a phrase. So does Korean,
 * whose spaces part what English has as a word with its prepositions. The mark of a long vowel belongs to two scripts,
 * and so to neither by name; many words in katakana have one.
 */
const LONG_VOWELS = '\u30fc\uff70';

const UNSPACED_SCRIPTS = ['Han', 'Hira', 'Kana', 'Hang', 'Thai', 'Lao', 'Khmr', 'Mymr'];

export const UNSPACED_CLASS = `[${LONG_VOWELS}${UNSPACED_SCRIPTS.map((script) => `\\p{sc=${script}}`).join('')}]`;

const UNSPACED = new RegExp(UNSPACED_CLASS, 'u');

const UNSPACED_RUN = new RegExp(`${UNSPACED_CLASS}+`, 'gu');

/** A run of unspaced characters, or a word of any other script. */
const WORD = new RegExp(`${UNSPACED_CLASS}+|[[\\p{L}\\p{N}\\p{M}]--${UNSPACED_CLASS}]+`, 'gv');

/** A word in a text without unspaced characters. */
const SPACED_WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** More than the characters of English, which have no other forms, accents or marks. */
const BEYOND_ASCII = /[\u0080-\uffff]/;

/** The same, or a capital. */
const BEYOND_SMALL = /[A-Z\u0080-\uffff]/;

const ASCII_WORD = /[A-Za-z0-9]+/g;

/** All unspaced characters, and others; not the quotation marks and dashes of Latin texts. */
const MAYBE_UNSPACED = /[\u0e00-\u1fff\u2c00-\uffff]/;

/** Letters that are no letter with a mark, though keyboards without them write them as one. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = byName({
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
});

const TO_BE_PLAIN = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'giu');

/** Marks of short vowels and the stretching of Arabic, and the points of Hebrew, which few texts write. */
const VOWEL_MARKS = /[\u0640\u064b-\u065f\u0670\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]/;

const ALL_VOWEL_MARKS = new RegExp(VOWEL_MARKS, 'g');

/** Letters of full width, and several letters in one: other forms of the same. */
const OTHER_FORMS = /[\uff01-\uff5e\ufb00-\ufb06]/;

const HAS_HUMP = /\p{Ll}\p{Lu}/u;

const HAS_ASCII_HUMP = /[a-z][A-Z]/;

const HUMPS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

const NAME = /[\p{L}\p{N}]+/gu;

const MAX_NAME_CHARS = 64;

const SCOPE_HEX_CHARS = 16;

/** Words that nearly every English text has: they are asked for only where a query has no others. */
export const COMMON = new Set([
  ...['a', 'an', 'and', 'are', 'as', 'at', 'be', 'but', 'by', 'do', 'does', 'for', 'from', 'had', 'has', 'have'],
  ...['how', 'i', 'if', 'in', 'is', 'it', 'its', 'me', 'my', 'of', 'on', 'or', 'so', 'than', 'that', 'the', 'their'],
  ...['them', 'then', 'there', 'these', 'they', 'this', 'to', 'was', 'we', 'were', 'what', 'when', 'where', 'which'],
  ...['who', 'why', 'will', 'with', 'you', 'your'],
]);

/** A name that ends in signs, which the index leaves out of words: `C++`, `F#`. */
const SIGNED_NAME = /(?<![\p{L}\p{N}\p{M}+#])(\p{L}[\p{L}\p{N}]{0,15})(\+\+|#)(?![\p{L}+#])/gu;

/** Prepares text for the index: the parts of a name of code (`deepStrictEqual`) are words beside it. */
function indexableText(text: string): string {
  // "C" is another language than "C++". A longer name is also found without its signs.
  const words = spacedText(withSignedNames(text, (name, word) => (name.length === 1 ? word : `${name} ${word}`)));
  const hasHump = BEYOND_ASCII.test(words) ? HAS_HUMP : HAS_ASCII_HUMP;
  return hasHump.test(words) ? words.replace(NAME, (name) => [name, ...nameParts(name)].join(' ')) : words;
}

/** Whether this version indexes a text by other words than version 2 of the index did. */
export function isIndexedAnew(text: string): boolean {
  return (mayHaveSigns(text) && text.search(SIGNED_NAME) !== -1) || VOWEL_MARKS.test(text);
}

/** Text as it is asked for. */
function askedText(text: string): string {
  return spacedText(withSignedNames(text, (_, word) => word));
}

/** @param written what stands for a name with signs: by its name, and by the word that the index has for both */
function withSignedNames(text: string, written: (name: string, word: string) => string): string {
  if (!mayHaveSigns(text)) return text;
  return text.replace(SIGNED_NAME, (_, name: string, sign: string) =>
    written(name, name + (sign === '#' ? 'sharp' : 'plusplus')),
  );
}

function mayHaveSigns(text: string): boolean {
  return text.includes('#') || text.includes('++');
}

function spacedText(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  const plain = plainLetters(text);
  if (!MAYBE_UNSPACED.test(plain)) return plain;
  return plain.replace(UNSPACED_RUN, (run) => ` ${[...run].join(' ')} `);
}

/** Product names have humps too (`JavaScript`); a query for Java does not mean them. */
function nameParts(name: string): string[] {
  if (name.length > MAX_NAME_CHARS || !HAS_HUMP.test(name)) return [];
  const parts = name.split(HUMPS);
  return parts.length > 2 || !/^\p{Lu}/u.test(name) ? parts.filter(({ length }) => length > 1) : [];
}

/** Normalises letters to the form that any keyboard writes, which the index does not do. */
export function plainLetters(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  const usual = OTHER_FORMS.test(text) ? text.normalize('NFKC') : text;
  const bare = VOWEL_MARKS.test(usual) ? usual.replace(ALL_VOWEL_MARKS, '') : usual;
  return bare.replace(TO_BE_PLAIN, (letter) => PLAIN_LETTERS[letter.toLowerCase()] ?? letter);
}

const ACCENTED_LATIN = /[\u00c0-\u024f\u1e00-\u1eff]/g;

/** A word as the index compares it: in small letters, Latin ones without accents. */
export function foldWord(word: string): string {
  if (!BEYOND_SMALL.test(word)) return word;
  const lower = plainLetters(word.normalize('NFC')).toLowerCase();
  return lower.replace(ACCENTED_LATIN, (letter) => letter.normalize('NFD').replace(/\p{M}/gu, ''));
}

export function isUnspaced(text: string): boolean {
  return UNSPACED.test(text);
}

/** The chunks of a job have the same words of the scope column. */
const scopeWords = new Map<string, string>();

const SCOPE_WORDS_MAX = 1000;

/** A word of the index's scope column, by which matches are limited to what may be seen and was asked for. */
export function scopeWord(kind: 'account' | 'job' | 'type' | 'language' | 'kind', value: string): string {
  const name = `${kind} ${value}`;
  const known = scopeWords.get(name);
  if (known !== undefined) return known;
  const word = `${kind}x${createHash('sha256').update(name).digest('hex').slice(0, SCOPE_HEX_CHARS)}`;
  if (scopeWords.size >= SCOPE_WORDS_MAX) scopeWords.clear();
  scopeWords.set(name, word);
  return word;
}

export function wordsIn(text: string): string[] {
  if (!BEYOND_ASCII.test(text)) return text.match(ASCII_WORD) ?? [];
  const composed = text.normalize('NFC');
  return composed.match(MAYBE_UNSPACED.test(composed) ? WORD : SPACED_WORD) ?? [];
}

/** Limits of a search. */
export interface Scopes {
  /** All of them must hold; each is a list of alternatives. */
  within: readonly (readonly string[])[];
  /** None of these may hold. */
  without: readonly string[];
  /** Phrases that a chunk must contain. */
  phrases?: readonly string[];
  /** Words and phrases that it must not contain. */
  excluded?: readonly string[];
}

/** What a query requires: `"in quotation marks"`, and `-without` or `-"without these words"`. */
export interface Requirements {
  phrases: string[];
  excluded: string[];
  /** The query without what it excludes. */
  rest: string;
}

const EXCLUSION = /(?<=^|\s)-(?:["“”„«»「」『』]([^"“”„«»「」『』]+)["“”„«»「」『』]|([\p{L}\p{N}][^\s"]*))/gu;

const MAX_REQUIREMENTS = 10;

/** A text with more words is a passage: what stands in quotation marks there is no requirement. */
const PASSAGE_WORDS_MIN = 32;

export function requirementsOf(query: string): Requirements {
  const excluded: string[] = [];
  const rest = query.replace(EXCLUSION, (_, phrase: string | undefined, word: string | undefined) => {
    excluded.push(phrase ?? word ?? '');
    return ' ';
  });
  const isPassage = wordsIn(rest).length > PASSAGE_WORDS_MIN;
  const phrases = isPassage ? [] : Array.from(rest.matchAll(QUOTED), ([, inside = '']) => inside);
  const meaningfulTexts = (some: readonly string[]) =>
    some.filter((text) => wordsIn(text).length > 0).slice(0, MAX_REQUIREMENTS);
  return { phrases: meaningfulTexts(phrases), excluded: meaningfulTexts(excluded), rest };
}

/** Whether a text meets the requirements, for results that were not found by the index of words. */
export function meetsRequirements(text: string, { phrases, excluded }: Omit<Requirements, 'rest'>): boolean {
  const hasPhrase = (phrase: string) => {
    // "C" is no "C++", and "C++" no "C".
    const signs = /(\+\+|#)$/.exec(phrase)?.[0];
    const end = signs === undefined ? '(?!\\+\\+|#)' : signs.replaceAll('+', '\\+');
    return new RegExp(`${wordsPattern(wordsIn(phrase))}(?![\\p{L}\\p{N}\\p{M}])${end}`, 'iu').test(text);
  };
  return phrases.every(hasPhrase) && !excluded.some(hasPhrase);
}

/** Phrases of the index's language: a chunk has the word if it has any of them. */
export type Alternatives = readonly string[];

/**
 * An expression that matches words within the scopes. Scopes are matched in their own column, so that no text can
 * claim another account. Words are matched in any column: a filter by columns reads the places of every word in every
 * chunk, and no word of a query has the form of a scope word.
 */
export function expressionOf(
  words: readonly Alternatives[],
  how: 'and' | 'or',
  scopes: Scopes = { within: [], without: [] },
): string {
  const groups = words.map((phrases) => (phrases.length === 1 ? (phrases[0] ?? '') : `(${phrases.join(' OR ')})`));
  return limitExpression(groups.join(how === 'and' ? ' AND ' : ' OR '), scopes);
}

/** A phrase that matches words with this beginning. */
export function prefixPhrase(start: string): string {
  return `${phraseOf(start)} *`;
}

function limitExpression(text: string, { within, without, phrases = [], excluded = [] }: Scopes): string {
  const matches = [...within.map(anyScopeOf), ...phrases.map(phraseOf), `(${text})`].join(' AND ');
  const not = [...(without.length === 0 ? [] : [anyScopeOf(without)]), ...excluded.map(phraseOf)];
  return not.length === 0 ? matches : `(${matches}) NOT (${not.join(' OR ')})`;
}

/** The words of a text in a row. Only letters, digits and marks are handed to the index. */
export function phraseOf(text: string): string {
  return `"${wordsIn(askedText(text)).join(' ')}"`;
}

function anyScopeOf(scopes: readonly string[]): string {
  return `scope : (${scopes.map((word) => `"${word}"`).join(' OR ')})`;
}

// Phrases of a query: a remembered sentence, a part in quotation marks, a name such as `pg_stat_activity` or
// `std::vector`, which the index has as several words. Threat: patterns are made of untrusted text. They contain
// letters and digits only, and separators are neither, so matching does not backtrack.

const MAX_PHRASES = 10;

const MAX_PHRASE_WORDS = 32;

const QUOTED = /["“”„«»「」『』]([^"“”„«»「」『』]+)["“”„«»「」『』]/gu;

const BETWEEN = '[^\\p{L}\\p{N}\\p{M}]';

/**
 * Counts the query's phrases of two words or more in a text: one point if its words are adjacent, one more if it occurs
 * letter by letter, as `std::vector` does not in "std, vector", and one if a code is whole. Null for a query without
 * phrases.
 */
export function phrasesSaid(query: string): ((text: string) => number) | null {
  const quoted = Array.from(query.matchAll(QUOTED), ([, inside = '']) => inside);
  const phrases = [query, ...quoted, ...query.split(/\s+/)].map((phrase) =>
    phrase.trim().normalize('NFC').toLowerCase(),
  );
  const told = [...new Set(phrases)].flatMap((literal) => {
    const words = wordsIn(literal);
    if (words.length < 2 || words.length > MAX_PHRASE_WORDS) return [];
    return [{ literal, row: new RegExp(wordsPattern(words), 'iu'), whole: wholeCode(literal) }];
  });
  if (told.length === 0) return null;
  const kept = told.slice(0, MAX_PHRASES);
  return (text) => {
    const lower = text.toLowerCase();
    const pointsOf = ({ literal, row, whole }: (typeof kept)[number]) =>
      Number(row.test(text)) + Number(lower.includes(literal)) + Number(whole?.test(lower) ?? false);
    return kept.reduce((said, phrase) => said + pointsOf(phrase), 0);
  };
}

/** A version or code that is not a part of a longer one, as "2.1.3" is of "2.1.3.4"; null for other phrases. */
function wholeCode(literal: string): RegExp | null {
  if (/\s/.test(literal) || !/\p{N}/u.test(literal)) return null;
  const escaped = literal.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}][.\\-]?)${escaped}(?![.\\-]?[\\p{L}\\p{N}])`, 'v');
}

function wordsPattern(words: readonly string[]): string {
  const joined = words.map((word, at) => {
    const before = words[at - 1];
    if (before === undefined) return isUnspaced(word) ? word : `(?<![\\p{L}\\p{N}\\p{M}])${word}`;
    return `${BETWEEN}${isUnspaced(before) || isUnspaced(word) ? '*' : '+'}${word}`;
  });
  return joined.join('');
}

/** Account of approved contributions, which every account finds. */
export const PUBLIC_ACCOUNT = 'public';

/** `en` of `en-GB`: what a filter compares. */
export function baseLanguage(language: string): string {
  return language.split(/[-_]/, 1)[0]?.toLowerCase() ?? '';
}

/** The fields of a chunk that the index contains. */
interface Indexed {
  account_id: string;
  job_id?: string | null;
  job_type: string;
  kind: string;
  language?: string | null;
  heading?: string | null;
  text: string;
}

/** The words by which a chunk is found. */
export function indexedWordsOf(chunk: Indexed): { scope: string; heading: string; body: string } {
  const scope = [
    scopeWord('account', chunk.account_id),
    scopeWord('type', chunk.job_type),
    scopeWord('kind', chunk.kind),
  ];
  if (chunk.job_id != null) scope.push(scopeWord('job', chunk.job_id));
  if (chunk.language != null) scope.push(scopeWord('language', baseLanguage(chunk.language)));
  return { scope: scope.join(' '), heading: indexableText(chunk.heading ?? ''), body: indexableText(chunk.text) };
}
