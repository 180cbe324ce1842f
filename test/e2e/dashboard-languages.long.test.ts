import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { compileMessages, eachMessage, type Messages, readMessages } from '../../scripts/messages.ts';
import type { Item } from '../../src-server/features/library/schema.ts';
import { pagesSaid, saidTogether, say } from '../../src-server/platform/text/say.ts';
import { loadAxe, violations } from '../harness/axe.ts';
import { HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { wordDocument } from '../harness/documents.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { postJson } from '../harness/text-models.ts';
import { fillEveryPage, settled } from './every-page.ts';
import { CUT, englishOnly, LANGUAGES, LANGUAGES_FOLDER, speak, TEXTS } from './looks.ts';

const OTHERS = LANGUAGES.filter((language) => language !== 'en');

const english = readMessages(join(LANGUAGES_FOLDER, 'en.json'));

/** Every page in every language, on a machine that does other things too. */
const TOUR_TIMEOUT_MS = 1_800_000;

const WIDTHS = [1440, 1024, 400];

/** Those that go to every page: the longest, another script, and from right to left. */
const THOROUGH = ['de', 'ja', 'ar'];

const PAGES = [
  '/',
  '/library',
  '/add',
  '/make/speak',
  '/make/compose',
  '/make/listen',
  '/search?q=harbour',
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

const dashboard = useDashboard();

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
  let everyPath: string[] = [];

  beforeAll(async () => {
    everyPath = await fillEveryPage(dashboard.appliance);
  });

  test.each(OTHERS)(
    '%s: no label is cut, nothing is wider than the window, no English is left',
    async (language) => {
      const { page } = dashboard;
      const leftOver = englishOnly(language);
      await dashboard.open('/');
      await speak(page, language);
      const wrong: Record<string, unknown[]> = {};
      for (const path of THOROUGH.includes(language) ? everyPath : PAGES) {
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
      const query = '?jobType=extract%2Fdoc&status=completed';
      const answer = await dashboard.appliance.owner(`/v1/jobs${query}`);
      const { jobs } = (await answer.json()) as { jobs: { jobId: string }[] };
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
      const said = new Map(eachMessage(readMessages(join(LANGUAGES_FOLDER, `${language}.json`))));
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
        await settled(page);
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
    const german = readMessages(join(LANGUAGES_FOLDER, 'de.json'));
    const leftOver = englishOnly('de');
    expect(german).toBeDefined();
    const texts = await page.evaluate<string[]>(TEXTS);
    expect(texts.filter((text) => leftOver.has(text))).toEqual([]);
    await page.reload();
    await page.getByRole('combobox', { name: 'Sprache' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('de');
  });

  test.each([
    { language: 'de', name: /: 22\. Nov\. 2026$/, first: 'Montag', left: '2026-11-21' },
    { language: 'ja', name: /: 2026年11月22日$/, first: '日曜日', left: '2026-11-21' },
    // What lies on the left is later, and the week begins on Saturday.
    { language: 'ar', name: /: \u200f?\d.*2026|: ٢٢/, first: 'السبت', left: '2026-11-23' },
  ])('$language: a day is chosen by keyboard, in it and in its weeks', async ({ language, name, first, left }) => {
    const { page } = dashboard;
    await page.setViewportSize({ width: 400, height: 900 });
    await dashboard.open('/');
    await speak(page, language);
    await dashboard.open('/jobs?from=2026-11-22');
    const field = page.getByRole('button', { name });
    await field.first().focus();
    await page.keyboard.press('Enter');
    const focused = page.locator('.day-grid button:focus');
    await focused.waitFor();
    expect(await focused.getAttribute('data-day')).toBe('2026-11-22');
    expect(await page.locator('.day-grid th').first().getAttribute('aria-label')).toBe(first);
    await keepScreenshot(page, `day-${language}-400`);
    await page.keyboard.press('ArrowLeft');
    await page.locator(`[data-day="${left}"]:focus`).waitFor();
    await page.keyboard.press('PageDown');
    await page.locator(`[data-day="${left.replace('-11-', '-12-')}"]:focus`).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`from=${left.replace('-11-', '-12-')}`));
    await page.locator('.day-grid').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.getAttribute("aria-haspopup")')).toBe('dialog');
  });

  test('titles, passages and hits are marked with their own language, and run as their script does', async () => {
    const { page } = dashboard;
    const body = fileForm(
      wordDocument(['الميناء يفتح في الساعة السادسة صباحًا.', 'المد يأتي مرتين كل يوم.']),
      'ميناء.docx',
    );
    const answer = await dashboard.appliance.owner('/v1/extract/doc', { method: 'POST', body });
    const { jobId } = (await answer.json()) as { jobId: string };
    await finished(dashboard.appliance.owner, jobId);
    const found = await dashboard.appliance.owner('/v1/library/items');
    const { items } = (await found.json()) as { items: Item[] };
    const { itemId, title } = items.find((one) => one.jobId === jobId) as Item;
    const change = { ...postJson({ language: 'ar' }), method: 'PATCH' };
    await dashboard.appliance.owner(`/v1/library/items/${itemId}`, change);
    await dashboard.open('/');
    await speak(page, 'ja');
    const spoken = (text: string) =>
      page.evaluate<unknown>(`(() => {
        const isOf = (one) => one.childElementCount === 0 && one.textContent.includes(${JSON.stringify(text)});
        const isHeard = (one) => one.closest('[aria-hidden="true"]') === null;
        const one = [...document.querySelectorAll('main *')].find((any) => isOf(any) && isHeard(any));
        return one === undefined ? null : [one.closest('[lang]').lang, getComputedStyle(one).direction];
      })()`);
    for (const path of ['/', '/library', '/library?view=list', `/items/${itemId}`]) {
      await dashboard.open(path);
      await settled(page);
      expect(await spoken(title), path).toEqual(['ar', 'rtl']);
    }
    expect(await spoken('المد يأتي')).toEqual(['ar', 'rtl']);
    expect(await page.evaluate('document.querySelector(".margin")?.lang ?? "ja"')).toBe('ja');
    await dashboard.open(`/search?q=${encodeURIComponent('الميناء')}`);
    await page.locator('.hit-text').first().waitFor();
    expect(await spoken(title)).toEqual(['ar', 'rtl']);
    expect(await page.evaluate('document.querySelector(".hit-text [lang]").lang')).toBe('ar');
  });

  test('a file name of 24 letters is whole in the list of jobs at 1280 pixels', async () => {
    const { page } = dashboard;
    const body = fileForm(wordDocument(['One.']), 'Minutes-of-October-26.docx');
    await dashboard.appliance.owner('/v1/extract/doc', { method: 'POST', body });
    await dashboard.open('/');
    await speak(page, 'en');
    await page.setViewportSize({ width: 1280, height: 900 });
    await dashboard.open('/jobs');
    const name = page.getByRole('link', { name: 'Minutes-of-October-26.docx' });
    await name.waitFor();
    await keepScreenshot(page, 'jobs-1280');
    const links = `[...document.querySelectorAll('.job-name > a')]`;
    const cut = `${links}.filter((one) => one.textContent.includes('Minutes') && one.scrollWidth > one.clientWidth)`;
    expect(await page.evaluate(`${cut}.length`)).toBe(0);
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
