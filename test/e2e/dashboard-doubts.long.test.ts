/** Places that may be wrong, in the window. */
import { beforeAll, describe, expect, test } from 'vitest';
import { picturePdf, text, writePdf } from '../documents/pdf-writer.ts';
import { loadAxe, SCHEMES, violations } from '../harness/axe.ts';
import { HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { fileJob } from '../harness/real-results.ts';

const PREPARE_TIMEOUT_MS = 1_800_000;

const LINES = ['The keeper wrote down every ship that passed,', 'xqvz kwjjf vvqpz zxkcj hgqwv pfzzq vkxjq wqzzt'];

const dashboard = useDashboard();
let jobId: string;

describe.skipIf(!HAS_BROWSER)('places that may be wrong', () => {
  beforeAll(async () => {
    const bytes = picturePdf(writePdf({ pages: [text(60, 100, LINES, 14)] }), 150);
    jobId = await fileJob(dashboard.appliance, 'extract/doc', { bytes, name: 'page.png' });
  }, PREPARE_TIMEOUT_MS);

  test('are marked in the text of a document, and listed below the warnings', async () => {
    for (const scheme of SCHEMES) {
      for (const width of [1440, 400]) {
        const { page } = dashboard;
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height: 900 });
        await dashboard.open(`/jobs/${jobId}`);
        const mark = page.locator('.reading .doubtful');
        await mark.waitFor();
        expect(await mark.textContent()).toContain('xqvz');
        expect(await mark.getAttribute('title')).toBe('May be wrong');
        await page.getByText('1 place may be wrong').click();
        await page.locator('.doubts').getByText('Page 1 · unlikely letters').waitFor();
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        await keepScreenshot(page, `doubts-${width}-${scheme}`);
        await loadAxe(page);
        expect(await violations(page, scheme)).toEqual([]);
      }
    }
    expect(dashboard.complaints).toEqual([]);
  });
});
