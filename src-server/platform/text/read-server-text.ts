import {
  directionOf,
  fillMessages,
  type MessageModule,
  type MessageTree,
  messageFormatters,
} from './format-message.ts';
import { LANGUAGE_CODES } from './language-codes.ts';
import { findTemplate, type Template } from './match-template.ts';

/** A text in the reader's language, or null where no message has it. */
export type KnownText = (text: string) => string | null;

interface Reader {
  templates: readonly Template[];
  messages: MessageTree;
  locale: string;
  wordOf: KnownText;
  /** Codes of languages by their English names. */
  languageCodes: ReadonlyMap<string, string>;
  /** Texts that were looked for, with what was found. */
  known: Map<string, string | null>;
}

export interface TextReader {
  language: string;
  /** BCP 47 tag, for numbers and names of languages. */
  locale: string;
  /** Finds words that are values and no messages of the server, such as names of operations. */
  wordOf?: KnownText;
}

/** Texts that are remembered: lists draw the same ones again and again. */
const KNOWN_MAX = 2000;

/**
 * Reads English texts of the server in another language.
 * @param templates of English
 * @param make the compiled messages of the language
 */
export function readingServerTexts(
  templates: readonly Template[],
  make: MessageModule['default'],
  { language, locale, wordOf = () => null }: TextReader,
): KnownText {
  const messages: MessageTree = {};
  fillMessages(messages, make(messageFormatters(language, locale)), directionOf(language) === 'rtl');
  const english = new Intl.DisplayNames('en', { type: 'language' });
  const languageCodes = new Map(LANGUAGE_CODES.map((code) => [english.of(code) ?? code, code]));
  const reader: Reader = { templates, messages, locale, wordOf, languageCodes, known: new Map() };
  return (text) => knownText(text, reader);
}

function knownText(text: string, by: Reader): string | null {
  const { known } = by;
  const before = known.get(text);
  if (before !== undefined) return before;
  const found = textsInARow(text, by) ?? oneText(text, by) ?? startOfText(text, by);
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(text, found);
  return found;
}

function oneText(text: string, by: Reader): string | null {
  const found = findTemplate(by.templates, text, (value) => knownValue(value, by) !== null);
  if (found === null) return null;
  const message = by.messages[found.key];
  if (typeof message === 'string') return message;
  if (typeof message !== 'function') return null;
  const values = Object.entries(found.values).map(([name, value]) => [name, knownValue(value, by) ?? value]);
  return message(Object.fromEntries(values));
}

/** Sentences that were said one after the other: each has a message of its own. Null if one has none. */
function textsInARow(text: string, by: Reader): string | null {
  for (const [first, rest] of inTwo(text)) {
    const said = oneText(first, by);
    const saidAfter = said === null ? null : (textsInARow(rest, by) ?? oneText(rest, by));
    if (said !== null && saidAfter !== null) return `${said} ${saidAfter}`;
  }
  return null;
}

/** A known sentence before others of a foreign program, which stay English. */
function startOfText(text: string, by: Reader): string | null {
  for (const [first, rest] of inTwo(text)) {
    const said = oneText(first, by);
    if (said !== null) return `${said} ${rest}`;
  }
  return null;
}

/** A text parted after each of its sentences but the last. */
function inTwo(text: string): [first: string, rest: string][] {
  return [...text.matchAll(/(?<=[.!?]) /g)].map(({ index }) => [text.slice(0, index), text.slice(index + 1)]);
}

const NUMBER = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$|^\d+(?:\.\d+)?$/;

/** A value in the reader's language: a text, a number, a size, a language or a list. Null for a foreign word. */
function knownValue(value: string, by: Reader): string | null {
  const code = by.languageCodes.get(value);
  if (code !== undefined) return new Intl.DisplayNames([by.locale], { type: 'language' }).of(code) ?? value;
  if (NUMBER.test(value)) return numberText(value, by.locale);
  const [, size = '', unit] = /^([\d.,]+) (s|min|bytes|kB|KB|MB|GB)$/.exec(value) ?? [];
  if (unit !== undefined && NUMBER.test(size)) return `${numberText(size, by.locale)} ${unit}`;
  const items = value.split(', ');
  if (items.length > 1 && items.every((item) => NUMBER.test(item))) {
    return items.map((item) => numberText(item, by.locale)).join(', ');
  }
  return by.wordOf(value) ?? knownText(value, by);
}

function numberText(value: string, locale: string): string {
  const digits = value.split('.')[1]?.length ?? 0;
  return new Intl.NumberFormat(locale, {
    useGrouping: value.includes(','),
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(Number(value.replaceAll(',', '')));
}
