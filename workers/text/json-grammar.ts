/**
 * What the engine's grammars of JSON Schemas lack: numbers between bounds and strings of a format, as rules of GBNF.
 */

import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import { isRecord, recordOf } from '../../src-server/platform/records.ts';

/** Digits of the longest number: more are not exact in a double. */
const DIGITS_MAX = 15;

const LONGEST = 10 ** DIGITS_MAX - 1;

/** Decimals of a bound that is no whole number. */
const DECIMALS = 6;

export interface NumberBounds {
  type: 'integer' | 'number';
  minimum?: number;
  maximum?: number;
}

/** An expression of GBNF for the numbers from `minimum` to `maximum`, both included. Null: there is none. */
export function numberRule({ type, minimum = -LONGEST, maximum = LONGEST }: NumberBounds): string | null {
  const low = Math.max(minimum, -LONGEST);
  const high = Math.min(maximum, LONGEST);
  const rules = [
    ...(high >= 0 ? positiveNumberRules(Math.max(0, low), high, type) : []),
    ...(low < 0 ? positiveNumberRules(Math.max(0, -high), -low, type).map((rule) => `"-" ${rule}`) : []),
  ];
  return rules.length === 0 ? null : `(${rules.join(' | ')})`;
}

function positiveNumberRules(low: number, high: number, type: NumberBounds['type']): string[] {
  if (low > high) return [];
  if (type === 'integer') return wholeNumbers(Math.ceil(low), Math.floor(high));
  const [first, last] = [Math.floor(low), Math.floor(high)];
  const [from, to] = [decimalsOf(low - first, Math.ceil), decimalsOf(high - last, Math.floor)];
  if (first === last)
    return from > to ? [] : [`"${first}." (${digitsBetween(from, to).join(' | ')})`, ...wholeNumberRule(first, from)];
  return [
    ...(Number(from) === 0 ? [`"${first}" ${FRACTION}`] : [`"${first}." (${digitsBetween(from, NINES).join(' | ')})`]),
    ...wholeNumbers(first + 1, last - 1).map((rule) => `${rule} ${FRACTION}`),
    `"${last}"`,
    ...(Number(to) === 0 ? [] : [`"${last}." (${digitsBetween(ZEROS, to).join(' | ')})`]),
  ];
}

const FRACTION = `("." [0-9]{1,${DIGITS_MAX}})?`;

const NINES = '9'.repeat(DECIMALS);

const ZEROS = '0'.repeat(DECIMALS);

/** The number without decimals, where it is within. */
const wholeNumberRule = (value: number, from: string): string[] => (Number(from) === 0 ? [`"${value}"`] : []);

function decimalsOf(fraction: number, round: (value: number) => number): string {
  const scaled = round(Number((fraction * 10 ** DECIMALS).toFixed(3)));
  return String(Math.min(10 ** DECIMALS - 1, scaled)).padStart(DECIMALS, '0');
}

function wholeNumbers(low: number, high: number): string[] {
  const rules: string[] = [];
  for (let length = String(low).length; low <= high && length <= String(high).length; length++) {
    const least = length === 1 ? 0 : 10 ** (length - 1);
    const most = 10 ** length - 1;
    rules.push(...digitsBetween(String(Math.max(low, least)), String(Math.min(high, most))));
  }
  return rules;
}

/** Digits from `low` to `high`, which have the same length. */
function digitsBetween(low: string, high: string): string[] {
  if (low === '') return [];
  const rest = low.length - 1;
  if (/^0*$/.test(low) && /^9*$/.test(high)) return [`[0-9]{${low.length}}`];
  const [first, last] = [Number(low[0]), Number(high[0])];
  if (rest === 0) return [`[${first}-${last}]`];
  const ledByDigit = (digit: number, rules: string[]) => `"${digit}" (${rules.join(' | ')})`;
  if (first === last) return [ledByDigit(first, digitsBetween(low.slice(1), high.slice(1)))];
  const inner = first + 1 <= last - 1 ? [`[${first + 1}-${last - 1}] [0-9]{${rest}}`] : [];
  return [
    ledByDigit(first, digitsBetween(low.slice(1), '9'.repeat(rest))),
    ...inner,
    ledByDigit(last, digitsBetween('0'.repeat(rest), high.slice(1))),
  ];
}

