/** The Library in the window: covers and rows by day, filters with counts, a selection and what is done with it. */
import { readdir, readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { loadAxe, violations } from '../harness/axe.ts';
import { HAS_BROWSER, keepScreenshot, RENDERER_FOLDER } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { wordDocument } from '../harness/documents.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { serveWith } from '../harness/local-site.ts';
import { postJson } from '../harness/text-models.ts';

const dashboard = useDashboard();

interface Item {
  itemId: string;
  jobId: string;
  versions: number;
  bytes: number | null;
  title: string;
  tags: string[];
}

async function read(name: string, text: string): Promise<void> {
  const { owner } = dashboard.appliance;
  const answer = await owner('/v1/extract/doc', { method: 'POST', body: fileForm(Buffer.from(text), name) });
  await finished(owner, ((await answer.json()) as { jobId: string }).jobId);
}

async function kept(query = ''): Promise<Item[]> {
  const answer = await dashboard.appliance.owner(`/v1/library/items?sort=title${query}`);
  return ((await answer.json()) as { items: Item[] }).items;
}

async function keep(count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    await read(`tide-${number}.md`, `# Tide table ${number}\n\nHigh water at ${number} o'clock.\n\nLow water later.`);
  }
  await expect.poll(async () => (await kept()).map(({ title }) => title)).toContain(`Tide table ${count}`);
}

