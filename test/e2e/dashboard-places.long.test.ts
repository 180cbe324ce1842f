import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dropFile, HAS_BROWSER } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { fileJob, reportDocument } from '../harness/real-results.ts';
import { until } from '../harness/until.ts';
import { oneModel, startModelHost } from '../models/model-host.ts';

const RESOURCES = new URL('../../resources/', import.meta.url);
const MODEL = randomBytes(2_000_000);
/** More than the connections that a browser has to one server. */
const LANGUAGES = ['xaa', 'xab', 'xac', 'xad', 'xae', 'xaf', 'xag'];

let folder: string;
let host: Awaited<ReturnType<typeof startModelHost>>;
const dashboard = useDashboard(async () => ({ knownTextServers: [], resourcesFolder: await resourcesWithModels() }));
const ids: string[] = [];

/** The product's own data, with a few models in the catalogue, whose publisher is the mirror. */
async function resourcesWithModels(): Promise<URL> {
  folder = await mkdtemp(join(tmpdir(), 'quarry resources '));
  for (const name of await readdir(RESOURCES)) {
    if (name !== 'models') await symlink(fileURLToPath(new URL(name, RESOURCES)), join(folder, name));
  }
  await mkdir(join(folder, 'models'));
  const models = LANGUAGES.map((language) => ({
    ...oneModel('http://publisher.invalid', MODEL, {
      name: `${language}.traineddata`,
      url: `http://publisher.invalid/${language}.traineddata`,
    }),
    name: `ocr-${language}`,
    title: language,
    language,
  }));
  await writeFile(join(folder, 'models', 'some.json'), JSON.stringify(models));
  return pathToFileURL(`${folder}/`);
}

/** Answers for the first job with a result that would take hours to be made. */
async function withResult(page: Page, resultOf: (job: { statusUrl: string }) => object): Promise<void> {
  const job = (await (await dashboard.appliance.owner(`/v1/jobs/${ids[0]}`)).json()) as { statusUrl: string };
  await page.route(`**/v1/jobs/${ids[0]}`, (route) => route.fulfill({ json: { ...job, result: resultOf(job) } }));
}

