/** For eyes: reduced motion, forced colours, and axe in a language of each direction in both schemes, on every page. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadAxe, SCHEMES, violations } from '../harness/axe.ts';
import { HAS_BROWSER } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { fillEveryPage, settled } from './every-page.ts';

const TOUR_TIMEOUT_MS = 1_200_000;

/** Animations that take time, by what they move. */
const MOVING = `document.getAnimations()
  .filter((one) => one.playState === 'running' && Number(one.effect?.getComputedTiming().activeDuration) > 1)
  .map((one) => (one.animationName ?? one.transitionProperty) + ' of ' + one.effect.target.className)`;

/** What has a border or a focus only by its colour, where the system decides the colours. */
const UNSEEN = `(() => {
  const isThere = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const fields = [...document.querySelectorAll('input:not([type="hidden"]):not([type="file"]), textarea, select')]
    .filter((one) => isThere(one) && one.clientHeight > 1);
  const edges = (one) => [one, one.parentElement, one.nextElementSibling, one.closest('.mantine-Input-input')].filter((some) => some !== null);
  const hasBorder = (one) => edges(one).some((some) => {
    const { borderTopWidth, borderBottomWidth, outlineStyle, outlineWidth, appearance } = getComputedStyle(some);
    const widths = [borderTopWidth, borderBottomWidth, outlineStyle === 'none' ? '0' : outlineWidth];
    return widths.some((width) => Number.parseFloat(width) > 0) || !['none', ''].includes(appearance);
  });
  return fields.filter((one) => !hasBorder(one)).map((one) => one.ariaLabel ?? one.outerHTML.slice(0, 120));
})()`;

/** Whether the focused control has an outline. */
const FOCUS = `(() => {
  const one = document.activeElement;
  if (one === null || one === document.body) return null;
  const around = [one, one.parentElement, one.nextElementSibling, one.closest('label')].filter((some) => some !== null);
  const isSeen = around.some((some) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(some);
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
  });
  return isSeen ? '' : (one.ariaLabel ?? one.textContent ?? '') + ' ' + one.outerHTML.slice(0, 120);
})()`;

/** Controls that get the focus on each page. */
const STOPS = 15;

const dashboard = useDashboard();

let paths: string[] = [];

beforeAll(async () => {
  paths = await fillEveryPage(dashboard.appliance);
});

/** What is found on each page that is not as it should be. */
async function tour(find: (page: Page) => Promise<string[]>): Promise<Record<string, string[]>> {
  const wrong: Record<string, string[]> = {};
  for (const path of paths) {
    const page = await dashboard.open(path);
    await settled(page);
    const found = await find(page);
    if (found.length > 0) wrong[path] = [...new Set(found)];
  }
  return wrong;
}

describe.skipIf(!HAS_BROWSER)('for every eye (needs chromium)', () => {
  test(
    'where less motion is asked for, nothing moves',
    async () => {
      const { page } = dashboard;
      await page.emulateMedia({ reducedMotion: 'reduce' });
      const wrong = await tour(async () => {
        const found = await page.evaluate<string[]>(MOVING);
        await page.keyboard.press('Control+k');
        await page.getByRole('dialog').first().waitFor();
        return [...found, ...(await page.evaluate<string[]>(MOVING))];
      });
      expect(wrong).toEqual({});
      // Otherwise the border of a field fades to its colour of focus.
      const fades = `getComputedStyle(document.querySelector('main input')).transitionDuration`;
      await dashboard.open('/search');
      await settled(page);
      expect(await page.evaluate(fades)).toBe('0s');
      await page.emulateMedia({ reducedMotion: 'no-preference' });
      expect(await page.evaluate(fades)).not.toBe('0s');
    },
    TOUR_TIMEOUT_MS,
  );

  test(
    'in forced colours, fields have borders and the focus is seen',
    async () => {
      const { page } = dashboard;
      await page.emulateMedia({ forcedColors: 'active' });
      const wrong = await tour(async () => {
        const found = await page.evaluate<string[]>(UNSEEN);
        for (let stop = 0; stop < STOPS; stop += 1) {
          await page.keyboard.press('Tab');
          const unseen = await page.evaluate<string | null>(FOCUS);
          if (unseen === null) break;
          if (unseen !== '') found.push(`no focus: ${unseen}`);
        }
        return found;
      });
      expect(wrong).toEqual({});
    },
    TOUR_TIMEOUT_MS,
  );

  test.each(['de', 'ar'])(
    'axe finds nothing wrong in %s, in both schemes',
    async (language) => {
      const { page } = dashboard;
      await dashboard.open('/');
      await page.evaluate(`localStorage.setItem('quarry.language', '${language}')`);
      const wrong = await tour(async () => {
        await loadAxe(page);
        const found: string[] = [];
        for (const scheme of SCHEMES) {
          await page.emulateMedia({ colorScheme: scheme });
          found.push(...(await violations(page, scheme)));
        }
        return found;
      });
      expect(wrong).toEqual({});
    },
    TOUR_TIMEOUT_MS,
  );
});
