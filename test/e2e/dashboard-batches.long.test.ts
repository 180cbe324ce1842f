/** Batches in the window: the list, a batch with its items, a retry, and the end of it. */
import { describe, expect, test } from 'vitest';
import { loadAxe, violations } from '../harness/axe.ts';
import { HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { serveWith } from '../harness/local-site.ts';

const dashboard = useDashboard();

const PHONE = { width: 400, height: 900 };

describe.skipIf(!HAS_BROWSER)('batches (needs chromium)', () => {
  test('a batch shows its items by itself; a failed one is retried; the batch is deleted', async () => {
    let isBroken = true;
    await using site = await serveWith((request, response) => {
      response.writeHead(isBroken && request.url === '/broken' ? 500 : 200, { 'content-type': 'text/plain' });
      response.end('The tide comes at noon.');
    });
    const { appliance } = dashboard;
    const body = new FormData();
    const items = [{ sourceUrl: `${site.url}/tide` }, { sourceUrl: `${site.url}/broken` }];
    body.set('batch', JSON.stringify({ operation: 'extract/doc', items }));
    body.append('file', new Blob(['The harbour opens at six.']), 'harbour.txt');
    const headers = { 'quarry-tags': 'minutes' };
    await appliance.owner('/v1/batches', { method: 'POST', body, headers });

    await dashboard.page.setViewportSize({ width: 1440, height: 900 });
    const page = await dashboard.open('/jobs');
    await page.getByRole('link', { name: 'Batches' }).click();
    await page.getByText('2 of 3 done, 1 failed').waitFor();
    await loadAxe(page);
    await keepScreenshot(page, 'batches');
    expect(await violations(page, 'light')).toEqual([]);
    await page.getByRole('link', { name: /3 documents/ }).click();
    await page.getByRole('link', { name: 'harbour.txt' }).waitFor();
    await page.getByText('Failed', { exact: true }).waitFor();
    await keepScreenshot(page, 'batch');
    expect(await violations(page, 'light')).toEqual([]);
    const href = await page.getByRole('link', { name: 'Download results' }).getAttribute('href');
    expect((await appliance.anonymous(href ?? '')).headers.get('content-type')).toBe('application/zip');
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: 'dark' });
    await keepScreenshot(page, 'batch-dark');
    expect(await violations(page, 'dark')).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1440, height: 900 });

    isBroken = false;
    await page.getByRole('button', { name: 'Retry failed items' }).click();
    await page.getByText('3 of 3 done').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No batches').waitFor();
  });
});
