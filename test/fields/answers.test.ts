import { describe, expect, test } from 'vitest';
import {
  checkAnswer,
  contentWords,
  parseModelAnswers,
  sharesContent,
} from '../../src-server/features/fields/answers.ts';
import { digestChaptersOf } from '../../src-server/features/fields/digest.ts';
import type { Leaf } from '../../src-server/features/fields/schema.ts';
import type { Passage } from '../../workers/fields/tasks.ts';

const passages: Passage[] = [
  {
    chunkId: 'a',
    page: 3,
    seconds: null,
    text: 'Costs (a+b)*c: 1.234,50 € – due on 1 May 2026, “soon”.\nTwelve berths, 20 % off.',
  },
];
const leaf = (type: Leaf['type'], more: Partial<Leaf> = {}): Leaf => ({ kind: 'leaf', type, about: '', ...more });
const answer = (quote: string, value: unknown, passage: number | null = 1) => ({ quote, passage, value });

describe('a value counts', () => {
  test.each([
    ['with characters of patterns in its quotation', '(a+b)*c', 'c', leaf('string'), '(a+b)*c'],
    [
      'with other dashes, quotation marks and white space',
      '€ - due on 1 May  2026, "soon"',
      'soon',
      leaf('string'),
      '€ – due on 1 May 2026, “soon”',
    ],
    ['as a number with other separators', '1.234,50 €', 1234.5, leaf('number'), '1.234,50 €'],
    ['as a number in words', 'twelve BERTHS', 12, leaf('integer'), 'Twelve berths'],
    ['as a share', '20 % off', 0.2, leaf('number'), '20 % off'],
    ['as a date in another form', '1 May 2026', '2026-05-01', leaf('string', { format: 'date' }), '1 May 2026'],
  ])('%s', (_how, quote, value, node, words) => {
    const citation = { chunkId: 'a', page: 3, quote: words };
    expect(checkAnswer(answer(quote, value), node, passages)).toEqual({ value, citation });
  });
});

describe('a value is left out', () => {
  test.each([
    ['whose words the text does not have', answer('due on 2 May', 'due'), leaf('string')],
    ['whose passage does not exist', answer('Twelve', 'Twelve', 2), leaf('string')],
    ['without a passage', answer('Twelve', 'Twelve', null), leaf('string')],
    ['whose quotation is punctuation', answer('–', '–'), leaf('string')],
    ['whose figures are not quoted', answer('20 % off', 21), leaf('number')],
    ['of another day', answer('1 May 2026', '2026-05-02'), leaf('string', { format: 'date' })],
    ['of another type', answer('Twelve', 'Twelve'), leaf('integer')],
    ['beyond its bounds', answer('20 % off', 20), leaf('number', { maximum: 1 })],
    ['that is no choice', answer('Twelve', 'Twelve'), leaf('string', { choices: ['Ten'] })],
    ['that shares no word with its quotation', answer('Twelve berths', 'Anchor'), leaf('string')],
  ])('%s', (_why, given, node) => {
    expect(checkAnswer(given, node, passages)).toMatch(/^A value of the text model was left out/);
  });

  test('member by member: the others of an item stay', () => {
    const members: [string, Leaf][] = [
      ['name', leaf('string')],
      ['count', leaf('integer')],
    ];
    const item = { kind: 'object' as const, about: '', members };
    const given = answer('Twelve berths, 20 %', { name: 'berths', count: 99, other: 1 });
    expect(checkAnswer(given, item, passages)).toMatchObject({ value: { name: 'berths', count: null } });
    expect(checkAnswer(answer('Twelve', { name: null, count: null }), item, passages)).toBeNull();
  });
});

describe('an answer', () => {
  const item = '{"quote":"}","passage":1,"value":{"a":"x"}}';
  test.each([
    ['that ends within an item keeps the items before it', `{"items":[${item},${item},{"quote":"y","pass`, 2],
    ['that ends within the first item has none', '{"items":[{"quote":"y","pass', null],
    ['of another shape is none', '["a"]', null],
    ['that is no JSON is none', `Here you are: ${'}'.repeat(100_000)}`, null],
  ])('%s', (_what, text, count) => {
    expect(parseModelAnswers(text, true)?.length ?? null).toBe(count);
  });

  test('to a value is one object', () => {
    expect(parseModelAnswers('{"quote":null,"passage":null,"value":null}', false)).toHaveLength(1);
    expect(parseModelAnswers('{"quote":7,"passage":1,"value":1}', false)).toBeNull();
  });
});

test.each([
  ['The ferry leaves at dawn.', 'Two ferries and one ferry leave.', true],
  ['They will have been there with them.', 'They will have been there with them.', false],
  ['Red fox', 'The fox and the hound', true],
  ['The and for', 'The cat and the dog for you', false],
  ['It costs 4711.', 'The price was 4711 pounds.', true],
  ['港の工事', '来年の港の工事は高い', true],
  ['港', '港の工事', false],
  ['', 'Some words', false],
])('the sentence %o shares content with %o: %o', (sentence, source, shares) => {
  expect(sharesContent(sentence, contentWords(source))).toBe(shares);
});

describe('chapters of a talk', () => {
  const said = (seconds: number) => ({
    ...{ text: `At ${seconds}`, who: null },
    sources: [{ chunkId: 'a', page: 1, seconds, text: '' }],
  });

  test('ascend without gaps from 0 to the end, and last at least 30 seconds', () => {
    expect(digestChaptersOf([said(200), said(12), said(40), said(40), said(290)], 300)).toEqual([
      { title: 'At 12', startSeconds: 0, endSeconds: 40 },
      { title: 'At 40', startSeconds: 40, endSeconds: 200 },
      { title: 'At 200', startSeconds: 200, endSeconds: 300 },
    ]);
    expect(digestChaptersOf([said(3)], 9)).toEqual([{ title: 'At 3', startSeconds: 0, endSeconds: 9 }]);
    expect(digestChaptersOf([], 9)).toEqual([]);
  });

  test('are at most 30: the shortest join the one before', () => {
    const many = Array.from({ length: 200 }, (_, index) => said(index * 60 + (index % 2) * 25));
    const chapters = digestChaptersOf(many, 12_000);
    expect(chapters).toHaveLength(30);
    expect(chapters[0]?.startSeconds).toBe(0);
    expect(chapters.at(-1)?.endSeconds).toBe(12_000);
  });
});
