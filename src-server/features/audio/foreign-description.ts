/** Reads German, French and Spanish descriptions of sounds and music as English ones. */

import glossaryData from '../../../resources/music/glossary.json' with { type: 'json' };
import WORDS from '../../../resources/music/words.json' with { type: 'json' };
import { ownData } from '../../platform/own-json.ts';
import { lazyValue, ofWords } from './prompt-words.ts';

type Glossary = ReadonlyMap<string, string>;

/** Phrases of a language and what English says, by language. */
const glossaries = lazyValue(() =>
  Object.entries(ownData<Readonly<Record<string, Record<string, string>>>>(glossaryData)).map(
    ([language, words]): [string, Glossary] => [language, new Map(Object.entries(words))],
  ),
);

/** English words that a translation has only for its grammar. */
const SMALL = new Set(
  'a an the of on in at with and from to through over under before behind out then some against without'.split(' '),
);

const PHRASE_WORDS_MAX = 5;

/** Endings that words of these languages take. */
const ENDINGS = ['en', 'er', 'es', 'em', 'e', 'n', 's', 'x'];

/** Letters that join the parts of a German compound. */
const JOINS = ['', 's', 'n', 'en', 'es'];

const PART_CHARS_MIN = 3;

/** Verbs, persons and questions: what has them is a sentence. */
const CLAUSE = ofWords(WORDS.foreignClause);

interface Translation {
  text: string;
  content: number;
  unknown: number;
  changed: number;
  rest: string[];
}

/**
 * The description in English, with what the glossary does not have left as it is; null for a text in another language,
 * for a sentence, and for one of which less than two thirds are known.
 */
export function descriptionInEnglish(prompt: string): string | null {
  const tokens = tokensOf(prompt);
  const fitting = glossaries()
    .map(([language, glossary]) => translationOf(tokens, glossary, language === 'de'))
    .filter(({ content, unknown, changed, rest }) => {
      return content > 0 && changed > 0 && unknown * 3 <= content && !rest.join(' ').match(CLAUSE);
    })
    .sort((one, other) => one.unknown / one.content - other.unknown / other.content || other.changed - one.changed);
  return fitting[0]?.text ?? null;
}

/** Words, and what stands between them. */
function tokensOf(prompt: string): string[] {
  const straight = prompt.normalize('NFKC').replace(/[’‘]/g, "'").trim();
  return straight.replace(/(?<!\p{L})([ldLD]')(?=\p{L})/gu, '$1 ').match(/[\p{L}\p{N}'-]+|[^\p{L}\p{N}\s'-]+/gu) ?? [];
}

function translationOf(tokens: readonly string[], glossary: Glossary, hasCompounds: boolean): Translation {
  const found: Translation = { text: '', content: 0, unknown: 0, changed: 0, rest: [] };
  const words: string[] = [];
  for (let at = 0; at < tokens.length; ) {
    const [english, count] = phraseAt(tokens, at, glossary, hasCompounds);
    const original = tokens[at] ?? '';
    if (/[\p{L}\p{N}]/u.test(original)) {
      const isSmall = english?.split(' ').every((word) => SMALL.has(word)) ?? false;
      if (!isSmall) found.content += 1;
      if (english === null) {
        found.unknown += /^\p{N}/u.test(original) ? 0 : 1;
        found.rest.push(original);
      } else if (english !== original.toLowerCase()) found.changed += 1;
    }
    words.push(english ?? original);
    at += count;
  }
  const text = words.join(' ').replace(/ ([.,;:!?…])/g, '$1');
  found.text = /^\p{Lu}/u.test(tokens[0] ?? '') ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return found;
}

function phraseAt(
  tokens: readonly string[],
  at: number,
  glossary: Glossary,
  hasCompounds: boolean,
): [english: string | null, count: number] {
  for (let count = Math.min(PHRASE_WORDS_MAX, tokens.length - at); count > 1; count -= 1) {
    const phrase = tokens
      .slice(at, at + count)
      .join(' ')
      .toLowerCase()
      .replace(/' /g, "'");
    const english = glossary.get(phrase);
    if (english !== undefined) return [english, count];
  }
  const word = (tokens[at] ?? '').toLowerCase();
  return [wordInEnglish(word, glossary) ?? (hasCompounds ? compoundInEnglish(word, glossary) : null), 1];
}

function wordInEnglish(word: string, glossary: Glossary): string | null {
  const known = glossary.get(word);
  if (known !== undefined) return known;
  for (const ending of ENDINGS) {
    if (!word.endsWith(ending) || word.length - ending.length < PART_CHARS_MIN) continue;
    const stem = glossary.get(word.slice(0, -ending.length));
    if (stem !== undefined) return stem;
  }
  return null;
}

/** "Pferdestall" by "Pferd" and "Stall". */
function compoundInEnglish(word: string, glossary: Glossary): string | null {
  for (let at = word.length - PART_CHARS_MIN; at >= PART_CHARS_MIN; at -= 1) {
    const last = wordInEnglish(word.slice(at), glossary);
    if (last === null) continue;
    const head = word.slice(0, at);
    for (const join of JOINS) {
      const first = head.endsWith(join) ? glossary.get(head.slice(0, head.length - join.length)) : undefined;
      if (first !== undefined && head.length - join.length >= PART_CHARS_MIN) return `${first} ${last}`;
    }
  }
  return null;
}