/** Drops files onto the window. */
async function drop(page: Page, files: readonly (readonly [name: string, text: string])[]): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const data = new DataTransfer();
    for (const [name, text] of ${JSON.stringify(files)}) data.items.add(new File([text], name));
    return data;
  })()`);
  await page.dispatchEvent('main', 'drop', { dataTransfer });
}

const cards = (page: Page) => page.locator('.card-title');

const toast = (page: Page, text: string | RegExp) => page.getByRole('alert').filter({ hasText: text });

/** What a browser loads before Home stands, as the page itself names it. */
const FIRST_LOAD_BYTES = 300_000;

test('the first load is at most 300 kB, packed', async () => {
  const page = await readFile(new URL('index.html', RENDERER_FOLDER), 'utf8');
  const assets = new URL('assets/', RENDERER_FOLDER);
  const named = (await readdir(assets)).filter((name) => page.includes(name));
  const sizes = await Promise.all(named.map(async (name) => gzipSync(await readFile(new URL(name, assets))).length));
  expect(named.length).toBeGreaterThan(5);
  expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(FIRST_LOAD_BYTES);
});

describe.skipIf(!HAS_BROWSER)('the Library (needs chromium)', () => {
  test('covers by day, a filter in the address, tags for many by keys, delete with Undo', async () => {
    await keep(6);
    const page = await dashboard.open('/library');
    await expect.poll(() => cards(page).count()).toBe(6);
    await page.getByRole('cell', { name: /^Today/ }).waitFor();
    expect(await page.locator('.head-state').textContent()).toMatch(/^6 items/);
    await keepScreenshot(page, 'library-grid');
    await loadAxe(page);
    expect(await violations(page, 'light')).toEqual([]);

    // Tag three: one click, one with Shift, one key, and the name.
    await page.getByRole('checkbox', { name: 'Choose Tide table 6' }).check({ force: true });
    await page.locator('[data-item="2"]').click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    await page.keyboard.press('t');
    await page.getByRole('textbox', { name: 'Tag 3 items' }).fill('harbour');
    await keepScreenshot(page, 'library-tagging');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await kept('&tag=harbour')).length).toBe(3);
    await toast(page, 'Tagged harbour').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('3 selected').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'harbour 3' }).click();
    await page.waitForURL(/tag=harbour/);
    await expect.poll(() => cards(page).count()).toBe(3);
    await expect.poll(() => page.locator('.head-state').textContent()).toMatch(/^3 items of 6/);
    await page.getByRole('button', { name: 'Remove the filter Tag: harbour' }).click();
    await expect.poll(() => cards(page).count()).toBe(6);

    // Words that nothing has name the filter and lead back.
    await page.keyboard.press('/');
    await page.keyboard.type('nowhere');
    await page.getByText('No item has words “nowhere”.').waitFor();
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await expect.poll(() => cards(page).count()).toBe(6);

    await page.locator('h1').click();
    await page.keyboard.press('Control+a');
    await page.getByText('6 selected').waitFor();
    await page.keyboard.press('e');
    await page.getByRole('button', { name: /^One book/ }).click();
    await keepScreenshot(page, 'library-export');
    const [book] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'Export' }).click(),
    ]);
    expect(book.suggestedFilename()).toBe('Library.epub');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('6 selected').waitFor();
    await page.keyboard.press('Delete');
    await expect.poll(async () => (await kept()).length).toBe(0);
    await toast(page, '6 items deleted').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await kept()).length).toBe(6);
    expect(dashboard.complaints).toEqual([]);
  });

  test('collections stand in the rail, are renamed and deleted there; the disk is freed by item, with Undo', {
    tags: ['long'],
  }, async () => {
    const { owner } = dashboard.appliance;
    await keep(3);
    const made = await owner('/v1/library/collections', postJson({ name: 'Sea walls' }));
    expect(made.status).toBe(201);
    await owner('/v1/library/collections', postJson({ name: 'Tides', filter: { text: 'tide' } }));
    const page = await dashboard.open('/library');
    await page.getByText(/^\d+ pages?$/).waitFor();
    await expect.poll(() => page.locator('.head-state').textContent()).toMatch(/\d+ items?.*\d+ pages?.*\d+ kB/);
    const rail = page.getByRole('region', { name: 'Collections' });
    await rail.getByRole('button', { name: 'What to do with Sea walls' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name of the collection' }).fill('Tides');
    await page.keyboard.press('Enter');
    await page.getByText('Another collection has this name.').waitFor();
    await page.getByRole('textbox', { name: 'Name of the collection' }).fill('Walls of 2026');
    await page.keyboard.press('Enter');
    await rail.getByRole('link', { name: /^Walls of 2026/ }).click();
    await page.waitForURL(/\/library\/c\/col_/);
    await page.getByRole('heading', { level: 1, name: 'Walls of 2026' }).waitFor();
    await rail.getByRole('button', { name: 'What to do with Walls of 2026' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await rail.getByRole('link', { name: /^Walls/ }).waitFor({ state: 'detached' });
    await toast(page, 'Its items stay').getByRole('button', { name: 'Undo' }).click();
    await rail.getByRole('link', { name: /^Walls/ }).waitFor();

    await dashboard.open('/settings/storage');
    await page.getByRole('link', { name: 'Largest first: documents' }).waitFor();
    await expect.poll(async () => (await kept()).every(({ bytes }) => bytes !== null)).toBe(true);
    const before = (await kept()).length;
    await page.getByRole('checkbox', { name: 'Choose Tide table 1' }).check();
    await keepScreenshot(page, 'settings-disk');
    await loadAxe(page);
    expect(await violations(page, 'light')).toEqual([]);
    await page.getByRole('button', { name: /^Free .* delete 1 item$/ }).click();
    await expect.poll(async () => (await kept()).length).toBe(before - 1);
    await page.getByText('Deleted, still here').waitFor();
    await toast(page, '1 item deleted').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await kept()).length).toBe(before);
    await page.getByRole('link', { name: 'Largest first: documents' }).click();
    await page.waitForURL(/sort=size/);
    await page.getByRole('button', { name: 'Size' }).waitFor();
    // The name that was taken.
    expect(dashboard.complaints).toEqual([expect.stringContaining('409 (Conflict)')]);
  });

  test('a failed reading is done again with another file and the same choices, seen or not', async () => {
    const { owner } = dashboard.appliance;
    const body = fileForm(wordDocument(['The minutes, cut.']).slice(0, 500), 'minutes.docx');
    body.append('options', JSON.stringify({ includeComments: true, language: 'de', segmentLength: 300 }));
    const answer = await owner('/v1/extract/doc', { method: 'POST', body });
    const told = await answer.text();
    expect(answer.status, told).toBe(202);
    const { jobId } = JSON.parse(told) as { jobId: string };
    expect(await finished(owner, jobId)).toMatchObject({ status: 'failed' });
    const page = await dashboard.open(`/items/of/${jobId}`);
    await page.waitForURL(/\/items\/itm_/);
    await page.getByRole('link', { name: 'Choose another file' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add to the library' });
    await dialog.getByText('With the choices of minutes.docx.').waitFor();
    expect(await dialog.getByRole('switch', { name: /^Keep comments/ }).isChecked()).toBe(true);
    expect(await dialog.getByRole('combobox', { name: 'Language' }).inputValue()).toMatch(/German/);
    await keepScreenshot(page, 'add-same-choices');
    await loadAxe(page);
    expect(await violations(page, 'light')).toEqual([]);
    await dialog.getByRole('switch', { name: /^Keep comments/ }).click();
    const better = { name: 'minutes.docx', mimeType: '', buffer: Buffer.from(wordDocument(['The minutes, whole.'])) };
    await dialog.getByLabel('Files').setInputFiles(better);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('link', { name: 'Open minutes.docx' }).click();
    await page.waitForURL(/\/items\/itm_/);
    await page.getByRole('heading', { name: 'The minutes, whole', level: 1 }).waitFor();
    const [item] = await kept('&text=whole');
    const again = (await (await owner(`/admin/jobs/${item?.jobId}`)).json()) as { request: { options: object } };
    expect(again.request.options).toMatchObject({ language: 'de', segmentLength: 300 });
    expect(again.request.options).not.toMatchObject({ includeComments: true });

    // What could not be read is named where items are taken out.
    await dashboard.open('/library');
    await cards(page).first().waitFor();
    await page.locator('h1').click();
    await page.keyboard.press('Control+a');
    await page.getByText(/^\d+ selected$/).waitFor();
    await page.keyboard.press('e');
    const left = page.getByRole('region', { name: /^Left out, \d+ items? without a result$/ });
    await left.getByText('minutes', { exact: false }).first().waitFor();
    await keepScreenshot(page, 'export-left-out');
    expect(dashboard.complaints).toEqual([]);
  });

  test('what is there already is opened by one key, or read again as a version; its bytes are sent once', async () => {
    const { owner } = dashboard.appliance;
    const text = '# Ferry\n\nThe ferry leaves at noon.';
    await read('ferry.md', text);
    await expect.poll(async () => (await kept('&text=ferry')).map(({ title }) => title)).toEqual(['Ferry']);
    const page = await dashboard.open('/');
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname));
    await drop(page, [['copy of ferry.md', text]]);
    const dialog = page.getByRole('dialog', { name: 'You already have this document' });
    await dialog.getByText('Yes, every byte').waitFor();
    await page.getByText('You have this since').waitFor();
    await keepScreenshot(page, 'already-have-it');
    await loadAxe(page);
    expect(await violations(page, 'light')).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/items\/itm_/);
    await page.getByRole('heading', { name: 'Ferry', level: 1 }).first().waitFor();
    expect(sent).not.toContain('/v1/extract/doc');

    // Two that are there and one that is not: both are read again by one choice, the new one at once.
    const other = '# Quay\n\nThe quay is empty.';
    await read('quay.md', other);
    await expect.poll(async () => (await kept('&text=quay')).length).toBe(1);
    await drop(page, [
      ['ferry.md', text],
      ['quay.md', other],
      ['crane.md', '# Crane\n\nThe crane is old.'],
    ]);
    await dialog.getByText('The same for the other one you have').click();
    await expect.poll(async () => (await kept('&text=crane')).length).toBe(1);
    await dialog
      .getByRole('button', { name: /^Read again as version 2/ })
      .first()
      .click();
    await dialog.getByRole('button', { name: 'Read again as version 2' }).last().click();
    for (const name of ['ferry', 'quay']) {
      await expect.poll(async () => (await kept(`&text=${name}`))[0]?.versions).toBe(2);
    }

    // A deleted one is brought back; one that is put aside waits in the tray.
    const [ferry] = await kept('&text=ferry');
    await owner(`/v1/library/items/${ferry?.itemId}`, { method: 'DELETE' });
    await drop(page, [['ferry.md', text]]);
    await dialog.getByText('It comes back with its tags and notes.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Choose: ferry.md' }).click();
    await dialog.getByRole('button', { name: 'Bring it back and open it' }).last().click();
    await expect.poll(async () => (await kept('&text=ferry')).length).toBe(1);
    expect(dashboard.complaints).toEqual([]);
  });

  test('an address is known in any spelling, and a site that is read again is fetched again', {
    tags: ['long'],
  }, async () => {
    const { owner } = dashboard.appliance;
    let fetched = 0;
    await using site = await serveWith((request, answer) => {
      if (request.url === '/robots.txt') return answer.writeHead(404).end();
      fetched += 1;
      return answer
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<title>Tide mill</title><p>The mill turns with the tide, seen ${fetched} times by somebody.</p>`);
    });
    const url = `${site.url}/mill`;
    const answer = await owner('/v1/crawl', postJson({ url, depth: 0 }));
    await finished(owner, ((await answer.json()) as { crawlId: string }).crawlId);
    const page = await dashboard.open('/');
    await page
      .getByRole('textbox', { name: 'Search your library, or paste an address to read' })
      .fill(`${url}?utm_source=letter#top`);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: /^You already have this/ });
    await dialog.getByText('It has the same address').waitFor();
    await dialog
      .getByRole('button', { name: /^Read again as version 2/ })
      .first()
      .click();
    await dialog.getByRole('button', { name: 'Read again as version 2' }).last().click();
    await expect.poll(async () => (await kept('&text=mill'))[0]?.versions).toBe(2);
    await expect.poll(() => fetched).toBeGreaterThan(1);
    expect(dashboard.complaints).toEqual([]);
  });

  test('the page of an item: a title, a highlight, a note, versions and their difference', async () => {
    await read(
      'wall.md',
      '# Sea wall\n\nThe old lime breathes with the wall.\n\nCement does not, and it cracks in winter.',
    );
    await expect.poll(async () => (await kept('&text=wall')).map(({ title }) => title)).toEqual(['Sea wall']);
    const [wall] = await kept('&text=wall');
    const page = await dashboard.open(`/items/${wall?.itemId}`);
    await page.getByRole('heading', { name: 'Sea wall', level: 1 }).first().waitFor();
    await page.locator('.block').first().waitFor();
    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: 'Title' }).fill('The wall of 2026');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'The wall of 2026' }).waitFor();

    const lime = page.locator('.block').filter({ hasText: 'The old lime' });
    await lime.locator('p').click({ clickCount: 3 });
    await page.getByRole('group', { name: 'Selected text' }).waitFor();
    await page.keyboard.press('h');
    await page.getByText('Notes, 1', { exact: true }).waitFor();
    await page.locator('.block').filter({ hasText: 'Cement' }).locator('p').click({ clickCount: 3 });
    await page.getByRole('group', { name: 'Selected text' }).waitFor();
    await page.keyboard.press('m');
    await page.getByRole('textbox', { name: 'Note' }).first().fill('Ask the kiln.');
    await page.keyboard.press('Enter');
    await page.getByText('Notes, 2', { exact: true }).waitFor();
    await page.getByText('Ask the kiln.').waitFor();
    await expect.poll(() => page.evaluate('CSS.highlights.get("own-note")?.size ?? 0')).toBe(2);
    await keepScreenshot(page, 'item-notes');
    await loadAxe(page);
    expect(await violations(page, 'light')).toEqual([]);

    // The same bytes under other options are a second version, which takes the title with it.
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Read again' }).click();
    await page.getByText('Version 2 of 2').waitFor();
    await page.getByRole('heading', { name: 'The wall of 2026' }).waitFor();
    await page.getByRole('button', { name: 'Compare with version 1' }).click();
    await page.getByText('Both versions have the same words.').waitFor();
    expect(dashboard.complaints).toEqual([]);
  });
});
