import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadAxe, SCHEMES, violations } from '../harness/axe.ts';
import { dropFile, HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { wordDocument } from '../harness/documents.ts';
import { until } from '../harness/until.ts';

/** Every page in one look, on a machine that does other things too. */
const LOOK_TIMEOUT_MS = 1_800_000;

const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 800, height: 800 };
const PHONE = { width: 400, height: 800 };

/** How far the content of the page goes over its window, in pixels. */
const TOO_WIDE = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** What can be pressed but lies outside the window, or of what contains it, where nothing scrolls to it. */
const OUT_OF_REACH = `(() => {
  const scrolls = (one) => ['auto', 'scroll'].includes(getComputedStyle(one).overflowX);
  const around = (one) => (one.parentElement === null ? [] : [one.parentElement, ...around(one.parentElement)]);
  const isCut = (one) => {
    const parents = around(one);
    const scroller = parents.findIndex(scrolls);
    const boxes = scroller < 0 ? parents : parents.slice(0, scroller);
    const { right } = one.getBoundingClientRect();
    const hides = (box) => getComputedStyle(box).overflowX !== 'visible';
    const clips = (box) => hides(box) && right > box.getBoundingClientRect().right + 1;
    return (scroller < 0 && right > innerWidth) || boxes.some(clips);
  };
  const all = [...document.querySelectorAll('button, a, .mantine-SegmentedControl-label')];
  return all.filter(isCut).map((one) => one.ariaLabel ?? one.textContent);
})()`;

/** Rows of the list that hold more than they show: a cell that has fallen to a line of its own. */
const SPILT_ROWS = `[...document.querySelectorAll('.list-row')]
  .filter((row) => row.scrollHeight > row.clientHeight).length`;

/** Names of the tables that have to be moved sideways to be read. */
const SIDEWAYS = `[...document.querySelectorAll('.table-wrap')]
  .filter((wrap) => wrap.scrollWidth > wrap.clientWidth).map((wrap) => wrap.textContent.slice(0, 60))`;

/** Names of tabs that are selected but out of sight on their line. */
const HIDDEN_TABS = `[...document.querySelectorAll('[role="tab"][aria-selected="true"]')].filter((tab) => {
  const [own, line] = [tab.getBoundingClientRect(), tab.parentElement.getBoundingClientRect()];
  return own.left < line.left - 1 || own.right > line.right + 1;
}).map((tab) => tab.textContent)`;

const IN_PLACE = { tooWide: 0, outOfReach: [], spiltRows: 0, sideways: [], hiddenTabs: [] };

async function outOfPlace(page: Page): Promise<object> {
  const [tooWide, outOfReach] = [await page.evaluate<number>(TOO_WIDE), await page.evaluate<string[]>(OUT_OF_REACH)];
  const [spiltRows, sideways] = [await page.evaluate<number>(SPILT_ROWS), await page.evaluate<string[]>(SIDEWAYS)];
  const hiddenTabs = await page.evaluate<string[]>(HIDDEN_TABS);
  return { tooWide: Math.max(0, tooWide), outOfReach, spiltRows, sideways, hiddenTabs };
}

/** Each page by its address, with its heading and, where it has any, its tab. */
const PAGES: [path: string, heading: string, tab?: string][] = [
  ['/', 'Home'],
  ['/service', 'Activity'],
  ['/jobs', 'Jobs'],
  ['/service/api/extract/doc', 'API', 'curl'],
  ['/service/api/webhooks', 'API', 'curl'],
  ['/search', 'Search'],
  ['/search?q=two', 'Search'],
  ['/contributions', 'Corrections'],
  ['/webhooks', 'Webhooks', 'Endpoints'],
  ['/webhooks?tab=deliveries', 'Webhooks', 'Deliveries'],
  ['/webhooks?tab=signatures', 'Webhooks', 'Signatures'],
  ['/webhooks?tab=inbox', 'Webhooks', 'Inbox'],
  ['/payments', 'Payments', 'Ledger'],
  ['/payments?tab=prices', 'Payments', 'Prices'],
  ['/payments?tab=settlement', 'Payments', 'Settlement'],
  ['/payments?tab=sandbox', 'Payments', 'Sandbox'],
  ['/limits', 'Limits'],
  ['/models', 'Models'],
  ['/settings', 'Settings'],
];
const JOB_PARTS = ['timeline', 'payment', 'webhooks', 'request', 'json'];

/** What lies over any page. Escape closes it, except for the tray. */
const LAYERS: [name: string, open: (page: Page) => Promise<void>][] = [
  [
    'palette',
    async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('textbox', { name: 'Find or do' }).fill('report');
      await page.getByRole('dialog').getByText('Search everything for “report”').waitFor();
    },
  ],
  [
    'keys',
    async (page) => {
      await page.getByRole('button', { name: 'Keys' }).click();
      await page.getByRole('dialog', { name: 'Keys' }).getByText('Crawl a site').waitFor();
    },
  ],
  [
    'tooltip',
    async (page) => {
      await page.getByRole('link', { name: 'Library', exact: true }).click();
      await page.locator('.card-title').first().click();
      await page.getByRole('button', { name: 'Rename' }).first().hover();
      await page.getByRole('tooltip').getByText('Rename').waitFor();
    },
  ],
  [
    'tray',
    async (page) => {
      await dropFile(page, 'main', 'note.txt', Buffer.from('A note.'));
      await page.getByText('Added', { exact: true }).waitFor();
    },
  ],
];

const dashboard = useDashboard();
let pages: typeof PAGES;

