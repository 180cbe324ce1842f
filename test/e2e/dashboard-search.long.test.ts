/** The Search page: counts that narrow, how it was searched, and answers whose quotations open their place. */
import { afterAll, describe, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import { loadAxe, violations } from '../harness/axe.ts';
import { HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { startTextServer, type TextServer } from '../harness/text-server.ts';
import { until } from '../harness/until.ts';

const QUOTE = 'Either side may end it with three months of notice.';
const FILES = {
  'lease.txt': `The lease of the harbour office runs for five years. ${QUOTE}`,
  'report.txt': 'The report says that the lease of the harbour crane ends in May.',
};

describe.skipIf(!HAS_BROWSER)('the Search page', () => {
  let server: TextServer;
  let said = QUOTE;
  const dashboard = useDashboard(async () => {
    server = await startTextServer(() => ({ quotes: [{ passage: 1, quote: said }] }));
    return { knownTextServers: [server.url] };
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('narrows by a count, names what it searched by, and answers with a quotation that opens its place', async () => {
    const { owner } = dashboard.appliance;
    for (const [name, text] of Object.entries(FILES)) {
      const answer = await owner('/v1/extract/doc', { method: 'POST', body: fileForm(text, name) });
      await finished(owner, ((await answer.json()) as Job).jobId);
    }
    await until(async () => {
      const body = JSON.stringify({ query: 'lease', mode: 'semantic' });
      const headers = { 'content-type': 'application/json' };
      const answer = await owner('/v1/search', { method: 'POST', body, headers });
      return ((await answer.json()) as { results: unknown[] }).results.length === 2;
    });
    const page = await dashboard.open('/search?q=notice+of+the+lease');
    await page.getByText('by words and meaning (as learned from your files)').waitFor();
    await loadAxe(page);
    expect(await violations(page, 'light')).toEqual([]);
    await page.getByText('A small embedding model finds more of what you mean.').waitFor();
    // The answer appears while it is written, and stops: the button keeps the focus, the words stay.
    server.heldAfter = 6;
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.waitForURL(/ask=1/);
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.locator('blockquote').getByText('Either side may end it').waitFor();
    expect(await answer.getAttribute('aria-busy')).toBe('true');
    expect(await answer.getByRole('status').textContent()).toBe('The text model writes…');
    await keepScreenshot(page, 'search-ask-writing');
    const stop = answer.getByRole('button', { name: 'Stop' });
    await stop.focus();
    await page.keyboard.press('Enter');
    await server.abandoned;
    await answer.getByText('Stopped.').waitFor();
    expect(await answer.locator('blockquote').textContent()).not.toContain('notice');
    const again = answer.getByRole('button', { name: 'Ask again' });
    await until(() => again.evaluate((button) => button.matches(':focus')));
    server.heldAfter = Number.POSITIVE_INFINITY;
    await page.keyboard.press('Enter');
    await answer.getByText('1 quotation, word for word').waitFor();
    await answer.locator('blockquote').getByText(QUOTE).waitFor();
    await answer.getByText('chosen by echo').waitFor();
    expect(await violations(page, 'light')).toEqual([]);
    for (const width of [1440, 400]) {
      await page.setViewportSize({ width, height: 900 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await keepScreenshot(page, `search-${width}-${colorScheme}`);
      }
    }
    // Each item once, with its cover and day; a filter with a count narrows, and is in the address.
    const { items } = (await (await owner('/v1/library/items?text=report')).json()) as { items: { itemId: string }[] };
    const headers = { 'content-type': 'application/json' };
    await owner(`/v1/library/items/${items[0]?.itemId}`, {
      ...{ method: 'PATCH', headers, body: JSON.stringify({ addTags: ['crane'] }) },
    });
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText('2 items, 2 places').waitFor();
    await page.getByRole('button', { name: 'crane 1' }).click();
    await page.waitForURL(/tag=crane/);
    await until(async () => (await page.getByRole('article').count()) === 1);
    await page.getByRole('button', { name: 'Remove the filter Tag: crane' }).click();
    await until(async () => (await page.getByRole('article').count()) === 2);
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByRole('link', { name: 'Source 1: lease.txt, Page 1' }).click();
    await page.waitForURL(/\/items\/itm_.*chunk=/);
    // Back shows the answer again, and asks no model.
    const asked = server.bodies.length;
    await page.goBack();
    await page.getByRole('list', { name: 'Sources' }).getByRole('link', { name: 'lease.txt, Page 1' }).click();
    await page.waitForURL(/\/items\/itm_.*chunk=/);
    expect(server.bodies).toHaveLength(asked);
    // What no place answers is said.
    said = 'The lease has ended.';
    await dashboard.open('/search?q=lease&ask=1');
    await page.getByRole('status').getByText('Your library does not say.').waitFor();
    expect(await page.locator('blockquote').count()).toBe(0);
    await page.getByRole('article').first().waitFor();
    // From Home to the place in two actions: the words, and Enter.
    await dashboard.open('/');
    const field = page.getByRole('textbox', { name: 'Search your library, or paste an address to read' });
    await field.fill('crane ends');
    await page.keyboard.press('Enter');
    await page.getByText(/^\d items?, \d places?/).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/items\/itm_.*chunk=/);
    expect(dashboard.complaints).toEqual([]);
  });
});

describe.skipIf(!HAS_BROWSER)('the Search page without a text model', () => {
  const dashboard = useDashboard(() => ({ knownTextServers: [] }));

  test('says what an answer needs and offers it', async () => {
    const { owner } = dashboard.appliance;
    const read = await owner('/v1/extract/doc', { method: 'POST', body: fileForm(FILES['lease.txt'], 'lease.txt') });
    await finished(owner, ((await read.json()) as Job).jobId);
    const page = await dashboard.open('/search?q=lease&ask=1');
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.getByRole('status').getByText('No text model is installed.').waitFor();
    await loadAxe(page);
    expect(await violations(page, 'light')).toEqual([]);
    for (const width of [1440, 400]) {
      await page.setViewportSize({ width, height: 900 });
      await keepScreenshot(page, `search-ask-needs-${width}`);
    }
    await answer.getByRole('button', { name: 'Choose a model' }).click();
    await page.getByRole('dialog').getByRole('radio').first().waitFor();
    expect(dashboard.complaints).toEqual([]);
  });
});
