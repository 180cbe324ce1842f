/**
 * What the words of a query may stand for: their forms (`Schiff` for `Schiffen`), other spellings (`e-mail`, `email`),
 * words that begin like the last one, compounds with a word as a part. Versions and codes stay whole.
 */

import type { Db } from '../../platform/db/database.ts';
import { compoundPart, isLatinLanguage, stemsOf } from './stems.ts';
import { countMatches } from './store.ts';
import { knownTerms, stemLanguages, termsOfStems, termsStarting, termsWithPart } from './word-store.ts';
import {
  type Alternatives,
  COMMON,
  expressionOf,
  foldWord,
  isUnspaced,
  phraseOf,
  prefixPhrase,
  UNSPACED_CLASS,
} from './words.ts';

/** A word of a query, or what belongs together like one: a version, a code, a name with hyphens. */
export interface QueryWord {
  /** As it is written. */
  text: string;
  /** A chunk with any of these phrases has the word. */
  phrases: Alternatives;
  /** Chunks with these may be meant too: words that go on, compounds, other spellings. They come after the others. */
  wider: Alternatives;
  /** Words of the whole, which are asked for by themselves where no chunk has all of the query. */
  parts: readonly string[];
  /** All of it as words of a text, in small letters and without accents. */
  forms: readonly string[];
}

/** Words of a query that count; the rest of a passage is not asked for. */
const WORDS_MAX = 32;

/** Forms of a word with the same stem. */
const FORMS_MAX = 24;

const COMPLETIONS_MAX = 48;

const COMPOUNDS_MAX = 48;

/** Words whose compounds are looked for: of a passage none. */
const COMPOUND_WORDS_MAX = 8;

/** Beginnings that too many words have are only completed by the full-text index from this length on. */
const PREFIX_CHARS_MIN = 3;

const SPLIT_CHARS_MAX = 20;

const SPLITS_MAX = 3;

const CODE_PARTS_MAX = 16;

/** A part of a code without digits that says something by itself. */
const PART_CHARS_MIN = 3;

const LETTER = `[[\\p{L}\\p{N}\\p{M}]--${UNSPACED_CLASS}]`;

/** A name with signs at its end; words joined by signs; a run of an unspaced script; a word. */
const TOKEN = new RegExp(
  `(?<signed>\\p{L}${LETTER}{0,15}(?:\\+\\+|#)(?!\\p{L}))|` +
    `(?<joined>${LETTER}+(?:(?:::|[\\-\\u2010\\u2011._\\/:@&+])${LETTER}+)+)|${UNSPACED_CLASS}+|${LETTER}+`,
  'gv',
);

const WORD = new RegExp(`${LETTER}+`, 'gv');

/** Signs between the parts of a word that is also written in one. */
const JOINABLE = /^[^.:@&+/]+$/;

const DIGIT = /\p{N}/u;

interface Token {
  text: string;
  /** More than one where signs join them. */
  parts: readonly string[];
  isSigned: boolean;
}

function tokensOf(query: string): Token[] {
  return Array.from(query.normalize('NFC').matchAll(TOKEN), ({ 0: text, groups }) => {
    const parts = groups?.joined === undefined ? [text] : (text.match(WORD) ?? []);
    return { text, parts, isSigned: groups?.signed !== undefined };
  }).flatMap((token) =>
    token.parts.length <= CODE_PARTS_MAX
      ? [token]
      : token.parts.map((text) => ({ text, parts: [text], isSigned: false })),
  );
}

/** Tokens without common words, each once; all of them if only common ones exist. */
function tellingTokens(tokens: readonly Token[]): Token[] {
  const telling = tokens.filter(({ text }) => !COMMON.has(text.toLowerCase()));
  const once = new Map((telling.length > 0 ? telling : tokens).map((token) => [token.text, token]));
  return [...once.values()].slice(0, WORDS_MAX);
}

/** The words of a query, as they are written, without common words if it has others. */
export function queryWords(query: string): string[] {
  return [...new Set(tellingTokens(tokensOf(query)).flatMap(({ parts }) => parts))].slice(0, WORDS_MAX);
}

/** The words of a query with all that they may stand for. The last one may be unfinished. */
export function expandQuery(db: Db, query: string): QueryWord[] {
  const all = tokensOf(query);
  const asked = tellingTokens(all);
  const last = all.at(-1);
  const isLastOpen = last !== undefined && query.trimEnd().endsWith(last.text);
  const joints = joinedNeighbours(db, all);
  // The language of a query is not known.
  const languages = stemLanguages(db).filter(isLatinLanguage);
  return asked.map((token) => {
    if (token.isSigned) return plainQueryWord(token.text, [phraseOf(token.text)], [token.text]);
    if (token.parts.length > 1) return joinedQueryWord(token);
    if (isUnspaced(token.text)) return plainQueryWord(token.text, [phraseOf(token.text)], [token.text]);
    const isOpen = isLastOpen && token.text === last.text;
    return expandWord(db, token.text, { isOpen, isFew: asked.length <= COMPOUND_WORDS_MAX, joints, languages });
  });
}

