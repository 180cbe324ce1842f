import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { extractionRequest, httpUrl, segmentLength } from '../../../src-server/operation.ts';
import { type FieldError, QuarryError } from '../../../src-server/platform/errors.ts';
import { parseWithSchema } from '../../../src-server/platform/http/validate.ts';

const Options = z.strictObject({ segmentLength: segmentLength(1000), includeComments: z.boolean().default(false) });
const Request = extractionRequest(Options.prefault({}));

function refusals(schema: z.ZodType, value: unknown): readonly FieldError[] {
  try {
    parseWithSchema(schema, value);
  } catch (error) {
    if (error instanceof QuarryError && error.code === 'invalid_request') return error.fields ?? [];
    throw error;
  }
  throw new Error('The value was taken.');
}

describe('a value that fits its schema', () => {
  test('comes back with its defaults', () => {
    expect(parseWithSchema(Request, { sourceUrl: 'https://a.example/', options: {} })).toEqual({
      sourceUrl: 'https://a.example/',
      options: { segmentLength: 1000, includeComments: false },
    });
  });
});

describe('a value that does not fit is refused', () => {
  test.each<[string, z.ZodType, unknown, Record<keyof FieldError, string>[]]>([
    [
      'a missing field',
      z.strictObject({ url: z.string() }),
      {},
      [{ path: 'url', message: 'This field is required: give a string.' }],
    ],
    [
      'a wrong type',
      Request,
      { options: { segmentLength: '500' } },
      [{ path: 'options.segmentLength', message: 'Give a whole number.' }],
    ],
    [
      'a number out of bounds',
      Request,
      { options: { segmentLength: 10 } },
      [{ path: 'options.segmentLength', message: 'Give at least 50.' }],
    ],
    [
      'a fraction',
      z.strictObject({ depth: z.int() }),
      { depth: 1.5 },
      [{ path: 'depth', message: 'Give a whole number.' }],
    ],
    [
      'a text too long',
      Request,
      { sourceName: 'x'.repeat(301) },
      [{ path: 'sourceName', message: 'Give at most 300 characters.' }],
    ],
    [
      'an entry of a list',
      z.strictObject({ events: z.array(z.enum(['a', 'b'])) }),
      { events: ['a', 'c'] },
      [{ path: 'events.1', message: 'Give one of: a, b.' }],
    ],
    [
      'a text in place of a list, of which its length says nothing',
      z.strictObject({ events: z.array(z.enum(['a', 'b'])).max(2), more: z.array(z.string()).max(2) }),
      { events: 'abc', more: ['x', 'y', 'z'] },
      [
        { path: 'events', message: 'Give a list.' },
        { path: 'more', message: 'Give at most 2 entries.' },
      ],
    ],
    ['no object at all', Request, 'text', [{ path: '$', message: 'Give an object.' }]],
    [
      "the schema's own sentence",
      Request,
      { webhookUrl: 'ftp://a.example/' },
      [{ path: 'webhookUrl', message: 'Give an absolute https URL.' }],
    ],
    [
      'an address that is not there at all',
      z.strictObject({ url: httpUrl(100), other: httpUrl(100) }),
      { other: 7 },
      [
        { path: 'url', message: 'This field is required: give an absolute URL.' },
        { path: 'other', message: 'Give an absolute URL.' },
      ],
    ],
    [
      'a slip of the pen',
      Request,
      { options: { segmentLenght: 500 } },
      [{ path: 'options.segmentLenght', message: 'This field is not known; did you mean segmentLength?' }],
    ],
    [
      'a part of a name',
      z.strictObject({ sourceUrl: z.string(), file: z.string(), durationSeconds: z.int() }).partial(),
      { url: 'x', Duration: 1 },
      [
        { path: 'url', message: 'This field is not known; did you mean sourceUrl?' },
        { path: 'Duration', message: 'This field is not known; did you mean durationSeconds?' },
      ],
    ],
    [
      'more than a name',
      z.strictObject({ url: z.string(), depth: z.int() }).partial(),
      { sourceUrl: 'x' },
      [{ path: 'sourceUrl', message: 'This field is not known; did you mean url?' }],
    ],
    [
      'another word that is as short',
      z.strictObject({ query: z.string(), mode: z.string() }).partial(),
      { url: 'x' },
      [{ path: 'url', message: 'This field is not known; known are query, mode.' }],
    ],
    [
      'an unknown field',
      Options,
      { colour: 1 },
      [{ path: 'colour', message: 'This field is not known; known are segmentLength, includeComments.' }],
    ],
    [
      'several unknown fields',
      z.strictObject({ depth: z.int() }),
      { depht: 1, Depth: 2, depth: 1 },
      [
        { path: 'depht', message: 'This field is not known; did you mean depth?' },
        { path: 'Depth', message: 'This field is not known; did you mean depth?' },
      ],
    ],
    [
      'the best of two alternatives',
      z.union([z.strictObject({ a: z.int() }), z.strictObject({ b: z.int(), c: z.int() })]),
      { a: 'x' },
      [{ path: 'a', message: 'Give a whole number.' }],
    ],
    [
      'an own rule',
      z.object({ a: z.int() }).refine(() => false, { path: ['a'], error: 'Give another.' }),
      { a: 1 },
      [{ path: 'a', message: 'Give another.' }],
    ],
  ])('naming the field and what is expected: %s', (_title, schema, value, expected) => {
    expect(refusals(schema, value)).toEqual(expected);
  });

  test('naming all its offending fields at once, and at most twenty', () => {
    const value = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`unknown${index}`, 1]));
    expect(refusals(Request, { ...value })).toHaveLength(20);
    expect(refusals(Request, { sourceUrl: 1, sourceName: '' }).map((field) => field.path)).toEqual([
      'sourceUrl',
      'sourceName',
    ]);
  });

  test('without giving a huge name back', () => {
    const [field] = refusals(Request, { ['x'.repeat(1_000_000)]: 1 });
    expect(field?.path.length).toBeLessThan(100);
    expect(field?.message.length).toBeLessThan(200);
  });

  test('with a message that says the first reason', () => {
    expect(() => parseWithSchema(Request, { sourceNam: 'x', depth: 1 })).toThrow(
      'sourceNam: This field is not known; did you mean sourceName? (and 1 more)',
    );
  });
});
