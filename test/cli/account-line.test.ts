/** The account of a result, as the commands say it. */
import { expect, test } from 'vitest';
import { accountLines } from '../../src-server/commands/account-line.ts';
import type { LeftOut, SourceAccount } from '../../src-server/platform/source-account.ts';

function linesOf(account: Partial<SourceAccount>, others: object = {}): string[] {
  const whole = { unit: 'letters', source: 0, delivered: 0, leftOut: [], unexplained: 0, ...account };
  const job = { jobId: 'job_1', jobType: 'extract/doc', status: 'completed' as const };
  return accountLines({ ...job, result: { account: whole, ...others } });
}

function left(reason: LeftOut['reason'], count: number): LeftOut {
  return { reason, count, where: 'page 1' };
}

test.each<[Partial<SourceAccount>, object, string]>([
  [
    {
      source: 18_312,
      delivered: 18_000,
      leftOut: [left('repeated-header-or-footer', 300), left('repeated-header-or-footer', 12)],
    },
    { document: { format: 'pdf', pages: 14 } },
    'All 14 pages read, 312 letters of repeated headers or footers left out.',
  ],
  [{ source: 2347, delivered: 2347 }, { document: { format: 'pdf', pages: 1 } }, 'All 2,347 letters read.'],
  // Only the file states them.
  [{ source: 2347, delivered: 2347 }, { document: { format: 'docx', pages: 14 } }, 'All 2,347 letters read.'],
  [{ source: 1, delivered: 1 }, {}, '1 letter read.'],
  [{ source: 0 }, {}, '0 letters read.'],
  [
    { unit: 'cells', source: 1205, delivered: 1204, leftOut: [left('hidden', 1)] },
    {},
    'All 1,205 cells read, 1 cell of hidden parts left out.',
  ],
  [
    { unit: 'cells', source: 900_000, delivered: 500_000, leftOut: [left('over-limit', 400_000)] },
    {},
    '500,000 of 900,000 cells read, 400,000 cells over a limit left out.',
  ],
  [
    { unit: 'seconds', source: 725.04, delivered: 685, leftOut: [left('silence', 40.04)] },
    {},
    'All 12 min 5 s heard, 40 s of silence left out.',
  ],
  [
    { unit: 'seconds', source: 3600, delivered: 3480, leftOut: [left('damaged', 120)] },
    {},
    '58 min of 1 h heard, 2 min of damaged parts left out.',
  ],
  [
    { unit: 'addresses', source: 1300, delivered: 1298, leftOut: [left('unreachable', 2)] },
    {},
    '1,298 of 1,300 addresses read, 2 addresses without an answer left out.',
  ],
  [
    {
      unit: 'letters',
      source: 100,
      delivered: 90,
      leftOut: [left('navigation', 4), left('hidden', 3), left('silence', 2), left('damaged', 1)],
    },
    {},
    '90 of 100 letters read, 4 letters of navigation, 3 letters of hidden parts and parts for 2 other reasons left out.',
  ],
])('%j says it in one line', (account, others, line) => {
  expect(linesOf(account, others)).toEqual([line]);
});

test('what is not explained has a line of its own, with the places that the warnings name', () => {
  const unexplained = { source: 1000, delivered: 760, unexplained: 240 };
  expect(
    linesOf(unexplained, {
      warnings: ['Page 3 holds more text than was read: “Vardo…”.'],
      document: { format: 'pdf', pages: 9 },
    }),
  ).toEqual([
    '760 of 1,000 letters read.',
    '240 letters of the source are not in the result, and no reason is known. ' +
      'Page 3 holds more text than was read: “Vardo…”.',
  ]);
  expect(linesOf({ source: 2, delivered: 1, unexplained: 1 })[1]).toMatch(/^1 letter of the source is not/);
});

test('a crawl says both accounts, a result without one nothing', () => {
  const letters = { unit: 'letters', source: 50, delivered: 20, leftOut: [left('navigation', 30)], unexplained: 0 };
  expect(linesOf({ unit: 'addresses', source: 2, delivered: 2 }, { letters })).toEqual([
    'All 2 addresses read, 30 letters of navigation left out.',
  ]);
  expect(accountLines({ jobId: 'job_1', jobType: 'generate/audio', status: 'completed', result: {} })).toEqual([]);
});
