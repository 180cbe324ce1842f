/**
 * Tasks of the window's design, by keyboard alone: Tab and its way back, keys of the page, and what is typed. A mouse
 * is never used. Afterwards the focus is where the task began, or on what took its place.
 */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Item } from '../../src-server/features/library/schema.ts';
import { writePdf } from '../documents/pdf-writer.ts';
import { HAS_BROWSER } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { serveWith } from '../harness/local-site.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

let folder: string;
// Registered first, so that it runs last: the server of the dashboard writes into the folder until it ends.
afterAll(() => rm(folder, { recursive: true, force: true }));
const dashboard = useDashboard();

const COUNT = 24;

/** More stops than any page has before what a task needs. */
const STOPS_MAX = 150;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hands '));
  for (let number = 1; number <= COUNT; number += 1) {
    const name = String(number).padStart(2, '0');
    await read(`lamp-${name}.md`, `# Lamp ${name} of the quay\n\nThe keeper trimmed lamp ${name} at dusk. It burned.`);
  }
  await until(async () => (await listed()).length === COUNT);
});

async function read(name: string, bytes: string | Uint8Array, type = 'doc'): Promise<void> {
  const { owner } = dashboard.appliance;
  const answer = await owner(`/v1/extract/${type}`, { method: 'POST', body: fileForm(bytes, name) });
  await finished(owner, ((await answer.json()) as { jobId: string }).jobId);
}

const send = (path: string, method: string, body: object) =>
  dashboard.appliance.owner(path, { ...postJson(body), method });

async function listed(query = ''): Promise<Item[]> {
  const answer = await dashboard.appliance.owner(`/v1/library/items?sort=title&limit=200${query}`);
  return ((await answer.json()) as { items: Item[] }).items;
}

async function itemOf(text: string): Promise<Item> {
  const [item] = await listed(`&text=${encodeURIComponent(text)}`);
  if (item === undefined) throw new Error(`No item has the words ${text}.`);
  return item;
}

/** Waits until the page has its heading, shows no placeholder, and its texts stay the same. */
async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' });
  let before = '';
  await until(async () => {
    const now = await page.evaluate<string>('document.body.innerText');
    const waits = await page.evaluate<boolean>(`document.querySelector('.mantine-Skeleton-root') !== null`);
    const isSame = now === before && !waits;
    before = now;
    return isSame;
  });
}

async function open(path: string): Promise<Page> {
  const page = await dashboard.open(path);
  await settled(page);
  return page;
}

const openItem = async (text: string) => open(`/items/${(await itemOf(text)).itemId}`);

const hasFocus = (place: Locator) => place.evaluate((one) => one === one.ownerDocument.activeElement);

const press = (key: string, times = 1) => repeat(times, () => dashboard.page.keyboard.press(key));

const type = (words: string) => dashboard.page.keyboard.type(words);

async function repeat(times: number, act: () => Promise<void>): Promise<void> {
  for (let time = 0; time < times; time += 1) await act();
}

/** Goes to a control with the Tab key. What has the focus is seen: it has an outline, or a border that says so. */
async function tabTo(place: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await place.first().waitFor();
  for (let stop = 0; stop < STOPS_MAX; stop += 1) {
    await dashboard.page.keyboard.press(key);
    if (await hasFocus(place.first())) return;
  }
  throw new Error(`The Tab key does not reach ${String(place)}.`);
}

const focused = (place: Locator) => expect.poll(() => hasFocus(place.first()), { message: String(place) }).toBe(true);

const button = (name: string | RegExp) => dashboard.page.getByRole('button', { name, exact: typeof name === 'string' });

const link = (name: string | RegExp) => dashboard.page.getByRole('link', { name, exact: typeof name === 'string' });

