import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadAxe, violations } from '../harness/axe.ts';
import { HAS_BROWSER } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { fileJob, reportDocument } from '../harness/real-results.ts';

/** Every page once, on a machine that does other things too. */
const TOUR_TIMEOUT_MS = 1_800_000;
const JSON_TYPE = { 'content-type': 'application/json' };
/** What browsers themselves call a page that holds still. */
const GOOD_SHIFT = 0.1;

const PROBLEM = { title: 'Internal error', status: 500, code: 'internal', detail: 'The disk went away.' };

/** What the Tab key is expected to reach: one of a group of radio buttons, and nothing that is hidden or switched off. */
const REACHABLE = `window.reachable = () => {
  const all = [...document.querySelectorAll('a[href],button,input,select,textarea,summary,[tabindex]')];
  const groups = new Set();
  return all.filter((one) => {
    if (one.tabIndex < 0 || one.disabled || one.closest('[inert]') || one.type === 'hidden') return false;
    if (!one.checkVisibility({ visibilityProperty: true }) || one.getClientRects().length === 0) return false;
    if (one.type !== 'radio') return true;
    const first = !groups.has(one.name);
    groups.add(one.name);
    return first;
  });
};
window.expected = window.reachable();`;

/** Whether the same is to be reached as before: an answer may have put one thing in another's place. */
const IS_UNCHANGED = `(() => {
  const now = window.reachable();
  return now.length === window.expected.length && now.every((one, at) => one === window.expected[at]);
})()`;

/** Keeps what gets the focus, and what of it does not show that it has it. */
const WATCH_FOCUS = `window.reached = new Set();
window.unseen = [];
document.addEventListener('focusin', ({ target }) => {
  if (window.reached.has(target)) return;
  window.reached.add(target);
  const { outlineStyle, boxShadow } = getComputedStyle(target);
  const shown = outlineStyle !== 'none' || boxShadow !== 'none' || target.matches('input,textarea');
  if (!shown) window.unseen.push(target.outerHTML.slice(0, 120));
});`;

const COUNT_SHIFTS = `window.shifted = 0;
new PerformanceObserver((list) => { for (const one of list.getEntries()) window.shifted += one.value; })
  .observe({ type: 'layout-shift', buffered: true });`;

const dashboard = useDashboard();
let jobId: string;
let pages: string[];

async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
}

/** Presses Tab through a page, of which `expected` controls are to be reached. */
async function tabThrough(path: string) {
  const page = await dashboard.open(path);
  await settled(page);
  await page.evaluate(REACHABLE);
  const expected = await page.evaluate<number>('window.expected.length');
  await page.evaluate(WATCH_FOCUS);
  // One more, so that whatever is reached beyond what is expected counts too.
  for (let pressed = 0; pressed <= expected; pressed += 1) await page.keyboard.press('Tab');
  const reached = await page.evaluate<number>('window.reached.size');
  const unseen = await page.evaluate<string[]>('window.unseen');
  return { expected, isUnchanged: await page.evaluate<boolean>(IS_UNCHANGED), reached, unseen };
}

