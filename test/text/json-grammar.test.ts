/** The rules of numbers and formats, read as expressions: what they take and what not. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { grammarSchema } from '../../src-server/features/text/answer-schema.ts';
import { checkAnswer } from '../../workers/text/check-answer.ts';
import { FORMAT_RULES, markSchema, numberRule, placeRules } from '../../workers/text/json-grammar.ts';

/** A rule of GBNF without names as a regular expression. */
function expressionOf(rule: string): RegExp {
  const parts = rule.match(/"(?:[^"\\]|\\.)*"|\[[^\]]*\]|\S/g) ?? [];
  const texts = parts.map((part) => {
    if (!part.startsWith('"')) return part;
    return `(?:${(JSON.parse(part) as string).replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')})`;
  });
  return new RegExp(`^(?:${texts.join('')})$`);
}

const RANGES: [number, number][] = [
  ...([
    [0, 0],
    [1, 9],
    [0, 1],
    [1, 5000],
    [7, 1234],
    [99, 100],
    [0, 0.5],
    [0.25, 0.75],
  ] as [number, number][]),
  ...([
    [-90, 90],
    [-5, -1],
    [-0.5, 1.5],
    [1.5, 3.25],
    [-273.15, 1000],
    [10, 10],
  ] as [number, number][]),
];

test.each(RANGES)('numbers from %d to %d, and no other', (minimum, maximum) => {
  const whole = expressionOf(numberRule({ type: 'integer', minimum, maximum }) ?? '(?!)');
  for (let value = Math.floor(minimum) - 12; value <= Math.min(maximum, minimum + 6000) + 12; value++) {
    expect(whole.test(String(value)), String(value)).toBe(value >= minimum && value <= maximum);
  }
  const any = expressionOf(numberRule({ type: 'number', minimum, maximum }) ?? '(?!)');
  const span = maximum - minimum + 4;
  for (let step = 0; step <= 400; step++) {
    const text = (minimum - 2 + (span * step) / 400).toFixed(6);
    const value = Number(text);
    const isWithin = value >= minimum && value <= maximum;
    // A bound that is a whole number is written without decimals.
    if (isWithin) expect(any.test(text) || any.test(String(value)), text).toBe(true);
    if (!isWithin) expect(any.test(text), text).toBe(false);
  }
});

test('numbers without a bound on one side, and bounds without a number', () => {
  const positive = expressionOf(numberRule({ type: 'integer', minimum: 3 }) ?? '');
  for (const [text, fits] of [
    ['2', false],
    ['3', true],
    ['10', true],
    ['123456789012345', true],
    ['-4', false],
  ]) {
    expect(positive.test(String(text)), String(text)).toBe(fits);
  }
  expect(numberRule({ type: 'number', minimum: 2, maximum: 1 })).toBeNull();
});

test('texts of a format', () => {
  const taken: Record<keyof typeof FORMAT_RULES, [string[], string[]]> = {
    date: [
      ['2024-02-29', '1999-12-31'],
      ['2024-13-01', '2024-04-31', '24-01-01'],
    ],
    time: [
      ['23:59:59Z', '00:00:00.5Z'],
      ['24:00:00Z', '12:00'],
    ],
    'date-time': [['2026-11-28T21:00:00Z'], ['2026-11-28', '2026-11-28 21:00:00Z']],
    email: [
      ['a@b.co', 'jane.doe+x@mail.example.org'],
      ['a@b', '.a@b.co', 'a..b@c.de'],
    ],
    hostname: [
      ['harbour.example', 'a'],
      ['-a.b', 'a..b'],
    ],
    ipv4: [
      ['0.0.0.0', '255.249.199.99'],
      ['256.1.1.1', '1.1.1', '01.1.1.1'],
    ],
    uri: [
      ['https://a.example/b/c?d=e', 'http://localhost:8080'],
      ['ftp:/x', 'a.example', 'https://'],
    ],
    uuid: [['123e4567-e89b-12d3-a456-426614174000'], ['123e4567-e89b-02d3-a456-426614174000', '123e4567']],
  };
  for (const [format, [good, bad]] of Object.entries(taken)) {
    const expression = expressionOf(FORMAT_RULES[format as keyof typeof FORMAT_RULES]);
    for (const text of good) expect(expression.test(text), `${format} ${text}`).toBe(true);
    for (const text of bad) expect(expression.test(text), `${format} ${text}`).toBe(false);
  }
});

test('marks stand for the rules, and for nothing that a caller wrote', () => {
  const schema = {
    type: 'object',
    properties: { const: { type: 'integer', minimum: 1, maximum: 2 }, a: { const: 'n-0-' } },
  };
  const { schema: marked, rules } = markSchema(schema, 'nonce');
  expect(marked).toEqual({ type: 'object', properties: { const: { const: 'nonce-0-' }, a: { const: 'n-0-' } } });
  expect(placeRules('root ::= "\\"nonce-0-\\"" "\\"n-0-\\""', rules)).toBe('root ::= (([1-2])) "\\"n-0-\\""');
});

test.each<[string, unknown, object, RegExp | null]>([
  ['a pattern', 'ab', { type: 'string', pattern: '^a' }, null],
  ['another pattern', 'ba', { type: 'string', pattern: '^a' }, /does not match/],
  ['a multiple', 0.3, { type: 'number', multipleOf: 0.1 }, null],
  ['no multiple', 0.35, { type: 'number', multipleOf: 0.1 }, /no multiple/],
  ['a list with an item twice', [1, 1], { type: 'array', uniqueItems: true }, /twice/],
  ['a name', { a: 1 }, { type: 'object', propertyNames: { pattern: '^b' } }, /does not match/],
  ['a missing member', {}, { type: 'object', required: ['a'] }, /has no a/],
  ['a reference', { a: { a: 'x' } }, { properties: { a: { anyOf: [{ type: 'string' }, { $ref: '#' }] } } }, null],
  ['draft 4', 3, { type: 'number', minimum: 3, exclusiveMinimum: true }, /too small/],
  ['null', null, { type: 'string', nullable: true }, null],
  ['too many', [1, 2], { type: 'array', maxItems: 1 }, /more than 1/],
])('a check of %s', async (_, value, schema, fault) => {
  const said = await checkAnswer({ content: JSON.stringify(value), schema });
  if (fault === null) expect(said).toBeNull();
  else expect(said).toMatch(fault);
});

const ZOD = z.object({
  any: z.unknown(),
  tuple: z.tuple([z.int(), z.string()]),
  union: z.discriminatedUnion('k', [z.object({ k: z.literal('a'), x: z.int() }), z.object({ k: z.literal('b') })]),
  both: z.intersection(z.object({ a: z.int() }), z.object({ b: z.string() })),
  text: z.string().startsWith('a').endsWith('b').toUpperCase(),
  record: z.record(z.string(), z.array(z.int().nonnegative()).max(3)),
  keyed: z.partialRecord(z.enum(['x', 'y']), z.int()),
  rest: z.looseObject({ a: z.base64(), b: z.iso.datetime(), c: z.int32() }).nullish(),
});

test.each(['draft-2020-12', 'draft-7', 'draft-4', 'openapi-3.0'] as const)('takes what zod writes as %s', (target) => {
  const read = grammarSchema(z.toJSONSchema(ZOD, { target, unrepresentable: 'any' }));
  expect(read).toMatchObject({ schema: { type: 'object' }, isChecked: true });
});
