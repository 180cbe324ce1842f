import WORDS from '../../../resources/music/words.json' with { type: 'json' };
import { byName } from '../../platform/records.ts';

/** Reads the words of a prompt one after another. What nobody takes remains, so that a result can name it. */
export class PromptWords {
  #rest: string;

  constructor(prompt: string) {
    this.#rest = ` ${prompt.normalize('NFKC').replace(/[’‘]/g, "'").replace(/\s+/g, ' ')} `;
  }

  /** Text that is not taken yet. */
  get remainingText(): string {
    return this.#rest;
  }

  /** Takes the first match. */
  takeFirstMatch(pattern: RegExp): RegExpExecArray | null {
    const match = pattern.exec(this.#rest);
    if (match !== null) this.#blankOutMatch(match);
    return match;
  }

  /** Takes all matches. */
  takeAll(pattern: RegExp): RegExpExecArray[] {
    const found: RegExpExecArray[] = [];
    for (let match = this.takeFirstMatch(pattern); match !== null; match = this.takeFirstMatch(pattern))
      found.push(match);
    return found;
  }

  /** Words that carry meaning and were not taken, each once. */
  unusedWords(): string[] {
    const words = this.#rest.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'/.-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu) ?? [];
    return [...new Set(words)].filter((word) => !EMPTY_WORDS.has(word));
  }

  #blankOutMatch({ 0: text, index }: RegExpExecArray): void {
    this.#rest = this.#rest.slice(0, index) + TAKEN.repeat(text.length) + this.#rest.slice(index + text.length);
  }
}

const DECADE = "(?!808|909|303|(?:19|20)?[5-9]0'?s(?! of)|(?:19|20)[0-4]0'?s)";
const COUNT = `${DECADE}(\\d+(?:\\.\\d+)?|an?|one|two|three|four|five|half an?)`;

/** "30 seconds", "two-minute", "1 minute and 30 seconds"; "80s", "1990s" and "808s" are no lengths. */
const LENGTH = new RegExp(
  `\\b${COUNT}[\\s-]*(seconds?|secs?|s|minutes?|mins?)\\b(?:,? (?:and )?(\\d+) ?(?:seconds?|secs?|s)\\b)?(?: long)?`,
  'i',
);

const COUNTS: Readonly<Record<string, number>> = byName({
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  half: 0.5,
});

/** Takes the length that a prompt states. */
export function takeLength(words: PromptWords): { text: string; seconds: number } | null {
  const found = words.takeFirstMatch(LENGTH);
  if (found === null) return null;
  const [text, count = '', unit = '', rest = '0'] = found;
  const number = COUNTS[count.toLowerCase().split(' ')[0] ?? ''] ?? Number(count);
  return { text: text.trim(), seconds: number * (/^m/i.test(unit) ? 60 : 1) + Number(rest) };
}

/** Stands for a character that was taken: no letter, no space. */
export const TAKEN = '¤';

/** A pattern for any of the words, longest first. */
export function anyPhrasePattern(words: readonly string[]): RegExp {
  const sorted = [...words].sort((one, other) => other.length - one.length);
  const safe = sorted.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/ /g, '[ -]'));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${safe.join('|')})(?![\\p{L}\\p{N}])`, 'iu');
}

/** Makes a value at its first use: hundreds of patterns would be compiled at each start of the server otherwise. */
export function lazyValue<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Words that ask or join, and say nothing of the sound. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(WORDS.empty);

/** A pattern for all of the words, each a regular expression. */
export function ofWords(words: readonly string[]): RegExp {
  return new RegExp(`(?<![\\p{L}])(?:${words.join('|')})(?![\\p{L}])`, 'giu');
}

/** `a, b and c`. */
export function joinWordsWithAnd(words: readonly string[], most = 12): string {
  const shown = words.slice(0, most);
  const more = words.length > most ? ` and ${words.length - most} more` : '';
  return shown.join(', ') + more;
}