describe.skipIf(!HAS_BROWSER)('the dashboard, taken care of', () => {
  beforeAll(async () => {
    const { appliance } = dashboard;
    jobId = await fileJob(appliance, 'extract/doc', { bytes: reportDocument(), name: 'report.docx' });
    for (const label of ['mine', 'yours']) {
      const body = JSON.stringify({ label });
      const inbox = await appliance.owner('/admin/inboxes', { method: 'POST', headers: JSON_TYPE, body });
      const { url } = (await inbox.json()) as { url: string };
      for (let sent = 0; sent < 4; sent += 1) await fetch(url, { method: 'POST', headers: JSON_TYPE, body: '{}' });
    }
    await appliance.anonymous('/v1/jobs/unknown');
    pages = [
      '/',
      '/jobs',
      `/jobs/${jobId}`,
      '/service/api/extract/doc',
      '/search?q=harbour',
      '/contributions',
      '/webhooks',
    ];
    pages.push('/webhooks?tab=deliveries', '/webhooks?tab=inbox', '/payments', '/payments?tab=prices', '/limits');
    pages.push('/payments?tab=settlement', '/payments?tab=sandbox', '/models', '/settings');
  });

  test(
    'a page that gets no answer says so in the server’s words, and shows all once it is tried again',
    async () => {
      const { page } = dashboard;
      for (const path of pages) {
        const asked = /\/(admin|v1|ready|openapi)/;
        await page.route(asked, (route) => {
          const kept = path !== '/' && /admin\/overview/.test(route.request().url());
          if (kept || /admin\/events/.test(route.request().url())) return route.continue();
          const body = JSON.stringify(PROBLEM);
          return route.fulfill({ status: 500, contentType: 'application/problem+json', body });
        });
        await dashboard.open(path);
        await page.getByRole('alert').getByText(PROBLEM.detail).first().waitFor();
        await settled(page);
        await page.unroute(asked);
        // Some of what failed may have been asked for again by itself, and its button be gone.
        const again = page.getByRole('button', { name: 'Try again' });
        const failing = async () => {
          for (const button of await again.all()) await button.click({ timeout: 500 }).catch(() => undefined);
          return (await again.count()) + (await page.getByRole('alert').count());
        };
        await expect.poll(failing, { message: path }).toBe(0);
      }
      expect(dashboard.complaints.filter((line) => !line.startsWith('Failed to load resource'))).toEqual([]);
    },
    TOUR_TIMEOUT_MS,
  );

  test(
    'the Tab key reaches everything on every page, shows where it is, and is caught nowhere',
    async () => {
      const wrong: Record<string, string> = {};
      for (const path of pages) {
        let tour = await tabThrough(path);
        // What a page shows once an answer has come may change while it is walked through: then the walk says nothing.
        while (!tour.isUnchanged) tour = await tabThrough(path);
        if (tour.reached !== tour.expected) wrong[path] = `${tour.reached} of ${tour.expected} were reached`;
        if (tour.unseen.length > 0) wrong[`${path} focus`] = tour.unseen.join('\n');
      }
      expect(wrong).toEqual({});
    },
    TOUR_TIMEOUT_MS,
  );

  test('axe finds nothing wrong in dialogs, menus and notices, and Escape closes each', async () => {
    const { page } = dashboard;
    const wrong: Record<string, string[]> = {};
    const look = async (name: string) => {
      await loadAxe(page);
      const found = await violations(page, 'light');
      if (found.length > 0) wrong[name] = found;
    };
    const dialogs: [path: string, press: () => Promise<void>][] = [
      ['/webhooks', () => page.getByRole('button', { name: 'Add an endpoint' }).click()],
      [
        '/limits',
        async () => {
          await page.getByRole('button', { name: /^Change plan/ }).click();
          await page.getByRole('menu').waitFor();
          await look('plans');
          await page.getByRole('menuitem', { name: /^Custom/ }).click();
        },
      ],
      ['/webhooks?tab=inbox', () => page.getByRole('button', { name: 'Delete' }).first().click()],
    ];
    for (const [path, press] of dialogs) {
      await dashboard.open(path);
      await settled(page);
      await press();
      await page.getByRole('dialog').waitFor();
      await look(path);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await dashboard.open('/jobs');
    await page.getByRole('button', { name: 'Select all matches' }).click();
    await page.getByRole('button', { name: /^Delete \d+/ }).click();
    await page.getByRole('dialog').waitFor();
    await look('bulk removal');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menu').waitFor();
    await look('views');
    await dashboard.open('/payments?tab=prices');
    await page.getByLabel('Price, USDC: crawl').fill('0.31');
    await page.getByRole('button', { name: 'Save the price of crawl' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await look('a notice with its way back');
    expect(wrong).toEqual({});
    expect(dashboard.complaints).toEqual([]);
  });

  test('a refused field is marked where it stands, and its neighbours are not', async () => {
    const page = await dashboard.open('/service/api/crawl');
    await page.getByRole('textbox', { name: 'URL' }).first().fill('https://example.org/');
    await page.getByRole('button', { name: 'More options' }).click();
    const told = page.getByRole('group', { name: 'Notify' });
    // Nobody has to be told, so that nothing is asked for before one is named.
    expect(await told.getByRole('textbox', { name: 'URL' }).getAttribute('required')).toBeNull();
    await told.getByRole('textbox', { name: 'URL' }).fill('nonsense');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect.poll(() => told.getByRole('textbox', { name: 'URL' }).getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('[aria-invalid="true"]').count()).toBe(1);
  });

  test(
    'pages hold still while slow answers come in',
    async () => {
      const { page } = dashboard;
      await page.addInitScript(COUNT_SHIFTS);
      await page.route(/\/(admin|v1|ready|openapi)/, async (route) => {
        if (/events/.test(route.request().url())) return route.continue();
        await new Promise((resolve) => setTimeout(resolve, 150 + 150 * (route.request().url().length % 3)));
        // The page may have been left meanwhile.
        return route.continue().catch(() => undefined);
      });
      const restless: Record<string, number> = {};
      for (const path of pages) {
        await dashboard.open(path);
        await settled(page);
        const shifted = await page.evaluate<number>('window.shifted');
        if (shifted > GOOD_SHIFT) restless[path] = shifted;
      }
      expect(restless).toEqual({});
    },
    TOUR_TIMEOUT_MS,
  );
});