/** Goes to a page within the window, and waits until everything on it is there. */
async function show(page: Page, [path, name, tab]: (typeof PAGES)[number]): Promise<void> {
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`);
  await page.waitForURL(dashboard.appliance.url + path);
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  if (tab !== undefined) await page.getByRole('tab', { name: tab, selected: true }).waitFor();
  await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
}

function nameOf(path: string): string {
  return path === '/' ? '-overview' : path.replaceAll(/(job|dlv)_[\w-]+/g, '$1').replaceAll(/\W+/g, '-');
}

const JSON_TYPE = { 'content-type': 'application/json' };

function documentForm(sourceName: string, webhookUrl?: string): FormData {
  const form = new FormData();
  form.append('sourceName', sourceName);
  if (webhookUrl !== undefined) form.append('webhookUrl', webhookUrl);
  form.append('file', new Blob([wordDocument(['One.', 'Two.', 'Three.'])]), 'a.docx');
  return form;
}

/** A document that is called back, one that is paid for, and a remark that waits: no page stays empty. */
async function someWork(): Promise<{ jobId: string; deliveryId: string }> {
  const { owner, anonymous } = dashboard.appliance;
  const inbox = await owner('/admin/inboxes', { method: 'POST', headers: JSON_TYPE, body: '{}' });
  const { url } = (await inbox.json()) as { url: string };
  const body = documentForm('Quarterly report', url);
  const sent = await owner('/v1/extract/doc', { method: 'POST', body });
  const { jobId } = (await sent.json()) as { jobId: string };
  const challenge = await anonymous('/v1/extract/doc', { method: 'POST' });
  const { accepts } = (await challenge.json()) as { accepts: unknown[] };
  const entry = JSON.stringify(accepts[0]);
  const signed = await anonymous('/facilitator/pay', { method: 'POST', headers: JSON_TYPE, body: entry });
  const { payload } = (await signed.json()) as { payload: string };
  const headers = { 'x-payment': payload };
  const paid = await anonymous('/v1/extract/doc', { method: 'POST', headers, body: documentForm('Paid') });
  expect(paid.status).toBe(202);
  const remark = JSON.stringify({ kind: 'annotation', text: 'The third figure is from last year.' });
  await anonymous('/v1/contributions', { method: 'POST', headers: JSON_TYPE, body: remark });
  const deliveries = async () => {
    const answer = await owner('/admin/deliveries?status=delivered');
    return ((await answer.json()) as { deliveries: { deliveryId: string }[] }).deliveries;
  };
  await until(async () => (await deliveries()).length === 1);
  return { jobId, deliveryId: (await deliveries())[0]?.deliveryId ?? '' };
}

describe.skipIf(!HAS_BROWSER)('how the dashboard looks', () => {
  beforeAll(async () => {
    const { jobId, deliveryId } = await someWork();
    const parts = JOB_PARTS.map((part): (typeof PAGES)[number] => [`/jobs/${jobId}?tab=${part}`, 'Quarterly report']);
    pages = [
      ...PAGES,
      [`/jobs/${jobId}`, 'Quarterly report'],
      ...parts,
      [`/webhooks?delivery=${deliveryId}`, 'Delivery: job.completed'],
    ];
  });

  test.each(SCHEMES)(
    'in %s axe finds nothing wrong, no page is too wide, and nothing is complained about',
    async (scheme) => {
      const { page, complaints } = dashboard;
      await page.emulateMedia({ colorScheme: scheme });
      await dashboard.open('/');
      await page.getByText('Live', { exact: true }).waitFor();
      await loadAxe(page);
      const wrong: Record<string, string[]> = {};
      for (const one of pages) {
        const [path] = one;
        await page.setViewportSize(WIDE);
        await show(page, one);
        await keepScreenshot(page, `${scheme}${nameOf(path)}`);
        const found = await violations(page, scheme);
        // Where things stand does not depend on their colours.
        for (const size of scheme === 'light' ? [NARROW, PHONE] : []) {
          await page.setViewportSize(size);
          await keepScreenshot(page, `${scheme}-${size.width}${nameOf(path)}`);
          // What follows the size of the window by script does so a moment later.
          await expect.poll(() => outOfPlace(page), { message: `${path} at ${size.width}` }).toEqual(IN_PLACE);
        }
        if (found.length > 0) wrong[path] = found;
      }
      await page.setViewportSize(WIDE);
      for (const [name, open] of LAYERS) {
        await open(page);
        await keepScreenshot(page, `${scheme}-${name}`);
        const found = await violations(page, scheme);
        if (found.length > 0) wrong[name] = found;
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      expect(wrong).toEqual({});
      expect(complaints).toEqual([]);
    },
    LOOK_TIMEOUT_MS,
  );

  test('on a phone the pages behind More are passed over by the keyboard until it is open', async () => {
    await dashboard.page.setViewportSize(PHONE);
    const page = await dashboard.open('/');
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    const more = page.getByRole('button', { name: 'More' });
    const models = page.getByRole('link', { name: 'Models' });
    expect(await models.count()).toBe(0);
    await more.focus();
    await page.keyboard.press('Enter');
    // What is not there yet takes no focus, and says nothing of it.
    await models.waitFor();
    await models.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
    await models.waitFor({ state: 'hidden' });
  });

  test('every page can be reached and left by keyboard alone', async () => {
    const page = await dashboard.open('/');
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    for (const name of ['Activity', 'Jobs', 'API', 'Webhooks', 'Payments', 'Limits', 'Models', 'Settings']) {
      await page.getByRole('navigation').first().getByRole('link', { name }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name }).waitFor();
    }
  });
});