function plainQueryWord(text: string, phrases: Alternatives, forms: readonly string[]): QueryWord {
  return { text, phrases, wider: [], parts: [], forms: forms.map(foldWord) };
}

/** A code, a version, an address, a name with hyphens: its parts in a row, or in one. */
function joinedQueryWord({ text, parts }: Token): QueryWord {
  const phrases = [phraseOf(text)];
  const isCode = DIGIT.test(text);
  if (JOINABLE.test(text) || parts.every((part) => part.length === 1)) phrases.push(phraseOf(parts.join('')));
  const [first = ''] = parts;
  // "v1.2.3" is also written "1.2.3".
  if (text.includes('.') && /^v\p{N}+$/iu.test(first)) phrases.push(phraseOf(text.slice(1)));
  else if (parts.length > 2 && /^\p{N}+$/u.test(first) && !JOINABLE.test(text)) phrases.push(phraseOf(`v${text}`));
  const telling = parts.filter(
    (part) => !COMMON.has(part.toLowerCase()) && !(isCode && (DIGIT.test(part) || part.length < PART_CHARS_MIN)),
  );
  return { text, phrases, wider: [], parts: telling, forms: [...parts, parts.join('')].map(foldWord) };
}

/** Neighbours of a query that chunks have as one word ("e mail"), by each of the two. */
function joinedNeighbours(db: Db, tokens: readonly Token[]): ReadonlyMap<string, string> {
  const pairs = tokens.slice(0, WORDS_MAX).flatMap((token, at) => {
    const next = tokens[at + 1];
    const isWord = (one: Token) => one.parts.length === 1 && !one.isSigned && !isUnspaced(one.text);
    if (next === undefined || !isWord(token) || !isWord(next)) return [];
    const joined = foldWord(token.text + next.text);
    return joined.length > SPLIT_CHARS_MAX ? [] : [{ joined, of: [token.text, next.text] }];
  });
  const known = knownTerms(
    db,
    pairs.map(({ joined }) => joined),
  );
  return new Map(
    pairs.flatMap(({ joined, of }) => (known.has(joined) ? of.map((text) => [text, joined] as const) : [])),
  );
}

interface Expansion {
  /** Whether the word may go on. */
  isOpen: boolean;
  /** Whether the query has few words. */
  isFew: boolean;
  joints: ReadonlyMap<string, string>;
  /** What words in Latin letters may be written in. */
  languages: readonly string[];
}

function expandWord(db: Db, text: string, { isOpen, isFew, joints, languages }: Expansion): QueryWord {
  const folded = foldWord(text);
  const stems = stemsOf(text, languages);
  const forms = new Set(stems.length === 0 ? [] : termsOfStems(db, stems, FORMS_MAX)).add(folded);
  const splits = isFew ? splitPhrases(db, folded) : [];
  const joint = joints.get(text);
  const wider = new Set(joint === undefined ? [] : [joint]);
  if (isFew && !DIGIT.test(folded)) {
    for (const part of new Set([folded, compoundPart(text)])) {
      for (const term of termsWithPart(db, part, COMPOUNDS_MAX)) wider.add(term);
    }
  }
  const isPrefix = isOpen && !COMMON.has(folded);
  const completions = isPrefix ? termsStarting(db, folded, COMPLETIONS_MAX) : [];
  for (const term of completions) wider.add(term);
  for (const form of forms) wider.delete(form);
  const phrases = [phraseOf(text), ...[...forms].filter((form) => form !== folded).map(phraseOf)];
  const widerPhrases = [...splits, ...wider].map(phraseOf);
  // Of more completions only the full-text index knows all.
  if (completions.length === COMPLETIONS_MAX && folded.length >= PREFIX_CHARS_MIN)
    widerPhrases.push(prefixPhrase(text));
  return {
    text,
    phrases,
    wider: widerPhrases,
    parts: [],
    forms: [...forms, ...wider, ...splits.flatMap((split) => split.split(' '))],
  };
}

/** The word as two: "e mail" for "email", where chunks have them in a row, and "ab 1234" for "ab1234". */
function splitPhrases(db: Db, word: string): string[] {
  if (word.length < PART_CHARS_MIN + 1 || word.length > SPLIT_CHARS_MAX) return [];
  const code = /^(\p{L}+)(\p{N}+)$/u.exec(word);
  if (code !== null) return [`${code[1]} ${code[2]}`];
  if (DIGIT.test(word)) return [];
  const splits = Array.from(
    { length: word.length - 1 },
    (_, at) => [word.slice(0, at + 1), word.slice(at + 1)] as const,
  );
  const known = knownTerms(db, splits.flat());
  const isSplit = ([head, tail]: readonly [string, string]) =>
    tail.length >= PART_CHARS_MIN && known.has(head) && known.has(tail) && !COMMON.has(head) && !COMMON.has(tail);
  return splits
    .filter(isSplit)
    .map((parts) => parts.join(' '))
    .filter((phrase) => countMatches(db, expressionOf([[phraseOf(phrase)]], 'and'), 1).chunks > 0)
    .slice(0, SPLITS_MAX);
}
