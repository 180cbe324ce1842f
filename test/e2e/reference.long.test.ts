import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '../../src-server/features/reference/openapi-types.ts';
import { OPERATIONS } from '../../src-server/features.ts';
import { loadAxe, violations } from '../harness/axe.ts';
import { HAS_BROWSER } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { wordDocument } from '../harness/documents.ts';
import { type LocalSite, serveFiles } from '../harness/local-site.ts';
import { CLIPS, clips, installSpeechModel, ONNX_MODEL } from '../harness/speech.ts';

/** A real model, so that text can be asked for. */
const TEXT_MODEL = new URL('../fixtures/models/stories260K.gguf', import.meta.url);

/** Operations that are sent and paid for as a stranger; the others are sent as the owner. */
const AS_STRANGER = ['/extract/doc', '/generate/text', '/search'];

const PAGE_OF_PDF = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R >>';

const PDF = `%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj ${PAGE_OF_PDF} endobj
4 0 obj << /Length 44 >> stream
BT /F1 12 Tf 20 100 Td (The text of it) Tj ET
endstream endobj
trailer << /Root 1 0 R >>
%%EOF`;

const asDataUri = (bytes: Uint8Array | string) =>
  `data:application/octet-stream;base64,${Buffer.from(bytes).toString('base64')}`;

/** Examples name hosts that do not exist; here each operation gets a source on this machine. */
function bodiesOf(site: string): Record<string, object> {
  return {
    '/crawl': { url: `${site}/`, depth: 0 },
    '/extract/hosted-video': { sourceUrl: `${site}/talk.wav` },
    '/extract/video': { sourceUrl: `${site}/talk.wav` },
    '/extract/doc': { file: asDataUri(wordDocument(['The text of a document.'])) },
    '/extract/pdf': { file: asDataUri(PDF) },
    '/generate/audio': { prompt: 'Welcome.', durationSeconds: 2 },
    '/generate/text': { prompt: 'Once', maxTokens: 4 },
    '/search': { query: 'text' },
    '/webhooks': { url: `${site}/hook`, events: ['job.completed'] },
  };
}

