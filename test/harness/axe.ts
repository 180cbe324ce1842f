import axe from 'axe-core';
import type { Page } from 'playwright-core';

export const SCHEMES = ['light', 'dark'] as const;
export type Scheme = (typeof SCHEMES)[number];

/** Evaluated from outside, so that the page's own policy needs no hole for it. */
export async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(axe.source);
}

/** What axe finds wrong, one line for each element. The structure is the same in both looks: once is enough for it. */
export async function violations(page: Page, scheme: Scheme): Promise<string[]> {
  const rules = scheme === 'dark' ? "{ runOnly: ['color-contrast'] }" : '{}';
  const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(`axe.run(${rules})`);
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}
