import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { loadAxe, violations } from '../harness/axe.ts';
import { HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { fileForm, finished } from '../harness/jobs.ts';

const dashboard = useDashboard();

async function read(name: string, tags: string, metadata = ''): Promise<string> {
  const { appliance } = dashboard;
  const body = fileForm(Buffer.from(`# ${name}\n\nThe tide turns.`), name);
  const headers = { 'quarry-tags': tags, ...(metadata === '' ? {} : { 'quarry-metadata': metadata }) };
  const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body, headers });
  const { jobId } = (await answer.json()) as { jobId: string };
  expect(await finished(appliance.owner, jobId)).toMatchObject({ status: 'completed' });
  return jobId;
}

const names = (page: Page) => page.getByRole('table', { name: 'Job list' }).getByRole('link').allTextContents();

describe.skipIf(!HAS_BROWSER)('tags in the window (needs chromium)', () => {
  test('a job shows its tags, a tag leads to its jobs, and the list filters by a typed one', async () => {
    const jobId = await read('harbour.md', 'invoices, client:acme', JSON.stringify({ order: 'A-17', due: 'March' }));
    await read('lighthouse.md', 'invoices');
    await read('plain.md', '');
    const page = await dashboard.open(`/jobs/${jobId}`);
    const tags = page.getByRole('list', { name: 'Tags' }).getByRole('link');
    await expect.poll(() => tags.allTextContents()).toEqual(['invoices', 'client:acme']);
    const metadata = page.locator('dl[aria-label="Metadata"]');
    expect(await metadata.locator('dt').allTextContents()).toEqual(['order', 'due']);
    expect(await metadata.locator('dd').allTextContents()).toEqual(['A-17', 'March']);
    await loadAxe(page);
    await keepScreenshot(page, 'tags-job');
    expect(await violations(page, 'light')).toEqual([]);

    await tags.first().click();
    await page.waitForURL(/tag=invoices/);
    await expect.poll(() => names(page)).toEqual(['lighthouse.md', 'harbour.md']);
    const filter = page.getByRole('combobox', { name: 'Tag' }).or(page.getByRole('textbox', { name: 'Tag' }));
    expect(await filter.inputValue()).toBe('invoices');
    await keepScreenshot(page, 'tags-list');
    expect(await violations(page, 'light')).toEqual([]);
    await read('pier.md', 'invoices');
    await read('quay.md', 'other');
    await expect.poll(() => names(page)).toEqual(['pier.md', 'lighthouse.md', 'harbour.md']);

    await filter.fill('not a tag');
    await page.getByText('Letters, digits and . _ : / -').waitFor();
    await keepScreenshot(page, 'tags-wrong');
    await filter.fill('client:acme');
    await expect.poll(() => names(page)).toEqual(['harbour.md']);
    await filter.fill('');
    await expect.poll(() => names(page)).toHaveLength(5);
    await filter.click();
    await keepScreenshot(page, 'tags-offered');
    await page.getByRole('option', { name: 'other' }).click();
    await expect.poll(() => names(page)).toEqual(['quay.md']);

    expect(dashboard.complaints).toEqual([]);
  });
});
