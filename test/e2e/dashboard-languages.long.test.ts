import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { compileMessages, eachMessage, type Messages, readMessages } from '../../scripts/messages.ts';
import { pagesSaid, saidTogether, say } from '../../src-server/platform/text/say.ts';
import { loadAxe, violations } from '../harness/axe.ts';
import { HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { wordDocument } from '../harness/documents.ts';
import { until } from '../harness/until.ts';

const FOLDER = join(import.meta.dirname, '../../resources/languages');

const LANGUAGES = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, -'.json'.length));

const OTHERS = LANGUAGES.filter((language) => language !== 'en');

const english = readMessages(join(FOLDER, 'en.json'));

/** Every page in every language, on a machine that does other things too. */
const TOUR_TIMEOUT_MS = 1_800_000;

const WIDTHS = [1440, 1024, 400];

const PAGES = [
  '/',
  '/library',
  '/add',
  '/make/speak',
  '/make/compose',
  '/make/listen',
  '/search?q=two',
  '/service',
  '/jobs',
  '/watches',
  '/webhooks',
  '/payments',
  '/limits',
  '/models',
  '/contributions',
  '/settings',
  '/settings/connections',
  '/settings/look',
];

/** Labels that are cut, and what goes over the window, by their texts. */
const CUT = `(() => {
  const labels = '.mantine-Button-label, .mantine-SegmentedControl-label, .mantine-Tabs-tabLabel, .mantine-Badge-label, h1, h2, th';
  const cut = [...document.querySelectorAll(labels)]
    .filter((one) => one.getClientRects().length > 0 && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== 'visible');
  const spilt = [...document.querySelectorAll('button')]
    .filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === 'visible');
  const over = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  return [...[...cut, ...spilt].map((one) => one.textContent), ...(over > 0 ? ['the page, by ' + over] : [])];
})()`;

