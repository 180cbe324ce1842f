/** The microphone in the window, played by Chromium: pauses, what a closed window leaves, and words to paste. */
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt } from '../../scripts/build.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { HAS_BROWSER, newContext, RENDERER_FOLDER } from '../harness/browser.ts';
import { CHROMIUM_ARGS, chromiumFile } from '../harness/chromium.ts';
import { CLIPS, startWithSpeech } from '../harness/speech.ts';

const MICROPHONE = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];

/** The microphone of this page is unplugged while it records. */
const UNPLUGGED_LATER = `(() => {
  const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = async (wish) => {
    const stream = await open(wish);
    setTimeout(() => stream.getTracks()[0].dispatchEvent(new Event('ended')), 2500);
    return stream;
  };
})()`;

describe.skipIf(!HAS_BROWSER)('Record (needs chromium)', () => {
  let appliance: Appliance;
  let browser: Awaited<ReturnType<typeof chromium.launch>>;
  beforeAll(async () => {
    await ensureBuilt();
    appliance = await startAppliance({ rendererFolder: RENDERER_FOLDER });
    const executablePath = chromiumFile() ?? '';
    browser = await chromium.launch({ executablePath, args: [...CHROMIUM_ARGS, ...MICROPHONE], headless: true });
  });
  afterAll(async () => {
    await browser.close();
    await appliance.close();
  });

  const openAdd = async (page: Page) => {
    await page.goto(`${appliance.url}/library`);
    await page.getByRole('button', { name: 'Add', exact: true }).first().click();
    await page.getByRole('dialog').waitFor();
  };

  const second = (page: Page, text: string) => page.getByRole('button', { name: `Stop at ${text}` }).waitFor();

  test('pauses and goes on, keeps what a closed window had recorded, and survives an unplugged microphone', async () => {
    const context = await newContext(browser);
    const page = await context.newPage();
    await page.goto(`${appliance.url}/login#${appliance.ownerToken}`);
    await page.waitForURL(`${appliance.url}/`);
    await openAdd(page);
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await second(page, '0:02');
    await expect.poll(() => page.getByRole('meter').getAttribute('value').then(Number)).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Go on' }).click();
    await second(page, '0:03');
    // The window ends as in a crash.
    await page.close();

    const next = await context.newPage();
    await openAdd(next);
    await next.getByText(/^A recording of .* was not finished\.$/).waitFor();
    await next.getByRole('button', { name: 'Add it' }).click();
    await next.getByText(/^Recording .*\.webm$/).waitFor();

    await next.evaluate(UNPLUGGED_LATER);
    await next.getByRole('button', { name: 'Record', exact: true }).click();
    await next.getByText('The microphone was unplugged.').waitFor();
    await expect.poll(() => next.getByText(/^Recording .*\.webm$/).count()).toBe(2);
    await next.reload();
    await openAdd(next);
    expect(await next.getByText('was not finished').count()).toBe(0);
    await context.close();
  });

  test('the words of a recording come while it goes on, and stand in the clipboard at its end', async () => {
    await using hearing = await startWithSpeech({ rendererFolder: RENDERER_FOLDER });
    const args = [
      ...CHROMIUM_ARGS,
      ...MICROPHONE,
      `--use-file-for-fake-audio-capture=${join(CLIPS, '01-meeting.wav')}`,
    ];
    await using speaking = await chromium.launch({ executablePath: chromiumFile() ?? '', args, headless: true });
    const context = await newContext(speaking);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await context.newPage();
    await page.goto(`${hearing.url}/login#${hearing.ownerToken}`);
    await page.waitForURL(`${hearing.url}/`);
    await page.goto(`${hearing.url}/library`);
    await page.getByRole('button', { name: 'Add', exact: true }).first().click();
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    // The clip is played again and again.
    await expect.poll(() => page.getByRole('log', { name: 'Words so far' }).textContent()).toMatch(/meeting/i);
    await page.getByRole('button', { name: 'Stop and copy the words' }).click();
    await page.getByText('The words are in the clipboard.').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toMatch(/meeting/i);
    // Words were wanted, not a file, and nothing is left to finish.
    expect(await page.getByText('was not finished').count()).toBe(0);
    expect(await page.getByText(/^Recording .*\.webm$/).count()).toBe(0);
  });
});
