/** Watched sites in the window: what changed is read, and a watch is made, run and paused. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SiteWatch } from '../../src-server/features/watches/schema.ts';
import { keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { finished } from '../harness/jobs.ts';
import { type LocalSite, serveWith } from '../harness/local-site.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const dashboard = useDashboard();

let site: LocalSite;
let price = 12;
let links = ['/pumps', '/old'];

beforeAll(async () => {
  site = await serveWith((request, response) => {
    const path = request.url ?? '';
    if (path === '/robots.txt') return void response.writeHead(404).end();
    const text = path === '/pumps' ? `<p>A pump lifts water.</p><p>The small pump costs ${price} dollars.</p>` : '';
    const named = path === '/' ? links.map((to) => `<p><a href="${to}">${to}</a></p>`).join('') : '';
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<title>Harbour ${path}</title><main><h1>Harbour</h1><p>${path}</p>${text}${named}</main>`);
  });
  await dashboard.appliance.owner('/admin/settings', { ...postJson({ crawlDelayMs: 0 }), method: 'PATCH' });
});
afterAll(() => site[Symbol.asyncDispose]());

const watches = async () =>
  ((await (await dashboard.appliance.owner('/admin/watches')).json()) as { watches: SiteWatch[] }).watches;

async function lastRunEnded(): Promise<void> {
  await until(async () => (await watches())[0]?.lastRun != null);
  const jobId = (await watches())[0]?.lastRun?.jobId ?? '';
  await finished(dashboard.appliance.owner, jobId);
}

test('a site is watched from the form; its page shows what changed, by keyboard too', async () => {
  const page = await dashboard.open('/watches');
  await page.getByText('No watched sites').waitFor();
  await page.getByRole('button', { name: 'Watch a site' }).click();
  await page.getByRole('textbox', { name: 'Site' }).fill(`${site.url}/`);
  await page.getByRole('textbox', { name: 'Name' }).fill('Harbour office');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Harbour office' }).waitFor();
  await lastRunEnded();
  await page.getByText('First crawl').waitFor();

  price = 15;
  links = ['/pumps', '/new'];
  await page.getByRole('button', { name: 'Run now: Harbour office' }).click();
  // The window hears of the end by itself.
  await page.getByText('2 changed, 1 added, 1 removed').waitFor();
  await page.getByRole('link', { name: 'Harbour office' }).focus();
  await page.keyboard.press('Enter');
  const change = page.getByRole('article', { name: `Changed: ${site.url}/pumps` });
  await change.waitFor();
  expect(await change.locator('ins').allTextContents()).toEqual(['+The small pump costs 15 dollars.']);
  expect(await change.locator('del').allTextContents()).toEqual(['-The small pump costs 12 dollars.']);
  await page.getByRole('article', { name: `No longer linked: ${site.url}/old` }).waitFor();

  await page.getByRole('link', { name: `History of ${site.url}/pumps` }).click();
  await page.getByRole('article', { name: /^First version/ }).waitFor();
  await page.getByRole('link', { name: 'Back to the changes' }).click();
  await change.waitFor();

  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  expect((await watches())[0]?.status).toBe('paused');

  await page.getByRole('link', { name: 'Open the crawl' }).click();
  await page.getByRole('link', { name: 'Watched site', exact: true }).click();
  await page.getByRole('heading', { name: 'Harbour office' }).waitFor();
  expect(dashboard.complaints).toEqual([]);
});

test('the page of a crawl leads to a watch with its request', async () => {
  const answer = await dashboard.appliance.owner('/v1/crawl', postJson({ url: `${site.url}/pumps`, depth: 0 }));
  const { crawlId } = (await answer.json()) as { crawlId: string };
  await finished(dashboard.appliance.owner, crawlId);
  const page = await dashboard.open(`/jobs/${crawlId}`);
  await page.getByRole('link', { name: 'Watch this site' }).click();
  const field = page.getByRole('textbox', { name: 'Site' });
  await field.waitFor();
  expect(await field.inputValue()).toBe(`${site.url}/pumps`);
  await page.getByRole('button', { name: 'Watch', exact: true }).click();
  await until(async () => (await watches()).length === 2);
  expect((await watches())[0]?.crawl).toMatchObject({ url: `${site.url}/pumps`, depth: 0 });
});

test('the form chooses pages and signs the webhook; a webhook that stays keeps its secret', async () => {
  const page = await dashboard.open('/watches');
  await page.getByRole('button', { name: 'Watch a site' }).click();
  await page.getByRole('textbox', { name: 'Site' }).fill(`${site.url}/`);
  await page.getByRole('textbox', { name: 'Name' }).fill('Chosen pages');
  const only = page.getByRole('combobox', { name: 'Only these paths' });
  for (const path of ['pumps', '/new']) {
    await only.fill(path);
    await only.press('Enter');
  }
  // Left without Enter.
  await page.getByRole('combobox', { name: 'Without these paths' }).fill('/**/print');
  await page.getByRole('combobox', { name: 'Sitemaps and feeds' }).click();
  await page.getByRole('option', { name: 'Follow them too' }).click();
  await page.getByRole('textbox', { name: 'Webhook URL' }).fill(`${site.url}/hook`);
  await page.getByRole('button', { name: 'Generate' }).click();
  const watch = page.getByRole('button', { name: 'Watch', exact: true });
  await watch.click();
  await page.getByText('Give a path that starts with /, such as /docs/**.').waitFor();
  expect(await page.locator(':focus').getAttribute('id')).toBe(await only.getAttribute('id'));
  for (const width of [1440, 400]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await keepScreenshot(page, `watch-form-${width}-${colorScheme}`);
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await only.press('Backspace');
  await only.press('Backspace');
  await only.fill('/pumps');
  await watch.click();
  const named = async () => (await watches()).find(({ name }) => name === 'Chosen pages');
  await until(async () => (await named()) !== undefined);
  expect(await named()).toMatchObject({
    crawl: { include: ['/pumps'], exclude: ['/**/print'], sitemap: 'include' },
    webhook: { url: `${site.url}/hook`, hasSecret: true },
  });

  await page.getByRole('link', { name: 'Chosen pages' }).click();
  await page.getByRole('button', { name: 'Change the watch' }).click();
  await page.getByText('The webhook keeps its secret.').waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('Renamed');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Renamed' }).waitFor();
  expect((await watches()).find(({ name }) => name === 'Renamed')).toMatchObject({
    crawl: { include: ['/pumps'], exclude: ['/**/print'], sitemap: 'include' },
    webhook: { url: `${site.url}/hook`, hasSecret: true },
  });

  await page.getByRole('button', { name: 'Change the watch' }).click();
  await page.getByRole('textbox', { name: 'Webhook URL' }).fill(`${site.url}/other`);
  await page.getByText('Another URL needs the secret again.').waitFor();
});
