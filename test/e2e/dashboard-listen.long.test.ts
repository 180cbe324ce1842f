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

  test('is offered for a document that is added, and reads what the library has already', async () => {
    const page = await dashboard.open('/');
    const dialog = page.getByRole('dialog', { name: 'Add to the library' });
    const hear = async () => {
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.keyboard.press('a');
      await dialog.getByLabel('Paste an address or a text').fill('The lamp was lit at six. The boat came home.');
      await dialog.getByRole('button', { name: 'Listen to it' }).click();
      await page.waitForURL(/\/items\/itm_[\w-]+\?.*listen=true/);
      await page.locator('.cue-lit').first().waitFor();
      expect(await page.getByRole('region', { name: 'Read aloud' }).textContent()).toContain(
        'The lamp was lit at six.',
      );
    };
    await hear();
    await page.getByRole('button', { name: 'Close the player' }).click();
    await page.waitForURL((url) => !url.search.includes('listen'));
    await dashboard.open('/library');
    await hear();
    expect(await page.getByRole('dialog').count()).toBe(0);
    // A recording is heard as it is.
    await dashboard.open('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('a');
    const sound = { name: 'talk.mp3', mimeType: 'audio/mpeg', buffer: Buffer.from('ID3') };
    await dialog.locator('input[type=file]').setInputFiles(sound);
    await dialog.getByText('talk.mp3').waitFor();
    expect(await dialog.getByRole('button', { name: 'Listen to it' }).count()).toBe(0);
    // An item that is not read aloud yet is asked for, and is not there.
    expect(dashboard.complaints.filter((one) => !one.includes('404'))).toEqual([]);
  });

  test('is on the page Make, for a file, a text and what is in the library', async () => {
    const page = await dashboard.open('/make');
    await page.getByRole('navigation', { name: 'Make' }).getByRole('link', { name: 'Listen' }).click();
    await page.waitForURL(/\/make\/listen$/);
    const paste = page.getByLabel('Or what do you want to hear?');
    await page.getByRole('button', { name: 'Listen', exact: false }).click();
    await page.getByText('Paste an address or a text first.').waitFor();
    await paste.fill('The gulls slept on the roof.');
    await keepScreenshot(page, 'make-listen');
    await page.keyboard.press('Control+Enter');
    await page.locator('.cue-lit').getByText('The gulls slept on the roof.').waitFor();
    await dashboard.open('/make/listen');
    const list = page.getByRole('list', { name: 'In your library' });
    await list.getByRole('link', { name: /The gulls slept on the roof/ }).click();
    await page.locator('.cue-lit').getByText('The gulls slept on the roof.').waitFor();
    await dashboard.open('/make/listen');
    const book = { name: 'dunes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Dunes\n\nThe sand was warm.') };
    await page.locator('.drop input[type=file]').setInputFiles(book);
    await page.locator('.cue').getByText('The sand was warm.').waitFor();
    // An item that is not read aloud yet is asked for, and is not there.
    expect(dashboard.complaints.filter((one) => !one.includes('404'))).toEqual([]);
  });

  test('reads chosen items aloud one after the other, begun by keyboard', async () => {
    const { owner } = dashboard.appliance;
    for (const name of ['Anchor', 'Beacon']) {
      const body = fileForm(Buffer.from(`# ${name}\n\nThe ${name} holds.`), `${name}.md`);
      const { jobId } = (await (await owner('/v1/extract/doc', { method: 'POST', body })).json()) as { jobId: string };
      await finished(owner, jobId);
    }
    const page = await dashboard.open('/library?view=list&sort=title&q=md');
    for (const name of ['Anchor', 'Beacon']) await page.getByRole('checkbox', { name: `Choose ${name}` }).check();
    await page.getByRole('button', { name: /^Read aloud/ }).waitFor();
    await keepScreenshot(page, 'read-aloud-bar');
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('l');
    const player = page.getByRole('region', { name: 'Read aloud' });
    await player.getByText('1 of 2').waitFor();
    await player.getByRole('button', { name: 'Next: Beacon' }).waitFor();
    await keepScreenshot(page, 'read-aloud-first');
    // The first is heard to its end.
    await player.getByText('2 of 2').waitFor();
    await player.getByText('The Beacon holds.').waitFor();
    expect(await player.getByRole('button', { name: /^Next:/ }).count()).toBe(0);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Beacon');
  });
});
