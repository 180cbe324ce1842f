/** Corrections in the window, and the account of what was read. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadAxe, SCHEMES, violations } from '../harness/axe.ts';
import { HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { fileJob } from '../harness/real-results.ts';

const PREPARE_TIMEOUT_MS = 1_800_000;

const LAMPS = `<h1>Lamps of the coast</h1><p>The keeper counted ninety lamps. It was late.</p>
<p>Then the keeper counted ninety lamps again, and the <b>lighthouse</b> was dark.</p>
<table><tr><th>Port</th><th>Lamps</th></tr><tr><td>Vardo</td><td>seventeen</td></tr></table>`;

const ACCOUNT = {
  unit: 'letters',
  source: 18_552,
  delivered: 18_000,
  leftOut: [
    { reason: 'repeated-header-or-footer', count: 300, where: 'page 2 to 14', sample: 'Harbour office, minutes of' },
    { reason: 'repeated-header-or-footer', count: 12, where: 'page 3' },
  ],
  unexplained: 240,
};

const dashboard = useDashboard();
let jobId: string;

/** Selects from one place of an element's first text to another, as a mouse does. */
async function select(page: Page, selector: string, from: number, to: number): Promise<void> {
  await page.evaluate(`{
    const element = document.querySelector(${JSON.stringify(selector)});
    const node = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
    getSelection().setBaseAndExtent(node, ${from}, node, ${to});
    element.dispatchEvent(new MouseEvent('mouseup', { bubbles: true }));
  }`);
}

async function fileText(name: string): Promise<string> {
  return (await dashboard.appliance.owner(`/v1/jobs/${jobId}/files/${name}`)).text();
}

describe.skipIf(!HAS_BROWSER)('one text in the window', () => {
  beforeAll(async () => {
    const bytes = new TextEncoder().encode(LAMPS);
    jobId = await fileJob(dashboard.appliance, 'extract/doc', { bytes, name: 'lamps.html' });
  }, PREPARE_TIMEOUT_MS);

  test('a selection widens to whole words, and the place that was selected changes in all files', async () => {
    const page = await dashboard.open(`/jobs/${jobId}`);
    const again = page.locator('.reading p', { hasText: 'Then the keeper' });
    await again.waitFor();
    const text = (await again.textContent()) ?? '';
    const at = text.indexOf('ninety');
    await page.evaluate(`document.querySelectorAll('.reading p').forEach((one) => {
      if (one.textContent.includes('Then the keeper')) one.id = 'again';
    })`);
    await select(page, '#again', at + 2, at + 4);
    expect(await page.evaluate('getSelection().toString()')).toBe('ninety');
    const bar = page.getByRole('group', { name: 'Selected text' });
    await bar.getByRole('button', { name: 'Correct' }).click();
    const field = page.getByLabel('What it should say');
    expect(await field.inputValue()).toBe('ninety');
    await keepScreenshot(page, 'correct-a-word');
    await field.fill('nineteen');
    await field.press('Control+Enter');
    await page.getByText('Corrected in all files').waitFor();
    await page.getByRole('button', { name: 'Undo' }).hover();
    await page.getByText('Then the keeper counted nineteen lamps again').waitFor();
    expect(await page.getByText('The keeper counted ninety lamps. It was late.').count()).toBe(1);
    for (const name of ['document.txt', 'document.md', 'docling.json']) {
      expect((await fileText(name)).replaceAll('nineteen', 'ninety'), name).toContain('Then the keeper counted ninety');
      expect(await fileText(name), name).toContain('Then the keeper counted nineteen lamps');
    }
    await keepScreenshot(page, 'corrected');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Then the keeper counted ninety lamps again').waitFor();
    expect(await fileText('document.txt')).not.toContain('nineteen');
    expect(dashboard.complaints).toEqual([]);
  });

  test('words that are deleted leave one blank', async () => {
    const page = await dashboard.open(`/jobs/${jobId}`);
    const first = page.locator('.reading p').first();
    await first.waitFor();
    const at = ((await first.textContent()) ?? '').indexOf('It was');
    await select(page, '.reading p', at - 1, at + 'It was la'.length);
    await page.getByRole('button', { name: 'Correct', exact: true }).click();
    expect(await page.getByLabel('What it should say').inputValue()).toBe('It was late');
    await page.getByLabel('What it should say').fill('');
    await page.locator('.selection-form').getByRole('button', { name: 'Correct' }).click();
    await page.getByText('Corrected in all files').waitFor();
    expect(await fileText('document.txt')).toContain('ninety lamps.');
    expect(await fileText('document.txt')).not.toContain('late');
    expect(dashboard.complaints).toEqual([]);
  });

  test('a note is in the files once it is published, and out of them once it is withdrawn', async () => {
    const page = await dashboard.open(`/jobs/${jobId}`);
    const first = page.locator('.reading p').first();
    await first.waitFor();
    const at = ((await first.textContent()) ?? '').indexOf('ninety');
    await select(page, '.reading p', at + 1, at + 8);
    await page.getByRole('button', { name: 'Note', exact: true }).click();
    await page.getByLabel('Note', { exact: true }).fill('Or a hundred.');
    await page.getByRole('button', { name: 'Save note' }).click();
    await page.getByText('Note saved. It is not in the files yet').waitFor();
    const before = await fileText('document.md');
    expect(before).not.toContain('hundred');
    await page.getByText('1 note', { exact: true }).click();
    const notes = page.locator('.notes');
    await notes.getByText('ninety lamps').waitFor();
    await notes.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('The note is in the result, but not in document.txt.').waitFor();
    expect(await fileText('document.md')).toContain('Page 1, “ninety lamps”: Or a hundred.');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('[data-act-key="c"] button').click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toContain('Or a hundred.');
    await notes.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('The note is taken out of the files and the search').waitFor();
    expect(await fileText('document.md')).toBe(before);
    expect(dashboard.complaints).toEqual([]);
  });

  test('the account is one line, with what was left out on demand and what is not explained', async () => {
    const page = dashboard.page;
    await page.route(`**/v1/jobs/${jobId}`, async (route) => {
      const answer = await route.fetch();
      const job = (await answer.json()) as { result: object };
      const document = { ...(job.result as { document: object }).document, pages: 14 };
      await route.fulfill({ json: { ...job, result: { ...job.result, document, account: ACCOUNT } } });
    });
    for (const scheme of SCHEMES) {
      for (const width of [1440, 400]) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height: 900 });
        await dashboard.open(`/jobs/${jobId}`);
        const note = page.getByRole('note', { name: 'What was read' });
        await note
          .getByText('18,000 of 18,552 letters read. Left out: 312 letters (repeated header or footer)')
          .click();
        await note.getByText('page 2 to 14').waitFor();
        await note.getByText('Harbour office, minutes of').waitFor();
        await note.getByText('Not in the result, and no reason is known: 240 letters of the source.').waitFor();
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        await keepScreenshot(page, `account-${width}-${scheme}`);
        await loadAxe(page);
        expect(await violations(page, scheme)).toEqual([]);
      }
    }
  });

  test('what was read of this document is said without a fixture', async () => {
    const page = await dashboard.open(`/jobs/${jobId}`);
    await page
      .getByRole('note', { name: 'What was read' })
      .getByText(/^All \d+ letters read/)
      .waitFor();
  });
});
