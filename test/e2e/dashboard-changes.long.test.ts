import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { HAS_BROWSER } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { passingUntil, stopTime } from '../harness/page-clock.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

type BoundingBox = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;
const OLD_SECRET = 'the-secret-that-there-was';

const dashboard = useDashboard();

interface Shown {
  webhookId: string;
  url: string;
  hasSecret: boolean;
  previousSecretExpiresAt?: string;
}

async function endpoint(): Promise<Shown> {
  return ((await (await dashboard.appliance.owner('/v1/webhooks')).json()) as Shown[])[0] as Shown;
}

async function inbox(): Promise<{ name: string; url: string }> {
  return (await (await dashboard.appliance.owner('/admin/inboxes', postJson({}))).json()) as {
    name: string;
    url: string;
  };
}

async function patch(path: string, body: object): Promise<void> {
  const answer = await dashboard.appliance.owner(path, { ...postJson(body), method: 'PATCH' });
  expect(answer.status).toBe(200);
}

/** Asks the server for pages of this many rows, whatever the window asks for. */
async function smallPages(page: Page, path: string, rows: number): Promise<void> {
  await page.route(`**${path}?*`, async (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('limit', String(rows));
    await route.continue({ url: url.href });
  });
}

/** As a person does in the browser's dialog, of which only a change is told to the page. */
async function chooseFile(page: Page, file: string): Promise<void> {
  await page.locator('input[type=file]').waitFor({ state: 'attached' });
  const browser = await page.context().newCDPSession(page);
  const { root } = await browser.send('DOM.getDocument');
  const { nodeId } = await browser.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'input[type=file]' });
  await browser.send('DOM.setFileInputFiles', { nodeId, files: [file] });
  await browser.detach();
}

