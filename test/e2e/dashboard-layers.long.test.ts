/**
 * Every dialog, menu, list and drawer that a button of a page opens, in German, Japanese and Arabic: nothing is cut, lies
 * over another text or out of the window, and no English is left. Which there are is found by pressing every button once.
 */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { HAS_BROWSER, keepScreenshot, visit } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { fillEveryPage, settled } from './every-page.ts';
import { CUT, englishOnly, OVERLAPS, speak, TEXTS } from './looks.ts';

const TOUR_TIMEOUT_MS = 3_600_000;

/** Narrow windows open others than wide ones. */
const WIDTHS = [1440, 400];

/** Each layer is looked at in these too, where its button is there. */
const BETWEEN = 1024;

const LANGUAGES = ['de', 'ja', 'ar'];

const LAYER = '[role="dialog"], [role="menu"], [role="listbox"], .mantine-Popover-dropdown';

interface Layer {
  path: string;
  width: number;
  /** Places of the elements that are pressed, one after the other. */
  presses: string[];
  /** What it says in English. */
  says: string;
}

interface Opener {
  place: string;
  name: string;
}

/** What opens something when it is pressed, in the topmost layer or on the page. */
const OPENERS = `(() => {
  const placeOf = (one) => one.id !== '' && !/mantine|^«|^_r|:/.test(one.id) ? '#' + CSS.escape(one.id) : one === document.body ? 'body' :
    placeOf(one.parentElement) + ' > :nth-child(' + (1 + [...one.parentElement.children].indexOf(one)) + ')';
  const layers = [...document.querySelectorAll('${LAYER}')].filter((one) => one.checkVisibility());
  const within = layers.at(-1) ?? document.body;
  return [...within.querySelectorAll('button, [role="menuitem"], [role="combobox"], [aria-haspopup]')]
    .filter((one) => one.checkVisibility() && !one.disabled && one.closest('[aria-hidden="true"]') === null)
    .map((one) => ({
      place: placeOf(one),
      name: [one.getAttribute('role'), one.getAttribute('aria-haspopup'), one.ariaLabel ?? one.textContent ?? ''].join(' '),
    }));
})()`;

/** Texts of the layers that are open; empty where none is. */
const SAYS = `[...document.querySelectorAll('${LAYER}')].filter((one) => one.checkVisibility()).map((one) => one.innerText.slice(0, 120)).join('|')`;

/** Layers that begin or end out of the window. */
const OUTSIDE = `[...document.querySelectorAll('${LAYER}')].filter((one) => one.checkVisibility()).flatMap((one) => {
  const { left, right } = one.getBoundingClientRect();
  return left < -1 || right > innerWidth + 1 ? ['out of the window: ' + one.innerText.slice(0, 60)] : [];
})`;

const dashboard = useDashboard();

let paths: string[] = [];

beforeAll(async () => {
  if (HAS_BROWSER) paths = await fillEveryPage(dashboard.appliance);
});

/** Only looks: nothing that a button asks for reaches the server. */
async function lookOnly(page: Page): Promise<void> {
  await page.route('**/*', (route) => (route.request().method() === 'GET' ? route.continue() : route.abort()));
}

async function press(page: Page, place: string): Promise<boolean> {
  const before = await page.evaluate<string>(SAYS);
  const pressed = await page
    .locator(place)
    .first()
    .click({ timeout: 2000 })
    .then(
      () => true,
      () => false,
    );
  if (!pressed) return false;
  // What is loaded for a layer comes in a moment; most buttons open none.
  for (let tries = 0; tries < 8; tries += 1) {
    await page.waitForTimeout(50);
    const now = await page.evaluate<string>(SAYS);
    if (now !== before && now !== '') return true;
  }
  return false;
}

/** Opens the page, and the layers on it up to one. */
async function reach(page: Page, { path, presses }: Pick<Layer, 'path' | 'presses'>): Promise<boolean> {
  await dashboard.open(path);
  await settled(page);
  for (const place of presses) if (!(await press(page, place))) return false;
  return true;
}

