/**
 * Number formats of spreadsheets (ECMA-376 part 1, 18.8.31): a code as sections of tokens. Threat: a code is text from
 * the file; its length is bounded and it is read in one pass.
 */

import { itemAt } from '../../../src-server/platform/item-at.ts';
import { localeOf } from './format-locale.ts';

/** Excel accepts 255 characters. */
const MAX_CODE_LENGTH = 1000;

export type FormatToken =
  | { kind: 'literal'; text: string }
  | { kind: 'digit'; char: '0' | '#' | '?' }
  | { kind: 'point' | 'comma' | 'percent' | 'slash' | 'general' | 'text' }
  | { kind: 'exponent'; isSigned: boolean }
  /** A part of a date or time: `yyyy`, `m` (a month), `n` (minutes), `h`, `s`. */
  | { kind: 'date'; letter: string; count: number }
  | { kind: 'elapsed'; letter: string; count: number }
  | { kind: 'half-day'; text: string }
  | { kind: 'subseconds'; digits: number };

export interface FormatCondition {
  operator: string;
  operand: number;
}

export interface FormatSection {
  kind: 'date' | 'number' | 'text';
  tokens: FormatToken[];
  condition: FormatCondition | null;
  /** Language of the names of months and days. */
  locale: string | null;
  /** False if the section asks for digits or a calendar that are not supported. */
  isExact: boolean;
}

/** The sections of a code. Null if the code is no number format. */
export function parseFormat(code: string): FormatSection[] | null {
  if (code.length > MAX_CODE_LENGTH) return null;
  const sections: FormatSection[] = [];
  const reader = new CodeReader(code);
  do {
    const section = reader.readSection();
    if (section === null) return null;
    sections.push(section);
  } while (reader.hasMore());
  return sections;
}

/** Letters that ask for a part of a date where the section has no digits. */
const DATE_LETTERS = /^(?:y+|m+|d+|h+|s+|e+|g+|b+)/i;

const CONDITION = /^(<>|<=|>=|<|>|=)\s*(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/i;

const ELAPSED = /^(?:h+|m+|s+)$/i;

/** Names of colours in any language. */
const COLOUR = /^(?!dbnum|natnum)\p{L}+ ?\d*$/iu;

class CodeReader {
  readonly #code: string;
  #at = 0;
  #isOpen = true;
  #section: FormatSection = emptySection();

  constructor(code: string) {
    this.#code = code;
  }

  /** Whether another section follows. */
  hasMore(): boolean {
    return this.#isOpen;
  }

  readSection(): FormatSection | null {
    this.#section = emptySection();
    this.#isOpen = false;
    while (this.#at < this.#code.length) {
      const char = this.#code[this.#at] ?? '';
      if (char === ';') {
        this.#at += 1;
        this.#isOpen = true;
        break;
      }
      if (!this.#readToken(char)) return null;
    }
    return finishedSection(this.#section);
  }

  #readToken(char: string): boolean {
    switch (char) {
      case '"':
        return this.#readQuoted();
      case '\\':
        this.#addFormatLiteral(this.#code.slice(this.#at + 1, this.#at + 2), 2);
        return true;
      // A space of the width of the next character.
      case '_':
        this.#addFormatLiteral(' ', 2);
        return true;
      // The next character fills the width of the cell.
      case '*':
        this.#at += 2;
        return true;
      case '[':
        return this.#readBracket();
      default:
        this.#readPlain(char);
        return true;
    }
  }

  #addFormatLiteral(text: string, length: number) {
    const last = this.#section.tokens.at(-1);
    if (last?.kind === 'literal') last.text += text;
    else if (text !== '') this.#section.tokens.push({ kind: 'literal', text });
    this.#at += length;
  }

  #addFormatToken(token: FormatToken, length: number) {
    this.#section.tokens.push(token);
    this.#at += length;
  }

  #readQuoted(): boolean {
    const end = this.#code.indexOf('"', this.#at + 1);
    if (end === -1) return false;
    this.#addFormatLiteral(this.#code.slice(this.#at + 1, end), end + 1 - this.#at);
    return true;
  }

  #readBracket(): boolean {
    const end = this.#code.indexOf(']', this.#at);
    if (end === -1) return false;
    const content = this.#code.slice(this.#at + 1, end);
    const length = end + 1 - this.#at;
    const [, operator, operand] = CONDITION.exec(content) ?? [];
    if (ELAPSED.test(content)) {
      this.#addFormatToken(
        { kind: 'elapsed', letter: (content[0] ?? '').toLowerCase(), count: content.length },
        length,
      );
      return true;
    }
    if (content.startsWith('$')) this.#readCurrency(content.slice(1), length);
    else {
      if (operator !== undefined) this.#section.condition = { operator, operand: Number(operand) };
      else if (!COLOUR.test(content)) this.#section.isExact = false;
      this.#at += length;
    }
    return true;
  }

  /** `€-407`: a currency, which may be empty, and the language. */
  #readCurrency(content: string, length: number) {
    const dash = content.indexOf('-');
    const currency = dash === -1 ? content : content.slice(0, dash);
    if (dash !== -1) this.#section.locale ??= localeOf(content.slice(dash + 1));
    if (currency === '') this.#at += length;
    else this.#addFormatLiteral(currency, length);
  }

  #readPlain(char: string) {
    const rest = this.#code.slice(this.#at, this.#at + MAX_CODE_LENGTH);
    const { tokens } = this.#section;
    const exponent = /^e[+-]/i.exec(rest);
    const general = /^general/i.exec(rest);
    const half = /^(?:am\/pm|a\/p|上午\/下午)/i.exec(rest);
    const letters = DATE_LETTERS.exec(rest)?.[0];
    const subseconds = /^[.,](0+)/.exec(rest);
    const last = tokens.at(-1);
    const isAfterSeconds = (last?.kind === 'date' || last?.kind === 'elapsed') && last.letter === 's';
    if (exponent !== null && tokens.some(({ kind }) => kind === 'digit')) {
      this.#addFormatToken({ kind: 'exponent', isSigned: exponent[0].endsWith('+') }, 2);
    } else if (general !== null) this.#addFormatToken({ kind: 'general' }, general[0].length);
    else if (half !== null) this.#addFormatToken({ kind: 'half-day', text: half[0] }, half[0].length);
    else if (letters !== undefined) {
      this.#addFormatToken(
        { kind: 'date', letter: (letters[0] ?? '').toLowerCase(), count: letters.length },
        letters.length,
      );
    } else if (subseconds !== null && isAfterSeconds) {
      this.#addFormatToken({ kind: 'subseconds', digits: (subseconds[1] ?? '').length }, subseconds[0].length);
    } else if (char === '0' || char === '#' || char === '?') this.#addFormatToken({ kind: 'digit', char }, 1);
    else if (char in SIGNS) this.#addFormatToken({ kind: SIGNS[char as keyof typeof SIGNS] }, 1);
    else this.#addFormatLiteral(char, 1);
  }
}