describe.skipIf(!HAS_BROWSER)('the dashboard, where things are changed', () => {
  test('a secret is changed with the keyboard alone, shown once, and the old one is ended when its owner says so', async () => {
    const { url } = await inbox();
    await dashboard.appliance.owner('/v1/webhooks', postJson({ url, secret: OLD_SECRET }));
    const page = await dashboard.open('/webhooks');
    const opens = page.getByRole('button', { name: 'Rotate secret' });
    await opens.focus();
    await page.keyboard.press('Enter');
    const field = page.getByRole('textbox', { name: 'New secret' });
    await expect.poll(() => field.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    // Nothing was given, so nothing was sent.
    expect((await endpoint()).previousSecretExpiresAt).toBeUndefined();
    await page.getByRole('button', { name: 'Generate' }).press('Enter');
    await expect.poll(() => field.inputValue()).toMatch(/^whsec_/);
    const made = await field.inputValue();
    const before = dashboard.appliance.clock.now();
    await field.press('Enter');
    await page.getByText('The new secret is in use.').waitFor();
    expect(await page.getByRole('group', { name: 'secret' }).textContent()).toBe(made);
    const { previousSecretExpiresAt = '' } = await endpoint();
    const changedAt = Date.parse(previousSecretExpiresAt) - 86_400_000;
    expect(changedAt).toBeGreaterThanOrEqual(before);
    expect(changedAt).toBeLessThanOrEqual(dashboard.appliance.clock.now());
    await page.getByText('Deliveries carry both signatures until').waitFor();
    await page.mouse.click(5, 5);
    await page.getByRole('button', { name: 'I have copied it' }).press('Enter');
    await page.getByText('the old secret expires').waitFor();
    await expect.poll(() => opens.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await field.waitFor();
    expect([await field.inputValue(), await page.getByText(made).count()]).toEqual(['', 0]);
    await page.getByRole('button', { name: 'Expire it now' }).press('Enter');
    await until(async () => (await endpoint()).previousSecretExpiresAt === undefined);
    await page.getByText('The old secret is still valid').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByText('the old secret expires').waitFor({ state: 'detached' });
    expect(dashboard.complaints).toEqual([]);
  });

  test('a refused secret is told beside its field, and a choice of no overlap ends the old one with the change', async () => {
    const page = await dashboard.open('/webhooks');
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    const field = page.getByRole('textbox', { name: 'New secret' });
    await field.fill('x'.repeat(1025));
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    await field.fill('another-secret-of-some-length');
    await page.getByRole('combobox', { name: 'Old secret stays valid for' }).click();
    await page.getByRole('option', { name: 'no time' }).click();
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByText('The new secret is in use.').waitFor();
    expect((await endpoint()).previousSecretExpiresAt).toBeUndefined();
    await page.getByRole('button', { name: 'I have copied it' }).click();
  });

  test('endpoints and accounts beyond the first page are read on request', async () => {
    const boxes = await Promise.all([inbox(), inbox(), inbox()]);
    for (const { url } of boxes) await dashboard.appliance.owner('/v1/webhooks', postJson({ url }));
    const page = dashboard.page;
    await smallPages(page, '/admin/webhooks', 3);
    await dashboard.open('/webhooks');
    const rows = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'Pause' }) });
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByRole('button', { name: 'Load older endpoints' }).click();
    await expect.poll(() => rows.count()).toBe(4);
    expect(await page.getByRole('button', { name: 'Load older endpoints' }).count()).toBe(0);

    const plan = (account: string) => `/admin/accounts/${account}/plan`;
    for (const account of ['0xa', '0xb', '0xc']) {
      const address = account.padEnd(42, account.slice(2));
      const put = { ...postJson({ plan: 'studio' }), method: 'PUT' };
      expect((await dashboard.appliance.owner(plan(address), put)).status).toBe(200);
    }
    await smallPages(page, '/admin/accounts', 2);
    await dashboard.open('/limits');
    const plans = page.getByRole('button', { name: /^Change plan/ });
    await expect.poll(() => plans.count()).toBe(2);
    await page.getByRole('button', { name: 'Load more accounts' }).click();
    await expect.poll(() => plans.count()).toBe(3);
  });

  test('what was typed into the settings stays when they change elsewhere, which is said beside it', async () => {
    const page = await dashboard.open('/settings');
    const room = page.getByRole('textbox', { name: 'Alert below free disk space (MB)' });
    await room.fill('48');
    await patch('/admin/settings', { lowDiskMb: 96, backupsKept: 7 });
    const news = page.getByText('Changed elsewhere to 96.');
    // As when the window is looked at again, which reads what was read some seconds ago.
    await until(async () => {
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      return (await news.count()) === 1;
    });
    expect(await room.inputValue()).toBe('48');
    await expect.poll(() => page.getByRole('textbox', { name: 'Backups to keep' }).inputValue()).toBe('7');
    await page.getByRole('button', { name: 'Use that value' }).click();
    await expect.poll(() => room.inputValue()).toBe('96');
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await expect.poll(() => save.isDisabled()).toBe(true);
    await room.fill('72');
    await save.click();
    await page.getByText('The settings are saved.').waitFor();
    const { lowDiskMb, backupsKept } = (await (await dashboard.appliance.owner('/admin/settings')).json()) as {
      lowDiskMb: number;
      backupsKept: number;
    };
    expect([lowDiskMb, backupsKept]).toEqual([72, 7]);
    await expect.poll(() => save.isDisabled()).toBe(true);
  });

  test('what is typed while a settlement is being saved stays in its form', async () => {
    const page = await dashboard.open('/payments?tab=settlement');
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    await page.route('**/admin/settlement', async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      await held;
      return route.fulfill({ json: {} });
    });
    await page.getByRole('radio', { name: /^On chain/ }).click();
    const [payTo, rpcUrl] = [page.getByLabel('Recipient address'), page.getByLabel('JSON-RPC URL')];
    await payTo.fill('0xa');
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await page.getByRole('button', { name: 'Save' }).click();
    await sent;
    await rpcUrl.fill('https://rpc.invalid');
    await payTo.fill('0xab');
    goOn();
    await page.getByText('Settlement is saved.').waitFor();
    // The way it settles was saved and read anew: what was sent is taken for what is stored.
    await expect.poll(() => page.getByRole('radio', { name: /^Sandbox/ }).isChecked()).toBe(true);
    await page.getByRole('radio', { name: /^On chain/ }).click();
    expect([await payTo.inputValue(), await rpcUrl.inputValue()]).toEqual(['0xab', 'https://rpc.invalid']);
  });

  test('an inbox that was told another answer through the API shows that one', async () => {
    const { name } = await inbox();
    await patch(`/admin/inboxes/${name}`, { label: 'Told', behaviour: { mode: 'status', status: 503, times: 2 } });
    const page = await dashboard.open('/webhooks?tab=inbox');
    const panel = page.getByRole('region', { name: 'Told' });
    const answers = panel.getByRole('combobox', { name: 'Responds with' });
    await expect.poll(() => answers.inputValue()).toBe('503, error, 2 more times');
    await answers.click();
    await page.getByRole('option', { name: '500, error', exact: true }).click();
    await expect.poll(() => answers.inputValue()).toBe('500, error');
    const { inboxes } = (await (await dashboard.appliance.owner('/admin/inboxes')).json()) as {
      inboxes: { name: string; behaviour: object }[];
    };
    expect(inboxes.find((one) => one.name === name)?.behaviour).toEqual({ mode: 'status', status: 500, times: null });
  });

  test('a price that was refused is not said to be changed', async () => {
    await dashboard.openApart();
    const { page } = dashboard;
    await page.clock.install();
    await page.route('**/admin/prices/**', (route) =>
      route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{"detail":"Not at the moment."}' }),
    );
    await page.goto(`${dashboard.appliance.url}/payments?tab=prices`);
    await page.getByRole('textbox', { name: 'Price, USDC: search' }).fill('0.5');
    await page.getByRole('button', { name: /of Search$/ }).click();
    await page.getByText('Not at the moment.').waitFor();
    expect(await page.getByText('The price of search is saved.').count()).toBe(0);
    await page.unrouteAll();
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    await page.route('**/admin/prices/**', async (route) => {
      await held;
      await route.continue();
    });
    const sent = page.waitForRequest('**/admin/prices/**');
    await page.getByRole('button', { name: /of Search$/ }).click();
    await sent;
    const seconds = page.getByRole('textbox', { name: 'Quote valid for, s: search' });
    await seconds.fill('95');
    // The way back stands there for some seconds, which are over before a slow machine has come to it.
    await stopTime(page);
    goOn();
    await passingUntil(page, page.getByText('The price of search is saved.'));
    await passingUntil(page, page.getByRole('row').filter({ has: seconds }).getByText('changed once'));
    expect(await seconds.inputValue()).toBe('95');
    await page.getByRole('button', { name: 'Undo' }).click();
    const amount = async () => {
      const { prices } = (await (await dashboard.appliance.owner('/admin/prices')).json()) as {
        prices: { operationId: string; amount: number; history: unknown[] }[];
      };
      return prices.find(({ operationId }) => operationId === 'search');
    };
    await until(async () => (await amount())?.history.length === 2);
    expect((await amount())?.amount).toBe(1000);
  });

  test('a plan with a number that is not one says so beside it, and does not wait for what it would mean', async () => {
    const page = await dashboard.open('/limits');
    await page
      .getByRole('button', { name: /^Change plan/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: /^Custom/ }).click();
    const perMinute = page.getByRole('textbox', { name: 'Requests per minute' });
    await perMinute.fill('');
    await expect.poll(() => perMinute.getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByRole('dialog').getByText('Loading').count()).toBe(0);
    await perMinute.fill('7');
    await page.getByText(/of the 0 requests/).waitFor();
    await page.keyboard.press('Escape');
  });

  test('of several files that are dropped one is taken, which is said', async () => {
    const page = await dashboard.open('/service/api/extract/doc');
    await page.getByText('Drop a file here').waitFor();
    const several = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      for (const name of ['one.txt', 'two.txt', 'three.txt']) data.items.add(new File([name], name));
      return data;
    })()`);
    await page.dispatchEvent('.drop', 'drop', { dataTransfer: several });
    await page.getByText('Only one.txt was added. Add the 2 other files one at a time.').waitFor();
    expect(await page.locator('.drop').textContent()).toContain('one.txt');
  });

  test('a file that was changed on the disk is asked for again, and taken as it is now when it is chosen again', async () => {
    const file = join(dashboard.appliance.dataDir, '..', 'note.txt');
    await writeFile(file, 'One.');
    // Browsers tell a changed file by the second it was written in.
    const earlier = Date.now() / 1000 - 60;
    await utimes(file, earlier, earlier);
    const page = await dashboard.open('/service/api/extract/doc');
    await chooseFile(page, file);
    await page.getByText('4 B', { exact: true }).waitFor();
    await writeFile(file, 'One, and two.');
    const run = page.getByRole('button', { name: 'Run', exact: true });
    await run.click();
    await page.getByText('note.txt changed or moved after you chose it. Choose it again.').waitFor();
    await chooseFile(page, file);
    await page.getByText('13 B', { exact: true }).waitFor();
    await run.click();
    await page.getByText('One, and two.').waitFor();
  });

  test('a double click changes something once, also where the next button has moved to its place', async () => {
    const sent: string[] = [];
    const page = await dashboard.open('/webhooks?tab=inbox');
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(new URL(request.url()).pathname.replace(/ctb_[^/]+/, 'id'));
    });
    /** As fast as people click, which is slower than the server answers. */
    const twice = async (button: Locator) => {
      const { x, y, width, height } = (await button.boundingBox()) as BoundingBox;
      const answered = page.waitForResponse((answer) => answer.request().method() === 'POST');
      await page.mouse.click(x + width / 2, y + height / 2);
      await answered;
      await page.waitForTimeout(150);
      await page.mouse.down({ clickCount: 2 });
      await page.mouse.up({ clickCount: 2 });
    };
    /** What was sent so far. A click sends at once: what it sends comes before what the page is told to ask after it. */
    const all = async () => {
      await page.evaluate("fetch('/health').then(() => null)");
      return sent.splice(0);
    };
    const another = page.getByRole('button', { name: 'New inbox' });
    /** A button that still waits for what it began takes no click. */
    const isFree = () => expect.poll(() => another.getAttribute('data-loading')).toBeNull();
    await twice(another);
    expect(await all()).toEqual(['/admin/inboxes']);
    await isFree();
    await another.dblclick();
    expect(await all()).toEqual(['/admin/inboxes']);
    await isFree();
    await twice(another);
    // Two clicks that are meant are two.
    await isFree();
    await another.click();
    expect(await all()).toEqual(['/admin/inboxes', '/admin/inboxes']);
    for (const text of ['The first remark.', 'The second remark.']) {
      await dashboard.appliance.anonymous('/v1/contributions', postJson({ kind: 'annotation', text }));
    }
    await dashboard.open('/contributions');
    await page.getByText('The second remark.').waitFor();
    await twice(page.getByRole('button', { name: 'Accept' }));
    expect(await all()).toEqual(['/admin/contributions/id/approve']);
    await expect.poll(() => page.locator('.review-entry').count()).toBe(1);
  });

  test('the tabs of a narrow window stay on one line, and what is in a table is not moved sideways', async () => {
    const page = await dashboard.open('/webhooks');
    await page.getByRole('button', { name: 'Pause' }).first().waitFor();
    await page.setViewportSize({ width: 400, height: 800 });
    const tops = () =>
      page.getByRole('tab').evaluateAll((tabs) => tabs.map((tab) => Math.round(tab.getBoundingClientRect().top)));
    // What follows the size of the window by script does so a moment later.
    await expect.poll(async () => new Set(await tops()).size).toBe(1);
    const tooWide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    await expect.poll(() => page.evaluate(tooWide)).toBe(0);
    for (const width of [400, 900, 1000, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const rows = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'Pause' }) });
      await expect.poll(() => rows.count()).toBeGreaterThan(0);
      const over = "(() => { const { scrollWidth, clientWidth } = document.querySelector('.table-wrap');";
      const tableOver = () => page.evaluate(`${over} return scrollWidth - clientWidth; })()`);
      await expect.poll(tableOver, { message: `at ${width}` }).toBe(0);
    }
  });
});
