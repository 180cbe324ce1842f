/**
 * Checks what the text model answers. A model may invent words, so a value counts only if its quotation is in the
 * passage, and if its figures are in the quotation.
 */

import { z } from 'zod';
import type { Passage } from '../../../workers/fields/tasks.ts';
import { quotedIn } from '../../platform/text/quotation.ts';
import { isUnspaced } from '../../platform/text/words.ts';
import type { FieldCitation, Leaf, Members } from './schema.ts';

export interface Answer {
  quote: string | null;
  passage: number | null;
  value?: unknown;
}

/** A value with its source. */
export interface Checked {
  value: unknown;
  citation: FieldCitation;
}

const AnswerSchema = z.object({
  quote: z.string().nullable(),
  passage: z.number().nullable(),
  value: z.unknown(),
});

/** Attempts to find the last complete item of a list that ends in the middle. */
const REPAIRS_MAX = 50;

const FORMAT_CHECKS = {
  date: z.iso.date(),
  time: z.iso.time(),
  'date-time': z.iso.datetime({ offset: true }),
  email: z.email(),
  uri: z.url(),
} as const;

/** The answers in the model's text; null if it is no such JSON. */
export function parseModelAnswers(text: string, isList: boolean): Answer[] | null {
  if (isList) return itemsOf(text, AnswerSchema);
  const { data } = AnswerSchema.safeParse(parsedAnswerJson(text));
  return data === undefined ? null : [data];
}

/** The items of a list in the model's text, as far as they are complete; null if it is no such JSON. */
export function itemsOf<Item>(text: string, item: z.ZodType<Item>): Item[] | null {
  const list = z.object({ items: z.array(item) });
  let end = text.length;
  for (let tries = 0; tries < REPAIRS_MAX && end > 0; tries += 1) {
    const whole = tries === 0 ? parsedAnswerJson(text) : parsedAnswerJson(`${text.slice(0, end + 1)}]}`);
    const { data } = list.safeParse(whole);
    if (data !== undefined) return data.items;
    end = text.lastIndexOf('}', end - 1);
  }
  return null;
}

function parsedAnswerJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A text server may answer in another shape: the caller adds a warning.
    return undefined;
  }
}

/** The value with its source; null where the model found none; a sentence where the answer cannot be trusted. */
export function checkAnswer(
  { quote, passage, value }: Answer,
  node: Leaf | Members,
  passages: readonly Passage[],
): Checked | string | null {
  if (value === null || value === undefined || isEmptyAnswer(value)) return null;
  const source = passage === null ? undefined : passages[passage - 1];
  const words = quote === null || source === undefined ? null : quotedIn(source.text, quote);
  if (source === undefined || words === null) {
    return 'A value of the text model was left out, because the text does not contain the words it quoted.';
  }
  const kept = keptValue(value, node, words);
  if (isEmptyAnswer(kept))
    return 'A value of the text model was left out, because the words it quoted do not state it.';
  const { chunkId, page, seconds } = source;
  return { value: kept, citation: { chunkId, ...(seconds === null ? { page } : { seconds }), quote: words } };
}

/** The value, with null where it does not fit the schema or its quotation. */
function keptValue(value: unknown, node: Leaf | Members, quote: string): unknown {
  if (node.kind === 'leaf') return fitsLeafType(value, node) && isStated(value, node, quote) ? value : null;
  const given = typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : new Map();
  return Object.fromEntries(
    node.members.map(([name, one]) => [name, keptValue(given.get(name), one as Leaf | Members, quote)]),
  );
}

function isEmptyAnswer(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === null || value === undefined || value === '';
  return Object.values(value).every(isEmptyAnswer);
}

function fitsLeafType(value: unknown, leaf: Leaf): boolean {
  const { type, choices, format, minimum, maximum, minLength = 0, maxLength } = leaf;
  if (type === 'integer' ? !Number.isInteger(value) : typeof value !== type) return false;
  if (choices !== undefined && !choices.some((one) => one === value)) return false;
  if (typeof value === 'number') return value >= (minimum ?? value) && value <= (maximum ?? value);
  if (typeof value !== 'string') return true;
  const length = Array.from(value).length;
  if (length < minLength || length > (maxLength ?? length)) return false;
  return format === undefined || FORMAT_CHECKS[format].safeParse(value).success;
}

const FIGURE = /[0-9]+/g;

/** Whether the quotation can state the value: the figures of numbers and dates are in it, and a word of other text. */
function isStated(value: unknown, { choices, format }: Leaf, quote: string): boolean {
  if (choices !== undefined || typeof value === 'boolean') return true;
  const figures = quote.normalize('NFKC').match(FIGURE) ?? [];
  if (typeof value === 'number') {
    // Numbers in words have no figures: the quotation alone is their proof.
    return figures.length === 0 || figures.join('').includes(figuresOf(value));
  }
  const text = String(value);
  if (format === 'date' || format === 'date-time') {
    const [year = '', , day = ''] = text.split(/[-T]/);
    const numbers = figures.map(Number);
    return [year, year.slice(2)].some((one) => numbers.includes(Number(one))) && numbers.includes(Number(day));
  }
  const words = new Set(answerWordsOf(quote));
  return answerWordsOf(text).some((word) => words.has(word) || quote.toLowerCase().includes(word));
}

/** `1234.5` for 1,234.50: separators and trailing zeros differ. */
function figuresOf(value: number): string {
  const text = String(Math.abs(value));
  return text.includes('e') ? text : text.replace('.', '').replace(/^0+(?=\d)/, '');
}

function answerWordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Words of three letters and more that say nothing about a subject: of English, and articles of its neighbours. */
const FUNCTION_WORDS = new Set(
  (
    'all and any are but can did for get got had has her him his how its let may nor not now off our out own per ' +
    'say she the too use via was way who why yes yet you ' +
    'das dem den der des die ein und ist les une est que par los las una con por del ' +
    'about above after again against also always another because been before being below between both cannot could ' +
    'does doing down during each every from further have having here into itself just like many more most much ' +
    'must only other over really same shall should some such than that their them then there these they thing ' +
    'things this those through under until upon very want wants well were what when where which while will with ' +
    'within without would your yours speaker speakers people passage passages talk video discusses'
  ).split(' '),
);

const CONTENT_WORD_CHARS_MIN = 3;

/** The words of a sentence that name its subject. Plurals count as their singular. */
export function contentWords(text: string): Set<string> {
  const words = new Set<string>();
  for (const word of answerWordsOf(text.normalize('NFKC'))) {
    if (isUnspaced(word)) for (const pair of pairsOf(word)) words.add(pair);
    else if (/\p{N}/u.test(word)) words.add(word);
    else if (word.length >= CONTENT_WORD_CHARS_MIN && !FUNCTION_WORDS.has(word)) words.add(word.replace(/s$/, ''));
  }
  return words;
}

/** Scripts without blanks: one character alone says nothing. */
function pairsOf(word: string): string[] {
  const characters = Array.from(word);
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

export function sharesContent(sentence: string, source: ReadonlySet<string>): boolean {
  return [...contentWords(sentence)].some((word) => source.has(word));
}
