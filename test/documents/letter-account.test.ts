import { describe, expect, test } from 'vitest';
import { accountLetters, mergeAccounts } from '../../workers/documents/letter-account.ts';

const WORDS = 'the tide turns at dawn and boats leave harbour while gulls follow nets over grey water'.split(' ');

/** Lines of prose, all different. */
function prose(lines: number): string[] {
  return Array.from({ length: lines }, (_, line) => {
    return Array.from({ length: 9 }, (_, word) => WORDS[(line * 7 + word * word * 3 + line * word) % WORDS.length])
      .concat(`mark${line}`)
      .join(' ');
  });
}

function account(source: string, delivered: string[], more: object = {}) {
  return accountLetters({ source: [{ place: 'page 1', text: source }], delivered, leftOut: [], ...more });
}

describe('the account of letters', () => {
  test('is even for the same letters in other lines, order and composition', () => {
    const lines = prose(40);
    const { account: even, warnings } = account(`${lines.join('\n')}\nZu\u0308rich of\ufb01ce 10\u00b2`, [
      'Zürich office 10²',
      ...lines.slice(20),
      lines.slice(0, 20).join(' '),
    ]);
    expect(warnings).toEqual([]);
    expect(even).toMatchObject({ unit: 'letters', unexplained: 0, leftOut: [], delivered: even.source });
  });

  test('names the place and quotes the beginning of a line that is missing', () => {
    const lines = prose(400);
    const { account: gap, warnings } = accountLetters({
      source: [
        { place: 'page 1', text: lines.slice(0, 200).join('\n') },
        { place: 'page 2', text: [...lines.slice(200), 'Brakes were checked by the night watch'].join('\n') },
      ],
      delivered: [lines.join(' ')],
      leftOut: [],
    });
    expect(warnings).toEqual([
      'Page 2: 32 letters of the source are not in the result, at “Brakes were checked by the night watch”.',
    ]);
    expect(gap.unexplained).toBe(32);
    expect(gap.source).toBe(gap.delivered + 32);
  });

  test('finds a missing line although another one is delivered twice', () => {
    const lines = prose(100);
    const { warnings } = account(lines.join('\n'), [...lines.slice(0, 50), ...lines.slice(51), lines[60] ?? '']);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain(`at “${lines[50]?.slice(0, 30)}`);
    expect(warnings[1]).toContain(`at “${lines[60]?.slice(0, 30)}`);
  });

  test('finds a genuine repetition that is delivered once', () => {
    const line = 'Payment received with thanks';
    const { warnings, account: gap } = account([...prose(20), line, ...prose(20), line].join('\n'), [
      ...prose(20),
      line,
      ...prose(20),
    ]);
    expect(gap.unexplained).toBe(25);
    expect(warnings).toHaveLength(1);
  });

  test('does not take markers of lists for missing numbers', () => {
    const lines = prose(30);
    const { warnings } = account([...lines, '12345 67890 12345 67890 12345'].join('\n'), lines, {
      beside: lines.map((_, index) => `${index + 1}.`),
    });
    expect(warnings).toHaveLength(1);
  });

  test('explains what is left out and keeps its reason', () => {
    const lines = prose(10);
    const { account: even, warnings } = account(['Annual report of the harbour', ...lines].join('\n'), lines, {
      leftOut: [{ reason: 'repeated-header-or-footer', where: 'page 1', text: 'Annual report of the harbour' }],
    });
    expect(warnings).toEqual([]);
    expect(even.leftOut).toEqual([
      { reason: 'repeated-header-or-footer', where: 'page 1', count: 24, sample: 'Annual report of the harbour' },
    ]);
    expect(even.source).toBe(even.delivered + 24);
  });

  test('warns of letters that the source does not hold, but not of descriptions that it does', () => {
    const lines = prose(10);
    const label = 'A lighthouse above a rocky shore';
    expect(account(lines.join('\n'), [...lines, label]).warnings).toEqual([
      'The result has 27 letters that the source does not hold, at “A lighthouse above a rocky shore”.',
    ]);
    expect(account(lines.join('\n'), [...lines, label], { optional: [label] }).warnings).toEqual([]);
    expect(account(lines.join('\n'), lines, { optional: [label] }).warnings).toEqual([]);
  });

  test('warns of more than one per cent of a small place', () => {
    expect(account('Berth 7 free', ['Berth free']).warnings).toEqual([
      'Page 1: 1 letter of the source is not in the result, at “7 free”.',
    ]);
    expect(account([...prose(20), 'x'].join('\n'), prose(20)).warnings).toEqual([]);
  });

  test('accepts rows of short cells in another order and lines of the other direction', () => {
    const cells = Array.from({ length: 300 }, (_, index) => String((index * 37) % 100));
    const turned = Array.from({ length: 300 }, (_, index) => cells[(index % 10) * 30 + Math.floor(index / 10)] ?? '');
    const hebrew = 'שלום עולם הים גבוה היום';
    const { warnings } = account(`${cells.join('\n')}\n${hebrew}\nend`, [
      turned.join(' '),
      [...hebrew].reverse().join(''),
      'end',
    ]);
    expect(warnings).toEqual([]);
  });

  test('has a bound on what it compares, and says so', () => {
    const long = 'tide'.repeat(2_500_000);
    const { warnings, account: gap } = account(`${long}harbour and the night watch of June`, [long]);
    expect(gap.unexplained).toBe(29);
    expect(warnings).toEqual([
      'The file: 29 letters of the source are not in the result, at places that are not known.',
    ]);
  });

  test('joins accounts of pages, with a bound on their entries', () => {
    const one = account('Tide', [], { leftOut: [{ reason: 'hidden', where: 'page 1', text: 'Tide' }] }).account;
    const pages = Array.from({ length: 300 }, (_, page) => ({
      ...one,
      leftOut: one.leftOut.map((entry) => ({ ...entry, where: `page ${page}` })),
    }));
    const joined = mergeAccounts(pages);
    expect(joined).toMatchObject({ source: 1200, delivered: 0, unexplained: 0 });
    expect(joined.leftOut).toHaveLength(200);
    expect(joined.leftOut.at(-1)?.count).toBe(404);
  });
});