describe.skipIf(!HAS_BROWSER)('the dashboard, from one thing to the next', () => {
  beforeAll(async () => {
    host = await startModelHost(MODEL);
    for (const name of ['first.docx', 'second.docx']) {
      ids.push(await fileJob(dashboard.appliance, 'extract/doc', { bytes: reportDocument(), name }));
    }
  });

  afterAll(async () => {
    await host?.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  test('what was done to the view of one job is not shown as another’s', async () => {
    const page = await dashboard.open(`/jobs/${ids[0]}`);
    const chunks = page.getByText(/^Passages, \d+$/);
    await chunks.click();
    const heading = page.getByRole('heading', { name: /^\d+ passages?$/ });
    const own = await heading.textContent();
    await page.getByRole('link', { name: 'Jobs', exact: true }).click();
    await page.getByRole('link', { name: 'second.docx' }).click();
    await page.getByRole('heading', { name: 'second.docx', level: 1 }).waitFor();
    await chunks.click();
    await page.getByRole('button', { name: 'Change the length of passages…' }).click();
    await page.getByLabel('Characters of a passage').fill('150');
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.getByText('Preview with passages of another length').waitFor();
    // Two steps back at once, past the list, as the history of a browser offers it.
    await page.evaluate('history.go(-2)');
    await page.getByRole('heading', { name: 'first.docx' }).waitFor();
    await chunks.click();
    await expect.poll(() => heading.textContent()).toBe(own);
    expect(await page.getByText('Preview with passages of another length').count()).toBe(0);
  });

  test('many downloads at once leave the window free for other work', async () => {
    const set = await dashboard.appliance.owner('/admin/settings', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ modelMirrorUrl: host.origin }),
    });
    expect(set.status).toBe(200);
    host.behave({ hangAfter: MODEL.length / 2 });
    const page = await dashboard.open('/models');
    await page.getByRole('button', { name: /^Add a language/ }).click();
    for (const language of LANGUAGES) {
      await page.getByRole('button', { name: `Install ocr-${language}` }).click();
      await page.getByRole('progressbar', { name: `ocr-${language}` }).waitFor();
    }
    await page
      .getByText('1 MB of 2 MB')
      .nth(LANGUAGES.length - 1)
      .waitFor();
    await page.getByRole('link', { name: 'Jobs', exact: true }).click();
    await page.getByRole('link', { name: 'first.docx' }).waitFor();
    await page.getByRole('link', { name: 'Models', exact: true }).click();
    host.behave({});
    host.drop();
    for (const language of LANGUAGES) await page.getByRole('button', { name: `Remove ocr-${language}` }).waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  test('a file that is dropped anywhere navigates nowhere, and the tray says what came of it', async () => {
    const page = await dashboard.open('/');
    for (const [name, shown] of [
      ['sent.docx', page.getByRole('link', { name: 'Open sent.docx' })],
      ['refused.docx', page.getByText('Nobody is to be seen here')],
    ] as const) {
      let goOn = (): void => {};
      const held = new Promise<void>((resolve) => (goOn = resolve));
      await page.route('**/v1/extract/doc', async (route) => {
        await held;
        if (name === 'sent.docx') return route.continue();
        return route.fulfill({ status: 422, json: { title: 'Refused', detail: 'Nobody is to be seen here' } });
      });
      const sent = page.waitForRequest('**/v1/extract/doc');
      await page.getByRole('link', { name: 'Home', exact: true }).click();
      // The first round left an unsaved setting behind.
      if (name === 'refused.docx') await page.getByRole('button', { name: 'Leave' }).click();
      await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
      await dropFile(page, 'main', name, reportDocument());
      await sent;
      await page.getByRole('link', { name: 'Settings', exact: true }).click();
      await page.getByRole('link', { name: /^Reading/ }).click();
      await page.getByLabel('Model mirror').fill('http://half-typed');
      goOn();
      await shown.waitFor();
      expect(new URL(page.url()).pathname).toBe('/settings/reading');
      expect(await page.getByLabel('Model mirror').inputValue()).toBe('http://half-typed');
      await page.unroute('**/v1/extract/doc');
    }
    // The setting is still unsaved: the tab asks before it closes.
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
  });

  test('the words of a running talk appear as they are heard, and the page follows until the reader scrolls up', async () => {
    const page = dashboard.page;
    const job = (await (await dashboard.appliance.owner(`/v1/jobs/${ids[0]}`)).json()) as object;
    const progress = { percent: 40, stage: 'transcribing', message: 'Transcribed 2:00 of 5:00 of speech' };
    const running = { ...job, status: 'processing', jobType: 'extract/video', result: null, progress };
    const segments = Array.from({ length: 200 }, (_, index) => {
      return { index, start: 2 * index, end: 2 * index + 2, text: `Harbour ${index}` };
    });
    const events = [segments.slice(0, 150), segments.slice(150)].map(
      (part, index) => `event: segments\ndata: ${JSON.stringify({ segments: part })}\nid: 3.${index + 1}\n\n`,
    );
    await page.route(`**/v1/jobs/${ids[0]}`, (route) => route.fulfill({ json: running }));
    let asked = 0;
    await page.route(`**/v1/jobs/${ids[0]}/events`, (route) => {
      const body = events[asked] ?? '';
      asked += 1;
      return route.fulfill({ contentType: 'text/event-stream', body });
    });
    await dashboard.open(`/jobs/${ids[0]}`);
    const words = page.getByRole('list', { name: 'Transcript' });
    // The stream ended once, and was opened again.
    await words.getByText('Harbour 199').waitFor();
    expect(await words.getByText('Harbour 0', { exact: true }).count()).toBe(0);
    await page.getByRole('heading', { name: progress.message }).waitFor();
    await page.mouse.move(800, 400);
    await page.mouse.wheel(0, -2000);
    await page.getByRole('button', { name: 'Follow the words' }).click();
    await words.getByText('Harbour 199').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Follow the words' }).count()).toBe(0);
    await page.unrouteAll();
  });

  test('of hours of speech only the lines in view exist, the others are found by words and reached by keyboard', async () => {
    const lines = Array.from({ length: 4000 }, (_, n) => ({
      ...{ startSeconds: 2 * n, endSeconds: 2 * n + 2 },
      text: n % 2 === 0 ? `Harbour ${n}` : 'Yes.',
    }));
    const page = dashboard.page;
    await page.route('**/files/slide.svg*', (route) =>
      route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
    );
    await withResult(page, ({ statusUrl }) => ({
      files: [`${statusUrl}/files/talk.mp3`],
      segments: lines,
      chapters: [{ title: 'Harbours', startSeconds: 0, endSeconds: 8000 }],
      frames: [{ seconds: 4, text: 'Plan', image: { name: 'slide.svg', url: `${statusUrl}/files/slide.svg` } }],
    }));
    await dashboard.open(`/jobs/${ids[0]}`);
    const transcript = page.getByRole('list', { name: 'Transcript' });
    await transcript.getByRole('button').first().waitFor();
    await page.getByRole('region', { name: 'Chapters' }).getByRole('button').locator('img').waitFor();
    // Each line has a button to play it and one for its actions.
    expect(await transcript.getByRole('button').count()).toBeLessThan(100);
    await transcript.getByRole('button').first().focus();
    for (let n = 0; n < 240; n += 1) await page.keyboard.press('Tab');
    const at = () => page.evaluate<string>('document.activeElement.ariaLabel');
    expect(await at()).toBe('4:00 Harbour 120');
    // Where it is scrolled to takes the focus from nobody.
    await page.evaluate('window.scrollTo(0, 1e6)');
    await transcript.getByText('Harbour 3998').waitFor();
    expect(await at()).toBe('4:00 Harbour 120');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await expect.poll(at).toBe('4:02 Yes.');
    await page.getByRole('textbox', { name: 'Find in the transcript' }).fill('harbour 3000');
    await transcript.getByRole('button', { name: '1:40:00 Harbour 3000' }).waitFor();
    await page.getByText('1 of 1').waitFor();
    await page.getByRole('textbox', { name: 'Find in the transcript' }).fill('nobody');
    await page.getByText('No matches', { exact: true }).waitFor();
    await page.unrouteAll();
  });

  test('of a result of megabytes only the lines in view exist, and each place of what is looked for is gone to', async () => {
    const content = `${'harbour '.repeat(20_000)}needle`;
    const page = dashboard.page;
    await withResult(page, () => ({
      parts: Array.from({ length: 5000 }, (_, n) => `part ${n}`),
      content,
      end: 'Needle',
    }));
    await dashboard.open(`/jobs/${ids[0]}?tab=json`);
    const raw = page.getByRole('group', { name: 'JSON' });
    await raw.getByText('"part 0"').waitFor();
    expect(await raw.getByRole('listitem').count()).toBeLessThan(150);
    const field = page.getByRole('textbox', { name: 'Find in JSON' });
    await field.fill('NEEDLE');
    await page.getByText('1 of 2').waitFor();
    await raw.locator('[aria-current] mark').getByText('needle', { exact: true }).waitFor();
    await field.press('Enter');
    await page.getByText('2 of 2').waitFor();
    await raw.locator('[aria-current] mark').getByText('Needle', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Previous match' }).click();
    await page.getByText('1 of 2').waitFor();
    await field.fill('nothing like it');
    await page.getByText('no matches').waitFor();
    await page.unrouteAll();
  });

  test('two addresses of one path, and one that is none, each have their verdict in the tree of a crawl', async () => {
    const page = dashboard.page;
    const pages = ['http://harbour.invalid/guide', 'http://harbour.invalid/guide/'].map((url) => ({ url, title: url }));
    const skipped = [{ url: 'http://[harbour/', verdict: 'invalid-url', reason: 'Not an address.' }];
    await withResult(page, () => ({ rootUrl: 'http://harbour.invalid/', pages, skipped, stats: {} }));
    await dashboard.open(`/jobs/${ids[0]}`);
    for (const { url } of pages) await page.getByRole('button', { name: url, exact: true }).waitFor();
    await page.getByRole('button', { name: 'Invalid URL' }).click();
    await page.getByRole('button', { name: '[harbour/' }).click();
    await page.getByText('Not an address.').waitFor();
    await page.unrouteAll();
  });

  test('a job that has ended is read again when something happens to it, not when its window is looked at', async () => {
    const name = 'looked-at.docx';
    const jobId = await fileJob(dashboard.appliance, 'extract/doc', { bytes: reportDocument(), name });
    await dashboard.openApart();
    const { page } = dashboard;
    await page.clock.install();
    await dashboard.open(`/jobs/${jobId}`);
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.clock.runFor(10_000);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await until(() => asked.includes(`/admin/jobs/${jobId}`));
    expect(asked).not.toContain(`/v1/jobs/${jobId}`);
    const removed = await dashboard.appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' });
    expect(removed.status).toBe(204);
    await page.getByRole('heading', { name: 'Job not available' }).waitFor();
  });

  test('the row that has the focus keeps it while others come in above it, out of sight', async () => {
    const { page } = dashboard;
    const [one] = ((await (await dashboard.appliance.owner('/admin/jobs')).json()) as { jobs: { createdAt: string }[] })
      .jobs;
    const rows = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, n) => ({ ...one, jobId: `${prefix}${n}`, label: `${prefix} ${n}` }));
    let jobs = rows('old', 80);
    await page.route('**/admin/jobs?*', (route) => route.fulfill({ json: { jobs, nextCursor: null } }));
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    // The list is read again when changes can be heard.
    await page.route('**/admin/events', (route) => held.then(() => route.continue()));
    await dashboard.open('/jobs');
    await page.getByRole('link', { name: 'old 3', exact: true }).focus();
    await page.evaluate("document.querySelector('.jobs-body').scrollTo(0, 1e6)");
    await page.getByRole('link', { name: 'old 79' }).waitFor();
    jobs = [...rows('new', 9), ...jobs];
    goOn();
    await expect.poll(() => page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(jobs.length + 1));
    expect(await page.evaluate('document.activeElement.textContent')).toBe('old 3');
  });

  test('what is selected in one environment is not selected in the other', async () => {
    const page = await dashboard.open('/jobs');
    await page.getByRole('link', { name: 'first.docx' }).waitFor();
    await page.getByRole('button', { name: 'Select all' }).click();
    await page.getByRole('button', { name: 'Clear selection' }).waitFor();
    await page.getByRole('button', { name: 'Environment: Production' }).click();
    await page.getByRole('menuitem', { name: 'Staging' }).click();
    await page.getByText('No jobs').first().waitFor();
    await expect.poll(() => page.getByText(/\d+ selected/).count()).toBe(0);
    await expect.poll(() => page.getByRole('button', { name: /^Delete/ }).isDisabled()).toBe(true);
  });

  test('a number of the settings can be emptied and typed anew, and an empty one is refused, not taken for 0', async () => {
    const page = await dashboard.open('/settings/reading');
    const pause = page.getByLabel('Delay between requests to one host (ms)');
    await pause.fill('');
    expect(await pause.inputValue()).toBe('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('input[aria-invalid="true"]').waitFor();
    expect(await (await dashboard.appliance.owner('/admin/settings')).json()).toMatchObject({ crawlDelayMs: 100 });
    await pause.pressSequentially('48');
    expect(await pause.inputValue()).toBe('48');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The settings are saved.').waitFor();
    expect(await (await dashboard.appliance.owner('/admin/settings')).json()).toMatchObject({ crawlDelayMs: 48 });
  });

  test('how many blocks must hold a settlement can be emptied and typed anew', async () => {
    const page = await dashboard.open('/payments?tab=settlement');
    await page.getByRole('radio', { name: /^On chain/ }).click();
    const blocks = page.getByLabel('Confirmations (blocks)');
    await blocks.fill('');
    await blocks.pressSequentially('6');
    expect(await blocks.inputValue()).toBe('6');
  });
});
