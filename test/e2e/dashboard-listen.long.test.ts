/** An item is read aloud in the window: its words light up, and its place is kept. */
import { describe, expect, test } from 'vitest';
import { HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { fileForm, finished } from '../harness/jobs.ts';

const dashboard = useDashboard();

const TEXT = `# The winter\n\n${'The bell was heard from the bar. '.repeat(6)}\n\n# The spring\n\nThe sea was white.`;

describe.skipIf(!HAS_BROWSER)('Listen (needs chromium)', () => {
  test('begins at once, lights up what is read, goes to a chapter and keeps the place', async () => {
    const { owner } = dashboard.appliance;
    const answer = await owner('/v1/extract/doc', { method: 'POST', body: fileForm(Buffer.from(TEXT), 'winter.md') });
    const { jobId } = (await answer.json()) as { jobId: string };
    await finished(owner, jobId);
    const found = async () =>
      (
        (await (await owner(`/v1/library/lookup?job=${jobId}`)).json()) as {
          items: { itemId: string; state: string }[];
        }
      ).items[0];
    await expect.poll(async () => (await found())?.state).toBe('ready');
    const itemId = (await found())?.itemId ?? '';
    const page = await dashboard.open(`/items/${itemId}`);
    await page.getByRole('button', { name: 'Listen', exact: true }).click();
    await page.locator('.cue-lit').first().waitFor();
    const player = page.getByRole('region', { name: 'Read aloud' });
    expect(await player.textContent()).toContain('The winter');
    await keepScreenshot(page, 'listen');
    await player.getByRole('button', { name: 'Keep it' }).waitFor();
    await player.getByRole('combobox', { name: 'Chapter' }).click();
    await page.getByRole('option', { name: 'The spring' }).click();
    await player.getByText('The sea was white.').waitFor();
    await expect
      .poll(async () => {
        const reading = await owner(`/v1/library/items/${itemId}/reading`);
        return ((await reading.json()) as { position: number }).position;
      })
      .toBeGreaterThan(5);
  });
});
