/** How long things are kept, what makes the disk smaller, and what narrows lists by date, in the window. */
import { describe, expect, test } from 'vitest';
import type { DiskUse } from '../../src-server/features/disk/schema.ts';
import type { Item, ItemCounts } from '../../src-server/features/library/schema.ts';
import { loadAxe, violations } from '../harness/axe.ts';
import { HAS_BROWSER, keepScreenshot } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { postJson } from '../harness/text-models.ts';

const dashboard = useDashboard();

const json = async <Value>(path: string, init?: RequestInit) =>
  (await (await dashboard.appliance.owner(path, init)).json()) as Value;

const listed = async () => (await json<{ items: Item[] }>('/v1/library/items?sort=title')).items;

const originals = async () => (await json<ItemCounts>('/v1/library/counts')).sizes[0]?.originals;

/** Two items with one passage in common, and one of its own. */
async function keepThree(): Promise<Item[]> {
  if ((await listed()).length === 3) return listed();
  const copy = (number: number) =>
    `# Ferry rules\n\nThe ferry leaves at the bell.\n\n# Rest\n\n${`Rule ${number} of the rest. `.repeat(40)}`;
  const files = { 'ferry-1.md': copy(1), 'ferry-2.md': copy(2), 'tolls.md': '# Tolls\n\nA ferry pays no toll.' };
  for (const [name, text] of Object.entries(files)) {
    const body = fileForm(text, name, { 'options.segmentLength': '100' });
    const { jobId } = await json<{ jobId: string }>('/v1/extract/doc', { method: 'POST', body });
    await finished(dashboard.appliance.owner, jobId);
  }
  await expect.poll(async () => (await listed()).every(({ bytes }) => bytes !== null)).toBe(true);
  return listed();
}

