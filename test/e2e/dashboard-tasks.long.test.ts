/**
 * What owners do most, with counted actions: a click, a key, or a group of typed characters with its Enter. The most
 * actions are those of the design of the window; where a keyboard alone is used, it is said.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Item } from '../../src-server/features/library/schema.ts';
import { writePdf } from '../documents/pdf-writer.ts';
import { HAS_BROWSER, newWindow } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { DEVICE_HOST, openDeviceDoor } from '../harness/linked-device.ts';
import { serveWith } from '../harness/local-site.ts';
import { postJson } from '../harness/text-models.ts';
import { startTextServer, type TextServer } from '../harness/text-server.ts';

const LIT = 'The keeper trimmed lamp 11 at dusk.';

let texts: TextServer;
const dashboard = useDashboard(async () => {
  texts = await startTextServer((prompt) => ({ quotes: [{ passage: passageWith(prompt, LIT), quote: LIT }] }));
  return { knownTextServers: [texts.url], networkAddresses: () => [DEVICE_HOST] };
});
afterAll(() => texts[Symbol.asyncDispose]());

/** The number of the passage that has these words in a prompt. */
function passageWith(prompt: string, words: string): number {
  const before = prompt.slice(0, prompt.indexOf(words));
  return Number([...before.matchAll(/^\[(\d+)\]$/gm)].at(-1)?.[1] ?? 1);
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tasks '));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Counts what a person does. */
class Hand {
  readonly page: Page;
  actions = 0;

  constructor(page: Page) {
    this.page = page;
  }

  async click(place: Locator, modifiers: ('Shift' | 'Control')[] = []): Promise<void> {
    this.actions += 1;
    await place.click({ modifiers });
  }

  async press(key: string): Promise<void> {
    this.actions += 1;
    await this.page.keyboard.press(key);
  }

  /** One group: an optional key before, characters, and an optional key after. */
  async type(characters: string, { before, after }: { before?: string; after?: string } = {}): Promise<void> {
    this.actions += 1;
    if (before !== undefined) await this.page.keyboard.press(before);
    await this.page.keyboard.type(characters);
    if (after !== undefined) await this.page.keyboard.press(after);
  }
}

const listed = async (query = '') => {
  const answer = await dashboard.appliance.owner(`/v1/library/items?sort=title&limit=200${query}`);
  return ((await answer.json()) as { items: Item[] }).items;
};

async function read(name: string, bytes: string | Uint8Array, type = 'doc'): Promise<void> {
  const { owner } = dashboard.appliance;
  const answer = await owner(`/v1/extract/${type}`, { method: 'POST', body: fileForm(bytes, name) });
  await finished(owner, ((await answer.json()) as { jobId: string }).jobId);
}

const send = (path: string, method: string, body: object) =>
  dashboard.appliance.owner(path, { ...postJson(body), method });

const COUNT = 24;

async function keepLibrary(): Promise<void> {
  if ((await listed()).length >= COUNT) return;
  for (let number = 1; number <= COUNT; number += 1) {
    const name = String(number).padStart(2, '0');
    await read(
      `lamp-${name}.md`,
      `# Lamp ${name} of the quay\n\nThe keeper trimmed lamp ${name} at dusk.\n\nIt burned.`,
    );
  }
  await expect.poll(async () => (await listed()).length).toBeGreaterThanOrEqual(COUNT);
}

/** Opens a page and waits for its heading. */
async function begin(path: string): Promise<{ page: Page; hand: Hand }> {
  await keepLibrary();
  const page = await dashboard.open(path);
  await page.locator('h1').first().waitFor({ state: 'attached' });
  if (path === '/') await page.locator('.home-day').first().waitFor();
  return { page, hand: new Hand(page) };
}

async function openItem(text: string): Promise<{ page: Page; hand: Hand; item: Item }> {
  await keepLibrary();
  const [item] = await listed(`&text=${encodeURIComponent(text)}`);
  const opened = await begin(`/items/${item?.itemId}`);
  await opened.page.locator('.block').first().waitFor();
  return { ...opened, item: item as Item };
}

const cards = (page: Page) => page.locator('.card-title');

const chooser = (page: Page) => page.getByRole('checkbox', { name: /^Choose Lamp/ }).first();

describe.skipIf(!HAS_BROWSER)('tasks with counted actions (needs chromium)', () => {
  test('find last month’s words by half a phrase: 2, by keyboard', async () => {
    const { page, hand } = await begin('/');
    await page
      .getByRole('region', { name: /^Added/ })
      .first()
      .waitFor();
    await hand.type('trimmed lamp 07', { before: '/', after: 'Enter' });
    await page.locator('.found').first().waitFor();
    await hand.press('Enter');
    await page.waitForURL(/\/items\/itm_/);
    await page.getByRole('heading', { level: 1, name: 'Lamp 07 of the quay' }).waitFor();
    expect(hand.actions).toBeLessThanOrEqual(2);
  });

  test('go on with what was begun: 1', async () => {
    await keepLibrary();
    const page1 = 'BT /F1 24 Tf 72 700 Td (Pilot book) Tj ET';
    await read('pilots.pdf', writePdf({ pages: [page1, page1, page1] }), 'pdf');
    await expect.poll(async () => (await listed('&text=pilots')).length).toBe(1);
    const [book] = await listed('&text=pilots');
    await send(`/v1/library/items/${book?.itemId}`, 'PATCH', { position: { page: 2 } });
    const { page, hand } = await begin('/');
    await hand.click(page.getByRole('region', { name: 'Continue' }).getByRole('link').first());
    await page.waitForURL(new RegExp(book?.itemId ?? '-'));
    expect(hand.actions).toBe(1);
  });

  test('add an address: 1, by keyboard; an address that is there opens with Enter: 2', async () => {
    await using site = await serveWith((request, answer) => {
      if (request.url === '/robots.txt') return answer.writeHead(404).end();
      return answer.writeHead(200, { 'content-type': 'text/html' }).end('<title>Moorings</title><p>Ten moorings.</p>');
    });
    const { page, hand } = await begin('/');
    await hand.type(`${site.url}/moorings`, { before: '/', after: 'Enter' });
    await expect.poll(async () => (await listed('&text=moorings'))[0]?.state).toBe('ready');
    expect(hand.actions).toBe(1);
    await dashboard.open('/');
    await page
      .getByRole('region', { name: /^Added/ })
      .first()
      .waitFor();
    hand.actions = 0;
    await hand.type(`${site.url}/moorings`, { before: '/', after: 'Enter' });
    await page.getByRole('dialog', { name: /^You already have this/ }).waitFor();
    await hand.press('Enter');
    await page.waitForURL(/\/items\/itm_/);
    expect(hand.actions).toBe(2);
  });

  test('export twenty: 3; tag five: 3; delete and take it back: 2', async () => {
    const { page, hand } = await begin('/library?q=Lamp&sort=title&view=list');
    await hand.click(chooser(page));
    await hand.click(page.locator('[data-item="19"] [role="cell"]').nth(2), ['Shift']);
    await page.getByText('20 selected').waitFor();
    hand.actions += 1;
    await page.keyboard.press('e');
    await page.getByRole('dialog', { name: 'Export 20 items' }).waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    expect([file.suggestedFilename(), hand.actions]).toEqual(['Library.zip', 3]);

    await dashboard.open('/library?q=Lamp&sort=title&view=list');
    hand.actions = 0;
    await hand.click(chooser(page));
    await hand.click(page.locator('[data-item="4"] [role="cell"]').nth(2), ['Shift']);
    await page.getByText('5 selected').waitFor();
    hand.actions += 1;
    await page.keyboard.press('t');
    await page.getByRole('textbox', { name: 'Tag 5 items' }).waitFor();
    await page.keyboard.type('brass');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await listed('&tag=brass')).length).toBe(5);
    expect(hand.actions).toBe(3);

    await page.getByRole('textbox', { name: 'Tag 5 items' }).waitFor({ state: 'detached' });
    hand.actions = 0;
    await hand.press('Delete');
    await expect.poll(async () => (await listed('&tag=brass')).length).toBe(0);
    await hand.click(page.getByRole('alert').filter({ hasText: 'deleted' }).getByRole('button', { name: 'Undo' }));
    await expect.poll(async () => (await listed('&tag=brass')).length).toBe(5);
    expect(hand.actions).toBe(2);
  });

  test('five are tagged, and all are exported, by keyboard alone', async () => {
    const { page, hand } = await begin('/library?q=Lamp&sort=title&view=list');
    await chooser(page).waitFor();
    await hand.press('j');
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('Shift+ArrowDown');
    hand.actions += 1;
    await page.getByText('5 selected').waitFor();
    hand.actions += 1;
    await page.keyboard.press('t');
    await page.getByRole('textbox', { name: 'Tag 5 items' }).waitFor();
    await page.keyboard.type('wick');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await listed('&tag=wick')).length).toBe(5);
    expect(hand.actions).toBe(3);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    hand.actions = 0;
    await hand.press('Control+a');
    await page.getByText(/^\d+ selected$/).waitFor();
    hand.actions += 1;
    await page.keyboard.press('e');
    await page.getByRole('dialog', { name: /^Export/ }).waitFor();
    await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    expect(hand.actions).toBe(2);
  });

  test('a filter becomes a collection: 2', async () => {
    const { page, hand } = await begin('/library?q=Lamp&kind=document');
    await hand.click(page.getByRole('button', { name: 'Save', exact: false }).last());
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
    await hand.type('All lamps', { after: 'Enter' });
    await page
      .getByRole('region', { name: 'Collections' })
      .getByRole('link', { name: /^All lamps/ })
      .waitFor();
    expect(hand.actions).toBe(2);
  });

  test('rename: 2; read again: 1 after opening; compare: 1 after opening', async () => {
    const { page, hand, item } = await openItem('Lamp 03');
    await hand.press('F2');
    await page.getByRole('textbox', { name: 'Title' }).waitFor();
    await page.keyboard.press('Control+a');
    await hand.type('The third lamp', { after: 'Enter' });
    await page.getByRole('heading', { name: 'The third lamp' }).waitFor();
    expect(hand.actions).toBe(2);
    hand.actions = 0;
    await hand.press('r');
    await page.getByText('Version 2 of 2').waitFor();
    expect(hand.actions).toBe(1);
    await dashboard.open(`/items/${item.itemId}`);
    hand.actions = 0;
    await hand.click(page.getByRole('button', { name: 'Compare with version 1' }));
    await page.waitForURL(/\/compare/);
    expect(hand.actions).toBe(1);
  });

  test('correct a sentence, and note on one: 3 each', async () => {
    const { page, hand } = await openItem('Lamp 05');
    const sentence = page.locator('.block').filter({ hasText: 'trimmed' }).locator('p');
    const select = async () => {
      await sentence.click({ clickCount: 3 });
      hand.actions += 1;
      await page.getByRole('group', { name: 'Selected text' }).waitFor();
    };
    await select();
    hand.actions += 1;
    await page.keyboard.press('m');
    await page.getByRole('textbox', { name: 'Note' }).first().waitFor();
    await hand.type('Ask for oil.', { after: 'Enter' });
    await page.getByText('Ask for oil.').waitFor();
    expect(hand.actions).toBe(3);
    hand.actions = 0;
    await select();
    hand.actions += 1;
    await page.keyboard.press('e');
    await page.getByLabel('What it should say').waitFor();
    await page.keyboard.press('Control+a');
    await hand.type('The keeper lit lamp 05 at dusk.', { after: 'Control+Enter' });
    await page.getByText('Corrected in all files').waitFor();
    expect(hand.actions).toBe(3);
  });

  test('drop what is there, and open it: 2', async () => {
    const { page, hand } = await begin('/');
    const text = '# Lamp 09 of the quay\n\nThe keeper trimmed lamp 09 at dusk.\n\nIt burned.';
    const dataTransfer = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(text)}], 'lamp-09.md'));
      return data;
    })()`);
    hand.actions += 1;
    await page.dispatchEvent('main', 'drop', { dataTransfer });
    await page.getByRole('dialog', { name: 'You already have this document' }).waitFor();
    await hand.press('Enter');
    await page.waitForURL(/\/items\/itm_/);
    expect(hand.actions).toBe(2);
  });

  test('back up now: 2; bring a backup back: 3, and cancel: 1', async () => {
    const backupFolder = join(folder, 'backups');
    expect((await send('/admin/settings', 'PATCH', { backupFolder })).status).toBe(200);
    const { page, hand } = await begin('/');
    await hand.click(page.getByRole('link', { name: 'Settings', exact: true }));
    await hand.click(page.getByRole('button', { name: 'Back up now' }));
    await expect.poll(async () => (await readdir(backupFolder).catch(() => [])).length).toBeGreaterThan(0);
    const back = page.getByRole('button', { name: /^Bring back quarry-/ }).first();
    await back.waitFor();
    expect(hand.actions).toBe(2);
    hand.actions = 0;
    await hand.click(back);
    await hand.click(page.getByRole('dialog').getByRole('button', { name: 'Check it and bring it back' }));
    await page.getByText(/is ready\. Quit Quarry and start it again/).waitFor();
    expect(hand.actions).toBe(2);
    hand.actions = 0;
    await hand.click(page.getByRole('button', { name: 'Keep what is here' }));
    await page.getByText(/is ready\. Quit Quarry/).waitFor({ state: 'detached' });
    expect(hand.actions).toBe(1);
  });

  test('free the disk: 3; connect Cursor: 4', async () => {
    const { page, hand } = await begin('/');
    await hand.click(page.getByRole('link', { name: 'Settings', exact: true }));
    await hand.click(page.getByRole('checkbox', { name: /^Choose / }).first());
    await hand.click(page.getByRole('button', { name: /^Free .* delete 1 item$/ }));
    await page.getByText('Deleted, still here').waitFor();
    expect(hand.actions).toBe(3);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await dashboard.open('/');
    hand.actions = 0;
    await hand.click(page.getByRole('link', { name: 'Settings', exact: true }));
    await hand.click(page.getByRole('link', { name: /^Connections/ }));
    await hand.click(page.getByText('Cursor', { exact: true }));
    await hand.click(page.getByRole('button', { name: 'Copy with a new key' }));
    await page.getByText('Copied, with the key “Cursor (MCP)”. The key is shown this once.').waitFor();
    expect(hand.actions).toBe(4);
  });

  test('a folder for a notes program: 4, and it is followed in the settings', async () => {
    const { mkdir } = await import('node:fs/promises');
    const vault = join(folder, 'vault');
    await mkdir(vault);
    const { page, hand } = await begin('/library?q=Lamp');
    await cards(page).first().waitFor();
    await hand.press('Control+a');
    await page.getByText(/^\d+ selected$/).waitFor();
    await hand.press('e');
    await hand.click(page.getByRole('button', { name: /^A folder that stays in step/ }));
    await hand.type(vault, { after: 'Enter' });
    await expect
      .poll(async () => (await readdir(vault)).filter((name) => name.endsWith('.md')).length)
      .toBeGreaterThan(9);
    expect(hand.actions).toBe(4);
    await dashboard.open('/settings/storage');
    await page.getByText(vault).waitFor();
    await page.getByText(/^In step, last written/).waitFor();
    await page.getByRole('button', { name: `Stop following ${vault}. Its files stay` }).click();
    await page.getByText('There is none. Select items in the Library').waitFor();
    expect((await readdir(vault)).length).toBeGreaterThan(9);
  });

  test('speak a text: 3', async () => {
    const { page, hand } = await begin('/');
    await hand.click(page.getByRole('link', { name: 'Make', exact: true }));
    await page.waitForURL(/\/make\/speak/);
    // The page before has a field too.
    const field = page.locator('.make-panes').getByRole('textbox').first();
    await hand.click(field);
    await page.keyboard.type('The tide turns at noon.');
    await hand.press('Control+Enter');
    await expect.poll(async () => (await listed('&kind=sound')).length).toBe(1);
    expect(hand.actions).toBeLessThanOrEqual(3);
  });

  test('ask the library: 2', async () => {
    const { page, hand } = await begin('/');
    await hand.type('who trimmed lamp 11', { before: '/' });
    await hand.click(page.getByRole('button', { name: 'Ask', exact: true }));
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.locator('blockquote').getByText(LIT).waitFor();
    expect(hand.actions).toBe(2);
  });

  test('listen to a document: 2', async () => {
    const { page, hand } = await begin('/');
    await hand.click(page.getByRole('link', { name: 'Lamp 24 of the quay' }).first());
    await page.locator('.block').first().waitFor();
    await hand.click(page.getByRole('button', { name: 'Listen', exact: true }));
    await page.getByRole('region', { name: 'Read aloud' }).waitFor();
    await page.locator('.cue-lit').first().waitFor();
    expect(hand.actions).toBe(2);
  });

  test('speak a text in another language: 3, its language is found', async () => {
    const { page, hand } = await begin('/');
    await hand.click(page.getByRole('link', { name: 'Make', exact: true }));
    await page.waitForURL(/\/make\/speak/);
    const field = page.locator('.make-panes').getByRole('textbox').first();
    await hand.click(field);
    await page.keyboard.insertText('Guten Morgen. Heute scheint die Sonne, und wir gehen zusammen an das Meer.');
    await hand.press('Control+Enter');
    const spoken = async () => (await listed('&kind=sound')).find(({ title }) => title.startsWith('Guten Morgen'));
    await expect.poll(async () => (await spoken())?.state).toBe('reading');
    // Nobody named the language: the narration waits for a voice that speaks it.
    const job = async () => (await dashboard.appliance.owner(`/v1/jobs/${(await spoken())?.jobId}`)).text();
    await expect.poll(job).toContain('German');
    expect(hand.actions).toBe(3);
  });

  test('open on the phone: 3, the last of them on the phone', async () => {
    await openDeviceDoor(dashboard.appliance);
    const { page, hand } = await begin('/');
    hand.actions += 1;
    await page.keyboard.press('Control+k');
    await page.keyboard.type('phone');
    await page.getByRole('dialog').getByText('Open on your phone').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/settings\/connections/);
    const [made] = await Promise.all([
      page.waitForResponse((answer) => answer.url().endsWith('/admin/devices/codes')),
      hand.click(page.getByRole('button', { name: 'Link a device' })),
    ]);
    const [link = ''] = ((await made.json()) as { links: string[] }).links;
    const phone = await dashboard.browser.newContext({ isMobile: true, hasTouch: true });
    const visit = await newWindow(phone, { width: 400 });
    hand.actions += 1;
    await visit.page.goto(link);
    await visit.page.getByRole('link', { name: /^Lamp/ }).first().waitFor();
    await page.getByText(/ is linked\.$/).waitFor();
    expect(hand.actions).toBe(3);
    await phone.close();
  });

  test('block an account: 3, and its next request is refused', async () => {
    expect((await dashboard.appliance.anonymous('/v1/voices')).status).toBe(200);
    const { page, hand } = await begin('/');
    await hand.click(page.getByRole('link', { name: 'Limits', exact: true }));
    await hand.click(page.getByRole('button', { name: /^Change plan: ip:/ }).first());
    await hand.click(page.getByRole('menuitem', { name: 'Block this account' }));
    await page.getByText(/is blocked: its requests are refused/).waitFor();
    expect(hand.actions).toBe(3);
    expect((await dashboard.appliance.anonymous('/v1/voices')).status).toBe(403);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await dashboard.appliance.anonymous('/v1/voices')).status).toBe(200);
  });
});