/** Presses each button of a page or layer whose name has not been met, and what is in the layers that open. */
async function layersFrom(page: Page, at: Omit<Layer, 'says'>, met: Set<string>): Promise<Layer[]> {
  if (!(await reach(page, at))) return [];
  const found: Layer[] = [];
  let isFresh = true;
  for (const { place, name } of await page.evaluate<Opener[]>(OPENERS)) {
    if (met.has(name)) continue;
    met.add(name);
    if (!isFresh && !(await reach(page, at))) return found;
    const address = page.url();
    const isOpen = await press(page, place);
    const says = await page.evaluate<string>(SAYS);
    if (isOpen) await page.keyboard.press('Escape');
    isFresh = at.presses.length === 0 && page.url() === address && (await page.evaluate<string>(SAYS)) === '';
    if (!isOpen) continue;
    const kind = says.split('\n').slice(0, 3).join(' ');
    if (met.has(kind)) continue;
    met.add(kind);
    const layer = { ...at, presses: [...at.presses, place], says };
    found.push(layer);
    if (at.presses.length > 1) continue;
    found.push(...(await layersFrom(page, layer, met)));
    isFresh = false;
  }
  return found;
}

describe.skipIf(!HAS_BROWSER)('every layer of the window (needs chromium)', () => {
  const layers: Layer[] = [];

  test(
    'is found by pressing each button',
    async () => {
      const { page } = dashboard;
      await lookOnly(page);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const met = new Set<string>();
        for (const path of paths) layers.push(...(await layersFrom(page, { path, width, presses: [] }, met)));
      }
      expect(layers.length).toBeGreaterThan(30);
    },
    TOUR_TIMEOUT_MS,
  );

  test.each(LANGUAGES)(
    '%s: is whole and in the language of the reader',
    async (language) => {
      const { page } = dashboard;
      const leftOver = englishOnly(language);
      await lookOnly(page);
      await dashboard.open('/');
      await speak(page, language);
      const wrong: Record<string, string[]> = {};
      for (const [index, layer] of layers.entries()) {
        await page.setViewportSize({ width: layer.width, height: 900 });
        if (!(await reach(page, layer))) continue;
        for (const width of layer.width === 400 ? [400] : [layer.width, BETWEEN]) {
          await page.setViewportSize({ width, height: 900 });
          await page.waitForTimeout(200);
          // Some close when the window changes.
          if ((await page.evaluate<string>(SAYS)) === '' && !(await reach(page, layer))) continue;
          await keepScreenshot(page, `layer-${String(index).padStart(3, '0')}-${language}-${width}`);
          const looks = [];
          for (const look of [CUT, OVERLAPS, OUTSIDE]) looks.push(...(await page.evaluate<string[]>(look)));
          const texts = await page.evaluate<string[]>(TEXTS);
          looks.push(...texts.filter((text) => leftOver.has(text)).map((text) => `English: ${text}`));
          const name = `${language} ${width} ${layer.path} #${index} ${layer.says.slice(0, 40)}`;
          if (looks.length > 0) wrong[name] = [...new Set(looks)];
        }
      }
      expect(wrong).toEqual({});
    },
    TOUR_TIMEOUT_MS,
  );

  test.each(LANGUAGES)('%s: so is what who has not signed in sees', async (language) => {
    const { page } = await visit(dashboard.browser, { width: 1440 });
    try {
      await page.goto(`${dashboard.appliance.url}/`);
      await speak(page, language);
      const leftOver = englishOnly(language);
      const wrong: string[] = [];
      for (const path of ['/', '/nowhere', '/login']) {
        await page.goto(dashboard.appliance.url + path);
        await settled(page);
        for (const width of [1440, 1024, 400]) {
          await page.setViewportSize({ width, height: 900 });
          await keepScreenshot(page, `stranger-${language}-${width}${path.replaceAll('/', '-')}`);
          for (const look of [CUT, OVERLAPS]) wrong.push(...(await page.evaluate<string[]>(look)));
        }
        const texts = await page.evaluate<string[]>(TEXTS);
        wrong.push(...texts.filter((text) => leftOver.has(text)).map((text) => `${path} English: ${text}`));
      }
      expect(wrong).toEqual([]);
    } finally {
      await page.context().close();
    }
  });
});
