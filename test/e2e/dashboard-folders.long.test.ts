/** Watched folders and feeds in the window: each is added, and what came of it appears by itself. */
import { mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { useDashboard } from '../harness/dashboard.ts';
import { serveWith } from '../harness/local-site.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'quarry scans ')));
// Registered first, so that it runs last: the server of the dashboard writes into the folder until it ends.
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const dashboard = useDashboard();

const shots = process.env.QUARRY_SHOTS;

async function shoot(name: string): Promise<void> {
  if (shots !== undefined) await dashboard.page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}

test('a folder is added from the form; its files and its absence show by themselves', async () => {
  const page = await dashboard.open('/watches');
  await page.getByText('No watched folders').waitFor();
  await page.getByRole('button', { name: 'Watch a folder' }).click();
  await page.getByRole('textbox', { name: 'Folder' }).fill('scans');
  await page.getByRole('button', { name: 'Watch', exact: true }).click();
  await page.getByText('Give the absolute path of a folder.').waitFor();
  await page.getByRole('textbox', { name: 'Folder' }).fill(folder);
  await page.getByRole('textbox', { name: 'Only these kinds' }).fill('txt, .docx');
  await shoot('folder-form');
  await page.getByRole('button', { name: 'Watch', exact: true }).click();
  await page.getByRole('link', { name: basename(folder) }).click();
  await page.getByText('No file has been read').waitFor();

  writeFileSync(join(folder, 'harbour.txt'), 'The harbour opens at six.');
  writeFileSync(join(folder, 'broken.docx'), Buffer.from([0x50, 0x4b, 3, 4, 9, 9]));
  await page.getByRole('link', { name: 'harbour.txt' }).waitFor();
  await page.getByText('Done', { exact: true }).waitFor();
  await page.getByText('Failed', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Read failed files again' }).waitFor();
  await shoot('folder-page');
  await page.getByRole('link', { name: 'harbour.txt' }).click();
  await page.getByRole('link', { name: 'Watched folder' }).click();

  renameSync(folder, `${folder} away`);
  await page.getByText('Not there', { exact: true }).waitFor();
  renameSync(`${folder} away`, folder);
  await page.getByText('Watching', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'What becomes of each file' }).click();
  await page.getByRole('option', { name: 'Read PDFs' }).click();
  await dialog.getByRole('button', { name: 'Options' }).click();
  await dialog.getByRole('textbox', { name: 'Segment length' }).fill('300');
  await shoot('folder-change');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Read PDFs').waitFor();
  await page.goto(`${dashboard.appliance.url}/watches`);
  await page.getByText('1 done, 1 failed').waitFor();
  await shoot('watches');

  await page.getByRole('link', { name: basename(folder) }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No watched folders').waitFor();
  // The browser reports the refused form, and what is asked of a watch that is being deleted.
  expect(dashboard.complaints.filter((said) => !said.startsWith('Failed to load resource'))).toEqual([]);
});

test('a feed is followed from the form; its entries show by themselves', async () => {
  await using site = await serveWith((request, response) => {
    const item = '<item><title>The tide</title><guid>t1</guid><link>/tide</link></item>';
    const feed = `<rss version="2.0"><channel><title>Harbour news</title>${item}</channel></rss>`;
    response.writeHead(200, { 'content-type': request.url === '/feed' ? 'application/rss+xml' : 'text/html' });
    response.end(request.url === '/feed' ? feed : '<title>Tide</title><main><p>The tide comes at noon.</p></main>');
  });
  const page = await dashboard.open('/watches');
  await page.getByText('No feeds').waitFor();
  await page.getByRole('button', { name: 'Follow a feed' }).click();
  await page.getByRole('textbox', { name: 'Feed', exact: true }).fill(`${site.url}/feed`);
  await page.getByRole('combobox', { name: 'What becomes of each entry' }).click();
  await page.getByRole('option', { name: 'Read documents' }).click();
  await shoot('feed-form');
  await page.getByRole('button', { name: 'Follow', exact: true }).click();
  await page.getByText('1 done').waitFor();
  await shoot('watches-feeds');
  await page.getByRole('link', { name: 'Harbour news' }).click();
  await page.getByRole('link', { name: 'The tide' }).waitFor();
  await shoot('feed-page');
  await page.getByRole('link', { name: 'The tide' }).click();
  await page.getByRole('link', { name: 'Feed', exact: true }).click();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  expect(dashboard.complaints).toEqual([]);
});
