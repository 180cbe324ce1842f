/** Loaders of others on the same operations: docling-serve's interface and the stock client of Firecrawl. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Firecrawl from '@mendable/firecrawl-js';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { type LocalSite, serveWith } from '../harness/local-site.ts';

const REPORT = join(import.meta.dirname, '../../resources/examples/harbour-report.docx');

let appliance: Appliance;
let site: LocalSite;
let key: string;
let report: Buffer<ArrayBuffer>;
beforeAll(async () => {
  report = Buffer.from(await readFile(REPORT));
  site = await serveWith((request, response) => {
    if (request.url === '/held') return;
    const page = (title: string, body: string) =>
      `<!doctype html><html lang="en"><title>${title}</title><body><main><h1>${title}</h1><p>${body}</p></main></body></html>`;
    const pages: Record<string, string> = {
      '/': page('Harbour', 'The tide turns at noon. <a href="/docs/one">One</a> <a href="/shop/two">Two</a>'),
      '/docs/one': page(
        'First guide',
        'Ropes are coiled clockwise. <a href="/docs/three">Three</a> <a href="/">Home</a> <img src="/rope.png">',
      ),
      '/docs/three': page('Third guide', 'Lamps are lit at dusk.'),
      '/shop/two': page('Shop', 'Bread is baked before dawn.'),
    };
    const body = pages[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(body);
  });
  appliance = await startAppliance();
  const headers = { 'content-type': 'application/json' };
  const settings = JSON.stringify({ allowPrivateNetworks: true, crawlDelayMs: 0 });
  expect((await appliance.owner('/admin/settings', { method: 'PATCH', headers, body: settings })).status).toBe(200);
  const body = JSON.stringify({ name: 'Loader', scopes: ['read', 'run:extract/doc', 'run:crawl', 'private-network'] });
  key = ((await (await appliance.owner('/admin/keys', { method: 'POST', headers, body })).json()) as { key: string })
    .key;
});
afterAll(async () => {
  await appliance.close();
  await site[Symbol.asyncDispose]();
});

describe("docling-serve's interface", () => {
  /** Its clients send their key in this header. */
  const ask = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set('x-api-key', key);
    return appliance.anonymous(`/docling${path}`, { ...init, headers });
  };
  const form = (fields: [string, string][] = []) => {
    const body = new FormData();
    body.append('files', new Blob([report]), 'report.docx');
    for (const [name, value] of fields) body.append(name, value);
    return { method: 'POST', body };
  };
  const source = (change: object = {}, options: object = {}) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      options,
      sources: [{ kind: 'file', base64_string: report.toString('base64'), filename: 'report.docx' }],
      ...change,
    }),
  });
  const withoutFile = () => {
    const body = new FormData();
    body.append('to_formats', 'md');
    return body;
  };
  interface Converted {
    document: { filename: string; md_content: string | null; text_content: string | null; html_content: null };
    status: string;
    errors: unknown[];
    processing_time: number;
  }

  test('converts a file of a form, and one in JSON', async () => {
    const fields: [string, string][] = [
      ...[['to_formats', 'md'] as [string, string], ['to_formats', 'text'] as [string, string]],
      ...[['do_ocr', 'true'] as [string, string], ['image_export_mode', 'placeholder'] as [string, string]],
      ...[['abort_on_error', 'false'] as [string, string], ['ocr_lang', 'en'] as [string, string]],
      ...[['ocr_engine', 'tesseract'] as [string, string], ['table_cell_matching', 'true'] as [string, string]],
    ];
    const answer = await ask('/v1/convert/file', form(fields));
    expect(answer.status, await answer.clone().text()).toBe(200);
    const { document, status, errors, processing_time: seconds } = (await answer.json()) as Converted;
    expect(document).toMatchObject({ filename: 'report.docx', html_content: null });
    expect(document.md_content).toMatch(/^#/m);
    expect(document.text_content).toContain('harbour');
    expect({ status, errors }).toEqual({ status: 'success', errors: [] });
    expect(seconds).toBeGreaterThanOrEqual(0);

    const json = (await (await ask('/v1/convert/source', source())).json()) as Converted;
    expect(json.document.md_content).toBe(document.md_content);
    expect(json.document.text_content).toBeNull();
  });

  test('converts an address', async () => {
    const sources = [{ kind: 'http', url: `${site.url}/docs/one` }];
    const answer = await ask('/v1/convert/source', source({ sources }));
    const { document } = (await answer.json()) as Converted;
    expect(document.md_content).toContain('Ropes are coiled clockwise.');
  });

  test('converts later, and is polled', async () => {
    const started = (await (await ask('/v1/convert/file/async', form([['to_formats', 'text']]))).json()) as {
      task_id: string;
      task_status: string;
    };
    expect(started).toMatchObject({ task_type: 'convert', task_status: expect.stringMatching(/pending|started/) });
    const poll = () => ask(`/v1/status/poll/${started.task_id}?wait=20`);
    await expect
      .poll(async () => (await (await poll()).json()) as object, { timeout: 60_000 })
      .toMatchObject({
        task_id: started.task_id,
        task_status: 'success',
      });
    const { document } = (await (await ask(`/v1/result/${started.task_id}`)).json()) as Converted;
    expect(document.text_content).toContain('harbour');
    expect(document.md_content).toBeNull();
    expect((await ask('/v1/result/job_none.md')).status).toBe(404);
    expect((await ask('/v1/status/poll/nonsense')).status).toBe(404);
  });

  test('converts several documents to an archive, with what could not be read', async () => {
    const zipOf = async (answer: Response) => {
      expect(answer.status, answer.status === 200 ? '' : await answer.clone().text()).toBe(200);
      expect(answer.headers.get('content-type')).toBe('application/zip');
      expect(answer.headers.get('content-disposition')).toContain('converted_docs.zip');
      return unzipSync(new Uint8Array(await answer.arrayBuffer()));
    };
    const { body, ...init } = form([
      ['to_formats', 'md'] as [string, string],
      ['to_formats', 'text'] as [string, string],
    ]);
    body.append('files', new Blob(['# Second']), 'report.md');
    const both = await zipOf(await ask('/v1/convert/file', { ...init, body }));
    expect(Object.keys(both)).toEqual(['report.md', 'report.txt', 'report-2.md', 'report-2.txt']);
    expect(strFromU8(both['report-2.md'] ?? new Uint8Array())).toContain('# Second');

    const one = await zipOf(await ask('/v1/convert/source', source({ target: { kind: 'zip' } })));
    expect(Object.keys(one)).toEqual(['report.md']);

    // As docling's own client writes a request: members without a use are there, and empty.
    const sources = [
      { kind: 'http', url: `${site.url}/docs/one`, headers: {} },
      { kind: 'file', base64_string: Buffer.from('%PDF-1.7 damaged').toString('base64'), filename: 'bad.pdf' },
    ];
    const change = { sources, callbacks: [], target: { kind: 'inbody' } };
    const started = (await (await ask('/v1/convert/source/async', source(change))).json()) as { task_id: string };
    await expect
      .poll(async () => (await (await ask(`/v1/status/poll/${started.task_id}?wait=20`)).json()) as object, {
        timeout: 60_000,
      })
      .toMatchObject({ task_status: 'success', task_meta: { num_docs: 2, num_succeeded: 1, num_failed: 1 } });
    const mixed = await zipOf(await ask(`/v1/result/${started.task_id}`));
    expect(Object.keys(mixed)).toEqual(['one.md', 'errors.json']);
    expect(JSON.parse(strFromU8(mixed['errors.json'] ?? new Uint8Array()))).toMatchObject([
      { filename: 'bad.pdf', errors: [{ error_message: expect.stringContaining('PDF') }] },
    ]);
  });

  test('takes the fields of older Open WebUI versions, and names those that change nothing', async () => {
    const languages = ['eng', 'fra', 'deu', 'spa'].map((language): [string, string] => ['ocr_lang', language]);
    const fields: [string, string][] = [
      ['image_export_mode', 'placeholder'],
      ...[['do_ocr', 'true'] as [string, string], ['force_ocr', 'false'] as [string, string]],
      ...[['ocr_engine', 'tesseract'] as [string, string], ['pdf_backend', 'dlparse_v4'] as [string, string]],
      ...[['table_mode', 'accurate'] as [string, string], ['pipeline', 'standard'] as [string, string]],
      ...languages,
    ];
    const answer = await ask('/v1/convert/file', form(fields));
    expect(answer.status, await answer.clone().text()).toBe(200);
    expect(((await answer.json()) as Converted).document.md_content).toMatch(/^#/m);
    expect(answer.headers.get('x-ignored-fields')).toBe('ocr_engine, pdf_backend, table_mode, ocr_lang');
  });

  test('refuses by name what it does not do', async () => {
    const refused: [string, RequestInit][] = [
      ['to_formats.0', form([['to_formats', 'html']])],
      ['do_ocr', form([['do_ocr', 'false']])],
      ['target_type', form([['target_type', 'presigned_url']])],
      ['from_formats', form([['from_formats', 'pdf']])],
      ['ocr_lang', form([['ocr_lang', 'not a language']])],
      ['files', { method: 'POST', body: withoutFile() }],
      ['options.pipeline', source({}, { pipeline: 'vlm' })],
      ['options.image_export_mode', source({}, { image_export_mode: 'embedded' })],
      ['sources', source({ sources: [] })],
      ['sources.0.kind', source({ sources: [{ kind: 's3' }] })],
      ['sources.0.base64_string', source({ sources: [{ kind: 'file', base64_string: '~', filename: 'a' }] })],
      ['sources.0.headers.cookie', source({ sources: [{ kind: 'http', url: site.url, headers: { cookie: 'a' } }] })],
      ['callbacks.0', source({ callbacks: [{ url: site.url }] })],
      ['target.kind', source({ target: { kind: 's3' } })],
    ];
    for (const [field, init] of refused) {
      const answer = await ask(`/v1/convert/${init.body instanceof FormData ? 'file' : 'source'}`, init);
      expect(answer.status, field).toBe(422);
      const { detail } = (await answer.json()) as { detail: { loc: string[]; msg: string }[] };
      expect(detail.map(({ loc }) => loc)).toEqual([['body', ...field.split('.')]]);
    }
    expect((await appliance.anonymous('/docling/v1/convert/source', source())).status).toBe(401);
    expect((await appliance.anonymous('/docling/health')).status).toBe(200);
  });
});