describe.skipIf(!HAS_BROWSER)('keeping and narrowing (needs chromium)', () => {
  test('terms are saved at once, with Undo; originals go by kind, and the item says so', async () => {
    const [item] = await keepThree();
    const page = await dashboard.open('/settings/storage');
    const setting = async (name: string) => (await json<Record<string, unknown>>('/admin/settings'))[name];
    await page.getByText('Until you delete them. Nothing in the Library expires.').waitFor();
    await page.getByRole('combobox', { name: 'Deleted items' }).click();
    await page.getByRole('option', { name: '90 days' }).click();
    await expect.poll(() => setting('deletedDays')).toBe(90);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => setting('deletedDays')).toBe(30);
    await page.getByRole('combobox', { name: 'Original files' }).click();
    await page.getByRole('option', { name: 'Keep only for talks' }).click();
    await expect.poll(() => setting('originals')).toBe('talks');
    await keepScreenshot(page, 'keeping');
    await loadAxe(page);
    expect(await violations(page, 'light')).toEqual([]);
    expect(await originals()).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Make smaller: Documents' }).click();
    await page.getByRole('button', { name: 'Delete the original files' }).click();
    await page.getByText(/ freed$/).waitFor();
    await expect.poll(originals).toBe(0);
    await page.getByRole('button', { name: 'Make smaller: Documents' }).waitFor({ state: 'detached' });
    await dashboard.open(`/items/${item?.itemId}`);
    await page.getByText('Original not kept').waitFor();
    await page.locator('.block').getByText('The ferry leaves at the bell.').first().waitFor();
    // Reading again asks for the file.
    await page.getByRole('button', { name: 'More actions', exact: true }).click();
    const again = page.getByRole('menuitem', { name: 'Read again' });
    const [choice] = await Promise.all([page.waitForEvent('filechooser'), again.click()]);
    await choice.setFiles({
      name: 'quay.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from('# Quay rules\n\nNew.'),
    });
    await page
      .getByText(/version 2/i)
      .first()
      .waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  test('Search names copies and narrows by month and by days; the list names collections', async () => {
    const items = await keepThree();
    const page = await dashboard.open('/search?q=ferry');
    await page.getByText('Same text in 1 copy').waitFor();
    expect(await page.getByRole('article').count()).toBe(2);
    await page.getByRole('button', { name: 'Show them' }).click();
    await page.locator('.found-copies').getByRole('link', { name: 'Ferry rules' }).waitFor();
    await loadAxe(page);
    expect(await violations(page, 'light')).toEqual([]);
    const added = page.getByRole('group', { name: 'Added', exact: true });
    await added.getByRole('button', { name: /^Last 7 days\s*3$/ }).click();
    await page.waitForURL(/from=/);
    await added.getByRole('button', { name: /: 3 items$/ }).click();
    await page.waitForURL(/to=/);
    await page.getByText('Added until').waitFor();
    await added.getByRole('button', { name: 'Last day' }).click();
    await page.getByRole('button', { name: 'Previous year' }).click();
    await page.locator('[data-day$="-01"]').click();
    await page.getByText('0 items').first().waitFor();

    const { collectionId } = await json<{ collectionId: string }>(
      '/v1/library/collections',
      postJson({ name: 'Quay' }),
    );
    await json('/v1/library/changes', postJson({ items: [items[0]?.itemId], addTo: [collectionId] }));
    await page.setViewportSize({ width: 1440, height: 900 });
    await dashboard.open('/library?view=list&sort=title');
    await page.getByRole('columnheader', { name: 'Collection' }).waitFor();
    await page.locator('.item-collection').getByText('Quay').waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  test('the disk bar has a part for results of callers, with the way to their term', async () => {
    await keepThree();
    const { key } = await json<{ key: string }>('/admin/keys', postJson({ name: 'Feeder', scopes: ['run'] }));
    const body = fileForm(`# Nets\n\n${'Mended nets. '.repeat(5000)}`, 'nets.md');
    const headers = { authorization: `Bearer ${key}` };
    const called = await fetch(`${dashboard.appliance.baseUrl}/extract/doc`, { method: 'POST', body, headers });
    const { jobId } = (await called.json()) as { jobId: string };
    await finished(dashboard.appliance.owner, jobId);
    const page = await dashboard.open('/settings/storage');
    const parts = page.getByRole('list', { name: 'Disk used' }).getByRole('listitem');
    await parts.filter({ hasText: 'Results of API callers' }).waitFor();
    const { bytes } = await json<DiskUse>('/admin/disk');
    expect(bytes).toBeGreaterThan(0);
    await page.getByText(/^All [\d.,]+ .?B of the data folder, by what it is\.$/).waitFor();
    await parts.filter({ hasText: 'Database' }).waitFor();
    await keepScreenshot(page, 'disk');
    await page.getByRole('link', { name: /^Deleted after 3 days\./ }).click();
    await expect.poll(() => page.url()).toMatch(/#results-of-api-callers$/);
    await page.setViewportSize({ width: 400, height: 800 });
    await keepScreenshot(page, 'disk-400');
    await loadAxe(page);
    expect(await violations(page, 'light')).toEqual([]);
    expect(dashboard.complaints).toEqual([]);
  });

  test('data and models: the path is copied, a move is asked for, refused with a sentence and taken back', async () => {
    const page = await dashboard.open('/settings/storage');
    const home = dashboard.appliance.dataDir;
    const rows = page.getByRole('list', { name: 'Where data and models live' }).getByRole('listitem');
    await rows.filter({ hasText: 'Library and data' }).getByText(home, { exact: true }).waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy path: Library and data' }).click();
    await page.getByText('The path is copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(home);
    const move = page.getByRole('button', { name: 'Move…: Library and data' });
    await move.press('Enter');
    const field = page.getByRole('textbox', { name: 'New folder' });
    await field.fill('data');
    await field.press('Enter');
    await page.getByText('Give the absolute path of a folder.').waitFor();
    await loadAxe(page);
    expect(await violations(page, 'light')).toEqual([]);
    await keepScreenshot(page, 'move');
    const to = `${home} on a large disk`;
    await field.fill(to);
    await field.press('Enter');
    await page.getByText(`Moves to ${to} when Quarry starts again.`).waitFor();
    await keepScreenshot(page, 'move-asked');
    await page.setViewportSize({ width: 400, height: 800 });
    await keepScreenshot(page, 'move-400');
    await page.getByRole('button', { name: 'Do not move' }).click();
    await page.getByText(`Moves to ${to}`).waitFor({ state: 'detached' });
    // The shell's bridge shows the folder instead.
    const shown: string[] = [];
    await page.exposeFunction('showFolderForTest', (path: string) => shown.push(path));
    await page.addInitScript('window.quarry = { showFolder: (path) => window.showFolderForTest(path) };');
    await dashboard.open('/settings/storage');
    await page.getByRole('button', { name: 'Show folder: Models' }).click();
    await expect.poll(() => shown).toEqual([`${home}/models`]);
    expect(dashboard.complaints.filter((said) => !said.includes('400 (Bad Request)'))).toEqual([]);
  });

  test('the list shows the columns that are chosen, by keyboard, and keeps them in this browser', async () => {
    const tolls = (await keepThree()).find(({ title }) => title === 'Tolls');
    const english = { ...postJson({ language: 'en' }), method: 'PATCH' };
    await json(`/v1/library/items/${tolls?.itemId}`, english);
    await dashboard.openApart();
    const { page } = dashboard;
    await page.setViewportSize({ width: 1440, height: 900 });
    await dashboard.open('/library?view=list&sort=title');
    page.setDefaultTimeout(30_000);
    const heads = async () => (await page.getByRole('columnheader').allTextContents()).filter((text) => text !== '');
    await expect.poll(heads).toEqual(['Title', 'Length', 'Tags', 'Collection', 'Source', 'Added']);
    await page.getByRole('button', { name: 'Columns' }).press('Enter');
    await page.getByRole('menuitemcheckbox', { name: 'Size', checked: false }).press('Enter');
    await page.getByRole('menuitemcheckbox', { name: 'Size', checked: true }).waitFor();
    await page.getByRole('menuitemcheckbox', { name: 'Language' }).press('Enter');
    await page.getByRole('menuitemcheckbox', { name: 'Tags' }).press('Enter');
    await keepScreenshot(page, 'columns');
    await loadAxe(page);
    expect(await violations(page, 'light')).toEqual([]);
    await page.keyboard.press('Escape');
    const chosen = ['Title', 'Length', 'Collection', 'Language', 'Source', 'Size', 'Added'];
    await expect.poll(heads).toEqual(chosen);
    const link = page.locator(`a[href*="${tolls?.itemId}"]`);
    const cells = page.getByRole('row').filter({ has: link }).getByRole('cell');
    await expect.poll(() => cells.nth(4).textContent()).toBe('English');
    expect(await cells.nth(6).textContent()).toMatch(/^[\d.]+ kB$/);
    await page.reload();
    await expect.poll(heads).toEqual(chosen);
    // What has no room goes, the title stays.
    await page.setViewportSize({ width: 900, height: 900 });
    await expect.poll(async () => (await heads()).length).toBeLessThan(chosen.length);
    expect(await heads()).toContain('Title');
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await page.setViewportSize({ width: 400, height: 800 });
    await page.getByRole('link', { name: 'Tolls' }).waitFor();
    await keepScreenshot(page, 'columns-400');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitem', { name: 'Usual columns' }).click();
    await expect.poll(heads).toEqual(['Title', 'Length', 'Tags', 'Collection', 'Source', 'Added']);
    expect(dashboard.complaints).toEqual([]);
  });

  test('an item names related ones with why, and says when there are none', async () => {
    const read = async (title: string, text: string) => {
      const body = fileForm(`# ${title}\n\n${text}`, `${title}.md`);
      const { jobId } = await json<{ jobId: string }>('/v1/extract/doc', { method: 'POST', body });
      await finished(dashboard.appliance.owner, jobId);
      const found = () => json<{ items: Item[] }>(`/v1/library/lookup?job=${jobId}`);
      await expect.poll(async () => (await found()).items[0]?.excerpt ?? null).not.toBeNull();
      return (await found()).items[0]?.itemId;
    };
    const works = await read('Coastal works', 'The masonry of the slipway.');
    await read('Divers report', 'The slipway lost some masonry.');
    const alone = await read('Umbrellas', 'They keep the rain away.');
    await dashboard.openApart();
    const { page } = dashboard;
    await page.setViewportSize({ width: 1440, height: 900 });
    await dashboard.open(`/items/${works}?pane=about`);
    const related = page.getByRole('region', { name: 'Related' });
    await related.getByText(/Both say .*(slipway|masonry)/).waitFor();
    await keepScreenshot(page, 'related');
    await loadAxe(page);
    expect(await violations(page, 'light')).toEqual([]);
    await related.getByRole('link', { name: 'Divers report' }).press('Enter');
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toContain('Divers report');
    await dashboard.open(`/items/${alone}?pane=about`);
    await related.getByText('Nothing near in the library.').waitFor();
    expect(dashboard.complaints).toEqual([]);
  });
});