describe.skipIf(!HAS_BROWSER)('by keyboard alone (needs chromium)', () => {
  test('find by half a phrase, and go on with what was begun', async () => {
    const stream = 'BT /F1 24 Tf 72 700 Td (Pilot book) Tj ET';
    await read('pilots.pdf', writePdf({ pages: [stream, stream, stream] }), 'pdf');
    const { itemId } = await itemOf('pilots');
    await send(`/v1/library/items/${itemId}`, 'PATCH', { position: { page: 2 } });
    const page = await open('/');
    await press('/');
    await type('trimmed lamp 07');
    await press('Enter');
    await page.locator('.found').first().waitFor();
    await press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Lamp 07 of the quay' }).waitFor();
    await press('g');
    await press('h');
    await tabTo(page.getByRole('region', { name: 'Continue' }).getByRole('link'));
    await press('Enter');
    await page.waitForURL(new RegExp(itemId));
  });

  test('add an address, and a file that is there already, which opens', async () => {
    await using site = await serveWith((request, answer) => {
      if (request.url === '/robots.txt') return answer.writeHead(404).end();
      return answer.writeHead(200, { 'content-type': 'text/html' }).end('<title>Moorings</title><p>Ten moorings.</p>');
    });
    const page = await open('/');
    await press('/');
    await type(`${site.url}/moorings`);
    await press('Enter');
    await expect.poll(async () => (await listed('&text=moorings'))[0]?.state).toBe('ready');
    await open('/');
    await press('a');
    await focused(page.getByRole('dialog').getByRole('textbox', { name: 'Paste an address or a text' }));
    const files = page.getByRole('dialog').getByRole('button', { name: 'Files' });
    await tabTo(files);
    const chosen = page.waitForEvent('filechooser');
    // The browser is told to give the dialog to the test.
    await page.evaluate('1');
    await press('Enter');
    const chooser = await chosen;
    const text = '# Lamp 09 of the quay\n\nThe keeper trimmed lamp 09 at dusk. It burned.';
    await chooser.setFiles({ name: 'lamp-09.md', mimeType: 'text/markdown', buffer: Buffer.from(text) });
    await tabTo(page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }));
    await press('Enter');
    await page.getByRole('dialog', { name: 'You already have this document' }).waitFor();
    await press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Lamp 09 of the quay' }).waitFor();
  });

  test('the list is heard: the focus follows its keys, and comes back from what they open', async () => {
    const page = await open('/library?q=Lamp&sort=title&view=list');
    await press('j', 3);
    await focused(link('Lamp 03 of the quay'));
    await press('k');
    await focused(link('Lamp 02 of the quay'));
    await press('F2');
    await focused(page.getByRole('dialog').getByRole('textbox'));
    await press('Escape');
    await focused(link('Lamp 02 of the quay'));
    await press('t');
    await focused(page.getByRole('textbox', { name: 'Tag 1 item' }));
    await press('Escape');
    await page.getByRole('textbox', { name: 'Tag 1 item' }).waitFor({ state: 'detached' });
    await focused(link('Lamp 02 of the quay'));
    await press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Lamp 02 of the quay' }).waitFor();
    await open('/library?q=Lamp&sort=title');
    await press('ArrowRight', 3);
    await focused(link('Lamp 03 of the quay'));
  });

  test('delete, and take it back: the next item has the focus, Ctrl Z brings the deleted one again', async () => {
    const page = await open('/library?q=Lamp&sort=title&view=list');
    await press('j', 4);
    await focused(link('Lamp 04 of the quay'));
    await press('Delete');
    await link('Lamp 04 of the quay').waitFor({ state: 'detached' });
    await focused(link('Lamp 05 of the quay'));
    await page.getByRole('alert').filter({ hasText: 'deleted' }).getByRole('button', { name: 'Undo' }).waitFor();
    await press('Control+z');
    await link('Lamp 04 of the quay').waitFor();
    expect((await listed('&text=Lamp')).length).toBe(COUNT);
  });

  test('tag five, and export twenty', async () => {
    const page = await open('/library?q=Lamp&sort=title&view=list');
    await press('j');
    await press('Shift+ArrowDown', 4);
    await page.getByText('5 selected').waitFor();
    await press('t');
    await focused(page.getByRole('textbox', { name: 'Tag 5 items' }));
    await type('brass');
    await press('Enter');
    await expect.poll(async () => (await listed('&tag=brass')).length).toBe(5);
    await press('Shift+ArrowDown', 15);
    await page.getByText('20 selected').waitFor();
    await press('e');
    await page.getByRole('dialog', { name: 'Export 20 items' }).waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), press('Enter')]);
    expect(file.suggestedFilename()).toBe('Library.zip');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await focused(link('Lamp 20 of the quay'));
  });

  test('save a filter as a smart collection', async () => {
    const page = await open('/library');
    const documents = button(/^Documents/);
    await tabTo(documents);
    await press('Enter');
    await page.waitForURL(/kind=document/);
    await focused(documents);
    await tabTo(button('Save as collection'), 'Shift+Tab');
    await press('Enter');
    await focused(page.getByRole('textbox', { name: 'Name' }));
    await type('All documents');
    await press('Enter');
    await page.getByRole('region', { name: 'Collections' }).getByRole('link', { name: 'All documents' }).waitFor();
  });

  test('rename, read again, compare versions', async () => {
    const page = await openItem('lamp-13');
    await tabTo(button('Rename'));
    await press('Enter');
    await focused(page.getByRole('textbox', { name: 'Title' }));
    await press('Escape');
    await focused(button('Rename'));
    await press('F2');
    await type('The thirteenth lamp');
    await press('Enter');
    await page.getByRole('heading', { level: 1, name: 'The thirteenth lamp' }).waitFor();
    await focused(button('Rename'));
    await press('r');
    await page.getByText('Version 2 of 2').waitFor();
    await press('v');
    await page.waitForURL(/\/compare/);
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  test('correct a passage, and note on a sentence of it', async () => {
    const page = await openItem('lamp-15');
    const passage = button('Passage 1: correct, note or copy');
    await tabTo(passage);
    await press('Enter');
    const bar = page.getByRole('group', { name: 'Selected text' });
    await focused(bar.getByRole('button'));
    await press('Escape');
    await bar.waitFor({ state: 'detached' });
    await focused(passage);
    await press('Enter');
    await focused(bar.getByRole('button'));
    await press('e');
    await focused(page.getByLabel('What it should say'));
    await press('Control+End');
    await type(' It went out.');
    await press('Control+Enter');
    await page.getByText('Corrected in all files').waitFor();
    await page.locator('.block').filter({ hasText: 'It went out.' }).waitFor();
    await focused(passage);
    await press('Enter');
    await focused(bar.getByRole('button'));
    await press('ArrowRight', 2);
    await expect.poll(() => page.evaluate('getSelection().toString()')).toBe('The keeper trimmed lamp 15 at dusk.');
    await press('m');
    await focused(page.getByRole('textbox', { name: 'Note' }));
    await type('Which lamp?');
    await press('Enter');
    const note = page.getByRole('listitem').filter({ hasText: 'Which lamp?' });
    await note.waitFor();
    await note.getByText('The keeper trimmed lamp 15 at dusk.').waitFor();
    await focused(passage);
  });

  test('listen to a document', async () => {
    const page = await openItem('lamp-17');
    await tabTo(button('Listen'));
    await press('Enter');
    const player = page.getByRole('region', { name: 'Read aloud' });
    await tabTo(player.getByRole('button', { name: 'Close the player' }));
    await press('Enter');
    await player.waitFor({ state: 'detached' });
    await focused(button('Listen'));
  });

  test('ask the library', async () => {
    const page = await open('/search');
    await press('/');
    await focused(page.getByRole('searchbox', { name: 'Search everything' }));
    await type('When was lamp 08 trimmed?');
    await tabTo(button('Ask'));
    await press('Enter');
    await page.waitForURL(/ask=1/);
  });

  test('speak a text', async () => {
    const page = await open('/');
    await press('g');
    await press('m');
    await tabTo(page.getByRole('textbox', { name: 'What should be said?' }));
    await type('Die Flut kommt am Mittag.');
    await press('Control+Enter');
    await expect.poll(async () => (await listed('&kind=sound')).length).toBe(1);
  });

  test('back up now, and free the disk', async () => {
    const backupFolder = join(folder, 'backups');
    expect((await send('/admin/settings', 'PATCH', { backupFolder })).status).toBe(200);
    const page = await open('/');
    await press('g');
    await press('e');
    await tabTo(button('Back up now'));
    await press('Enter');
    await expect.poll(async () => (await readdir(backupFolder).catch(() => [])).length).toBeGreaterThan(0);
    await button(/^Bring back quarry-/)
      .first()
      .waitFor();
    await tabTo(page.getByRole('checkbox', { name: /^Choose / }), 'Shift+Tab');
    await press('Space');
    await tabTo(button(/^Free .* delete 1 item$/));
    await press('Enter');
    await page.getByText('Deleted, still here').waitFor();
  });

  test('connect Cursor', async () => {
    const page = await open('/settings');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await tabTo(link(/^Connections/));
    await press('Enter');
    const tabs = page.getByRole('tab');
    await tabTo(page.getByRole('tab', { selected: true }));
    const count = await tabs.count();
    const cursor = page.getByRole('tab', { name: 'Cursor' });
    for (let step = 0; step < count && !(await hasFocus(cursor)); step += 1) await press('ArrowRight');
    await focused(cursor);
    await tabTo(button('Copy with a new key'));
    await press('Enter');
    await page.getByText('Copied, with the key “Cursor (MCP)”. The key is shown this once.').waitFor();
  });

  test('start a folder for a notes program', async () => {
    const vault = join(folder, 'vault');
    await mkdir(vault);
    const page = await open('/library?q=Lamp');
    await press('Control+a');
    await page.getByText(/^\d+ selected$/).waitFor();
    await press('e');
    await page.getByRole('dialog', { name: /^Export/ }).waitFor();
    await tabTo(button(/^A folder that stays in step/));
    await press('Enter');
    await focused(page.getByLabel('Folder', { exact: true }));
    await type(vault);
    await press('Enter');
    await expect
      .poll(async () => (await readdir(vault)).filter((name) => name.endsWith('.md')).length)
      .toBeGreaterThan(9);
  });
});
