/** The language of a page, from what it states and from its text, with how certain it is. */

import { byName } from '../../src-server/platform/records.ts';
import { hasCommonWords, weighCommonWords } from '../documents/common-words.ts';
import { guessLanguage } from '../documents/language.ts';
import type { FactEvidence } from './page-evidence.ts';

/** The first characters of the text, which are compared with what the page states. */
const SAMPLE_CHARS = 300;

/** Share of common words in a text of their language, at least. */
const COMMON_SHARE_MIN = 0.15;

export interface LanguageStatement {
  by: 'html' | 'meta' | 'json-ld';
  code: string;
}

export interface PageLanguage {
  /** A BCP 47 tag in its canonical form. */
  code: string;
  evidence: FactEvidence;
}

/**
 * Null if nothing tells the language. A page whose text is in another language than it states is in that of its text;
 * so is one that states none.
 */
export function languageOfPage(statements: readonly LanguageStatement[], text: string): PageLanguage | null {
  const stated = statements.flatMap(({ by, code }) => {
    const tag = languageTag(code);
    return tag === null ? [] : [{ by, code: tag }];
  });
  const [first] = stated;
  if (first === undefined) {
    const guess = guessLanguage(text);
    return guess === null ? null : { code: guess, evidence: { certainty: 'inferred', by: ['text'], others: [] } };
  }
  const ofText = contradictingLanguage(first.code, text);
  const chosen = ofText === null ? first.code : (stated.find(({ code }) => isSame(code, ofText))?.code ?? ofText);
  const agreeing = stated.filter(({ code }) => isSame(code, chosen)).map(({ by }) => by);
  const others = [...new Set(stated.map(({ code }) => code).filter((code) => !isSame(code, chosen)))];
  const by: FactEvidence['by'] = [...new Set(ofText === null ? agreeing : [...agreeing, 'text' as const])];
  return { code: chosen, evidence: { certainty: others.length === 0 ? 'stated' : 'doubtful', by, others } };
}

/** The language of a text that is clearly in another one than this, or null. */
function contradictingLanguage(code: string, text: string): string | null {
  const language = baseOf(code);
  // Without common words of the language, its text looks like one of a neighbour.
  if (!hasCommonWords(language)) return null;
  const common = weighCommonWords(text.slice(0, SAMPLE_CHARS));
  const isHeaviest = common.weights[0]?.[0] === language;
  if (isHeaviest && common.knownIn(language) >= common.words * COMMON_SHARE_MIN) return null;
  const guess = guessLanguage(text);
  if (guess === null || isSame(guess, language)) return null;
  // A text may begin with a quotation.
  const middle = text.slice(text.length / 2);
  return guessLanguage(middle) === guess ? guess : null;
}

/** Written forms of Norwegian, and names that changed. */
const BASES: Readonly<Record<string, string>> = byName({ nb: 'no', nn: 'no', fil: 'tl' });

function baseOf(code: string): string {
  const base = code.split('-', 1)[0] ?? code;
  return BASES[base] ?? base;
}

function isSame(one: string, other: string): boolean {
  return baseOf(one) === baseOf(other);
}

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** Codes for several, unknown and no languages. */
const NO_LANGUAGE = new Set(['mul', 'und', 'mis', 'zxx']);

/** The tags found last: pages of a site share theirs. */
const known = new Map<string, string | null>();

const MAX_KNOWN = 100;

/** The canonical tag of a language that exists, or null. Pages write `de_DE`, `DE` and `xx`. */
export function languageTag(code: string): string | null {
  const old = known.get(code);
  if (old !== undefined) return old;
  if (known.size >= MAX_KNOWN) known.clear();
  const tag = canonicalTag(code);
  known.set(code, tag);
  return tag;
}

function canonicalTag(code: string): string | null {
  if (code.length > 40) return null;
  try {
    const [tag] = Intl.getCanonicalLocales(code.trim().replaceAll('_', '-'));
    const base = tag?.split('-', 1)[0];
    if (tag === undefined || base === undefined || NO_LANGUAGE.has(base)) return null;
    return names.of(base) === undefined ? null : tag;
  } catch {
    // Not well-formed.
    return null;
  }
}
