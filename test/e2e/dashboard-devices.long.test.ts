/** "Open on your phone", from the switch in the settings to the phone that is signed out. */
import type { BrowserContext, Page, Response } from 'playwright-core';
import { encode } from 'uqr';
import { describe, expect, test } from 'vitest';
import { freePort } from '../harness/broker.ts';
import { HAS_BROWSER, keepScreenshot, newWindow, type Visit } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { DEVICE_HOST, openDeviceDoor } from '../harness/linked-device.ts';
import { until } from '../harness/until.ts';

const ANDROID =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Mobile Safari/537.36';

const dashboard = useDashboard(() => ({ networkAddresses: () => [DEVICE_HOST] }));

const panel = (page: Page) =>
  page.locator('.panel', { has: page.getByRole('heading', { name: 'Open on your phone' }) });

/** A browser on a phone, without what browsers withhold from pages on plain http. */
async function newPhone(): Promise<Visit & { context: BrowserContext }> {
  const context = await dashboard.browser.newContext({
    userAgent: ANDROID,
    hasTouch: true,
    isMobile: true,
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(180_000);
  await context.addInitScript(`
    delete Navigator.prototype.clipboard;
    delete Crypto.prototype.randomUUID;
    delete Crypto.prototype.subtle;
  `);
  return { context, ...(await newWindow(context, { width: 400 })) };
}

const isCodes = (answer: Response) => answer.url().endsWith('/admin/devices/codes');

const linkOf = async (answer: Response) => ((await answer.json()) as { links: string[] }).links[0] ?? '';

/** Whether a page is wider than its window. */
const overflows = (page: Page) => page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');

async function openDialog(page: Page): Promise<string> {
  const [made] = await Promise.all([
    page.waitForResponse(isCodes),
    panel(page).getByRole('button', { name: 'Link a device' }).click(),
  ]);
  return linkOf(made);
}

describe.skipIf(!HAS_BROWSER)('open on your phone (needs chromium)', () => {
  test('is switched on, links a phone by its code, which reads and adds, and is signed out', async () => {
    const page = await dashboard.open('/settings/connections');
    const card = panel(page);
    await card.getByText('Nothing listens in the network').waitFor();
    expect(await card.getByRole('button', { name: 'Link a device' }).count()).toBe(0);
    await card.getByLabel('Address').selectOption(DEVICE_HOST);
    const port = await freePort();
    await card.getByLabel('Port').fill(String(port));
    await card.getByRole('button', { name: 'Change port' }).click();
    await until(async () => (await card.getByRole('button', { name: 'Change port' }).count()) === 0);
    await card.getByRole('switch', { name: 'Let linked devices in' }).click();
    await card.getByText('not encrypted (http)').waitFor();
    await card.getByText(`http://${DEVICE_HOST}:${port}`).waitFor();
    await keepScreenshot(page, 'devices-on');
    const link = await openDialog(page);
    const dialog = page.getByRole('dialog');
    // What a camera reads are the modules of the picture.
    const drawn = await dialog.getByRole('img', { name: 'QR code' }).locator('path').last().getAttribute('d');
    const { data } = encode(link, { ecc: 'M', border: 4 });
    const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
    expect(drawn).toBe(dark.join(''));
    await dialog.getByText('The code works once').waitFor();
    await keepScreenshot(page, 'devices-code');

    const phone = await newPhone();
    await phone.page.goto(link);
    await phone.page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(phone.page.url()).toBe(`http://${DEVICE_HOST}:${port}/`);
    await page.getByText('Chrome on Android is linked.').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await phone.page.getByText('Drop a file or a folder').waitFor();
    await keepScreenshot(phone.page, 'devices-phone-start');
    expect(await overflows(phone.page)).toBe(false);

    await phone.page
      .locator('input[type=file]')
      .first()
      .setInputFiles({
        name: 'tide.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('The tide turned at noon.'),
      });
    await phone.page.getByRole('link', { name: 'Library', exact: true }).click();
    await phone.page.getByRole('link', { name: /tide/ }).first().click();
    await phone.page.getByText('The tide turned at noon.').first().waitFor();
    await keepScreenshot(phone.page, 'devices-phone-job');
    expect(await overflows(phone.page)).toBe(false);
    await phone.page.getByRole('button', { name: 'Copy all' }).click();
    await phone.page.getByText('words copied').first().waitFor();

    await phone.page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: 'More' }).click();
    const more = phone.page.getByRole('navigation', { name: 'More' });
    await expect
      .poll(() => more.getByRole('link').allTextContents())
      .toEqual(['Home', 'Library', 'Search', 'Make', 'Jobs']);
    await keepScreenshot(phone.page, 'devices-phone-more');
    for (const path of ['/search', '/jobs', '/']) {
      await phone.page.goto(`http://${DEVICE_HOST}:${port}${path}`);
      await phone.page.getByRole('heading', { level: 1 }).waitFor();
      expect(await overflows(phone.page), path).toBe(false);
    }
    await phone.page.goto(`http://${DEVICE_HOST}:${port}/settings`);
    await phone.page.getByText('Only on the computer').waitFor();
    expect(phone.complaints).toEqual([]);

    await phone.page.goto(`http://${DEVICE_HOST}:${port}/jobs`);
    await phone.page.getByRole('link', { name: /tide/ }).first().waitFor();
    await card.getByRole('button', { name: 'Sign out Chrome on Android' }).click();
    await phone.page.getByText('This device is not linked').waitFor();
    await card.getByText('No device is linked').waitFor();
    await keepScreenshot(phone.page, 'devices-phone-signed-out');
    expect(dashboard.complaints).toEqual([]);
    await phone.context.close();
  });

  test('says which program takes the port, and a phone that signs itself out is gone from the list', async () => {
    const { appliance } = dashboard;
    const door = await openDeviceDoor(appliance);
    const { devices } = (await (await appliance.owner('/admin/devices')).json()) as { devices: { deviceId: string }[] };
    for (const { deviceId } of devices) await appliance.owner(`/admin/devices/${deviceId}`, { method: 'DELETE' });
    const page = await dashboard.open('/settings/connections');
    await panel(page).getByLabel('Port').fill(new URL(appliance.url).port);
    await panel(page).getByRole('button', { name: 'Change port' }).click();
    await panel(page).getByText('is that of Quarry itself. Choose another one.').waitFor();
    const phone = await newPhone();
    await phone.page.goto(await openDialog(page));
    await phone.page.getByRole('heading', { name: 'Home' }).waitFor();
    await panel(page).getByRole('button', { name: 'Sign out Chrome on Android' }).waitFor();
    const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body: fileForm('Words.', 'words.txt') });
    const { jobId } = (await answer.json()) as { jobId: string };
    await finished(appliance.owner, jobId);
    await phone.page.goto(`${door}/jobs/${jobId}`);
    await phone.page.getByText('Words.').first().waitFor();
    await phone.page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: 'More' }).click();
    await phone.page.getByRole('button', { name: 'Sign out this device' }).click();
    await phone.page.getByText('This device is not linked').waitFor();
    await until(
      async () =>
        (await panel(page)
          .getByRole('button', { name: /^Sign out Chrome/ })
          .count()) === 0,
    );
    await phone.context.close();
  });

  test('renews a code that expires', async () => {
    await openDeviceDoor(dashboard.appliance);
    const page = await dashboard.open('/settings/connections');
    const first = await openDialog(page);
    const [again] = await Promise.all([
      page.waitForResponse(isCodes),
      page.getByRole('dialog').getByRole('button', { name: 'New code' }).click(),
    ]);
    expect(await linkOf(again)).not.toBe(first);
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    // Codes that end soon: the dialog asks for the next one by itself.
    const { clock } = dashboard.appliance;
    await page.route('**/admin/devices/codes', async (asked) => {
      const answer = await asked.fetch();
      const expiresAt = new Date(clock.now() + 2000).toISOString();
      await asked.fulfill({ response: answer, json: { ...((await answer.json()) as object), expiresAt } });
    });
    const short = await openDialog(page);
    const renewed = await linkOf(await page.waitForResponse(isCodes));
    expect(renewed).not.toBe(short);
  });
});