/** Texts that are seen, and names that are heard. */
const TEXTS = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode.textContent.trim());
  for (const one of document.querySelectorAll('[aria-label], [placeholder], [title]')) {
    texts.push(one.ariaLabel ?? '', one.getAttribute('placeholder') ?? '', one.getAttribute('title') ?? '');
  }
  return texts;
})()`;

const dashboard = useDashboard();

/** English messages of two words and more that another language says otherwise. */
function englishOnly(language: string): Set<string> {
  const translated = new Map(eachMessage(readMessages(join(FOLDER, `${language}.json`))));
  return new Set(
    [...eachMessage(english)]
      .filter(([path, text]) => /\p{L}+ \p{L}+/u.test(text) && !text.includes('{') && translated.get(path) !== text)
      .map(([, text]) => text),
  );
}

/** Waits until the page shows no placeholder and its texts stay the same. */
async function settled(page: Page): Promise<void> {
  let before = '';
  await until(async () => {
    const now = await page.evaluate<string>('document.body.innerText');
    const isSame =
      now === before && !(await page.evaluate<boolean>(`document.querySelector('.mantine-Skeleton-root') !== null`));
    before = now;
    return isSame;
  });
}

async function speak(page: Page, language: string): Promise<void> {
  await page.evaluate(`localStorage.setItem('quarry.language', '${language}')`);
}

/** Accents and 40 % more letters; values and forms stay. */
function lengthened(messages: Messages): Messages {
  return Object.fromEntries(
    Object.entries(messages).map(([key, value]) => [
      key,
      typeof value === 'string' ? lengthenedText(value) : lengthened(value),
    ]),
  );
}

function lengthenedText(message: string): string {
  if (message.includes('{')) return `ẋẋẋ${message}`;
  return `${message} ${'ẋ'.repeat(Math.ceil(message.length * 0.4))}`;
}

describe.skipIf(!HAS_BROWSER)('the dashboard in every language', () => {
  beforeAll(async () => {
    const form = new FormData();
    form.append('sourceName', 'Quarterly report');
    form.append('file', new Blob([wordDocument(['One.', 'Two.', 'Three.'])]), 'a.docx');
    await dashboard.appliance.owner('/v1/extract/doc', { method: 'POST', body: form });
    await until(async () => {
      const answer = await dashboard.appliance.owner('/v1/jobs');
      const { jobs } = (await answer.json()) as { jobs: { status: string }[] };
      return jobs.length > 0 && jobs.every(({ status }) => status === 'completed');
    });
  });

  test.each(OTHERS)(
    '%s: no label is cut, nothing is wider than the window, no English is left',
    async (language) => {
      const { page } = dashboard;
      const leftOver = englishOnly(language);
      await dashboard.open('/');
      await speak(page, language);
      const wrong: Record<string, unknown[]> = {};
      for (const path of PAGES) {
        await page.setViewportSize({ width: WIDTHS[0] ?? 0, height: 900 });
        await dashboard.open(path);
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        await settled(page);
        expect(await page.evaluate('document.documentElement.lang')).toBe(language);
        const texts = await page.evaluate<string[]>(TEXTS);
        const found: unknown[] = texts.filter((text) => leftOver.has(text));
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          // Plots are drawn anew for the width.
          await settled(page);
          await keepScreenshot(page, `${language}-${width}${path.replaceAll(/[^a-z]+/g, '-')}`);
          found.push(...(await page.evaluate<string[]>(CUT)).map((text) => `${width}: ${text}`));
        }
        if (found.length > 0) wrong[path] = found;
      }
      expect(wrong).toEqual({});
    },
    TOUR_TIMEOUT_MS,
  );

  test.each(['de', 'ja', 'ar'])(
    '%s: what the server says of a job is said in it, and no English word is',
    async (language) => {
      const { page } = dashboard;
      const { jobs } = (await (await dashboard.appliance.owner('/v1/jobs')).json()) as { jobs: { jobId: string }[] };
      const path = `/v1/jobs/${jobs[0]?.jobId}`;
      const job = (await (await dashboard.appliance.owner(path)).json()) as { result: object };
      const doubts = [{ reason: 'unlikely-letters', quote: '###', page: 1 }];
      const states: object[] = [
        { result: { ...job.result, warnings: WARNINGS, doubts } },
        { status: 'processing', result: null, progress: { percent: 40, stage: 'extracting', message: PROGRESS } },
        {
          ...{ status: 'failed', result: null },
          error: { code: 'corrupt_input', message: FAILURE, retryable: false, attempts: 1 },
        },
      ];
      await dashboard.open('/');
      await speak(page, language);
      const leftOver = [...WARNINGS, PROGRESS, FAILURE];
      const said = new Map(eachMessage(readMessages(join(FOLDER, `${language}.json`))));
      for (const state of states) {
        await page.route(`**${path}`, (route) => route.fulfill({ json: { ...job, ...state } }));
        await page.route(`**${path}/events`, (route) => route.abort());
        await dashboard.open(`/jobs/${jobs[0]?.jobId}`);
        await page.locator('[data-result]').first().waitFor();
        await settled(page);
        const texts = await page.evaluate<string[]>(TEXTS);
        const english = [...englishOnly(language), ...leftOver];
        expect(texts.filter((text) => english.includes(text))).toEqual([]);
        const shown = texts.join(' ').replaceAll(/[\u2068\u2069]/g, '');
        // What was counted of the source is put together in the window.
        expect(shown).not.toMatch(/\b(?:letters|read|left out)\b/);
        const keys = 'error' in state ? [FAILURE_KEY] : 'progress' in state ? [] : [WARNING_KEY];
        for (const key of keys) expect(shown).toContain(said.get(`server.${key}`));
        await page.unrouteAll();
      }
    },
    600_000,
  );

  test('texts that are 40 % longer are not cut', async () => {
    const { page } = dashboard;
    await page.route(/\/assets\/en-[^/]*\.js$/, async (route) => {
      const body = await (await route.fetch()).text();
      const part = ['start', 'work', 'service'].find((name) => body.includes(`"${MARKS[name]}"`)) ?? 'start';
      const messages = english[part];
      if (typeof messages !== 'object') throw new Error(`English has no part ${part}.`);
      await route.fulfill({ contentType: 'text/javascript', body: compileMessages(lengthened(messages)) });
    });
    await dashboard.open('/');
    await speak(page, 'en');
    const wrong: Record<string, string[]> = {};
    for (const path of PAGES) {
      await dashboard.open(path);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await settled(page);
      const found: string[] = [];
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await keepScreenshot(page, `long-${width}${path.replaceAll(/[^a-z]+/g, '-')}`);
        found.push(...(await page.evaluate<string[]>(CUT)).map((text) => `${width}: ${text}`));
      }
      if (found.length > 0) wrong[path] = found;
    }
    expect(wrong).toEqual({});
  }, 600_000);

  test('Arabic is read from right to left, and axe finds nothing wrong in it', async () => {
    const { page } = dashboard;
    await dashboard.open('/');
    await speak(page, 'ar');
    await dashboard.open('/library');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.evaluate('getComputedStyle(document.body).direction')).toBe('rtl');
    await loadAxe(page);
    expect(await violations(page, 'light')).toEqual([]);
  });

  test('the language changes at once in Settings, without loading the page, and is kept', async () => {
    const { page } = dashboard;
    await dashboard.open('/settings/look');
    await speak(page, 'en');
    await page.reload();
    await page.evaluate('window.stillHere = true');
    await page.getByRole('combobox', { name: 'Language' }).selectOption('de');
    await page.getByRole('combobox', { name: 'Sprache' }).waitFor();
    expect(await page.evaluate('window.stillHere')).toBe(true);
    const german = readMessages(join(FOLDER, 'de.json'));
    const leftOver = englishOnly('de');
    expect(german).toBeDefined();
    const texts = await page.evaluate<string[]>(TEXTS);
    expect(texts.filter((text) => leftOver.has(text))).toEqual([]);
    await page.reload();
    await page.getByRole('combobox', { name: 'Sprache' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('de');
  });

  test('a language that there is not counts as none', async () => {
    const { page } = dashboard;
    await dashboard.open('/');
    await speak(page, 'xx-invalid');
    await dashboard.open('/library');
    await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
  });
});

/** A key that each part alone has at its head. */
const MARKS: Record<string, string> = { start: 'notFound', work: 'comparison', service: 'webhooks' };

const WARNING_KEY = 'drawingsAreNotRead';
const FAILURE_KEY = 'theFileIsDamagedOrIncompleteSend';
const WARNINGS = [
  say`Drawings are not read.`,
  say`Hidden sheets are not read: ${'###'}.`,
  saidTogether([say`The file is empty.`, say`Drawings are not read.`]),
];
const PROGRESS = say`Read ${3} of ${pagesSaid(12)}`;
const FAILURE = say`The file is damaged or incomplete. Send an intact copy.`;
