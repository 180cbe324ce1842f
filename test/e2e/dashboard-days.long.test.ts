/**
 * Days of the window are those of the reader's time zone, and weeks begin as their locale says: read in Auckland a
 * little after midnight, two days after the clock was put back there, and in Los Angeles, where it is the day before.
 */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { HAS_BROWSER } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { fileForm, finished } from '../harness/jobs.ts';

const ADDED = {
  Ebb: '2027-04-03T20:00:00.000Z',
  Slack: '2027-04-05T11:55:00.000Z',
  Flood: '2027-04-05T12:10:00.000Z',
};

const NOW = '2027-04-05T12:30:00.000Z';

const AUCKLAND = { timezoneId: 'Pacific/Auckland', locale: 'en-NZ' };
const LOS_ANGELES = { timezoneId: 'America/Los_Angeles', locale: 'en-US' };

const dashboard = useDashboard();

beforeAll(async () => {
  const { clock, owner } = dashboard.appliance;
  clock.stand();
  for (const [name, time] of Object.entries(ADDED)) {
    clock.advance(Date.parse(time) - clock.now());
    const body = fileForm(`# ${name}\n\nThe water of ${name}.`, `${name}.md`);
    const answer = await owner('/v1/extract/doc', { method: 'POST', body });
    await finished(owner, ((await answer.json()) as { jobId: string }).jobId);
  }
  clock.advance(Date.parse(NOW) - clock.now());
});

/** Signs in where the clock shows that time zone. */
async function readIn(reader: typeof AUCKLAND, read: (open: (path: string) => Promise<Page>) => Promise<void>) {
  const { url, ownerToken } = dashboard.appliance;
  const context = await dashboard.browser.newContext(reader);
  const page = await context.newPage();
  try {
    await page.goto(`${url}/login#${ownerToken}`);
    await page.waitForURL(`${url}/`);
    await read(async (path) => {
      await page.goto(url + path);
      return page;
    });
  } finally {
    await context.close();
  }
}

/** The items of Home by the name of their days; the server tells the page the time first. */
async function homeDays(page: Page, today: string): Promise<Record<string, string[]>> {
  await page
    .locator('.home-day')
    .and(page.getByRole('region', { name: today }))
    .waitFor();
  return page.evaluate(`Object.fromEntries([...document.querySelectorAll('.home-day')].map((day) => [
    day.getAttribute('aria-label'),
    ['Ebb', 'Slack', 'Flood'].filter((name) => day.innerText.includes(name)),
  ]))`);
}

/** The last row of the table behind the plot of jobs: its day, and the numbers of that day together. */
async function lastDayOfPlot(page: Page): Promise<[day: string, jobs: number]> {
  const row = page.locator('figure.plot-figure').first().locator('tbody tr').last();
  await row.waitFor({ state: 'attached' });
  const [day = '', ...numbers] = await row.locator('th, td').allTextContents();
  // Until the server has told the time, the year is not the one of the page.
  return [day.replace(/,? 2027$/, ''), numbers.reduce((sum, number) => sum + Number(number), 0)];
}

describe.skipIf(!HAS_BROWSER)('days of the reader (needs chromium)', () => {
  test('Auckland: today has what came since midnight there, in lists, filters and plots', () =>
    readIn(AUCKLAND, async (open) => {
      expect(await homeDays(await open('/'), 'Added today')).toEqual({
        'Added today': ['Flood'],
        Yesterday: ['Slack'],
        Earlier: ['Ebb'],
      });
      const page = await open('/library?from=2027-04-06');
      await page.getByText('Flood', { exact: true }).first().waitFor();
      expect(await page.getByText('Slack', { exact: true }).count()).toBe(0);
      expect(await lastDayOfPlot(await open('/service'))).toEqual(['6 Apr', 1]);
    }));

  test('Los Angeles: the same is of today, and the week began on Sunday', () =>
    readIn(LOS_ANGELES, async (open) => {
      expect(await homeDays(await open('/'), 'Added today')).toEqual({
        'Added today': ['Slack', 'Flood'],
        Earlier: ['Ebb'],
      });
      const page = await open('/library?from=2027-04-05&to=2027-04-05');
      await page.getByText('Slack', { exact: true }).first().waitFor();
      await page.getByText('Flood', { exact: true }).first().waitFor();
      expect(await page.getByText('Ebb', { exact: true }).count()).toBe(0);
      expect(await lastDayOfPlot(await open('/service'))).toEqual(['Apr 5', 2]);
    }));

  test('the week of an Egyptian reader began on Saturday', () =>
    readIn({ ...LOS_ANGELES, locale: 'ar-EG' }, async (open) => {
      expect(await homeDays(await open('/'), 'أضيف اليوم')).toEqual({
        'أضيف اليوم': ['Slack', 'Flood'],
        'هذا الأسبوع': ['Ebb'],
      });
    }));
});
