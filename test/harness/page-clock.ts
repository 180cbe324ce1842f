/**
 * The time of a page, once `page.clock.install()` has put a clock of its own into it: what stands for some seconds, or is
 * asked for every few, then does so by the test's will and not by how fast the machine is.
 */
import type { Locator, Page } from 'playwright-core';
import { until } from './until.ts';

const AHEAD_MS = 1000;

/** From now on the page's time stands still, but for what a test lets pass. */
export async function stopTime(page: Page): Promise<void> {
  const stopAhead = async () => page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + AHEAD_MS);
  // A busy machine may come to it when that moment has passed: this is refused, but the time stands from then on.
  await stopAhead().catch(stopAhead);
}

/**
 * Lets as little of a stopped page's time pass as it takes until an element is seen: a page does much of its work by
 * timers of no length. @returns how much has passed, in milliseconds
 */
export async function passingUntil(page: Page, element: Locator): Promise<number> {
  let passed = 0;
  await until(async () => {
    if (await element.isVisible()) return true;
    await page.clock.runFor(1);
    passed += 1;
    return false;
  });
  return passed;
}
