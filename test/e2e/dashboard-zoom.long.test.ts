/**
 * Every page at 200 % and 400 % of a window of 1280 pixels, as the browser zooms: half and a quarter of its width and
 * height. Nothing is cut, nothing lies over another text, and everything that can be pressed can be reached.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { fillEveryPage, settled } from './every-page.ts';
import { OVERLAPS } from './looks.ts';

const TOUR_TIMEOUT_MS = 1_200_000;

const ZOOMS = [
  { percent: 200, width: 640, height: 512 },
  { percent: 400, width: 320, height: 256 },
];

/** What is wider than the window, where nothing scrolls to it. */
const TOO_WIDE = `(() => {
  const over = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  return over > 0 ? ['the page, by ' + over] : [];
})()`;

/** Labels and texts that are cut without an ellipsis, which has the whole text as its title. */
const CUT = `(() => {
  const labels = '.mantine-Button-label, .mantine-SegmentedControl-label, .mantine-Tabs-tabLabel, .mantine-Badge-label, h1, h2, h3, th, p, button';
  return [...document.querySelectorAll(labels)].filter((one) => {
    const { overflowX, textOverflow, position } = getComputedStyle(one);
    const isHidden = one.getClientRects().length === 0 || one.clientWidth <= 1 || position === 'absolute';
    return !isHidden && ['hidden', 'clip'].includes(overflowX) && one.scrollWidth > one.clientWidth + 1 && textOverflow !== 'ellipsis';
  }).map((one) => 'cut: ' + one.textContent.slice(0, 80));
})()`;

/** What can be pressed but is covered, or out of the window, wherever the page is scrolled to. */
const OUT_OF_REACH = `(() => {
  const isShown = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  // What lies over the page is closed first.
  const top = document.querySelector('[aria-modal="true"]') ?? document;
  const controls = [...top.querySelectorAll('a[href], button, input, select, textarea')]
    .filter((one) => isShown(one) && one.clientWidth > 1 && !one.disabled && getComputedStyle(one).pointerEvents !== 'none');
  const isReached = (one, block) => {
    one.focus({ preventScroll: true });
    one.scrollIntoView({ block, inline: 'center', behavior: 'instant' });
    return [...one.getClientRects()].some((box) => [0.5, 0.2, 0.8].some((part) => {
      const found = document.elementFromPoint(box.left + box.width * part, box.top + box.height / 2);
      const label = one.labels?.[0] ?? one;
      return found !== null && (one.contains(found) || found.contains(one) && found.closest('a, button, label') !== null || label.contains(found));
    }));
  };
  return controls.filter((one) => !['center', 'start', 'end'].some((block) => isReached(one, block)))
    .map((one) => 'out of reach: ' + (one.ariaLabel ?? one.textContent).slice(0, 40) + ' ' + one.outerHTML.slice(0, 100));
})()`;

const dashboard = useDashboard();

let paths: string[] = [];

beforeAll(async () => {
  paths = await fillEveryPage(dashboard.appliance);
});

describe.skipIf(!HAS_BROWSER)('zoomed (needs chromium)', () => {
  test.each(ZOOMS)(
    '$percent %: nothing is lost',
    async ({ percent, width, height }) => {
      const { page } = dashboard;
      await page.setViewportSize({ width, height });
      const wrong: Record<string, string[]> = {};
      for (const path of paths) {
        await dashboard.open(path);
        await settled(page);
        await keepScreenshot(page, `zoom-${percent}${path.replaceAll(/[^a-z]+/gi, '-').slice(0, 60)}`);
        const found: string[] = [];
        for (const look of [TOO_WIDE, CUT, OVERLAPS, OUT_OF_REACH])
          found.push(...(await page.evaluate<string[]>(look)));
        if (found.length > 0) wrong[path] = [...new Set(found)];
      }
      expect(wrong).toEqual({});
    },
    TOUR_TIMEOUT_MS,
  );
});
