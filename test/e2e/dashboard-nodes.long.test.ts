import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { loadAxe, violations } from '../harness/axe.ts';
import { HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { brokerMissing, freePort, spawnWorker, TIMING } from '../harness/fleet.ts';
import { farOperation } from '../harness/fleet-operation.ts';
import { TINY_MODEL, TINY_MODEL_PATH } from '../harness/text-models.ts';

const missing = brokerMissing();

const folder = await mkdtemp(joinPath(tmpdir(), 'quarry nodes '));
const dashboard = useDashboard(() => ({ operations: [farOperation(folder)], fleetTiming: TIMING }));
const DESK = { width: 1440, height: 900 };
const PHONE = { width: 400, height: 900 };

describe.skipIf(!HAS_BROWSER || missing !== null)(`nodes on the settings page (needs chromium; ${missing})`, () => {
  const workers: ReturnType<typeof spawnWorker>[] = [];
  afterAll(async () => {
    for (const { child } of workers) child.kill('SIGKILL');
    await Promise.all(workers.map(({ ended }) => ended));
    await rm(folder, { recursive: true, force: true });
  });

  test('the owner turns it on, adds a node, drains and removes it', async () => {
    await dashboard.page.setViewportSize(DESK);
    dashboard.page.setDefaultTimeout(20_000);
    const page = await dashboard.open('/settings/service');
    const panel = page.getByRole('region', { name: 'Nodes' });
    const look = async (name: string) => {
      await panel.scrollIntoViewIfNeeded();
      await keepScreenshot(page, `nodes-${name}`);
    };
    /** The same on a phone in the dark: nothing is wider than the window. */
    const lookSmall = async (name: string, shown: Locator, open = async () => {}) => {
      await page.setViewportSize(PHONE);
      await page.emulateMedia({ colorScheme: 'dark' });
      await shown.evaluate((element) => element.scrollIntoView({ block: 'center' }));
      await open();
      await keepScreenshot(page, `nodes-${name}-small`);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width);
      expect(await violations(page, 'dark')).toEqual([]);
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize(DESK);
    };
    await panel.getByText('Off. Turn it on to add a machine.').waitFor();
    await look('off');
    const field = (name: string) => panel.getByRole('textbox', { name, exact: true });
    await field('Your own broker').fill('tls://nats.lan:4222');
    await panel.getByLabel('Login').selectOption('password');
    await field('User').waitFor();
    await field('Certificate authority of your broker').waitFor();
    await loadAxe(page);
    await look('own-broker');
    expect(await violations(page, 'light')).toEqual([]);
    await lookSmall('own-broker', panel.getByLabel('Login'));
    await panel.getByLabel('Login').selectOption('creds');
    await field('Text of the .creds file').waitFor();
    await look('own-broker-creds');
    await lookSmall('own-broker-creds', panel.getByLabel('Login'));
    await field('Your own broker').fill('');
    await field('Port for files').fill(String(await freePort()));
    await field('Port of the broker').fill(String(await freePort()));
    await panel.getByRole('button', { name: 'Apply addresses' }).click();
    await page.getByText('Nodes saved').waitFor();
    await panel.getByRole('switch', { name: 'Let nodes run jobs' }).click();
    await panel.getByText('No nodes yet').waitFor();
    await loadAxe(page);
    await look('on');
    expect(await violations(page, 'light')).toEqual([]);

    await panel.getByRole('button', { name: 'Add a node' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('tower');
    await keepScreenshot(page, 'nodes-form');
    await lookSmall('form', dialog);
    await page.keyboard.press('Enter');
    const command = await dialog.getByLabel('command', { exact: true }).textContent();
    const join = /--join '(.+)'$/.exec(command ?? '')?.[1] ?? '';
    await keepScreenshot(page, 'nodes-command');
    expect(await violations(page, 'light')).toEqual([]);
    await lookSmall('command', dialog);
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    const row = panel.getByRole('listitem').filter({ hasText: 'tower' });
    await row.getByText('Not joined yet').waitFor();
    await look('waiting');
    workers.push(spawnWorker(folder, join, `${folder}/tower`, { browsers: 2 }));
    await row.getByText('Online').waitFor();
    await row.getByText('Browsers: 0 of 2 in use').waitFor();
    expect(await row.getByRole('link', { name: 'Jobs of tower' }).getAttribute('href')).toContain('/jobs?text=tower');
    await row.getByText(/^Quarry \S+ · \d+ cores · 0 of \d+ heavy jobs · 0 of \d+ light$/).waitFor();
    await look('online');
    expect(await violations(page, 'light')).toEqual([]);
    const models = joinPath(dashboard.appliance.dataDir, 'models');
    await mkdir(models, { recursive: true });
    for (const name of [TINY_MODEL, 'second']) await cp(TINY_MODEL_PATH, joinPath(models, `${name}.gguf`));
    await writeFile(joinPath(folder, 'tower/models/second.gguf'), '');
    const copyTo = row.getByRole('button', { name: 'Copy a model to tower' });
    await lookSmall('copy', row, async () => {
      await copyTo.click();
      await page.getByRole('menuitem', { name: TINY_MODEL }).waitFor();
    });
    await page.keyboard.press('Escape');
    await page.getByRole('menuitem').first().waitFor({ state: 'detached' });
    await copyTo.click();
    const offered = page.getByRole('menuitem', { name: TINY_MODEL });
    await offered.waitFor();
    await look('copy');
    await offered.click();
    await row.getByText(`Models: ${TINY_MODEL}`).waitFor();
    await look('copied');
    await row.getByRole('button', { name: 'Copy a model to tower' }).click();
    await page.getByRole('menuitem', { name: 'second' }).click();
    await row.getByText('The node has second.gguf in its models folder already.').waitFor();
    await look('copy-failed');
    expect(await violations(page, 'light')).toEqual([]);
    await lookSmall('copy-failed', row);
    await row.getByRole('button', { name: 'Dismiss second' }).click();
    await row.getByText('The node has second.gguf in its models folder already.').waitFor({ state: 'detached' });
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: 'dark' });
    await look('online-dark');
    expect(await violations(page, 'dark')).toEqual([]);

    await row.getByRole('button', { name: 'Drain tower' }).click();
    await row.getByText('Draining').waitFor();
    await look('draining');
    await row.getByRole('button', { name: 'Use again tower' }).waitFor();
    await row.getByRole('button', { name: 'Remove tower' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await panel.getByText('No nodes yet').waitFor();
    expect(dashboard.complaints).toEqual([]);
  });
});
