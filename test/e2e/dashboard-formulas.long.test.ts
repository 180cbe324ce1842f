/** Formulas and tables of a document, in the window. */
import { beforeAll, describe, expect, test } from 'vitest';
import { loadAxe, SCHEMES, violations } from '../harness/axe.ts';
import { HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { fileJob } from '../harness/real-results.ts';

const PREPARE_TIMEOUT_MS = 1_800_000;

const SOURCE = `# The tides

The height $h_{a}^{b} = c_{d}$ costs $5 a day, or \\$6 at night.

$$\\begin{pmatrix}a & b \\\\ c & d\\end{pmatrix}$$

| Port | Height |
| --- | --- |
| North | 3 |
`;

const dashboard = useDashboard();
let jobId: string;

describe.skipIf(!HAS_BROWSER)('formulas', () => {
  beforeAll(async () => {
    jobId = await fileJob(dashboard.appliance, 'extract/doc', { bytes: Buffer.from(SOURCE), name: 'tides.md' });
  }, PREPARE_TIMEOUT_MS);

  test('stand apart from the text as their LaTeX, whole, beside tables', async () => {
    for (const scheme of SCHEMES) {
      for (const width of [1440, 400]) {
        const { page } = dashboard;
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height: 900 });
        await dashboard.open(`/jobs/${jobId}`);
        const formulas = page.locator('.reading [role="math"]');
        await formulas.first().waitFor();
        expect(await formulas.allTextContents()).toEqual([
          'h_{a}^{b} = c_{d}',
          '\\begin{pmatrix}a & b \\\\ c & d\\end{pmatrix}',
        ]);
        expect(await page.locator('.reading em').count()).toBe(0);
        await page.getByText('costs $5 a day, or $6 at night.').waitFor();
        expect(await page.locator('.reading td').allTextContents()).toEqual(['North', '3']);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        await keepScreenshot(page, `formulas-${width}-${scheme}`);
        await loadAxe(page);
        expect(await violations(page, scheme)).toEqual([]);
      }
    }
    expect(dashboard.complaints).toEqual([]);
  });
});