/** A label of a host. Lengths are bounded, or a small model never ends. */
const NAME = '[A-Za-z0-9] [A-Za-z0-9-]{0,30}';
const HEX = '[0-9a-f]';
const OCTET = '("25" [0-5] | "2" [0-4] [0-9] | "1" [0-9]{2} | [1-9] [0-9] | [0-9])';
const CLOCK = '("0" [0-9] | "1" [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9] ("." [0-9]{1,6})?';
const DAY =
  '[0-9]{4} "-" ("0" ("1" | "3" | "5" | "7" | "8") "-" ("0" [1-9] | [12] [0-9] | "3" [01]) | ' +
  '"1" ("0" | "2") "-" ("0" [1-9] | [12] [0-9] | "3" [01]) | ' +
  '("04" | "06" | "09" | "11") "-" ("0" [1-9] | [12] [0-9] | "30") | "02-" ("0" [1-9] | [12] [0-9]))';

/** What is written between the quotes of a string. */
export const FORMAT_RULES = {
  date: DAY,
  time: `${CLOCK} "Z"`,
  'date-time': `${DAY} "T" ${CLOCK} "Z"`,
  email: `[A-Za-z0-9_+-]{1,32} ("." [A-Za-z0-9_+-]{1,24}){0,3} "@" (${NAME} "."){1,3} [A-Za-z]{2,12}`,
  hostname: `${NAME} ("." ${NAME}){0,5}`,
  ipv4: `${OCTET} "." ${OCTET} "." ${OCTET} "." ${OCTET}`,
  uri: `"http" "s"? "://" ${NAME} ("." ${NAME}){0,5} (":" [1-9] [0-9]{1,3})? ("/" [A-Za-z0-9._~?=&+,:@-]{0,60}){0,8}`,
  uuid: `${HEX}{8} "-" ${HEX}{4} "-" [1-8] ${HEX}{3} "-" [89ab] ${HEX}{3} "-" ${HEX}{12}`,
} as const;

export type RuleFormat = keyof typeof FORMAT_RULES;

type Json = Record<string, unknown>;

/** A schema that the engine can hold, and the rule that stands for each of its marks. */
export interface MarkedSchema {
  schema: object;
  rules: ReadonlyMap<string, string>;
}

/**
 * Puts a mark in place of each number with bounds and each string of a format.
 *
 * @param nonce that no schema of a caller has
 */
export function markSchema(schema: object, nonce: string): MarkedSchema {
  const rules = new Map<string, string>();
  const markGrammarRule = (rule: string): Json => {
    const mark = `${nonce}-${rules.size}-`;
    rules.set(mark, rule);
    return { const: mark };
  };
  const walkSchemaValue = (given: unknown): unknown => {
    if (Array.isArray(given)) return given.map(walkSchemaValue);
    if (!isRecord(given) || 'const' in given || 'enum' in given) return given;
    const rule = ruleOf(given);
    if (rule !== null) return markGrammarRule(rule);
    return Object.fromEntries(
      Object.entries(given).map(([key, value]) => [
        key,
        MAPS.has(key) ? mapJsonMembers(value, walkSchemaValue) : walkSchemaValue(value),
      ]),
    );
  };
  return { schema: recordOf(walkSchemaValue(schema)), rules };
}

/** Members with names that callers choose. */
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs']);

function mapJsonMembers(value: unknown, walk: (one: unknown) => unknown): unknown {
  return Object.fromEntries(Object.entries(recordOf(value)).map(([name, one]) => [name, walk(one)]));
}

function ruleOf({ type, format, minimum, maximum }: Json): string | null {
  if ((type === 'number' || type === 'integer') && (minimum !== undefined || maximum !== undefined)) {
    return numberRule({
      type,
      ...omitUndefined({
        minimum: typeof minimum === 'number' ? minimum : undefined,
        maximum: typeof maximum === 'number' ? maximum : undefined,
      }),
    });
  }
  if (type !== 'string' || typeof format !== 'string' || !Object.hasOwn(FORMAT_RULES, format)) return null;
  return `"\\"" ${FORMAT_RULES[format as RuleFormat]} "\\""`;
}

/** The engine's grammar with the rules in place of the marks. */
export function placeRules(grammar: string, rules: MarkedSchema['rules']): string {
  let placed = grammar;
  for (const [mark, rule] of rules) placed = placed.replaceAll(`"\\"${mark}\\""`, `(${rule})`);
  return placed;
}
