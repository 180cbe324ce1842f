/** What `npm run bench -- gate` concludes from its samples. The measurements themselves are no test. */
import { expect, test } from 'vitest';
import { canJudge, compareSamples, OTHERS_MAX_CORES, tableOf } from '../../bench/gate-table.ts';

test('what grew by more than 3 % is marked, by the least sample of each tree', () => {
  const rows = compareSamples(
    { small: [14, 10, 12], medium: [40], large: [400], start: [500] },
    { small: [10.4, 30], medium: [90, 41.1], large: [300], start: [515] },
  );
  expect(rows.map(({ name, before, now, grew }) => [name, before, now, grew])).toEqual([
    ['small', 10, 10.4, true],
    ['medium', 40, 41.1, false],
    ['large', 400, 300, false],
    ['start', 500, 515, false],
  ]);
  expect(tableOf(rows, 'c0ffee', true)[0]).toEqual({
    figure: '.docx of 1 page, CPU ms',
    c0ffee: '10',
    'this tree': '10.4',
    ratio: '1.040',
    '': 'GREW',
  });
});

test('a figure that no number came of counts as grown', () => {
  expect(compareSamples({ paid: [1] }, { paid: [Number.NaN] })).toMatchObject([{ name: 'paid', grew: true }]);
});

test('a figure that one tree lacks is not compared', () => {
  expect(compareSamples({ paid: [1], pdf: [2] }, { pdf: [2] }).map(({ name }) => name)).toEqual(['pdf']);
});

test('nothing is judged while others use the cores', () => {
  expect(canJudge(0)).toBe(true);
  expect(canJudge(OTHERS_MAX_CORES * 1.1)).toBe(false);
  expect(canJudge(Number.NaN)).toBe(false);
  const [row] = tableOf(compareSamples({ paid: [1] }, { paid: [2] }), 'c0ffee', false);
  expect(Object.values(row ?? {})).not.toContain('GREW');
});