describe('the stock client of Firecrawl', () => {
  const client = (apiKey = key) => new Firecrawl({ apiKey, apiUrl: `${appliance.url}/firecrawl` });
  const titlesOf = (crawl: object) =>
    (crawl as { data: { metadata: { title: string } }[] }).data.map(({ metadata }) => metadata.title).sort();
  const ALL = ['First guide', 'Harbour', 'Shop', 'Third guide'];

  test('scrapes a page', async () => {
    const metadata = { title: 'First guide', language: 'en', statusCode: 200, sourceURL: `${site.url}/docs/one` };
    const text = { markdown: expect.stringContaining('Ropes are coiled clockwise.'), metadata };
    const page = await client().scrape(`${site.url}/docs/one`, { formats: ['markdown', { type: 'links' }] });
    expect(page).toMatchObject({ ...text, links: [`${site.url}/docs/three`, `${site.url}/`] });
    expect(await client().scrape(`${site.url}/docs/one`)).toMatchObject(text);
    await expect(client().scrape(`${site.url}/missing`)).rejects.toThrow('404');

    const v1 = await client().v1.scrapeUrl(`${site.url}/docs/one`, { formats: ['markdown', 'links'] });
    expect(v1).toMatchObject({ success: true, ...text, links: page.links });
    await expect(client().v1.scrapeUrl(`${site.url}/missing`, {})).rejects.toThrow('422');
  });

  test('maps a site', async () => {
    const urls = [`${site.url}/docs/one`, `${site.url}/shop/two`];
    const { links } = await client().map(`${site.url}/`);
    expect(links.map(({ url }) => url)).toEqual(expect.arrayContaining(urls));
    expect((await client().map(`${site.url}/`, { limit: 2 })).links).toHaveLength(2);
    const v1 = await client().v1.mapUrl(`${site.url}/`, {});
    expect(v1).toMatchObject({ success: true, links: expect.arrayContaining(urls) });
  });

  test('crawls a site, within its folder, by patterns or by depth, and searches what was crawled', async () => {
    const all = await client().crawl(`${site.url}/`, { limit: 10, pollInterval: 0.2 });
    expect(all).toMatchObject({ status: 'completed', completed: 4, total: 4 });
    expect(titlesOf(all)).toEqual(ALL);
    const options = { crawlEntireDomain: true, includePaths: ['^/docs/.*'], pollInterval: 0.2 };
    expect(titlesOf(await client().crawl(`${site.url}/docs/one`, options))).toEqual(['First guide', 'Third guide']);
    const near = await client().crawl(`${site.url}/`, { maxDiscoveryDepth: 0, pollInterval: 0.2 });
    expect(titlesOf(near)).toEqual(['Harbour']);

    const { id } = await client().startCrawl(`${site.url}/`, { excludePaths: ['shop/.*'], sitemap: 'include' });
    await expect
      .poll(async () => (await client().getCrawlStatus(id)) as object, { timeout: 60_000 })
      .toMatchObject({ status: 'completed', total: 3 });
    const headers = { authorization: `Bearer ${key}` };
    const parted = await appliance.anonymous(`/firecrawl/v2/crawl/${id}?skip=1&limit=1`, { headers });
    const { data, next } = (await parted.json()) as { data: unknown[]; next: string };
    expect(data).toHaveLength(1);
    expect(new URL(next).pathname + new URL(next).search).toBe(`/firecrawl/v2/crawl/${id}?skip=2&limit=1`);
    const unread = { url: `${site.url}/sitemap.xml`, error: 'Status 404.' };
    expect(await client().getCrawlErrors(id)).toMatchObject({ errors: [unread], robotsBlocked: [] });

    await expect
      .poll(async () => JSON.stringify((await client().search('ropes coiled', { sources: ['web'] })).web), {
        timeout: 60_000,
      })
      .toContain(`${site.url}/docs/one`);
    expect(JSON.stringify(await client().v1.search('ropes coiled', {}))).toContain(`${site.url}/docs/one`);
  });

  test('crawls by version 1', async () => {
    const v1 = client().v1;
    expect(titlesOf(await v1.crawlUrl(`${site.url}/`, { limit: 10 }))).toEqual(ALL);
    const below = { allowBackwardLinks: true, includePaths: ['^/docs/.*'] };
    expect(titlesOf(await v1.crawlUrl(`${site.url}/docs/one`, below))).toEqual(['First guide', 'Third guide']);
    expect(titlesOf(await v1.crawlUrl(`${site.url}/`, { maxDepth: 1 }))).toEqual(['Harbour']);
    const { id } = (await v1.asyncCrawlUrl(`${site.url}/`, { maxDepth: 2 })) as { id: string };
    await expect
      .poll(async () => (await v1.checkCrawlStatus(id)) as object, { timeout: 60_000 })
      .toMatchObject({ status: 'completed', total: 4 });
    const parts = (await v1.checkCrawlStatus(id, false, undefined, 1, 1)) as { data: unknown[]; next: string };
    expect(parts.data).toHaveLength(1);
    expect(new URL(parts.next).search).toBe('?skip=2&limit=1');
  });

  test('cancels a crawl', async () => {
    const { id } = await client().startCrawl(`${site.url}/held`);
    expect(await client().cancelCrawl(id)).toBe(true);
    expect(await client().getCrawlStatus(id)).toMatchObject({ status: 'cancelled', data: [] });
    await expect(client().cancelCrawl('job_none.0')).rejects.toThrow();
  });

  test('is told in its own form what is not there', async () => {
    const post = (path: string, body: object) =>
      appliance.anonymous(`/firecrawl/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ url: `${site.url}/`, ...body }),
      });
    const refused: [string, string, object][] = [
      ['v1/scrape', 'formats.0', { formats: ['rawHtml'] }],
      ['v2/scrape', 'formats.0', { formats: ['html'] }],
      ['v2/scrape', 'formats.1', { formats: ['markdown', 'screenshot'] }],
      ['v2/scrape', 'formats.0', { formats: [{ type: 'screenshot', fullPage: true, quality: 80 }] }],
      ['v2/scrape', 'formats.0', { formats: [{ type: 'json', prompt: 'The tide' }] }],
      ['v2/scrape', 'onlyMainContent', { onlyMainContent: false }],
      ['v2/scrape', 'actions', { actions: [{ type: 'wait', milliseconds: 1 }] }],
      ['v1/scrape', 'headers', { headers: { cookie: 'a' } }],
      ['v2/scrape', 'parsers', { parsers: ['pdf'] }],
      ['v1/crawl', 'maxDepth', { maxDepth: 20 }],
      ['v2/crawl', 'maxDepth', { maxDepth: 2 }],
      ['v1/crawl', 'maxDiscoveryDepth', { maxDiscoveryDepth: 4 }],
      ['v2/crawl', 'includePaths.0', { includePaths: ['(a|b)+'] }],
      ['v2/crawl', 'includePaths', { url: `${site.url}/docs/one`, includePaths: ['^/docs/.*'] }],
      ['v1/crawl', 'webhook', { webhook: 'https://hooks.example/' }],
      ['v2/crawl', 'webhook', { webhook: { url: 'https://hooks.example/' } }],
      ['v2/crawl', 'prompt', { prompt: 'Only the guides' }],
      ['v2/crawl', 'allowSubdomains', { allowSubdomains: false }],
      ['v2/crawl', 'scrapeOptions.formats.0', { scrapeOptions: { formats: ['links'] } }],
      ['v1/crawl', 'scrapeOptions.formats.0', { scrapeOptions: { formats: ['html'] } }],
      ['v2/map', 'search', { search: 'tide' }],
      ['v2/map', 'ignoreQueryParameters', { ignoreQueryParameters: true }],
      ['v2/search', 'sources.1', { url: undefined, query: 'tide', sources: ['web', { type: 'news' }] }],
      ['v2/search', 'sources.0', { url: undefined, query: 'tide', sources: [{ type: 'web', tbs: 'qdr:d' }] }],
    ];
    for (const [path, field, body] of refused) {
      const answer = await post(path, body);
      expect(answer.status, field).toBe(400);
      expect(await answer.json()).toMatchObject({ success: false, error: expect.stringContaining(`${field}: `) });
    }
    await expect(client('fc-wrong').scrape(`${site.url}/`)).rejects.toThrow();
    await expect(client().scrape(`${site.url}/`, { actions: [] })).rejects.toThrow('actions: A page is read');
    await expect(client().scrape(`${site.url}/`, { formats: ['html'] })).rejects.toThrow('The format html is not');
    await expect(client().scrape(`${site.url}/`, { formats: ['summary'] })).rejects.toThrow('POST /openai/v1/chat');
    await expect(client().batchScrape([`${site.url}/`])).rejects.toMatchObject({ status: 404 });
    const hints = { waitFor: 10, proxy: 'auto', blockAds: true, storeInCache: false };
    const hinted = await post('v2/scrape', hints);
    expect([hinted.status, hinted.headers.get('x-ignored-fields')]).toEqual([200, 'waitFor, proxy, blockAds']);
    const none = await appliance.owner('/firecrawl/v2/extract', { method: 'POST' });
    expect(none.status).toBe(404);
    expect(await none.json()).toMatchObject({ success: false, error: expect.stringContaining('scrape') });
  });
});
