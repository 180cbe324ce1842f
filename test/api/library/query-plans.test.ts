/** The lists of the library seek in indexes, so that 10,000 items cost what a screen of them costs. */
import { expect, test } from 'vitest';
import { ITEM_ORDERS } from '../../../src-server/features/library/schema.ts';
import {
  extrasOf,
  itemById,
  itemOfSource,
  itemsDeletedBefore,
  itemWithoutCover,
  listItems,
  unmeasuredJobs,
  unreadItems,
  versionOfJob,
  versionsOf,
} from '../../../src-server/features/library/store.ts';
import type { Storage } from '../../../src-server/platform/db/database.ts';
import { type PlannedStatement, plansOf } from '../../harness/query-plans.ts';
import { temporaryStorage } from '../../harness/queue.ts';

async function plansIn(work: (storage: Storage) => unknown): Promise<PlannedStatement[]> {
  await using database = await temporaryStorage();
  return plansOf(database.path, /^\s*select/, work);
}

const sorts = (plan: readonly string[]) => plan.filter((line) => line.includes('TEMP B-TREE'));

const scans = (plan: readonly string[]) => plan.filter((line) => /^SCAN /.test(line) && !line.includes('USING'));

const PAGE = { limit: 200, offset: 9800 };

test.each(ITEM_ORDERS)('the list ordered by %s follows an index, with filters and without', async (sort) => {
  const plans = await plansIn(({ db }) => {
    listItems(db, {}, false, { sort, ...PAGE });
    listItems(db, { kind: 'talk', language: 'cy', text: 'half a phrase' }, false, { sort, ...PAGE });
    listItems(db, { tag: 'harbour', speaker: 'Maya', collection: 'col_x' }, false, { sort, ...PAGE });
  });
  expect(plans).toHaveLength(3);
  for (const { sql, plan } of plans) {
    expect(plan.join('\n'), sql).toMatch(/library_items_by_(?:time|change|title|size)/);
    expect([...sorts(plan), ...scans(plan)], sql).toEqual([]);
  }
});

test('what belongs to an item, and what is still to be done, is found by index', async () => {
  const plans = await plansIn(({ db }) => {
    itemById(db, 'itm_x');
    itemOfSource(db, 'file:x');
    versionOfJob(db, 'job_x');
    versionsOf(db, 1);
    unreadItems(db, 50);
    itemWithoutCover(db);
    unmeasuredJobs(db, 50);
    itemsDeletedBefore(db, 1, 100);
  });
  expect(plans).toHaveLength(8);
  for (const { sql, plan } of plans) expect([...sorts(plan), ...scans(plan)], sql).toEqual([]);
  // Of a page of items at once: each by the identifiers of the page.
  const extras = await plansIn(({ db }) => extrasOf(db, [1, 2, 3]));
  expect(extras.length).toBeGreaterThan(3);
  for (const { sql, plan } of extras) expect(plan.join('\n'), sql).toMatch(/SEARCH (?:library_\w+|m) USING/);
});
