/** Places that may be wrong, in the window. */
import { beforeAll, describe, expect, test } from 'vitest';
import { picturePdf, text, writePdf } from '../documents/pdf-writer.ts';
import { addNoise, drawLetter, seeded, toJpeg, turnPicture } from '../documents/scan-pictures.ts';
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

  test('single words are marked where they stand', async () => {
    const drawn = drawLetter(60);
    const picture = turnPicture(drawn.picture, 2);
    addNoise(picture, 14, seeded(4));
    const words = await fileJob(dashboard.appliance, 'extract/doc', { bytes: toJpeg(picture), name: 'small.jpg' });
    const { page } = dashboard;
    await dashboard.open(`/jobs/${words}`);
    const marks = page.locator('.reading .doubtful');
    await marks.first().waitFor();
    await page.getByText(/\d+ places may be wrong|1 place may be wrong/).click();
    const listed = await page.locator('.doubts q').allTextContents();
    await page.locator('.doubts').getByText('Page 1 · hard to read').first().waitFor();
    const marked = await marks.allTextContents();
    expect(marked.length).toBeGreaterThan(0);
    for (const word of marked) expect(listed).toContain(word);
    expect(dashboard.complaints).toEqual([]);
  });
});