describe.skipIf(!HAS_BROWSER)('the reference', () => {
  const dashboard = useDashboard();
  let site: LocalSite;

  beforeAll(async () => {
    const { appliance } = dashboard;
    const [clip] = await clips();
    if (clip === undefined) throw new Error('There is no clip.');
    site = await serveFiles({
      '/': '<!doctype html><title>A page</title><p>The text of a page.',
      '/talk.wav': await readFile(join(CLIPS, clip.file)),
    });
    await installSpeechModel(appliance, ONNX_MODEL);
    await copyFile(TEXT_MODEL, join(appliance.dataDir, 'models', 'stories260K.gguf'));
  });

  beforeEach(() => dashboard.page.route(/^[^?]*\d\/openapi\.json$/, (route) => withLocalBodies(route, site.url)));

  afterAll(() => site[Symbol.asyncDispose]());

  test('keeps its policy and loads nothing from elsewhere', async () => {
    const hosts = new Set<string>();
    dashboard.page.on('request', (request) => hosts.add(new URL(request.url()).origin));
    const page = await openOperation('/extract/doc');
    await page.getByRole('button', { name: 'Open Search' }).waitFor();
    expect([...hosts]).toEqual([dashboard.appliance.url]);
    expect(dashboard.complaints).toEqual([]);
  });

  test('finds an operation by a word', async () => {
    const page = await openOperation('/extract/doc');
    await page.getByRole('button', { name: 'Open Search' }).click();
    await page.getByRole('combobox').fill('Crawl a site');
    await page
      .getByRole('option', { name: /Crawl a site/ })
      .first()
      .click();
    await page.waitForURL(/crawl/);
  });

  test('has samples in curl, JavaScript and Python', async () => {
    const page = await openOperation('/extract/doc');
    const section = sectionOf(page, '/extract/doc');
    for (const [client, text] of [
      ['Requests', 'requests.post('],
      ['Fetch', 'fetch('],
      ['Curl', 'curl http'],
    ] as const) {
      await section.getByTestId('client-picker').click();
      await page.getByRole('option', { name: client }).click();
      await section.getByText(text).first().waitFor();
    }
  });

  const asOwner = OPERATIONS.map(({ id }) => `/${id}`).filter((path) => !AS_STRANGER.includes(path));
  test.each(asOwner)('runs %s as the owner', async (path) => {
    await openOperation(path);
    expect(await send(path)).toMatch(/^20[02] /);
    expect(dashboard.complaints).toEqual([]);
  });

  test.each(AS_STRANGER)('runs %s as a stranger, who pays', async (path) => {
    const page = await openOperation(path);
    await page.getByRole('radio', { name: 'Paying stranger' }).check();
    const statuses: number[] = [];
    page.on('response', (answer) => {
      const { pathname } = new URL(answer.url());
      if (pathname === `/v1${path}` || pathname === '/facilitator/pay') statuses.push(answer.status());
    });
    expect(await send(path)).toMatch(/^20[02] /);
    expect(statuses).toEqual([402, 200, path === '/extract/doc' ? 202 : 200]);
    // The browser reports the first answer, which asks for the payment.
    expect(dashboard.complaints.filter((complaint) => !complaint.includes('402'))).toEqual([]);
  });

  test('axe finds nothing wrong with the client closed and open, nor with the colours in dark', async () => {
    const page = await openOperation('/extract/doc');
    await page.emulateMedia({ colorScheme: 'light' });
    await loadAxe(page);
    expect(await violations(page, 'light')).toEqual([]);
    await send('/extract/doc');
    expect(await violations(page, 'light')).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations(page, 'dark')).toEqual([]);
    await closeClient(page);
    expect(await violations(page, 'dark')).toEqual([]);
  });

  test("shows the owner's routes to the owner", async () => {
    const page = await openOperation('/extract/doc');
    await page.getByRole('button', { name: 'API', exact: true }).click();
    await page.getByRole('option', { name: 'Owner' }).click();
    await page.getByRole('heading', { name: 'Quarry for its owner' }).waitFor();
  });

  async function openOperation(path: string): Promise<Page> {
    const [, tag = ''] = path.split('/');
    const page = await dashboard.open(`/reference#api/tag/${tag}/POST${path}`);
    await testButton(page, path).waitFor();
    return page;
  }

  async function closeClient(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Close Client' }).click();
    await page.locator('.references-rendered:not([inert])').waitFor();
    // The client fades out.
    await page.locator('.scalar-app-layout').waitFor({ state: 'hidden' });
  }

  function testButton(page: Page, path: string) {
    return page.getByRole('button', { name: `Test Request (post ${path})`, exact: true });
  }

  function sectionOf(page: Page, path: string) {
    return page.locator('section', { has: testButton(page, path) }).last();
  }

  /** Sends the example of an operation and gives the status that the page shows. */
  async function send(path: string): Promise<string> {
    const { page } = dashboard;
    await testButton(page, path).click();
    await page
      .getByRole('button', { name: /Send post request/ })
      .filter({ visible: true })
      .first()
      .click();
    const status = page
      .locator('.scalar-app-layout')
      .getByText(/^\d{3} [A-Z]/)
      .first();
    await status.waitFor();
    return (await status.textContent()) ?? '';
  }
});

async function withLocalBodies(route: Route, site: string): Promise<void> {
  const answer = await route.fetch();
  const document = (await answer.json()) as OpenApiDocument;
  for (const [path, example] of Object.entries(bodiesOf(site))) {
    const media = document.paths[path]?.post?.requestBody?.content['application/json'];
    if (media === undefined) throw new Error(`${path} takes no JSON.`);
    media.example = example;
  }
  await route.fulfill({ response: answer, json: document });
}