const SIGNS = { '.': 'point', ',': 'comma', '%': 'percent', '/': 'slash', '@': 'text' } as const;

function emptySection(): FormatSection {
  return { kind: 'number', tokens: [], condition: null, locale: null, isExact: true };
}

/** Decides what the section shows; null if it mixes dates with digits. */
function finishedSection(section: FormatSection): FormatSection | null {
  const { tokens } = section;
  const hasTokenKind = (kind: FormatToken['kind']) => tokens.some((token) => token.kind === kind);
  if (hasTokenKind('date') || hasTokenKind('elapsed') || hasTokenKind('half-day')) {
    if (hasTokenKind('digit') || hasTokenKind('general') || hasTokenKind('exponent')) return null;
    section.kind = 'date';
    for (const [index, token] of tokens.entries()) {
      if (token.kind === 'date' && token.letter === 'm' && isMinutes(tokens, index)) token.letter = 'n';
      if (token.kind in SIGN_TEXTS) {
        tokens[index] = { kind: 'literal', text: SIGN_TEXTS[token.kind as keyof typeof SIGN_TEXTS] };
      }
    }
  } else if (hasTokenKind('text')) section.kind = 'text';
  return section;
}

/** In a date these are separators. */
const SIGN_TEXTS = { point: '.', comma: ',', percent: '%', slash: '/', text: '' } as const;

/** `m` after hours or before seconds is minutes. */
function isMinutes(tokens: readonly FormatToken[], index: number): boolean {
  const isPart = ({ kind }: FormatToken) => kind === 'date' || kind === 'elapsed';
  const before = tokens.slice(0, index).findLast(isPart);
  const after = tokens.slice(index + 1).find(isPart);
  const letterOf = (token: FormatToken | undefined) => (token !== undefined && 'letter' in token ? token.letter : '');
  const token = itemAt(tokens, index);
  const count = 'count' in token ? token.count : 0;
  return (letterOf(before) === 'h' || letterOf(after) === 's') && count < 3;
}
