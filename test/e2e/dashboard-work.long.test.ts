import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HAS_BROWSER } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { serveWith } from '../harness/local-site.ts';
import { passingUntil, stopTime } from '../harness/page-clock.ts';
import { fileJob, installModels, jsonJob, reportDocument } from '../harness/real-results.ts';
import { CLIPS } from '../harness/speech.ts';
import { postJson } from '../harness/text-models.ts';
import { oneModel, startModelHost } from '../models/model-host.ts';

const RESOURCES = new URL('../../resources/', import.meta.url);
const MODEL = randomBytes(2_000_000);

let folder: string;
let host: Awaited<ReturnType<typeof startModelHost>>;
const dashboard = useDashboard(async () => ({ knownTextServers: [], resourcesFolder: await resourcesWithOneModel() }));

/** The product's own data, with one model in the catalogue, whose publisher nobody can reach. */
async function resourcesWithOneModel(): Promise<URL> {
  folder = await mkdtemp(join(tmpdir(), 'quarry resources '));
  for (const name of await readdir(RESOURCES)) {
    if (name !== 'models') await symlink(fileURLToPath(new URL(name, RESOURCES)), join(folder, name));
  }
  await mkdir(join(folder, 'models'));
  const model = oneModel('http://publisher.invalid', MODEL);
  await writeFile(join(folder, 'models', 'one.json'), JSON.stringify([model]));
  return pathToFileURL(`${folder}/`);
}

/** A recording that its owner stopped while it was worked on. */
async function cancelled(name: string): Promise<void> {
  const body = fileForm(await readFile(join(CLIPS, name)), name);
  const answer = await dashboard.appliance.owner('/v1/extract/video', { method: 'POST', body });
  const { jobId } = (await answer.json()) as { jobId: string };
  await dashboard.appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' });
  expect(await finished(dashboard.appliance.owner, jobId)).toMatchObject({ error: { code: 'cancelled' } });
}

const rows = (page: Page) => page.getByRole('table', { name: 'Job list' }).getByRole('link');

