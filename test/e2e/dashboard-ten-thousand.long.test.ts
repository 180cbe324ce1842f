/** A library of 10,000 items of mixed kinds, thirty days later: nothing is lost, and everything is near. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Item } from '../../src-server/features/library/schema.ts';
import { DAY_MS } from '../../src-server/platform/units.ts';
import { HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { fillLibrary, titleOfItem } from '../harness/large-library.ts';
import { until } from '../harness/until.ts';

const ITEMS = 10_000;

/** Read before the others, so that exports have texts. */
const READ = 20;

const dashboard = useDashboard();

/** Days after the last item. Callers' results are gone by then. */
const LATER_DAYS = 30;

const listed = async (query: string) => {
  const answer = await dashboard.appliance.owner(`/v1/library/items?${query}`);
  return (await answer.json()) as { items: Item[]; total: number };
};

const cards = (page: Page) => page.locator('.card-title');

describe.skipIf(!HAS_BROWSER)('a library of 10,000 items (needs chromium)', () => {
  beforeAll(async () => {
    const { appliance } = dashboard;
    for (let number = 0; number < READ; number += 1) {
      const body = fileForm(`# ${titleOfItem(number)}\n\nRead in full, number ${number}.`, `read-${number}.md`);
      const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body });
      await finished(appliance.owner, ((await answer.json()) as { jobId: string }).jobId);
    }
    await until(async () => (await listed('text=Item')).total === READ);
    await appliance.restart(() =>
      fillLibrary(join(appliance.dataDir, 'production', 'quarry.db'), {
        now: appliance.clock.now(),
        from: READ,
        to: ITEMS,
      }),
    );
    // Each start sweeps what has expired.
    for (const days of [LATER_DAYS / 2, LATER_DAYS / 2]) {
      appliance.clock.advance(days * DAY_MS);
      await appliance.restart();
    }
  });

  test('none is lost after thirty days: pages have no gap, and each kind, tag and month adds up', async () => {
    const seen = new Set<string>();
    for (let offset = 0; offset < ITEMS; offset += 200) {
      const { items, total } = await listed(`limit=200&offset=${offset}`);
      expect(total).toBe(ITEMS);
      for (const { itemId } of items) seen.add(itemId);
    }
    expect(seen.size).toBe(ITEMS);
    const { items: read } = await listed('text=read-&limit=200');
    expect(read).toHaveLength(READ);
    for (const { jobId } of read) expect((await dashboard.appliance.owner(`/v1/jobs/${jobId}`)).status).toBe(200);
    const answer = await dashboard.appliance.owner('/v1/library/counts');
    const counts = (await answer.json()) as Record<'kinds' | 'tags' | 'months', { count: number }[]>;
    const sum = (values: readonly { count: number }[]) => values.reduce((all, { count }) => all + count, 0);
    expect(sum(counts.kinds)).toBe(ITEMS);
    expect(sum(counts.months)).toBe(ITEMS);
    expect(sum(counts.tags)).toBe(ITEMS - READ);
  });

  test('Home and the Library show it whole; any item is found in two actions from half a phrase', async () => {
    // A restart takes another port, and with it another session.
    await dashboard.openApart();
    const page = await dashboard.open('/');
    await page.locator('.home-day').first().waitFor();
    await keepScreenshot(page, 'ten-thousand-home');
    await dashboard.open('/library');
    await page.getByText('10,000 items').waitFor();
    await keepScreenshot(page, 'ten-thousand-grid');
    // Read items open with their text; of the others only the row is there.
    for (const number of [9999, 4321, 77, 7]) {
      await dashboard.open('/library');
      await cards(page).first().waitFor();
      // One: the words. Two: Enter.
      await page.keyboard.press('/');
      await page.keyboard.type(`m ${String(number).padStart(4, '0')},`);
      await expect.poll(() => cards(page).allTextContents()).toEqual([titleOfItem(number)]);
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/items\/itm_/);
      await page.getByRole('heading', { level: 1, name: titleOfItem(number) }).waitFor();
    }
  });

  test('twenty are exported in three actions', async () => {
    await dashboard.openApart();
    const page = await dashboard.open('/library?q=Item&sort=title&view=list&kind=document');
    await page.getByText(/^[\d,]+ items of 10,000$/).waitFor();
    const rows = page.locator('[data-item]');
    await rows.first().waitFor();
    // One: a click. Two: a click with Shift. Three: e and Enter.
    await page
      .getByRole('checkbox', { name: /^Choose Item/ })
      .first()
      .check({ force: true });
    await page.locator('[data-item="19"]').click({ modifiers: ['Shift'] });
    await page.getByText('20 selected').waitFor();
    await page.keyboard.press('e');
    await page.getByRole('dialog', { name: 'Export 20 items' }).waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    expect(file.suggestedFilename()).toBe('Library.zip');
  });
});
