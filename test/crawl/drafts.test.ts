import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UrlIndex } from '../../src-server/platform/net/url-index.ts';
import { CountSketch } from '../../src-server/platform/text/hash.ts';
import { rankSite } from '../../workers/pages/rank-site.ts';
import { readPages } from '../../workers/pages/read-pages.ts';
import { surveyPages } from '../../workers/pages/survey-pages.ts';
import type { CrawledPage, PagesSoFar, SitePart } from '../../workers/pages/tasks.ts';
import { writePages } from '../../workers/pages/write-pages.ts';
import { UNWATCHED } from '../harness/task-context.ts';

const PAGES = 12;
const urls = Array.from({ length: PAGES }, (_, number) => `http://127.0.0.1/p/${number}.html`);
let folder: string;
let soFar: PagesSoFar;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quarry drafts '));
  mkdirSync(join(folder, 'batches'));
  mkdirSync(join(folder, 'parts'));
  soFar = {
    pages: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
    blocks: CountSketch.memoryFor(0),
  };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function read(batch: number, ids: number[]): Promise<void> {
  const pages = ids.map((id) => {
    const links = urls.map((url) => `<a href="${url}">to ${url}</a>`).join(' ');
    const own = `<p>What only page ${id} says, for example of the harbour.</p>`;
    const html = `<title>Page ${id}</title><main><h1>Page ${id}</h1>${own}<p>Said on every page.</p>${links}</main>`;
    const target = { id, url: urls[id - 1] ?? '', body: Buffer.from(html), contentType: 'text/html' };
    return { ...target, robotsHeader: '', copyFrom: null, warnings: [] };
  });
  await readPages({ pages, batch, batchFolder: join(folder, 'batches'), soFar }, UNWATCHED);
}

/** Puts the outputs of two batches together, as an attempt does, and gives them as they are written. */
function outputs(): { pages: string; chunks: string; leftOut: number } {
  const parts = join(folder, 'parts');
  const index = UrlIndex.withRoom({ pages: PAGES, aliases: 0, chars: urls.join('').length });
  const list = urls.map((url, page) => {
    index.addPage(page, url);
    const facts = {
      status: 200,
      depth: 1,
      contentType: 'text/html',
      bytes: 1,
      fetchedAt: '',
      unchanged: false,
      rendered: false,
      screenshot: null,
      pdf: null,
    };
    return `${JSON.stringify({ id: page + 1, batch: page < 6 ? 1 : 2, url, ...facts } satisfies CrawledPage)}\n`;
  });
  writeFileSync(join(parts, '0.list.jsonl'), list.join(''));
  const counts = { blocks: CountSketch.memoryFor(0), words: CountSketch.memoryFor(0) };
  const shared = { totalPages: PAGES, folder: parts, index: index.data, counts };
  const part: SitePart = { ...shared, part: 0, firstPage: 0, batchFolder: join(folder, 'batches') };
  surveyPages({ ...part, partStarts: [0] }, UNWATCHED);
  const { ranks } = rankSite({ ...shared, rootUrl: urls[0] ?? '', parts: 1, outputFolder: folder }, UNWATCHED);
  const [pagesPath, chunksPath] = [join(folder, 'pages.jsonl'), join(folder, 'chunks.jsonl')];
  const limits = { keepPages: PAGES, keepChunkChars: 10_000, keepMarkdownChars: 0 };
  const written = writePages({ ...part, ranks, pagesPath, chunksPath, ...limits }, UNWATCHED);
  const [pages, chunks] = [pagesPath, chunksPath].map((path) => readFileSync(path, 'utf8')) as [string, string];
  expect(written.chunks.map(({ text }) => text).join()).not.toContain('Said on every page.');
  return { pages, chunks, leftOut: written.counts.boilerplateBlocks };
}

test('what repeats is left out of every page, also of those that were read before it had', async () => {
  await read(1, [1, 2, 3, 4, 5, 6]);
  await read(2, [7, 8, 9, 10, 11, 12]);
  const { pages, chunks, leftOut } = outputs();
  const lines = pages.trim().split('\n');
  expect(lines).toHaveLength(PAGES);
  for (const [number, line] of lines.entries()) {
    const page = JSON.parse(line) as { url: string; text: string; markdown: string; links: string[] };
    expect(page.url).toBe(urls[number]);
    expect(page.text).toContain(`What only page ${number + 1} says`);
    expect(page.text + page.markdown).not.toContain('Said on every page.');
    expect(page.links).toEqual(urls.filter((url) => url !== page.url));
  }
  expect(chunks).not.toContain('Said on every page.');
  // The paragraph, and the text of the links.
  expect(leftOut).toBe(2 * PAGES);
});

test('outputs are the same where the drafts are gone, as after an attempt that was interrupted at its very end', () => {
  const before = outputs();
  rmSync(join(folder, 'batches', 'drafts'), { recursive: true });
  expect(outputs()).toEqual(before);
});