describe.skipIf(!HAS_BROWSER)('the dashboard, as its owner works with it', () => {
  beforeAll(async () => {
    host = await startModelHost(MODEL);
    const { appliance } = dashboard;
    await installModels(appliance);
    const broken = reportDocument().slice(0, 500);
    await fileJob(appliance, 'extract/doc', { bytes: broken, name: 'broken.docx' });
    await fileJob(appliance, 'extract/doc', { bytes: reportDocument(), name: 'report.docx' });
    await jsonJob(appliance, 'generate/text', { prompt: 'Once upon a time there was a harbour', maxTokens: 8 });
    await cancelled('02-fox.wav');
  });

  afterAll(async () => {
    await host?.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  test('jobs are found by words on the server, the address keeps them, and a view keeps the address', async () => {
    const page = await dashboard.open('/jobs');
    await page.getByRole('searchbox', { name: 'Search jobs' }).fill('upon harbour');
    await page.waitForURL(/text=upon/);
    await expect.poll(() => rows(page).allTextContents()).toEqual(['Once upon a time there was a harbour']);
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByRole('textbox', { name: 'View name' }).fill('About harbours');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Save this view');
    await page.reload();
    await expect.poll(() => rows(page).count()).toBe(1);
    await dashboard.open('/jobs');
    await expect.poll(() => rows(page).count()).toBe(4);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'About harbours', exact: true }).click();
    await page.waitForURL(/text=upon/);
    await expect.poll(() => rows(page).count()).toBe(1);
    const words = page.getByRole('searchbox', { name: 'Search jobs' });
    expect(await words.inputValue()).toBe('upon harbour');
    await words.fill('once');
    await page.waitForURL(/text=once/);
    await expect.poll(() => rows(page).count()).toBe(1);
    // Who pauses to think goes on typing in the same field.
    await page.keyboard.type(' upon nothing');
    await page.waitForURL(/text=once(\+|%20)upon(\+|%20)nothing/);
    await page.getByText('No jobs match these filters. Change or clear them.').waitFor();
    expect(await words.inputValue()).toBe('once upon nothing');
    expect(dashboard.complaints).toEqual([]);
  });

  test('failed jobs are sent again together, each with its file, but for those that would only fail again', async () => {
    const page = await dashboard.open('/jobs?status=failed');
    await page.getByRole('button', { name: 'Select all matches' }).click();
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Retry 1' }).click();
    await page
      .getByRole('dialog')
      .getByText(/^02-fox\.wav\./)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry 1' }).click();
    await page.getByText('Done: 1 job.').waitFor();
    await dashboard.open('/jobs?status=completed&text=fox');
    await expect.poll(() => rows(page).allTextContents()).toEqual(['02-fox.wav']);
  });

  test('a retry is offered where it may help, and where it cannot the form to change the request is', async () => {
    const page = await dashboard.open('/jobs?status=failed&text=broken');
    await rows(page).first().click();
    await page.getByText('the same request would fail again').waitFor();
    await page.getByRole('link', { name: 'Run again' }).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await dashboard.open('/jobs?status=failed&text=fox');
    await rows(page).first().click();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  });

  test('the keys of the list move, select and open, and one goes to its search', async () => {
    const page = await dashboard.open('/jobs?status=failed&text=broken');
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.getByText('File damaged').waitFor();
    await page.keyboard.press('/');
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('search');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('j');
    await page.locator('.list-row[aria-current="true"]').waitFor();
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'broken.docx', level: 1 }).waitFor();
  });

  test('the list is of the days that were chosen, and the oldest come first when asked', async () => {
    const page = await dashboard.open('/jobs');
    await expect.poll(() => rows(page).first().textContent()).not.toBe('broken.docx');
    await page.getByRole('columnheader', { name: 'Age' }).getByRole('button').click();
    await page.waitForURL(/order=oldest/);
    await expect.poll(() => rows(page).first().textContent()).toBe('broken.docx');
    await page.getByRole('combobox', { name: 'Date' }).click();
    await page.getByRole('option', { name: 'Last 30 days' }).click();
    await page.waitForURL(/period=month/);
    await expect.poll(() => rows(page).first().textContent()).toBe('broken.docx');
    await page.getByRole('combobox', { name: 'Date' }).click();
    await page.getByRole('option', { name: 'Between days' }).click();
    for (const [field, day] of [
      ['First day', '01'],
      ['Last day', '28'],
    ] as const) {
      await page.getByRole('button', { name: field }).click();
      await page.getByRole('button', { name: 'Previous year' }).click();
      await page.locator(`[data-day$="-${day}"]`).click();
    }
    await page.waitForURL(/from=\d{4}-\d\d-01&to=\d{4}-\d\d-28/);
    await page.getByText('No jobs match these filters. Change or clear them.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => rows(page).first().textContent()).not.toBe('broken.docx');
    expect(dashboard.complaints).toEqual([]);
  });

  test('the tree of a crawl grows while it runs', async () => {
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    await using site = await serveWith(async ({ url = '' }, response) => {
      if (url === '/notices/last') await held;
      response.writeHead(url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' });
      const links =
        url === '/'
          ? '<a href="/tides">Tides</a> <a href="/notices/buoy">Buoy</a> <a href="/notices/last">Last</a>'
          : '';
      response.end(`<title>${url}</title><p>The harbour has a page at ${url} with words of its own.</p>${links}`);
    });
    const sent = await dashboard.appliance.owner('/v1/crawl', postJson({ url: `${site.url}/` }));
    const { crawlId } = (await sent.json()) as { crawlId: string };
    const page = await dashboard.open(`/jobs/${crawlId}`);
    const tree = page.getByRole('navigation', { name: 'Pages of the site' });
    await tree.getByText('/notices/buoy').waitFor();
    await page.getByRole('progressbar', { name: 'Progress of the crawl' }).waitFor();
    await expect.poll(() => page.locator('.tally-parts').textContent()).toMatch(/^3 read/);
    goOn();
    await page.getByRole('button', { name: 'Copy all pages' }).waitFor();
    await tree.getByRole('button', { name: '/notices/last' }).waitFor();
    expect((await dashboard.appliance.owner(`/v1/jobs/${crawlId}`, { method: 'DELETE' })).status).toBe(204);
  });

  test('nothing can be selected where nothing matches', async () => {
    const page = await dashboard.open('/jobs?text=nothing-has-this-name');
    await page.getByText('No jobs match these filters. Change or clear them.').waitFor();
    expect(await page.getByRole('button', { name: 'Select all matches' }).isDisabled()).toBe(true);
  });

  test('a removal can be taken back while it is announced', async () => {
    await dashboard.openApart();
    const { page } = dashboard;
    await page.clock.install();
    await dashboard.open('/jobs?text=report.docx');
    await rows(page).first().click();
    // The list has a button of that name too.
    await page.getByRole('heading', { name: 'report.docx', level: 1 }).waitFor();
    // It is announced for some seconds, which are over before a slow machine has come to the button.
    await stopTime(page);
    await page.getByRole('button', { name: 'More actions' }).click();
    await passingUntil(page, page.getByRole('menuitem', { name: 'Delete' }));
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await passingUntil(page, page.getByRole('heading', { name: 'Jobs' }));
    await passingUntil(page, page.getByRole('button', { name: 'Undo' }));
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.clock.runFor(60_000);
    expect(await page.getByText(/^Deleting report\.docx/).count()).toBe(0);
    await page.close();
    expect(await (await dashboard.appliance.owner('/admin/jobs?text=report.docx')).json()).toMatchObject({
      jobs: [{ label: 'report.docx' }],
    });
  });

  test('an earlier job is read again with its file in the dialog Add', async () => {
    const page = await dashboard.open('/jobs?text=report.docx');
    await rows(page).first().click();
    await page.getByRole('link', { name: 'Run again' }).click();
    await page.getByRole('dialog').getByText('report.docx').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('link', { name: 'Open report.docx' }).click();
    await page.waitForURL(/\/items\/itm_/);
    await page.getByText('The harbour was dredged in spring.').last().waitFor();
  });

  test('files dropped on any page are uploaded two at a time, can be cancelled, and become jobs', async () => {
    const page = await dashboard.open('/limits');
    await page.getByRole('heading', { level: 1, name: 'Limits' }).waitFor();
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let asked = 0;
    await page.route('**/v1/extract/doc', async (route) => {
      asked += 1;
      expect(route.request().headers().prefer).toBe('install=ask');
      await held;
      await route.continue();
    });
    const files = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      for (const name of ['one.txt', 'two.txt', 'three.txt']) data.items.add(new File([name + ' of three.'], name));
      return data;
    })()`);
    await page.dispatchEvent('main', 'dragover', { dataTransfer: files });
    await page.getByText('Drop to add 3 things').waitFor();
    await page.dispatchEvent('main', 'drop', { dataTransfer: files });
    const tray = page.getByRole('region', { name: 'Added files' });
    await tray.getByText('Adding 3 files').waitFor();
    await expect.poll(() => asked).toBe(2);
    await tray.getByText('Waiting to upload').waitFor();
    await tray.getByRole('button', { name: 'Cancel two.txt' }).click();
    await tray.getByText('Cancelled').waitFor();
    goOn();
    await expect.poll(() => tray.getByText('Added', { exact: true }).count()).toBe(2);
    expect(new URL(page.url()).pathname).toBe('/limits');
    await tray.getByRole('link', { name: 'Open three.txt' }).click();
    await page.waitForURL(/\/items\/itm_/);
    await page.getByText('three.txt of three.').first().waitFor();
  });

  test('a dropped folder says which of its hidden and temporary files were left out', async () => {
    const page = await dashboard.open('/limits');
    await page.getByRole('heading', { level: 1, name: 'Limits' }).waitFor();
    const dropped = await page.evaluateHandle(`(() => {
      const file = (name) => ({ isFile: true, name, file: (take) => take(new File([name + ' of a folder.'], name)) });
      const folder = (name, entries) => ({
        isDirectory: true,
        name,
        createReader: () => {
          const batches = [entries, []];
          return { readEntries: (take) => take(batches.shift()) };
        },
      });
      const entries = [file('.DS_Store'), file('plan.txt'), folder('drafts', [file('~$plan.docx')]), folder('.git', [])];
      DataTransferItem.prototype.webkitGetAsEntry = () => folder('papers', entries);
      const data = new DataTransfer();
      data.items.add(new File([''], 'papers'));
      return data;
    })()`);
    await page.dispatchEvent('main', 'drop', { dataTransfer: dropped });
    await page
      .getByText('3 hidden or temporary files were left out of the folder: .DS_Store, .git, ~$plan.docx')
      .waitFor();
    const tray = page.getByRole('region', { name: 'Added files' });
    await tray.getByRole('link', { name: 'Open plan.txt' }).waitFor();
  });

  test('Ctrl+K finds jobs, words in results and actions, and the keys of the window run them', async () => {
    const page = await dashboard.open('/jobs');
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    await page.keyboard.press('n');
    await page.keyboard.press('c');
    await page.getByRole('dialog', { name: 'Add to the library' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Transcribe').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Find or do' }).fill('harbour');
    const palette = page.getByRole('dialog');
    await palette.getByText('The harbour was dredged').first().waitFor();
    await palette.getByText('Search everything for “harbour”').waitFor();
    // What was typed made no job.
    const searches = await dashboard.appliance.owner('/admin/jobs?jobType=search');
    expect(await searches.json()).toMatchObject({ jobs: [] });
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/items\/itm_/);
  });

  test('Ctrl+K runs the action that was seen first, whatever is found later', async () => {
    const page = await dashboard.open('/jobs');
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    const seen = Promise.withResolvers<void>();
    // Words in results come late, and are listed above the actions.
    await page.route('**/admin/search?**', async (route) => {
      await seen.promise;
      await route.continue({ url: route.request().url().replace('query=phone', 'query=harbour') });
    });
    await page.keyboard.press('Control+k');
    // At once, before jobs of these words are asked for: none of the newest has them.
    await page.getByRole('textbox', { name: 'Find or do' }).fill('phone');
    const selected = page.locator('.palette-row[data-selected]');
    await selected.getByText('Open on your phone').waitFor();
    expect(await page.getByRole('dialog').getByText('Jobs', { exact: true }).count()).toBe(0);
    seen.resolve();
    await page.getByRole('dialog').getByText('The harbour was dredged').first().waitFor();
    await selected.getByText('Open on your phone').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/settings\/connections/);
    await page.unroute('**/admin/search?**');
    expect(dashboard.complaints).toEqual([]);
  });

  test('what is installed can be chosen by name, with a word on what it is, and anything else be typed', async () => {
    const page = await dashboard.open('/service/api/generate/audio');
    const voice = page.getByRole('combobox', { name: 'Voice' });
    await voice.click();
    await page.getByRole('option', { name: /^clara.*built-in/ }).click();
    expect(await voice.inputValue()).toBe('clara');
    await voice.fill('somebody-else');
    await page.getByRole('tab', { name: 'fetch' }).click();
    const call = page.getByRole('group', { name: 'The same call' });
    await expect.poll(() => call.textContent()).toContain('"voice": "somebody-else"');
    await dashboard.open('/service/api/extract/video');
    await page.getByRole('button', { name: 'More options' }).click();
    await page.getByRole('combobox', { name: 'Transcription model' }).click();
    await page.getByRole('option', { name: /tiny-closed-vocab/ }).waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  test('a voice can be heard before it speaks, and what it said stays beside the form', async () => {
    const page = await dashboard.open('/service/api/generate/audio');
    const voices = page.getByRole('region', { name: 'Voices to hear' });
    await voices.getByRole('button', { name: 'Hear Clara' }).click();
    const heard = () => page.evaluate<number>("document.querySelector('audio').currentTime");
    await expect.poll(heard).toBeGreaterThan(0);
    await voices.getByRole('button', { name: /^Clara/ }).click();
    await expect.poll(() => page.getByRole('combobox', { name: 'Voice' }).inputValue()).toBe('clara');
    await page.getByLabel('Prompt').fill('The tide turns.');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const take = page.getByRole('region', { name: 'Last take' });
    await take.getByRole('img', { name: 'Waveform' }).waitFor();
    await take.getByRole('link', { name: 'Save MP3' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/service/api/generate/audio');
    expect(dashboard.complaints).toEqual([]);
  });

  test('text is shown as it is written', async () => {
    const page = await dashboard.open('/service/api/generate/text');
    await page.getByLabel('Prompt').fill('Once upon a time');
    await page.getByRole('button', { name: 'More options' }).click();
    await page.getByLabel('Max tokens').fill('30');
    const streamed = page.waitForRequest((request) => request.url().includes('stream=true'));
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await streamed;
    const answer = page.getByRole('region', { name: 'Response' });
    await answer.getByRole('link', { name: 'Open', exact: true }).waitFor();
    await expect.poll(async () => (await answer.locator('.chunk-text').textContent())?.length).toBeGreaterThan(20);
    const written = await answer.locator('.chunk-text').textContent();
    const problem = { status: 503, json: { detail: 'The engine went away.' } };
    await page.route('**/v1/generate/text*', (route) => route.fulfill(problem), { times: 1 });
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('The engine went away.').waitFor();
    const before = page.getByRole('region', { name: 'Previous response' });
    expect(await before.locator('.chunk-text').textContent()).toBe(written);
    expect(dashboard.complaints.filter((line) => !line.includes('503'))).toEqual([]);
  });

  test('a model is installed from a mirror of one’s own, with its progress seen, over a broken connection', async () => {
    const page = await dashboard.open('/settings/reading');
    await page.getByLabel('Model mirror').fill(host.origin);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The settings are saved.').waitFor();
    host.behave({ hangAfter: MODEL.length / 2 });
    await dashboard.open('/models');
    await page.getByRole('button', { name: /^Add a language/ }).click();
    await page.getByRole('button', { name: 'Install ocr-xyz' }).click();
    const bar = page.getByRole('progressbar', { name: 'ocr-xyz' });
    await expect.poll(async () => Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThanOrEqual(45);
    await page.getByText('1 MB of 2 MB').waitFor();
    host.behave({});
    host.drop();
    await page.getByText('checksum verified').waitFor();
    expect(host.requests.every(({ url }) => url === '/ocr-xyz/xyz.traineddata')).toBe(true);
    expect(host.requests.at(-1)?.range).toMatch(/^bytes=[1-9]/);
    await page.getByRole('button', { name: 'Remove ocr-xyz' }).waitFor();
  });

  test('nothing is asked of the server while nothing happens', async () => {
    await dashboard.openApart();
    await dashboard.page.clock.install();
    const page = await dashboard.open('/webhooks?tab=deliveries');
    await page.getByText('No deliveries here').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    // What is read again because changes are heard from now on has been asked for by then.
    await page.clock.runFor(1000);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.clock.runFor(60_000);
    // The machine's health alone is looked at.
    expect(new Set(asked)).toEqual(new Set(['/admin/overview']));
  });
});
